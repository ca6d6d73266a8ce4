"""Rows that need not be classified rightly: b_q says that row q is (Hu et al. 2020, section 3.1).

Rows are the distinct (vector, class) pairs of the problem that weigh something.  Where a vector has both
of two classes, one of them is wrong whatever the tree does: the smaller weight is a constant, and only
the difference is a soft clause (the equivalent points of OSDT).  With more classes each pair has its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clauses
from wcnfgen.constraints.core import CoreTree
from wcnfgen.constraints.paper import PaperTree
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
    """Take the constant part out of inconsistent rows of two classes, and drop what weighs nothing."""
    keep = problem.w > 0
    X, y, w, constant = problem.X[keep], problem.y[keep], problem.w[keep], 0
    if problem.classes <= 2:
        vectors = np.unique(np.packbits(X, axis=1), axis=0, return_inverse=True)[1].ravel()
        weight = np.zeros((int(vectors.max(initial=-1)) + 1, 2), np.int64)
        weight[vectors, y] = w
        less = weight.min(axis=1)
        w, constant = w - less[vectors], int(less.sum())
    keep = w > 0
    return Settled(X[keep], y[keep], w[keep], constant)


class SoftRows:
    """The variables b of the settled rows of a problem.

    shape is how many there are and the constant, as `shape_of` said when the rows were at hand: the
    numbering must not depend on them.
    """

    def __init__(self, problem: Problem, shape: Sequence[int], pool: Pool):
        count, constant = map(int, shape)
        self.shape = [count, constant]
        pool.room(count)
        self.b = pool.new(np.ones(count, bool))
        self.rows = settle(problem)

    @property
    def constant(self) -> int:
        """The weight that is lost whatever the tree does."""
        return self.shape[1]

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """b_q is true iff the tree classifies row q rightly."""
        assignment[self.b] = predict(tree, self.rows.X) == self.rows.y


def shape_of(problem: Problem) -> list[int]:
    """How many rows of the problem have a soft clause, and the constant beside them."""
    settled = settle(problem)
    return [len(settled.y), settled.constant]


def total(problem: Problem) -> int:
    """The weight of all rows that have a soft clause: more than any tree gets wrong."""
    return int(settle(problem).w.sum())


def errors(problem: Problem, tree: Tree) -> int:
    """The weight of the rows that the tree gets wrong."""
    return int(problem.w[predict(tree, problem.X) != problem.y].sum())


def classified_if_claimed(t: CoreTree | PaperTree, s: SoftRows) -> Iterator[Block]:
    """(12), (13) relaxed:  b_q ∧ v_j → [class of q at j] ∨ ⋁_r d^σ(r,q)_rj     q a row."""
    rows = s.rows
    bits = Bits(rows.X)
    for j in t.ends:
        head = np.empty((len(rows.y), 3), np.int32)
        head[:, 0] = -s.b
        head[:, 1] = -t.v[j]
        head[:, 2] = t.c[rows.y, j]
        yield Choice(head, t.d[:, :, j], bits)


def rows_are_worth(s: SoftRows, unit: int = 1) -> Iterator[tuple[int, Literals]]:
    """(b_q, unit * w_q), the rows of one weight together."""
    for weight in np.unique(s.rows.w):
        yield unit * int(weight), clauses(s.b[s.rows.w == weight])
