"""Comparisons for tests of reports, made in memory: small ones by hand, any by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.campaigns import INSTANCE, RESULT, digest
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.report.comparison import Comparison

LIMIT = 30.0
OPTIMUM, UNSAT = "OPTIMUM FOUND", "UNSATISFIABLE"


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


# ---------------------------------------------------------------------------- anything that solvers may do

costs = st.integers(0, 6)
times_s = st.integers(1, 3500).map(lambda hundredths: hundredths / 100)


@st.composite
def results(draw: st.DrawFn, name: str, solver: str, seed: int | None) -> Result:
    """Any run: claims need not be so, but the cost is that of a model and the trace ends with it."""
    last = draw(st.none() | costs)
    above = set() if last is None else draw(st.sets(st.integers(last, 12), max_size=2)) | {last}
    times = sorted(draw(st.lists(times_s, min_size=len(above), max_size=len(above), unique=True)))
    late = bool(times) and times[-1] > LIMIT
    ended = "wall limit" if late else draw(st.sampled_from(["exit 30", "exit 0", "wall limit", "SIGSEGV"]))
    wall = LIMIT if ended == "wall limit" else draw(st.floats(max([0.01, *times]), LIMIT))
    return run(
        name,
        solver,
        last,
        status=draw(st.sampled_from(["", OPTIMUM, UNSAT, "SATISFIABLE", "UNKNOWN"])),
        claimed=draw(st.just(last) | st.none() | costs),
        bound=draw(st.none() | costs),
        trace=tuple(zip(times, sorted(above, reverse=True), strict=True)),
        model_s=times[-1] if times else None,
        late=late,
        ended=ended,
        wall_s=wall,
        cpu_s=wall,
        seed=seed,
    )


@st.composite
def instances(draw: st.DrawFn, name: str) -> Instance:
    """An instance of which something may be known."""
    known: dict[str, Any] = {
        "known_cost": draw(st.none() | costs),
        "least_cost": draw(st.none() | st.integers(0, 2)),
        "format": draw(st.sampled_from(["wcnf", "wcnf", "wcnf-old", "cnf"])),
        "weighted": draw(st.booleans()),
        "family": draw(st.sampled_from(["a", "b"])),
        "parameters": {"percent": draw(st.integers(1, 3))},
    }
    return instance(name, **known)


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Some solvers on some instances, with one seed or two; some pairs were not run."""
    names = [f"i{number}" for number in range(draw(st.integers(1, 3)))]
    solvers = ["a", "b", "c"][: draw(st.integers(1, 3))]
    seeds: list[int | None] = draw(st.sampled_from([[None], [1, 2]]))
    runs = [
        draw(results(name, solver, seed))
        for name in names
        for solver in solvers
        if draw(st.integers(0, 9)) > 0
        for seed in seeds
    ]
    return replace(compared(runs, [draw(instances(name)) for name in names]), solvers=tuple(solvers))
