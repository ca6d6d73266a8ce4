"""What encodings on the core formula share: bounds on size and depth, and rows that are hard or soft.

An encoding of this kind says which of the parts it has, and adds its objective.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wcnfgen import tree as trees
from wcnfgen.clauses import Bits, Block
from wcnfgen.constraints import core, depths, softrows, topology
from wcnfgen.encodings import Encoding
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, predict, repeats_a_test
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


MOST_LAYOUT_DEPTH = 4  # depth 5 has 458,329 layouts


class CoreEncoding(Encoding):
    """A tree of at most, or exactly, N nodes over the core formula.

    soft_rows is the number of rows that may be wrong at a cost, None if all rows are hard; depth
    bounds the depth, None if nothing does; top is the shape of the first nodes, where it is given.
    """

    def __init__(
        self,
        problem: Problem,
        N: int,
        *,
        exact_size: bool,
        lb: int = 3,
        soft_rows: int | None = None,
        depth: int | None = None,
        exact_depth: bool = False,
        counters: bool = True,
        top: str = "",
    ):
        super().__init__(problem)
        self.N, self.lb, self.exact_size, self.exact_depth = N, lb, exact_size, exact_depth
        self.depth, self.with_counters, self.top = depth, counters, top
        self.t = core.CoreTree(
            N, problem.features, problem.classes, self.pool, exact=exact_size, counters=counters
        )
        self.k = None if depth is None else depths.Depths(N, depth, self.pool)
        self.s = None if soft_rows is None else softrows.SoftRows(soft_rows, self.pool)
        self.settled = softrows.settle(problem) if self.s else None

    def hard(self) -> Iterator[Block]:
        """Usage, shape, structure, features, depth, rows."""
        if not self.exact_size:
            yield from core.nodes_are_used_in_order(self.t, self.lb)
        if self.top:
            yield from topology.shape_is(self.t, self.top)
        for constraint in core.STRUCTURE + core.FEATURES:
            yield from constraint(self.t)
        if self.k:
            yield from self._depth(self.k)
        if self.s and self.settled:
            yield from softrows.classified_if_claimed(self.t, self.s, self.settled)
        else:
            yield from core.rows_are_classified(self.t, Bits(self.problem.X), self.problem.y)

    def _depth(self, k: depths.Depths) -> Iterator[Block]:
        yield from depths.children_are_one_deeper(self.t, k)
        yield from depths.depths_are_ordered(self.t, k)
        yield from depths.deepest_nodes_are_leaves(self.t, k)
        if self.exact_depth:
            yield from depths.some_node_is_deepest(k)

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off v, l, a and c."""
        return self.t.decode(assignment)

    def errors(self, tree: Tree) -> int:
        """The weight of the rows that the tree gets wrong."""
        return int(self.problem.w[predict(tree, self.problem.X) != self.problem.y].sum())

    def allows(self, tree: Tree) -> bool:
        """A tree with a test within the bounds, no feature twice on a path; pure if rows are hard."""
        least = self.N if self.exact_size else self.lb
        return (
            isinstance(tree, Node)
            and least <= trees.size(tree) <= self.N
            and topology.shape(tree).startswith(self.top)
            and not repeats_a_test(tree)
            and (self.depth is None or trees.depth(tree) <= self.depth)
            and (not self.exact_depth or trees.depth(tree) == self.depth)
            and (self.s is not None or self.errors(tree) == 0)
        )

    @property
    def soft_row_count(self) -> int:
        """How many rows have a soft clause."""
        return len(self.s.b) if self.s else 0

    def rows_are_worth(self, unit: int = 1) -> Iterator[tuple[int, Literals]]:
        """(b_q, unit * w_q)     q a row."""
        if self.s and self.settled:
            yield from softrows.rows_are_worth(self.s, self.settled, unit)

    def if_allowed(self, tree: Tree) -> Tree | None:
        """The tree as a witness, where it is one."""
        return tree if self.allows(tree) else None

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's, or say which rows it gets right."""
        self.t.assign(tree, assignment)
        if self.k:
            self.k.assign(tree, assignment)
        if self.s and self.settled:
            self.s.assign(tree, self.settled, assignment)


class FewestErrors(CoreEncoding):
    """The objective that is errors alone, beyond the constant that no tree avoids."""

    pure = False
    constant: int

    @property
    def meaning_of_cost(self) -> str:
        """Errors beyond those that no tree avoids."""
        return f"errors = cost + {self.constant}"

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(b_q, w_q)     q a row."""
        yield from self.rows_are_worth()

    def cost(self, tree: Tree) -> int:
        """The weight of the rows that the tree gets wrong, less what no tree gets right."""
        return self.errors(tree) - self.constant


def size_bound(problem: Problem, nodes: int | None, ub: int | None) -> tuple[int, bool, list[str]]:
    """The number of nodes, whether it is exact, and notes; from --nodes or --ub.  Raises UsageError."""
    most = most_nodes(problem.features)
    if nodes is not None and ub is not None:
        raise UsageError("give --nodes N (exactly so many) or --ub N (at most so many), not both")
    if nodes is not None:
        if size_option("--nodes", nodes) > most:
            raise UsageError(f"--nodes {nodes}: no path tests a feature twice, the largest tree has {most}")
        return nodes, True, []
    if ub is None:
        raise UsageError("give --nodes N (exactly so many) or --ub N (at most so many)")
    if size_option("--ub", ub) > most:
        return most, False, [f"upper bound {ub} lowered to {most}: no path tests a feature twice"]
    return ub, False, []


def size_option(option: str, value: int) -> int:
    """A size a tree with a test can have.  Raises UsageError."""
    if value < 3 or value % 2 == 0:
        raise UsageError(f"{option} {value}: the size of a tree with a test is odd and at least 3")
    return value


def layout_option(problem: Problem, depth: int | None, number: int | None, nodes: int) -> str:
    """The layout that --layout-depth and --layout pick, "" if neither is given.  Raises UsageError."""
    if depth is None and number is None:
        return ""
    if depth is None or not 1 <= depth <= MOST_LAYOUT_DEPTH:
        raise UsageError(f"--layout needs --layout-depth 1 to {MOST_LAYOUT_DEPTH}: how many levels it fixes")
    found = topology.layouts(depth)
    if number is None or not 1 <= number <= len(found):
        listed = f": {', '.join(found)}" if depth < 3 else f", from {found[0]} to {found[-1]}"
        raise UsageError(f"--layout-depth {depth} needs --layout 1 to {len(found)}{listed}")
    chosen = found[number - 1]
    if (least := topology.least_nodes(chosen)) > nodes:
        raise UsageError(f"--layout {number} is {chosen}, which takes {least} nodes; there are {nodes}")
    if (deepest := len(topology.levels(chosen)) - 1) > problem.features:
        raise UsageError(
            f"--layout {number} is {chosen}, a path of {deepest} tests; there are {problem.features} columns"
        )
    return chosen


def most_nodes(features: int) -> int:
    """The nodes of the largest tree that tests no feature twice on a path."""
    return int(2 ** (features + 1) - 1)
