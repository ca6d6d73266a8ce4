"""What several runs on one instance say together: which claims are not so, and which proofs count.

One run is held against its own model when it is judged (`wcnfgen.claims`).  Here it is held against what all
the others have found: an optimum that another solver's model beats, a bound above a known model, a formula
called unsatisfiable of which there is a model, a cost below a bound that is proved.  Nothing is read or run.

A proof counts if nothing contradicts it.  A solver of which one claim is contradicted proves nothing more,
on no instance: whoever uses this leaves it out (`distrusted`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

BLAMELESS = frozenset({"changed-instance", "our-error", "cores"})  # kinds of findings that accuse no solver


class Said(Protocol):
    """What a run claims and what of it is true: `wcnfgen.judged.Judged` and results of campaigns."""

    @property
    def status(self) -> str | None:
        """The last s line."""

    @property
    def claimed(self) -> int | None:
        """The cost it says last."""

    @property
    def bound(self) -> int | None:
        """The largest lower bound it claims."""

    @property
    def cost(self) -> int | None:
        """Of its last model, recomputed; None: there is none that satisfies the hard clauses."""

    @property
    def findings(self) -> tuple[tuple[str, str], ...]:
        """What disagrees within the run: (kind, text)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an instance.

    decision  it is CNF: nothing is optimised
    model     whether there is a model
    least     the cost of the cheapest; None if there is none, or nothing is optimised
    bound     a proved lower bound on the cost, None if there is none
    """

    decision: bool
    model: bool
    least: int | None
    bound: int | None


@dataclass(frozen=True, slots=True)
class Lie:
    """Something that a solver said of an instance and that is not so; kind as in `wcnfgen.claims`."""

    name: str
    solver: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.solver}: {self.text} ({self.kind})"


def facts(
    runs: Iterable[Said],
    *,
    decision: bool,
    known: Iterable[int | None] = (),
    bound: int | None = None,
    model: bool = False,
) -> Facts:
    """What follows from all runs on an instance; known: costs of other models; model: there is one."""
    found = [each.cost for each in runs if each.cost is not None]
    costs = found + [cost for cost in known if cost is not None]
    least = None if decision else min(costs, default=None)
    return Facts(decision, model or bool(costs), least, bound)


def wrong(said: Said, facts: Facts) -> Iterator[tuple[str, str]]:
    """What of a run's claims is not so: (kind, text)."""
    yield from said.findings
    if "contradiction" not in (kind for kind, _ in said.findings):
        for text in [*_beaten(said, facts), *_impossible(said, facts)]:
            yield "contradiction", text


def _beaten(said: Said, facts: Facts) -> Iterator[str]:
    """Claims that a model excludes, of whomever it is."""
    least = facts.least
    if said.status == "UNSATISFIABLE" and facts.model:
        yield "it says UNSATISFIABLE, but a model is known"
    if least is None:
        return
    cost = said.claimed if said.cost is None else said.cost
    if said.status == "OPTIMUM FOUND" and cost is not None and cost > least:
        yield f"it says OPTIMUM FOUND with a cost of {cost}, but a model of cost {least} is known"
    if said.bound is not None and said.bound > least:
        yield f"it says that no cost is below {said.bound}, but a model of cost {least} is known"


def _impossible(said: Said, facts: Facts) -> Iterator[str]:
    """A claim of a cost that a proved bound excludes; a bound that a model is below accuses nobody."""
    claimed, bound = said.claimed, facts.bound
    if claimed is None or bound is None or claimed >= bound:
        return
    if facts.least is None or facts.least >= bound:
        yield f"it says that there is a cost of {claimed}, but none is below the proved bound {bound}"


def distrusted(lies: Iterable[Lie]) -> frozenset[str]:
    """The solvers that are caught in a contradiction: nothing that they say is proved counts."""
    return frozenset(lie.solver for lie in lies if lie.kind == "contradiction")


def solves(said: Said, facts: Facts) -> bool:
    """Whether a run settles the instance, if its solver can be trusted."""
    if said.status == "UNSATISFIABLE":
        return said.cost is None
    if facts.decision:
        return said.cost is not None
    return said.status == "OPTIMUM FOUND" and said.cost is not None and said.cost == facts.least
