"""Where to cut a numeric column: equal widths, equal counts, or where the class changes.

Bins are those of scikit-learn's ``KBinsDiscretizer(encode="ordinal")``, which the papers used, without
scikit-learn.  Its result depends on the version: up to 1.0.2 each value was first increased by
1e-8 + 1e-5 |x|, which puts a value on a cut into the upper bin whatever the rounding of the cut
(and keeps all 150 rows of iris in Alòs et al., MPDT, Table 4; the newer rule leaves 149).  Moving
the cuts down by as much is the same, so both rules end as cuts and nothing else has to know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Binning = Literal["uniform", "quantile", "none"]
UniformRule = Literal["sklearn-1.0", "sklearn-1.1"]


def uniform(x: Floats, bins: int, rule: UniformRule = "sklearn-1.1") -> list[float]:
    """The inner cuts of `bins` bins of equal width; value v is in bin number (cuts <= v).

    >>> uniform(np.array([0.0, 4.0]), 4)
    [1.0, 2.0, 3.0]
    """
    low, high = float(x.min()), float(x.max())
    half = 0.5 if math.isinf(high - low) else 1.0  # halving is exact, and keeps the width finite
    edges = np.linspace(low * half, high * half, bins + 1) / half
    inner = edges[1:-1] if low < high else edges[:0]
    return _distinct(inner if rule == "sklearn-1.1" else np.array([_moved(cut) for cut in inner]))


def quantile(x: Floats, bins: int) -> list[float]:
    """The inner cuts of `bins` bins of equal counts (linear interpolation), closer ones merged.

    >>> quantile(np.array([1.0, 2.0, 3.0, 9.0]), 2)
    [2.5]
    """
    edges = np.percentile(x, np.linspace(0, 100, bins + 1))
    apart = np.ediff1d(edges, to_begin=np.inf) > 1e-8
    return _distinct(edges[apart][1:-1])


def _distinct(cuts: Floats) -> list[float]:
    return [float(cut) for cut in np.unique(cuts)]


def _moved(cut: float) -> float:
    """The smallest x that the old rule puts at or above the cut."""

    def above(x: float) -> bool:
        return x + (1e-8 + 1e-5 * abs(x)) >= cut

    low, high = cut - 2 * (1e-8 + 1e-5 * abs(cut)), cut
    while low < (middle := low / 2 + high / 2) < high:
        low, high = (low, middle) if above(middle) else (middle, high)
    return high


def class_changes(x: Floats, y: NDArray[np.int32]) -> list[float]:
    """Midpoints between neighbouring values unless both have one and the same class.

    x, y have shape (rows,).  Only these cuts can be in a tree of least error (Fayyad and Irani 1992).

    >>> class_changes(np.array([1.0, 2.0, 3.0, 5.0]), np.array([0, 0, 1, 1], np.int32))
    [2.5]
    """
    values, codes = np.unique(x, return_inverse=True)
    least, most = np.full(len(values), np.iinfo(np.int32).max), np.full(len(values), -1)
    np.minimum.at(least, codes, y)
    np.maximum.at(most, codes, y)
    same = (least[:-1] == most[1:]) & (most[:-1] == least[1:]) & (least[:-1] == most[:-1])
    ends = np.flatnonzero(~same)
    pairs = zip(values[ends].tolist(), values[ends + 1].tolist(), strict=True)
    return [_short(a / 2 + b / 2, a, math.nextafter(b, a)) for a, b in pairs]


def rounded(cuts: Sequence[float], x: Floats) -> list[float]:
    """Cuts of bins in as few digits, six at least, as leave them apart and every x in its bin.

    >>> rounded([0.7000000000000001, 2 / 3 + 1], np.array([0.5, 0.7, 2.0]))
    [0.700001, 1.66667]
    """
    values = [-math.inf, *np.unique(x).tolist(), math.inf]
    result = [-math.inf]
    for cut, following in zip(cuts, [*cuts, math.inf][1:], strict=True):
        at = int(np.searchsorted(values, cut))  # values[at - 1] < cut <= values[at]
        low = math.nextafter(max(values[at - 1], result[-1]), math.inf)
        result.append(_short(cut, low, min(values[at], math.nextafter(following, -math.inf))))
    return result[1:]


def _short(number: float, low: float, high: float) -> float:
    """The number, or the nearest one in [low, high], in as few digits as stay there."""
    number = min(max(number, low), high)
    ways = [(digits, way) for digits in range(6, 18) for way in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR)]
    tries = (float(Context(digits, way).create_decimal_from_float(number)) for digits, way in ways)
    return next(each for each in tries if low <= each <= high) + 0.0  # no -0.0
