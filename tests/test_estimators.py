"""The estimators: scikit-learn's own checks, and agreement with the commands."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from wcnfgen import BaggedTreesClassifier, BoostedTreesClassifier, OptimalTreeClassifier, cli, signatures
from wcnfgen.commands import bag, boost, learn
from wcnfgen.tree import depth, predict, size

X, Y = load_iris(return_X_y=True)
X, Y = X[::2], np.array(["setosa", "versicolor", "virginica"])[Y[::2]]
EACH = [OptimalTreeClassifier, BoostedTreesClassifier, BaggedTreesClassifier]
SMALL = [OptimalTreeClassifier(), BoostedTreesClassifier(rounds=2), BaggedTreesClassifier(bags=3)]


@parametrize_with_checks(SMALL)  # type: ignore[untyped-decorator]
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(("kind", "command"), list(zip(EACH, (learn, boost, bag), strict=True)))
def test_parameters_are_options_of_the_command(kind: Any, command: Any) -> None:
    """By name; `options` are those that only some encodings have."""
    known = {p.name for p in signatures.parameters(getattr(command, command.__name__.rsplit(".", 1)[1]))}
    for encoding in ("complete", "size", "depth"):
        for function in command.forwards({"encoding": encoding}):
            known |= {p.name for p in signatures.parameters(function)}
    own = {"options", "encoding"} | ({"soft_rows"} if command is boost else set())
    assert set(kind().get_params()) <= known | own


@pytest.mark.parametrize("encoding", ["complete", "depth", "boost"])
@pytest.mark.parametrize("solver", [None, "lms"])
def test_the_tree_is_that_of_learn(encoding: str, solver: str | None) -> None:
    """As many errors as the command's tree, in this process and in another one."""
    found = OptimalTreeClassifier(encoding=encoding, solver=solver).fit(X, Y)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(4)]).assign(label=Y)
    expected = learn.learn(frame, solver="lms", encoding="depth", depth=2, binarise="binary", target="label")
    assert (found.predict(X) == Y).sum() == expected.training.right
    assert found.optimal_ and depth(found.tree_.tree) <= 2
    assert (found.verdict_ is None) == (solver is None)
    if found.verdict_ is not None:
        assert found.verdict_.ok and found.verdict_.training == expected.training
    assert "versicolor (" in found.tree_.render("text")


def test_a_limit_means_another_process() -> None:
    found = OptimalTreeClassifier(wall=60.0).fit(X, Y)
    assert found.verdict_ is not None and found.verdict_.ok
    again = pickle.loads(pickle.dumps(found))
    assert (again.predict(X) == found.predict(X)).all() and again.verdict_.tree == found.tree_.tree


def test_shares_are_those_of_the_leaves() -> None:
    found = OptimalTreeClassifier().fit(X, Y)
    shares = found.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    for share in np.unique(shares, axis=0):
        here = (shares == share).all(axis=1)
        assert np.allclose(share, [(Y[here] == name).mean() for name in found.classes_])


def test_votes_are_those_of_the_trees() -> None:
    for found in (BoostedTreesClassifier(rounds=4).fit(X, Y), BaggedTreesClassifier(bags=4).fit(X, Y)):
        assert found._fitted is not None
        columns, _ = found._fitted.binarisation.apply(_table(found))
        votes = np.zeros((len(X), 3))
        trees, alphas = found.ensemble_.trees, found.ensemble_.alphas
        assert [each.tree for each in found.trees_] == list(trees) and len(trees) > 1
        for tree, alpha in zip(trees, alphas, strict=True):
            votes[np.arange(len(X)), predict(tree, columns[:, np.array(found._fitted.kept)])] += alpha
        assert np.allclose(found.predict_proba(X), votes / sum(alphas))


def _table(found: Any) -> Any:
    from wcnfgen.data import from_arrays

    return from_arrays(X, names=found._names())


@pytest.mark.parametrize("estimator", SMALL, ids=lambda each: type(each).__name__)
def test_a_weight_is_so_many_rows(estimator: Any) -> None:
    """Also if it is scaled, or rounded; 0 is no row, and a class of such rows is none."""
    weights = np.arange(len(X)) % 3
    weights[Y == "virginica"] = 0
    rows = np.repeat(np.arange(len(X)), weights)
    expected = estimator.fit(X[rows], Y[rows])
    shares, classes = expected.predict_proba(X), list(expected.classes_)
    for same in (weights, weights / 7, 1e-9 * weights, list(weights)):
        found = estimator.fit(X, Y, sample_weight=same)
        assert list(found.classes_) == classes == ["setosa", "versicolor"]
        assert np.allclose(found.predict_proba(X), shares)


