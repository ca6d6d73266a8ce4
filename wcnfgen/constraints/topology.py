"""Shapes: which nodes of a tree are tests and which are leaves, whatever they ask and answer.

A shape is written breadth first, 1 for a test and 0 for a leaf: 10100 is a test whose left child is
a leaf and whose right child is a test of two leaves.  With the nodes numbered breadth first this
also says who is whose child: the children of the n-th test are the nodes 2n and 2n+1.

A layout is the shape of the nodes less than d deep (MPDT_lay, Alòs, Ansótegui and Torres 2023;
explicit paths, Janota and Morgado 2020).  Every tree with a test has exactly one, so that the
layouts of a depth split a search into independent parts; mirror images are different layouts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from wcnfgen.clauses import Block, clauses
from wcnfgen.constraints.core import CoreTree
from wcnfgen.constraints.paper import PaperTree
from wcnfgen.tree import Node, Tree, breadth_first

MOST_LEVELS = 4  # of a layout; five have 458,329


def shape(tree: Tree) -> str:
    """The shape of a tree.

    >>> from wcnfgen.tree import Leaf
    >>> shape(Node(4, Leaf(0), Node(2, Leaf(1), Leaf(0))))
    '10100'
    """
    return "".join("1" if isinstance(node, Node) else "0" for node in breadth_first(tree))


def levels(bits: str) -> list[str]:
    """The shape level by level, as far as it is given.

    >>> levels("10100"), levels("111")
    (['1', '01', '00'], ['1', '11', ''])
    """
    found, start, width = [], 0, 1
    while width:
        found.append(bits[start : start + width])
        start += width
        width = 2 * found[-1].count("1")
    return found


def is_shape(bits: str) -> bool:
    """Whether it is the shape of a whole tree with a test.

    >>> [is_shape(bits) for bits in ("100", "10100", "0", "10", "1000", "")]
    [True, True, False, False, False, False]
    """
    if not bits.startswith("1") or set(bits) - {"0", "1"}:
        return False
    return "".join(levels(bits)) == bits and len(bits) == least_nodes(bits)


def least_nodes(bits: str) -> int:
    """How many nodes a tree of this shape, or with this layout, has at least."""
    return 2 * bits.count("1") + 1


def layouts(depth: int) -> list[str]:
    """The layouts of the top levels; there are 1, 4, 25 and 676 for depths 1 to 4.

    >>> layouts(1), layouts(2)
    (['1'], ['100', '101', '110', '111'])
    """
    found, complete = [("1", 1)], 1
    while complete < depth:
        found = [
            (bits + "".join(level), level.count("1"))
            for bits, tests in found
            for level in product("01", repeat=2 * tests)
        ]
        complete += 1
    return [bits for bits, _ in found]


def shape_is(t: CoreTree | PaperTree, bits: str) -> Iterator[Block]:
    """v_i for leaves, ¬v_i for tests;  l_i,2n where i is the n-th test     i = 2..|bits|.

    That the root is a test with left child 2 is said of every tree.  That the children are used follows,
    and without counters it keeps the numbering breadth first.
    """
    is_test = np.array([bit == "1" for bit in bits[1:]], np.bool_)
    yield clauses(np.where(is_test, -t.v[2 : len(bits) + 1], t.v[2 : len(bits) + 1]))
    tests = np.flatnonzero(is_test) + 2
    yield clauses(t.l[tests, 2 * np.arange(2, len(tests) + 2)])
