"""MPDT: the smallest pure tree of at most ub nodes, as Partial MaxSAT, for any number of classes.

Soft clauses ask for unused nodes.  In the core form they are (¬η_i) for the odd i from 5 on, also
where the lower bound forces η_i, so that size = 2*cost + 3 holds whatever the bound; the paper form
has them for all odd i, so that the optimal cost is ⌈size/2⌉, as Proposition 1 says.

If rows are soft, no number of nodes outweighs an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wcnfgen import bounds
from wcnfgen.clauses import clauses
from wcnfgen.constraints import softrows
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import CoreEncoding, Form, helpers, layout_option, most_nodes, size_option
from wcnfgen.errors import UsageError
from wcnfgen.tree import Tree, size
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


class Size(CoreEncoding):
    """Partial MaxSAT for the minimum pure decision tree."""

    name = "size"
    title = "MPDT: the smallest pure tree of at most ub nodes"
    source = "Alos, Ansotegui, Torres: Interpretable decision trees through MaxSAT, 2023, section 4"

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        ub: int | None = None,
        lb: int | None = None,
        soft_rows: bool = False,
        form: Form = "core",
        counters: bool = True,
        reach: bool | None = None,
        root_bounds: bool | None = None,
        layout_depth: int | None = None,
        layout: int | None = None,
    ) -> Plan:
        """The smallest pure tree within bounds.

        Bounds left open are computed; an upper bound beyond the largest possible tree is capped.

        ub: largest number of nodes, odd; default: the size of the best greedy tree
        lb: least number of nodes, odd; default: what the support set and the classes prove
        soft_rows: rows may be wrong; fewest errors come first, then size
        form: core (compact) or paper (the paper's variables and numbered constraints)
        counters: the pruning constraints of section 3.3, (19)-(23)
        reach: redundant variables that say which rows arrive where; default: on small core formulas
        root_bounds: what each test at the root needs at least; default: on small core formulas
        layout_depth: fix the shape of so many levels, 1 to 4, which have 1, 4, 25 or 676 layouts
        layout: which of these layouts, from 1
        """
        witness = bounds.greedy(problem)
        ub = max(3, size(witness)) if ub is None else size_option("--ub", ub)
        proved, given = 3 if soft_rows else bounds.lower_bound(problem), lb
        lb = _lower(lb, proved, ub)
        ub, notes = _capped(problem, lb, ub)
        if ub == 3 and form == "core" and not soft_rows:
            notes.append("with ub 3 the core form has no soft clause; --form paper has them")
        top = layout_option(problem, layout_depth, layout, ub)
        rows = softrows.shape_of(problem) if soft_rows else None
        more = helpers(problem, ub, form, soft_rows=soft_rows, reach=reach, root_bounds=root_bounds)
        encoding = cls(
            problem, ub=ub, lb=lb, soft_rows=rows, form=form, counters=counters, layout=top, **more
        )
        assumed = encoding.most if top else encoding.pairs(given) if given and given > proved else None
        if assumed is not None:
            notes.append("--lb or --layout leaves out trees: an optimum here may be none of the data")
            assumed += encoding.unit * (softrows.total(problem) if soft_rows else 0)
        known = encoding.if_allowed(witness)
        if soft_rows and known is None:
            known = encoding.if_allowed(bounds.best_first(problem, ub))
        return Plan(encoding, known, encoding.pairs(proved), assumed, notes)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not with a given layout, which may need tests that tell nothing."""
        return options.get("layout") is None

    @property
    def first(self) -> int:
        """The first node that costs something."""
        return 5 if self.form == "core" else 1

    def pairs(self, nodes: int) -> int:
        """How many odd nodes of a tree of that size cost something."""
        return (nodes - self.first) // 2 + 1

    @property
    def most(self) -> int:
        """All that size can cost."""
        return self.pairs(self.N)

    @property
    def unit(self) -> int:
        """What an error costs: more than all nodes."""
        return self.most + 1

    @property
    def meaning_of_cost(self) -> str:
        """How a cost is to be read."""
        pairs = "size = 2*cost + 3" if self.form == "core" else "size = 2*cost - 1"
        if self.pure:
            return pairs
        parts = "(size - 3)/2" if self.form == "core" else "(size + 1)/2"
        return f"cost = {self.unit}*(errors - {self.constant}) + {parts}"

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(¬η_i, 1)     i odd;  and (b_q, unit * w_q) if rows are soft."""
        yield 1, clauses(-self.t.eta[self.first :: 2])
        yield from self.rows_are_worth(self.unit)

    def cost(self, tree: Tree) -> int:
        """Half of the nodes beyond the smallest tree (core), or ⌈size/2⌉ (paper); errors come first."""
        return self.unit * (self.errors(tree) - self.constant) + self.pairs(size(tree))


def _lower(lb: int | None, proved: int, ub: int) -> int:
    """The lower bound that is given, or else the proved one.  Raises UsageError where no tree fits."""
    if lb is not None:
        if ub < size_option("--lb", lb):
            raise UsageError(f"the upper bound {ub} is below --lb {lb}: no tree fits; give another --ub")
        return lb
    if ub < proved:
        raise UsageError(
            f"--ub {ub} is below the lower bound: every pure tree has at least {proved} nodes; "
            "add --lb 3 to write the unsatisfiable formula all the same"
        )
    return proved


def _capped(problem: Problem, lb: int, ub: int) -> tuple[int, list[str]]:
    """The upper bound, not beyond the largest tree, and notes.  Raises UsageError where no tree fits."""
    most = most_nodes(problem.features)
    if ub <= most:
        return ub, []
    if lb > most:
        raise UsageError(f"--lb {lb}: {problem.features} columns allow {most} nodes at most")
    return most, [f"upper bound {ub} lowered to {most}: no path tests a feature twice"]
