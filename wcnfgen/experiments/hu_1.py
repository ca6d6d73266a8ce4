"""Hu et al. 2020, section 4.2, Table 1: trees by MaxSAT beside CART and DL8.5, within the same depth.

Stratified folds, each method on the same ones: CART and DL8.5 as their packages have them, DT(max) and
DT(exact) by a solver within a limit.  What a solver has found at its limit counts, and if that is nothing the
greedy tree that comes with the formula does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wcnfgen.experiments import Experiment, _hu
from wcnfgen.experiments._hu import CP4IM, TABLES_MISSING, Rows, percent
from wcnfgen.experiments._hu_means import DEEP, METHODS, Result, Row, claims, memory, rows
from wcnfgen.experiments.findings import Findings
from wcnfgen.experiments.work import DataSet, Step, Work
from wcnfgen.report.summary import Cell, Column, Table

EXPERIMENT = Experiment(
    "Trees within a depth: CART, DL8.5, DT(max), DT(exact)",
    "Hu et al. 2020, section 4.2, Table 1",
    ("sklearn", "pydl85"),
)
OURS = ("DT(max)", "DT(exact)")
SMALL = ("anneal", "heart-cleveland", "hepatitis", "lymph", "vote")


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a scale: the solver, its wall time in seconds and its memory in MiB."""

    solver: str
    wall: str
    memory: str


# ---------------------------------------------------------------------------- what is run


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """Folds; all methods on each, and DL8.5 once at a depth that is too much for its memory."""
    plans = [_plan(work, data) for data in _sets(work)]
    yield [step for steps, _ in plans for step in steps]
    trees = [
        _step(work, rows, method, depth)
        for _, drawn in plans
        for rows, _ in drawn
        for depth in _depths(work, rows.data.name)
        for method in METHODS
    ]
    yield trees + [step for _, step in _deep(work)]


def _sets(work: Work) -> list[DataSet]:
    return work.sets(work.pick(["weather"], SMALL, CP4IM))


def _depths(work: Work, name: str) -> tuple[int, ...]:
    small = (2, 3, 4) if name == "lymph" else (2, 3)
    depths: tuple[int, ...] = work.pick((2,), small, (2, 3, 4))
    return depths


def _limits(work: Work) -> Limits:
    found: Limits = work.pick(
        Limits("lms", "20", "2000"), Limits("cpsat", "10", "4000"), Limits("loandra", "900", "16384")
    )
    return found


def _plan(work: Work, data: DataSet) -> tuple[list[Step], list[tuple[Rows, tuple[int, int]]]]:
    """The splits of a data set, and its folds, each with seed and number; tiny takes the first fold only."""
    steps, drawn = [], []
    for seed in range(1, work.pick(1, 1, 10) + 1):
        step, rows = _hu.folds(data, 5, seed)
        steps.append(step)
        drawn += [(each, (seed, at)) for at, each in enumerate(rows[: work.pick(1, 5, 5)], 1)]
    return steps, drawn


def _step(work: Work, rows: Rows, method: str, depth: int) -> Step:
    limits = _limits(work)
    bounds = ("--depth", str(depth), "--wall", limits.wall, "--memory", limits.memory)
    name = f"depth-{depth}-{method.lower().replace('(', '-').rstrip(')')}"
    if method not in OURS:
        return rows.step(name, "peer", "--method", method.lower(), *bounds)
    exact = ("--exact",) if method == "DT(exact)" else ()
    return rows.step(name, "learn", "--encoding", "depth", *exact, "--solver", limits.solver, *bounds)


def _deep(work: Work) -> Iterator[tuple[str, Step]]:
    """DL8.5 within depth 5 on the first fold of each data set."""
    limits = work.pick(None, ("--wall", "60", "--memory", "4000"), ("--wall", "900", "--memory", "51200"))
    for data in _sets(work) if limits else ():
        rows, _ = _plan(work, data)[1][0]
        yield (
            data.name,
            rows.step("depth-5-dl8.5", "peer", "--method", "dl8.5", "--depth", str(DEEP), *limits),
        )


# ---------------------------------------------------------------------------- what came of it


def findings(work: Work) -> Findings:
    """Our Table 1, and the claims."""
    results = list(_results(work))
    found = rows(results)
    tables = (_table(found), _sizes(work))
    deep = {name: said for name, step in _deep(work) if (said := work.json(step.output))}
    return Findings(tables, (*claims(results, found), memory(deep)), tuple(_remarks(work)))


def _results(work: Work) -> Iterator[Result]:
    for data in _sets(work):
        for drawn, fold in _plan(work, data)[1]:
            for depth in _depths(work, data.name):
                for method in METHODS:
                    step = _step(work, drawn, method, depth)
                    said = work.json(step.output)
                    if said and said["training"]:
                        seconds = said.get("seconds", work.seconds(step.output))
                        yield _result(said, (data.name, depth, method, fold), seconds)


def _result(said: dict[str, Any], place: tuple[str, int, str, tuple[int, int]], seconds: float) -> Result:
    training = said["training"]
    accuracies = (training["right"], percent(training), percent(said["test"]))
    by_solver, peak_mib = said.get("by_solver", True), said.get("peak_mib")
    return Result(*place, *accuracies, bool(said["optimal"]), by_solver, seconds, peak_mib)


def _table(found: Sequence[Row]) -> Table:
    columns = (
        Column("data"),
        Column("depth"),
        Column("method"),
        Column("trees"),
        Column("ours: training", "%", 2, "high"),
        Column("ours: test", "%", 2, "high"),
        Column("ours: proved", "%", 1, about="trees that are proved to be optimal"),
        Column("ours: time", "s", 2, about="mean wall time of those proved; for DT the whole command"),
        Column("greedy", about="trees that are greedy, since the solver had none at its limit"),
        Column("memory", "MiB", 0, "", "largest of a process, where it is known"),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            each.name,
            str(each.depth),
            each.method,
            each.trees,
            each.training,
            each.test,
            each.optimal,
            each.seconds,
            each.greedy if each.method in OURS else None,
            each.peak_mib,
        )
        for each in found
    ]
    return Table("accuracy", "Means over the folds", columns, tuple(cells), labels=3, groups=2)


def _sizes(work: Work) -> Table:
    columns = (Column("data"), Column("#s", about="rows"), Column("features"))
    cells = tuple((data.name, *_hu.shape(work, data)) for data in _sets(work))
    return Table("sets", "The data sets", columns, cells)


def _remarks(work: Work) -> Iterator[str]:
    limits = _limits(work)
    yield TABLES_MISSING
    yield (
        f"Solver: {limits.solver}, {limits.wall} s and {limits.memory} MiB a tree; the paper has Loandra, "
        "15 minutes of which 10 for the core-guided phase, and 16 GB. DL8.5 has the same limits, save for "
        "depth 5. Seeds of the folds are scikit-learn's, from 1 on."
    )
    yield (
        "DL8.5 is pydl8.5 of today, the paper's was 0.0.9, and runs without its special case of depth two, "
        "which misses optima; CART and DL8.5 are otherwise as they come."
    )
