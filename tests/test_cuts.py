"""Cut points against scikit-learn, and the laws that rounding keeps."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.optional import needs
from wcnfgen.cuts import Floats, class_changes, quantile, rounded, uniform

FLOATS = st.floats(-1e6, 1e6, allow_subnormal=False)
DECIMALS = st.integers(-500, 500).map(lambda i: i / 10)
SAMPLES = st.lists(st.one_of(DECIMALS, FLOATS), min_size=2, max_size=30).map(
    lambda xs: np.array(xs, np.float64)
)


def scikit(x: Floats, strategy: str, bins: int, **options: Any) -> tuple[list[float], list[int]]:
    """Inner edges and codes of scikit-learn."""
    needs(find_spec("sklearn"), "scikit-learn, to compare with")
    from sklearn.preprocessing import KBinsDiscretizer

    model = KBinsDiscretizer(bins, encode="ordinal", strategy=strategy, subsample=None, **options)
    codes = model.fit_transform(x.reshape(-1, 1)).ravel().astype(int)
    return model.bin_edges_[0][1:-1].tolist(), codes.tolist()


def codes(cuts: list[float], x: Floats) -> list[int]:
    return [int(code) for code in np.searchsorted(cuts, x, side="right")]


@given(SAMPLES, st.integers(2, 9))
def test_uniform_is_scikits(x: Floats, bins: int) -> None:
    assume(x.min() < x.max() and len(np.unique(np.linspace(x.min(), x.max(), bins + 1))) == bins + 1)
    edges, theirs = scikit(x, "uniform", bins)
    assert uniform(x, bins) == edges
    assert codes(rounded(edges, x), x) == theirs


@pytest.mark.filterwarnings("ignore:Bins whose width are too small:UserWarning")
@given(SAMPLES, st.integers(2, 9))
def test_quantile_is_scikits(x: Floats, bins: int) -> None:
    assume(x.min() < x.max())
    edges, theirs = scikit(x, "quantile", bins, quantile_method="linear")
    assert quantile(x, bins) == edges
    assert codes(rounded(edges, x), x) == theirs


@given(SAMPLES, st.integers(2, 9))
def test_the_old_rule_is_the_old_formula(x: Floats, bins: int) -> None:
    # scikit-learn 1.0.2, KBinsDiscretizer.transform: np.digitize(x + eps, edges[1:]), then clip
    assume(x.min() < x.max())
    edges = np.linspace(x.min(), x.max(), bins + 1)
    old = np.digitize(x + (1e-8 + 1e-5 * np.abs(x)), edges[1:]).clip(0, bins - 1)
    cuts = uniform(x, bins, "sklearn-1.0")
    assume(len(cuts) == bins - 1)
    assert codes(cuts, x) == codes(rounded(cuts, x), x) == old.tolist()


def test_a_cut_that_the_old_rule_moves_to_zero() -> None:
    x = np.array([-1e-8, 0.0, 3e-8])
    assert codes(uniform(x, 2, "sklearn-1.0"), x) == [0, 1, 1]


@given(
    SAMPLES, st.integers(2, 9), st.sampled_from([0.0, 1e9, 1e15, -1e12]), st.sampled_from([1.0, 1e-9, 1e12])
)
def test_rounding_keeps_every_row_and_all_cuts_apart(
    x: Floats, bins: int, shift: float, scale: float
) -> None:
    x = x * scale + shift
    cuts = uniform(x, bins)
    short = rounded(cuts, x)
    assert codes(short, x) == codes(cuts, x)
    assert all(a < b for a, b in pairwise(short))
    assert len(short) == len(cuts)


def test_rounding_is_readable() -> None:
    x = np.array([4.3, 7.9])
    assert rounded(uniform(x, 8), x) == [4.75, 5.2, 5.65, 6.1, 6.55, 7.0, 7.45]


@given(st.lists(st.tuples(DECIMALS | FLOATS, st.integers(0, 2)), min_size=1, max_size=20))
def test_class_changes_are_the_needed_cuts(rows: list[tuple[float, int]]) -> None:
    x = np.array([row[0] for row in rows])
    cuts = class_changes(x, np.array([row[1] for row in rows], np.int32))
    classes = {value: {label for other, label in rows if other == value} for value, _ in rows}
    values = sorted(classes)
    between = [sum(a <= cut < b for cut in cuts) for a, b in pairwise(values)]
    pure = [len(classes[a] | classes[b]) == 1 for a, b in pairwise(values)]
    assert between == [0 if same else 1 for same in pure]


def test_the_classic_cut_of_iris() -> None:
    assert class_changes(np.array([1.9, 3.0]), np.array([0, 1], np.int32)) == [2.45]


@pytest.mark.parametrize("low, high", [(1.0, np.nextafter(1.0, 2)), (-1.7e308, 1.7e308), (5e-324, 1e-323)])
def test_extreme_ranges(low: float, high: float) -> None:
    x = np.array([low, high])
    assert class_changes(x, np.array([0, 1], np.int32))[0] == pytest.approx(low / 2 + high / 2)
    assert len(set(codes(rounded(uniform(x, 8), x), x))) == 2


def test_a_constant_column_has_no_cuts() -> None:
    assert rounded(uniform(np.array([2.0, 2.0]), 8), np.array([2.0])) == []
