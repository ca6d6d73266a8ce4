"""The figures of a report for its script: each field is a column, as that packs and reads best.

A column of texts that repeat is a list of the texts and a place in it for each row.  Whole numbers are whole,
others have six digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from math import isfinite
from typing import Any, Literal

import numpy as np

from wcnfgen import contradictions
from wcnfgen.campaign.results import Result
from wcnfgen.drawing import COLOURS
from wcnfgen.report import accounts, curves
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.curves import Line
from wcnfgen.report.page import drawn, kept
from wcnfgen.report.standings import Standings, all_runs
from wcnfgen.words import printable

Json = Any
MORE = ("#7a4fb5", "#7f7f7f")  # colours, as there is room for them
POINTS = 600  # of a line
LARGEST = 2**64  # cost, which is whole
KEY = 16  # digits of a key that are shown: enough to find the run's folder
CURVES: Mapping[str, Callable[..., tuple[Line, ...]]] = {
    "anytime": curves.anytime,
    "cactus": curves.cactus,
    "gaps": curves.gaps,
    "shares": curves.shares,
}
OF_RUNS = (
    "seed ended status wall_s cpu_s peak_mib threads cores claimed bound cost model_s late live size depth"
)
OF_RUNS += " right rows version"
OF_INSTANCES = "name family format weighted encoding data variables hard soft weight_sum least_cost"


def collect(comparison: Comparison, standings: Standings, *, trees: int) -> Json:
    """All that the script needs, as JSON types."""
    return {
        "solvers": list(map(printable, comparison.solvers)),
        "colours": [*COLOURS, *MORE],
        "instances": _instances(comparison, standings),
        "runs": _runs(comparison, standings),
        "cells": _cells(comparison, standings),
        "curves": _families(comparison, standings),
        "limit": curves.limit(comparison),
        "trees": drawn.best(comparison, most=trees),
    }


def column(values: Iterable[Any]) -> Json:
    """A list, or texts and places in them.

    >>> column(["no", "no", "yes", "no"]), column([1, 2.50000001, None])
    ({'texts': ['no', 'yes'], 'at': [0, 0, 1, 0]}, [1, 2.5, None])
    """
    listed = [printable(each) if isinstance(each, str) else each for each in values]
    if not listed or not all(isinstance(each, str) for each in listed):
        return [number(each) for each in listed]
    places = {text: place for place, text in enumerate(dict.fromkeys(listed))}
    if 2 * len(places) > len(listed):
        return listed
    return {"texts": list(places), "at": [places[text] for text in listed]}


def number(value: Any) -> Any:
    """A whole float as an int, six digits of another, None for what is no number; other values stay."""
    if not isinstance(value, float):
        return value
    if not isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) <= LARGEST else float(f"{value:.6g}")


def _instances(comparison: Comparison, standings: Standings) -> Json:
    listed = comparison.instances
    return {
        **{name: column(getattr(each, name) for each in listed) for name in OF_INSTANCES.split()},
        "parameters": column(_words(each.parameters) for each in listed),
        "sha256": [each.sha256[:KEY] for each in listed],
        "best": [standings.best[each.name] for each in listed],
    }


def _words(parameters: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in (parameters or {}).items())


def _runs(comparison: Comparison, standings: Standings) -> Json:
    place = {each.name: at for at, each in enumerate(comparison.instances)}
    solver = {name: at for at, name in enumerate(comparison.solvers)}
    runs = list(all_runs(comparison))
    records = [kept.of(comparison.folders, run.key) for run in runs]
    return {
        "instance": [place[run.instance] for run in runs],
        "solver": [solver[run.solver] for run in runs],
        **{name: column(getattr(run, name) for run in runs) for name in OF_RUNS.split()},
        "key": [run.key[:KEY] for run in runs],
        "score": column(standings.score(run) for run in runs),
        "solved": [int(standings.solves(run)) for run in runs],
        "limits": column(accounts.limits(run) for run in runs),
        "trace": [" ".join(f"{number(at)}:{cost}" for at, cost in run.trace) for run in runs],
        "findings": [_findings(run, standings) for run in runs],
        "notes": [list(map(printable, run.notes)) for run in runs],
        **{each.name: column(getattr(record, each.name) for record in records) for each in fields(kept.Kept)},
    }


def _findings(run: Result, standings: Standings) -> list[str]:
    return [printable(text) for _, text in contradictions.wrong(run, standings.facts[run.instance])]


def _cells(comparison: Comparison, standings: Standings) -> Json:
    """For each solver, the value of each instance."""
    return {
        "score": [_scores(comparison, standings, solver) for solver in comparison.solvers],
        "cost": [_values(comparison, standings, solver, "cost") for solver in comparison.solvers],
        "seconds": [_values(comparison, standings, solver, "seconds") for solver in comparison.solvers],
    }


def _scores(comparison: Comparison, standings: Standings, solver: str) -> list[Json]:
    each = (comparison.of(one.name, solver) for one in comparison.instances)
    return [number(sum(map(standings.score, runs)) / len(runs)) if runs else None for runs in each]


def _values(
    comparison: Comparison, standings: Standings, solver: str, measure: Literal["cost", "seconds"]
) -> list[Json]:
    return [number(value) for value in curves.values(comparison, standings, solver, measure).tolist()]


def _families(comparison: Comparison, standings: Standings) -> Json:
    """The curves of all instances, and of each family if there are several."""
    families = curves.families(comparison)
    chosen: dict[str, Sequence[str] | None] = {"": None, **(families if len(families) > 1 else {})}
    return [
        {"family": printable(family), "number": len(comparison.instances if names is None else names)}
        | {kind: _lines(curve(comparison, standings, names)) for kind, curve in CURVES.items()}
        for family, names in chosen.items()
    ]


def _lines(lines: Sequence[Line]) -> Json:
    return [[[number(float(v)) for v in axis[thinned(line)]] for axis in (line.x, line.y)] for line in lines]


def thinned(line: Line, most: int = POINTS) -> Any:
    """The places of so many points at most: evenly along the line and along the logarithm of x."""
    if len(line.x) <= most:
        return np.arange(len(line.x))
    evenly = np.linspace(0, len(line.x) - 1, most // 2).astype(int)
    x = np.maximum(line.x, 1e-3)
    by_x = np.searchsorted(x, np.geomspace(x[0], x[-1], most // 2)).clip(0, len(x) - 1)
    return np.union1d(evenly, by_x)
