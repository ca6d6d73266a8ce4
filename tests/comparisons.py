"""Comparisons for tests, in memory: from Hypothesis, and small ones written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from tests.campaigns import INSTANCE, RESULT, digest
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result, Trace
from wcnfgen.report.comparison import Comparison

LIMIT = 30.0
UGLY = "\"\\<>&;{}[]|'`$_^~#%\n\r\t\x00\u2028\u202e ./-é中aB"
names = st.text(UGLY, min_size=1, max_size=30) | st.sampled_from(["a", "A", "_", "..", "$x_1$"])


def compared(
    runs: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], **instances: Mapping[str, Any]
) -> Comparison:
    """Runs by solver and instance, each with what is not as in `RESULT`; the same for instances.

    Of a cost follows what is claimed and, where none is given, a trace; no cost is no answer.
    """
    named = dict.fromkeys(name for each in runs.values() for name in each)
    made = {
        (name, solver): [
            replace(
                RESULT,
                instance=name,
                solver=solver,
                key=digest(f"{name}\0{solver}\0{place}"),
                **_whole(changes),
            )
            for place, changes in enumerate(each)
        ]
        for solver, by in runs.items()
        for name, each in by.items()
    }
    return Comparison(
        (), tuple(_instance(name, instances.get(name, {})) for name in sorted(named)), tuple(runs), made
    )


def _whole(changes: Mapping[str, Any]) -> dict[str, Any]:
    cost = changes.get("cost", RESULT.cost)
    trace = () if cost is None else ((1.0, cost),)
    unknown = {"status": "", "model_s": None} if cost is None else {}
    return {"claimed": cost, "bound": None, "trace": trace, **unknown, **changes}


def _instance(name: str, changes: Mapping[str, Any]) -> Instance:
    return replace(INSTANCE, name=name, formula_sha256=digest(name), known_cost=None, **changes)


@st.composite
def comparisons(draw: st.DrawFn, most: int = 6) -> Comparison:
    """Solvers and instances of any name, some runs missing, some with several seeds, all of one limit."""
    solvers = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    families = draw(st.lists(names, min_size=1, max_size=3))
    instances = [
        replace(
            INSTANCE,
            name=f"i{place}",
            formula_sha256=digest(f"i{place}"),
            family=draw(st.sampled_from(families)),
            format=draw(st.sampled_from(["wcnf", "wcnf", "wcnf", "cnf"])),
            least_cost=None,
            known_cost=draw(st.none() | st.integers(0, 9)),
        )
        for place in range(draw(st.integers(1, most)))
    ]
    made = {
        (each.name, solver): [
            _run(draw, each, solver, seed) for seed in range(draw(st.sampled_from([1, 1, 1, 0, 2, 3])))
        ]
        for each in instances
        for solver in solvers
    }
    return Comparison(
        (), tuple(instances), tuple(solvers), {pair: runs for pair, runs in made.items() if runs}
    )


def _run(draw: st.DrawFn, instance: Instance, solver: str, seed: int) -> Result:
    trace = draw(traces())
    late = draw(st.booleans()) and draw(st.booleans())
    last = trace[-1][1] if trace else draw(st.none() | st.integers(0, 5))
    cost = draw(st.integers(0, last)) if late and last is not None else last if trace else None
    return replace(
        RESULT,
        instance=instance.name,
        solver=solver,
        key=digest(f"{instance.name}\0{solver}\0{seed}"),
        seed=seed,
        ended=draw(st.sampled_from(["exit 0", "exit 30", "SIGSEGV", "wall limit"])),
        status=draw(st.sampled_from(["OPTIMUM FOUND", "OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", ""])),
        wall_s=LIMIT + 0.7 if late else draw(st.floats(trace[-1][0] if trace else 0, LIMIT)),
        wall_limit_s=LIMIT,
        trace=trace,
        late=late,
        cost=cost,
        claimed=cost,
        bound=None,
        model_s=None if cost is None else LIMIT + 0.5 if late else trace[-1][0],
    )


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Times rising and costs falling, as far as to 0."""
    times = sorted(draw(st.sets(st.floats(0, LIMIT - 0.01), max_size=4)))
    costs = sorted(draw(st.sets(st.integers(0, 12), min_size=len(times), max_size=len(times))), reverse=True)
    return tuple(zip(times, costs, strict=True))
