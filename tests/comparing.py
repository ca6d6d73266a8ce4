"""Comparisons for tests of reports, made in memory: small ones by hand, any by hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.campaigns import INSTANCE, RESULT, digest
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result, Trace
from wcnfgen.report.comparison import Comparison

LIMIT = 30.0
OPTIMUM, UNSAT = "OPTIMUM FOUND", "UNSATISFIABLE"
UGLY = "\"\\<>&;{}[]|'`$_^~#%\n\r\t\x00\u2028\u202e ./-é中aB"


def instance(name: str, **other: Any) -> Instance:
    """An instance that has a name and nothing known."""
    known: dict[str, Any] = {"known_cost": None, "least_cost": None}
    hashes = {"sha256": digest(name), "formula_sha256": digest(f"formula {name}")}
    return replace(INSTANCE, name=name, **known | hashes | other)


def run(name: str, solver: str, cost: int | None = None, **other: Any) -> Result:
    """A run that was stopped at the limit of 30 s; its cost was found after one second."""
    seed = other.get("seed")
    settings: dict[str, Any] = {
        "key": digest(f"{name} {solver} {seed}"),
        "status": "" if cost is None else "SATISFIABLE",
        "claimed": cost,
        "bound": None,
        "cost": cost,
        "model_s": None if cost is None else 1.0,
        "trace": () if cost is None else ((1.0, cost),),
        "ended": "wall limit",
        "wall_s": LIMIT,
        "cpu_s": LIMIT,
    }
    return replace(RESULT, instance=name, solver=solver, **settings | other)


def solved(name: str, solver: str, cost: int | None, seconds: float, **other: Any) -> Result:
    """A run that proved its answer within some seconds; cost None: that there is no model."""
    settings: dict[str, Any] = {
        "status": UNSAT if cost is None else OPTIMUM,
        "ended": "exit 30",
        "wall_s": seconds,
        "cpu_s": seconds,
        "trace": () if cost is None else ((seconds, cost),),
        "model_s": None if cost is None else seconds,
    }
    return run(name, solver, cost, **settings | other)


def compared(runs: Sequence[Result], instances: Sequence[Instance] = (), **folders: Any) -> Comparison:
    """These runs as a comparison, of these instances or of some that have nothing but a name."""
    found: dict[tuple[str, str], list[Result]] = {}
    for each in runs:
        found.setdefault((each.instance, each.solver), []).append(each)
    names = dict.fromkeys(each.instance for each in runs)
    solvers = tuple(dict.fromkeys(each.solver for each in runs))
    ordered = sorted(instances or [instance(name) for name in names], key=lambda each: each.name)
    return Comparison(folders.get("folders", (Path("here"),)), tuple(ordered), solvers, found)


def by_solver(
    runs: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], **instances: Mapping[str, Any]
) -> Comparison:
    """Runs by solver and instance, each with what is not as in `RESULT`, a proof; the same for instances.

    Of a cost follows what is claimed and, where none is given, a trace; no cost is no answer.
    """
    made = [
        replace(
            RESULT, instance=name, solver=solver, key=digest(f"{name}\0{solver}\0{at}"), **_whole(changes)
        )
        for solver, of in runs.items()
        for name, each in of.items()
        for at, changes in enumerate(each)
    ]
    names = dict.fromkeys(each.instance for each in made)
    there = [instance(name, **instances.get(name, {})) for name in names]
    return replace(compared(made, there, folders=()), solvers=tuple(runs))


def _whole(changes: Mapping[str, Any]) -> dict[str, Any]:
    cost = changes.get("cost", RESULT.cost)
    trace = () if cost is None else ((1.0, cost),)
    unknown = {"status": "", "model_s": None} if cost is None else {}
    return {"claimed": cost, "bound": None, "trace": trace, **unknown, **changes}


# ---------------------------------------------------------------------------- anything that solvers may do

costs = st.integers(0, 6)
names = st.text(UGLY, min_size=1, max_size=30) | st.sampled_from(["a", "A", "_", "..", "$x_1$"])


@st.composite
def traces(draw: st.DrawFn, last: int | None, *, late: bool) -> Trace:
    """Times rising and costs falling to the last; a late model is entered at the limit."""
    above = set() if last is None else draw(st.sets(st.integers(last, 12), max_size=3)) | {last}
    times = sorted(draw(st.sets(st.floats(0, LIMIT - 0.01), min_size=len(above), max_size=len(above))))
    if late:
        times[-1] = LIMIT
    return tuple(zip(times, sorted(above, reverse=True), strict=True))


@st.composite
def results(draw: st.DrawFn, name: str, solver: str, seed: int | None) -> Result:
    """Any run: some claims are not so, but the cost is that of a model and the trace ends with it."""
    last = draw(st.none() | costs)
    late = last is not None and draw(st.sampled_from([False, False, False, True]))
    honest = draw(st.sampled_from([True, True, True, False]))
    trace = draw(traces(last, late=late))
    ended = "wall limit" if late else draw(st.sampled_from(["exit 30", "exit 0", "wall limit", "SIGSEGV"]))
    first = trace[-1][0] if trace else 0.01
    wall = LIMIT + 0.7 if late else LIMIT if ended == "wall limit" else draw(st.floats(first, LIMIT))
    return run(
        name,
        solver,
        last,
        status=draw(st.sampled_from([OPTIMUM, OPTIMUM, UNSAT, "SATISFIABLE", "UNKNOWN", ""])),
        claimed=last if honest else draw(st.none() | costs),
        bound=None if honest else draw(st.none() | costs),
        trace=trace,
        model_s=None if last is None else LIMIT + 0.5 if late else trace[-1][0],
        late=late,
        ended=ended,
        wall_s=wall,
        cpu_s=wall,
        seed=seed,
    )


@st.composite
def instances(draw: st.DrawFn, name: str, families: Sequence[str]) -> Instance:
    """An instance of which something may be known."""
    known: dict[str, Any] = {
        "known_cost": draw(st.none() | costs),
        "least_cost": draw(st.none() | st.integers(0, 2)),
        "format": draw(st.sampled_from(["wcnf", "wcnf", "wcnf-old", "cnf"])),
        "weighted": draw(st.booleans()),
        "family": draw(st.sampled_from(families)),
        "parameters": {"percent": draw(st.integers(1, 3))},
    }
    return instance(name, **known)


@st.composite
def comparisons(draw: st.DrawFn, most: int = 4) -> Comparison:
    """Solvers of any name on some instances; some were not run, some with several seeds; all of one limit."""
    solvers = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    families = draw(st.lists(names, min_size=1, max_size=2))
    each = [draw(instances(f"i{at}", families)) for at in range(draw(st.integers(1, most)))]
    seeds: dict[int, list[int | None]] = {0: [], 1: [None], 2: [1, 2], 3: [1, 2, 3]}
    runs = [
        draw(results(one.name, solver, seed))
        for one in each
        for solver in solvers
        for seed in seeds[draw(st.sampled_from([1, 1, 1, 0, 2, 3]))]
    ]
    return replace(compared(runs, each), solvers=tuple(solvers))
