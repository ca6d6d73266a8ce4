"""Explicit paths: against the other encodings, part by part, and no constraint without need."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests import oracle, solving
from tests.conformance.test_encodings import every_labelling, random_problem
from tests.strategies import trees
from wcnfgen import bounds, encodings, writer
from wcnfgen.clauses import layout
from wcnfgen.constraints import paths
from wcnfgen.constraints.topology import layouts
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.encodings._core import most_nodes
from wcnfgen.errors import UsageError
from wcnfgen.instances import rules
from wcnfgen.prepare import prepare
from wcnfgen.rows import Conflicts, Problem, merge
from wcnfgen.tree import Leaf, Node, Tree, depth, from_list, predict, repeats_a_test, size, to_list


def plan(data: Problem, **options: Any) -> Plan:
    return encodings.get("paths").plan(data, **options)


def best(encoding: Encoding) -> int | None:
    found = solving.solve(solving.through(encoding))
    return None if found is None else found[0]


def optimum(name: str, data: Problem, **options: Any) -> int | None:
    return best(encodings.get(name).plan(data, **options).encoding)


def problems(sets: int, seed: int, conflicts: Conflicts = "majority") -> Iterator[Problem]:
    rng = np.random.default_rng(seed)
    return (random_problem(rng, conflicts) for _ in range(sets))


def drawn(columns: int, classes: int, rows: int, seed: int) -> Problem:
    """Random rows, consistent, of every class."""
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, 2, (rows, columns), dtype=np.uint8), axis=0)
    y = rng.integers(0, classes, len(X)).astype(np.int32)
    y[:classes] = np.arange(classes)
    return merge(X, y, classes)


def models(encoding: Encoding) -> Iterator[tuple[int, ...]]:
    """The tree of every model; models are told apart by all variables but those of rows that may be wrong."""
    hards = [row for block in encoding.hard() for row in layout(block).tolist()]
    claims: Any = encoding
    aside = set(claims.s.b.tolist()) if claims.s else set()
    seen = [x for x in range(1, encoding.variables + 1) if x not in aside]
    for model in solving.all_models(hards, seen, encoding.variables):
        yield tuple(to_list(encoding.tree(model)))


def allowed_by(encoding: Encoding) -> set[tuple[int, ...]]:
    """Every tree that the definition allows, whatever its classes."""
    problem = encoding.problem
    every = {
        tuple(to_list(labelled))
        for tree in oracle.all_trees(problem)
        if size(tree) <= encoding.options["ub"]
        for labelled in every_labelling(tree, problem.classes)
    }
    return {each for each in every if encoding.allows(from_list(list(each)))}


# ---------------------------------------------------------------------------- against other encodings


@pytest.mark.parametrize(
    ("rule", "nodes"), [("weather", 9), ("lenses", 13), ("corral", 13), ("mux6", 15), ("parity3", 15)]
)
def test_known_optima(rule: str, nodes: int, tmp_path: Path) -> None:
    """Narodytska et al. 2018, table 4, and the core formula of `size`, which agrees."""
    text = io.StringIO()
    rules.write_csv(text, rules.generate(rule))
    (tmp_path / "data.csv").write_text(text.getvalue())
    data = prepare(tmp_path / "data.csv").problem
    cost = best(plan(data).encoding)
    assert cost is not None and 2 * cost + 3 == nodes
    assert cost == optimum("size", data)


def test_the_optimum_is_that_of_the_core_formula(full: bool) -> None:
    for data in problems(200 if full else 30, seed=3):
        assert best(plan(data).encoding) == optimum("size", data)


def test_fewest_errors_come_first_as_in_the_core_formula(full: bool) -> None:
    """With conflicting and weighted rows, some of which weigh nothing."""
    rng = np.random.default_rng(5)
    for data in problems(200 if full else 30, seed=5, conflicts="keep"):
        weighed = replace(data, w=rng.integers(0, 4, data.rows))
        for ub in (3, 5, 7):
            options = {"ub": ub, "lb": 3, "soft_rows": True}
            assert best(plan(weighed, **options).encoding) == optimum("size", weighed, **options)


def test_within_a_depth_it_is_that_of_the_complete_tree(full: bool) -> None:
    """Infer-size of Avellaneda counts all leaves, we count those beyond the second."""
    for data in problems(100 if full else 20, seed=7):
        for deepest in range(1, data.features + 1):
            ours = best(plan(data, depth=deepest, ub=most_nodes(deepest), lb=3).encoding)
            theirs = optimum("complete", data, depth=deepest, min_size=True)
            assert ours == (None if theirs is None else theirs - 2)


def test_the_default_bound_leaves_no_tree_within_the_depth_out(full: bool) -> None:
    """Greedy trees may be too deep where others are not."""
    too_deep = 0
    for seed in range(40 if full else 15):
        data = drawn(columns=5, classes=2, rows=9, seed=seed)
        for deepest in (2, 3, 4):
            chosen = plan(data, depth=deepest, lb=3)
            whole = plan(data, depth=deepest, ub=most_nodes(deepest), lb=3)
            assert best(chosen.encoding) == best(whole.encoding)
            too_deep += depth(bounds.greedy(data)) > deepest and best(whole.encoding) is not None
    assert too_deep


# ---------------------------------------------------------------------------- models and trees


@pytest.mark.parametrize(
    ("columns", "classes", "options"),
    [
        (1, 2, {"ub": 3, "soft_rows": True}),
        (2, 2, {"ub": 7, "soft_rows": True}),
        (2, 3, {"ub": 7, "soft_rows": True}),
        (3, 2, {"ub": 7, "soft_rows": True}),
        (3, 2, {"ub": 9, "soft_rows": True, "depth": 2}),
        (3, 2, {"ub": 7, "lb": 5, "soft_rows": True, "layout": "2/4"}),
        (3, 2, {"ub": 15, "lb": 3}),
        (3, 4, {"ub": 9, "lb": 3}),
    ],
    ids=str,
)
def test_each_tree_that_is_allowed_is_one_model(columns: int, classes: int, options: dict[str, Any]) -> None:
    """And nothing else is a model: every variable says something of the tree."""
    encoding = plan(drawn(columns, classes, rows=12, seed=11), **options).encoding
    found = Counter(models(encoding))
    assert set(found) == allowed_by(encoding)
    assert set(found.values()) == {1}


@given(trees(features=6, classes=3).filter(lambda tree: isinstance(tree, Node)), st.integers(0, 2))
def test_a_tree_is_its_paths(tree: Tree, spare: int) -> None:
    """A model satisfies the constraints and decodes to its tree, also with paths and steps to spare."""
    assume(not repeats_a_test(tree))
    data = drawn(columns=6, classes=3, rows=30, seed=13)
    labels = predict(tree, data.X)
    assume(len(np.unique(labels)) > 1)
    own = merge(data.X, labels, 3)
    encoding = encodings.get("paths")(own, ub=size(tree) + 2 * spare)  # type: ignore[call-arg]
    model = encoding.model(tree)
    assert encoding.tree(model) == tree
    assert solving.falsified(solving.through(encoding), model) == (0, encoding.cost(tree))


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_any_other_assignment_is_a_tree_or_is_refused(seed: int, share: float) -> None:
    """Whatever a solver claims to be a model: no other exception."""
    encoding = plan(drawn(columns=3, classes=3, rows=8, seed=1), ub=7, lb=3, soft_rows=True).encoding
    rng = np.random.default_rng(seed)
    model = encoding.model(Node(0, Node(1, Leaf(0), Leaf(1)), Leaf(2)))
    flipped = model ^ (rng.random(len(model)) < share * rng.random())
    try:
        assert isinstance(encoding.tree(flipped), Node | Leaf)
    except ValueError as error:
        assert "describes no tree" in str(error)


@pytest.mark.parametrize("constraint", paths.ALL, ids=lambda constraint: constraint.__name__)
def test_no_constraint_can_be_left_out(constraint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it some model is no tree, or one that is not allowed, or the second of its tree."""
    encoding = plan(drawn(columns=2, classes=3, rows=4, seed=2), ub=5, lb=3, soft_rows=True).encoding
    allowed, found = allowed_by(encoding), set()
    monkeypatch.setattr(paths, "ALL", tuple(each for each in paths.ALL if each is not constraint))
    with pytest.raises(ValueError, match=r"describes no tree|not allowed|second model"):
        for tree in models(encoding):
            if tree not in allowed or tree in found:
                raise ValueError("not allowed, or the second model of its tree")
            found.add(tree)


