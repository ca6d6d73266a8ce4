"""DT(max) and DT(exact): most rows right within, or at exactly, depth U, with a bound on size if wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wcnfgen import bounds
from wcnfgen.constraints import softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import FewestErrors, Form, layout_option, most_nodes, size_bound, size_option
from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Depth(FewestErrors):
    """Weighted Partial MaxSAT for the tree of bounded depth that classifies most rows rightly."""

    name = "depth"
    title = "DT(max), DT(exact): the tree within, or at exactly, depth U with the fewest errors"
    source = "Hu, Siala, Hebrard, Huguet: Learning optimal decision trees with MaxSAT, 2020, section 3"

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        depth: int,
        exact: bool = False,
        nodes: int | None = None,
        ub: int | None = None,
        form: Form = "core",
        counters: bool = True,
        layout_depth: int | None = None,
        layout: int | None = None,
    ) -> Plan:
        """Fewest errors within a depth.

        depth: largest number of tests on a path
        exact: some path has exactly so many
        nodes: also exactly so many nodes, odd
        ub: also at most so many nodes, odd; default: as many as the depth allows
        form: core (compact) or paper (the papers' variables and numbered constraints)
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        layout_depth: fix the shape of so many levels, 1 to 4, which have 1, 4, 25 or 676 layouts
        layout: which of these layouts, from 1
        """
        deepest = _deepest(problem, depth, exact)
        fits = most_nodes(deepest)
        if nodes is not None and nodes > fits:
            raise UsageError(f"--nodes {nodes}: a tree of depth {deepest} has at most {fits} nodes")
        if exact and (bound := nodes or ub or fits) < 2 * deepest + 1:
            raise UsageError(f"{bound} nodes are too few for depth {deepest}: it takes {2 * deepest + 1}")
        size, notes = size_bound(problem, nodes, _most(nodes, ub, fits))
        encoding = cls(
            problem,
            **size,
            depth=deepest,
            exact_depth=exact,
            soft_rows=softrows.shape_of(problem),
            layout=layout_option(problem, layout_depth, layout, max(size.values()), deepest),
            form=form,
            counters=counters,
        )
        assumed = (
            softrows.total(problem) if layout else None
        )  # whatever the cost, another layout may have less
        witness = encoding.if_allowed(bounds.best_first(problem, encoding.N, deepest))
        return Plan(encoding, witness, assumed_cost=assumed, notes=notes)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not at an exact depth or size or with a given layout, which may need tests that tell nothing."""
        return all(options.get(option) in (None, False) for option in ("nodes", "exact", "layout"))


def _deepest(problem: Problem, depth: int, exact: bool) -> int:
    """The depth, not beyond the number of columns.  Raises UsageError."""
    if depth < 1:
        raise UsageError(f"--depth {depth}: a tree with a test has depth 1 at least")
    if depth > problem.features and exact:
        raise UsageError(f"--depth {depth} --exact: {problem.features} columns allow no deeper path")
    return min(depth, problem.features)


def _most(nodes: int | None, ub: int | None, fits: int) -> int | None:
    """The upper bound that goes with the depth; none beside an exact size unless the user gives one."""
    if ub is None:
        return fits if nodes is None else None
    return min(size_option("--ub", ub), fits)
