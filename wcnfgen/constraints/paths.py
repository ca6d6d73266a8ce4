"""Explicit paths: a tree as the list of the ways from its root to its leaves.

Janota and Morgado (SAT 2020) describe a tree by its paths, each a sequence of tests and turns that ends
in a class.  This is our own formulation of that idea: neither the formula nor its size is theirs.

The paths are ordered from left to right.  Two neighbours meet at the tests that they share, from the
root on, and part at the last of them, where the first turns left and the second right.  From there on
the first turns right only, or the second would not be next to it, and the second left only.  So a test
is shared with the next path if and only if a left turn is still to come, and shared with the path
before if and only if a right turn is.  The first path turns left only and the last one right only.
That is all there is to being a tree, and nothing numbers its nodes: what the core formula says of a
child for each possible parent is said here of a path and the one next to it.

A row follows a path unless one of the path's turns sends it elsewhere, so a row is classified rightly
if each path has the row's class or a turn against it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clauses
from wcnfgen.constraints.core import labels
from wcnfgen.constraints.counting import at_most_one, pairwise
from wcnfgen.tree import Leaf, Tree, from_list
from wcnfgen.variables import Literals, Pool


class PathTree:
    """The variables of P paths of at most D steps over K features and C classes; all count from 0.

    u[p, t]     path p has a step t; a path is used if it has a step 0
    x[p, t, r]  step t of path p tests feature r
    g[p, t]     step t of path p turns right, where the feature is 1
    m[p, t]     paths p and p+1 meet at step t: it is the same test; m[p, 0] is u[p+1, 0]
    d[s, r, p]  rows with value s of feature r cannot follow path p
    c[k, p]     path p ends in class k; with two classes c[1, p] is one variable and c[0, p] its negation
    """

    def __init__(self, P: int, D: int, K: int, C: int, pool: Pool):
        self.P, self.D, self.K, self.C = P, D, K, C
        pool.room(P, D, K + 3)
        pool.room(P, P + 2 * K + C)
        self.u, self.g = pool.new(np.ones((2, P, D), bool))
        self.m = np.concatenate([self.u[1:, :1], pool.new(np.ones((P - 1, D - 1), bool))], axis=1)
        self.x = pool.new(np.ones((P, D, K), bool))
        self.d = pool.new(np.ones((P, K, 2), bool)).transpose(2, 1, 0)
        one = pool.new(np.ones((P, C if C > 2 else 1), bool)).T
        self.c = one if C > 2 else np.concatenate([-one, one])
        self.amo_features = [at_most_one(x, pool) for x in self.x.reshape(-1, K)]

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """Set every variable to what the tree says; unused paths are nothing at all."""
        for p, (path, label) in enumerate(paths(tree)):
            for t, (r, turn) in enumerate(path):
                assignment[[self.u[p, t], self.x[p, t, r], self.d[1 - turn, r, p]]] = True
                assignment[self.g[p, t]] = turn
            if p < self.P - 1:
                assignment[self.m[p, : last_left(path) + 1]] = True
            assignment[abs(int(self.c[label, p]))] = self.c[label, p] > 0
        for amo in self.amo_features:
            amo.assign(assignment)

    def decode(self, assignment: NDArray[np.bool_]) -> Tree:
        """The tree of a model.  Raises ValueError where the paths are those of no tree."""
        steps, turns, tests = assignment[self.u], assignment[self.g], assignment[self.x]
        classes = labels(self.c, assignment)
        found: list[int] = []
        pending = [(0, int(steps[:, 0].sum()), 0)]
        for first, stop, t in pending:  # the paths through a node at depth t; breadth first, it grows
            here = slice(first, stop)
            if stop - first == 1 and not steps[first, t:].any():
                found.append(-1 - _only(classes(first), f"classes of path {first}"))
                continue
            if t == self.D or not steps[here, t].all():
                raise ValueError(f"the model describes no tree: the paths from {first} do not part")
            asked = np.flatnonzero(tests[here, t].any(axis=0)).tolist()
            found.append(_only(asked, f"tests of path {first} at depth {t}"))
            part = stop - int(turns[here, t].sum())
            if not first < part < stop or turns[first:part, t].any():
                raise ValueError(f"the model describes no tree: the paths from {first} are out of order")
            pending += [(first, part, t + 1), (part, stop, t + 1)]
        return from_list(found)


Path = list[tuple[int, int]]


def paths(tree: Tree) -> Iterator[tuple[Path, int]]:
    """The paths from left to right: of each the tests with the turns taken, 1 for right, and the class.

    >>> from wcnfgen.tree import Node
    >>> list(paths(Node(4, Leaf(0), Leaf(1))))
    [([(4, 0)], 0), ([(4, 1)], 1)]
    """
    todo: list[tuple[Tree, Path]] = [(tree, [])]
    while todo:
        node, path = todo.pop()
        if isinstance(node, Leaf):
            yield path, node.label
        else:
            todo += [(node.yes, [*path, (node.test, 1)]), (node.no, [*path, (node.test, 0)])]


def last_left(path: Path) -> int:
    """The step at which a path parts from the next one, its last turn to the left; -1 if there is none.

    >>> last_left([(4, 0), (2, 0), (7, 1)])
    1
    """
    return max((t for t, (_, turn) in enumerate(path) if not turn), default=-1)


def positions(bits: str) -> Iterator[tuple[tuple[int, ...], bool]]:
    """The nodes of a layout: the turns that lead to each, and whether it is a test.

    >>> list(positions("101"))
    [((), True), ((0,), False), ((1,), True)]
    """
    queue: list[tuple[int, ...]] = [()]
    for bit, turns in zip(bits, queue, strict=False):  # grows as the children are met
        yield turns, bit == "1"
        if bit == "1":
            queue += [(*turns, 0), (*turns, 1)]


def _only(found: list[int], what: str) -> int:
    if len(found) != 1:
        raise ValueError(f"the model describes no tree: {what}: {found}")
    return found[0]


# ---------------------------------------------------------------------------- structure


def enough_paths_are_used(t: PathTree, least: int) -> Iterator[Block]:
    """u_l-1,0     l = least: and so the paths before, which meet the next one at the root."""
    yield clauses(t.u[least - 1, 0])


def outermost_paths_turn_outwards(t: PathTree) -> Iterator[Block]:
    """¬g_0t;  u_P-1,t → g_P-1,t."""
    yield clauses(-t.g[0])
    yield clauses(-t.u[-1], t.g[-1])


def neighbours_meet_before_they_turn_inwards(t: PathTree) -> Iterator[Block]:
    """u_pt ∧ ¬g_pt → m_pt;  g_p+1,t → m_pt;  m_pt → u_pt ∧ u_p+1,t;  m_p,t+1 → m_pt     p < P-1.

    As every step is a turn to some side, this also says that steps follow each other: u_p,t+1 → u_pt.
    """
    yield clauses(-t.u[:-1], t.g[:-1], t.m)
    yield clauses(-t.g[1:], t.m)
    yield clauses(-t.m, t.u[:-1])
    yield clauses(-t.m[:, 1:], t.u[1:, 1:])
    yield clauses(-t.m[:, 1:], t.m[:, :-1])


def neighbours_part_where_they_meet_last(t: PathTree) -> Iterator[Block]:
    """m_p,t+1 → (g_pt ↔ g_p+1,t);  m_pt ∧ ¬m_p,t+1 → ¬g_pt ∧ g_p+1,t     p < P-1;  ¬m_pD."""
    meet, again, left, right = t.m[:, :-1], t.m[:, 1:], t.g[:-1], t.g[1:]
    yield clauses(-again, -left[:, :-1], right[:, :-1])
    yield clauses(-again, left[:, :-1], -right[:, :-1])
    yield clauses(-meet, again, -left[:, :-1])
    yield clauses(-meet, again, right[:, :-1])
    yield clauses(-t.m[:, -1], -left[:, -1])
    yield clauses(-t.m[:, -1], right[:, -1])


def layout_is(t: PathTree, bits: str) -> Iterator[Block]:
    """[path p turns as one does to node i of the layout] → (u_pt ↔ i is a test)     i at depth t > 0."""
    for turns, is_test in positions(bits):
        depth = len(turns)
        if depth == 0 or depth == t.D:
            continue
        away = (t.g[:, step] * (-1 if turn else 1) for step, turn in enumerate(turns))
        yield clauses(-t.u[:, depth - 1], *away, t.u[:, depth] * (1 if is_test else -1))


# ---------------------------------------------------------------------------- features


def steps_test_one_feature(t: PathTree) -> Iterator[Block]:
    """u_pt → ⋁_r x_ptr;  Σ_r x_ptr <= 1;  x_ptr → u_pt."""
    yield np.concatenate([-t.u[..., None], t.x], axis=2).reshape(-1, t.K + 1)
    for amo in t.amo_features:
        yield from amo.blocks()
    for p in range(t.P):
        yield clauses(-t.x[p], t.u[p, :, None])


def neighbours_share_tests_where_they_meet(t: PathTree) -> Iterator[Block]:
    """m_pt → (x_ptr ↔ x_p+1,tr)     p < P-1."""
    for p in range(t.P - 1):
        meet = t.m[p, :, None]
        yield clauses(-meet, -t.x[p], t.x[p + 1])
        yield clauses(-meet, t.x[p], -t.x[p + 1])


def turns_exclude_rows(t: PathTree) -> Iterator[Block]:
    """d_srp → ⋁_t x_ptr;  x_ptr ∧ g_pt → d⁰_rp ∧ ¬d¹_rp;  x_ptr ∧ ¬g_pt → d¹_rp ∧ ¬d⁰_rp.

    This also says that no feature is tested twice on a path: where it is, some path turns both ways on it.
    """
    for p in range(t.P):
        x, g = t.x[p], t.g[p, :, None]
        for s, away in ((0, g), (1, -g)):
            d = t.d[s, :, p]
            yield np.concatenate([-d[None], x]).T
            yield clauses(-x, -away, d)
            yield clauses(-x, away, -d)


# ---------------------------------------------------------------------------- classes and rows


def paths_end_in_one_class(t: PathTree) -> Iterator[Block]:
    """c_kp → u_p0;  u_p0 → ⋁_k c_kp;  Σ_k c_kp <= 1; two classes need only c_p → u_p0."""
    positive = t.c if t.C > 2 else t.c[1:]
    yield clauses(-positive, t.u[:, 0])
    if t.C > 2:
        yield clauses(-t.u[:, 0], *positive)
        for classes in positive.T:
            yield pairwise(classes)


def rows_are_classified(
    t: PathTree, bits: Bits, y: NDArray[np.int32], claimed: Literals | None = None
) -> Iterator[Block]:
    """[b_q ∧] u_p0 → [class of q at p] ∨ ⋁_r d^σ(r,q)_rp     q a row, b where rows are soft."""
    condition = () if claimed is None else (-claimed,)
    for p in range(t.P):
        yield Choice(clauses(*condition, -t.u[p, 0], t.c[y, p]), t.d[:, :, p], bits)


ALL = (
    outermost_paths_turn_outwards,
    neighbours_meet_before_they_turn_inwards,
    neighbours_part_where_they_meet_last,
    steps_test_one_feature,
    neighbours_share_tests_where_they_meet,
    turns_exclude_rows,
    paths_end_in_one_class,
)
