"""Avellaneda's complete tree: a pure tree within depth d, the smallest such, or the fewest errors.

Infer-depth asks whether there is a pure tree within a depth: a decision problem, so CNF by default.
Infer-size bounds the leaves at that depth; as MaxSAT, they are minimised.  With soft rows the objective is
what `depth` asks of the core formula, most rows right within the depth; the two can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen import tree as trees
from wcnfgen.clauses import Block, clauses
from wcnfgen.constraints import complete, softrows
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, repeats_a_test
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
        min_size: bool = False,
        soft_rows: Sequence[int] | None = None,
    ):
        super().__init__(problem)
        self.depth, self.min_size = depth, min_size
        paths = problem.rows if soft_rows is None else soft_rows[0]
        self.t = complete.CompleteTree(
            depth, problem.features, problem.classes, paths, self.pool, sparse=min_size
        )
        self.s = None if soft_rows is None else softrows.SoftRows(problem, soft_rows, self.pool)
        self.rows = self.s.rows if self.s else problem

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls, problem: Problem, *, depth: int, min_size: bool = False, soft_rows: bool = False
    ) -> Plan:
        """A pure tree within a depth.

        depth: largest number of tests on a path, 1 to 12
        min_size: of these, one with the fewest nodes
        soft_rows: rows may be wrong; fewest errors come first, then size if --min-size
        """
        if not 1 <= depth <= MOST_DEPTH:
            raise UsageError(f"--depth {depth}: the complete tree is written for depths 1 to {MOST_DEPTH}")
        notes = []
        if depth > problem.features:
            notes.append(f"depth {depth} lowered to {problem.features}: no path needs a feature twice")
        depth = min(depth, problem.features)
        rows = softrows.shape_of(problem) if soft_rows else None
        encoding = cls(problem, depth=depth, min_size=min_size, soft_rows=rows)
        proved = 3 if soft_rows else bounds.lower_bound(problem) if min_size else 0
        return Plan(encoding, encoding.witness(), _leaves(proved) if min_size else 0, notes=notes)

    def witness(self) -> Tree | None:
        """The smallest greedy tree that fits."""
        grown = [bounds.grow(self.problem, score) for score in (bounds.gain_ratio, bounds.gini)]
        if self.s:
            grown.append(bounds.best_first(self.problem, 2 ** (self.depth + 1) - 1, self.depth))
        return min(filter(self.allows, grown), key=self.cost, default=None)

    @property
    def pure(self) -> bool:
        """Unless rows are soft."""
        return self.s is None

    @property
    def decision(self) -> bool:
        """Where neither size nor errors count."""
        return self.s is None and not self.min_size

    @property
    def options(self) -> dict[str, Any]:
        """Depth, objective, and what the rows came to."""
        options: dict[str, Any] = {"depth": self.depth, "min_size": self.min_size}
        return options | ({"soft_rows": self.s.shape} if self.s else {})

    @property
    def unit(self) -> int:
        """What an error costs: more than all leaves, where they cost something."""
        return self.t.leaves + 1 if self.min_size else 1

    @property
    def meaning_of_cost(self) -> str:
        """Leaves, errors, or nothing."""
        if self.s and self.min_size:
            return f"cost = {self.unit}*(errors - {self.s.constant}) + leaves"
        if self.s:
            return f"errors = cost + {self.s.constant}"
        if self.min_size:
            return "size = 2*cost - 1"
        return "none: satisfiable if and only if there is such a tree"

    def hard(self) -> Iterator[Block]:
        """Features, leaves, the paths of the rows and where they end."""
        yield from complete.positions_have_one_feature(self.t)
        yield from complete.leaves_have_one_class(self.t)
        yield from complete.root_is_a_test(self.t)
        yield from complete.contradictory_leaves_are_unused(self.t)
        yield from complete.rows_turn_as_tests_say(self.t, self.rows.X)
        yield from complete.rows_are_classified(self.t, self.rows.y, self.s.b if self.s else None)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(¬u_j, 1)     j a leaf;  and (b_q, unit * w_q)     q a row."""
        if self.t.u is not None:
            yield 1, clauses(-self.t.u)
        if self.s:
            yield from softrows.rows_are_worth(self.s, self.unit)

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off f, c and u, and leave out tests that decide nothing."""
        return self.t.decode(assignment)

    def cost(self, tree: Tree) -> int:
        """The weight of the rows that are wrong, less what no tree avoids; and the leaves if they count."""
        errors = softrows.errors(self.problem, tree) - (self.s.constant if self.s else 0)
        return self.unit * errors + (_leaves(trees.size(tree)) if self.min_size else 0)

    def allows(self, tree: Tree) -> bool:
        """A tree with a test within the depth, no feature twice on a path; pure unless rows are soft."""
        return (
            isinstance(tree, Node)
            and trees.depth(tree) <= self.depth
            and not repeats_a_test(tree)
            and (self.s is not None or softrows.errors(self.problem, tree) == 0)
        )

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's, or say which rows it gets right."""
        self.t.assign(tree, self.rows.X, assignment)
        if self.s:
            self.s.assign(tree, assignment)


def _leaves(nodes: int) -> int:
    """How many of the nodes of a tree are leaves."""
    return (nodes + 1) // 2