# ---------------------------------------------------------------------------- parts of a search


@pytest.mark.parametrize(("count", "ub"), [(1, 7), (4, 7), (25, 7), (676, 7)])
def test_parts_share_no_tree_and_leave_none_out(count: int, ub: int) -> None:
    data = drawn(columns=3, classes=2, rows=6, seed=17)
    parts: Counter[tuple[int, ...]] = Counter()
    for number in range(1, count + 1):
        try:
            encoding = plan(data, ub=ub, lb=3, soft_rows=True, layout=f"{number}/{count}").encoding
        except UsageError as error:
            assert "which takes" in str(error) or "a path of" in str(error)
            continue
        found = Counter(models(encoding))
        assert set(found) == allowed_by(encoding)
        parts += found
    assert parts == Counter(models(plan(data, ub=ub, lb=3, soft_rows=True).encoding))
    assert set(parts.values()) == {1}


@pytest.mark.parametrize(("count", "sets"), [(4, 20), (25, 3)])
def test_the_best_part_has_the_optimum(count: int, sets: int, full: bool) -> None:
    for data in problems(5 * sets if full else sets, seed=19):
        costs = []
        for number in range(1, count + 1):
            try:
                costs.append(best(plan(data, ub=9, lb=3, layout=f"{number}/{count}").encoding))
            except UsageError as error:
                assert "which takes" in str(error) or "a path of" in str(error)
        known = [cost for cost in costs if cost is not None]
        assert min(known, default=None) == best(plan(data, ub=9, lb=3).encoding)


