"""Whether a difference is one: examples by hand, scipy where it is there, and laws."""

from __future__ import annotations

import builtins
import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.optional import needs
from wcnfgen.report import statistics
from wcnfgen.report.statistics import Compared, Floats, sign_test

values = st.lists(st.integers(0, 4).map(lambda each: each / 4), min_size=1, max_size=12)


def compare(first: Floats, second: Floats) -> Compared:
    """Two solvers alone."""
    (found,) = statistics.compare(np.stack([first, second], axis=1), [(0, 1)])
    return found


def interval(one: Floats, seed: int = 0) -> tuple[float, float]:
    """Of the mean of some values."""
    return statistics.interval(statistics.sampled(one[:, None], seed)[:, 0])


def test_a_comparison_by_hand() -> None:
    """Differences 1/2, 0, -1/4, 1/2, 1/4: three wins, one loss; p = 2 (1 + 4) / 2^4."""
    first = np.array([1.0, 0.5, 0.25, 0.75, 0.5])
    second = np.array([0.5, 0.5, 0.5, 0.25, 0.25])
    found = compare(first, second)
    assert (found.wins, found.ties, found.losses) == (3, 1, 1)
    assert found.difference == pytest.approx((0.5 + 0 - 0.25 + 0.5 + 0.25) / 5)
    assert found.sign == 2 * (1 + 4) / 16
    assert found.low is not None and found.high is not None
    assert found.low < found.difference < found.high


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (0, 0, 1.0),
        (1, 0, 1.0),
        (5, 0, 2 / 32),
        (0, 10, 2 / 1024),
        (8, 2, 2 * (1 + 10 + 45) / 1024),
        (5, 5, 1.0),
    ],
)
def test_the_sign_test_by_hand(wins: int, losses: int, p: float) -> None:
    """Of 10 tosses, (1 + 10 + 45) of 1024 show at most two heads, and as many at most two tails."""
    assert sign_test(wins, losses) == sign_test(losses, wins) == p


def test_the_sign_test_of_very_many() -> None:
    assert sign_test(5000, 5000) == 1.0
    assert 0 < sign_test(4800, 5200) < 1e-4


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_scipys(wins: int, losses: int) -> None:
    needs(find_spec("scipy"), "scipy")
    from scipy import stats

    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected)


def test_wilcoxon_by_hand() -> None:
    """Ranks 1 to 6 of one sign: of the 2^6 signs two are as extreme."""
    needs(find_spec("scipy"), "scipy")
    first = np.arange(1, 7) / 10
    assert compare(first, np.zeros(6)).wilcoxon == pytest.approx(2 / 64)


def test_without_scipy_only_the_sign_test_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("scipy"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    found = compare(np.array([1.0, 1.0]), np.array([0.0, 0.5]))
    assert found.wilcoxon is None and found.sign == 0.5
    monkeypatch.setattr(statistics, "find_spec", lambda _: None)
    assert statistics.note().endswith("Wilcoxon's test needs scipy: pip install 'wcnfgen[report]'")


@pytest.mark.parametrize("count", [1, 2, 40])
def test_all_ties(count: int) -> None:
    found = compare(np.full(count, 0.3), np.full(count, 0.3))
    assert (found.wins, found.ties, found.losses, found.difference) == (0, count, 0, 0)
    assert found.sign == 1 and found.wilcoxon in (1, None)
    assert (found.low, found.high) == ((None, None) if count == 1 else (0, 0))


def test_one_instance_says_nothing_of_others() -> None:
    found = compare(np.array([1.0]), np.array([0.25]))
    assert (found.wins, found.difference, found.low, found.high, found.sign) == (1, 0.75, None, None, 1)


def test_no_instance() -> None:
    found = compare(np.array([]), np.array([]))
    assert (found.wins, found.ties, found.losses, found.difference, found.low) == (0, 0, 0, 0, None)


@given(values, st.randoms(use_true_random=False))
def test_a_comparison_is_the_other_way_round_from_the_other_side(one: list[float], random: Any) -> None:
    first, second = np.array(one), np.array([random.choice(one) for _ in one])
    here, there = compare(first, second), compare(second, first)
    assert (here.wins, here.ties, here.losses) == (there.losses, there.ties, there.wins)
    assert here.difference == pytest.approx(-there.difference)
    assert here.sign == there.sign and here.wins + here.ties + here.losses == len(one)
    numbers = [here.difference, here.low, here.high, here.sign, here.wilcoxon]
    assert not any(math.isnan(each) for each in numbers if each is not None)
    assert 0 < here.sign <= 1 and (here.wilcoxon is None or 0 < here.wilcoxon <= 1)


@given(values)
def test_an_interval_is_within_the_values_and_says_the_same_again(one: list[float]) -> None:
    low, high = interval(np.array(one))
    assert min(one) - 1e-12 <= low <= high <= max(one) + 1e-12
    assert interval(np.array(one)) == (low, high)


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=9))
def test_all_pairs_at_once_are_each_pair_alone(rows: list[tuple[int, int, int]]) -> None:
    """Costs of three solvers as scores, which are no round numbers."""
    scores = 1 / (1 + np.array(rows))
    pairs = [(0, 1), (2, 0), (1, 1)]
    assert statistics.compare(scores, pairs) == [compare(scores[:, a], scores[:, b]) for a, b in pairs]


def test_the_rounding_of_floats_makes_no_difference() -> None:
    """0.1 + 0.2 is not 0.3, and 0.9 - 0.8 not 0.4 - 0.3: a tie of values, and one of ranks."""
    found = compare(np.array([0.1 + 0.2, 0.9, 0.3]), np.array([0.3, 0.8, 0.4]))
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert found.difference == 0 and found.wilcoxon in (1, None)


def test_samples_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = interval(np.arange(7.0))
    monkeypatch.setattr(statistics, "AT_ONCE", 10)
    assert interval(np.arange(7.0)) == whole


def test_an_interval_covers_the_mean_as_often_as_it_says(full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100 values each, drawn from what has the mean 1/2: 95 % of the intervals have it inside."""
    monkeypatch.setattr(statistics, "DRAWN", 200_000)
    random = np.random.default_rng(1)
    times = 1000 if full else 100
    ends = [interval(random.random(100), seed) for seed in range(times)]
    covered = sum(low <= 0.5 <= high for low, high in ends)
    assert 0.95 - 4 * (0.95 * 0.05 / times) ** 0.5 <= covered / times


def test_the_interval_is_the_bootstraps() -> None:
    """Of two values 0 and 1 a sample's mean is 0, 1/2 or 1, with chances 1/4, 1/2, 1/4."""
    assert interval(np.array([0.0, 1.0])) == (0, 1)
    low, high = interval(np.arange(1000) / 1000)
    error = float(np.std(np.arange(1000) / 1000)) / 1000**0.5
    assert low == pytest.approx(0.4995 - 1.96 * error, abs=0.002)
    assert high == pytest.approx(0.4995 + 1.96 * error, abs=0.002)


def test_of_very_many_values_fewer_samples_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "DRAWN", 40_000)
    monkeypatch.setattr(statistics, "FEWEST", 10)
    low, high = interval(np.arange(4000.0))
    assert 1900 < low < 2000 < high < 2100
