"""Rules on variables and clauses."""

from __future__ import annotations

from collections.abc import Iterator

from wcnfgen.checks._formula import Formula
from wcnfgen.checks._rule import Hit, rule


def _where(formula: Formula, what: str, message: str) -> Iterator[Hit]:
    if place := formula.places.get(what):
        yield Hit(message, place)


@rule(Formula, "warning")
def gaps(formula: Formula) -> Iterator[Hit]:
    """Every variable from 1 to the largest one occurs: std_wcnf numbers them anew otherwise, and what
    comments or other files say of a variable's number is no longer true. In a CNF the others are free and
    only cost memory."""
    if missing := formula.used.largest - formula.used.count:
        then = "all behind are renumbered, and comments with their numbers go stale; "
        yield Hit(
            f"{missing} of {formula.used.largest} variables do not occur, "
            f"{formula.used.first_gap} is the first: "
            f"{then if formula.format != 'cnf' else ''}number them without gaps"
        )


@rule(Formula, "warning")
def unused_variables(formula: Formula) -> Iterator[Hit]:
    """A header declares no variable beyond the largest that occurs: the format since 2022 has no such
    number, so models get shorter when a file is converted."""
    if formula.variables > formula.used.largest:
        then = "" if formula.format == "cnf" else "the others vanish; "
        yield Hit(
            f"the header declares {formula.variables} variables, the largest that occurs is "
            f"{formula.used.largest}: {then}correct the header"
        )


@rule(Formula, "error")
def no_clauses(formula: Formula) -> Iterator[Hit]:
    """An instance has clauses: the empty one is valid, costs 0 and is no benchmark."""
    if not formula.hard + formula.soft:
        yield Hit("no clauses: nothing to solve, it is disqualified")


@rule(Formula, "error", "maxsat")
def no_softs(formula: Formula) -> Iterator[Hit]:
    """An instance has a soft clause (guidelines of 2024; maxsat-evaluations/data, scripts/disqualify)."""
    if formula.hard and not formula.soft and formula.format != "cnf":
        why = f": every weight is at least top, {formula.top}" if formula.top is not None else ""
        yield Hit(f"no soft clauses{why}: disqualified; a decision problem belongs into the SAT Competition")


@rule(Formula, "note", "maxsat")
def no_hards(formula: Formula) -> Iterator[Hit]:
    """Hard clauses need not be, but are rarely missing on purpose, and some solvers crash without."""
    if formula.soft and not formula.hard:
        yield Hit("no hard clauses: allowed, but some solvers fail on such formulas")


@rule(Formula, "error")
def empty_hard(formula: Formula) -> Iterator[Hit]:
    """No hard clause is empty: none can be satisfied then, and instances whose hard clauses cannot are
    disqualified."""
    yield from _where(
        formula, "empty hard", "an empty clause cannot hold: unsatisfiable at sight, disqualified"
    )


@rule(Formula, "error", "maxsat")
def empty_soft(formula: Formula) -> Iterator[Hit]:
    """No soft clause is empty (guidelines of 2024): it is falsified by every model, and solvers such as RC2
    crash."""
    yield from _where(
        formula,
        "empty soft",
        "an empty soft clause: every model pays it, the Evaluation takes none; leave it out",
    )


@rule(Formula, "note")
def tautologies(formula: Formula) -> Iterator[Hit]:
    """No clause has both a literal and its negation: it always holds, so it says nothing."""
    yield from _where(
        formula, "tautology", "a literal and its negation: the clause says nothing; leave it out"
    )


@rule(Formula, "note")
def repeated_literals(formula: Formula) -> Iterator[Hit]:
    """No literal is twice in a clause: local search solvers count satisfied literals."""
    yield from _where(formula, "repeated literal", "a literal twice in a clause; leave one out")


def _repeated(formula: Formula, *, hard: bool, advice: str) -> Iterator[Hit]:
    copies = formula.repeated(hard=hard)
    if copies.count:
        number = f"{'' if copies.exact else 'at least '}{copies.count}"
        yield Hit(f"copies of earlier {'hard' if hard else 'soft'} clauses, {number}: {advice}")


@rule(Formula, "note")
def repeated_hards(formula: Formula) -> Iterator[Hit]:
    """No hard clause comes twice: the second one says nothing."""
    yield from _repeated(formula, hard=True, advice="they say nothing; leave them out")


@rule(Formula, "note", "maxsat")
def repeated_softs(formula: Formula) -> Iterator[Hit]:
    """Soft clauses that are equal are one whose weight is their sum; parsers have got this wrong (RustSAT,
    pull request 409)."""
    yield from _repeated(formula, hard=False, advice="costs add up; make each one of their summed weight")


@rule(Formula, "note", "maxsat")
def softs_first(formula: Formula) -> Iterator[Hit]:
    """Soft clauses come before hard ones: gbdc's wcnfhash, by which the Evaluation knows instances, is then
    the same for both formats, else it is not."""
    if place := formula.places.get("soft after hard"):
        yield Hit(
            "a soft clause behind hard ones: GBD's hash of it changes with the format; put softs first", place
        )
