"""P*(E, N): most rows right with exactly, or at most, N nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wcnfgen import bounds
from wcnfgen.constraints import softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import FewestErrors, layout_option, size_bound

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Accuracy(FewestErrors):
    """Weighted Partial MaxSAT for the tree of bounded size that classifies most rows rightly."""

    name = "accuracy"
    title = "P*(E,N): the tree of exactly, or at most, so many nodes with the fewest errors"
    source = "Hu, Siala, Hebrard, Huguet: Learning optimal decision trees with MaxSAT, 2020, section 3.1"

    def __init__(
        self,
        problem: Problem,
        *,
        size: int,
        exact: bool,
        rows: int,
        constant: int,
        counters: bool = True,
        layout: str = "",
    ):
        super().__init__(problem, size, exact_size=exact, soft_rows=rows, counters=counters, top=layout)
        self.constant = constant

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        nodes: int | None = None,
        ub: int | None = None,
        counters: bool = True,
        layout_depth: int | None = None,
        layout: int | None = None,
    ) -> Plan:
        """Fewest errors with so many nodes; give --nodes or --ub.

        nodes: exactly so many nodes, odd
        ub: at most so many nodes, odd
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        layout_depth: fix the shape of so many levels, 1 to 4, which have 1, 4, 25 or 676 layouts
        layout: which of these layouts, from 1
        """
        size, exact, notes = size_bound(problem, nodes, ub)
        settled = softrows.settle(problem)
        encoding = cls(
            problem,
            size=size,
            exact=exact,
            rows=len(settled.y),
            constant=settled.constant,
            counters=counters,
            layout=layout_option(problem, layout_depth, layout, size),
        )
        assumed = int(settled.w.sum()) if layout else None  # whatever the cost, another layout may have less
        witness = encoding.if_allowed(bounds.best_first(problem, size))
        return Plan(encoding, witness, assumed_cost=assumed, notes=notes)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not with exactly so many nodes, or a given layout, which may need tests that tell nothing."""
        return options.get("nodes") is None and options.get("layout") is None

    @property
    def options(self) -> dict[str, Any]:
        """Size, what the rows came to, and the layout if there is one."""
        options: dict[str, Any] = {
            "size": self.N,
            "exact": self.exact_size,
            "rows": self.soft_row_count,
            "constant": self.constant,
            "counters": self.with_counters,
        }
        return options | ({"layout": self.top} if self.top else {})
