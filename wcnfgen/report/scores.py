"""The figures of the Evaluation and of the papers, as arrays of instances by solvers.

    anytime   (1+best)/(1+cost) at a time, 0 without a model: MaxSAT Evaluation 2020 and later; nan for CNF
    solved    1 for an instance that was settled in time (`standings`), 0 for any other
    par       seconds that it took, of which an unsolved instance has taken twice the limit (PAR-2)
    bounds    1 where the solver's cost is the least of all solvers compared: "#best UB", Table 5 of Alòs,
              Ansótegui, Torres 2023; nan for CNF

A run that is not there is one that found nothing, so that all solvers are measured on the same instances.  Of
several seeds each entry is the mean: what one run may expect.  The virtual best solver (VBS) is on each
instance as good as the best of all; what a solver contributes to it is what it loses without that solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.standings import Standings, all_runs, limit, longest

Floats = NDArray[np.float64]
Good = Literal["high", "low"]
PENALTY = 2  # limits that an unsolved instance takes
USUAL = (1.0, 10.0, 60.0, 300.0, 3600.0)
PER_RUN = ("final", "solved", "bounds", "wall", "cpu", "seconds", "cpu_seconds")


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What each solver got on each instance.

    instances, solvers   rows and columns of the arrays
    times     seconds at which anytime scores are taken, rising; until: no run went on after so many
    anytime   (times, instances, solvers); final (instances, solvers) at the end of the runs
    solved, bounds   from 0 to 1
    wall, cpu        seconds, with the penalty
    seconds, cpu_seconds   what solved runs took on the wall's clock and of CPU time; nan where there are none
    """

    instances: tuple[Instance, ...]
    solvers: tuple[str, ...]
    times: tuple[float, ...]
    until: float
    anytime: Floats
    final: Floats
    solved: Floats
    bounds: Floats
    wall: Floats
    cpu: Floats
    seconds: Floats
    cpu_seconds: Floats

    def some(self, keep: Iterable[bool]) -> Scores:
        """The same of some instances."""
        rows = np.array(list(keep), dtype=bool)
        kept: dict[str, Any] = {name: getattr(self, name)[rows] for name in PER_RUN}
        names = tuple(each for each, there in zip(self.instances, rows, strict=True) if there)
        return replace(self, instances=names, anytime=self.anytime[:, rows], **kept)

    @property
    def optimised(self) -> int:
        """How many instances have an objective."""
        return sum(each.format != "cnf" for each in self.instances)


def of(comparison: Comparison, standings: Standings, times: Sequence[float] = ()) -> Scores:
    """Score all runs at these seconds; by default at usual ones below the largest limit, and at that."""
    last = _largest_limit(comparison)
    chosen = tuple(sorted(set(times))) or (*(each for each in USUAL if each < last), last)
    least = {each.name: _least(comparison, each.name) for each in comparison.instances}

    def entries(value: Callable[[Result], float], absent: float = 0.0) -> Floats:
        return _entries(comparison, value, absent)

    def scored(value: Callable[[Result], float]) -> Floats:
        found = entries(value)
        found[[each.format == "cnf" for each in comparison.instances]] = np.nan
        return found

    def took(run: Result, seconds: float) -> float:
        return seconds if standings.solves(run) else np.nan

    anytime = [scored(lambda run, at=at: standings.score(run, at)) for at in chosen]  # type: ignore[misc]
    return Scores(
        instances=comparison.instances,
        solvers=comparison.solvers,
        times=chosen,
        until=longest(all_runs(comparison)),
        anytime=np.array(anytime),
        final=scored(standings.score),
        solved=entries(lambda run: float(standings.solves(run))),
        bounds=scored(lambda run: float(run.cost is not None and run.cost == least[run.instance])),
        wall=entries(lambda run: _wall(run, standings, last), PENALTY * last),
        cpu=entries(lambda run: _cpu(run, standings, last), PENALTY * _most_cpu(comparison, last)),
        seconds=entries(lambda run: took(run, run.wall_s), np.nan),
        cpu_seconds=entries(lambda run: took(run, run.cpu_s), np.nan),
    )


def _largest_limit(comparison: Comparison) -> float:
    """Of all runs, in seconds; a run without one had as many as it took."""
    return max((limit(run) or run.wall_s for run in all_runs(comparison)), default=1.0)


def _most_cpu(comparison: Comparison, last: float) -> float:
    """The most CPU time that any run had."""
    return max((_cpu_limit(run, last) for run in all_runs(comparison)), default=last)


def _entries(comparison: Comparison, value: Callable[[Result], float], absent: float) -> Floats:
    """The mean over seeds of a value of each run; nan does not take part, where there is another.

    It is rounded once, so that the same values in another order make a tie.
    """
    found = np.full((len(comparison.instances), len(comparison.solvers)), absent)
    for row, instance in enumerate(comparison.instances):
        for column, solver in enumerate(comparison.solvers):
            values = [each for run in comparison.of(instance.name, solver) if (each := value(run)) == each]
            if values:
                found[row, column] = fsum(values) / len(values)
    return found


def _least(comparison: Comparison, name: str) -> int | None:
    costs = (run.cost for solver in comparison.solvers for run in comparison.of(name, solver))
    return min((cost for cost in costs if cost is not None), default=None)


def _wall(run: Result, standings: Standings, last: float) -> float:
    return run.wall_s if standings.solves(run) else PENALTY * (limit(run) or last)


def _cpu(run: Result, standings: Standings, last: float) -> float:
    return run.cpu_s if standings.solves(run) else PENALTY * _cpu_limit(run, last)


def _cpu_limit(run: Result, last: float) -> float:
    """Seconds of CPU time that it had; where that was not limited, those of its cores."""
    return run.cpu_limit_s or (run.wall_limit_s or last) * run.cores


# ---------------------------------------------------------------------------- of all solvers together


def virtual(values: Floats, good: Good) -> Floats:
    """The virtual best solver's value on each instance, (instances,)."""
    best: Floats = np.max(values, axis=1) if good == "high" else np.min(values, axis=1)
    return best


def contributions(values: Floats, good: Good) -> Floats:
    """How much worse the virtual best solver's mean would be without each solver, of two or more, (solvers,).

    0 or more; of one solver alone it says nothing: nan.
    """
    number = values.shape[1]
    if number < 2:
        return np.full(number, np.nan)
    whole = virtual(values, good)
    others = (np.delete(values, each, axis=1) for each in range(number))
    return np.array([mean(np.abs(whole - virtual(each, good))) for each in others])


def unique(solved: Floats) -> Floats:
    """How many instances each solver alone has solved, (solvers,)."""
    alone = (solved > 0).sum(axis=1) == 1
    return np.array(((solved > 0) & alone[:, None]).sum(axis=0), dtype=float)


def fastest(seconds: Floats) -> Floats:
    """How many instances each solver has solved in the least time, (solvers,); of equal ones all."""
    known = np.where(np.isnan(seconds), np.inf, seconds)
    least = known.min(axis=1, keepdims=True, initial=np.inf)
    return np.array(((known == least) & np.isfinite(known)).sum(axis=0), dtype=float)


def mean(values: Floats) -> float:
    """Without the entries that do not apply; 0 if none does."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else 0.0
