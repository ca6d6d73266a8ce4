"""Alòs et al. 2023, section 9.2: smallest pure trees beside DT(max), the best trees within a depth.

DT(max) makes the fewest errors on the rows to learn from, without need to be pure; all of these rows, and
the splits of the others, are those of Table 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wcnfgen.experiments import Experiment, _mpdt
from wcnfgen.experiments._mpdt import Score
from wcnfgen.experiments._mpdt_printed import ACCURACIES, DEPTHS
from wcnfgen.experiments.findings import Claim, Findings, mean
from wcnfgen.experiments.work import DataSet, Step, Work
from wcnfgen.report.summary import Cell, Column, Table

EXPERIMENT = Experiment("Smallest trees and DT(max)", "Alòs et al. 2023, section 9.2", ("sklearn",))

MPDT = "mpdt"
ROWS = (
    "The paper prints no more than the three differences of means. The rows to learn from are one random "
    "64 %, not the paper's, and 50 splits of the others select and test, as in our Table 6; DT(max) is one "
    "tree for each depth, so that nothing is selected."
)


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """Rows, and then trees of both kinds."""
    data = _mpdt.sets(work)
    yield from _mpdt.dealt(data)
    yield [step for each in data for step in _steps(work, each)]


def solver(work: Work) -> str:
    """What the best tree within a depth is searched by; the paper's is Loandra."""
    found: str = work.pick("lms", "lms", "loandra")
    return found


def _steps(work: Work, data: DataSet) -> Iterator[Step]:
    many, wall, memory = _mpdt.limits(work)
    yield _mpdt.find(work, data, MPDT, many, wall, memory)
    for depth in DEPTHS:
        how = ("--encoding", "depth", "--depth", str(depth), "--method", solver(work))
        bounds = ("--wall", f"{wall:g}", "--memory", str(memory), "--as", "json")
        yield Step(_file(data.name, depth), ("search", _mpdt.parts(data.name)[0], *how, *bounds), (0, 1))


def _file(name: str, depth: int) -> str:
    return f"{name}/depth-{depth}.json"


# ---------------------------------------------------------------------------- findings


@dataclass(frozen=True, slots=True)
class Row:
    """A set: the score of mpdt, and of DT(max) within each depth; which of these are proved to be best."""

    mpdt: Score
    best: Mapping[int, Score]
    proved: frozenset[int]


def findings(work: Work) -> Findings:
    """Accuracies, and by how much those of mpdt are higher."""
    found = {name: _row(work, name) for name in _mpdt.names(work)}
    many, wall, _ = _mpdt.limits(work)
    searched = (
        f"The paper's DT(max) is solved by Loandra, and mpdt has up to 30000 trees; here {solver(work)} has "
        f"{wall:g} s for each depth, after which the best tree so far counts, and mpdt the same time for "
        f"{many} trees."
    )
    printed = {name: row for name, row in found.items() if name in ACCURACIES}
    return Findings((table(found),), tuple(claims(printed)), (ROWS, searched))


def _row(work: Work, name: str) -> Row:
    rows, many = _mpdt.others(work, name), _mpdt.splits(work)
    mpdt = _mpdt.scored(work, rows, f"{name}/{MPDT}.json", many)
    best = {depth: _mpdt.scored(work, rows, _file(name, depth), many) for depth in DEPTHS}
    proved = frozenset(depth for depth in DEPTHS if (work.json(_file(name, depth)) or {}).get("optimal"))
    assert mpdt is not None  # without a better one it is the greedy tree
    return Row(mpdt, {depth: each for depth, each in best.items() if each is not None}, proved)


def table(found: Mapping[str, Row]) -> Table:
    """Accuracy on the testing rows, and the nodes of the trees."""
    columns = (
        *(Column("set"), Column("paper: mpdt", "%", 2), Column("ours: mpdt", "%", 2)),
        *(Column(f"ours: depth {depth}", "%", 2) for depth in DEPTHS),
        Column("nodes: mpdt", digits=0),
        *(Column(f"nodes: depth {depth}", digits=0) for depth in DEPTHS),
        Column("proved", about="depths within which no tree has fewer errors"),
    )
    rows = [
        (
            *(name, ACCURACIES[name].mpdt if name in ACCURACIES else None, row.mpdt.accuracy),
            *(row.best[depth].accuracy if depth in row.best else None for depth in DEPTHS),
            row.mpdt.size,
            *(row.best[depth].size if depth in row.best else None for depth in DEPTHS),
            ", ".join(map(str, sorted(row.proved))) or "none",
        )
        for name, row in found.items()
    ]
    title = "Accuracy on the testing rows, and nodes"
    return Table("accuracy", title, columns, (*rows, _means(rows)))


def _means(rows: Sequence[tuple[Cell, ...]]) -> tuple[Cell, ...]:
    numbers = [[x for x in column if isinstance(x, (int, float))] for column in zip(*rows, strict=True)]
    return ("mean", *(mean(column) for column in numbers[1:-1]), None)


def claims(found: Mapping[str, Row]) -> Iterator[Claim]:
    """By how much mpdt is better than each depth; nothing is known of no set."""
    for depth, gain in DEPTHS.items():
        gains = [row.mpdt.accuracy - row.best[depth].accuracy for row in found.values() if depth in row.best]
        yield Claim(
            f"mpdt is {gain} points more accurate than DT(max) within depth {depth} on average",
            _mpdt.against(mean(gains), gain),
            _mpdt.compared(gains),
        )
