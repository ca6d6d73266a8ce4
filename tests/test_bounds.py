"""Bounds: never wrong against brute force, exact where the budget suffices, the same on every machine."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests import oracle
from tests.conformance.test_encodings import random_problem
from wcnfgen import bounds
from wcnfgen.encodings.size import Size
from wcnfgen.prepare import prepare
from wcnfgen.rows import Problem, merge
from wcnfgen.tree import Node, predict, repeats_a_test, size


def smallest_separating_set(problem: Problem) -> int:
    """By trying all sets, the small ones first."""
    for s in range(problem.features + 1):
        for columns in combinations(range(problem.features), s):
            seen: dict[bytes, int] = {}
            rows = zip(problem.X[:, columns], problem.y.tolist(), strict=True)
            if all(seen.setdefault(row.tobytes(), label) == label for row, label in rows):
                return s
    raise AssertionError("rows are inconsistent")


@pytest.mark.parametrize("seed", range(60))
def test_support_set_is_that_of_brute_force(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    found = bounds.support_bound(problem)
    assert found.exact
    assert found.s == smallest_separating_set(problem)


@pytest.mark.parametrize("seed", range(60))
def test_bounds_enclose_the_optimum(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    cost = oracle.optimum(Size(problem, ub=15))
    assert cost is not None
    assert bounds.lower_bound(problem) <= 2 * cost + 3 <= size(bounds.greedy(problem))


@pytest.mark.parametrize("seed", range(40))
def test_no_pure_tree_is_smaller_than_what_its_root_needs(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    for conflicts in (1, 1000):
        needed = bounds.root_bounds(problem, conflicts=conflicts)
        for tree in oracle.all_trees(problem):
            if isinstance(tree, Node) and (predict(tree, problem.X) == problem.y).all():
                assert needed[tree.test] <= size(tree)


def test_what_the_root_needs_rules_out_roots() -> None:
    """Seven nodes decide y = x0 xor x1; a root that tests the third column needs more."""
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], np.uint8)
    needed = bounds.root_bounds(merge(X, (X[:, 0] ^ X[:, 1]).astype(np.int32), 2))
    assert needed.tolist() == [7, 7, 11]


def hard_problem(rows: int, columns: int) -> Problem:
    rng = np.random.default_rng(1)
    X = np.unique(rng.integers(0, 2, (rows, columns), dtype=np.uint8), axis=0)
    y = rng.integers(0, 2, len(X)).astype(np.int32)
    return Problem(X, y, np.ones(len(X), np.int64), 2)


def test_out_of_budget_the_bound_still_holds() -> None:
    problem = hard_problem(120, 16)
    exact = bounds.support_bound(problem, conflicts=10**7)
    assert exact.exact
    for conflicts in (1, 10, 100):
        poor = bounds.support_bound(problem, conflicts=conflicts)
        assert 1 <= poor.s <= exact.s
    few = bounds.support_bound(problem, pairs=5)
    assert few.pairs == 5 and 1 <= few.s <= exact.s


def test_the_budget_is_deterministic() -> None:
    problem = hard_problem(300, 40)
    assert bounds.support_bound(problem, conflicts=500) == bounds.support_bound(problem, conflicts=500)


@pytest.mark.parametrize("score", [bounds.gain_ratio, bounds.gini])
@pytest.mark.parametrize("seed", range(20))
def test_greedy_trees_are_pure(score, seed: int) -> None:  # type: ignore[no-untyped-def]
    problem = random_problem(np.random.default_rng(seed))
    tree = bounds.grow(problem, score)
    assert (predict(tree, problem.X) == problem.y).all()
    assert not repeats_a_test(tree)


def test_the_bounds_of_real_sets(shared: Path) -> None:
    """bound <= published optimum <= greedy tree, and the figures that the bound is known to reach."""
    reached = {"Mouse": 13, "Corral": 9, "Mux6": 13}
    with (shared / "data" / "expected_narodytska.csv").open() as file:
        for row in csv.DictReader(file):
            problem = prepare(shared / "data" / row["file"]).problem
            low, high = bounds.lower_bound(problem), size(bounds.greedy(problem))
            assert low <= int(row["optimal_nodes"]) <= high
            assert low >= reached.get(row["name"], 3), row["name"]
