"""A given topology: is there a pure tree of this shape?  A decision problem, so CNF by default.

Bessiere, Hebrard and O'Sullivan (2009) fix the shape and ask for features and classes.  This is our
own formulation of that idea: neither the formula nor its size is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen.clauses import Bits, Block
from wcnfgen.constraints import fixed, softrows
from wcnfgen.constraints.topology import is_shape, levels, shape
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, repeats_a_test
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Fixed(Encoding):
    """CNF for a pure decision tree of a given shape."""

    name = "fixed"
    title = "a pure tree of a given topology, as CNF"
    source = (
        "our formulation of an idea of Bessiere, Hebrard, O'Sullivan: Minimising decision tree size, 2009"
    )

    def __init__(self, problem: Problem, *, topology: str, soft_rows: Sequence[int] | None = None):
        super().__init__(problem)
        self.t = fixed.FixedTree(topology, problem.features, problem.classes, self.pool)
        self.s = None if soft_rows is None else softrows.SoftRows(problem, soft_rows, self.pool)

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls, problem: Problem, *, topology: str | None = None, soft_rows: bool = False
    ) -> Plan:
        """A pure tree of this shape.

        topology: the nodes breadth first, 1 for a test and 0 for a leaf, such as 10100; a test's left
            child, where its column is 0, comes first; default: the shape of the best greedy tree
        soft_rows: rows may be wrong; fewest errors
        """
        witness = bounds.greedy(problem)
        if not isinstance(witness, Node):
            witness = bounds.best_first(problem, 3)
        bits = shape(witness) if topology is None else _checked(topology, problem)
        rows = softrows.shape_of(problem) if soft_rows else None
        encoding = cls(problem, topology=bits, soft_rows=rows)
        return Plan(encoding, witness if encoding.allows(witness) else None)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """No: a tree of a given shape may need tests that tell nothing."""
        return False

    @property
    def pure(self) -> bool:
        """Unless rows are soft."""
        return self.s is None

    @property
    def decision(self) -> bool:
        """Unless rows are soft."""
        return self.s is None

    @property
    def options(self) -> dict[str, Any]:
        """The shape, and what the rows came to."""
        return {"topology": self.t.shape} | ({"soft_rows": self.s.shape} if self.s else {})

    @property
    def meaning_of_cost(self) -> str:
        """There is none, or errors."""
        if self.s:
            return f"errors = cost + {self.s.constant}"
        return "none: satisfiable if and only if there is such a tree"

    def hard(self) -> Iterator[Block]:
        """Features, what they exclude, classes, rows."""
        for constraint in fixed.ALL:
            yield from constraint(self.t)
        rows = self.s.rows if self.s else self.problem
        yield from fixed.rows_are_classified(self.t, Bits(rows.X), rows.y, self.s.b if self.s else None)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(b_q, w_q)     q a row, where rows are soft."""
        if self.s:
            yield from softrows.rows_are_worth(self.s)

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off a and c."""
        return self.t.decode(assignment)

    def cost(self, tree: Tree) -> int:
        """The weight of the rows that are wrong, less what no tree gets right; nothing if all are right."""
        return softrows.errors(self.problem, tree) - (self.s.constant if self.s else 0)

    def allows(self, tree: Tree) -> bool:
        """A tree of the shape that tests no feature twice on a path; pure unless rows are soft."""
        return (
            shape(tree) == self.t.shape
            and not repeats_a_test(tree)
            and (self.s is not None or softrows.errors(self.problem, tree) == 0)
        )

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's, or say which rows it gets right."""
        self.t.assign(tree, assignment)
        if self.s:
            self.s.assign(tree, assignment)


def _checked(topology: str, problem: Problem) -> str:
    """The topology, if it is one and no path is too long.  Raises UsageError."""
    if not is_shape(topology):
        raise UsageError(
            f"--topology {topology!r}: no tree with a test; write the nodes breadth first, 1 for a test and "
            "0 for a leaf, such as 100 or 10100"
        )
    if (deepest := len(levels(topology)) - 1) > problem.features:
        raise UsageError(
            f"--topology {topology}: a path of {deepest} tests, but there are {problem.features} columns "
            "and no path tests one twice"
        )
    return topology
