"""At most one of many literals, in three ways.

`pairwise` needs n(n-1)/2 clauses and no variables: best below about fifty.  `Product` (Chen,
ModRef 2010) lays the literals out in a square and allows one row and one column of it: 2n clauses
and some more, 2 sqrt(n) variables.  `Sequential` (Sinz, CP 2005) is the counter that the MinDT
paper names.  Auxiliary variables are taken from the pool in the constructor, so that the clause
functions stay pure generators, and `assign` gives them their values in a known model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import clauses
from wcnfgen.variables import Literals, Pool, true_literals

PAIRWISE_UP_TO = 50


def pairwise(literals: Literals) -> Literals:
    """¬x_i ∨ ¬x_j for all i < j, as one block.

    >>> pairwise(np.array([1, 2, 3])).tolist()
    [[-1, -2], [-1, -3], [-2, -3]]
    """
    i, j = np.triu_indices(len(literals), 1)
    return clauses(-literals[i], -literals[j])


class AtMostOne(Protocol):
    """Σ x <= 1 over fixed literals, with its own auxiliary variables."""

    def blocks(self) -> Iterator[Literals]:
        """The clauses."""

    def assign(self, assignment: NDArray[np.bool_]) -> None:
        """Set the auxiliary variables from the values of x."""


class Pairwise:
    """Σ x <= 1 without auxiliary variables."""

    def __init__(self, literals: Literals, pool: Pool) -> None:
        self.x = literals

    def blocks(self) -> Iterator[Literals]:
        """¬x_i ∨ ¬x_j."""
        yield pairwise(self.x)

    def assign(self, assignment: NDArray[np.bool_]) -> None:
        """Nothing to set."""


class Product:
    """Σ x <= 1, Chen's product encoding: x_q implies row q div m and column q mod m."""

    def __init__(self, literals: Literals, pool: Pool) -> None:
        self.x = literals
        self.m = math.isqrt(len(literals) - 1) + 1
        self.row = pool.new(np.ones(-(-len(literals) // self.m), bool))
        self.column = pool.new(np.ones(self.m, bool))

    def blocks(self) -> Iterator[Literals]:
        """x_q → row_⌊q/m⌋,  x_q → column_{q mod m},  at most one row,  at most one column."""
        q = np.arange(len(self.x))
        yield clauses(-self.x, self.row[q // self.m])
        yield clauses(-self.x, self.column[q % self.m])
        yield pairwise(self.row)
        yield pairwise(self.column)

    def assign(self, assignment: NDArray[np.bool_]) -> None:
        """The row and the column of the literal that holds, if one does."""
        for q in np.flatnonzero(true_literals(self.x, assignment)):
            assignment[self.row[q // self.m]] = True
            assignment[self.column[q % self.m]] = True


class Sequential:
    """Σ x <= 1, Sinz's sequential counter: s_q says that one of x_0..x_q holds."""

    def __init__(self, literals: Literals, pool: Pool) -> None:
        self.x = literals
        self.s = pool.new(np.ones(len(literals) - 1, bool))

    def blocks(self) -> Iterator[Literals]:
        """x_q → s_q,  s_q → s_q+1,  s_q → ¬x_q+1."""
        yield clauses(-self.x[:-1], self.s)
        yield clauses(-self.s[:-1], self.s[1:])
        yield clauses(-self.s, -self.x[1:])

    def assign(self, assignment: NDArray[np.bool_]) -> None:
        """All s from the literal that holds on."""
        assignment[self.s] = np.logical_or.accumulate(true_literals(self.x, assignment))[:-1]


def at_most_one(literals: Literals, pool: Pool) -> AtMostOne:
    """The smaller of the two: pairwise for few literals, product for many."""
    kind = Pairwise if len(literals) <= PAIRWISE_UP_TO else Product
    return kind(literals, pool)
