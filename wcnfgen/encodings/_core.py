"""What the encodings of a tree of N nodes share: two forms, bounds on size and depth, hard or soft rows.

An encoding of this kind adds a plan, which settles what the user left open, and its objective.  The form is
`core`, the compact formula, or `paper`, the variables and numbered constraints of the papers.  The core form
of pure trees can have redundant constraints, which change no tree and shorten proofs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen import tree as trees
from wcnfgen.clauses import Bits, Block
from wcnfgen.constraints import core, depths, paper, paper_depths, reaching, softrows, topology
from wcnfgen.encodings import Encoding
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, repeats_a_test
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem

Form = Literal["core", "paper"]
# Redundant constraints are there by default up to so many rows * columns * nodes; `reach`, which slows LMS on
# several hundred rows, up to so many rows (tests/bench/README.md).
HELPED_CELLS = 1_000_000
HELPED_ROWS = 200


class CoreEncoding(Encoding):
    """A tree of exactly `nodes`, or of lb to ub nodes.

    soft_rows is None if all rows are hard, else what `softrows.shape_of` says of the problem; depth bounds
    the depth, None if nothing does; layout is the shape of the first nodes, where it is given.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        nodes: int | None = None,
        ub: int | None = None,
        lb: int = 3,
        depth: int | None = None,
        exact_depth: bool = False,
        soft_rows: Sequence[int] | None = None,
        layout: str = "",
        form: Form = "core",
        counters: bool = True,
        reach: bool = False,
        root_bounds: bool = False,
    ):
        super().__init__(problem)
        self.N = N = int(nodes or ub or 0)
        self.exact_size, self.lb, self.depth, self.exact_depth = nodes is not None, lb, depth, exact_depth
        self.layout, self.form, self.with_counters = layout, form, counters
        shape = (N, problem.features, problem.classes, self.pool)
        make: Any = core.CoreTree if form == "core" else paper.PaperTree
        self.t = make(*shape, exact=self.exact_size, counters=counters)
        self._constraints: Any = core if form == "core" else paper
        self._depths: Any = depths if form == "core" else paper_depths
        self.k = None if depth is None else self._depths.Depths(N, depth, self.pool)
        self.s = None if soft_rows is None else softrows.SoftRows(problem, soft_rows, self.pool)
        self.x = reaching.Reach(problem.rows, N, self.pool) if reach else None
        self.with_root_bounds = root_bounds

    @property
    def pure(self) -> bool:
        """Unless rows are soft."""
        return self.s is None

    @property
    def decision(self) -> bool:
        """Where the size is given and all rows are hard."""
        return self.exact_size and self.s is None

    @property
    def options(self) -> dict[str, Any]:
        """What differs from a plain tree; bounds, form and counters always."""
        options: dict[str, Any] = {"nodes" if self.exact_size else "ub": self.N}
        if not self.exact_size:
            options["lb"] = self.lb
        if self.depth is not None:
            options |= {"depth": self.depth, "exact_depth": self.exact_depth}
        if self.s:
            options["soft_rows"] = self.s.shape
        if self.layout:
            options["layout"] = self.layout
        options |= {"form": self.form, "counters": self.with_counters}
        there = {"reach": self.x is not None, "root_bounds": self.with_root_bounds}
        return options | {name: True for name, is_there in there.items() if is_there}

    def hard(self) -> Iterator[Block]:
        """Usage, shape, structure, features, depth, rows."""
        if not self.exact_size:
            yield from self._constraints.nodes_are_used_in_order(self.t, self.lb)
        if self.layout:
            yield from topology.shape_is(self.t, self.layout)
        for constraint in self._constraints.STRUCTURE + self._constraints.FEATURES:
            yield from constraint(self.t)
        for constraint in self._depths.ALL if self.k else ():
            yield from constraint(self.t, self.k)
        if self.exact_depth:
            yield from self._depths.some_node_is_deepest(self.k)
        if self.s:
            yield from softrows.classified_if_claimed(self.t, self.s)
        elif self.x:
            yield from reaching.rows_reach_and_are_classified(
                self.t, self.x, Bits(self.problem.X), self.problem.y
            )
        else:
            yield from self._constraints.rows_are_classified(self.t, Bits(self.problem.X), self.problem.y)
        if self.with_root_bounds:
            yield from core.root_tests_need_nodes(self.t, self._needed)

    @cached_property
    def _needed(self) -> NDArray[np.int64]:
        return bounds.root_bounds(self.problem)

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off v, l, a and c."""
        found: Tree = self.t.decode(assignment)
        return found

    def errors(self, tree: Tree) -> int:
        """The weight of the rows that the tree gets wrong."""
        return softrows.errors(self.problem, tree)

    @property
    def constant(self) -> int:
        """The weight of the rows that no tree gets right."""
        return self.s.constant if self.s else 0

    def allows(self, tree: Tree) -> bool:
        """A tree with a test within the bounds, no feature twice on a path; pure if rows are hard."""
        least = self.N if self.exact_size else self.lb
        return (
            isinstance(tree, Node)
            and least <= trees.size(tree) <= self.N
            and topology.shape(tree).startswith(self.layout)
            and not repeats_a_test(tree)
            and (self.depth is None or trees.depth(tree) <= self.depth)
            and (not self.exact_depth or trees.depth(tree) == self.depth)
            and (self.s is not None or self.errors(tree) == 0)
        )

    def rows_are_worth(self, unit: int = 1) -> Iterator[tuple[int, Literals]]:
        """(b_q, unit * w_q)     q a row, where rows are soft."""
        if self.s:
            yield from softrows.rows_are_worth(self.s, unit)

    def if_allowed(self, tree: Tree) -> Tree | None:
        """The tree as a witness, where it is one; without tests that decide nothing, where that is one."""
        return next(filter(self.allows, (trees.pruned(tree), tree)), None)

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's, or say which rows it gets right."""
        self.t.assign(tree, assignment)
        if self.k:
            self.k.assign(tree, assignment)
        if self.s:
            self.s.assign(tree, assignment)
        if self.x:
            self.x.assign(self.t.d, self.problem.X, assignment)


