"""What changed from one campaign to another, or from one solver to another.

Both sides are put into one comparison, of the instances that both have run: the best cost known is the best
of either, and a claim of one is held against the models of both.  So a solver that lost an instance because
its proof is now contradicted is seen to have lost it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.errors import UsageError
from wcnfgen.report import accounts, pairwise, scores, standings, statistics, summarising
from wcnfgen.report.comparison import Comparison, joined
from wcnfgen.report.scores import Scores
from wcnfgen.report.standings import Standings
from wcnfgen.report.summary import Cell, Column, Summary, Table

LARGEST = 20  # changes that are listed
RATIO_S = 0.1  # of two times below it the ratio says nothing
LEAST_S = 0.001


@dataclass(frozen=True, slots=True)
class Pair:
    """A solver before and after, as it is named in its campaign."""

    before: str
    after: str

    @property
    def name(self) -> str:
        """One name, or both."""
        return self.before if self.before == self.after else f"{self.before}, {self.after}"

    @property
    def labels(self) -> tuple[str, str]:
        """Names that differ: A is before, B is after."""
        return f"{self.before} (A)", f"{self.after} (B)"


def of(
    before: Comparison, after: Comparison, solver: str | None = None, against: str | None = None
) -> Summary:
    """What is different in B: by default each solver that both have, else A's solver against B's.

    Raises UsageError where there is no such solver, or no instance that both have run.
    """
    pairs = _pairs(before, after, solver, against)
    merged = _merged(before, after, pairs)
    stand = standings.of(merged)
    found = scores.of(merged, stand)
    changes = sorted(_changes(merged, stand, found, pairs), key=lambda change: -change.weight)
    return Summary(
        title=f"A: {accounts.title(before)}, B: {accounts.title(after)}",
        facts=(("compared", _common(before, after, merged)), *accounts.facts(merged)),
        warnings=tuple(accounts.warnings(merged, stand)),
        tables=tuple(
            table
            for table in (
                _figures(found, pairs),
                _scores(found, pairs),
                _largest(changes),
                accounts.lies(stand),
            )
            if table.rows
        ),
    )


# ---------------------------------------------------------------------------- both sides as one


def _pairs(before: Comparison, after: Comparison, solver: str | None, against: str | None) -> list[Pair]:
    """Who is held against whom."""
    if solver is not None or against is not None:
        one, other = solver or against or "", against or solver or ""
        for name, side in ((one, before), (other, after)):
            if name not in side.solvers:
                there = ", ".join(side.solvers)
                raise UsageError(f"{accounts.title(side)}: no solver {name!r}; there are: {there}")
        return [Pair(one, other)]
    common = [Pair(name, name) for name in before.solvers if name in after.solvers]
    if common:
        return common
    if len(before.solvers) == len(after.solvers) == 1:
        return [Pair(before.solvers[0], after.solvers[0])]
    raise UsageError(
        f"no solver of {accounts.title(before)} ({', '.join(before.solvers)}) is in {accounts.title(after)} "
        f"({', '.join(after.solvers)}): name them, --solver A --against B"
    )


def _merged(before: Comparison, after: Comparison, pairs: Sequence[Pair]) -> Comparison:
    """Both sides as one comparison: of instances with the same bytes that all have run."""
    known = {each.formula_sha256: each for each in after.instances}
    both = [(each, known[each.formula_sha256]) for each in before.instances if each.formula_sha256 in known]
    runs: dict[tuple[str, str], Sequence[Result]] = {}
    kept: list[Instance] = []
    labels = tuple(label for pair in pairs for label in pair.labels)
    for a, b in both:
        there = {
            label: _renamed(side.of(there.name, name), a.name, label)
            for pair in pairs
            for side, there, name, label in (
                (before, a, pair.before, pair.labels[0]),
                (after, b, pair.after, pair.labels[1]),
            )
        }
        if all(there.values()):
            kept.append(joined(a, b))
            runs |= {(a.name, label): each for label, each in there.items()}
    if not kept:
        raise UsageError(
            f"nothing to compare: all of {', '.join(labels)} ran on no instance that "
            f"{accounts.title(before)} and {accounts.title(after)} have in common"
        )
    return Comparison((*before.folders, *after.folders), tuple(kept), labels, runs)


def _renamed(runs: Sequence[Result], instance: str, label: str) -> list[Result]:
    """Runs under the names of the comparison; the same run may be on both sides."""
    return [replace(run, instance=instance, solver=label, key=f"{label} {run.key}") for run in runs]


def _common(before: Comparison, after: Comparison, merged: Comparison) -> str:
    a, b = len(before.instances), len(after.instances)
    return f"{len(merged.instances)} instances that all have run, of {a} in A and {b} in B"


# ---------------------------------------------------------------------------- figures


def _figures(found: Scores, pairs: Sequence[Pair]) -> Table:
    columns = (
        Column("solver"),
        Column("instances"),
        Column("solved A", digits=1),
        Column("solved B", digits=1),
        Column("newly solved", about="by B and not by A"),
        Column("lost", about="solved by A and not by B"),
        Column("PAR-2 A", "s", 1),
        Column("PAR-2 B", "s", 1),
        Column("time ratio", digits=2, about="B / A, geometric mean over instances that both solved"),
    )
    rows = tuple(_figure(found, pair, 2 * at) for at, pair in enumerate(pairs))
    note = f"time ratio: B / A, geometric mean over instances that both solved, one in {RATIO_S:g} s or more"
    return Table("changes", "What changed from A to B", columns, rows, note=note)


def _figure(found: Scores, pair: Pair, at: int) -> tuple[Cell, ...]:
    before, after = found.solved[:, at] > 0, found.solved[:, at + 1] > 0
    return (
        pair.name,
        len(found.instances),
        summarising.count(found.solved[:, at]),
        summarising.count(found.solved[:, at + 1]),
        int((after & ~before).sum()),
        int((before & ~after).sum()),
        scores.mean(found.wall[:, at]),
        scores.mean(found.wall[:, at + 1]),
        _ratio(found, at),
    )


def _ratio(found: Scores, at: int) -> float | None:
    """How many times as long B took; None if there is no instance where that says anything."""
    times = found.seconds[:, at : at + 2]
    long = (times >= RATIO_S).any(axis=1) & ~np.isnan(times).any(axis=1)
    logs = np.log(np.maximum(times[long], LEAST_S))
    return float(np.exp(scores.mean(logs[:, 1] - logs[:, 0]))) if len(logs) else None


def _scores(found: Scores, pairs: Sequence[Pair]) -> Table:
    """Scores of the instances that have an objective."""
    found = found.some(each.format != "cnf" for each in found.instances)
    columns = (
        Column("solver"),
        Column("score A"),
        Column("score B"),
        *(replace(each, name=name) for each, name in _renamed_columns()),
    )
    sides = [(2 * at + 1, 2 * at) for at in range(len(pairs) if found.instances else 0)]
    compared = statistics.compare(found.final, sides)
    rows = tuple(
        (pair.name, scores.mean(found.final[:, a]), scores.mean(found.final[:, b]), *pairwise.cells(each))
        for pair, (b, a), each in zip(pairs, sides, compared, strict=False)
    )
    return Table("scores", "Anytime scores at the end, B less A", columns, rows, note=statistics.note())


def _renamed_columns() -> Iterator[tuple[Column, str]]:
    names = {"wins": "better", "ties": "same", "losses": "worse"}
    return ((each, names.get(each.name, each.name)) for each in pairwise.columns())


# ---------------------------------------------------------------------------- single instances


@dataclass(frozen=True, slots=True)
class Change:
    """One instance on which a solver does not do what it did; weight says how much that is."""

    solver: str
    instance: str
    what: str
    before: str
    after: str
    weight: float


def _changes(found: Comparison, stand: Standings, values: Scores, pairs: Sequence[Pair]) -> Iterator[Change]:
    for at, pair in enumerate(pairs):
        for row, instance in enumerate(values.instances):
            a, b = (found.of(instance.name, label)[0] for label in pair.labels)
            gained = float(values.solved[row, 2 * at + 1] - values.solved[row, 2 * at])
            better = float(np.nan_to_num(values.final[row, 2 * at + 1] - values.final[row, 2 * at]))
            if gained or better:
                what = _what(gained, better)
                shown = (_shown(a, stand), _shown(b, stand))
                yield Change(pair.name, instance.name, what, *shown, abs(gained) + abs(better))


def _what(gained: float, better: float) -> str:
    if gained:
        return "newly solved" if gained > 0 else "lost"
    return "better" if better > 0 else "worse"


def _shown(run: Result, stand: Standings) -> str:
    """A run in a few words; of several seeds the first."""
    cost = "no model" if run.cost is None else f"cost {run.cost}"
    return f"{cost}, {f'solved in {run.wall_s:.1f} s' if stand.solves(run) else run.ended}"


def _largest(changes: Sequence[Change]) -> Table:
    columns = (Column("solver"), Column("instance"), Column("change"), Column("A"), Column("B"))
    rows = tuple(
        (each.solver, each.instance, each.what, each.before, each.after) for each in changes[:LARGEST]
    )
    rest = len(changes) - len(rows)
    return Table(
        "largest",
        "The largest changes",
        columns,
        rows,
        labels=5,
        note=f"and {rest} smaller ones" if rest else "",
    )
