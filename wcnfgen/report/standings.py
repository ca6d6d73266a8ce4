"""Standings: what of the results counts.

Each figure of a report goes through here, so that none believes a solver more than another does:

* The **best cost known** of an instance is the least of all verified models: those of all runs, the one that
  the instance came with, and the one in the store of best models (`best`).
* A claim that is **contradicted**, by whatever is known, makes its solver distrusted: nothing that it says
  is proved counts on any instance (`wcnfgen.contradictions`).  Its models count, as they were verified.
* An instance is **solved** by a run that proved the optimum or that there is no model, said nothing else
  that is not so, and was not stopped by a limit of time: what is said in the grace was not said in time.
* The **cost at a time** is the last that the credited trace has by then.  When the run is over, or at its
  limit, it is that of its verified model, also of one that was printed in the grace.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from wcnfgen import contradictions
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.contradictions import Facts, Lie
from wcnfgen.report.comparison import Comparison

OUT_OF_TIME = ("wall limit", "cpu limit")


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """What counts of a comparison.

    facts       by instance's name: the best cost known, whether there is a model
    lies        all claims that are not so, by instance and solver
    distrusted  solvers that were caught in a contradiction
    solved      keys of the runs that settled their instance in time
    """

    facts: Mapping[str, Facts]
    lies: tuple[Lie, ...]
    distrusted: frozenset[str]
    solved: frozenset[str]
    best: Mapping[str, int | None] = field(init=False)

    def __post_init__(self) -> None:
        """The best cost known of each instance; None: none is known, or nothing is optimised."""
        object.__setattr__(self, "best", {name: each.least for name, each in self.facts.items()})

    def solves(self, run: Result) -> bool:
        """Whether the run settled its instance: it took run.wall_s seconds."""
        return run.key in self.solved

    def score(self, run: Result, seconds: float | None = None) -> float:
        """The anytime score at a time, None: at the end."""
        return self.of_cost(run.instance, run.cost if seconds is None else cost_at(run, seconds))

    def of_cost(self, instance: str, cost: int | None) -> float:
        """The anytime score (1+best)/(1+cost) of a cost; 0 without a model."""
        best = self.best[instance]
        return 0.0 if best is None or cost is None else (1 + best) / (1 + cost)


def of(comparison: Comparison, best: Mapping[str, int] | None = None) -> Standings:
    """What counts; best: costs of verified models that are known besides, by formula_sha256."""
    known = best or {}
    facts = {
        each.name: facts_of(comparison, each, known.get(each.formula_sha256)) for each in comparison.instances
    }
    said = [(run, list(contradictions.wrong(run, facts[run.instance]))) for run in all_runs(comparison)]
    lies = [Lie(run.instance, run.solver, kind, text) for run, wrong in said for kind, text in wrong]
    distrusted = contradictions.distrusted(lies)
    solved = frozenset(
        run.key
        for run, wrong in said
        if run.solver not in distrusted
        and contradictions.BLAMELESS.issuperset(kind for kind, _ in wrong)
        and in_time(run)
        and contradictions.solves(run, facts[run.instance])
    )
    return Standings(facts, tuple(dict.fromkeys(lies)), distrusted, solved)


def all_runs(comparison: Comparison) -> Iterator[Result]:
    """By instance and solver."""
    for each in comparison.instances:
        yield from runs_of(comparison, each)


def runs_of(comparison: Comparison, instance: Instance) -> list[Result]:
    """All runs on an instance."""
    return [run for solver in comparison.solvers for run in comparison.of(instance.name, solver)]


def facts_of(comparison: Comparison, instance: Instance, known: int | None = None) -> Facts:
    """What is known of an instance; known: the cost of a model besides."""
    return contradictions.facts(
        runs_of(comparison, instance),
        decision=instance.format == "cnf",
        known=[instance.known_cost, known],
        bound=instance.least_cost,
    )


def in_time(run: Result) -> bool:
    """Whether the run ended before a limit of time stopped it."""
    return run.ended not in OUT_OF_TIME and not run.late


def limit(run: Result) -> float | None:
    """The seconds that it had, on the wall's clock where that was limited; None: as many as it wanted."""
    return run.cpu_limit_s if run.wall_limit_s is None else run.wall_limit_s


def longest(runs: Iterable[Result]) -> float:
    """The seconds after which none of them went on, by its limit on the wall's clock or as it was over."""
    ends = (
        max(run.wall_s, run.cpu_limit_s or 0.0) if run.wall_limit_s is None else run.wall_limit_s
        for run in runs
    )
    return max(ends, default=1.0)


def until(run: Result) -> float:
    """The seconds after which its verified model counts, also one from the grace: its end, or its limit."""
    return run.wall_s if run.wall_limit_s is None else min(run.wall_s, run.wall_limit_s)


def cost_at(run: Result, seconds: float) -> int | None:
    """The cost that counts if the run had been stopped then; None: there was no model yet."""
    if seconds >= until(run):
        return run.cost
    place = bisect_right(run.trace, seconds, key=lambda each: each[0])
    return run.trace[place - 1][1] if place else None
