"""AdaBoost and bagging as arithmetic on the weights of rows; who learns the trees is not its business.

A round of AdaBoost (Freund and Schapire 1997; Hu et al. 2020, sections 2.2 and 3.4): a tree h is learned
from weighted rows, its error e is the share of the weight that it gets wrong, and

    alpha  = 1/2 (ln((1 - e)/e) + ln(K - 1))                   K classes
    w(q)   becomes  w(q) exp(-alpha) where h is right, w(q) exp(alpha) where it is wrong, normalised
    H(x)   = the class k with the largest sum of the alphas of the trees that say k

With two classes ln(K - 1) is 0 and this is the paper's AdaBoost.  For more classes the term is that of
SAMME (Zhu et al. 2009, halved as alpha is here): our addition.  After the update the last tree is as
bad as a guess: its error is 1 - 1/K, a half for two classes.  Boosting stops at e = 0, where that tree
is the answer, and at e >= 1 - 1/K, where the tree adds nothing.

MaxSAT wants whole weights.  `discretise` is the paper's second step, as far as it can be recovered: its
formula is missing from the text that we have.  It divides by the least weight and rounds.  Under
``paper`` the rounded weights are what the next round updates, as the text says; under ``real`` the
distribution stays real and is rounded for the solver only.  A tree with e > 2/5 has exp(2 alpha) < 3/2: of
equal weights ``paper`` rounds all of that away, and stops as nothing would ever change again.

Equal rows of one class are one row of the problem, with a count: they are right or wrong together.  The
problem's weight is that of them all, and what is rounded is the weight of one of them.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import UsageError
from wcnfgen.tree import Tree, predict

if TYPE_CHECKING:
    from wcnfgen.rows import Problem

CAP = 1_000_000  # largest weight of a row that rounding makes
LARGEST = 2**63 - 1  # what a WCNF file may hold, and the sum of its weights

End = Literal["enough", "perfect", "useless", "stuck"]
Rounding = Literal["paper", "real"]
Whole = NDArray[np.int64]
Reals = NDArray[np.float64]
Learner = Callable[[int, "Problem"], Tree]


def discretise(weights: Any, cap: int | None = CAP) -> Whole:
    """Whole weights in about the same proportions: w / least w > 0, rounded; 0 stays 0, others are >= 1.

    weights: numbers >= 0, shape (rows,).  cap: if the largest came out beyond it, weights are scaled so
    that the largest is the cap; None: there is no cap.  Weights that are all whole are left as they are.

    UsageError: a weight is no number, negative or infinite, all are 0, or they are too large for a
    WCNF file (each and their sum up to 2^63 - 1).

    >>> discretise([0.25, 0.1, 0, 0.2]).tolist(), discretise([4, 6]).tolist()
    ([2, 1, 0, 2], [4, 6])
    """
    _check_cap(cap)
    given = _checked(weights)
    if given.dtype.kind in "iu":
        return _within_limits(given)
    positive = given > 0
    least, most = given[positive].min(), given.max()
    if not (given % 1).any():
        scaled = given
    elif cap is None or most / cap <= least:
        scaled = _nearest(given, least)
    else:
        scaled = _nearest(given / most, 1 / cap)
    return _within_limits(np.where(positive, np.maximum(scaled, 1), 0))


def _nearest(weights: Reals, unit: float) -> Reals:
    """The nearest multiples; halves go to the even one, and last digits, which vary, decide nothing."""
    with np.errstate(over="ignore"):  # what overflows is too large in any case
        return np.rint((weights / unit).round(9))


def _check_cap(cap: int | None) -> None:
    if cap is not None and cap < 1:
        raise UsageError(f"--cap {cap}: the largest weight of a row is at least 1")


def _checked(weights: Any) -> NDArray[Any]:
    """An array of integers or of finite floats, none negative, not all 0."""
    given = np.asarray(weights)
    if given.dtype.kind in "bO":
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            given = given.astype(np.float64)
    if given.dtype.kind not in "iuf" or given.ndim != 1:
        raise UsageError("the weights of the rows are no numbers, one for each row")
    bad = np.flatnonzero(~np.isfinite(given) | (given < 0))
    if bad.size:
        raise UsageError(f"the weight of row {bad[0] + 1} is {given[bad[0]]}: give a finite number from 0 on")
    if not given.any():
        raise UsageError("the weights of all rows are 0: give one at least that is not")
    return given


def _within_limits(weights: NDArray[Any]) -> Whole:
    """As 64-bit integers.  UsageError: their sum is too large for a WCNF file."""
    numbers = weights.tolist()
    if math.inf in numbers or sum(map(int, numbers)) > LARGEST:
        raise UsageError("the weights of the rows sum up to more than 2^63 - 1, which no WCNF file holds")
    return weights.astype(np.int64)


def alpha_of(error: float, classes: int) -> float:
    """The say of a tree with that share of the weight wrong, 0 < error < 1.

    >>> alpha_of(0.5, 2), round(alpha_of(0.1, 2), 4), round(alpha_of(0.1, 3), 4)
    (0.0, 1.0986, 1.4452)
    """
    return 0.5 * (math.log((1 - error) / error) + math.log(classes - 1))


def update(weights: NDArray[Any], right: NDArray[np.bool_], alpha: float) -> Reals:
    """Less weight where the tree is right, more where it is wrong; sums up to 1.

    >>> update(np.array([3, 1]), np.array([True, False]), alpha_of(0.25, 2)).round(3).tolist()
    [0.5, 0.5]
    """
    updated = weights * np.exp(np.where(right, -alpha, alpha))
    normalised: Reals = updated / updated.sum()
    return normalised


def boost(
    problem: Problem,
    learn: Learner,
    *,
    rounds: int,
    rounding: Rounding = "paper",
    cap: int | None = CAP,
) -> Iterator[Round]:
    """AdaBoost: each round as soon as its tree is learned, until they are enough or it stops by itself.

    learn gets the number of the round, from 1, and the problem with the weights of that round.  The
    first one has the weights that the problem comes with.

    UsageError: no rounds, or a cap below 1.
    """
    check(rounds, rounding, cap)
    return _rounds(problem, learn, rounds, rounding, cap)


def check(rounds: int, rounding: Rounding, cap: int | None) -> None:
    """Refuse options that `boost` refuses, before there is a problem.  Raises UsageError."""
    if rounds < 1:
        raise UsageError(f"--rounds {rounds}: give a number from 1 on")
    if rounding not in get_args(Rounding):
        raise UsageError(f"--rounding {rounding}: choose one of {', '.join(get_args(Rounding))}")
    _check_cap(cap)


def _rounds(
    problem: Problem, learn: Learner, rounds: int, rounding: Rounding, cap: int | None
) -> Iterator[Round]:
    real: NDArray[Any] = problem.w
    for number in range(1, rounds + 1):
        done = Round(number, problem, learn(number, problem))
        yield done
        if done.perfect or done.useless:
            return
        real = update(problem.w if rounding == "paper" else real, done.right, done.alpha)
        problem = reweighted(problem, real, cap)
        if rounding == "paper" and (problem.w == done.problem.w).all():
            return  # all that follows would be the same


def reweighted(problem: Problem, weights: NDArray[Any], cap: int | None = CAP) -> Problem:
    """The problem with whole weights in about these proportions; one for all rows of a group."""
    counts = problem.counts
    each = discretise(weights / counts, cap)
    return problem.weighted(_within_limits(counts.astype(object) * each))


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """A tree, and the weighted rows that it was learned from."""

    number: int
    problem: Problem
    tree: Tree

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which rows the tree classifies rightly, shape (rows,)."""
        right: NDArray[np.bool_] = predict(self.tree, self.problem.X) == self.problem.y
        return right

    @property
    def errors(self) -> int:
        """The weight that the tree gets wrong."""
        return int(self.problem.w[~self.right].sum())

    @property
    def weight(self) -> int:
        """The weight of all rows."""
        return int(self.problem.w.sum())

    @property
    def error(self) -> float:
        """The share of the weight that the tree gets wrong, between 0 and 1."""
        return self.errors / self.weight

    @property
    def perfect(self) -> bool:
        """Whether nothing is wrong that has a weight."""
        return self.errors == 0

    @property
    def useless(self) -> bool:
        """Whether a guess is as good: e >= 1 - 1/K."""
        classes = self.problem.classes
        return self.errors * classes >= self.weight * (classes - 1)

    @property
    def alpha(self) -> float:
        """The tree's say; 1 for a perfect tree, which stands alone, and 0 for a useless one."""
        if self.perfect:
            return 1.0
        return 0.0 if self.useless else alpha_of(self.error, self.problem.classes)


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Trees that vote on one of so many classes; alphas say how much each vote counts."""

    trees: tuple[Tree, ...]
    alphas: tuple[float, ...]
    classes: int

    def votes(self, X: NDArray[np.uint8]) -> Reals:
        """The sum of the alphas for each class, shape (rows, classes).  X has shape (rows, K)."""
        votes = np.zeros((len(X), self.classes))
        for tree, alpha in zip(self.trees, self.alphas, strict=True):
            votes[np.arange(len(X)), predict(tree, X)] += alpha
        return votes

    def predict(self, X: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The class with most votes, the smallest of several; shape (rows,).

        >>> from wcnfgen.tree import Leaf
        >>> Ensemble((Leaf(0), Leaf(1), Leaf(1)), (1.0, 0.4, 0.5), 2).predict(np.zeros((1, 1), np.uint8))
        array([0], dtype=int32)
        """
        labels: NDArray[np.int32] = self.votes(X).argmax(axis=1).astype(np.int32)
        return labels


