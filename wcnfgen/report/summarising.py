"""From scores to tables: what a report says, in the order in which it is read.

scores    how good the models are and when: anytime scores, the best bounds
solved    how many instances are settled, and how fast
families  both by family; by-NAME: by a parameter of the instances, as Table 5 of the MPDT paper has it
pairs     each solver against each other
runs      how the runs ended, and what they used
lies      what is not as a solver says
results   for programs: each run with its scores
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from wcnfgen.campaign.instances import KINDS, Instance
from wcnfgen.errors import UsageError
from wcnfgen.report import accounts, pairwise, scores
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.scores import PENALTY, Floats, Scores
from wcnfgen.report.standings import Standings
from wcnfgen.report.summary import Cell, Column, Summary, Table

VBS = "virtual best"
INSTANCES = Column("instances", about="how many")
FINAL = Column("score", good="high", about="mean of (1+best)/(1+cost) at the end, 0 without a model")
BOUNDS = Column("best UB", digits=1, good="high", about="instances on which no solver has a lower cost")
SOLVED = Column("solved", digits=1, good="high", about="instances settled within the limit")
PAR_WALL = Column("PAR-2 wall", "s", 1, "low", f"mean time; unsolved ones count {PENALTY} limits")
PAR_CPU = Column("PAR-2 CPU", "s", 1, "low", f"mean CPU time; unsolved ones count {PENALTY} limits")
FIELDS = ("encoding", "data", "family", "format", "weighted")  # of an instance, beside its parameters


def of(
    comparison: Comparison,
    standings: Standings,
    times: Sequence[float] = (),
    by: Sequence[str] = (),
) -> Summary:
    """All tables that there is something to say in.

    times: seconds at which anytime scores are shown; by: parameters of instances, each for a table.
    Raises UsageError where no instance has such a parameter.
    """
    found = scores.of(comparison, standings, times)
    tables = [
        _scores(found),
        _solved(found),
        _grouped(found, "families", "By family", "family", [each.family for each in found.instances]),
        *(_by(found, name) for name in by),
        *pairwise.of(found),
        accounts.runs(comparison, standings),
        accounts.lies(standings),
    ]
    return Summary(
        title=accounts.title(comparison),
        facts=tuple(accounts.facts(comparison)),
        warnings=tuple(accounts.warnings(comparison, standings)),
        tables=tuple(each for each in tables if each is not None and each.rows),
        details=(accounts.results(comparison, standings, found.times),),
    )


# ---------------------------------------------------------------------------- classes of weights


def _classes(found: Scores) -> Iterator[tuple[str, Scores]]:
    """All instances, and each of the Evaluation's classes, and CNF, where there are several."""
    yield f"all {len(found.instances)}", found
    kinds = [each.kind for each in found.instances]
    for name in KINDS if len(set(kinds)) > 1 else ():
        if name in kinds:
            yield f"{name} {kinds.count(name)}", found.some(kind == name for kind in kinds)


Rows = Callable[[Scores], list[tuple[Cell, ...]]]


def _by_class(found: Scores, rows: Rows) -> tuple[tuple[tuple[Cell, ...], ...], frozenset[int]]:
    """Rows for each class, the virtual best solver's among them, and which these are."""
    lines: list[tuple[Cell, ...]] = []
    apart: set[int] = set()
    for name, part in _classes(found):
        lines += [(name, *row) for row in rows(part)]
        if len(found.solvers) > 1:
            apart.add(len(lines) - 1)
    return tuple(lines), frozenset(apart)


# ---------------------------------------------------------------------------- scores


def _scores(found: Scores) -> Table | None:
    """Anytime scores of the instances that have an objective."""
    found = found.some(each.format != "cnf" for each in found.instances)
    if not found.instances:
        return None
    columns = [
        Column("instances"),
        Column("solver"),
        *(Column(f"score at {at:g} s", digits=3, good="high") for at in found.times),
        *([FINAL] if found.times[-1] < found.until else []),
        Column("contributes", digits=4, good="high", about="what the virtual best would lose without it"),
        BOUNDS,
    ]
    rows, apart = _by_class(found, _score_rows)
    note = "score: mean of (1+best)/(1+cost), 0 without a model; best: the least cost known to anybody"
    return Table("scores", "Anytime scores", tuple(columns), rows, 2, 1, apart, note)


def _score_rows(found: Scores) -> list[tuple[Cell, ...]]:
    contributed = scores.contributions(found.final, "high")
    every = [*found.anytime, *([found.final] if found.times[-1] < found.until else [])]
    rows: list[tuple[Cell, ...]] = [
        (
            solver,
            *(scores.mean(values[:, at]) for values in every),
            _mean(contributed[at : at + 1]),
            count(found.bounds[:, at]),
        )
        for at, solver in enumerate(found.solvers)
    ]
    if len(found.solvers) > 1:
        best = (scores.mean(scores.virtual(values, "high")) for values in every)
        rows.append((VBS, *best, None, count(scores.virtual(found.bounds, "high"))))
    return rows


