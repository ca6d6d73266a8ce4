"""A given topology: is there a pure tree of this shape?  A decision problem, so CNF by default.

Bessiere, Hebrard and O'Sullivan (2009) fix the shape and ask for features and classes.  This is our
own formulation of that idea: neither the formula nor its size is theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen.clauses import Bits, Block
from wcnfgen.constraints import fixed
from wcnfgen.constraints.topology import is_shape, levels, shape
from wcnfgen.encodings import Encoding, Format, Plan
from wcnfgen.errors import UsageError
from wcnfgen.tree import Tree, predict, repeats_a_test
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
    formats: ClassVar[tuple[Format, ...]] = ("cnf", "wcnf", "wcnf-old")

    def __init__(self, problem: Problem, *, topology: str):
        super().__init__(problem)
        self.t = fixed.FixedTree(topology, problem.features, problem.classes, self.pool)

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls, problem: Problem, *, topology: str | None = None
    ) -> Plan:
        """A pure tree of this shape.

        topology: the nodes breadth first, 1 for a test and 0 for a leaf, such as 10100; a test's left
            child, where its column is 0, comes first; default: the shape of the best greedy tree
        """
        witness = bounds.greedy(problem)
        encoding = cls(problem, topology=shape(witness) if topology is None else _checked(topology, problem))
        return Plan(encoding, witness if encoding.allows(witness) else None)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """No: a tree of a given shape may need tests that tell nothing."""
        return False

    @property
    def options(self) -> dict[str, Any]:
        """The shape."""
        return {"topology": self.t.shape}

    @property
    def meaning_of_cost(self) -> str:
        """There is none."""
        return "none: satisfiable if and only if there is such a tree"

    def hard(self) -> Iterator[Block]:
        """Features, what they exclude, classes, rows."""
        for constraint in fixed.ALL:
            yield from constraint(self.t)
        yield from fixed.rows_are_classified(self.t, Bits(self.problem.X), self.problem.y)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """No soft clauses."""
        return iter(())

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off a and c."""
        return self.t.decode(assignment)

    def cost(self, tree: Tree) -> int:
        """Nothing."""
        return 0

    def allows(self, tree: Tree) -> bool:
        """A pure tree of the shape that tests no feature twice on a path."""
        return (
            shape(tree) == self.t.shape
            and not repeats_a_test(tree)
            and bool((predict(tree, self.problem.X) == self.problem.y).all())
        )

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's."""
        self.t.assign(tree, assignment)


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
