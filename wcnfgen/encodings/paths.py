"""Explicit paths: the smallest tree as a list of paths, also within a depth, split by topology.

The objective is that of `size`, over another view of a tree (`wcnfgen.constraints.paths`).  Soft clauses
ask for unused paths from the third on, so that size = 2*cost + 3, also where the lower bound forces
some.  If rows are soft, no number of paths outweighs an error.

As in the paper, a search can be split: the layouts of the top levels are N parts that share no tree
and leave none out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen import tree as trees
from wcnfgen.clauses import Bits, Block, clauses
from wcnfgen.constraints import paths, softrows, topology
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.encodings._core import layout_option, most_nodes, size_option
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, repeats_a_test
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Paths(Encoding):
    """Partial MaxSAT for the tree with the fewest paths, pure or with fewest errors."""

    name = "paths"
    title = "explicit paths: the smallest pure tree of at most ub nodes, also within a depth"
    source = "our formulation of an idea of Janota, Morgado: ... decision trees with explicit paths, SAT 2020"

    def __init__(
        self,
        problem: Problem,
        *,
        ub: int,
        lb: int = 3,
        depth: int | None = None,
        soft_rows: Sequence[int] | None = None,
        layout: str = "",
    ):
        super().__init__(problem)
        self.ub, self.lb, self.depth, self.layout = ub, lb, depth, layout
        P = _paths(ub)
        D = min(P - 1, problem.features if depth is None else depth)
        self.t = paths.PathTree(P, D, problem.features, problem.classes, self.pool)
        self.s = None if soft_rows is None else softrows.SoftRows(problem, soft_rows, self.pool)

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        ub: int | None = None,
        lb: int | None = None,
        depth: int | None = None,
        soft_rows: bool = False,
        layout: str | None = None,
    ) -> Plan:
        """The smallest pure tree within bounds.

        Bounds left open are computed; an upper bound beyond the largest possible tree is capped.

        ub: largest number of nodes, odd; default: the size of the best greedy tree within the depth
        lb: least number of nodes, odd; default: what the support set and the classes prove
        depth: also at most so many tests on a path
        soft_rows: rows may be wrong; fewest errors come first, then size
        layout: I/N, part I of N of the search, with N = 1, 4, 25 or 676, the layouts of the top 1 to 4 levels
        """
        notes: list[str] = []
        if depth is not None and depth < 1:
            raise UsageError(f"--depth {depth}: a tree with a test has depth 1 at least")
        deepest = min(depth or problem.features, problem.features)
        greedy = _greedy(problem, deepest)
        ub = _default(problem, greedy, deepest, notes) if ub is None else size_option("--ub", ub)
        proved = 3 if soft_rows else bounds.lower_bound(problem)
        ub, least = _bounds(ub, lb, proved, deepest, notes)
        if ub == 3 and not soft_rows:
            notes.append("with ub 3 there is no soft clause: all trees are equally good")
        encoding = cls(
            problem,
            ub=ub,
            lb=least,
            depth=None if depth is None else deepest,
            soft_rows=softrows.shape_of(problem) if soft_rows else None,
            layout=_layout(problem, layout, ub, deepest),
        )
        assumed = _pairs(ub) if encoding.layout else _pairs(lb) if lb and lb > proved else None
        if assumed is not None:
            notes.append("--lb or --layout leaves out trees: an optimum here may be none of the data")
            assumed += encoding.unit * (softrows.total(problem) if soft_rows else 0)
        return Plan(encoding, encoding.witness(greedy), _pairs(proved), assumed, notes)

    def witness(self, greedy: Tree | None) -> Tree | None:
        """The greedy tree where it is allowed, or else, where rows are soft, one that is grown to fit."""
        if greedy and self.allows(greedy):
            return greedy
        grown = bounds.best_first(self.problem, self.ub, self.t.D) if self.s else None
        return grown if grown and self.allows(grown) else None

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not with a given layout, which may need tests that tell nothing."""
        return options.get("layout") is None

    @property
    def pure(self) -> bool:
        """Unless rows are soft."""
        return self.s is None

    @property
    def decision(self) -> bool:
        """Never: paths are minimised."""
        return False

    @property
    def options(self) -> dict[str, Any]:
        """Bounds, and what differs from any pure tree."""
        options: dict[str, Any] = {"ub": self.ub, "lb": self.lb}
        if self.depth is not None:
            options["depth"] = self.depth
        if self.s:
            options["soft_rows"] = self.s.shape
        if self.layout:
            options["layout"] = self.layout
        return options

    @property
    def constant(self) -> int:
        """The weight of the rows that no tree gets right."""
        return self.s.constant if self.s else 0

    @property
    def unit(self) -> int:
        """What an error costs: more than all paths."""
        return _pairs(self.ub) + 1

    @property
    def meaning_of_cost(self) -> str:
        """How a cost is to be read."""
        if self.pure:
            return "size = 2*cost + 3"
        return f"cost = {self.unit}*(errors - {self.constant}) + (size - 3)/2"

    def hard(self) -> Iterator[Block]:
        """Usage, layout, paths, rows."""
        yield from paths.enough_paths_are_used(self.t, _paths(self.lb))
        yield from paths.layout_is(self.t, self.layout)
        for constraint in paths.ALL:
            yield from constraint(self.t)
        if self.s:
            rows = self.s.rows
            yield from paths.rows_are_classified(self.t, Bits(rows.X), rows.y, self.s.b)
        else:
            yield from paths.rows_are_classified(self.t, Bits(self.problem.X), self.problem.y)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(¬u_p0, 1)     p >= 2;  and (b_q, unit * w_q) if rows are soft."""
        yield 1, clauses(-self.t.u[2:, 0])
        if self.s:
            yield from softrows.rows_are_worth(self.s, self.unit)

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off u, x, g and c."""
        return self.t.decode(assignment)

    def errors(self, tree: Tree) -> int:
        """The weight of the rows that the tree gets wrong, beyond what no tree gets right."""
        return softrows.errors(self.problem, tree) - self.constant

    def cost(self, tree: Tree) -> int:
        """The paths beyond the second; errors come first."""
        return self.unit * self.errors(tree) + _pairs(trees.size(tree))

    def allows(self, tree: Tree) -> bool:
        """A tree with a test within the bounds, no feature twice on a path; pure if rows are hard."""
        return (
            isinstance(tree, Node)
            and self.lb <= trees.size(tree) <= self.ub
            and trees.depth(tree) <= self.t.D
            and topology.shape(tree).startswith(self.layout)
            and not repeats_a_test(tree)
            and (self.s is not None or self.errors(tree) == 0)
        )

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's, or say which rows it gets right."""
        self.t.assign(tree, assignment)
        if self.s:
            self.s.assign(tree, assignment)


