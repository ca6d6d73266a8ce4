"""Curves: each is what its definition says, for any comparison, and hangs together with the scores."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparing import LIMIT, by_solver, comparisons
from wcnfgen.campaign.results import Result
from wcnfgen.report import curves, scores, standings
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.curves import Line, Measure
from wcnfgen.report.standings import Standings

times = st.floats(0.001, LIMIT)


def at(line: Line, x: float) -> float:
    """What a curve of steps says at x; 0 before the first."""
    place = int(np.searchsorted(line.x, x, side="right"))
    return float(line.y[place - 1]) if place else 0.0


def mean(comparison: Comparison, names: list[str], solver: str, value: object) -> float:
    """Over seeds, then over instances; what was not run has 0."""
    assert callable(value)
    each = [[value(run) for run in comparison.of(name, solver)] for name in names]
    return float(np.mean([np.mean(values) if values else 0.0 for values in each])) if each else 0.0


def optimised(comparison: Comparison) -> list[str]:
    return [each.name for each in comparison.instances if each.format != "cnf"]


def everything(comparison: Comparison) -> list[str]:
    return [each.name for each in comparison.instances]


@given(comparisons(), times)
def test_cactus_counts_what_is_solved_by_then(comparison: Comparison, seconds: float) -> None:
    counted = standings.of(comparison)
    lines = curves.cactus(comparison, counted)
    assert [line.solver for line in lines] == list(comparison.solvers)
    solved = scores.of(comparison, counted).solved.sum(axis=0)
    names = everything(comparison)

    def by_then(run: Result) -> float:
        return counted.solves(run) and max(run.wall_s, curves.LEAST_S) <= seconds

    for line, end in zip(lines, solved, strict=True):
        assert np.all(np.diff(line.x) > 0) and np.all(np.diff(line.y) > 0)
        assert at(line, inf) == pytest.approx(end)
        assert at(line, seconds) == pytest.approx(len(names) * mean(comparison, names, line.solver, by_then))


@given(comparisons(), times)
def test_the_anytime_curve_is_the_score_at_each_time(comparison: Comparison, seconds: float) -> None:
    counted = standings.of(comparison)
    names = optimised(comparison)
    final = scores.of(comparison, counted).final
    for column, line in enumerate(curves.anytime(comparison, counted)):
        assert np.all(np.diff(line.x) > 0) and np.all(np.diff(line.y) > 0)
        assert at(line, inf) <= 1 + 1e-9
        assert at(line, inf) == pytest.approx(np.nanmean(final[:, column]) if names else 0)
        assert all(LIMIT >= x >= curves.LEAST_S for x in line.x)
        if seconds >= curves.LEAST_S:
            expected = mean(comparison, names, line.solver, lambda run: counted.score(run, seconds))
            assert at(line, seconds) == pytest.approx(expected)


@given(comparisons())
def test_gaps_are_sorted_and_of_each_instance_with_a_cost(comparison: Comparison) -> None:
    counted = standings.of(comparison)
    for line in curves.gaps(comparison, counted):
        costs = {
            name: np.median(
                [inf if run.cost is None else run.cost for run in comparison.of(name, line.solver)] or inf
            )
            for name in optimised(comparison)
        }
        gaps = [(1 + cost) / (1 + (counted.best[name] or 0)) for name, cost in costs.items() if cost < inf]
        assert line.y.tolist() == pytest.approx(sorted(gaps))
        assert line.x.tolist() == list(range(1, len(gaps) + 1))
        assert np.all(line.y >= 1)


@given(comparisons(), st.floats(0, 1))
def test_shares_are_those_with_at_least_such_a_score(comparison: Comparison, score: float) -> None:
    counted = standings.of(comparison)
    names = optimised(comparison)
    for line in curves.shares(comparison, counted):
        assert line.x[0] == 0 and line.x[-1] == 1 and np.all(np.diff(line.x) > 0)
        assert np.all((line.y >= 0) & (line.y <= 1)) and np.all(np.diff(line.y) <= 0)
        runs = [[counted.score(run) for run in comparison.of(name, line.solver)] for name in names]
        means = [sum(each) / len(each) if each else 0.0 for each in runs]
        share = sum(each >= score for each in means) / max(len(names), 1)
        assert line.y[np.searchsorted(line.x, score)] == pytest.approx(share)


@given(comparisons(), st.sampled_from(["cost", "seconds"]), st.data())
def test_a_scatter_has_a_point_for_each_instance_that_both_ran(
    comparison: Comparison, measure: Measure, data: st.DataObject
) -> None:
    counted = standings.of(comparison)
    first, second = (data.draw(st.sampled_from(comparison.solvers)) for _ in range(2))
    points = curves.scatter(comparison, counted, first, second, measure)
    names = optimised(comparison) if measure == "cost" else everything(comparison)
    assert list(points.instances) == [
        name for name in names if comparison.of(name, first) and comparison.of(name, second)
    ]
    assert len(points.x) == len(points.y) == len(points.instances)
    for values, drawn in zip((points.x, points.y), points.drawn, strict=True):
        assert np.all(drawn > 0) and np.all(drawn <= points.border)
        assert ((drawn == points.border) == np.isinf(values)).all()
        assert drawn[np.isfinite(values)].tolist() == (values + points.added)[np.isfinite(values)].tolist()
    if measure == "seconds" and np.isfinite([*points.x, *points.y]).any():
        assert points.border > curves.limit(comparison, points.instances)
    turned = curves.scatter(comparison, counted, second, first, measure)
    assert turned.x.tolist() == points.y.tolist() and turned.y.tolist() == points.x.tolist()
    assert (turned.border, turned.added) == (points.border, points.added)


@given(comparisons())
def test_families_are_parts_of_the_whole(comparison: Comparison) -> None:
    counted = standings.of(comparison)
    families = curves.families(comparison)
    assert sorted(name for names in families.values() for name in names) == everything(comparison)
    whole = curves.cactus(comparison, counted)
    parts = [curves.cactus(comparison, counted, names) for names in families.values()]
    for place, line in enumerate(whole):
        assert at(line, inf) == pytest.approx(sum(at(each[place], inf) for each in parts))


@given(comparisons())
def test_the_limit_is_that_of_the_scores(comparison: Comparison) -> None:
    assert curves.limit(comparison) == scores.of(comparison, standings.of(comparison)).until


def counted(comparison: Comparison) -> Standings:
    return standings.of(comparison)


def test_seeds_are_averaged_and_a_point_is_their_median() -> None:
    unsolved: dict[str, object] = {"cost": 6, "wall_s": 3.0, "status": "SATISFIABLE"}
    seeds: list[dict[str, object]] = [{"cost": 4, "wall_s": 2.0}, unsolved, {"cost": 4, "wall_s": 9.0}]
    comparison = by_solver({"a": {"i": seeds}, "b": {"i": [{"cost": 9, "status": "SATISFIABLE"}]}})
    line = curves.cactus(comparison, counted(comparison))[0]
    assert (line.x.tolist(), line.y.tolist()) == ([2, 9], pytest.approx([1 / 3, 2 / 3]))
    costs = curves.scatter(comparison, counted(comparison), "a", "b", "cost")
    assert (costs.x.tolist(), costs.y.tolist()) == ([4], [9])
    seconds = curves.scatter(comparison, counted(comparison), "a", "b", "seconds")
    assert (seconds.x.tolist(), seconds.y.tolist()) == ([9], [inf])


def test_a_model_in_the_grace_counts_at_the_limit() -> None:
    late = {"trace": ((1.0, 9),), "cost": 4, "late": True, "ended": "wall limit"}
    comparison = by_solver({"a": {"i": [late | {"wall_s": 20.3, "wall_limit_s": 20.0}]}})
    line = curves.anytime(comparison, counted(comparison))[0]
    assert (line.x.tolist(), line.y.tolist()) == ([1, 20], [0.5, 1])


def test_the_largest_limit_is_the_end() -> None:
    comparison = by_solver({"a": {"i": [{"wall_limit_s": 20.0}], "j": [{"wall_limit_s": 40.0}]}})
    assert curves.limit(comparison) == 40
    assert curves.limit(comparison, ["i"]) == 20
    assert curves.limit(by_solver({"a": {"i": [{"wall_limit_s": None, "wall_s": 7.0}]}})) == 7


def test_costs_of_0_have_a_place() -> None:
    comparison = by_solver(
        {"a": {"i": [{"cost": 0}], "j": [{"cost": 3}]}, "b": {"i": [{"cost": 2}], "j": [{"cost": None}]}}
    )
    points = curves.scatter(comparison, counted(comparison), "a", "b")
    assert points.added == 1
    assert points.x.tolist() == [0, 3] and points.y.tolist() == [2, inf]
    assert [each.tolist() for each in points.drawn] == [[1, 4], [3, points.border]]
    assert points.border > 4
    (gaps, _) = curves.gaps(comparison, counted(comparison))
    assert gaps.y.tolist() == [1, 1]


def test_no_runs_no_curves() -> None:
    comparison = Comparison((), (), ("a",), {})
    empty = counted(comparison)
    for curve in (curves.cactus, curves.anytime, curves.gaps):
        assert [len(line.x) for line in curve(comparison, empty)] == [0]
    assert curves.shares(comparison, empty)[0].y.tolist() == [0, 0]
    assert curves.scatter(comparison, empty, "a", "a").instances == ()
    assert curves.limit(comparison) == 1