# ---------------------------------------------------------------------------- solved


def _solved(found: Scores) -> Table:
    columns = (
        Column("instances"),
        Column("solver"),
        SOLVED,
        Column("alone", digits=0, good="high", about="instances that no other solver solved"),
        Column("fastest", digits=0, good="high", about="instances that no other solver solved in less time"),
        Column("mean wall", "s", 1, about="of solved instances"),
        Column("mean CPU", "s", 1, about="of solved instances"),
        PAR_WALL,
        PAR_CPU,
        Column("contributes", "s", 2, "high", "PAR-2 that the virtual best would lose without it"),
    )
    rows, apart = _by_class(found, _solved_rows)
    note = f"PAR-2: mean seconds, an unsolved instance counts as {PENALTY} limits; solved: proved and in time"
    return Table("solved", "Solved instances", columns, rows, 2, 1, apart, note)


def _solved_rows(found: Scores) -> list[tuple[Cell, ...]]:
    alone, fastest = scores.unique(found.solved), scores.fastest(found.seconds)
    contributed = scores.contributions(found.wall, "low")
    rows: list[tuple[Cell, ...]] = [
        (
            solver,
            count(found.solved[:, at]),
            int(alone[at]),
            int(fastest[at]),
            _mean(found.seconds[:, at]),
            _mean(found.cpu_seconds[:, at]),
            scores.mean(found.wall[:, at]),
            scores.mean(found.cpu[:, at]),
            _mean(contributed[at : at + 1]),
        )
        for at, solver in enumerate(found.solvers)
    ]
    return rows + [_virtual_row(found)] if len(found.solvers) > 1 else rows


def _virtual_row(found: Scores) -> tuple[Cell, ...]:
    wall, cpu = (
        scores.virtual(np.where(np.isnan(each), np.inf, each), "low")
        for each in (found.seconds, found.cpu_seconds)
    )
    return (
        VBS,
        count(scores.virtual(found.solved, "high")),
        None,
        None,
        _mean(wall[np.isfinite(wall)]),
        _mean(cpu[np.isfinite(cpu)]),
        scores.mean(scores.virtual(found.wall, "low")),
        scores.mean(scores.virtual(found.cpu, "low")),
        None,
    )


# ---------------------------------------------------------------------------- families and parameters


def _by(found: Scores, name: str) -> Table:
    values = [_value(each, name) for each in found.instances]
    if all(each is None for each in values):
        known = sorted({key for each in found.instances for key in each.parameters})
        there = ", ".join([*known, *FIELDS])
        raise UsageError(f"--by {name}: no instance has it; there are: {there}")
    return _grouped(found, f"by-{name}", f"By {name}", name, values)


def _value(instance: Instance, name: str) -> Cell:
    if name in instance.parameters:
        value = instance.parameters[name]
        return value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else str(value)
    if name not in FIELDS:
        return None
    return instance.kind if name == "weighted" else str(getattr(instance, name))


def _grouped(found: Scores, name: str, title: str, heading: str, values: Sequence[Cell]) -> Table:
    """A line for each value and solver."""
    others = (Column("solver"), INSTANCES, BOUNDS, FINAL, SOLVED, PAR_WALL, PAR_CPU)
    taken = heading in (column.heading for column in others)
    columns = (Column(f"value of {heading}" if taken else heading), *others)
    rows = [
        row for value in _ordered(values) for row in _group(found.some(v == value for v in values), value)
    ]
    return Table(name, title, columns, tuple(rows), 2, 1)


def _ordered(values: Sequence[Cell]) -> list[Cell]:
    """Numbers by size, then names; those that do not have it last."""
    return sorted(set(values), key=lambda v: (v is None, isinstance(v, str), v if v is not None else 0))


def _group(part: Scores, value: Cell) -> Iterator[tuple[Cell, ...]]:
    objective = part.optimised > 0
    for at, solver in enumerate(part.solvers):
        yield (
            value,
            solver,
            len(part.instances),
            count(part.bounds[:, at]) if objective else None,
            scores.mean(part.final[:, at]) if objective else None,
            count(part.solved[:, at]),
            scores.mean(part.wall[:, at]),
            scores.mean(part.cpu[:, at]),
        )


# ---------------------------------------------------------------------------- numbers


def count(values: Floats) -> int | float:
    """A sum of shares: whole where each instance was run once."""
    total = float(np.nansum(values))
    return round(total) if abs(total - round(total)) < 1e-9 else total


def _mean(values: Floats) -> float | None:
    """Of the values that there are; None without any."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else None
