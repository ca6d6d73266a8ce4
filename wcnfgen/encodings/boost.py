"""One round of AdaBoost with DT(max): most weight right within depth U, over reweighted rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wcnfgen import boosting, bounds
from wcnfgen.boosting import CAP, Rounding
from wcnfgen.encodings import Plan
from wcnfgen.encodings._core import Form, most_nodes
from wcnfgen.encodings.depth import Depth
from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.rows import Problem
    from wcnfgen.tree import Tree


class Boost(Depth):
    """The formula of `Depth`; `plan` reweights the rows, the constructor takes them as they are."""

    name = "boost"
    title = "one round of AdaBoost: the tree within depth U with the least weight of wrong rows"
    source = "Hu, Siala, Hebrard, Huguet: Learning optimal decision trees with MaxSAT, 2020, section 3.4"

    @classmethod
    def plan(  # type: ignore[override]  # each encoding has options of its own
        cls,
        problem: Problem,
        *,
        depth: int,
        nodes: int | None = None,
        ub: int | None = None,
        form: Form = "core",
        counters: bool = True,
        round: int = 1,
        rounding: Rounding = "paper",
        cap: int | None = CAP,
    ) -> Plan:
        """Fewest errors within a depth, over the weights of a round of AdaBoost.

        depth: largest number of tests on a path
        nodes: also exactly so many nodes, odd
        ub: also at most so many nodes, odd; default: as many as the depth allows
        form: core (compact) or paper (the papers' variables and numbered constraints)
        counters: the pruning constraints of Narodytska et al. 2018, section 3.3
        round: the weights are those after round - 1 rounds with greedy trees; 1: those of --weights,
            else each row counts once
        rounding: paper updates the rounded weights, real updates a distribution that stays real
        cap: largest weight of a row that rounding makes, or none
        """
        if round < 1:
            raise UsageError(f"--round {round}: give a number from 1 on")
        deepest = min(depth, problem.features)
        most = nodes or ub or most_nodes(deepest)

        def greedy(_: int, weighted: Problem) -> Tree:
            return bounds.best_first(weighted, most, deepest)

        *_, last = boosting.boost(problem, greedy, rounds=round, rounding=rounding, cap=cap)
        plan = super().plan(last.problem, depth=depth, nodes=nodes, ub=ub, form=form, counters=counters)
        if last.number == round:
            return plan
        why = "makes no error" if last.perfect else "is no better than a guess"
        note = f"the greedy tree of round {last.number} {why}: the weights are those of that round"
        return replace(plan, notes=[*plan.notes, note])
