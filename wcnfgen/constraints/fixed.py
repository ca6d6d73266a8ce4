"""A tree whose shape is given: what is left to find are features and classes.

The core formula (`core`) with v, l and η replaced by what they are.  Who is whose child is known, so
that d needs no condition: a child inherits both sides of its parent's d and adds its parent's test
to one of them.  The other side, and a side that has nothing but that test, are the literals
themselves and no new variables.  Numbers in brackets are those of MPDT, as there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clause, clauses
from wcnfgen.constraints.core import assign_nodes, labels, path_excludes
from wcnfgen.constraints.counting import at_most_one, pairwise
from wcnfgen.tree import Tree, breadth_first, from_list
from wcnfgen.variables import Literals, Pool


class FixedTree:
    """The variables of a tree of a given shape over K features and C classes; nodes from 1, breadth first.

    a[r, i]     test i tests feature r
    c[k, j]     leaf j has class k; with two classes c[1, j] is one variable and c[0, j] its negation
    d[s, r, j]  rows with value s of feature r cannot reach node j; 0 where no test on the path sends them
                away, and else perhaps shared with another node, or an a
    """

    def __init__(self, shape: str, K: int, C: int, pool: Pool):
        self.shape, self.C = shape, C
        pool.room(len(shape), len(shape) + 3 * K + C)
        is_test = np.array([bit == "1" for bit in "0" + shape])
        self.tests = np.flatnonzero(is_test)
        self.leaves = np.flatnonzero(~is_test)[1:]
        self.a = pool.new(np.repeat(is_test[:, None], K, axis=1)).T
        self.c = self._classes(pool)
        self.d = np.zeros((2, K, len(shape) + 1), np.int32)
        self.defined = list(self._exclude(pool))
        self.amo_features = [at_most_one(self.a[:, i], pool) for i in self.tests]

    def _classes(self, pool: Pool) -> Literals:
        is_leaf = np.isin(np.arange(len(self.shape) + 1), self.leaves)
        if self.C > 2:
            return pool.new(np.repeat(is_leaf[:, None], self.C, axis=1)).T
        one = pool.new(is_leaf)
        return np.stack([-one, one])

    def _exclude(self, pool: Pool) -> Iterator[tuple[int, int, int]]:
        """Fill d from the root on; yields (s, parent, child) for each side with variables of its own."""
        for nth, i in enumerate(self.tests.tolist(), 1):
            for child, s in ((2 * nth, 1), (2 * nth + 1, 0)):  # the left child excludes value 1
                self.d[:, :, child] = self.d[:, :, i]
                if self.d[s, 0, i]:
                    self.d[s, :, child] = pool.new(np.ones(len(self.a), bool))
                    yield s, i, child
                else:
                    self.d[s, :, child] = self.a[:, i]

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """Set every variable to what the tree says."""
        order = breadth_first(tree)
        assign_nodes(self.c, self.a, order, assignment)
        for j, excluded in enumerate(path_excludes(order, len(self.a)), 1):
            assignment[self.d[:, :, j][excluded]] = True
        for amo in self.amo_features:
            amo.assign(assignment)

    def decode(self, assignment: NDArray[np.bool_]) -> Tree:
        """The tree of a model.  Raises ValueError where some node has not one feature or one class."""
        classes = labels(self.c, assignment)
        found = {int(i): np.flatnonzero(assignment[self.a[:, i]]).tolist() for i in self.tests}
        found |= {int(j): [-1 - k for k in classes(j)] for j in self.leaves}
        if any(len(each) != 1 for each in found.values()):
            raise ValueError("the model describes no tree: some node has not one feature or one class")
        return from_list([found[i][0] for i in sorted(found)])


def tests_have_one_feature(t: FixedTree) -> Iterator[Block]:
    """(15)  ⋁_r a_ri;  Σ_r a_ri <= 1     i a test."""
    for i, amo in zip(t.tests, t.amo_features, strict=True):
        yield clause(t.a[:, i])
        yield from amo.blocks()


def children_exclude_what_their_parent_sends_elsewhere(t: FixedTree) -> Iterator[Block]:
    """(10), (11)  d^s_rj ↔ d^s_ri ∨ a_ri     j the child of i that value s does not lead to."""
    for s, i, j in t.defined:
        yield clauses(-t.d[s, :, j], t.d[s, :, i], t.a[:, i])
        yield clauses(t.d[s, :, j], -t.d[s, :, i])
        yield clauses(t.d[s, :, j], -t.a[:, i])


def no_feature_is_tested_twice_on_a_path(t: FixedTree) -> Iterator[Block]:
    """(13), (14)  d⁰_ri → ¬a_ri;  d¹_ri → ¬a_ri     i a test."""
    for i in t.tests:
        for d in t.d[:, :, i]:
            if d.all():
                yield clauses(-d, -t.a[:, i])


def leaves_have_one_class(t: FixedTree) -> Iterator[Block]:
    """(26)  Σ_k c_kj = 1     j a leaf, with more than two classes."""
    for j in t.leaves if t.C > 2 else ():
        yield clause(t.c[:, j])
        yield pairwise(t.c[:, j])


def rows_are_classified(
    t: FixedTree, bits: Bits, y: NDArray[np.int32], b: Literals | None = None
) -> Iterator[Block]:
    """(17), (18), (24)  b_q → [class of q at j] ∨ ⋁_r d^σ(r,q)_rj     q a row, j a leaf; b if soft."""
    for j in t.leaves:
        head, d = t.c[y, j][:, None], t.d[:, :, j]
        if b is not None:
            head = np.concatenate([-b[:, None], head], axis=1)
        if d.all():
            yield Choice(head, d, bits)
        else:  # leftmost or rightmost: one value alone is ever sent away
            yield from _chosen(head, d[1], bits.X != 0) if d[1].all() else _chosen(head, d[0], bits.X == 0)


def _chosen(head: Literals, literals: Literals, where: NDArray[np.bool_]) -> Iterator[Block]:
    """head_q and the literals of row q's mask, the rows of one length together."""
    lengths = where.sum(axis=1)
    for length in np.unique(lengths):
        rows = lengths == length
        columns = np.nonzero(where[rows])[1].reshape(int(rows.sum()), length)
        yield np.concatenate([head[rows], literals[columns]], axis=1)


ALL = (
    tests_have_one_feature,
    children_exclude_what_their_parent_sends_elsewhere,
    no_feature_is_tested_twice_on_a_path,
    leaves_have_one_class,
)
