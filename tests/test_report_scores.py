"""Scores: examples worked out by hand, tables of the Evaluation, laws over anything that solvers may do."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparing import LIMIT, OPTIMUM, UNSAT, compared, comparisons, instance, run, solved
from wcnfgen.report import scores, standings
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.scores import Scores


def scored(comparison: Comparison, *times: float) -> Scores:
    return scores.of(comparison, standings.of(comparison), times)


# ---------------------------------------------------------------------------- by hand

BY_HAND = compared(
    [
        # x: the best cost is 4.  a finds 9 after 2 s and proves 4 after 8 s; b ends with 9, found after 20 s
        solved("x", "a", 4, 8.0, trace=((2.0, 9), (8.0, 4))),
        run("x", "b", 9, trace=((20.0, 9),)),
        # y: the best cost is 1: b proves it after 10 s; a has 3 after 5 s
        run("y", "a", 3, trace=((5.0, 3),)),
        solved("y", "b", 1, 10.0),
        # z: nobody has a model but a, in the grace: it has 0
        run("z", "a", 0, trace=((31.0, 0),), model_s=31.0, late=True),
        run("z", "b"),
    ]
)


def test_anytime_scores_by_hand() -> None:
    found = scored(BY_HAND, 1, 6, 15, 30, 100)
    a = [
        0,
        ((1 + 4) / (1 + 9) + (1 + 1) / (1 + 3) + 0) / 3,
        ((1 + 4) / (1 + 4) + (1 + 1) / (1 + 3) + 0) / 3,
        (1 + 1 / 2 + 1) / 3,  # at the limit the late model counts
        (1 + 1 / 2 + 1) / 3,
    ]
    b = [0, 0, (0 + 1 + 0) / 3, (5 / 10 + 1 + 0) / 3, (5 / 10 + 1 + 0) / 3]
    assert found.anytime.mean(axis=1)[:, 0] == pytest.approx(a)
    assert found.anytime.mean(axis=1)[:, 1] == pytest.approx(b)
    assert found.final.mean(axis=0) == pytest.approx([a[-1], b[-1]])
    best = scores.virtual(found.final, "high")
    assert best == pytest.approx([1, 1, 1])
    # without a: 5/10, 1, 0; without b: 1, 1/2, 1
    assert scores.contributions(found.final, "high") == pytest.approx([1 - 1.5 / 3, 1 - 2.5 / 3])


def test_times_by_hand() -> None:
    found = scored(BY_HAND)
    assert found.times == (1, 10, 30)
    assert found.solved.sum(axis=0) == pytest.approx([1, 1])
    assert scores.unique(found.solved) == pytest.approx([1, 1])
    assert found.wall.mean(axis=0) == pytest.approx([(8 + 60 + 60) / 3, (60 + 10 + 60) / 3])
    assert scores.virtual(found.wall, "low") == pytest.approx([8, 10, 60])
    # without a: 60, 10, 60; without b: 8, 60, 60
    assert scores.contributions(found.wall, "low") == pytest.approx([52 / 3, 50 / 3])


def test_best_bounds_by_hand() -> None:
    """Of x and z a has the least cost, of y b; who has none has no bound."""
    assert scored(BY_HAND).bounds.tolist() == [[1, 0], [0, 1], [1, 0]]
    same = compared([run("x", "a", 4), run("x", "b", 4), run("y", "a"), run("y", "b")])
    assert scored(same).bounds.tolist() == [[1, 1], [0, 0]]


def test_a_best_bound_is_the_best_of_the_solvers_not_the_best_known() -> None:
    found = scored(compared([run("x", "a", 4), run("x", "b", 5)], [instance("x", known_cost=2)]))
    assert found.bounds.tolist() == [[1, 0]]
    assert found.final.tolist() == [[3 / 5, 3 / 6]]


def test_seeds_are_averaged() -> None:
    runs = [
        run("x", "a", 1, seed=1),
        run("x", "a", 3, seed=2),
        solved("x", "b", 1, 6, seed=1),
        run("x", "b", seed=2),
    ]
    found = scored(compared(runs))
    assert found.final.tolist() == [[(1 + 2 / 4) / 2, (1 + 0) / 2]]
    assert found.solved.tolist() == [[0, 0.5]]
    assert found.wall.tolist() == [[60, (6 + 60) / 2]]
    assert found.seconds[0, 1] == 6 and np.isnan(found.seconds[0, 0])
    assert found.bounds.tolist() == [[0.5, 0.5]]


def test_a_run_that_is_not_there_found_nothing() -> None:
    found = scored(compared([run("x", "a", 0), run("x", "b", 0), run("y", "a", 0)]))
    assert found.final.mean(axis=0).tolist() == [1, 0.5]
    assert found.wall.tolist() == [[60, 60], [60, 60]]


def test_formulas_without_an_objective_have_no_score() -> None:
    both = [instance("c", format="cnf"), instance("w")]
    runs = [solved("c", "a", 0, 2.0, status="SATISFIABLE"), run("c", "b"), run("w", "a", 3), run("w", "b", 7)]
    found = scored(compared(runs, both))
    assert np.isnan(found.final[0]).all() and np.isnan(found.bounds[0]).all()
    assert [scores.mean(found.final[:, at]) for at in (0, 1)] == [1, 0.5]
    assert found.solved.tolist() == [[1, 0], [0, 0]]


def test_cpu_time_has_its_own_limit() -> None:
    runs = [
        run("x", "a", cores=4, cpu_s=100.0),  # 4 cores for 30 s
        run("x", "b", cpu_limit_s=20.0, wall_limit_s=None),
        solved("x", "c", 1, 9.0, cpu_s=17.0),
    ]
    found = scored(compared(runs))
    assert found.cpu.tolist() == [[240, 40, 17]]
    assert found.wall.tolist() == [[60, 40, 9]]


def test_a_run_that_is_not_there_is_no_better_than_one_that_found_nothing() -> None:
    """Not of CPU time either, of which four cores have four times as much."""
    found = scored(compared([run("x", "a", cores=4), run("x", "b", cores=4), run("y", "a", cores=4)]))
    assert found.cpu.tolist() == [[240, 240], [240, 240]]


def test_the_end_of_runs_without_a_limit_on_the_wall() -> None:
    """What is found later than the seconds of CPU time is in the score at the end, and at that time only."""
    slow = {"wall_limit_s": None, "cpu_limit_s": 30.0, "wall_s": 41.0}
    found = scored(compared([run("x", "a", 4, trace=((35.0, 4),), **slow), run("x", "b", 9)]))
    assert (found.times, found.until) == ((1, 10, 30), 41)
    assert found.anytime[-1].tolist() == [[0, 0.5]] and found.final.tolist() == [[1, 0.5]]
    free = solved("x", "c", 1, 50.0, wall_limit_s=None)
    mixed = scored(compared([free, run("x", "b")]))
    assert mixed.until == 50 and mixed.wall.tolist() == [[50, 60]]


def test_the_same_values_in_another_order_are_a_tie() -> None:
    """Thirds and sevenths do not add up to the same float in each order."""
    costs = [0, 2, 6]
    runs = [
        run("x", solver, cost, seed=seed)
        for solver, order in (("a", costs), ("b", costs[::-1]), ("c", [2, 0, 6]))
        for seed, cost in enumerate(order)
    ]
    (values,) = scored(compared(runs)).final.tolist()
    assert len(set(values)) == 1


def test_without_a_limit_the_longest_run_is_one() -> None:
    free = {"wall_limit_s": None}
    found = scored(
        compared([solved("x", "a", 1, 50.0, **free), run("x", "b", ended="SIGSEGV", wall_s=2.0, **free)])
    )
    assert found.wall.tolist() == [[50, 100]]
    assert found.times == (1, 10, 50)


# ---------------------------------------------------------------------------- laws


@given(comparisons())
def test_scores_are_shares_that_time_does_not_lower(comparison: Comparison) -> None:
    found = scored(comparison, 0.5, 1, 7, 29, 30, 31, 1000)
    values = found.anytime[~np.isnan(found.anytime)]
    assert ((values >= 0) & (values <= 1)).all()
    optimised = found.some(each.format != "cnf" for each in comparison.instances)
    assert (np.diff(optimised.anytime, axis=0) >= 0).all()
    assert (optimised.anytime[-1] == optimised.final).all()
    assert ((found.solved >= 0) & (found.solved <= 1)).all()


@given(comparisons())
def test_the_virtual_best_is_as_good_as_each(comparison: Comparison) -> None:
    found = scored(comparison)
    optimised = found.some(each.format != "cnf" for each in comparison.instances)
    assert (scores.virtual(optimised.final, "high")[:, None] >= optimised.final).all()
    assert (scores.virtual(found.wall, "low")[:, None] <= found.wall).all()
    for values, good in ((optimised.final, "high"), (found.wall, "low")):
        contributed = scores.contributions(values, good)  # type: ignore[arg-type]
        assert contributed.shape == (len(comparison.solvers),)
        assert (contributed >= 0).all() if len(contributed) > 1 else np.isnan(contributed).all()


@given(comparisons())
def test_somebody_has_the_best_bound_where_there_is_a_model(comparison: Comparison) -> None:
    found = scored(comparison)
    for row, each in enumerate(comparison.instances):
        runs = standings.runs_of(comparison, each)
        if each.format != "cnf":
            assert (found.bounds[row] > 0).any() == any(one.cost is not None for one in runs)


@given(comparisons(), st.randoms(use_true_random=False))
def test_the_order_of_instances_and_solvers_does_not_matter(comparison: Comparison, random: Random) -> None:
    instances, solvers = list(comparison.instances), list(comparison.solvers)
    random.shuffle(instances)
    random.shuffle(solvers)
    other = replace(comparison, instances=tuple(instances), solvers=tuple(solvers))
    one, two = scored(comparison), scored(other)
    rows = [comparison.instances.index(each) for each in instances]
    columns = [comparison.solvers.index(each) for each in solvers]
    for name in scores.PER_RUN:
        assert np.array_equal(getattr(one, name)[rows][:, columns], getattr(two, name), equal_nan=True), name


@given(comparisons())
def test_a_liar_has_solved_nothing(comparison: Comparison) -> None:
    stand = standings.of(comparison)
    found = scores.of(comparison, stand)
    for column, solver in enumerate(comparison.solvers):
        if solver in stand.distrusted:
            assert not found.solved[:, column].any()


@given(comparisons(), st.integers(0, 4))
def test_a_better_model_elsewhere_raises_no_score_above_1(comparison: Comparison, cost: int) -> None:
    store = {each.formula_sha256: cost for each in comparison.instances}
    before, after = (scores.of(comparison, standings.of(comparison, best)).final for best in ({}, store))
    assert not (after > before).any() and not (after > 1).any()


@given(comparisons())
def test_what_was_solved_was_proved_in_time_at_the_best_cost(comparison: Comparison) -> None:
    stand = standings.of(comparison)
    for each in comparison.instances:
        for one in standings.runs_of(comparison, each):
            if stand.solves(one):
                assert one.ended not in ("wall limit", "cpu limit") and one.wall_s <= LIMIT
                if one.status == UNSAT:
                    assert not stand.facts[each.name].model
                elif each.format != "cnf":
                    assert one.status == OPTIMUM and one.cost == stand.best[each.name]
