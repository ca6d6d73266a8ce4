"""Encodings whose rows may be wrong: the errors of the print that they must not have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests import oracle, solving
from wcnfgen import encodings
from wcnfgen.clauses import Block, clause, layout
from wcnfgen.constraints import core, depths, softrows
from wcnfgen.constraints.counting import pairwise
from wcnfgen.constraints.nodes import lr
from wcnfgen.encodings import Encoding
from wcnfgen.errors import UsageError
from wcnfgen.rows import Problem, merge
from wcnfgen.tree import depth, size


def problem(rows: list[str], y: list[int]) -> Problem:
    """Rows written as strings of 0 and 1."""
    X = np.array([list(map(int, row)) for row in rows], np.uint8)
    return merge(X, np.array(y, np.int32), max(y) + 1)


CUBE = ["".join(bits) for bits in product("01", repeat=3)]
PARITY = problem(CUBE, [row.count("1") % 2 for row in CUBE])
CLASH = problem(["01", "01", "11", "00", "11"], [0, 1, 0, 1, 1])


def plan(name: str, data: Problem, **options: Any) -> Encoding:
    return encodings.get(name).plan(data, **options).encoding


def best(encoding: Encoding) -> tuple[int, Any]:
    """The least number of errors and the tree, by RC2 on what is written."""
    found = solving.solve(solving.through(encoding))
    assert found is not None
    tree = encoding.tree(found[1])
    assert encoding.cost(tree) == found[0]
    return encoding.errors(tree), tree  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", ["core", "paper"])
def test_parity_within_depth_two(form: str) -> None:
    """(c), E12: four of eight rows at best; relaxed by the largest node index, as printed, it says eight."""
    errors, tree = best(plan("depth", PARITY, depth=2, form=form))
    assert errors == 4 and depth(tree) <= 2


def child_without_parent_clause(t: core.CoreTree) -> Iterator[Block]:
    """`left_nodes_have_one_parent` without l_ij → η(j)."""
    for block in core.left_nodes_have_one_parent(t):
        literals = layout(block)
        if not (literals.size and np.isin(literals[:, -1], t.eta[t.eta > 0]).all()):
            yield block


def no_child(t: core.CoreTree) -> Iterator[Block]:
    """`tests_have_one_left_child` as the largest index relaxes it: only if all children are used."""
    for i in range(1, t.N + 1):
        kids = t.l[i, list(lr(i, t.N))]
        last = min(2 * i, t.N - 1) if len(kids) else i
        yield clause(*t.unused(last), t.v[i], kids)
        yield pairwise(kids)


@pytest.mark.parametrize(
    "printed",
    [
        {core.left_nodes_have_one_parent: child_without_parent_clause},
        {core.tests_have_one_left_child: no_child},
    ],
    ids=["child", "index"],
)
def test_without_either_repair_of_e12_too_much_seems_right(printed: dict[Any, Any]) -> None:
    """Each repair alone is not enough: the accuracy is over-claimed; three rows are wrong at best."""
    encoding: Any = plan("accuracy", PARITY, ub=7)
    assert best(encoding)[0] == 3

    class Printed(type(encoding)):  # type: ignore[misc]
        def hard(self):  # type: ignore[no-untyped-def]
            structure = [printed.get(part, part) for part in core.STRUCTURE]
            parts = [core.nodes_are_used_in_order(self.t, self.lb)]
            parts += [part(self.t) for part in (*structure, *core.FEATURES)]
            parts += [softrows.classified_if_claimed(self.t, self.s)]
            yield from (block for part in parts for block in part)

    found = solving.solve(solving.through(Printed(PARITY, **encoding.options)))
    assert found is not None and found[0] < 3


@pytest.mark.parametrize("form", ["core", "paper"])
def test_exact_depth_is_reached(form: str) -> None:
    """(d), E13: never a shallower tree, whatever the size."""
    rng = np.random.default_rng(3)
    for _ in range(30):
        labels = rng.integers(0, 2, 8)
        if len(set(labels.tolist())) > 1:
            encoding = plan("depth", problem(CUBE, labels.tolist()), depth=3, exact=True, form=form)
            assert depth(best(encoding)[1]) == 3


def test_without_the_clause_that_is_never_relaxed_it_is_not() -> None:
    """Dropping it gives shallower trees: it is what does it."""
    encoding: Any = plan("depth", problem(CUBE, [0, 0, 0, 0, 1, 1, 1, 1]), depth=3, exact=True)
    clause = layout(next(iter(depths.some_node_is_deepest(encoding.k))))

    class Relaxed(type(encoding)):  # type: ignore[misc]
        def hard(self):  # type: ignore[no-untyped-def]
            yield from (b for b in super().hard() if not np.array_equal(layout(b), clause))

    found = solving.solve(solving.through(Relaxed(encoding.problem, **encoding.options)))
    assert found is not None and found[0] == 0


def test_inconsistent_rows_become_a_constant_and_a_difference() -> None:
    encoding = plan("accuracy", CLASH, ub=7)
    settled = softrows.settle(CLASH)
    assert settled.constant == 2 and settled.w.tolist() == [1]
    assert best(encoding)[0] == 2
    assert "errors = cost + 2" in encoding.meaning_of_cost


def test_weights_count() -> None:
    """Rows that occur often are worth more."""
    data = problem(["0"] * 5 + ["1"] * 3 + ["1"], [0] * 5 + [1] * 3 + [0])
    assert best(plan("accuracy", data, ub=3))[0] == 1


def test_exact_size_needs_tests_that_tell_nothing() -> None:
    data = problem(["00", "01", "10", "11"], [0, 0, 1, 1])
    for nodes in (3, 5, 7):
        errors, tree = best(plan("accuracy", data, nodes=nodes))
        assert errors == 0 and size(tree) == nodes
        assert solving.solve(solving.through(plan("exact", data, nodes=nodes))) is not None


@pytest.mark.parametrize("nodes", [3, 5, 7, 9, 11, 13, 15])
def test_exact_is_satisfiable_where_a_tree_of_that_size_is_pure(nodes: int) -> None:
    """Pure sizes are contiguous from the minimum up to 2^(K+1) - 1."""
    encoding = plan("exact", PARITY, nodes=nodes)
    assert (solving.solve(solving.through(encoding)) is not None) == (nodes >= 15)
    assert (oracle.optimum(encoding) is not None) == (nodes >= 15)


def test_lexicographic_is_errors_then_size_then_depth() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        labels = rng.integers(0, 2, 8).tolist()
        if len(set(labels)) < 2:
            continue
        data = problem(CUBE, labels)
        encoding: Any = plan("mixed", data, ub=9, lexicographic=True)
        _, tree = best(encoding)
        found = (encoding.errors(tree), size(tree), depth(tree))
        trees = [t for t in oracle.all_trees(data) if encoding.allows(t)]
        assert found == min((encoding.errors(t), size(t), depth(t)) for t in trees)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("exact", {"nodes": 17}, "largest tree has 15"),
        ("exact", {"nodes": 4}, "odd"),
        ("accuracy", {}, "--nodes N"),
        ("accuracy", {"ub": 2}, "at least 3"),
        ("accuracy", {"nodes": 17}, "largest tree has 15"),
        ("depth", {"depth": 0}, "depth 1 at least"),
        ("depth", {"depth": 4, "exact": True}, "no deeper path"),
        ("depth", {"depth": 2, "nodes": 9}, "at most 7 nodes"),
        ("depth", {"depth": 3, "exact": True, "ub": 5}, "too few"),
        ("mixed", {"error_weight": 0}, "--error-weight"),
        ("mixed", {"size_weight": -1}, "--size-weight"),
        ("mixed", {"depth": 0}, "--depth"),
    ],
)
def test_options_that_make_no_sense(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        encodings.get(name).plan(PARITY, **options)