def voters(rounds: Sequence[Round]) -> list[Round]:
    """The rounds whose trees vote: the last alone if it is perfect, else those that are of use.

    If even the first one is useless it stands alone: there has to be a tree.
    """
    if rounds[-1].perfect:
        return [rounds[-1]]
    return [each for each in rounds if not each.useless] or [rounds[0]]


def end(rounds: Sequence[Round], asked: int) -> End:
    """Why there are no more rounds, of a run that nobody cut short."""
    if rounds[-1].perfect:
        return "perfect"
    if rounds[-1].useless:
        return "useless"
    return "enough" if len(rounds) == asked else "stuck"


def ensemble(rounds: Sequence[Round]) -> Ensemble:
    """What the rounds come to; a tree that stands alone has alpha 1."""
    kept = voters(rounds)
    alphas = tuple(each.alpha or 1.0 for each in kept)
    return Ensemble(tuple(each.tree for each in kept), alphas, kept[0].problem.classes)


def bootstrap(counts: Whole, bags: int, seed: int) -> Iterator[Whole]:
    """Samples with replacement, as large as the data (Breiman 1996): how often each row was drawn.

    counts are the rows of each group of equal ones, as are the results, shape (groups,).

    >>> [int(drawn.sum()) for drawn in bootstrap(np.array([3, 1, 6]), bags=2, seed=7)]
    [10, 10]
    """
    if bags < 1:
        raise UsageError(f"--bags {bags}: give a number from 1 on")
    if not 0 <= seed < 2**32:
        raise UsageError(f"--seed {seed}: a number from 0 to 2^32 - 1")
    rows = int(counts.sum())
    rng = np.random.RandomState(seed)  # its stream is the same in every version of NumPy
    return (rng.multinomial(rows, counts / rows).astype(np.int64) for _ in range(bags))
