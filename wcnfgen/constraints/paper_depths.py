"""Depth as Hu et al. print it (2020, section 3.2): depth_i,t says that node i is at depth t exactly.

A node i can only be at the depths ⌈log2(i+1)⌉-1 to ⌈(i-1)/2⌉, and at none beyond U.  What differs from the
print, marked with an asterisk: an unused node is at no depth, and the exact-depth clause is not
relaxed, or trees that are too shallow slip through.  `depths` says the same in order encoding.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Block, clause, clauses, when
from wcnfgen.constraints.counting import Sequential
from wcnfgen.constraints.depths import depths
from wcnfgen.constraints.nodes import parents
from wcnfgen.constraints.paper import PaperTree
from wcnfgen.tree import Tree
from wcnfgen.variables import Pool


class Depths:
    """depth[i, t] for the nodes 1..N and the depths up to U that they can have; column U+1 is 0."""

    def __init__(self, N: int, U: int, pool: Pool):
        self.N, self.U = N, U
        pool.room(N, 3 * U)
        i, t = np.indices((N + 1, U + 2))
        lowest = np.array([i.bit_length() - 1 for i in range(N + 1)])  # ⌈log2(i+1)⌉ - 1
        self.depth = pool.new((i >= 1) & (t >= lowest[i]) & (t <= i // 2) & (t <= U))
        self.one_depth = {i: Sequential(self.depth[i][self.depth[i] > 0], pool) for i in range(1, N + 1)}

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """What the tree says; unused nodes are at no depth."""
        for i, depth in enumerate(depths(tree), 1):
            assignment[self.depth[i, depth]] = True
        for counter in self.one_depth.values():
            counter.assign(assignment)


def root_is_at_depth_zero(t: PaperTree, k: Depths) -> Iterator[Block]:
    """depth_1,0."""
    yield clauses(k.depth[1, :1])


def nodes_have_one_depth(t: PaperTree, k: Depths) -> Iterator[Block]:
    """η(i) → Σ_t depth_i,t = 1;  depth_i,t → η(i) (*)."""
    for i, counter in k.one_depth.items():
        yield when(t.used(i), clause(counter.x))
        yield from counter.blocks()
        for used in t.used(i):
            yield clauses(-counter.x, used)


def children_are_one_deeper(t: PaperTree, k: Depths) -> Iterator[Block]:
    """depth_i,t ∧ p_ji → depth_j,t+1, or false where there is no such depth     j > 1, i ∈ parents(j)."""
    for j in range(2, t.N + 1):
        i, depth = np.nonzero(k.depth[parents(j)])
        i += parents(j)[0]
        child = k.depth[j, depth + 1]
        there = child > 0
        yield clauses(-k.depth[i, depth][there], -t.p[i, j][there], child[there])
        yield clauses(-k.depth[i, depth][~there], -t.p[i, j][~there])


def deepest_nodes_are_leaves(t: PaperTree, k: Depths) -> Iterator[Block]:
    """depth_i,U → v_i     every i that can be so deep."""
    i = np.flatnonzero(k.depth[:, k.U])
    yield clauses(-k.depth[i, k.U], t.v[i])


def some_node_is_deepest(k: Depths) -> Iterator[Block]:
    """⋁_i depth_i,U, never relaxed (*): the depth is exactly U."""
    yield clause(k.depth[k.depth[:, k.U] > 0, k.U])


ALL = (root_is_at_depth_zero, nodes_have_one_depth, children_are_one_deeper, deepest_nodes_are_leaves)
