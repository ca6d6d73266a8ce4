"""A model of the hard clauses to go with an instance: a witness that they can be satisfied.

It is that of a tree: the best of the plan's witness and of greedy trees that are grown into the formula
(`growing`), or else, where every row has to be right, of one that a SAT solver finds (`lazily`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wcnfgen.bundle import growing, lazily
from wcnfgen.instance import Instance
from wcnfgen.tree import Leaf, Node, Tree


def find(instance: Instance, *, work: int = lazily.WORK) -> NDArray[np.bool_] | None:
    """A full model of the hard clauses, indexed by variable (index 0 is unused); None if none is found.

    work is what a SAT solver may do, in conflicts times literals.  The same instance gives the same model.
    """
    encoding, tree = instance.encoding, greedy(instance)
    if tree is None and encoding.pure:
        found = lazily.pure_tree(encoding, work)
        tree = found if isinstance(found, (Leaf, Node)) else None
    return None if tree is None else encoding.model(tree)


def greedy(instance: Instance) -> Tree | None:
    """The best of the plan's witness and the greedy trees that the formula allows."""
    encoding, known = instance.encoding, instance.witness
    trees = [known] if known is not None else []
    return min((*trees, *growing.trees(encoding)), key=encoding.cost, default=None)
