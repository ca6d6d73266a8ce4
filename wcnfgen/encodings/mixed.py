"""A weighted sum of errors, size and depth, to be made as small as possible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen import tree as trees
from wcnfgen.clauses import Block, clauses
from wcnfgen.constraints import depths, softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import CoreEncoding, layout_option, size_bound
from wcnfgen.errors import UsageError
from wcnfgen.tree import Tree
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Mixed(CoreEncoding):
    """Weighted Partial MaxSAT for a linear combination of errors, pairs of nodes and depth."""

    name = "mixed"
    title = "the tree of least error-weight * errors + size-weight * tests + depth-weight * depth"
    source = "Hu, Siala, Hebrard, Huguet: Learning optimal decision trees with MaxSAT, 2020, section 1"

    def __init__(
        self, problem: Problem, *, error_weight: int, size_weight: int, depth_weight: int, **shape: Any
    ):
        super().__init__(problem, **shape)
        self.error_weight, self.size_weight, self.depth_weight = error_weight, size_weight, depth_weight
        self.height = depths.Height(self.depth, self.pool) if depth_weight and self.depth else None

    @classmethod
    def may_err(cls, options: dict[str, Any]) -> bool:
        """Always."""
        return True

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not with a given layout, which may need tests that tell nothing."""
        return options.get("layout") is None

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        ub: int | None = None,
        depth: int | None = None,
        error_weight: int = 1,
        size_weight: int = 1,
        depth_weight: int = 0,
        lexicographic: bool = False,
        counters: bool = True,
        layout_depth: int | None = None,
        layout: int | None = None,
    ) -> Plan:
        """Errors, size and depth weighed against each other.

        ub: at most so many nodes, odd; default: the size of the best greedy tree
        depth: at most so many tests on a path
        error_weight: what a wrong row costs, times its multiplicity
        size_weight: what a test costs beyond the first
        depth_weight: what a level costs
        lexicographic: weigh so that no number of tests outweighs an error, nor depth a test
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        layout_depth: fix the shape of so many levels, 1 to 4, which have 1, 4, 25 or 676 layouts
        layout: which of these layouts, from 1
        """
        for option, value in (("error", error_weight), ("size", size_weight), ("depth", depth_weight)):
            if value < 0:
                raise UsageError(f"--{option}-weight {value}: weights are 0 or more")
        if lexicographic and (error_weight, size_weight, depth_weight) != (1, 1, 0):
            raise UsageError("--lexicographic sets the weights itself: give it, or weights")
        if not error_weight:
            raise UsageError("--error-weight 0: the smallest tree would be as good as any; give 1 or more")
        if depth is not None and depth < 1:
            raise UsageError(f"--depth {depth}: a tree with a test has depth 1 at least")
        ub = max(3, trees.size(bounds.greedy(problem))) if ub is None else ub
        size, notes = size_bound(problem, None, ub)
        tests = (size["ub"] - 1) // 2
        deepest = min(depth or problem.features, problem.features, tests)
        if lexicographic:
            depth_weight = 1
            size_weight = deepest + 1
            error_weight = size_weight * tests + deepest + 1
        encoding = cls(
            problem,
            **size,
            depth=deepest if depth_weight or depth is not None else None,
            error_weight=error_weight,
            size_weight=size_weight,
            depth_weight=depth_weight,
            soft_rows=softrows.shape_of(problem),
            layout=layout_option(problem, layout_depth, layout, size["ub"], deepest),
            counters=counters,
        )
        assumed = encoding.most_cost if layout else None  # whatever the cost, another layout may have less
        witness = encoding.if_allowed(bounds.best_first(problem, encoding.N, deepest))
        return Plan(encoding, witness, assumed_cost=assumed, notes=notes)

    @property
    def most_cost(self) -> int:
        """More than any tree costs."""
        rows = self.error_weight * softrows.total(self.problem)
        return rows + self.size_weight * self.N + self.depth_weight * (self.depth or 0)

    @property
    def options(self) -> dict[str, Any]:
        """Bounds, weights, and what the rows came to."""
        weights = ("error_weight", "size_weight", "depth_weight")
        return super().options | {name: getattr(self, name) for name in weights}

    @property
    def meaning_of_cost(self) -> str:
        """The weighted sum, without what no tree avoids."""
        parts = f"{self.error_weight}*(errors - {self.constant}) + {self.size_weight}*(tests - 1)"
        return f"cost = {parts} + {self.depth_weight}*depth"

    def hard(self) -> Iterator[Block]:
        """As all; and the depth is felt where it is weighed."""
        yield from super().hard()
        if self.k and self.height:
            yield from depths.height_is_reached(self.k, self.height)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(b_q, we w_q)     q a row;  (¬η_i, ws)     i >= 5 odd;  (¬h_t, wd)     t = 1..U."""
        yield from self.rows_are_worth(self.error_weight)
        if self.size_weight:
            yield self.size_weight, clauses(-self.t.eta[5::2])
        if self.height:
            yield self.depth_weight, clauses(-self.height.h[1:])

    def cost(self, tree: Tree) -> int:
        """The weighted sum."""
        errors, tests = self.errors(tree) - self.constant, trees.size(tree) // 2
        cost = self.error_weight * errors + self.size_weight * (tests - 1)
        return cost + self.depth_weight * trees.depth(tree)

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """The tree's variables, and its depth."""
        super().assign(tree, assignment)
        if self.height:
            self.height.assign(trees.depth(tree), assignment)
