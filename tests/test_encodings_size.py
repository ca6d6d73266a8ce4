"""The size encoding: the errors of the print that it must not have, and the counts that it must."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest

from tests import oracle, solving
from wcnfgen.clauses import layout
from wcnfgen.constraints import core, paper
from wcnfgen.encodings.size import Size
from wcnfgen.errors import UsageError
from wcnfgen.rows import Problem, merge
from wcnfgen.tree import Leaf, Node, predict, size
from wcnfgen.variables import Pool

FORMS: tuple[Literal["core", "paper"], ...] = ("core", "paper")


def problem(rows: list[str], y: list[int]) -> Problem:
    """Rows written as strings of 0 and 1."""
    X = np.array([list(map(int, row)) for row in rows], np.uint8)
    return merge(X, np.array(y, np.int32), max(y) + 1)


def solved(encoding: Size) -> int | None:
    """The size of the smallest tree, by RC2 on what is written."""
    found = solving.solve(solving.through(encoding))
    if found is None:
        return None
    tree = encoding.tree(found[1])
    assert (predict(tree, encoding.problem.X) == encoding.problem.y).all()
    assert size(tree) == 2 * found[0] + (3 if encoding.form == "core" else -1)
    return size(tree)


AND = problem(["00", "01", "10", "11"], [0, 0, 0, 1])
THREE = problem(["00", "01", "10", "11"], [0, 1, 2, 2])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ub", [5, 7])
def test_unused_nodes_are_nobodys_child(form: Literal["core", "paper"], ub: int) -> None:
    """(a), E1: printed MPDT says 3 for the conjunction of two features."""
    assert solved(Size(AND, ub=ub, form=form)) == 5


def test_without_that_clause_the_optimum_is_three() -> None:
    """The clause is what does it: the printed form is wrong."""

    class Printed(Size):
        def hard(self):  # type: ignore[no-untyped-def]
            left = [block for each in (paper.children_are_used(self.t),) for block in each]
            for block in super().hard():
                if not any(np.array_equal(layout(block), layout(other)) for other in left):
                    yield block

    found = solving.solve(solving.through(Printed(AND, ub=7, form="paper")))
    assert found is not None
    assert 2 * found[0] - 1 == 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ub", [5, 7])
def test_leaves_exclude_the_other_classes(form: Literal["core", "paper"], ub: int) -> None:
    """(b), E3: printed (24) says 3."""
    assert solved(Size(THREE, ub=ub, form=form)) == 5


@pytest.mark.parametrize("form", FORMS)
def test_inconsistent_rows_have_no_pure_tree(form: Literal["core", "paper"]) -> None:
    """(g): the formula itself is unsatisfiable, if anybody gets that far."""
    assert solved(Size(problem(["00", "00", "11"], [0, 1, 1]), ub=7, form=form)) is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("counters", [True, False])
def test_an_upper_bound_below_the_optimum_is_unsatisfiable(
    form: Literal["core", "paper"], counters: bool
) -> None:
    assert solved(Size(AND, ub=3, form=form, counters=counters)) is None


def test_the_cost_of_the_paper_form_is_that_of_proposition_1() -> None:
    """⌈|MPDT|/2⌉."""
    found = solving.solve(solving.through(Size(AND, ub=7, form="paper")))
    assert found is not None and found[0] == math.ceil(5 / 2)


def test_soft_clauses_do_not_depend_on_the_lower_bound() -> None:
    """Every odd i from 5 on, or all odd i: the constant stays, whatever is forced."""
    for form, expected in (("core", 3), ("paper", 5)):
        for lb in (3, 5, 7):
            (soft,) = [block for _, block in Size(AND, ub=9, lb=lb, form=form).soft()]  # type: ignore[arg-type]
            assert len(soft) == expected
            assert (soft < 0).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("N", [3, 5, 7, 9, 11, 13])
def test_structure_has_one_model_for_each_tree(form: Literal["core", "paper"], N: int) -> None:
    """With the counters, the models of exactly N nodes are as many as binary trees: Catalan numbers."""
    pool = Pool()
    module: Any = core if form == "core" else paper
    make = core.CoreTree if form == "core" else paper.PaperTree
    t: Any = make(N, 1, 2, pool)
    hards = [row for part in module.STRUCTURE for block in part(t) for row in layout(block).tolist()]
    hards += [row for block in module.nodes_are_used_in_order(t, N) for row in layout(block).tolist()]
    used = sorted({abs(int(x)) for x in (*t.v, *t.l.ravel()) if x})
    tests = (N - 1) // 2
    assert solving.models(hards, used) == math.comb(2 * tests, tests) // (tests + 1)


def test_without_the_counters_there_are_more() -> None:
    """E15: (1)-(6) alone do not enforce the breadth-first order."""
    t = core.CoreTree(9, 1, 2, Pool(), counters=False)
    hards = [row for part in core.STRUCTURE for block in part(t) for row in layout(block).tolist()]
    hards += [row for block in core.nodes_are_used_in_order(t, 9) for row in layout(block).tolist()]
    assert solving.models(hards, sorted({abs(x) for row in hards for x in row})) == 16


# ---------------------------------------------------------------------------- bounds left open


def test_bounds_are_computed() -> None:
    plan = Size.plan(AND)
    assert plan.encoding.options["lb"] == plan.encoding.options["ub"] == 5
    assert plan.witness is not None and size(plan.witness) == 5
    assert solving.falsified(solving.through(plan.encoding), plan.encoding.model(plan.witness)) == (0, 1)


def test_an_upper_bound_beyond_every_tree_is_capped_with_a_note() -> None:
    """(f): no tree over 2 columns has more than 7 nodes."""
    plan = Size.plan(AND, ub=31)
    assert plan.encoding.options["ub"] == 7
    assert "lowered to 7" in plan.notes[0]


def test_an_upper_bound_below_the_witness_is_allowed() -> None:
    rng = np.random.default_rng(3)
    X = np.unique(rng.integers(0, 2, (40, 6), dtype=np.uint8), axis=0)
    data = merge(X, rng.integers(0, 2, len(X)).astype(np.int32), 2)
    known = Size.plan(data).witness
    assert known is not None
    assert Size.plan(data, ub=size(known) - 2).witness is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ub": 4}, "odd"),
        ({"ub": 1}, "at least 3"),
        ({"ub": -3}, "at least 3"),
        ({"lb": 4, "ub": 7}, "--lb 4"),
        ({"lb": 7, "ub": 5}, "below --lb 7"),
        ({"ub": 3}, "every pure tree has at least 5 nodes"),
        ({"lb": 9, "ub": 9}, "7 nodes at most"),
    ],
)
def test_bounds_that_make_no_sense_are_usage_errors(options: dict[str, int], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Size.plan(AND, **options)  # type: ignore[arg-type]


def test_decoding_refuses_what_is_no_tree() -> None:
    encoding = Size(AND, ub=7)
    nothing = np.zeros(encoding.variables + 1, bool)
    with pytest.raises(ValueError, match="no tree"):
        encoding.tree(nothing)


def test_the_oracle_knows_the_small_cases() -> None:
    """The judge is judged: minimum sizes worked out by hand."""
    for data, least in ((AND, 5), (THREE, 5), (problem(["00", "01", "10", "11"], [0, 1, 1, 0]), 7)):
        assert oracle.optimum(Size(data, ub=15)) == (least - 3) // 2


def test_model_of_a_tree_by_hand() -> None:
    encoding = Size(AND, ub=5)
    tree = Node(0, Leaf(0), Node(1, Leaf(0), Leaf(1)))
    assert encoding.tree(encoding.model(tree)) == tree
