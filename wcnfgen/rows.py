"""Binarised rows: sampled, made consistent, merged, and rid of columns that say nothing new.

X is a 0/1 matrix of shape (rows, K) and y the class index of each row throughout.  Rows and columns
are compared as packed bits, eight cells a byte, so that 50,000 rows of 120 columns take well below
a second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import DataError, UsageError

Matrix = NDArray[np.uint8]
Labels = NDArray[np.int32]
Mask = NDArray[np.bool_]
Conflicts = Literal["majority", "error", "first", "drop", "keep"]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What is learned from: distinct (row, class) pairs, what each weighs and how often it occurs.

    X has shape (rows, K), y, w and n have shape (rows,).  w is what an error on the row costs: as often as
    it occurs, unless weights are given, which may be 0; n is how often it occurs, None: as w says.
    `classes` counts the classes that may occur in y, 0 up to classes - 1.
    """

    X: Matrix
    y: Labels
    w: NDArray[np.int64]
    classes: int
    n: NDArray[np.int64] | None = None

    @property
    def features(self) -> int:
        """Number K of binary columns."""
        return int(self.X.shape[1])

    @property
    def rows(self) -> int:
        """Number n of distinct rows."""
        return len(self.X)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each row occurs."""
        return self.w if self.n is None else self.n

    @property
    def weight(self) -> int:
        """What all rows weigh together."""
        return int(self.w.sum())

    @property
    def total(self) -> int:
        """Number of rows before merging."""
        return int(self.counts.sum())

    def weighted(self, w: NDArray[np.int64]) -> Problem:
        """The same rows with other weights."""
        return replace(self, w=w, n=self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """Which rows stay, and how many vectors had more than one class."""

    keep: Mask
    conflicting_vectors: int

    @property
    def dropped(self) -> int:
        """Number of rows that do not stay."""
        return int((~self.keep).sum())


class Removed(NamedTuple):
    """A column that `reduce` left out: why, and the kept column `of` that replaces it (-1: none)."""

    column: int
    why: Literal["constant", "duplicate", "complement"]
    of: int


@dataclass(frozen=True, slots=True)
class Reduction:
    """The columns that stay, in order, and those that do not."""

    kept: tuple[int, ...]
    removed: tuple[Removed, ...]


def sample(y: Labels, fraction: float, seed: int) -> Mask:
    """A stratified sample: of each class that share of its rows, rounded, one at least.

    >>> int(sample(np.repeat([0, 1], [10, 1]).astype(np.int32), 0.4, seed=7).sum())
    5
    """
    if not 0 < fraction <= 1:
        raise UsageError(f"--sample {fraction}: a fraction above 0, up to 1")
    if not 0 <= seed < 2**32:
        raise UsageError(f"--seed {seed}: a number from 0 to 2^32 - 1")
    rng = np.random.RandomState(seed)  # its stream is the same in every version of NumPy
    chosen = np.zeros(len(y), np.bool_)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        count = max(1, int(fraction * len(rows) + 0.5))
        chosen[rng.permutation(rows)[:count]] = True
    return chosen


def present(y: Labels, names: tuple[str, ...]) -> tuple[Labels, tuple[str, ...]]:
    """Classes renumbered without those that no row has, as after sampling or resolving.

    >>> present(np.array([2, 0], np.int32), ("a", "b", "c"))
    (array([1, 0], dtype=int32), ('a', 'c'))
    """
    used, codes = np.unique(y, return_inverse=True)
    return codes.astype(np.int32), tuple(names[label] for label in used)


def resolve(X: Matrix, y: Labels, policy: Conflicts = "majority") -> Resolved:
    """Make the rows consistent: one class per vector.

    majority  drop the rows without their vector's most frequent class, the smallest of several
              (the rule behind the row counts of Alòs et al., MPDT, Table 4)
    first     keep the class of the vector's first row
    drop      drop all rows of the vectors concerned
    error     DataError if there are any
    keep      leave them: for encodings whose rows may be wrong
    """
    if policy not in get_args(Conflicts):
        raise UsageError(f"--conflicts {policy}: choose one of {', '.join(get_args(Conflicts))}")
    vectors, first = _vectors(X)
    counts = np.zeros((len(first), int(y.max(initial=0)) + 1), np.int64)
    np.add.at(counts, (vectors, y), 1)
    conflict = (counts > 0).sum(axis=1) > 1
    if policy == "error" and conflict.any():
        raise DataError(_conflict_message(conflict, vectors, y))
    if policy == "keep":
        keep = np.ones(len(y), np.bool_)
    elif policy == "drop":
        keep = ~conflict[vectors]
    else:
        label = y[first] if policy == "first" else counts.argmax(axis=1)
        keep = y == label[vectors]
    return Resolved(keep, int(conflict.sum()))


def _conflict_message(conflict: Mask, vectors: NDArray[np.intp], y: Labels) -> str:
    rows = np.flatnonzero(conflict[vectors])
    one = rows[0]
    other = next(row for row in rows if vectors[row] == vectors[one] and y[row] != y[one])
    return (
        f"vectors with more than one class: {conflict.sum()}, rows concerned: {len(rows)}, such as data"
        f" rows {one + 1} and {other + 1}; choose --conflicts majority, first or drop"
    )


def merge(X: Matrix, y: Labels, classes: int, weights: NDArray[np.int64] | None = None) -> Problem:
    """Equal rows of one class become one row, their weights added, sorted by class and then by row.

    weights has shape (rows,); None weighs each row 1.

    >>> merge(np.array([[1, 0], [0, 1], [1, 0]], np.uint8), np.zeros(3, np.int32), 1).w.tolist()
    [1, 2]
    """
    vectors, first = _vectors(X)
    pairs = y.astype(np.int64) * len(first) + vectors
    _, rows, merged, counts = np.unique(pairs, return_index=True, return_inverse=True, return_counts=True)
    problem = Problem(X[rows], y[rows], counts.astype(np.int64), classes)
    if weights is None:
        return problem
    w = np.zeros(len(rows), np.int64)
    np.add.at(w, merged.ravel(), weights)
    return problem.weighted(w)


def _vectors(X: Matrix) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number of each row's vector, in lexicographic order, and per vector its first row."""
    if not X.shape[1]:
        return np.zeros(len(X), np.intp), np.zeros(min(1, len(X)), np.intp)
    packed = np.packbits(X, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, vectors = np.unique(keys, return_index=True, return_inverse=True)
    return vectors, first


def reduce(X: Matrix) -> Reduction:
    """Find the columns that are constant, equal to an earlier one, or its complement.

    A tree over the kept columns says all that one over all columns can, with no more nodes; exact
    sizes and depths may need the others (they can be useless tests).

    >>> reduce(np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 0]], np.uint8)).removed[1]
    Removed(column=2, why='complement', of=1)
    """
    flipped = X[:1] if len(X) else np.zeros((1, X.shape[1]), np.uint8)
    packed = np.ascontiguousarray(np.packbits(X ^ flipped, axis=0).T)  # begins with 0: equal up to complement
    kept: dict[bytes, int] = {}
    removed: list[Removed] = []
    for column, bits in enumerate(packed):
        key = bits.tobytes()
        if not any(key):
            removed.append(Removed(column, "constant", -1))
        elif (of := kept.setdefault(key, column)) != column:
            same = flipped[0, column] == flipped[0, of]
            removed.append(Removed(column, "duplicate" if same else "complement", of))
    return Reduction(tuple(kept.values()), tuple(removed))
