"""Curves: what each plot shows, as arrays, whoever draws it.

    cactus    how many instances are solved within so many seconds
    anytime   the mean anytime score, had all runs ended after so many seconds
    gaps      how far each solver's costs are from the best known, the nearest first
    shares    the share of instances with an anytime score of at least so much
    scatter   an instance is a point: one solver's cost or seconds against another's

All but the last have a line for each solver, in the comparison's order, and are of some instances, by
default of all; costs and scores are of those that have an objective.  What is solved, and which cost counts
since when, is what `standings` says.  A run that is not there has found nothing.  Of several seeds the mean
is taken where curves add up, and the median where an instance is one point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen.campaign.results import Result
from wcnfgen.report import standings as counting
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.standings import Standings

Floats = NDArray[np.float64]
Measure = Literal["cost", "seconds"]
LEAST_S = 0.01  # what took less is there, as a logarithm has no 0


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A solver's curve: x rising, and a y for each."""

    solver: str
    x: Floats
    y: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """Two solvers: each instance that both ran is a point.

    instances  their names
    x, y       of the first and the second solver: costs or seconds; inf: none
    added      to them where they are drawn, as a logarithm has no 0: 1 if there is a cost of 0
    border     where inf is drawn, beyond all values
    """

    first: str
    second: str
    measure: Measure
    instances: tuple[str, ...]
    x: Floats
    y: Floats
    added: int
    border: float

    @property
    def drawn(self) -> tuple[Floats, Floats]:
        """x and y as a logarithmic plot has them."""
        return np.minimum(self.x + self.added, self.border), np.minimum(self.y + self.added, self.border)


def cactus(
    comparison: Comparison, standings: Standings, instances: Sequence[str] | None = None
) -> tuple[Line, ...]:
    """How many instances (y) are solved within x seconds: from each x to the next; 0 before the first."""
    names = _chosen(comparison, instances)

    def solutions(run: Result) -> Iterator[tuple[float, float]]:
        if standings.solves(run):
            yield run.wall_s, 1.0

    return tuple(_summed(comparison, solver, names, solutions) for solver in comparison.solvers)


def anytime(
    comparison: Comparison, standings: Standings, instances: Sequence[str] | None = None
) -> tuple[Line, ...]:
    """The mean anytime score (y) after x seconds: from each x to the next; 0 before the first."""
    names = optimised(comparison, standings, instances)

    def gains(run: Result) -> Iterator[tuple[float, float]]:
        before = 0.0
        for at, score in _scores(standings, run):
            yield at, score - before
            before = score

    sums = (_summed(comparison, solver, names, gains) for solver in comparison.solvers)
    return tuple(Line(line.solver, line.x, line.y / max(len(names), 1)) for line in sums)


def gaps(
    comparison: Comparison, standings: Standings, instances: Sequence[str] | None = None
) -> tuple[Line, ...]:
    """(1 + cost) / (1 + best) as y, the least first; x is the rank.  None where there is no cost.

    It is the inverse of the anytime score: defined for a best cost of 0, and the same in all units of weight.
    """
    names = optimised(comparison, standings, instances)
    return tuple(
        _ranked(solver, _ratios(standings, names, values(comparison, standings, solver, "cost", names)))
        for solver in comparison.solvers
    )


def shares(
    comparison: Comparison, standings: Standings, instances: Sequence[str] | None = None
) -> tuple[Line, ...]:
    """The share of instances (y) with an anytime score of at least x, at the end; from 0 to 1."""
    names = optimised(comparison, standings, instances)
    return tuple(
        _at_least(solver, [_mean(map(standings.score, comparison.of(name, solver))) for name in names])
        for solver in comparison.solvers
    )


def scatter(
    comparison: Comparison,
    standings: Standings,
    first: str,
    second: str,
    measure: Measure = "cost",
    instances: Sequence[str] | None = None,
) -> Scatter:
    """One solver against another; costs where something is optimised."""
    names = _chosen(comparison, instances)
    if measure == "cost":
        names = optimised(comparison, standings, names)
    both = [name for name in names if comparison.of(name, first) and comparison.of(name, second)]
    x, y = (values(comparison, standings, solver, measure, both) for solver in (first, second))
    known = np.concatenate([x, y])
    known = known[np.isfinite(known)]
    added = int(measure == "cost" and not known.all())
    until = limit(comparison, both) if measure == "seconds" else 0.0
    return Scatter(first, second, measure, tuple(both), x, y, added, _border(known + added, until))


