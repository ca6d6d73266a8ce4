"""What follows for an instance from the runs on it: best model, proof, class of difficulty.

Here nothing is read or run: rows and runs go in, rows and lies come out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from wcnfgen import contradictions
from wcnfgen.bundle.difficulty import PROVED, Difficulty, of_proof
from wcnfgen.bundle.manifest import NOT_RUN, Row, Satisfiable
from wcnfgen.contradictions import Facts, Lie
from wcnfgen.judged import Judged

BOUND = "bound"  # who proved it, where no solver was needed
WHOLE = 0.9  # of its limit: some solvers stop themselves a little before it


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A run that was judged: how long it took, how long it might have, and how it ended."""

    solver: str
    wall_s: float
    limit_s: float | None
    ended: str
    judged: Judged

    @property
    def has_model(self) -> bool:
        """Whether there is a model that satisfies all hard clauses."""
        return self.judged.cost is not None

    @property
    def used_its_time(self) -> bool:
        """Whether it worked until its time was up."""
        nearly = self.limit_s is not None and self.wall_s >= WHOLE * self.limit_s
        return nearly or self.ended in ("wall limit", "cpu limit")

    @property
    def seconds(self) -> float:
        """How long it took, as the manifest says it and classes of difficulty go by it."""
        return round(self.wall_s, 2)


def lies(row: Row, outcomes: Sequence[Outcome], known: bool) -> Iterator[Lie]:
    """What the runs on an instance say that is not so; known: there is a model besides theirs."""
    found = _facts(row, outcomes, known=known)
    for each in outcomes:
        wrong = contradictions.wrong(each.judged, found)
        yield from (Lie(row.name, each.solver, kind, text) for kind, text in wrong)


def _facts(row: Row, outcomes: Sequence[Outcome], *, known: bool) -> Facts:
    return contradictions.facts(
        (each.judged for each in outcomes),
        decision=row.format == "cnf",
        known=[row.best_cost],
        bound=row.least_cost,
        model=known,
    )


def best(row: Row, outcomes: Sequence[Outcome]) -> int | None:
    """The cost of the cheapest model that there is; None if there is none, or nothing is optimised."""
    return _facts(row, outcomes, known=False).least


def proofs(
    row: Row, outcomes: Sequence[Outcome], known: bool, distrusted: frozenset[str] = frozenset()
) -> list[Outcome]:
    """The runs that solved the instance, the fastest first."""
    found = _facts(row, outcomes, known=known)
    distrusted |= {lie.solver for lie in lies(row, outcomes, known)}
    solved = (
        each
        for each in outcomes
        if each.solver not in distrusted and contradictions.solves(each.judged, found)
    )
    return sorted(solved, key=lambda each: (each.wall_s, each.solver))


def settled(
    row: Row,
    outcomes: Sequence[Outcome],
    known: bool,
    distrusted: frozenset[str] = frozenset(),
    refused: Mapping[str, str] = MappingProxyType({}),
) -> Row:
    """The row with what is known of it now; who found the best model is settled by `keeping`.

    The row's best cost is that of the model that is kept, whose existence known says; refused has, by solver,
    why it could not run.
    """
    least = best(row, outcomes)
    found = proofs(row, outcomes, known, distrusted)
    by = _proved_by(row, least, found, distrusted | {each.solver for each in outcomes})
    seconds = {each.solver: each.seconds for each in found}
    ended = {solver: how for solver, how in row.ended.items() if how.startswith(NOT_RUN)}
    ended |= {solver: NOT_RUN + why for solver, why in refused.items()}
    told = list(lies(row, outcomes, known))
    ended |= {each.solver: _ended(each, told) for each in outcomes}
    liars = distrusted | {lie.solver for lie in told}
    return replace(
        row,
        best_cost=least,
        proved=bool(by) or (None if row.format == "cnf" else False),
        proved_by=by,
        answer=_answer(row, outcomes, by, known=known),
        nonzero="solver" if row.nonzero == "open" and by and least else row.nonzero,
        difficulty=_difficulty(row, outcomes, by, liars),
        seconds={solver: seconds.get(solver) for solver in sorted(ended)},
        ended=dict(sorted(ended.items())),
    )


def _proved_by(row: Row, least: int | None, found: Sequence[Outcome], asked: frozenset[str]) -> str:
    """Who proved it: our bound, the fastest solver, or one whose runs are not here any more."""
    if least is not None and row.least_cost == least:
        return BOUND
    if found:
        return found[0].solver
    before = row.proved and row.proved_by not in asked | {BOUND}
    return row.proved_by if before and row.best_cost == least else ""


def _answer(row: Row, outcomes: Sequence[Outcome], by: str, *, known: bool) -> Satisfiable:
    """Whether a formula that optimises nothing is satisfiable, where a model or an accepted claim says so.

    Of a proof whose run is gone only what it was before says whether it was one of unsatisfiability.
    """
    if row.format != "cnf":
        return ""
    if known or any(each.has_model for each in outcomes):
        return "SAT"
    claimed = by in (each.solver for each in outcomes) or row.answer == "UNSAT"
    return "UNSAT" if by and claimed else ""


def _ended(outcome: Outcome, told: Sequence[Lie]) -> str:
    """How a run ended, and what was wrong with what it said."""
    kinds = dict.fromkeys(lie.kind for lie in told if lie.solver == outcome.solver)
    return ", ".join([outcome.ended, *kinds])


def _difficulty(row: Row, outcomes: Sequence[Outcome], by: str, liars: frozenset[str]) -> Difficulty | None:
    """The class; None if nobody has tried, or nothing that was tried has worked.

    What worked found a model, or used its time in vain, and did not lie: a crash tells nothing.
    Of a proof whose run is gone, and with it the time, the class that it had before stays.
    """
    if by == BOUND:
        return "trivial"
    proof = next((each for each in outcomes if each.solver == by), None)
    if proof is not None:
        return of_proof(proof.seconds, max(each.limit_s or 0.0 for each in outcomes) or None)
    if by:
        return row.difficulty if row.difficulty in PROVED else "medium"
    costs = [each.judged.cost for each in outcomes if each.judged.cost is not None]
    if costs and row.format != "cnf" and (row.witness_cost is None or min(costs) < row.witness_cost):
        return "hard"
    worked = (each.has_model or each.used_its_time for each in outcomes if each.solver not in liars)
    return "untouched" if any(worked) else None
