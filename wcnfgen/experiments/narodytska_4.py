"""Narodytska et al. 2018, Table 4: the smallest trees of five small sets.

The paper starts from the tree of ITI and goes down one formula at a time, ours is the same descent from our
best greedy tree; the optima do not depend on where it starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wcnfgen.experiments import Experiment
from wcnfgen.experiments._narodytska import ITI, TIMES, WALL_S, Row, held, less, of_all, row, steps
from wcnfgen.experiments.findings import Claim, Findings
from wcnfgen.experiments.work import Step, Work
from wcnfgen.report.summary import Column, Table

EXPERIMENT = Experiment("Smallest trees of small sets", "Narodytska et al. 2018, Table 4", ("sklearn",))


class Printed(NamedTuple):
    """A line of the paper's table: nodes of ITI's tree, of the smallest one, and seconds."""

    iti: int
    optimum: int
    seconds: float


PAPER = {
    "mouse": Printed(15, 15, 12.94),
    "weather": Printed(13, 9, 0.05),
    "irish": Printed(7, 7, 0.10),
    "corral": Printed(13, 13, 0.001),
    "mux6": Printed(35, 15, 0.11),
}


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """All sets at once."""
    sets = work.sets(work.pick(["weather"], list(PAPER), list(PAPER)))
    yield [step for each in sets for step in steps(each.name, each.words, WALL_S)]


def findings(work: Work) -> Findings:
    """Ours beside theirs."""
    found = {name: row(work, name) for name in PAPER if work.record(f"{name}.descent.json")}
    return Findings((_table(found),), tuple(_claims(found)), (ITI, TIMES))


def _table(found: dict[str, Row]) -> Table:
    columns = (
        Column("set"),
        Column("rows", about="rows that the descent sees"),
        Column("paper: ITI", about="nodes of a greedy tree"),
        Column("ours: CART"),
        Column("ours: greedy", about="where the descent starts"),
        Column("paper: smallest", about="nodes of the smallest tree"),
        Column("ours: smallest"),
        Column("ours: proved"),
        Column("paper: time", "s", 3),
        Column("ours: time", "s", 2),
    )
    return Table("optima", "Nodes of trees, and the time to prove the smallest", columns, tuple(_rows(found)))


def _rows(found: dict[str, Row]) -> Iterator[tuple[str | int | float | None, ...]]:
    for name, ours in found.items():
        paper = PAPER[name]
        yield (
            *(name, ours.rows, paper.iti, ours.cart, ours.greedy, paper.optimum, ours.smallest),
            *("yes" if ours.proved else "no", paper.seconds, ours.seconds),
        )


def _claims(found: dict[str, Row]) -> Iterator[Claim]:
    rows = list(found.values())
    optima = ", ".join(f"{name} {paper.optimum}" for name, paper in PAPER.items())
    ours = ", ".join(
        f"{name} {row.smallest}{'' if row.proved else ' (not proved)'}" for name, row in found.items()
    )
    equal = of_all(PAPER, found, lambda name, row: row.proved and row.smallest == PAPER[name].optimum)
    yield Claim(f"Nodes of the smallest trees: {optima}", held(equal), ours)
    limit = max(each.seconds for each in PAPER.values())
    yield Claim(
        f"Optimality is proved for all five, within {limit} s each",
        held(of_all(PAPER, found, lambda _, row: row.proved and row.seconds <= limit)),
        f"{sum(row.proved for row in rows)} of {len(rows)} proved, "
        f"the slowest in {max(row.seconds for row in rows):.1f} s",
    )
    yield _improvement(found)


def _improvement(found: dict[str, Row]) -> Claim:
    """Where the paper says that the greedy tree is too large, ours are, too."""
    large = {name: paper for name, paper in PAPER.items() if paper.iti > paper.optimum}
    iti = ", ".join(f"{name} {paper.iti} to {paper.optimum}" for name, paper in large.items())
    said = [
        f"{name}: CART {row.cart}, our greedy tree {row.greedy}, smallest {row.smallest}"
        for name, row in found.items()
        if not row.cart == row.greedy == row.smallest
    ]
    better = of_all(
        PAPER, found, lambda name, row: name not in large or (less(row.greedy, row.smallest) or 0) > 0
    )
    return Claim(
        f"The smallest tree is smaller than the greedy one for some sets ({iti})",
        held(better),
        "; ".join(said) or "greedy trees are the smallest ones in all sets",
    )