class FewestErrors(CoreEncoding):
    """The objective that is errors alone, beyond the constant that no tree avoids."""

    @classmethod
    def may_err(cls, options: dict[str, Any]) -> bool:
        """Always."""
        return True

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


def helpers(
    problem: Problem, nodes: int, form: Form, *, soft_rows: bool, reach: bool | None, root_bounds: bool | None
) -> dict[str, Any]:
    """The redundant constraints, where left open: on small formulas of pure trees.  Raises UsageError."""
    suits = form == "core" and not soft_rows
    if (reach or root_bounds) and not suits:
        raise UsageError("--reach and --root-bounds are for the core form with rows that must be right")
    small = suits and problem.rows * problem.features * nodes <= HELPED_CELLS
    return {
        "reach": small and problem.rows <= HELPED_ROWS if reach is None else reach,
        "root_bounds": small if root_bounds is None else root_bounds,
    }


def size_bound(problem: Problem, nodes: int | None, ub: int | None) -> tuple[dict[str, Any], list[str]]:
    """{nodes: N} or {ub: N} as --nodes or --ub say, and notes.  Raises UsageError."""
    most = most_nodes(problem.features)
    if nodes is not None and ub is not None:
        raise UsageError("give --nodes N (exactly so many) or --ub N (at most so many), not both")
    if nodes is not None:
        return {"nodes": exact_size(problem, nodes)}, []
    if ub is None:
        raise UsageError("give --nodes N (exactly so many) or --ub N (at most so many)")
    if size_option("--ub", ub) > most:
        return {"ub": most}, [f"upper bound {ub} lowered to {most}: no path tests a feature twice"]
    return {"ub": ub}, []


def exact_size(problem: Problem, nodes: int) -> int:
    """A size that some tree has.  Raises UsageError."""
    if size_option("--nodes", nodes) > (most := most_nodes(problem.features)):
        raise UsageError(f"--nodes {nodes}: no path tests a feature twice, the largest tree has {most}")
    return nodes


def size_option(option: str, value: int) -> int:
    """A size a tree with a test can have.  Raises UsageError."""
    if value < 3 or value % 2 == 0:
        raise UsageError(f"{option} {value}: the size of a tree with a test is odd and at least 3")
    return value


def layout_option(
    problem: Problem, depth: int | None, number: int | None, nodes: int, deepest: int | None = None
) -> str:
    """The layout that --layout-depth and --layout pick, "" if neither is given.  Raises UsageError."""
    if depth is None and number is None:
        return ""
    if depth is None or not 1 <= depth <= topology.MOST_LEVELS:
        raise UsageError(f"--layout needs --layout-depth 1 to {topology.MOST_LEVELS}: the levels it fixes")
    found = topology.layouts(depth)
    if number is None or not 1 <= number <= len(found):
        raise UsageError(
            f"--layout-depth {depth} needs --layout 1 to {len(found)}; "
            f"`wcnfgen encodings --layout-depth {depth}` lists them"
        )
    chosen = found[number - 1]
    if (least := topology.least_nodes(chosen)) > nodes:
        raise UsageError(f"--layout {number} is {chosen}, which takes {least} nodes; there are {nodes}")
    tests = len(topology.levels(chosen)) - 1
    if tests > problem.features:
        raise UsageError(
            f"--layout {number} is {chosen}, a path of {tests} tests; there are {problem.features} columns"
        )
    if deepest is not None and tests > deepest:
        raise UsageError(f"--layout {number} is {chosen}, of depth {tests} at least; the bound is {deepest}")
    return chosen


def most_nodes(features: int) -> int:
    """The nodes of the largest tree that tests no feature twice on a path."""
    return int(2 ** (features + 1) - 1)
