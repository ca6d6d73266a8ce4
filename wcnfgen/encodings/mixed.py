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
from wcnfgen.encodings._core import CoreEncoding, size_bound
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
    pure = False

    def __init__(
        self,
        problem: Problem,
        *,
        size: int,
        depth: int | None,
        error_weight: int,
        size_weight: int,
        depth_weight: int,
        rows: int,
        constant: int,
        counters: bool = True,
    ):
        super().__init__(problem, size, exact_size=False, soft_rows=rows, depth=depth, counters=counters)
        self.error_weight, self.size_weight, self.depth_weight = error_weight, size_weight, depth_weight
        self.constant = constant
        self.height = depths.Height(depth, self.pool) if depth_weight and depth else None

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
    ) -> Plan:
        """Errors, size and depth weighed against each other.

        ub: at most so many nodes, odd; default: the size of the best greedy tree
        depth: at most so many tests on a path
        error_weight: what a wrong row costs, times its multiplicity
        size_weight: what a test costs beyond the first
        depth_weight: what a level costs
        lexicographic: weigh so that no number of tests outweighs an error, nor depth a test
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        """
        for option, value in (("error", error_weight), ("size", size_weight), ("depth", depth_weight)):
            if value < 0:
                raise UsageError(f"--{option}-weight {value}: weights are 0 or more")
        ub = trees.size(bounds.greedy(problem)) if ub is None else ub
        size, _, notes = size_bound(problem, None, max(ub, 3))
        if depth is not None and depth < 1:
            raise UsageError(f"--depth {depth}: a tree with a test has depth 1 at least")
        deepest = min(depth or problem.features, problem.features, (size - 1) // 2)
        if lexicographic and (error_weight, size_weight, depth_weight) != (1, 1, 0):
            raise UsageError("--lexicographic sets the weights itself: give it, or weights")
        if lexicographic:
            depth_weight = 1
            size_weight = deepest + 1
            error_weight = size_weight * ((size - 1) // 2) + deepest + 1
        if not error_weight:
            raise UsageError("--error-weight 0: the smallest tree would be as good as any; give 1 or more")
        settled = softrows.settle(problem)
        encoding = cls(
            problem,
            size=size,
            depth=deepest if depth_weight or depth is not None else None,
            error_weight=error_weight,
            size_weight=size_weight,
            depth_weight=depth_weight,
            rows=len(settled.y),
            constant=settled.constant,
            counters=counters,
        )
        return Plan(encoding, encoding.if_allowed(bounds.best_first(problem, size, deepest)), notes=notes)

    @property
    def options(self) -> dict[str, Any]:
        """Bounds, weights, and what the rows came to."""
        return {
            "size": self.N,
            "depth": self.depth,
            "error_weight": self.error_weight,
            "size_weight": self.size_weight,
            "depth_weight": self.depth_weight,
            "rows": self.soft_row_count,
            "constant": self.constant,
            "counters": self.with_counters,
        }

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
