"""An account of the runs themselves: what was compared, how runs ended, what they used, what was not so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wcnfgen.campaign.instances import KINDS, Instance
from wcnfgen.campaign.results import REFUSED, Result
from wcnfgen.files import real
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.standings import OUT_OF_TIME, Standings, all_runs, limit, runs_of
from wcnfgen.report.summary import Cell, Column, Table
from wcnfgen.words import count

FAMILIES = 8  # that are named, the largest first


def title(comparison: Comparison) -> str:
    """Names the campaigns."""
    return ", ".join(dict.fromkeys(real(each).name for each in comparison.folders))


def facts(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What was compared with what, and under which limits."""
    runs = list(all_runs(comparison))
    yield "instances", _many(_kinds(comparison))
    families = Counter(each.family for each in comparison.instances)
    yield "families", _many(families.most_common(FAMILIES)) + _more(len(families) - FAMILIES)
    yield "solvers", ", ".join(f"{each} ({version})" for each, version in _versions(comparison))
    yield "runs", str(len(runs))
    yield "limits", "; ".join(dict.fromkeys(f"{limits(run)}, {_cores(run)}" for run in runs))
    seeds = sorted({run.seed for run in runs if run.seed is not None})
    if seeds:
        yield "seeds", ", ".join(map(str, seeds))


def _kinds(comparison: Comparison) -> list[tuple[str, int]]:
    kinds = Counter(each.kind for each in comparison.instances)
    return [("in all", len(comparison.instances)), *((each, kinds[each]) for each in KINDS if kinds[each])]


def _many(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts)


def _more(number: int) -> str:
    return f", and {number} more" if number > 0 else ""


def _versions(comparison: Comparison) -> Iterator[tuple[str, str]]:
    for solver in comparison.solvers:
        found = dict.fromkeys(run.version for run in _of(comparison, solver) if run.version)
        yield solver, " and ".join(found) or "version unknown"


def _of(comparison: Comparison, solver: str) -> Iterator[Result]:
    for instance in comparison.instances:
        yield from comparison.of(instance.name, solver)


def limits(run: Result) -> str:
    """What it was allowed."""
    each = ((run.wall_limit_s, "s wall"), (run.cpu_limit_s, "s CPU"), (run.memory_limit_mib, "MiB"))
    return ", ".join(f"{value:g} {unit}" for value, unit in each if value is not None) or "no limits"


def _cores(run: Result) -> str:
    return count(run.cores, "core")


# ---------------------------------------------------------------------------- warnings


def warnings(comparison: Comparison, standings: Standings) -> Iterator[str]:
    """What a reader has to know before believing the tables."""
    for solver in comparison.solvers:
        if solver in standings.distrusted:
            yield f"{solver}: what it claims is contradicted: nothing that it says it has proved counts"
    missing = {each: _missing(comparison, each) for each in comparison.solvers}
    yield from _counted("instances that were not run count as unsolved", missing)
    partly = {each: _partly(comparison, each) for each in comparison.solvers}
    yield from _counted("instances that were run with some seeds only count as these say", partly)
    kinds: tuple[tuple[str, Callable[[Result], bool]], ...] = (
        ("runs that printed at the end only: scores before it are too low", _printed_at_the_end),
        ("runs that printed a model in the grace only: it counts at the limit, not before", _late),
        ("runs that had more threads than cores", _crowded),
        ("runs that took more CPU time than their cores have: their times are too good", _overused),
    )
    for text, is_so in kinds:
        yield from _counted(
            text, {each: sum(map(is_so, _of(comparison, each))) for each in comparison.solvers}
        )
    if len({limit(run) for run in all_runs(comparison) if run.ended != REFUSED}) > 1:
        yield "runs have different limits: each counts at its own"


def _counted(text: str, numbers: Mapping[str, int]) -> Iterator[str]:
    """One line for all solvers."""
    found = ", ".join(f"{solver} {number}" for solver, number in numbers.items() if number)
    if found:
        yield f"{text}: {found}"


