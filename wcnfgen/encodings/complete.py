"""Avellaneda's complete tree: a pure tree within depth d, the smallest such, or the fewest errors.

Infer-depth asks whether there is a pure tree within a depth: a decision problem, so CNF by default.
Infer-size bounds the leaves at that depth; as MaxSAT, they are minimised.  The third objective, most
rows right within the depth, is what `depth` asks of the core formula; the two can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen import tree as trees
from wcnfgen.clauses import Block, clauses
from wcnfgen.constraints import complete, softrows
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, predict, repeats_a_test
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem

MOST_DEPTH = 12  # 4095 tests


class Complete(Encoding):
    """CNF for a pure tree within a depth, or MaxSAT for the smallest one or the fewest errors."""

    name = "complete"
    title = "the complete tree of depth d: pure (Infer-depth), smallest (Infer-size), or fewest errors"
    source = "Avellaneda: Efficient inference of optimal decision trees, AAAI 2020; errors: ours"

    def __init__(
        self,
        problem: Problem,
        *,
        depth: int,
        rows: int,
        min_size: bool = False,
        errors: bool = False,
        constant: int = 0,
    ):
        super().__init__(problem)
        self.depth, self.min_size, self.with_errors, self.constant = depth, min_size, errors, constant
        if not (min_size or errors):
            self.formats = ("cnf", "wcnf", "wcnf-old")  # type: ignore[misc]  # it depends on the options
        self.pure = not errors  # type: ignore[misc]
        self.t = complete.CompleteTree(
            depth, problem.features, problem.classes, rows, self.pool, sparse=min_size
        )
        self.s = softrows.SoftRows(rows, self.pool) if errors else None
        self.rows = _rows(problem, errors)

    @classmethod
    def may_err(cls, options: dict[str, Any]) -> bool:
        """With --errors."""
        return bool(options.get("errors"))

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls, problem: Problem, *, depth: int, min_size: bool = False, errors: bool = False
    ) -> Plan:
        """A pure tree within a depth.

        depth: largest number of tests on a path, 1 to 12
        min_size: of these, one with the fewest nodes
        errors: rows may be wrong; fewest errors
        """
        if not 1 <= depth <= MOST_DEPTH:
            raise UsageError(f"--depth {depth}: the complete tree is written for depths 1 to {MOST_DEPTH}")
        if min_size and errors:
            raise UsageError("--min-size and --errors are two objectives: give one, or use --encoding mixed")
        notes = []
        if depth > problem.features:
            notes.append(f"depth {depth} lowered to {problem.features}: no path needs a feature twice")
        settled = _rows(problem, errors)
        encoding = cls(
            problem,
            depth=min(depth, problem.features),
            rows=len(settled.y),
            min_size=min_size,
            errors=errors,
            constant=settled.constant,
        )
        least = _leaves(bounds.lower_bound(problem)) if min_size else 0
        return Plan(encoding, encoding.witness(), least, notes=notes)

    def witness(self) -> Tree | None:
        """The smallest greedy tree that fits."""
        if self.with_errors:
            return bounds.best_first(self.problem, 2 ** (self.depth + 1) - 1, self.depth)
        grown = (bounds.grow(self.problem, score) for score in (bounds.gain_ratio, bounds.gini))
        return min(filter(self.allows, grown), key=trees.size, default=None)

    @property
    def options(self) -> dict[str, Any]:
        """Depth, objective, and what the rows came to."""
        return {
            "depth": self.depth,
            "rows": len(self.t.x),
            "min_size": self.min_size,
            "errors": self.with_errors,
            "constant": self.constant,
        }

    @property
    def meaning_of_cost(self) -> str:
        """Leaves, errors, or nothing."""
        if self.min_size:
            return "size = 2*cost - 1"
        if self.with_errors:
            return f"errors = cost + {self.constant}"
        return "none: satisfiable if and only if there is such a tree"

    def hard(self) -> Iterator[Block]:
        """Features, leaves, the paths of the rows and where they end."""
        yield from complete.positions_have_one_feature(self.t)
        yield from complete.leaves_have_one_class(self.t)
        yield from complete.contradictory_leaves_are_unused(self.t)
        yield from complete.rows_turn_as_tests_say(self.t, self.rows.X)
        yield from complete.rows_are_classified(self.t, self.rows.y, self.s.b if self.s else None)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(¬u_j, 1)     j a leaf;  or (b_q, w_q)     q a row."""
        if self.t.u is not None:
            yield 1, clauses(-self.t.u)
        if self.s:
            yield from softrows.rows_are_worth(self.s, self.rows)

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off f, c and u, and leave out tests that decide nothing."""
        return self.t.decode(assignment)

    def cost(self, tree: Tree) -> int:
        """The leaves; or the weight of the rows that are wrong, less what no tree gets right; or nothing."""
        if self.min_size:
            return _leaves(trees.size(tree))
        return self.errors(tree) - self.constant if self.with_errors else 0

    def errors(self, tree: Tree) -> int:
        """The weight of the rows that the tree gets wrong."""
        return int(self.problem.w[predict(tree, self.problem.X) != self.problem.y].sum())

    def allows(self, tree: Tree) -> bool:
        """A tree with a test within the depth, no feature twice on a path; pure unless errors count."""
        return (
            isinstance(tree, Node)
            and trees.depth(tree) <= self.depth
            and not repeats_a_test(tree)
            and (self.with_errors or self.errors(tree) == 0)
        )

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's, or say which rows it gets right."""
        self.t.assign(tree, self.rows.X, assignment)
        if self.s:
            self.s.assign(tree, self.rows, assignment)


def _leaves(nodes: int) -> int:
    """How many of the nodes of a tree are leaves."""
    return (nodes + 1) // 2


def _rows(problem: Problem, errors: bool) -> softrows.Settled:
    """The rows that have a path: all, or those whose classification makes a difference."""
    if errors:
        return softrows.settle(problem)
    return softrows.Settled(problem.X, problem.y, problem.w, 0)
