"""A file of clauses as a formula: counted as it is read.

Memory is a few bytes a variable and a hash a clause, up to HASHES of them; of what is larger, repeated
clauses are counted in an even sample. Small formulas are kept for a solver as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wcnfgen import identity
from wcnfgen import map as maps
from wcnfgen.checks._text import Places
from wcnfgen.map import Map
from wcnfgen.reader import HARD, Chunk, exact_sum

HASHES = 1 << 24
SOLVED_UP_TO = 1 << 20  # literals
DENSE = 1 << 26
DISTINCT = 1 << 20
Lines = Callable[[], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Repeated:
    """How many clauses are copies of earlier ones, at least; exact says whether all were compared."""

    count: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers that equal formulas share, with the names that a manifest has for them.

    used is how many variables occur; weight_distinct is None if there are more than DISTINCT.
    """

    hard: int
    soft: int
    literals: int
    used: int
    weight_min: int | None
    weight_max: int | None
    weight_distinct: int | None
    weight_sum: int


class Formula:
    """The variables, clauses and weights of one file that could be read to its end.

    variables   the declared number or the largest variable that occurs, whichever is larger
    weights     the sum of those of soft clauses; lightest and heaviest are the extremes, None without any
    used        which variables occur
    places      where things are that rules ask for
    clauses     the formula itself if it is small, else None
    conflicts   what a solver may spend on the optimum
    """

    def __init__(self, name: str, conflicts: int) -> None:
        self.name, self.conflicts = name, conflicts
        self.format = "wcnf"
        self.top: int | None = None
        self.variables = self.hard = self.soft = self.literals = self.weights = 0
        self.lightest: int | None = None
        self.heaviest: int | None = None
        self._distinct: NDArray[np.int64] | None = np.zeros(0, np.int64)
        self.used = Used()
        self.places = Places()
        self.clauses: list[Chunk] | None = []
        self.comments: list[str] = []
        self._copies = {True: _Copies(), False: _Copies()}  # by whether they are hard

    @functools.cached_property
    def map(self) -> Map | None:
        """The map in the comments; None where there is none, since the file is not ours.

        To be asked for when all is read.  Raises FormatError for a damaged one.
        """
        if not any(comment.startswith("map ") for comment in self.comments):
            return None
        return maps.from_comments(self.comments, self.name)

    @property
    def command(self) -> str:
        """What wrote it, if it is ours."""
        said = (each.removeprefix("command: ") for each in self.comments if each.startswith("command: "))
        return next(said, "")

    @property
    def size(self) -> Size:
        """Numbers that equal formulas share."""
        return Size(
            self.hard,
            self.soft,
            self.literals,
            self.used.count,
            self.lightest,
            self.heaviest,
            None if self._distinct is None else len(self._distinct),
            self.weights,
        )

    def repeated(self, *, hard: bool) -> Repeated:
        """How many hard or soft clauses were there before."""
        return self._copies[hard].repeated()

    def add(self, chunk: Chunk, lines: Lines) -> None:
        """Count some clauses; lines says where each of them ends."""
        hard = chunk.weights == HARD
        self._order(hard, lines)
        self._weigh(chunk.weights[~hard])
        self.hard += int(np.count_nonzero(hard))
        self.literals += len(chunk.literals)
        self.used.add(chunk.literals)
        empty = chunk.starts[1:] == chunk.starts[:-1]
        self._mark("empty hard", hard & empty, lines)
        self._mark("empty soft", ~hard & empty, lines)
        self._compare(chunk, hard, lines)
        if self.clauses is not None:
            self.clauses.append(chunk)
            if self.literals > SOLVED_UP_TO:
                self.clauses = None

    def _mark(self, what: str, which: NDArray[np.bool_], lines: Lines) -> None:
        if count := int(np.count_nonzero(which)):
            self.places.add(what, lines()[int(which.argmax())], count)

    def _order(self, hard: NDArray[np.bool_], lines: Lines) -> None:
        """Whether a soft clause comes after a hard one."""
        after = np.ones_like(hard) if self.hard else np.logical_or.accumulate(hard)
        self._mark("soft after hard", after & ~hard, lines)

    def _weigh(self, weights: NDArray[np.int64]) -> None:
        if not len(weights):
            return
        low, high = int(weights.min()), int(weights.max())
        self.lightest = low if self.lightest is None else min(low, self.lightest)
        self.heaviest = high if self.heaviest is None else max(high, self.heaviest)
        if self._distinct is not None:
            distinct = np.union1d(self._distinct, weights)
            self._distinct = distinct if len(distinct) <= DISTINCT else None
        self.soft += len(weights)
        self.weights += exact_sum(weights)

    def _compare(self, chunk: Chunk, hard: NDArray[np.bool_], lines: Lines) -> None:
        """Literals with others of their clause, and clauses with others."""
        codes = identity.index(chunk.literals)
        owners = np.repeat(np.arange(len(hard)), np.diff(chunk.starts))
        keys = np.sort(owners << 33 | codes)
        pairs = keys[1:] ^ keys[:-1]
        for what, difference in (("repeated literal", 0), ("tautology", 1)):
            which = np.zeros(len(hard), np.bool_)
            which[keys[1:][pairs == difference] >> 33] = True
            self._mark(what, which, lines)
        sums = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum(identity.mixed(codes.astype(np.uint64)), out=sums[1:])
        hashes = identity.mixed(sums[chunk.starts[1:]] - sums[chunk.starts[:-1]])
        for kind, copies in self._copies.items():
            copies.add(hashes[hard == kind])


