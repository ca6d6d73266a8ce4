"""Whether a difference between two solvers is one.

The same instances are given to both, so what counts is the difference on each: on how many one is ahead, how
large the mean difference is and how far it would scatter had other instances of this kind been drawn, and how
often as much would happen if neither were better.

* The interval is the bootstrap's: of so many samples of the instances, drawn with replacement, the middle
  95 % of their means (Efron 1979).  The seed is fixed, so that a report says the same again, and the samples
  are drawn once for all solvers: the mean of a difference is the difference of the means.
* The sign test asks only who is ahead how often, and is exact.
* Wilcoxon's signed-rank test (1945) asks by how much, too; it needs scipy, the extra ``report``.

Both tests leave ties out, are two-sided, and are not corrected for the number of pairs.  Differences have 12
digits after the point, so that what is equal but for the rounding of floats is a tie, of values and of ranks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SAMPLES = 10_000
DRAWN = 10_000_000  # values in all: of many instances fewer samples do
FEWEST = 1_000
COVERED = 0.95
AT_ONCE = 1_000_000  # of them that are held at a time
DIGITS = 12
NOTE = (
    "difference: the mean over instances, with the middle 95 % of bootstrap samples; p: sign test and "
    "Wilcoxon's signed-rank test, two-sided, without ties, not corrected for the number of pairs"
)
EXTRA = "pip install 'wcnfgen[report]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One solver against another; differences are the first one's value less the second's.

    wins, ties, losses   instances on which the first has more, as much, less
    difference   the mean; low and high the ends of its interval, None with fewer than two instances
    sign         the sign test's p
    wilcoxon     the signed-rank test's p; None without scipy
    """

    wins: int
    ties: int
    losses: int
    difference: float
    low: float | None
    high: float | None
    sign: float
    wilcoxon: float | None


def note() -> str:
    """The line below a table of comparisons."""
    return NOTE if find_spec("scipy") else f"{NOTE}; Wilcoxon's test needs scipy: {EXTRA}"


def compare(values: Floats, pairs: Iterable[tuple[int, int]]) -> list[Compared]:
    """Compare solvers two by two: values has a row for each instance, a column for each; more is better."""
    means = sampled(values)
    return [_compared(values[:, a] - values[:, b], means[:, a] - means[:, b]) for a, b in pairs]


def _compared(exact: Floats, means: Floats) -> Compared:
    differences = np.round(exact, DIGITS)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    low, high = interval(means) if len(differences) > 1 else (None, None)
    return Compared(
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
        difference=float(differences.mean()) if len(differences) else 0.0,
        low=low,
        high=high,
        sign=sign_test(wins, losses),
        wilcoxon=wilcoxon(differences),
    )


def interval(means: Floats) -> tuple[float, float]:
    """The middle 95 % of samples' means."""
    low, high = np.quantile(np.round(means, DIGITS), [(1 - COVERED) / 2, (1 + COVERED) / 2])
    return float(low), float(high)


def sampled(values: Floats, seed: int = 0) -> Floats:
    """The mean of each column in each bootstrap sample of the rows, (samples, columns)."""
    count = len(values)
    random = np.random.default_rng(seed)
    means = np.empty((max(FEWEST, min(SAMPLES, DRAWN // max(count, 1))) if count else 0, values.shape[1]))
    step = max(1, AT_ONCE // max(count, 1))
    for start in range(0, len(means), step):
        part = means[start : start + step]
        part[:] = _drawn(random, count, len(part)) @ values / count
    return means


def _drawn(random: np.random.Generator, count: int, samples: int) -> Floats:
    """How often each of so many rows is in each sample."""
    places = random.integers(0, count, (samples, count)) + count * np.arange(samples)[:, None]
    return np.bincount(places.ravel(), minlength=samples * count).reshape(samples, count).astype(float)


def sign_test(wins: int, losses: int) -> float:
    """How often a fair coin would fall as unevenly, or more so.

    >>> sign_test(0, 5), sign_test(3, 3), sign_test(0, 0)
    (0.0625, 1.0, 1.0)
    """
    tosses = wins + losses
    ways = tail = 1
    for heads in range(min(wins, losses)):
        ways = ways * (tosses - heads) // (heads + 1)
        tail += ways
    return float(min(Fraction(1), Fraction(2 * tail, 2**tosses)))


def wilcoxon(differences: Floats) -> float | None:
    """The signed-rank test's p, 1 where there is no difference; None without scipy."""
    there = differences[differences != 0]
    try:
        from scipy import stats
    except ImportError:
        return None
    return float(stats.wilcoxon(there).pvalue) if len(there) else 1.0
