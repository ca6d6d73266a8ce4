"""The complete tree of depth d: every inner position is a test, and each row has its path.

After Avellaneda (AAAI 2020, arXiv 1904.06314), in our own words.  The positions are numbered as in
a heap, the children of i being 2i and 2i+1, and the leaves 0..2^d-1 from left to right, so that the
binary digits of a leaf's number are the turns that lead to it.  A row's path is d variables, its
turn on each level.  No variable speaks of the shape: it does not vary.

A smaller tree lives in the complete one.  A path may test a feature again; all rows that arrive
there agree on it and turn the same way, so the position is no test at all and the decoder leaves it
out.  That is how a leaf less than d deep is written: what is below it repeats the test above.

Where size counts, leaves need not be used: an unused leaf has no class, no row arrives in it, and
the test above it is left out.  A leaf that two tests of one feature contradict is never used (ours),
so that the used leaves are those of the decoded tree in every model, not only in the best one.
The root is a test all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Block, clause, clauses
from wcnfgen.constraints.counting import at_most_one, pairwise
from wcnfgen.tree import Leaf, Node, Tree
from wcnfgen.variables import Literals, Pool


class CompleteTree:
    """The variables of a complete tree of depth d over K features, C classes and some rows.

    f[r, i]  position i tests feature r                    i = 1..2^d-1
    c[k, j]  leaf j has class k                            j = 0..2^d-1
    x[q, l]  row q turns right on level l                  l = 0..d-1
    u[j]     leaf j is used; None where all leaves are
    """

    def __init__(self, d: int, K: int, C: int, rows: int, pool: Pool, *, sparse: bool):
        pool.room(2 ** min(d, 40), K + C)
        pool.room(rows, d)
        self.d, self.leaves = d, 2**d
        self.f = pool.new(np.repeat(np.arange(self.leaves)[:, None] > 0, K, axis=1)).T
        self.c = pool.new(np.ones((self.leaves, C), bool)).T
        self.x = pool.new(np.ones((rows, d), bool))
        self.u = pool.new(np.ones(self.leaves, bool)) if sparse else None
        self.amo_features = [at_most_one(self.f[:, i], pool) for i in range(1, self.leaves)]

    def astray(self, turns: list[int]) -> list[Literals]:
        """For each turn, the literals (one a row) that say that the row does not take it."""
        return [-self.x[:, level] if turn else self.x[:, level] for level, turn in enumerate(turns)]

    def assign(self, tree: Tree, X: NDArray[np.uint8], assignment: NDArray[np.bool_]) -> None:
        """Set every variable to what the tree says."""
        tests = np.zeros(self.leaves, np.intp)
        for position, node, real in spread(tree, self.d):
            if position < self.leaves:
                tests[position] = node.test if isinstance(node, Node) else tests[position // 2]
                assignment[self.f[tests[position], position]] = True
            elif isinstance(node, Leaf) and (real or self.u is None):
                assignment[self.c[node.label, position - self.leaves]] = True
                if self.u is not None:
                    assignment[self.u[position - self.leaves]] = True
        at = np.ones(len(X), np.intp)
        for level in range(self.d):
            right = X[np.arange(len(X)), tests[at]] != 0
            assignment[self.x[:, level]] = right
            at = 2 * at + right
        for amo in self.amo_features:
            amo.assign(assignment)

    def decode(self, assignment: NDArray[np.bool_]) -> Tree:
        """The tree of a model, without what decides nothing.  Raises ValueError where there is none."""
        tree = self._below(1, {}, assignment)
        if tree is None:
            raise ValueError("the model describes no tree: no leaf is used")
        return tree

    def _below(self, i: int, known: dict[int, int], assignment: NDArray[np.bool_]) -> Tree | None:
        """The subtree at position i, where the turns at some features are known; None if all is unused."""
        if i >= self.leaves:
            j = i - self.leaves
            used = self.u is None or assignment[self.u[j]]
            return Leaf(_only(assignment[self.c[:, j]], f"classes of leaf {j}")) if used else None
        r = _only(assignment[self.f[:, i]], f"features of position {i}")
        if r in known:
            return self._below(2 * i + known[r], known, assignment)
        no, yes = (self._below(2 * i + turn, {**known, r: turn}, assignment) for turn in (0, 1))
        return no or yes if no is None or yes is None else Node(r, no, yes)


def spread(tree: Tree, d: int) -> Iterator[tuple[int, Tree, bool]]:
    """Each position of the complete tree, what of the tree is there, and whether a row can get there.

    A leaf less than d deep takes all positions below it; those which repeat the last test turn as
    it did only on one way down.

    >>> [(i, real) for i, _, real in spread(Node(0, Leaf(0), Leaf(1)), 2)]
    [(1, True), (2, True), (3, True), (4, True), (5, False), (6, False), (7, True)]
    """
    queue: list[tuple[int, Tree, bool, int]] = [(1, tree, True, 0)]
    for i, node, real, turn in queue:  # grows while it is walked
        yield i, node, real
        if i < 2**d and isinstance(node, Node):
            queue += [(2 * i, node.no, True, 0), (2 * i + 1, node.yes, True, 1)]
        elif i < 2**d:
            queue += [(2 * i + way, node, real and way == turn, turn) for way in (0, 1)]


def turns_to(i: int) -> list[int]:
    """The turns that lead to position i, 1 for right.

    >>> turns_to(1), turns_to(6)
    ([], [1, 0])
    """
    return [int(bit) for bit in f"{i:b}"[1:]]


def _only(true: NDArray[np.bool_], what: str) -> int:
    found = np.flatnonzero(true)
    if len(found) != 1:
        raise ValueError(f"the model describes no tree: {what}: {found.tolist()}")
    return int(found[0])


# ---------------------------------------------------------------------------- constraints


def positions_have_one_feature(t: CompleteTree) -> Iterator[Block]:
    """⋁_r f_ri;  Σ_r f_ri <= 1     i = 1..2^d-1."""
    for i, amo in enumerate(t.amo_features, 1):
        yield clause(t.f[:, i])
        yield from amo.blocks()


def rows_turn_as_tests_say(t: CompleteTree, X: NDArray[np.uint8]) -> Iterator[Block]:
    """f_ri ∧ [q took the turns that lead to i] → (x_ql ↔ X_qr)     i = 1..2^d-1, on level l."""
    for i in range(1, t.leaves):
        turns = turns_to(i)
        x = t.x[:, len(turns), None]
        away = [literals[:, None] for literals in t.astray(turns)]
        yield clauses(-t.f[None, :, i], *away, np.where(X != 0, x, -x))


def rows_are_classified(
    t: CompleteTree, y: NDArray[np.int32], claimed: Literals | None = None
) -> Iterator[Block]:
    """[b_q ∧] [q took the turns that lead to j] → c_kj     k the class of row q, j a leaf."""
    condition = () if claimed is None else (-claimed,)
    for j in range(t.leaves):
        yield clauses(*condition, *t.astray(turns_to(t.leaves + j)), t.c[y, j])


def leaves_have_one_class(t: CompleteTree) -> Iterator[Block]:
    """Σ_k c_kj = 1, or = u_j where leaves need not be used."""
    for j in range(t.leaves):
        unused = () if t.u is None else (-t.u[j],)
        yield clause(*unused, t.c[:, j])
        yield pairwise(t.c[:, j])
        if t.u is not None:
            yield clauses(-t.c[:, j], t.u[j])


def root_is_a_test(t: CompleteTree) -> Iterator[Block]:
    """⋁_j u_j over the leaves to the left of the root, and over those to its right."""
    if t.u is not None:
        yield clause(t.u[: t.leaves // 2])
        yield clause(t.u[t.leaves // 2 :])


def contradictory_leaves_are_unused(t: CompleteTree) -> Iterator[Block]:
    """f_rh ∧ f_ri → ¬u_j     j a leaf, h above i above j, and the path to j turns differently at h and i."""
    if t.u is None:
        return
    for j in range(t.leaves):
        turns = turns_to(t.leaves + j)
        for below in range(t.d):
            for above in range(below):
                if turns[above] != turns[below]:
                    h, i = ((t.leaves + j) >> (t.d - level) for level in (above, below))
                    yield clauses(-t.u[j], -t.f[:, h], -t.f[:, i])
