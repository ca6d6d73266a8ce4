"""MinDT: is there a pure tree of exactly N nodes?  A decision problem, so CNF by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wcnfgen import bounds
from wcnfgen.constraints import softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import CoreEncoding, Form, exact_size, helpers
from wcnfgen.tree import Tree, size
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Exact(CoreEncoding):
    """CNF for a pure decision tree of exactly N nodes."""

    name = "exact"
    title = "MinDT: a pure tree of exactly N nodes, as CNF"
    source = "Narodytska, Ignatiev, Pereira, Marques-Silva: Learning optimal decision trees with SAT, 2018"

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        nodes: int | None = None,
        soft_rows: bool = False,
        form: Form = "core",
        counters: bool = True,
        reach: bool | None = None,
        root_bounds: bool | None = None,
    ) -> Plan:
        """A pure tree of exactly so many nodes.

        nodes: number of nodes, odd; default: the size of the best greedy tree
        soft_rows: rows may be wrong; fewest errors
        form: core (compact) or paper (the paper's variables and numbered constraints)
        counters: the inference constraints of section 3.3
        reach: redundant variables that say which rows arrive where; default: on small core formulas
        root_bounds: what each test at the root needs at least; default: on small core formulas
        """
        witness = bounds.greedy(problem)
        nodes = max(3, size(witness)) if nodes is None else exact_size(problem, nodes)
        rows = softrows.shape_of(problem) if soft_rows else None
        more = helpers(problem, nodes, form, soft_rows=soft_rows, reach=reach, root_bounds=root_bounds)
        encoding = cls(problem, nodes=nodes, soft_rows=rows, form=form, counters=counters, **more)
        known = encoding.if_allowed(witness)
        if soft_rows and not known:
            known = encoding.if_allowed(bounds.best_first(problem, nodes))
        return Plan(encoding, known)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """No: a tree of exactly N nodes may need tests that tell nothing."""
        return False

    @property
    def meaning_of_cost(self) -> str:
        """There is none, or errors."""
        if self.decision:
            return "none: satisfiable if and only if there is such a tree"
        return f"errors = cost + {self.constant}"

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """No soft clauses unless rows are soft."""
        yield from self.rows_are_worth()

    def cost(self, tree: Tree) -> int:
        """Nothing, unless rows are soft."""
        return self.errors(tree) - self.constant
