"""Brute force: every tree over a few columns.  Knows nothing of clauses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from wcnfgen.encodings import Encoding
from wcnfgen.rows import Problem
from wcnfgen.tree import Leaf, Node, Tree


def all_trees(problem: Problem) -> Iterator[Tree]:
    """Every tree that tests no column twice on a path; each leaf has the class of most weight there."""
    weights = np.zeros((len(problem.y), problem.classes), int)
    weights[np.arange(len(problem.y)), problem.y] = problem.w

    @cache
    def below(rows: tuple[int, ...], columns: frozenset[int]) -> list[Tree]:
        found: list[Tree] = [Leaf(int(np.argmax(weights[list(rows)].sum(axis=0))))]
        for r in sorted(columns):
            no = tuple(q for q in rows if not problem.X[q, r])
            yes = tuple(q for q in rows if problem.X[q, r])
            for left in below(no, columns - {r}):
                found += [Node(r, left, right) for right in below(yes, columns - {r})]
        return found

    yield from below(tuple(range(len(problem.y))), frozenset(range(problem.features)))


def optimum(encoding: Encoding) -> int | None:
    """The least cost of a tree that the encoding allows, None if it allows none."""
    trees = all_trees(encoding.problem)
    return min((encoding.cost(tree) for tree in trees if encoding.allows(tree)), default=None)
