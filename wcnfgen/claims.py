"""What a solver claims, held against what was recomputed.

A solver errs in few ways, and each has a name here that a report can count:

* ``contradiction``: two things that it says, or one that it says and one that is known, cannot both be:
  an optimum that is beaten by another model, a lower bound above a model's cost, UNSATISFIABLE with a
  model.
* ``o-mismatch``: the model does not cost what the last ``o`` line says.
* ``hard-falsified``: the model is none.
* ``wrong-format-suspected``: hard clauses are falsified or costs claimed in the way that happens where a
  solver takes hard clauses for soft ones: an old file read as a new one, or the other way round.

Two more are not the solver's: ``changed-instance``, the file is not what its header says, and
``our-error``, all hard clauses hold and yet the tree is not what the encoding promises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wcnfgen.output import Answer

Kind = Literal[
    "contradiction",
    "o-mismatch",
    "hard-falsified",
    "wrong-format-suspected",
    "changed-instance",
    "our-error",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement: its kind, and a line for people."""

    kind: Kind
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Seen:
    """What an instance says of a model.

    hard and soft count the clauses, weights is the sum of the soft ones'; falsified counts hard clauses that
    the model falsifies and cost is the weight of the soft ones; missing is how many variables it leaves out,
    which count as false.  decision: the file is CNF, so that there is no cost.
    """

    falsified: int
    cost: int
    hard: int
    soft: int
    weights: int
    missing: int = 0
    decision: bool = False

    @property
    def misread_cost(self) -> int:
        """What the model costs a solver that takes hard clauses for soft ones of weight top."""
        return self.cost + (self.weights + 1) * self.falsified


def disagreements(
    answer: Answer, seen: Seen | None, known: int | None = None, weights: int | None = None
) -> Iterator[Finding]:
    """Each claim that is not so; known is the cost of some model of the hard clauses, None if none is known.

    seen is what the instance says of the answer's model, None without a whole model; weights is then the sum
    of the weights of the soft clauses, None if it does not matter or there is no objective.
    """
    yield from _statuses(answer, model=known is not None or (seen is not None and not seen.falsified))
    if seen is None:
        if weights is not None:
            yield from _format(answer, weights)
            yield from _bounds(answer, known)
        return
    if seen.falsified:
        cut = f" and leaves out {seen.missing} variables: cut short, or" if seen.missing else ":"
        yield Finding(
            "hard-falsified",
            f"the model falsifies hard clauses ({seen.falsified}){cut} solver's error, or a misread format",
        )
    if not seen.decision:
        yield from _costs(answer, seen)
        yield from _bounds(answer, *([known] if seen.falsified else [known, seen.cost]))


def _statuses(answer: Answer, *, model: bool) -> Iterator[Finding]:
    """Claims about satisfiability, against each other and against a model that there is."""
    if "UNSATISFIABLE" not in answer.statuses:
        return
    if len(set(answer.statuses) - {"UNKNOWN"}) > 1:
        said = " and ".join(answer.statuses)
        yield Finding("contradiction", f"the solver says {said}: solver's error")
    elif answer.status == "UNSATISFIABLE" and model:
        yield Finding(
            "contradiction",
            "the solver says UNSATISFIABLE, but a model of the hard clauses is known: solver's error",
        )


def _costs(answer: Answer, seen: Seen) -> Iterator[Finding]:
    """The cost claimed for the model."""
    claimed = answer.cost
    if answer.no_cost:
        text = (
            f"the solver says {answer.no_cost}, which is no cost; its model costs {seen.cost}: solver's error"
        )
        yield Finding("o-mismatch", text)
    elif claimed is not None:
        costs = {cost for _, cost in answer.costs} if answer.superseded else {claimed}
        if seen.cost not in costs:
            text = f"the solver says o {claimed}, its model costs {seen.cost}: solver's error"
            yield Finding("o-mismatch", text)
    if seen.falsified:
        yield from _format(answer, seen.weights, seen.misread_cost)


def _format(answer: Answer, weights: int, misread_cost: int | None = None) -> Iterator[Finding]:
    """A cost that no model can have, claimed without a model that holds."""
    claimed = answer.cost
    if claimed is not None and (claimed > weights or claimed == misread_cost):
        yield Finding(
            "wrong-format-suspected",
            f"the solver says o {claimed}, all soft clauses together weigh {weights}: it seems to take "
            "hard clauses for soft ones; give it the other format",
        )


def _bounds(answer: Answer, known: int | None, cost: int | None = None) -> Iterator[Finding]:
    """Claims that nothing is better than something; cost is that of its model, if it has one that holds."""
    there = [each for each in (known, cost) if each is not None]
    optimum = answer.status == "OPTIMUM FOUND"
    claimed = answer.cost if cost is None else cost
    if optimum and known is not None and claimed is not None and known < claimed:
        text = f"the solver says OPTIMUM FOUND, but a model of cost {known} is known: solver's error"
        yield Finding("contradiction", text)
    least = min((claimed for _, claimed in answer.costs), default=None)
    if optimum and cost is not None and least is not None and least < cost:
        text = f"the solver says OPTIMUM FOUND and o {least}, its model costs {cost}: solver's error"
        yield Finding("contradiction", text)
    bound = max((bound for _, bound in answer.lower_bounds), default=0)
    if there and bound > min(there):
        text = f"the solver says that no cost is below {bound}, a model costs {min(there)}: solver's error"
        yield Finding("contradiction", text)
