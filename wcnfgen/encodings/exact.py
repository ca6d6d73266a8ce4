"""MinDT: is there a pure tree of exactly N nodes?  A decision problem, so CNF by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from wcnfgen import bounds
from wcnfgen.encodings import Format, Plan
from wcnfgen.encodings._core import CoreEncoding, most_nodes, size_option
from wcnfgen.errors import UsageError
from wcnfgen.tree import Tree, size
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Exact(CoreEncoding):
    """CNF for a pure decision tree of exactly N nodes."""

    name = "exact"
    title = "MinDT: a pure tree of exactly N nodes, as CNF"
    source = "Narodytska, Ignatiev, Pereira, Marques-Silva: Learning optimal decision trees with SAT, 2018"
    formats: ClassVar[tuple[Format, ...]] = ("cnf", "wcnf", "wcnf-old")

    def __init__(self, problem: Problem, *, nodes: int, counters: bool = True):
        super().__init__(problem, nodes, exact_size=True, counters=counters)

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls, problem: Problem, *, nodes: int | None = None, counters: bool = True
    ) -> Plan:
        """A pure tree of exactly so many nodes.

        nodes: number of nodes, odd; default: the size of the best greedy tree
        counters: the pruning constraints of section 3.3
        """
        witness = bounds.greedy(problem)
        nodes = size(witness) if nodes is None else size_option("--nodes", nodes)
        if nodes > (most := most_nodes(problem.features)):
            raise UsageError(f"--nodes {nodes}: no path tests a feature twice, the largest tree has {most}")
        return Plan(cls(problem, nodes=nodes, counters=counters), witness if size(witness) == nodes else None)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """No: a tree of exactly N nodes may need tests that tell nothing."""
        return False

    @property
    def options(self) -> dict[str, Any]:
        """Size and counters."""
        return {"nodes": self.N, "counters": self.with_counters}

    @property
    def meaning_of_cost(self) -> str:
        """There is none."""
        return "none: satisfiable if and only if there is such a tree"

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """No soft clauses."""
        return iter(())

    def cost(self, tree: Tree) -> int:
        """Nothing."""
        return 0