def _missing(comparison: Comparison, solver: str) -> int:
    return sum(not comparison.of(each.name, solver) for each in comparison.instances)


def _partly(comparison: Comparison, solver: str) -> int:
    seeds = {run.seed for run in _of(comparison, solver)}
    return sum(0 < len(comparison.of(each.name, solver)) < len(seeds) for each in comparison.instances)


def _printed_at_the_end(run: Result) -> bool:
    return bool(run.trace) and not run.live


def _late(run: Result) -> bool:
    return run.late


def _crowded(run: Result) -> bool:
    return run.threads is not None and run.threads > run.cores


def _overused(run: Result) -> bool:
    return any(kind == "cores" for kind, _ in run.findings)


# ---------------------------------------------------------------------------- tables


def runs(comparison: Comparison, standings: Standings) -> Table:
    """How the runs of each solver ended, and what they used."""
    columns = (
        Column("solver"),
        Column("runs"),
        Column("ended", about="by themselves"),
        Column("out of time"),
        Column("out of memory"),
        Column("crashed"),
        Column("refused", about="the solver does not take the instance"),
        Column("findings", about="claims that are not so, and other faults"),
        Column("late", about="models that came after the limit, in the grace"),
        Column("peak", "MiB", 0, about="the most memory of any run"),
        Column("threads", about="the most of any run"),
        Column("CPU per wall", digits=2, about="seconds of CPU time for each second"),
    )
    rows = tuple(_account(comparison, standings, each) for each in comparison.solvers)
    return Table("runs", "Runs", columns, rows)


def _account(comparison: Comparison, standings: Standings, solver: str) -> tuple[Cell, ...]:
    found = list(_of(comparison, solver))
    how = Counter(_how(run.ended) for run in found)
    wall = sum(run.wall_s for run in found)
    threads = [run.threads for run in found if run.threads is not None]
    return (
        solver,
        len(found),
        *(how[each] for each in ("ended", "time", "memory", "crashed", "refused")),
        sum(lie.solver == solver for lie in standings.lies),
        sum(run.late for run in found),
        max((run.peak_mib for run in found), default=None),
        max(threads, default=None),
        sum(run.cpu_s for run in found) / wall if wall else None,
    )


def _how(ended: str) -> str:
    if ended in OUT_OF_TIME:
        return "time"
    if ended in ("memory limit", REFUSED):
        return ended.removesuffix(" limit")
    return "ended" if ended.startswith("exit ") else "crashed"


def results(comparison: Comparison, standings: Standings, times: Sequence[float]) -> Table:
    """Each run with its scores, for programs."""
    names = ("instance", "family", "solver", "seed", "best known", "cost")
    columns = (
        *map(Column, names),
        *(Column(f"score at {at:g} s") for at in times),
        Column("score"),
        Column("solved"),
        Column("wall", "s"),
        Column("CPU", "s"),
    )
    rows = tuple(
        (instance.name, instance.family, run.solver, run.seed, standings.best[instance.name], run.cost)
        + tuple(_scored(instance, standings, run, at) for at in (*times, None))
        + (int(standings.solves(run)), run.wall_s, run.cpu_s)
        for instance in comparison.instances
        for run in runs_of(comparison, instance)
    )
    return Table("results", "Each run", columns, rows, 3)


def _scored(instance: Instance, standings: Standings, run: Result, at: float | None) -> float | None:
    return None if instance.format == "cnf" else standings.score(run, at)


def lies(standings: Standings) -> Table:
    """What is not as a solver says, and what went wrong besides."""
    columns = (Column("instance"), Column("solver"), Column("kind"), Column("finding"))
    rows = tuple((lie.name, lie.solver, lie.kind, lie.text) for lie in standings.lies)
    return Table("lies", "Contradictions and faults", columns, rows, 4)