def test_parts_are_the_layouts_in_their_order() -> None:
    data = drawn(columns=5, classes=2, rows=20, seed=23)
    for count, levels in ((4, 2), (25, 3), (676, 4)):
        for number in (2, count):
            options = plan(data, ub=31, lb=3, layout=f"{number}/{count}").encoding.options
            assert options["layout"] == layouts(levels)[number - 1]
    assert "layout" not in plan(data, layout="1/1").encoding.options


def test_an_optimum_of_a_part_is_only_the_parts() -> None:
    data = drawn(columns=3, classes=2, rows=8, seed=29)
    part, whole = plan(data, ub=7, lb=3, layout="4/4"), plan(data, ub=7, lb=3)
    assert whole.assumed_cost is None and part.assumed_cost == 2
    assert any("leaves out trees" in note for note in part.notes)
    assert not encodings.get("paths").reducible({"layout": "1/4"})
    assert encodings.get("paths").reducible({"layout": None})


# ---------------------------------------------------------------------------- size


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("ub", [3, 5, 15, 31])
@pytest.mark.parametrize(("columns", "deepest"), [(7, None), (20, None), (20, 3)])
def test_its_size_is_a_formula(columns: int, deepest: int | None, ub: int, classes: int) -> None:
    """M rows, K features, C classes, P paths of D steps; for C > 2, and what two classes make different."""
    data = drawn(columns, classes, rows=60, seed=31)
    M, K, C, P = data.rows, columns, classes, (min(ub, most_nodes(deepest or columns)) + 1) // 2
    D = min(K if deepest is None else deepest, P - 1)
    for soft in (False, True):
        encoding = plan(data, ub=ub, lb=3, depth=deepest, soft_rows=soft).encoding
        counts = writer.count(encoding)
        cs = C if C > 2 else 1
        assert counts.variables == P * D * (K + 2) + (P - 1) * (D - 1) + P * (2 * K + cs) + soft * M
        assert counts.hard == (
            1
            + 2 * D
            + (P - 1) * (5 * D - 2)
            + (P - 1) * (4 * D - 2)
            + P * D * (1 + K * (K - 1) // 2 + K)
            + (P - 1) * 2 * D * K
            + P * 2 * K * (2 * D + 1)
            + (P * (1 + C + C * (C - 1) // 2) if C > 2 else P)
            + P * M
        )
        assert counts.soft == P - 2 + soft * M


# ---------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ub": 4}, "--ub 4: the size of a tree with a test is odd"),
        ({"ub": 9, "lb": 6}, "--lb 6: the size of a tree with a test is odd"),
        ({"ub": 5, "lb": 7}, "the upper bound 5 is below --lb 7"),
        ({"ub": 3}, "below the lower bound: every pure tree has at least"),
        ({"depth": 0}, "--depth 0: a tree with a test has depth 1"),
        ({"depth": 1}, "the upper bound 3 is below the lower bound"),
        ({"depth": 1, "lb": 5}, "the upper bound 3 is below --lb 5"),
        ({"layout": "1"}, "--layout 1: write I/N, part I of N from 1 to N, where N is one of 1, 4, 25, 676"),
        ({"layout": ""}, "one of 1, 4, 25, 676"),
        ({"layout": "1/5"}, "one of 1, 4, 25, 676"),
        ({"layout": "0/4"}, "one of 1, 4, 25, 676"),
        ({"layout": "5/4"}, "one of 1, 4, 25, 676"),
        ({"layout": "-1/4"}, "one of 1, 4, 25, 676"),
        ({"layout": "1/4/4"}, "one of 1, 4, 25, 676"),
        ({"layout": "a/b"}, "one of 1, 4, 25, 676"),
        ({"layout": "٣/٤"}, "one of 1, 4, 25, 676"),
        ({"ub": 5, "lb": 3, "layout": "4/4"}, "takes 7 nodes; there are 5"),
        ({"ub": 31, "layout": "676/676", "depth": 3}, "takes 31 nodes; there are 15"),
        ({"ub": 15, "layout": "8/676", "depth": 3}, "of depth 4 at least; the bound is 3"),
    ],
    ids=str,
)
def test_options_that_make_no_sense(options: dict[str, Any], says: str) -> None:
    data = drawn(columns=4, classes=2, rows=16, seed=37)
    with pytest.raises(UsageError, match=says):
        plan(data, **options)


def test_bounds_are_lowered_to_what_the_depth_allows() -> None:
    data = drawn(columns=3, classes=2, rows=8, seed=41)
    within = plan(data, ub=99, lb=3, depth=2)
    assert within.encoding.options["ub"] == 7
    assert within.notes == ["upper bound 99 lowered to 7: no path has more than 2 tests"]
    assert plan(data, ub=99, lb=3, depth=9).encoding.options["depth"] == 3
    assert "no soft clause" in plan(data, ub=3, lb=3).notes[0]


def test_a_witness_is_within_the_depth_and_the_nodes() -> None:
    """Where rows are soft there is always one."""
    for data in problems(10, seed=43, conflicts="keep"):
        for options in ({"ub": 3}, {"ub": 7, "depth": 2}, {}):
            chosen = plan(data, soft_rows=True, **options)
            assert chosen.witness is None or chosen.encoding.allows(chosen.witness)
            assert chosen.witness is not None or size(bounds.greedy(data)) == 1
