"""P*(E, N): most rows right with exactly, or at most, N nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wcnfgen import bounds
from wcnfgen.constraints import softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import FewestErrors, Form, layout_option, size_bound

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Accuracy(FewestErrors):
    """Weighted Partial MaxSAT for the tree of bounded size that classifies most rows rightly."""

    name = "accuracy"
    title = "P*(E,N): the tree of exactly, or at most, so many nodes with the fewest errors"
    source = "Hu, Siala, Hebrard, Huguet: Learning optimal decision trees with MaxSAT, 2020, section 3.1"

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        nodes: int | None = None,
        ub: int | None = None,
        form: Form = "core",
        counters: bool = True,
        layout_depth: int | None = None,
        layout: int | None = None,
    ) -> Plan:
        """Fewest errors with so many nodes; give --nodes or --ub.

        nodes: exactly so many nodes, odd
        ub: at most so many nodes, odd
        form: core (compact) or paper (the papers' variables and numbered constraints)
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        layout_depth: fix the shape of so many levels, 1 to 4, which have 1, 4, 25 or 676 layouts
        layout: which of these layouts, from 1
        """
        size, notes = size_bound(problem, nodes, ub)
        encoding = cls(
            problem,
            **size,
            soft_rows=softrows.shape_of(problem),
            layout=layout_option(problem, layout_depth, layout, max(size.values())),
            form=form,
            counters=counters,
        )
        assumed = (
            softrows.total(problem) if layout else None
        )  # whatever the cost, another layout may have less
        witness = encoding.if_allowed(bounds.best_first(problem, encoding.N))
        return Plan(encoding, witness, assumed_cost=assumed, notes=notes)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not with exactly so many nodes, or a given layout, which may need tests that tell nothing."""
        return options.get("nodes") is None and options.get("layout") is None
