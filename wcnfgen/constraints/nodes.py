"""Which node can be whose child, when nodes are numbered breadth first.

Nodes are 1..N with N odd and root 1; left children are even and the right sibling of j is j + 1
(Narodytska et al. 2018, section 3.1):

    LR(i) = the even numbers in [i+1, min(2i, N-1)]
    RR(i) = the odd numbers in [i+2, min(2i+1, N)]

Arrays over nodes have length N + 1, so that index i is node i and index 0 is never used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wcnfgen.tree import Node, Tree, breadth_first


def lr(i: int, N: int) -> range:
    """The nodes that can be the left child of node i.

    >>> list(lr(2, 9)), list(lr(8, 9))
    ([4], [])
    """
    return range(i + 1 + (i + 1) % 2, min(2 * i, N - 1) + 1, 2)


def parents(j: int) -> NDArray[np.intp]:
    """The nodes that can be the parent of node j >= 2; siblings have the same.

    >>> parents(6).tolist(), parents(7).tolist()
    ([3, 4, 5], [3, 4, 5])
    """
    left = j - j % 2
    return np.arange(left // 2, left)


def left_pairs(N: int) -> NDArray[np.bool_]:
    """The mask of l: entry (i, j) says that j is in LR(i); shape (N+1, N+1)."""
    mask = np.zeros((N + 1, N + 1), bool)
    for i in range(1, N + 1):
        mask[i, list(lr(i, N))] = True
    return mask


def nodes(N: int) -> NDArray[np.bool_]:
    """The mask of v: every node; shape (N+1,)."""
    return np.arange(N + 1) > 0


def left_child_of(tree: Tree) -> list[tuple[int, int]]:
    """The pairs (i, j) with j the left child of i in the tree, numbered breadth first.

    >>> from wcnfgen.tree import Leaf
    >>> left_child_of(Node(0, Node(1, Leaf(0), Leaf(1)), Leaf(0)))
    [(1, 2), (2, 4)]
    """
    tests = [i for i, node in enumerate(breadth_first(tree), 1) if isinstance(node, Node)]
    return [(i, 2 * nth) for nth, i in enumerate(tests, 1)]