class Used:
    """Which variables occur: a byte each up to DENSE, and the numbers of those beyond, which are few."""

    def __init__(self) -> None:
        self._low = np.zeros(1 << 10, np.bool_)
        self._high = np.zeros(0, np.int32)

    def add(self, literals: NDArray[np.int32]) -> None:
        """The variables of these occur."""
        found = np.abs(literals)
        if int(found.max(initial=0)) > DENSE:
            self._high = np.union1d(self._high, found[found > DENSE])
            found = found[found <= DENSE]
        largest = int(found.max(initial=0))
        if largest >= len(self._low):
            low = np.zeros(min(max(largest + 1, 2 * len(self._low)), DENSE + 1), np.bool_)
            low[: len(self._low)] = self._low
            self._low = low
        self._low[found] = True

    @property
    def count(self) -> int:
        """How many."""
        return int(np.count_nonzero(self._low)) + len(self._high)

    @property
    def largest(self) -> int:
        """The largest one; 0 if there is none."""
        last = int(self._high[-1]) if len(self._high) else len(self._low) - 1 - int(self._low[::-1].argmax())
        return last if self.count else 0

    @property
    def first_gap(self) -> int:
        """The smallest variable that does not occur."""
        gap = 1 + int(np.append(self._low[1:], False).argmin())
        if gap <= DENSE:
            return gap
        return gap + int((np.append(self._high, 0) != np.arange(gap, gap + len(self._high) + 1)).argmax())


class _Copies:
    """Counts hashes that come again, in bounded memory: when there are too many, half of them are forgotten.

    What is forgotten is settled by the hash, so that all copies of a clause are kept or none.
    """

    def __init__(self) -> None:
        self._kept: list[NDArray[np.uint64]] = []
        self._total = 0
        self._mask = 0

    def add(self, hashes: NDArray[np.uint64]) -> None:
        self._keep(hashes)
        while self._total > HASHES:
            self._mask = 2 * self._mask + 1
            kept, self._kept, self._total = self._kept, [], 0
            for each in kept:
                self._keep(each)

    def _keep(self, hashes: NDArray[np.uint64]) -> None:
        if self._mask:
            hashes = hashes[hashes & np.uint64(self._mask) == 0]
        self._kept.append(hashes)
        self._total += len(hashes)

    def repeated(self) -> Repeated:
        hashes = np.concatenate(self._kept) if self._kept else np.zeros(0, np.uint64)
        hashes.sort()
        return Repeated(int(np.count_nonzero(hashes[1:] == hashes[:-1])), not self._mask)