def values(
    comparison: Comparison,
    standings: Standings,
    solver: str,
    measure: Measure,
    instances: Sequence[str] | None = None,
) -> Floats:
    """A solver's cost on each instance, or the seconds in which it solved it: inf where there are none."""

    def value(run: Result) -> float:
        if measure == "cost":
            return inf if run.cost is None else run.cost
        return max(run.wall_s, LEAST_S) if standings.solves(run) else inf

    each = (comparison.of(name, solver) for name in _chosen(comparison, instances))
    return np.array([_median(map(value, runs)) for runs in each], dtype=float)


def _border(values: Floats, until: float) -> float:
    """A tenth of a logarithmic axis beyond the largest of some values, and beyond the limit."""
    if not len(values):
        return 1.0
    least, most = float(values.min()), max(float(values.max()), until)
    return float(most * max((most / least) ** 0.1, 1.2))


def families(comparison: Comparison) -> dict[str, tuple[str, ...]]:
    """The instances of each family."""
    found: dict[str, list[str]] = {}
    for instance in comparison.instances:
        found.setdefault(instance.family, []).append(instance.name)
    return {family: tuple(names) for family, names in sorted(found.items())}


def optimised(
    comparison: Comparison, standings: Standings, instances: Sequence[str] | None = None
) -> Sequence[str]:
    """Those of the instances that have an objective."""
    return [name for name in _chosen(comparison, instances) if not standings.facts[name].decision]


def limit(comparison: Comparison, instances: Sequence[str] | None = None) -> float:
    """The seconds after which no run of these went on: the end of an axis."""
    names = _chosen(comparison, instances)
    return counting.longest(
        run for name in names for solver in comparison.solvers for run in comparison.of(name, solver)
    )


def _chosen(comparison: Comparison, instances: Sequence[str] | None) -> Sequence[str]:
    return [each.name for each in comparison.instances] if instances is None else instances


def _summed(
    comparison: Comparison,
    solver: str,
    names: Sequence[str],
    events: Callable[[Result], Iterable[tuple[float, float]]],
) -> Line:
    """What a solver has gained at each time at which it gained something: over instances, mean over seeds."""
    each = [comparison.of(name, solver) for name in names]
    gains = sorted(
        (max(at, LEAST_S), gain / len(runs))
        for runs in each
        for run in runs
        for at, gain in events(run)
        if gain
    )
    x = np.array([at for at, _ in gains], dtype=float)
    y = np.cumsum([gain for _, gain in gains], dtype=float)
    last = np.append(x[1:] != x[:-1], True)[: len(x)]
    return Line(solver, x[last], y[last])


def _scores(standings: Standings, run: Result) -> Iterator[tuple[float, float]]:
    """When the anytime score was which."""
    until = counting.until(run)
    yield from ((at, standings.of_cost(run.instance, cost)) for at, cost in run.trace if at < until)
    yield until, standings.score(run)


def _ratios(standings: Standings, names: Sequence[str], costs: Floats) -> list[float]:
    each = ((cost, standings.best[name]) for cost, name in zip(costs.tolist(), names, strict=True))
    return [(1 + cost) / (1 + best) for cost, best in each if cost < inf and best is not None]


def _ranked(solver: str, values: Sequence[float]) -> Line:
    return Line(solver, np.arange(1.0, len(values) + 1), np.sort(np.array(values, dtype=float)))


def _at_least(solver: str, scores: Sequence[float]) -> Line:
    ordered = np.sort(np.array(scores, dtype=float))
    x = np.unique(np.concatenate([[0.0, 1.0], ordered]))
    return Line(solver, x, (len(ordered) - np.searchsorted(ordered, x)) / max(len(ordered), 1))


def _mean(values: Iterable[float]) -> float:
    each = list(values)
    return sum(each) / max(len(each), 1)


def _median(values: Iterable[float]) -> float:
    """Of an even number, between the two in the middle; inf without any."""
    each = list(values)
    if len(each) == 1:  # by far the most
        return float(each[0])
    return float(median(each)) if each else inf
