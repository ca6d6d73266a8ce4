"""Decision trees over binary columns: what every decoder yields and every ``cost`` counts.

A test asks for the value of one binary column; `no` (value 0) is the papers' left child and
`yes` (value 1) the right one.  Names of columns and classes are not the tree's business:
`wcnfgen.render` adds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Leaf:
    """A class, by its index."""

    label: int


@dataclass(frozen=True, slots=True)
class Node:
    """A test of one binary column, by its index."""

    test: int
    no: Tree
    yes: Tree


Tree = Leaf | Node


def breadth_first(tree: Tree) -> list[Tree]:
    """The nodes in the papers' order: position i-1 holds node i.

    >>> breadth_first(Node(4, Leaf(0), Leaf(1)))[1:]
    [Leaf(label=0), Leaf(label=1)]
    """
    nodes: list[Tree] = [tree]
    for node in nodes:  # the list grows while it is walked: a queue
        if isinstance(node, Node):
            nodes += [node.no, node.yes]
    return nodes


def to_list(tree: Tree) -> list[int]:
    """The tree as integers, breadth first: a test as its column r, a leaf as -1 - class.

    >>> to_list(Node(4, Leaf(0), Leaf(1)))
    [4, -1, -2]
    """
    return [node.test if isinstance(node, Node) else -1 - node.label for node in breadth_first(tree)]


def from_list(integers: list[int]) -> Tree:
    """The tree that `to_list` wrote.

    >>> from_list([4, -1, -2])
    Node(test=4, no=Leaf(label=0), yes=Leaf(label=1))
    """
    built: list[Tree] = [Leaf(-1 - x) for x in integers]
    left = len(integers) - 2  # the children of the last test come last
    for i in range(len(integers) - 1, -1, -1):
        if integers[i] >= 0:
            built[i] = Node(integers[i], built[left], built[left + 1])
            left -= 2
    if left != -1:
        raise ValueError(f"{integers} is no tree, breadth first")
    return built[0]


def size(tree: Tree) -> int:
    """Number of nodes, leaves included; odd.

    >>> size(Node(0, Leaf(0), Leaf(1)))
    3
    """
    return len(breadth_first(tree))


def depth(tree: Tree) -> int:
    """Number of edges on the longest path (Hu et al. 2020); a leaf has depth 0.

    >>> depth(Node(0, Leaf(0), Node(1, Leaf(0), Leaf(1))))
    2
    """
    level: list[Tree] = [tree]
    edges = -1
    while level:
        edges += 1
        level = [child for node in level if isinstance(node, Node) for child in (node.no, node.yes)]
    return edges


def pruned(tree: Tree) -> Tree:
    """The tree without tests that end in one class either way.

    >>> pruned(Node(0, Node(1, Leaf(2), Leaf(2)), Leaf(3)))
    Node(test=0, no=Leaf(label=2), yes=Leaf(label=3))
    """
    if isinstance(tree, Leaf):
        return tree
    no, yes = pruned(tree.no), pruned(tree.yes)
    return no if no == yes and isinstance(no, Leaf) else Node(tree.test, no, yes)


def repeats_a_test(tree: Tree) -> bool:
    """Whether some path asks the same question twice.

    >>> repeats_a_test(Node(0, Leaf(0), Node(0, Leaf(0), Leaf(1))))
    True
    """
    todo: list[tuple[Tree, frozenset[int]]] = [(tree, frozenset())]
    while todo:
        node, asked = todo.pop()
        if isinstance(node, Node):
            if node.test in asked:
                return True
            todo += [(child, asked | {node.test}) for child in (node.no, node.yes)]
    return False


def predict(tree: Tree, X: NDArray[np.uint8]) -> NDArray[np.int32]:
    """The class of each row of X, shape (rows, K), as indices of shape (rows,).

    >>> predict(Node(1, Leaf(7), Leaf(8)), np.array([[0, 0], [0, 1]], np.uint8)).tolist()
    [7, 8]
    """
    labels = np.empty(len(X), np.int32)
    for leaf, rows in reached(tree, X):
        labels[rows] = leaf.label
    return labels


def reached(tree: Tree, X: NDArray[np.uint8]) -> Iterator[tuple[Leaf, NDArray[np.intp]]]:
    """Each leaf, from left to right, with the indices of the rows that end in it."""
    todo: list[tuple[Tree, NDArray[np.intp]]] = [(tree, np.arange(len(X)))]
    while todo:
        node, rows = todo.pop()
        if isinstance(node, Leaf):
            yield node, rows
        else:
            yes = X[rows, node.test] != 0
            todo += [(node.yes, rows[yes]), (node.no, rows[~yes])]