@pytest.mark.parametrize("kind", EACH)
def test_texts_missing_cells_and_what_never_was(kind: Any) -> None:
    frame = pd.DataFrame({"colour": ["red", "red", "blue", None] * 5, "class": [1.5, 2.5, 1.5, 2.5] * 5})
    labels = ["a", "b", "c", "c"] * 5
    found = kind(missing="category", binarise="onehot", bins=2).fit(frame, labels)
    assert found.score(frame, labels) == 1
    assert list(found.feature_names_in_) == ["colour", "class"]
    strange = pd.DataFrame({"colour": ["green"], "class": [99.0]})
    assert found.predict(strange)[0] in "abc"


@pytest.mark.parametrize("kind", EACH)
def test_nothing_to_test(kind: Any) -> None:
    found = kind().fit(np.ones((5, 2)), [3, 1, 1, 3, 3])
    assert found.predict([[0, 0], [1, 1]]).tolist() == [3, 3]
    assert found.trees_[0].render("text").count("3 (5 rows, 2 wrong)") == 1


def test_the_smallest_pure_tree() -> None:
    found = OptimalTreeClassifier(encoding="size", binarise="thresholds", options={"lb": 3}).fit(X, Y)
    assert found.score(X, Y) == 1
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(4)]).assign(label=Y)
    expected = learn.learn(frame, solver="lms", binarise="thresholds", target="label")
    assert size(found.tree_.tree) == size(expected.decoded.tree)


def test_more_rounds_make_fewer_errors() -> None:
    errors = [(BoostedTreesClassifier(rounds=r, depth=1).fit(X, Y).predict(X) != Y).sum() for r in (1, 8)]
    assert errors[1] < errors[0]


def test_the_seed_settles_the_bags() -> None:
    one, same, other = (BaggedTreesClassifier(bags=3, seed=seed).fit(X, Y).ensemble_ for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("estimator", "says"),
    [
        (OptimalTreeClassifier(depth=0), "--depth 0"),
        (OptimalTreeClassifier(encoding="size", soft_rows=False), "--weights"),
        (OptimalTreeClassifier(encoding="nonsense"), "unknown encoding"),
        (OptimalTreeClassifier(binarise="nonsense"), "--binarise"),
        (OptimalTreeClassifier(bins=1), "--bins 1"),
        (OptimalTreeClassifier(ub=5), "no option ub"),
        (OptimalTreeClassifier(options={"colour": 5}), "no option colour"),
        (OptimalTreeClassifier(solver="nonsense"), "nonsense"),
        (OptimalTreeClassifier(encoding="exact", nodes=3, soft_rows=False), "there is no such tree"),
        (BoostedTreesClassifier(rounds=0), "--rounds 0"),
        (BoostedTreesClassifier(cap=0), "--cap 0"),
        (BoostedTreesClassifier().set_params(rounding="up"), "--rounding up"),
        (BaggedTreesClassifier(bags=0), "--bags 0"),
        (BaggedTreesClassifier(seed=-1), "--seed -1"),
    ],
    ids=str,
)
def test_bad_parameters(estimator: Any, says: str) -> None:
    weights = np.arange(len(X)) + 1 if estimator.encoding == "size" else None
    with pytest.raises(ValueError, match=says):
        estimator.fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("bad", [-1.0, 2.0**63, 0.0])
def test_bad_weights(bad: float) -> None:
    weights = np.full(len(X), 0.0) if bad == 0 else np.r_[bad, np.ones(len(X) - 1)]
    with pytest.raises(ValueError, match=r"weight"):
        OptimalTreeClassifier().fit(X, Y, sample_weight=weights)


def test_the_command_line_does_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra: nothing but the estimators may import it."""
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.delitem(sys.modules, "wcnfgen.estimators", raising=False)
    assert cli.main(["bag", "--help"]) == 0
    with pytest.raises(ImportError, match=r"wcnfgen\[learn\]"):
        import wcnfgen.estimators  # noqa: F401


def test_a_budget_of_conflicts_ends_a_search_the_same_way_every_time() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.random((60, 8)), rng.integers(0, 3, 60)
    some = [OptimalTreeClassifier(depth=3, conflicts=200).fit(X, y) for _ in range(2)]
    assert not some[0].optimal_
    assert some[0].tree_.tree == some[1].tree_.tree
    assert OptimalTreeClassifier(depth=1, conflicts=10**6).fit(X, y).optimal_
