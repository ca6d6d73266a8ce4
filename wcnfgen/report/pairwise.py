"""Each solver against each other, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from wcnfgen.report import statistics
from wcnfgen.report.scores import Floats, Scores
from wcnfgen.report.summary import Cell, Column, Table


def of(found: Scores) -> Iterator[Table]:
    """Each solver against each other, by score and by time."""
    optimised = found.some(each.format != "cnf" for each in found.instances)
    if optimised.instances:
        yield _against("pairs", "Pairs, by anytime score at the end", optimised, optimised.final, "", 4)
    yield _against("pairs-par2", "Pairs, by PAR-2 wall time: seconds saved", found, -found.wall, "s", 1)


def _against(name: str, title: str, found: Scores, values: Floats, unit: str, digits: int) -> Table:
    pairs = list(combinations(range(len(found.solvers)), 2))
    rows = [
        (found.solvers[a], found.solvers[b], *cells(compared))
        for (a, b), compared in zip(pairs, statistics.compare(values, pairs), strict=True)
    ]
    both = (Column("solver"), Column("against"))
    return Table(name, title, (*both, *columns(unit, digits)), tuple(rows), 2, 2, note=statistics.note())


def columns(unit: str = "", digits: int = 4) -> tuple[Column, ...]:
    """What `cells` fills in."""
    return (
        Column("wins", about="instances on which the first is ahead"),
        Column("ties"),
        Column("losses"),
        Column("difference", unit, digits, about="the mean over instances"),
        Column("from", unit, digits, about="the interval that covers it with 95 %"),
        Column("to", unit, digits),
        Column("sign p", digits=4),
        Column("Wilcoxon p", digits=4),
    )


def cells(found: statistics.Compared) -> tuple[Cell, ...]:
    """A comparison as cells."""
    return (
        found.wins,
        found.ties,
        found.losses,
        found.difference,
        found.low,
        found.high,
        found.sign,
        found.wilcoxon,
    )
