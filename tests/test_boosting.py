"""AdaBoost's arithmetic: what must hold of any weights, any trees and any number of classes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.strategies import trees
from wcnfgen import boosting, bounds
from wcnfgen.boosting import LARGEST, Ensemble, Round, alpha_of, bootstrap, discretise, ensemble, update
from wcnfgen.errors import UsageError
from wcnfgen.rows import Problem, merge
from wcnfgen.tree import Leaf, Node, Tree, predict

FEATURES = 3
positive = st.floats(1e-6, 1e6)
weights = st.lists(st.just(0.0) | positive, min_size=1, max_size=30).filter(any)


@st.composite
def problems(draw: st.DrawFn, classes: int | None = None) -> Problem:
    """A few rows, some equal, some in conflict; every class occurs."""
    k = classes or draw(st.integers(2, 4))
    n = draw(st.integers(k, 20))
    X = draw(arrays(np.uint8, (n, FEATURES), elements=st.integers(0, 1)))
    y = draw(
        st.permutations([*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))])
    )
    return merge(X, np.array(y, np.int32), k)


def judged(problem: Problem, tree: Tree) -> Round:
    """A round whose tree is neither perfect nor useless."""
    found = Round(1, problem, tree)
    assume(not found.perfect and not found.useless)
    return found


# ---------------------------------------------------------------------------- whole weights


@given(weights, st.none() | st.integers(1, 10**9))
def test_whole_weights_are_about_in_proportion(given_: list[float], cap: int | None) -> None:
    w = np.array(given_)
    whole = discretise(w, cap)
    assert whole.dtype == np.int64
    assert (whole[w == 0] == 0).all() and (whole[w > 0] >= 1).all()
    order = np.argsort(w, kind="stable")
    assert (np.diff(whole[order]) >= 0).all()
    if not (w % 1).any():
        assert (whole == w).all()
        return
    assert cap is None or whole.max() <= cap
    least, most = w[w > 0].min(), w.max()
    unit = least if cap is None or most / least <= cap else most / cap
    exact = np.maximum(w / unit, w > 0)
    assert np.allclose(whole, exact, rtol=1e-9, atol=0.5 + 1e-6)
    if unit == least:
        assert whole[w > 0].min() == 1


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=20).filter(any))
def test_whole_numbers_stay(numbers: list[int]) -> None:
    for dtype in (np.int64, np.uint32, np.float64):
        assert discretise(np.array(numbers, dtype), cap=3).tolist() == numbers
    assert discretise(numbers).tolist() == numbers


def test_any_range_of_floats_is_held() -> None:
    assert discretise([5e-324, 0.3, 1e308]).tolist() == [1, 1, boosting.CAP]
    assert discretise([5e-324, 1.5e-323]).tolist() == [1, 3]
    assert discretise([True, False]).tolist() == [1, 0]
    assert discretise([LARGEST - 1, 1]).tolist() == [LARGEST - 1, 1]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ([1, -1], "the weight of row 2 is -1"),
        ([0.5, -1e-9], "the weight of row 2 is"),
        ([math.nan], "the weight of row 1 is nan"),
        ([1, math.inf], "the weight of row 2 is inf"),
        ([0, 0.0], "0"),
        ([], "0"),
        ([LARGEST, 1], "2\\^63 - 1"),
        ([2.0**63], "2\\^63 - 1"),
        ([10**30, 1], "2\\^63 - 1"),
        (np.array([2**64 - 1], np.uint64), "2\\^63 - 1"),
        (["x"], "numbers"),
        ([None, 1], "numbers|row 1"),
        ([1j], "numbers"),
    ],
)
def test_what_is_no_weight(bad: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        discretise(bad)


def test_without_a_cap_weights_can_grow_too_large() -> None:
    with pytest.raises(UsageError, match="2\\^63 - 1"):
        discretise([1e-300, 0.5], cap=None)
    with pytest.raises(UsageError, match="2\\^63 - 1"):
        discretise([5e-324, 1e308], cap=None)
    with pytest.raises(UsageError, match="--cap 0"):
        discretise([0.5, 0.2], cap=0)


# ---------------------------------------------------------------------------- the update


@given(problems(), trees(FEATURES, 4))
def test_after_the_update_the_tree_is_as_bad_as_a_guess(problem: Problem, tree: Tree) -> None:
    """A half for two classes: the fact that makes the next tree another one."""
    done = judged(problem, tree)
    after = update(problem.w, done.right, done.alpha)
    assert math.isclose(after.sum(), 1)
    assert math.isclose(after[~done.right].sum(), 1 - 1 / problem.classes)


@given(problems(), trees(FEATURES, 4))
def test_weight_moves_to_what_was_wrong(problem: Problem, tree: Tree) -> None:
    done = judged(problem, tree)
    assert done.alpha > 0
    before, after = problem.w / problem.w.sum(), update(problem.w, done.right, done.alpha)
    assert (after[done.right] < before[done.right]).all()
    assert (after[~done.right] > before[~done.right]).all()


@given(st.floats(0.001, 0.999))
def test_alpha_is_adaboosts_for_two_classes(error: float) -> None:
    assert math.isclose(alpha_of(error, 2), 0.5 * math.log((1 - error) / error), abs_tol=1e-12)
    assert (alpha_of(error, 2) > 0) == (error < 0.5)
    for classes in (3, 4, 7):
        guess = 1 - 1 / classes
        assert math.isclose(alpha_of(guess, classes), 0, abs_tol=1e-12)
        if abs(error - guess) > 1e-9:
            assert (alpha_of(error, classes) > 0) == (error < guess)


@given(problems(), trees(FEATURES, 4))
def test_weights_are_those_of_samme(problem: Problem, tree: Tree) -> None:
    """Zhu et al. 2009: alpha is ln((1 - e)/e) + ln(K - 1), and only what is wrong is multiplied."""
    done = judged(problem, tree)
    alpha = math.log((1 - done.error) / done.error) + math.log(problem.classes - 1)
    theirs = problem.w * np.where(done.right, 1, np.exp(alpha))
    assert np.allclose(update(problem.w, done.right, done.alpha), theirs / theirs.sum())


# ---------------------------------------------------------------------------- rounds


def greedy(_: int, problem: Problem) -> Tree:
    """A stump, or what there is."""
    return bounds.best_first(problem, 3)


@given(problems(), st.sampled_from(["paper", "real"]), st.sampled_from([3, 1000, None]))
def test_each_round_sees_the_weights_that_follow_from_the_one_before(
    problem: Problem, rounding: boosting.Rounding, cap: int | None
) -> None:
    """Step by step, from the formulas: update, normalise, divide by the least, round."""
    rounds = list(boosting.boost(problem, greedy, rounds=6, rounding=rounding, cap=cap))
    counts = problem.counts
    real = problem.w / problem.w.sum()
    for before, after in pairwise(rounds):
        assert not before.perfect and not before.useless
        start = before.problem.w if rounding == "paper" else real
        real = start * np.where(before.right, np.exp(-before.alpha), np.exp(before.alpha))
        real = real / real.sum()
        assert (after.problem.w == counts * discretise(real / counts, cap)).all()
        assert (after.problem.counts == counts).all()
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    last = rounds[-1]
    if len(rounds) < 6 and not last.perfect and not last.useless:
        same = boosting.reweighted(problem, update(last.problem.w, last.right, last.alpha), cap)
        assert rounding == "paper" and (same.w == last.problem.w).all()


@given(problems(classes=2))
def test_exponential_loss_bounds_the_errors(problem: Problem) -> None:
    """Freund and Schapire 1997: whatever the alphas, errors are at most the sum of exp(-margin)."""
    rounds = [r for r in boosting.boost(problem, greedy, rounds=8, rounding="real") if not r.useless]
    assume(rounds and not rounds[-1].perfect)
    voted = ensemble(rounds)
    votes = voted.votes(problem.X)
    own = votes[np.arange(problem.rows), problem.y]
    margin = own - (votes.sum(axis=1) - own)
    wrong = voted.predict(problem.X) != problem.y
    assert problem.w[wrong].sum() <= (problem.w * np.exp(-margin)).sum() + 1e-9


def test_boosting_does_better_than_one_tree() -> None:
    """The majority of three columns: no stump has it, three stumps do."""
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], np.uint8)
    problem = merge(X, (X.sum(axis=1) >= 2).astype(np.int32), 2)
    rounds = list(boosting.boost(problem, greedy, rounds=3))
    assert rounds[0].errors == 2
    assert (ensemble(rounds[:1]).predict(problem.X) != problem.y).sum() == 2
    assert (ensemble(rounds).predict(problem.X) == problem.y).all()


def test_a_perfect_tree_is_the_answer_alone() -> None:
    X = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.uint8)
    problem = merge(X, np.array([0, 1, 0], np.int32), 2)
    perfect = Node(0, Leaf(0), Node(1, Leaf(1), Leaf(0)))
    chosen = [Node(0, Leaf(0), Leaf(1)), perfect]
    rounds = list(boosting.boost(problem, lambda number, _: chosen[number - 1], rounds=5))
    assert len(rounds) == 2 and rounds[-1].perfect
    assert ensemble(rounds) == Ensemble((perfect,), (1.0,), 2)


def test_a_useless_tree_has_no_vote_unless_there_is_no_other() -> None:
    """Exclusive or: every stump errs on half of the rows."""
    X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], np.uint8)
    problem = merge(X, np.array([0, 1, 1, 0], np.int32), 2)
    (only,) = boosting.boost(problem, greedy, rounds=5)
    assert only.useless and only.alpha == 0
    assert ensemble([only]).alphas == (1.0,)
    good = Round(1, problem, Node(0, Node(1, Leaf(0), Leaf(1)), Leaf(1)))
    assert ensemble([good, only]).trees == (good.tree,)


def test_rows_without_weight_do_not_count() -> None:
    X = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], np.uint8)
    problem = Problem(X, np.array([0, 1, 0], np.int32), np.array([2, 3, 0]), 2)
    assert Round(1, problem, Node(0, Leaf(0), Leaf(1))).perfect


@given(problems(), st.lists(trees(FEATURES, 2), min_size=1, max_size=7), st.data())
def test_the_vote(problem: Problem, several: list[Tree], data: st.DataObject) -> None:
    alphas = [data.draw(st.floats(0.01, 5)) for _ in several]
    votes = Ensemble(tuple(several), tuple(alphas), 4).votes(problem.X)
    for row, x in enumerate(problem.X):
        for k in range(4):
            said = [a for a, t in zip(alphas, several, strict=True) if predict(t, x[None])[0] == k]
            assert math.isclose(votes[row, k], sum(said))


@given(problems(), st.sampled_from(["paper", "real"]))
def test_copies_make_no_difference(problem: Problem, rounding: boosting.Rounding) -> None:
    """Three copies of the data are boosted as the data is."""
    thrice = Problem(problem.X, problem.y, 3 * problem.w, problem.classes)
    once = boosting.boost(problem, greedy, rounds=4, rounding=rounding)
    for one, three in zip(once, boosting.boost(thrice, greedy, rounds=4, rounding=rounding), strict=True):
        assert (3 * one.problem.w == three.problem.w).all() and one.tree == three.tree


@pytest.mark.parametrize("options", [{"rounds": 0}, {"rounds": 2, "cap": 0}, {"rounds": 2, "rounding": "up"}])
def test_bad_options_are_refused_at_once(options: dict[str, Any]) -> None:
    problem = merge(np.array([[0], [1]], np.uint8), np.array([0, 1], np.int32), 2)
    with pytest.raises(UsageError, match=r"--r|--cap"):
        boosting.boost(problem, greedy, **options)


# ---------------------------------------------------------------------------- bagging


@given(st.lists(st.integers(1, 50), min_size=1, max_size=10), st.integers(0, 2**32 - 1))
def test_a_bag_is_as_large_as_the_data(counts: list[int], seed: int) -> None:
    bags = list(bootstrap(np.array(counts), 3, seed))
    assert [bag.sum() for bag in bags] == [sum(counts)] * 3
    again = bootstrap(np.array(counts), 3, seed)
    assert all((one == other).all() for one, other in zip(bags, again, strict=True))


def test_bags_follow_the_counts() -> None:
    """Each row is drawn once on average, and is left out of a bag with probability 1/e."""
    bags = np.array(list(bootstrap(np.ones(200, np.int64), 200, seed=1)))
    assert np.allclose(bags.mean(), 1) and abs((bags == 0).mean() - math.exp(-1)) < 0.01
    heavy = np.array(list(bootstrap(np.array([30, 10]), 500, seed=1)))
    assert np.allclose(heavy.mean(axis=0), [30, 10], atol=0.5)


@pytest.mark.parametrize(("bags", "seed"), [(0, 1), (1, -1), (1, 2**32)])
def test_bad_bags(bags: int, seed: int) -> None:
    with pytest.raises(UsageError, match=r"--bags|--seed"):
        bootstrap(np.array([1, 2]), bags, seed)
