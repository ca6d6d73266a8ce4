"""Clauses come in rectangles.

A constraint yields blocks: int32 arrays of shape (clauses, width), one clause a row, never a 0.
Blocks are made by broadcasting, so that "for all r and q" is one call and no Python loop, and
they are small and short-lived, so that memory does not grow with the file.

The row constraints dwarf everything else: one clause for each row and node, one literal for each
column.  Their literals are a function of very little, the row's bits and two literals for each
column, so they are yielded as a `Choice`: a rectangle that knows its shape and can be laid out
when somebody wants the integers, but that the writer prints without doing so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wcnfgen.variables import Literals

GROUP = 8  # columns that are printed together: 256 strings a group, small enough for the cache


class Bits:
    """A 0/1 matrix of shape (rows, columns) that many blocks choose by."""

    def __init__(self, X: NDArray[np.uint8]) -> None:
        self.X = np.ascontiguousarray(X, np.uint8)

    @cached_property
    def patterns(self) -> NDArray[np.intp]:
        """For each row and each full group g of eight columns: 256*g + the group's bits as a number."""
        full = self.X.shape[1] // GROUP
        packed = np.packbits(self.X[:, : full * GROUP], axis=1).astype(np.intp)
        return np.asarray(packed + np.arange(full) * 2**GROUP, np.intp)


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """The lazy rectangle whose row q is ``head[q]`` followed by ``pair[X[q, r], r]`` for each column r.

    head has shape (rows, h), pair has shape (2, columns), bits has shape (rows, columns).
    """

    head: Literals
    pair: Literals
    bits: Bits

    @property
    def shape(self) -> tuple[int, int]:
        """Clauses and literals a clause."""
        return len(self.head), self.head.shape[1] + self.pair.shape[1]

    def array(self, start: int = 0, stop: int | None = None) -> Literals:
        """The rectangle itself, or the rows from start to stop of it."""
        return self.rows(slice(start, stop))

    def rows(self, chosen: slice | NDArray[np.intp]) -> Literals:
        """Some rows of the rectangle, by their indices."""
        body = np.where(self.bits.X[chosen] != 0, self.pair[1], self.pair[0])
        return np.concatenate([self.head[chosen], body], axis=1).astype(np.int32, copy=False)


Block = Literals | Choice


def clauses(*literals: ArrayLike) -> Literals:
    """One clause a row; each argument fills one position, scalars and arrays are broadcast.

    >>> clauses(-1, np.array([2, 3])).tolist()
    [[-1, 2], [-1, 3]]
    """
    columns = np.broadcast_arrays(*literals)
    return np.stack(columns, axis=-1).reshape(-1, len(literals)).astype(np.int32, copy=False)


def clause(*literals: ArrayLike) -> Literals:
    """A single clause; the arguments are literals or arrays of them.

    >>> clause(-1, np.array([2, 3])).tolist()
    [[-1, 2, 3]]
    """
    return np.concatenate([np.ravel(part) for part in literals]).astype(np.int32)[None]


def layout(block: Block) -> Literals:
    """The integers of a block."""
    return block.array() if isinstance(block, Choice) else block


def when(condition: tuple[int, ...], block: Literals) -> Literals:
    """Relax each clause: it holds if all literals of the condition do.

    >>> when((7,), clauses(1, 2)).tolist()
    [[-7, 1, 2]]
    """
    return clauses(*(-x for x in condition), *block.T) if condition else block
