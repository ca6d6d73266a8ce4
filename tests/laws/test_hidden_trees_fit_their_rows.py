"""A hidden tree has the size asked for, classifies its rows without error, and every leaf is reached."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.instances.rules import generate
from wcnfgen.instances.rules.hidden_tree import build, grow
from wcnfgen.instances.rules.random_dnf import dnf
from wcnfgen.tree import Leaf, Node, Tree, breadth_first, predict, reached, size


@st.composite
def requests(draw: st.DrawFn) -> dict[str, int]:
    features = draw(st.integers(1, 12))
    leaves = draw(st.integers(2, min(40, 2**features)))
    return {
        "nodes": 2 * leaves - 1,
        "features": features,
        "classes": draw(st.integers(2, leaves)),
        "rows": draw(st.integers(leaves, leaves + 30)),
        "seed": draw(st.integers(0, 2**63 - 1)),
    }


def paths(tree: Tree, above: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    if isinstance(tree, Leaf):
        return [above]
    return [path for child in (tree.no, tree.yes) for path in paths(child, (*above, tree.test))]


@given(requests())
def test_the_tree_classifies_every_row_and_every_leaf_has_rows(request: dict[str, int]) -> None:
    tree = build(grow(request["nodes"], request["features"], request["seed"]), request["classes"])
    table = np.array(list(generate("hidden-tree", **request).rows), np.int32)
    X, y = table[:, :-1].astype(np.uint8), table[:, -1]
    assert size(tree) == request["nodes"]
    assert X.shape == (request["rows"], request["features"])
    assert np.array_equal(predict(tree, X), y)
    assert all(len(rows) for _, rows in reached(tree, X))
    assert set(y.tolist()) == set(range(request["classes"]))


@given(requests(), st.floats(0, 1))
def test_noise_gives_that_share_of_the_rows_another_class(request: dict[str, int], noise: float) -> None:
    clean, noisy = (
        np.array(list(generate("hidden-tree", noise=share, **request).rows), np.int32)
        for share in (0.0, noise)
    )
    assert np.array_equal(clean[:, :-1], noisy[:, :-1])
    assert (clean[:, -1] != noisy[:, -1]).sum() == int(noise * request["rows"] + 0.5)
    assert set(noisy[:, -1].tolist()) <= set(range(request["classes"]))


def test_noise_takes_each_other_class_and_depends_on_the_seed() -> None:
    options = {"nodes": 9, "classes": 4, "rows": 400, "noise": 1.0}
    pairs, chosen = set(), set()
    for seed in range(5):
        clean = np.array(
            list(generate("hidden-tree", **options | {"seed": seed, "noise": 0.0}).rows), np.int32
        )
        noisy = np.array(list(generate("hidden-tree", **options | {"seed": seed}).rows), np.int32)
        some = np.array(
            list(generate("hidden-tree", **options | {"seed": seed, "noise": 0.1}).rows), np.int32
        )
        pairs |= set(zip(clean[:, -1].tolist(), noisy[:, -1].tolist(), strict=True))
        chosen.add(tuple(np.flatnonzero(clean[:, -1] != some[:, -1]).tolist()))
    assert pairs == {(a, b) for a in range(4) for b in range(4) if a != b}
    assert len(chosen) == 5


@given(requests())
def test_no_test_is_idle(request: dict[str, int]) -> None:
    tree = build(grow(request["nodes"], request["features"], request["seed"]), request["classes"])
    assert all(len(set(path)) == len(path) for path in paths(tree))
    for node in breadth_first(tree):
        if isinstance(node, Node) and isinstance(node.no, Leaf):
            assert node.no != node.yes


@given(st.integers(1, 6), st.data())
def test_a_random_dnf_is_true_where_one_of_its_terms_holds(features: int, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, features))
    terms = data.draw(st.integers(1, 2))  # every length has two terms at least
    seed = data.draw(st.integers(0, 2**63 - 1))
    formula = dnf(features, terms, length, seed)
    assert len(set(formula)) == terms
    assert all(len({feature for feature, _ in term}) == length for term in formula)
    options = {"features": features, "terms": terms, "length": length, "irrelevant": 1, "seed": seed}
    for row in generate("random-dnf", **options).rows:
        *x, label = map(int, row)
        assert label == any(all(x[feature] == wanted for feature, wanted in term) for term in formula)
