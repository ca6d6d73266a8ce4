"""A random decision tree, and rows that it classifies.

The tree is grown leaf by leaf: a random leaf becomes a test of a random feature that its path has not
asked yet, so every leaf can be reached.  Classes go round the leaves from left to right, so neighbouring
leaves differ, no two sibling leaves can be merged, and every class occurs.  The tree bounds the
optimum from above; that nothing smaller fits the rows is not promised.  With noise, a share of the rows
gets another class than the tree gives.
"""

from __future__ import annotations

from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import UsageError
from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import check, numbered, stream
from wcnfgen.tree import Leaf, Node, Tree, predict

Tests = dict[str, int]  # the answers on the way to a node, "" at the root, "01" = no, yes -> feature


def generate(
    *,
    nodes: int = 15,
    features: int = 10,
    classes: int = 2,
    rows: int = 200,
    noise: float = 0.0,
    seed: int = 0,
) -> Dataset:
    """Hidden tree: the class that a random tree of a given size gives (a planted solution).

    Rows are uniform, except that one row is led to each leaf; every leaf and every class occurs.

    nodes: number of nodes of the tree, leaves included, odd, 3 to 4095
    features: number of binary columns, 1 to 1000
    classes: number of classes, 2 to the number of leaves
    rows: number of rows, from the number of leaves to 1048576
    noise: share of the rows that get another class, 0 to 1; their number is rounded
    seed: of the tree, of the rows and of the noise
    """
    tests = grow(nodes, features, seed)
    leaves = (nodes + 1) // 2
    check("classes", classes, 2, leaves)
    check("rows", rows, leaves, 2**20)
    check("noise", noise, 0, 1)
    X = _inputs(tests, features, rows, seed)
    labels = _disturbed(predict(build(tests, classes), X), classes, noise, seed)
    table = zip(X.tolist(), labels.tolist(), strict=True)
    return Dataset([*numbered("x", features), "class"], ([*map(str, x), str(label)] for x, label in table))


def grow(nodes: int, features: int, seed: int) -> Tests:
    """The tests of a random tree of so many nodes. UsageError when no such tree exists."""
    check("features", features, 1, 1000)
    check("nodes", nodes, 3, min(4095, 2 ** (features + 1) - 1))
    check("seed", seed, 0, 2**63 - 1)
    if nodes % 2 == 0:
        raise UsageError(f"nodes must be odd, not {nodes}: every test has two children")
    rng = stream(seed)
    tests: Tests = {}
    open_leaves = [""]  # those with a feature left to ask
    while len(tests) < nodes // 2:
        path = open_leaves.pop(int(rng.randint(len(open_leaves))))
        asked = set(_asked(tests, path))
        tests[path] = int(rng.choice([r for r in range(features) if r not in asked]))
        if len(path) + 1 < features:
            open_leaves += [path + "0", path + "1"]
    return tests


def build(tests: Tests, classes: int) -> Tree:
    """The tree of these tests, with the classes 0, 1, ... going round its leaves."""
    labels = cycle(range(classes))

    def subtree(path: str) -> Tree:
        if path not in tests:
            return Leaf(next(labels))
        return Node(tests[path], subtree(path + "0"), subtree(path + "1"))

    return subtree("")


def _asked(tests: Tests, path: str) -> list[int]:
    return [tests[path[:i]] for i in range(len(path))]


def _inputs(tests: Tests, features: int, rows: int, seed: int) -> NDArray[np.uint8]:
    """Random rows, shape (rows, features); row i is led to leaf i."""
    X: NDArray[np.uint8] = stream(seed, 1).randint(0, 2, (rows, features), np.uint8)
    leaves = (path + answer for path in tests for answer in "01" if path + answer not in tests)
    for row, leaf in zip(X, leaves, strict=False):
        row[_asked(tests, leaf)] = [int(answer) for answer in leaf]
    return X


def _disturbed(labels: NDArray[np.int32], classes: int, noise: float, seed: int) -> NDArray[np.int32]:
    """Labels of which a share is another one, each of the others equally likely."""
    rng = stream(seed, 2)
    chosen = rng.permutation(len(labels))[: int(noise * len(labels) + 0.5)]
    disturbed = labels.copy()
    disturbed[chosen] = (labels[chosen] + rng.randint(1, classes, len(chosen))) % classes
    return disturbed
