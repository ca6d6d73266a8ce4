"""Encodings in which the shape is given: the complete tree, a topology, and the layouts of MPDT_lay."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from pysat.solvers import Solver

from tests import oracle, solving
from tests.conformance.test_encodings import random_problem
from tests.strategies import trees
from wcnfgen import bounds, encodings, writer
from wcnfgen.clauses import layout
from wcnfgen.constraints import complete
from wcnfgen.constraints.topology import is_shape, layouts, levels, shape
from wcnfgen.encodings import Encoding
from wcnfgen.errors import UsageError
from wcnfgen.rows import Conflicts, Problem, merge
from wcnfgen.tree import Leaf, Node, Tree, depth, size


def problem_of(columns: int, rule: Any) -> Problem:
    """All rows over some columns, classified by a rule."""
    X = np.array(list(product((0, 1), repeat=columns)), np.uint8)
    return merge(X, np.array([int(rule(*row)) for row in X], np.int32), 2)


PARITY = problem_of(3, lambda a, b, c: a ^ b ^ c)
MUX6 = problem_of(6, lambda a, b, *data: data[2 * a + b])
CORRAL = problem_of(6, lambda a, b, c, d, e, f: (a & b) | (c & d))


def plan(name: str, data: Problem, **options: Any) -> Encoding:
    return encodings.get(name).plan(data, **options).encoding


def best(encoding: Encoding) -> int | None:
    found = solving.solve(solving.through(encoding))
    return None if found is None else found[0]


def problems(sets: int, seed: int, conflicts: Conflicts = "majority") -> list[Problem]:
    rng = np.random.default_rng(seed)
    return [random_problem(rng, conflicts) for _ in range(sets)]


# ---------------------------------------------------------------------------- shapes and layouts


@given(trees(features=4, classes=2))
def test_the_shape_of_a_tree_is_a_shape(tree: Tree) -> None:
    assert is_shape(shape(tree)) == isinstance(tree, Node)
    assert len(levels(shape(tree))) == depth(tree) + 1


def test_shapes_are_counted_by_catalan_numbers() -> None:
    for tests, catalan in enumerate((1, 2, 5, 14, 42), 1):
        words = ("".join(bits) for bits in product("01", repeat=2 * tests + 1))
        assert sum(map(is_shape, words)) == catalan


def test_there_are_as_many_layouts_as_the_paper_has() -> None:
    assert [len(layouts(d)) for d in (1, 2, 3, 4)] == [1, 4, 25, 676]
    assert all(len(set(layouts(d))) == len(layouts(d)) for d in (1, 2, 3, 4))


@given(trees(features=4, classes=2).filter(lambda tree: isinstance(tree, Node)))
def test_a_tree_has_one_layout_of_each_depth(tree: Tree) -> None:
    for d in (1, 2, 3, 4):
        assert sum(shape(tree).startswith(each) for each in layouts(d)) == 1


def layouts_of(name: str, data: Problem, d: int, **options: Any) -> list[int | None]:
    """The optimum under each layout, None where no tree has it."""
    found: list[int | None] = []
    for number in range(1, len(layouts(d)) + 1):
        try:
            found.append(best(plan(name, data, layout_depth=d, layout=number, **options)))
        except UsageError as error:
            assert "which takes" in str(error) or "a path of" in str(error)
            found.append(None)
    return found


@pytest.mark.parametrize(
    ("name", "conflicts", "options", "d", "sets"),
    [
        ("size", "majority", {"ub": 9, "lb": 3}, 2, 40),
        ("size", "majority", {"ub": 9, "lb": 3, "counters": False}, 2, 40),
        ("size", "majority", {"ub": 7, "lb": 3, "form": "paper"}, 2, 40),
        ("accuracy", "keep", {"ub": 7}, 2, 40),
        ("size", "majority", {"ub": 9, "lb": 3}, 3, 5),
        ("accuracy", "keep", {"ub": 9}, 3, 5),
    ],
    ids=["size", "size-without-counters", "size-paper", "accuracy", "size-3", "accuracy-3"],
)
def test_the_best_of_all_layouts_is_the_optimum(
    name: str, conflicts: Conflicts, options: dict[str, Any], d: int, sets: int, full: bool
) -> None:
    """MPDT_lay: the layouts split the search, and nothing is lost between them."""
    solvable = 0
    for data in problems(5 * sets if full else sets, seed=41, conflicts=conflicts):
        found = [cost for cost in layouts_of(name, data, d, **options) if cost is not None]
        whole = best(plan(name, data, **options))
        assert min(found, default=None) == whole
        solvable += whole is not None
    assert solvable > sets // 2


def test_columns_that_tell_nothing_stay_where_the_shape_is_given() -> None:
    """A layout, or a topology, may ask for more tests than the rows do."""
    data = problem_of(2, lambda a, b: a)
    assert best(plan("size", data, ub=7, layout_depth=2, layout=4)) == 2
    assert best(plan("fixed", data, topology="1110000")) == 0
    for name, options in (("size", {"layout": 4}), ("accuracy", {"layout": 4}), ("fixed", {})):
        assert not encodings.get(name).reducible(options)


# ---------------------------------------------------------------------------- a given topology


def test_fixed_over_all_shapes_is_exact() -> None:
    """Some shape of N nodes has a pure tree if and only if a pure tree of N nodes exists."""
    for data in problems(15, seed=43):
        for nodes in (3, 5, 7):
            words = ("".join(bits) for bits in product("01", repeat=nodes))
            shapes = [bits for bits in words if is_shape(bits) and len(levels(bits)) <= data.features + 1]
            some = any(best(plan("fixed", data, topology=bits)) == 0 for bits in shapes)
            assert some == (best(plan("exact", data, nodes=nodes)) == 0)


def test_mirror_images_are_different_shapes() -> None:
    """Left is 0: a and b needs its second test on the right."""
    both = problem_of(2, lambda a, b: a & b)
    assert best(plan("fixed", both, topology="10100")) == 0
    assert best(plan("fixed", both, topology="11000")) is None


def test_parity_needs_the_complete_tree() -> None:
    assert best(plan("fixed", PARITY, topology="111111100000000")) == 0
    assert best(plan("fixed", PARITY, topology="1111110000000")) is None


# ---------------------------------------------------------------------------- the complete tree


@pytest.mark.parametrize(("data", "d", "nodes"), [(MUX6, 3, 15), (CORRAL, 4, 13), (PARITY, 3, 15)])
def test_known_optima(data: Problem, d: int, nodes: int) -> None:
    """Narodytska et al. 2018, table 4: Mux6 15 and Corral 13 nodes; and one level less is too little."""
    encoding = plan("complete", data, depth=d, min_size=True)
    cost = best(encoding)
    assert cost is not None and 2 * cost - 1 == nodes
    assert best(plan("complete", data, depth=d)) == 0
    assert best(plan("complete", data, depth=d - 1)) is None


@pytest.mark.parametrize("d", [1, 2, 3])
def test_errors_are_those_that_brute_force_and_the_core_formula_find(d: int, full: bool) -> None:
    """With conflicting and weighted rows."""
    for data in problems(150 if full else 30, seed=47, conflicts="keep"):
        encoding = plan("complete", data, depth=d, soft_rows=True)
        found = solving.solve(solving.through(encoding))
        assert found is not None
        tree = encoding.tree(found[1])
        assert found[0] == oracle.optimum(encoding) == encoding.cost(tree)
        assert encoding.allows(tree)
        assert found[0] == best(plan("depth", data, depth=d))


def test_every_model_costs_what_its_tree_costs() -> None:
    """Not only the best one: a solver may be stopped early."""
    for data in problems(10, seed=53):
        encoding = plan("complete", data, depth=data.features, min_size=True)
        formula = solving.through(encoding)
        hards = [block[0].tolist() for block in formula.hard()]
        with Solver("cadical153", bootstrap_with=hards) as solver:
            for _ in range(40):
                if not solver.solve():
                    break
                model = solving.assignment(solver.get_model(), formula.variables)
                assert solving.falsified(formula, model) == (0, encoding.cost(encoding.tree(model)))
                solver.add_clause([-x for x in solver.get_model()])


def test_without_the_clause_on_contradictory_leaves_some_do_not() -> None:
    """The leaf between two tests of one feature that turn apart would be charged, though no tree has it."""
    data = problem_of(2, lambda a, b: a)
    encoding: Any = plan("complete", data, depth=2, min_size=True)
    model = encoding.model(Node(0, Leaf(0), Leaf(1)))
    unused = [j for j in range(4) if not model[encoding.t.u[j]]]
    model[encoding.t.u[unused[0]]] = model[encoding.t.c[0, unused[0]]] = True
    formula = solving.through(encoding)
    dropped = sum(len(layout(block)) for block in complete.contradictory_leaves_are_unused(encoding.t))
    assert dropped == 2 * 2
    assert solving.falsified(formula, model) == (1, 3)
    assert encoding.cost(encoding.tree(model)) == 2


def test_a_leaf_higher_up_repeats_the_test_above() -> None:
    """A tree of three nodes in a complete tree of depth 6, and back."""
    data = problem_of(6, lambda a, *rest: a)
    for options in ({}, {"min_size": True}, {"soft_rows": True}):
        encoding = plan("complete", data, depth=6, **options)
        tree = Node(0, Leaf(0), Leaf(1))
        model = encoding.model(tree)
        assert encoding.tree(model) == tree
        assert solving.falsified(solving.through(encoding), model) == (0, encoding.cost(tree))


def test_a_depth_is_that_of_the_smallest_tree_within_it() -> None:
    """Deeper is never larger."""
    for data in problems(20, seed=59):
        costs = [best(plan("complete", data, depth=d, min_size=True)) for d in range(1, data.features + 1)]
        known = [cost for cost in costs if cost is not None]
        assert known == sorted(known, reverse=True)
        deepest = plan("complete", data, depth=data.features)
        assert 2 * known[-1] - 1 == min(size(t) for t in oracle.all_trees(data) if deepest.allows(t))


@pytest.mark.parametrize("options", [{}, {"min_size": True}, {"soft_rows": True}], ids=str)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_its_size_is_a_formula(d: int, options: dict[str, bool]) -> None:
    """M rows, K features, C classes: what the README says of it."""
    data = wide(np.random.default_rng(61), classes=3)
    M, K, C, leaves, tests = data.rows, data.features, 3, 2**d, 2**d - 1
    counts = writer.count(plan("complete", data, depth=d, **options))
    min_size, errors = options.get("min_size", False), options.get("soft_rows", False)
    assert counts.variables == K * tests + C * leaves + M * d + min_size * leaves + errors * M
    assert counts.hard == (
        tests * (1 + K * (K - 1) // 2)
        + leaves * (1 + C * (C - 1) // 2)
        + M * K * tests
        + M * leaves
        + min_size * (2 + C * leaves + K * leaves * d * (d - 1) // 4)
    )


# ---------------------------------------------------------------------------- both, over more columns


def wide(rng: np.random.Generator, classes: int) -> Problem:
    """Forty rows over eleven columns, classified by a tree of three tests and some noise; consistent."""
    X = np.unique(rng.integers(0, 2, (40, 11), dtype=np.uint8), axis=0)
    y = np.where(X[:, 3], X[:, 9], 2 * X[:, 10]) % classes
    y[rng.random(len(y)) < 0.1] = 0
    return merge(X, y.astype(np.int32), classes)


@pytest.mark.parametrize("seed", range(5))
def test_wider_tables_have_models_too(seed: int) -> None:
    """Greedy trees as models without a solver, and what a solver finds is pure."""
    rng = np.random.default_rng(seed)
    for classes in (2, 3):
        data = wide(rng, classes)
        tree = bounds.greedy(data)
        for name, options in (
            ("fixed", {}),
            ("complete", {"depth": depth(tree)}),
            ("complete", {"depth": depth(tree), "min_size": True}),
            ("complete", {"depth": depth(tree), "soft_rows": True}),
        ):
            encoding = plan(name, data, **options)
            formula = solving.through(encoding)
            assert encoding.tree(encoding.model(tree)) == tree
            assert solving.falsified(formula, encoding.model(tree)) == (0, encoding.cost(tree))
            found = solving.solve(formula)
            assert found is not None and encoding.allows(encoding.tree(found[1]))
            assert encoding.cost(encoding.tree(found[1])) == found[0] <= encoding.cost(tree)


# ---------------------------------------------------------------------------- bad options


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("complete", {"depth": 0}, "depths 1 to 12"),
        ("complete", {"depth": 13}, "depths 1 to 12"),
        ("fixed", {"topology": ""}, "no tree with a test"),
        ("fixed", {"topology": "0"}, "no tree with a test"),
        ("fixed", {"topology": "1010"}, "no tree with a test"),
        ("fixed", {"topology": "1002"}, "no tree with a test"),
        ("fixed", {"topology": "101010100"}, "a path of 4 tests"),
        ("size", {"layout": 1}, "--layout-depth 1 to 4"),
        ("size", {"layout_depth": 5, "layout": 1}, "--layout-depth 1 to 4"),
        ("size", {"layout_depth": 2}, "encodings --layout-depth 2` lists them"),
        ("size", {"layout_depth": 2, "layout": 5}, "--layout 1 to 4"),
        ("size", {"layout_depth": 3, "layout": 0}, "--layout 1 to 25"),
        ("accuracy", {"ub": 5, "layout_depth": 2, "layout": 4}, "takes 7 nodes; there are 5"),
        ("accuracy", {"ub": 15, "layout_depth": 4, "layout": 676}, "takes 31 nodes"),
    ],
)
def test_options_that_make_no_sense(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        encodings.get(name).plan(PARITY, **options)
