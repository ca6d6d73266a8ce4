"""Whether the optimum is known not to be 0: the MaxSAT Evaluation takes no instance whose optimum is.

A cost of 0 means a tree that gets every row right but those that no tree gets right, and, where size is
weighed, one of three nodes.  What is asked, in this order:

* Greedy trees (`witness`).  One may cost 0 itself.
* Bounds: the plan's; the weight that vectors of several classes lose whatever the tree; and the
  size of pure trees, where the formula has no room for it.
* A SAT solver, on the same formula without its soft clauses, where every row has to be right
  (`lazily`); before that, where there is a bound on depth, on the complete tree of that depth, whose formula
  is smaller: if it holds no pure tree, neither does the other.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen.bundle import growing, lazily, witness
from wcnfgen.constraints import softrows
from wcnfgen.constraints.topology import least_nodes
from wcnfgen.encodings import Encoding
from wcnfgen.encodings.complete import MOST_DEPTH, Complete
from wcnfgen.instance import Instance
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree

SHORT_CLAUSES = 3  # a conflict among those of the complete tree is faster by so much

Answer = Literal["bound", "solver", "open", "zero", ""]


class Shown(NamedTuple):
    """What shows that the optimum is not 0: a bound, a solver, nothing yet (open); or it is: zero.

    Empty where there are no soft clauses.  No model costs less than least_cost; model, indexed by
    variable, is of a tree that costs 0, where one is known.
    """

    answer: Answer
    least_cost: int
    model: NDArray[np.bool_] | None = None


def shown(instance: Instance, *, work: int = lazily.WORK) -> Shown:
    """What is known of the optimum; work is what a SAT solver may do, in conflicts times literals."""
    encoding, plan = instance.encoding, instance.plan
    if not instance.counts.soft:
        return Shown("", 0)
    known = witness.greedy(instance)
    if known is not None and encoding.cost(known) == 0:
        return _zero(encoding, known)
    settled = _settled(encoding.problem)
    if least := max(plan.least_cost, _charged(encoding), _lost(settled)):
        return Shown("bound", least)
    lightest = min(weight for weight, block in encoding.soft() if len(block))
    if bounds.lower_bound(settled) > _most_nodes(encoding):
        return Shown("bound", lightest)
    tree = _pure(encoding, settled, work)
    if tree is None:
        return Shown("solver", lightest)
    return Shown("open", 0) if isinstance(tree, lazily.Unknown) else _zero(encoding, tree)


def _zero(encoding: Encoding, tree: Tree) -> Shown:
    return Shown("zero", 0, encoding.model(tree))


def _settled(problem: Problem) -> Problem:
    """The rows that have a soft clause."""
    rows = softrows.settle(problem)
    return Problem(rows.X, rows.y, rows.w, problem.classes)


def _lost(settled: Problem) -> int:
    """The weight of rows beside a heavier one of the same vector and another class."""
    _, vectors = np.unique(np.packbits(settled.X, axis=1), axis=0, return_inverse=True)
    weight = np.zeros((settled.rows + 1, settled.classes), np.int64)
    np.add.at(weight, (vectors.ravel(), settled.y), settled.w)
    return int((weight.sum(axis=1) - weight.max(axis=1)).sum())


def _weighs_size(encoding: Encoding) -> bool:
    return encoding.name in ("size", "paths") or bool(encoding.options.get("size_weight"))


def _charged(encoding: Encoding) -> int:
    """What size and depth cost at least, by the options: trees of three nodes and depth 1 may be free."""
    options = encoding.options
    smallest = max(options.get("lb", 3), least_nodes(options.get("layout", "")))
    return int(options.get("depth_weight", 0)) + int(_weighs_size(encoding) and smallest > 3)


def _most_nodes(encoding: Encoding) -> int:
    """The nodes of the largest tree that costs nothing but errors."""
    return 3 if _weighs_size(encoding) else growing.Room.of(encoding).most


def _pure(encoding: Encoding, settled: Problem, work: int) -> Tree | lazily.Unknown | None:
    """A tree that costs 0, or None if there is none."""
    depth = encoding.options.get("depth")
    if depth is not None and depth <= MOST_DEPTH:
        tree = lazily.pure_tree(Complete(settled, depth=depth), SHORT_CLAUSES * work)
        if tree is None or isinstance(tree, lazily.Unknown):
            return tree
        if encoding.allows(tree) and encoding.cost(tree) == 0:
            return tree
    options = {name: value for name, value in encoding.options.items() if name != "soft_rows"}
    if _weighs_size(encoding):
        options["ub"] = 3
    return lazily.pure_tree(type(encoding)(settled, **options), work)
