"""MPDT: the smallest pure tree of at most ub nodes, as Partial MaxSAT, for any number of classes.

Soft clauses ask for unused nodes.  In the core form they are (¬η_i) for the odd i from 5 on, also
where the lower bound forces η_i, so that size = 2*cost + 3 holds whatever the bound; the paper form
has them for all odd i, so that the optimal cost is ⌈size/2⌉, as Proposition 1 says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen.clauses import Bits, Block, clauses
from wcnfgen.constraints import core, paper, topology
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.encodings._core import layout_option, most_nodes, size_option
from wcnfgen.errors import UsageError
from wcnfgen.tree import Node, Tree, predict, repeats_a_test, size
from wcnfgen.variables import Literals

if TYPE_CHECKING:
    from wcnfgen.rows import Problem

Form = Literal["core", "paper"]


class Size(Encoding):
    """Partial MaxSAT for the minimum pure decision tree."""

    name = "size"
    title = "MPDT: the smallest pure tree of at most ub nodes"
    source = "Alos, Ansotegui, Torres: Interpretable decision trees through MaxSAT, 2023, section 4"

    def __init__(
        self,
        problem: Problem,
        *,
        ub: int,
        lb: int = 3,
        form: Form = "core",
        counters: bool = True,
        layout: str = "",
    ):
        super().__init__(problem)
        self.ub, self.lb, self.form, self.with_counters, self.layout = ub, lb, form, counters, layout
        make = core.CoreTree if form == "core" else paper.PaperTree
        self.t: Any = make(ub, problem.features, problem.classes, self.pool, counters=counters)

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        ub: int | None = None,
        lb: int | None = None,
        form: Form = "core",
        counters: bool = True,
        layout_depth: int | None = None,
        layout: int | None = None,
    ) -> Plan:
        """The smallest pure tree within bounds.

        Bounds left open are computed; an upper bound beyond the largest possible tree is capped.

        ub: largest number of nodes, odd; default: the size of the best greedy tree
        lb: least number of nodes, odd; default: what the support set and the classes prove
        form: core (compact) or paper (the paper's variables and numbered constraints)
        counters: the pruning constraints of section 3.3, (19)-(23)
        layout_depth: fix the shape of so many levels, 1 to 4, which have 1, 4, 25 or 676 layouts
        layout: which of these layouts, from 1
        """
        notes: list[str] = []
        witness = bounds.greedy(problem)
        known = size(witness)
        ub = known if ub is None else size_option("--ub", ub)
        proved, given = bounds.lower_bound(problem), lb
        if lb is None:
            lb = proved
            if ub < lb:
                raise UsageError(
                    f"--ub {ub} is below the lower bound: every pure tree has at least {lb} nodes; "
                    "add --lb 3 to write the unsatisfiable formula all the same"
                )
        elif ub < size_option("--lb", lb):
            raise UsageError(f"the upper bound {ub} is below --lb {lb}: no tree fits; give another --ub")
        most = most_nodes(problem.features)
        if ub > most:
            notes.append(f"upper bound {ub} lowered to {most}: no path tests a feature twice")
            ub = most
            if lb > ub:
                raise UsageError(f"--lb {lb}: {problem.features} columns allow {most} nodes at most")
        if ub == 3 and form == "core":
            notes.append("with ub 3 the core form has no soft clause; --form paper has them")
        top = layout_option(problem, layout_depth, layout, ub)
        encoding = cls(problem, ub=ub, lb=lb, form=form, counters=counters, layout=top)
        cost = [(nodes - encoding.constant) // 2 for nodes in (proved, given or 0, ub)]
        assumed = cost[2] if top else cost[1] if given is not None and given > proved else None
        if assumed is not None:
            notes.append("--lb or --layout leaves out trees: an optimum here may be none of the data")
        known_model = witness if encoding.allows(witness) else None
        return Plan(encoding, known_model, cost[0], assumed, notes)

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Not with a given layout, which may need tests that tell nothing."""
        return options.get("layout") is None

    @property
    def options(self) -> dict[str, Any]:
        """Bounds, form, counters, and the layout if there is one."""
        options = {"ub": self.ub, "lb": self.lb, "form": self.form, "counters": self.with_counters}
        return options | ({"layout": self.layout} if self.layout else {})

    @property
    def constant(self) -> int:
        """size = 2*cost + constant."""
        return 3 if self.form == "core" else -1

    @property
    def meaning_of_cost(self) -> str:
        """How a cost is to be read."""
        return "size = 2*cost + 3" if self.form == "core" else "size = 2*cost - 1"

    def hard(self) -> Iterator[Block]:
        """Usage, shape, structure, features, rows."""
        form: Any = core if self.form == "core" else paper
        yield from form.nodes_are_used_in_order(self.t, self.lb)
        if self.layout:
            yield from topology.shape_is(self.t, self.layout)
        for constraint in form.STRUCTURE + form.FEATURES:
            yield from constraint(self.t)
        yield from form.rows_are_classified(self.t, Bits(self.problem.X), self.problem.y)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """(¬η_i, 1)     i odd."""
        first = 5 if self.form == "core" else 1
        yield 1, clauses(-self.t.eta[first::2])

    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """Read the tree off v, l, a and c."""
        found: Tree = self.t.decode(assignment)
        return found

    def cost(self, tree: Tree) -> int:
        """Half of the nodes beyond the smallest tree (core), or ⌈size/2⌉ (paper)."""
        return (size(tree) - self.constant) // 2

    def allows(self, tree: Tree) -> bool:
        """A pure tree with a test, of lb to ub nodes, that tests no feature twice on a path."""
        return (
            isinstance(tree, Node)
            and self.lb <= size(tree) <= self.ub
            and topology.shape(tree).startswith(self.layout)
            and not repeats_a_test(tree)
            and bool((predict(tree, self.problem.X) == self.problem.y).all())
        )

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """All variables are the tree's."""
        self.t.assign(tree, assignment)
