"""Rules on what a solver would find, as far as it can be known cheaply.

Of our own files the map in the comments tells: a witness, and a bound on the cost. Other small formulas, up
to `SOLVED_UP_TO` literals, are given to a SAT solver with a budget of conflicts; where it ends, nothing is
said.
"""

from __future__ import annotations

from collections.abc import Iterator

from wcnfgen.checks._formula import SOLVED_UP_TO, Formula
from wcnfgen.checks._rule import Hit, rule
from wcnfgen.errors import FormatError
from wcnfgen.map import Map
from wcnfgen.reader import HARD
from wcnfgen.searches._sat import OutOfConflictsError, SatSolver


@rule(Formula, "error", "maxsat")
def unsatisfiable(formula: Formula) -> Iterator[Hit]:
    """The hard clauses can be satisfied (maxsat-evaluations/data, scripts/disqualify)."""
    if not formula.places.get("empty hard") and satisfiable(formula, soft=False) is False:
        yield Hit("the hard clauses are unsatisfiable: disqualified")


@rule(Formula, "error", "maxsat")
def optimum_zero(formula: Formula) -> Iterator[Hit]:
    """The optimum is not 0: else there is nothing to optimise (maxsat-evaluations/data,
    scripts/disqualify)."""
    if formula.soft and satisfiable(formula, soft=True):
        yield Hit("all clauses can hold at once, so the optimum is 0: disqualified; ask for less")


@rule(Formula, "error")
def stale_map(formula: Formula) -> Iterator[Hit]:
    """Our own files say in their comments how a model is read as a tree, and how many variables and clauses
    they have; a file that was changed afterwards, or renumbered, is read wrongly."""
    try:
        found = formula.map
    except FormatError as error:
        yield Hit(str(error).removeprefix(f"{formula.name}: "))
        return
    if found is not None and not _fits(found, formula):
        yield Hit(
            f"the map in the comments is of {found.encoding.variables} variables, {found.hard} hard and "
            f"{found.soft} soft clauses, the formula is not: it was changed; encode the data again"
        )


def _fits(found: Map, formula: Formula) -> bool:
    softs = 0 if formula.format == "cnf" else found.soft
    return (found.encoding.variables, found.hard, softs) == (formula.variables, formula.hard, formula.soft)


def known(formula: Formula) -> tuple[int, int | None] | None:
    """Bounds on the optimum from the map: the least cost, and a witness's or None; None without a map."""
    try:
        found = formula.map
    except FormatError:
        return None
    return (found.least_cost, found.witness_cost) if found and _fits(found, formula) else None


def satisfiable(formula: Formula, *, soft: bool) -> bool | None:
    """Whether the hard clauses, or all clauses, can hold at once; None where it is not known."""
    if (bounds := known(formula)) is not None:
        least, witness = bounds
        if soft and least > 0:
            return False
        if witness is not None and (witness == 0 or not soft):
            return True
    return _solved(formula, soft)


def _solved(formula: Formula, soft: bool) -> bool | None:
    if formula.clauses is None or formula.variables > SOLVED_UP_TO or not formula.conflicts:
        return None
    solver = SatSolver("glucose4", formula.conflicts)
    try:
        solver.variables = formula.variables
        for chunk in formula.clauses:
            literals, starts = chunk.literals.tolist(), chunk.starts.tolist()
            kept = (k for k, weight in enumerate(chunk.weights.tolist()) if soft or weight == HARD)
            solver.add(literals[starts[k] : starts[k + 1]] for k in kept)
        return solver.solve() is not None
    except OutOfConflictsError:
        return None
    finally:
        solver.close()
