"""DT(max) and DT(exact): most rows right within, or at exactly, depth U, with a bound on size if wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wcnfgen import bounds
from wcnfgen.constraints import softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import FewestErrors, most_nodes, size_bound
from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Depth(FewestErrors):
    """Weighted Partial MaxSAT for the tree of bounded depth that classifies most rows rightly."""

    name = "depth"
    title = "DT(max), DT(exact): the tree within, or at exactly, depth U with the fewest errors"
    source = "Hu, Siala, Hebrard, Huguet: Learning optimal decision trees with MaxSAT, 2020, section 3"

    def __init__(
        self,
        problem: Problem,
        *,
        depth: int,
        exact: bool,
        size: int,
        exact_size: bool,
        rows: int,
        constant: int,
        counters: bool = True,
    ):
        super().__init__(
            problem,
            size,
            exact_size=exact_size,
            soft_rows=rows,
            depth=depth,
            exact_depth=exact,
            counters=counters,
        )
        self.constant = constant

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        depth: int,
        exact: bool = False,
        nodes: int | None = None,
        ub: int | None = None,
        counters: bool = True,
    ) -> Plan:
        """Fewest errors within a depth.

        depth: largest number of tests on a path
        exact: some path has exactly so many
        nodes: also exactly so many nodes, odd
        ub: also at most so many nodes, odd; default: as many as the depth allows
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        """
        if depth < 1:
            raise UsageError(f"--depth {depth}: a tree with a test has depth 1 at least")
        if depth > problem.features and exact:
            raise UsageError(f"--depth {depth} --exact: {problem.features} columns allow no deeper path")
        deepest = min(depth, problem.features)
        fits = most_nodes(deepest)
        if nodes is not None and nodes > fits:
            raise UsageError(f"--nodes {nodes}: a tree of depth {deepest} has at most {fits} nodes")
        if exact and (bound := nodes or ub or fits) < 2 * deepest + 1:
            raise UsageError(f"{bound} nodes are too few for depth {deepest}: it takes {2 * deepest + 1}")
        size, exact_size, notes = size_bound(problem, nodes, _most(nodes, ub, fits))
        settled = softrows.settle(problem)
        encoding = cls(
            problem,
            depth=deepest,
            exact=exact,
            size=size,
            exact_size=exact_size,
            rows=len(settled.y),
            constant=settled.constant,
            counters=counters,
        )
        witness = bounds.best_first(problem, size, deepest)
        return Plan(encoding, encoding.if_allowed(witness), notes=notes)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not at an exact depth or size, which may need tests that tell nothing."""
        return options.get("nodes") is None and not options.get("exact")

    @property
    def options(self) -> dict[str, Any]:
        """Depth, size, and what the rows came to."""
        return {
            "depth": self.depth,
            "exact": self.exact_depth,
            "size": self.N,
            "exact_size": self.exact_size,
            "rows": self.soft_row_count,
            "constant": self.constant,
            "counters": self.with_counters,
        }


def _most(nodes: int | None, ub: int | None, fits: int) -> int | None:
    """The upper bound that goes with the depth; none beside an exact size unless the user gives one."""
    if ub is None:
        return fits if nodes is None else None
    return min(ub, fits)
