"""Narodytska et al. 2018, Table 4: the smallest trees of five small sets.

The paper starts from the tree of ITI and goes down one formula at a time, ours is the same descent from our
best greedy tree; the optima do not depend on where it starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.experiments import Experiment
from wcnfgen.experiments.findings import Findings
from wcnfgen.experiments.work import DataSet, Step, Work

EXPERIMENT = Experiment("Smallest trees of small sets", "Narodytska et al. 2018, Table 4")

# name: #ndub (ITI), #nd (optimum), seconds
PAPER = {
    "mouse": (15, 15, 12.94),
    "weather": (13, 9, 0.05),
    "irish": (7, 7, 0.10),
    "corral": (13, 13, 0.001),
    "mux6": (35, 15, 0.11),
}


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """One search a set."""
    yield [_step(work, each) for each in _sets(work)]


def _sets(work: Work) -> list[DataSet]:
    return work.sets(work.pick(["weather"], list(PAPER), list(PAPER)))


def _step(work: Work, data: DataSet) -> Step:
    wall = ("--wall", "1000", "--memory", "2048")  # the paper's limits
    return Step(_output(data), ("search", *data.words, "--method", "descent", *wall, "--as", "json"), (0, 1))


def _output(data: DataSet) -> str:
    return f"{data.name}.json"


def findings(work: Work) -> Findings:
    """Ours beside theirs."""
    return Findings(())