def _paths(nodes: int) -> int:
    """The paths, or leaves, of a tree of that many nodes."""
    return (nodes + 1) // 2


def _pairs(nodes: int) -> int:
    """How many pairs of nodes a tree has beyond the smallest: its paths beyond the second."""
    return (nodes - 3) // 2


def _greedy(problem: Problem, deepest: int) -> Tree | None:
    """The smallest greedy tree within a depth, if one is."""
    grown = (bounds.grow(problem, score) for score in (bounds.gain_ratio, bounds.gini))
    return min((tree for tree in grown if trees.depth(tree) <= deepest), key=trees.size, default=None)


def _default(problem: Problem, greedy: Tree | None, deepest: int, notes: list[str]) -> int:
    """The size of the greedy tree, or what leaves no smallest tree out: one with a row in every leaf."""
    if greedy:
        return max(3, trees.size(greedy))
    ub = min(2 * problem.rows - 1, most_nodes(deepest))
    notes.append(f"no greedy tree is within depth {deepest}: upper bound {ub}, enough for the smallest")
    return ub


def _bounds(ub: int, lb: int | None, proved: int, deepest: int, notes: list[str]) -> tuple[int, int]:
    """The bounds, the upper one not beyond the largest tree.  Raises UsageError where no tree fits."""
    if ub > (most := most_nodes(deepest)):
        notes.append(f"upper bound {ub} lowered to {most}: no path has more than {deepest} tests")
        ub = most
    if lb is None and ub < proved:
        raise UsageError(
            f"the upper bound {ub} is below the lower bound: every pure tree has at least {proved} nodes; "
            "add --lb 3 to write the unsatisfiable formula all the same"
        )
    if lb is not None and ub < size_option("--lb", lb):
        raise UsageError(f"the upper bound {ub} is below --lb {lb}: no tree fits; raise --ub or --depth")
    return ub, proved if lb is None else lb


def _layout(problem: Problem, part: str | None, nodes: int, deepest: int) -> str:
    """The layout that I/N picks, "" for all there are.  Raises UsageError."""
    if part is None:
        return ""
    parts = {len(topology.layouts(d)): d for d in range(1, topology.MOST_LEVELS + 1)}
    found = re.fullmatch(r"([0-9]+)/([0-9]+)", part)
    number, count = (int(each) for each in found.groups()) if found else (0, 0)
    if count not in parts or not 1 <= number <= count:
        valid = ", ".join(str(count) for count in parts)
        raise UsageError(f"--layout {part}: write I/N, part I of N from 1 to N, where N is one of {valid}")
    chosen = layout_option(problem, parts[count], number, nodes, deepest)
    return chosen if count > 1 else ""
