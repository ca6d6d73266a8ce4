"""Rows that need not be classified rightly: b_q says that row q is (Hu et al. 2020, section 3.1).

Rows are the distinct (vector, class) pairs of the problem.  Where a vector has both of two classes,
one of them is wrong whatever the tree does: the smaller weight is a constant, and only the
difference is a soft clause (the equivalent points of OSDT).  With more classes each pair has its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clauses
from wcnfgen.constraints.core import CoreTree
from wcnfgen.tree import Tree, predict
from wcnfgen.variables import Literals, Pool

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The rows whose classification makes a difference, and the weight that is lost anyway."""

    X: NDArray[np.uint8]
    y: NDArray[np.int32]
    w: NDArray[np.int64]
    constant: int


def settle(problem: Problem) -> Settled:
    """Take the constant part out of inconsistent rows of two classes; leave others as they are."""
    X, y, w = problem.X, problem.y, problem.w.copy()
    if problem.classes > 2:
        return Settled(X, y, w, 0)
    vectors = np.unique(np.packbits(X, axis=1), axis=0, return_inverse=True)[1].ravel()
    weight = np.zeros((int(vectors.max(initial=-1)) + 1, 2), np.int64)
    weight[vectors, y] = w
    less = weight.min(axis=1)
    w -= less[vectors]
    keep = w > 0
    return Settled(X[keep], y[keep], w[keep], int(less.sum()))


class SoftRows:
    """The variables b of `count` settled rows."""

    def __init__(self, count: int, pool: Pool):
        self.b = pool.new(np.ones(count, bool))

    def assign(self, tree: Tree, rows: Settled, assignment: NDArray[np.bool_]) -> None:
        """b_q is true iff the tree classifies row q rightly."""
        assignment[self.b] = predict(tree, rows.X) == rows.y


def classified_if_claimed(t: CoreTree, s: SoftRows, rows: Settled) -> Iterator[Block]:
    """(12), (13) relaxed:  b_q ∧ v_j → [class of q at j] ∨ ⋁_r d^σ(r,q)_rj     q a row, j >= 2."""
    bits = Bits(rows.X)
    for j in range(2, t.N + 1):
        head = np.empty((len(rows.y), 3), np.int32)
        head[:, 0] = -s.b
        head[:, 1] = -t.v[j]
        head[:, 2] = t.c[rows.y, j]
        yield Choice(head, t.d[:, :, j], bits)


def rows_are_worth(s: SoftRows, rows: Settled, unit: int = 1) -> Iterator[tuple[int, Literals]]:
    """(b_q, unit * w_q), the rows of one weight together."""
    for weight in np.unique(rows.w):
        yield unit * int(weight), clauses(s.b[rows.w == weight])
