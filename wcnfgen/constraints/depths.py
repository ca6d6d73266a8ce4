"""Depth in order encoding: D_i,t says that node i is at depth t or deeper, t = 1..U.

Hu et al. (2020, section 3.2) print it with one variable for each depth; the order encoding needs no
"exactly one", and lends itself to bounds.  Two of their clauses are unsound if every clause is
relaxed by its largest node, as section 3.3 has it: here the exact-depth clause is never relaxed,
and only used nodes reach a depth.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Block, clause, clauses
from wcnfgen.constraints.core import CoreTree
from wcnfgen.constraints.nodes import parents
from wcnfgen.tree import Node, Tree
from wcnfgen.variables import Literals, Pool


class Depths:
    """D[i, t] for the nodes i >= 2 and depths 1..U; shape (N+1, U+1)."""

    def __init__(self, N: int, U: int, pool: Pool):
        self.N, self.U = N, U
        pool.room(N, 3 * U)
        i, t = np.indices((N + 1, U + 1))
        self.D = pool.new((i >= 2) & (t >= 1))

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """What the tree says; unused nodes are at no depth."""
        for i, depth in enumerate(depths(tree), 1):
            if i >= 2:
                assignment[self.D[i, 1 : depth + 1]] = True


def depths(tree: Tree) -> list[int]:
    """The depth of each node, breadth first.

    >>> from wcnfgen.tree import Leaf
    >>> depths(Node(0, Leaf(0), Node(1, Leaf(0), Leaf(1))))
    [0, 1, 1, 2, 2]
    """
    order: list[tuple[Tree, int]] = [(tree, 0)]
    for node, depth in order:  # grows while it is walked
        if isinstance(node, Node):
            order += [(node.no, depth + 1), (node.yes, depth + 1)]
    return [depth for _, depth in order]


def children_are_one_deeper(t: CoreTree, k: Depths) -> Iterator[Block]:
    """l_ij → (D_c,1 ∧ (D_i,t → D_c,t+1) ∧ (D_c,t+1 → D_i,t))     c ∈ {j, j+1}, t = 1..U-1."""
    for j in range(2, t.N + 1, 2):
        for i in parents(j):
            no = -t.l[i, j]
            for c in (j, j + 1):
                yield clauses(no, k.D[c, 1])
                deeper = k.D[c, 2:]
                if i == 1:
                    yield clauses(no, -deeper)
                else:
                    yield clauses(no, -k.D[i, 1:-1], deeper)
                    yield clauses(no, -deeper, k.D[i, 1:-1])


def depths_are_ordered(t: CoreTree, k: Depths) -> Iterator[Block]:
    """D_i,t → D_i,t-1;  D_i,1 → η(i): an unused node is at no depth."""
    yield clauses(-k.D[2:, 2:], k.D[2:, 1:-1])
    later = np.flatnonzero(t.eta)
    yield clauses(-k.D[later, 1], t.eta[later])


def deepest_nodes_are_leaves(t: CoreTree, k: Depths) -> Iterator[Block]:
    """D_i,U → v_i: no node is deeper than U."""
    yield clauses(-k.D[2:, k.U], t.v[2:])


ALL = (children_are_one_deeper, depths_are_ordered, deepest_nodes_are_leaves)


def some_node_is_deepest(k: Depths) -> Iterator[Block]:
    """⋁_i D_i,U, never relaxed: the depth is exactly U."""
    yield clause(k.D[2:, k.U])


class Height:
    """h[t]: some node is at depth t or deeper, for an objective on depth."""

    def __init__(self, U: int, pool: Pool):
        self.h: Literals = pool.new(np.arange(U + 1) >= 1)

    def assign(self, deepest: int, assignment: NDArray[np.bool_]) -> None:
        """What a tree of that depth says."""
        assignment[self.h[1 : deepest + 1]] = True


def height_is_reached(k: Depths, height: Height) -> Iterator[Block]:
    """D_i,t → h_t     i >= 2, t = 1..U."""
    yield clauses(-k.D[2:, 1:], height.h[None, 1:])
