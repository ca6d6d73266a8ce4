"""Rows: sampling, conflicts, merging and column reduction, as laws."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.errors import DataError, UsageError
from wcnfgen.rows import Conflicts, Labels, Matrix, Removed, merge, present, reduce, resolve, sample

Set = tuple[Matrix, Labels]


@st.composite
def sets(draw: st.DrawFn) -> Set:
    """Few distinct rows, so that equal ones and conflicts are common; up to 19 columns."""
    columns = draw(st.integers(0, 19))
    cells = st.lists(st.integers(0, 1), min_size=columns, max_size=columns)
    pool = draw(st.lists(cells, min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(st.sampled_from(pool), st.integers(0, 2)), min_size=1, max_size=20))
    X = np.array([row for row, _ in rows], np.uint8).reshape(len(rows), columns)
    return X, np.array([label for _, label in rows], np.int32)


def pairs(X: Matrix, y: Labels) -> list[tuple[int, bytes]]:
    return [(int(label), row.tobytes()) for row, label in zip(X, y, strict=True)]


def groups(X: Matrix, y: Labels) -> dict[bytes, list[int]]:
    found: dict[bytes, list[int]] = {}
    for label, row in pairs(X, y):
        found.setdefault(row, []).append(label)
    return found


# --- merge ---------------------------------------------------------------------------------------


@given(sets())
def test_merge_counts_the_pairs_in_order(data: Set) -> None:
    X, y = data
    problem = merge(X, y, 3)
    merged = pairs(problem.X, problem.y)
    assert dict(zip(merged, problem.w.tolist(), strict=True)) == Counter(pairs(X, y))
    assert merged == sorted(merged)
    assert (problem.weight, problem.rows, problem.features) == (len(X), len(merged), X.shape[1])


@given(sets())
def test_merge_does_not_depend_on_the_order_of_rows(data: Set) -> None:
    X, y = data
    order = np.random.default_rng(len(y)).permutation(len(y))
    one, other = merge(X, y, 3), merge(X[order], y[order], 3)
    assert one.X.tobytes() == other.X.tobytes()
    assert (one.y.tolist(), one.w.tolist()) == (other.y.tolist(), other.w.tolist())


# --- resolve -------------------------------------------------------------------------------------


@given(sets(), st.sampled_from(["majority", "first", "drop"]))
def test_resolve_leaves_no_conflict(data: Set, policy: Conflicts) -> None:
    X, y = data
    resolved = resolve(X, y, policy)
    keep = resolved.keep
    assert all(len(set(labels)) == 1 for labels in groups(X[keep], y[keep]).values())
    assert resolved.dropped == len(X) - keep.sum()
    assert resolved.conflicting_vectors == sum(len(set(each)) > 1 for each in groups(X, y).values())


@given(sets())
def test_what_each_policy_keeps(data: Set) -> None:
    X, y = data
    kept = {
        policy: groups(X[keep], y[keep])
        for policy in ("majority", "first", "drop")
        for keep in [resolve(X, y, policy).keep]
    }
    for row, labels in groups(X, y).items():
        most = max(sorted(set(labels)), key=labels.count)  # the smallest of several
        assert set(kept["majority"][row]) == {most}
        assert len(kept["majority"][row]) == labels.count(most)
        assert set(kept["first"][row]) == {labels[0]}
        assert (row in kept["drop"]) == (len(set(labels)) == 1)


def test_resolve_can_refuse() -> None:
    X = np.array([[0], [1], [0], [1]], np.uint8)
    with pytest.raises(
        DataError,
        match=r"vectors with more than one class: 1, rows concerned: 2, such as data rows 2 and 4; choose",
    ):
        resolve(X, np.array([0, 0, 0, 1], np.int32), "error")
    assert resolve(X, np.array([0, 1, 0, 1], np.int32), "error").keep.all()
    with pytest.raises(UsageError, match="--conflicts most: choose one of majority"):
        resolve(X, np.zeros(4, np.int32), "most")  # type: ignore[arg-type]


# --- sample --------------------------------------------------------------------------------------

LABELS = st.lists(st.integers(0, 3), min_size=1, max_size=60).map(lambda y: np.array(y, np.int32))


@given(LABELS, st.floats(0.01, 1), st.integers(0, 2**32 - 1))
def test_sample_is_stratified_and_repeatable(y: Labels, fraction: float, seed: int) -> None:
    mask = sample(y, fraction, seed)
    assert (mask == sample(y, fraction, seed)).all()
    for label in np.unique(y):
        count = int((y == label).sum())
        chosen = int(mask[y == label].sum())
        assert 1 <= chosen <= count
        assert chosen == 1 or abs(chosen - fraction * count) <= 0.5


def test_samples_differ_by_seed() -> None:
    y = np.zeros(100, np.int32)
    assert (sample(y, 0.5, 1) != sample(y, 0.5, 2)).any()


@pytest.mark.parametrize("fraction", [0.0, -1.0, 1.5, float("nan")])
def test_sample_refuses(fraction: float) -> None:
    with pytest.raises(UsageError, match="--sample"):
        sample(np.zeros(3, np.int32), fraction, 0)


# --- reduce and present --------------------------------------------------------------------------


def distinguished(X: Matrix) -> list[list[bool]]:
    """Which pairs of rows differ."""
    return [[bool((a != b).any()) for a in X] for b in X]


@given(sets())
def test_reduce_keeps_what_the_columns_distinguish(data: Set) -> None:
    X, _ = data
    reduction = reduce(X)
    kept = X[:, list(reduction.kept)]
    assert distinguished(kept) == distinguished(X)
    assert reduce(kept).removed == ()
    assert sorted([*reduction.kept, *(each.column for each in reduction.removed)]) == list(range(X.shape[1]))


@given(sets())
def test_reduce_says_why(data: Set) -> None:
    X, _ = data
    reduction = reduce(X)
    for column, why, of in reduction.removed:
        if why == "constant":
            assert of == -1
            assert len(set(X[:, column].tolist())) == 1
        else:
            assert of in reduction.kept and of < column
            assert ((X[:, column] ^ X[:, of]) == (why == "complement")).all()


def test_reduce_by_example() -> None:
    X = np.array([[1, 0, 1, 0, 1], [1, 1, 0, 1, 1]], np.uint8)
    assert reduce(X).kept == (1,)
    assert reduce(X).removed == (
        Removed(0, "constant", -1),
        Removed(2, "complement", 1),
        Removed(3, "duplicate", 1),
        Removed(4, "constant", -1),
    )


@given(LABELS)
def test_present_keeps_the_names_of_rows(y: Labels) -> None:
    names = ("a", "b", "c", "d")
    labels, used = present(y, names)
    assert [used[label] for label in labels] == [names[label] for label in y]
    assert set(labels.tolist()) == set(range(len(used)))
