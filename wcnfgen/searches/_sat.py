"""An incremental SAT solver that numbers its own auxiliary variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen import searches
from wcnfgen.errors import UsageError, WcnfgenError

BUDGETED = ("glucose3", "glucose4", "glucose42", "minisat22")


class OutOfConflictsError(WcnfgenError):
    """The budget ended before there was an answer."""


class SatSolver:
    """A solver of PySAT.  Raises UsageError for one that is not incremental or not there.

    conflicts is a budget for all calls together, which takes Glucose or MiniSat: `solve` raises
    OutOfConflictsError once it is spent.

    Variables up to `variables` are the formula's; `fresh` gives out larger ones.  `refine` names the clauses
    that a model of those added so far still lacks, and that it falsifies; none if it is really a model.
    """

    refine: Callable[[NDArray[np.bool_]], Iterable[list[int]]] | None = None

    def __init__(self, name: str = "cadical195", conflicts: int | None = None) -> None:
        from pysat.solvers import Solver

        if name not in get_args(searches.Sat):
            raise UsageError(f"no SAT solver {name!r} here; there is {', '.join(get_args(searches.Sat))}")
        if conflicts is not None and name not in BUDGETED:
            raise UsageError(f"{name} takes no budget of conflicts; {', '.join(BUDGETED)} do")
        self._solver, self._conflicts = Solver(name), conflicts
        self._consistent = True
        self.variables = 0

    def fresh(self) -> int:
        """A new variable; none of the formula's may come after it."""
        self.variables += 1
        return self.variables

    def add(self, clauses: Iterable[list[int]]) -> None:
        """Add clauses; PySAT ignores an empty one, we do not."""
        for clause in clauses:
            if clause:
                self._solver.add_clause(clause)
            else:
                self._consistent = False

    def solve(self, assumptions: Iterable[int] = ()) -> NDArray[np.bool_] | None:
        """A model, indexed by variable, or None if there is none."""
        assumed = list(assumptions)
        model = self._model(assumed)
        while self.refine and model is not None and (missing := list(self.refine(model))):
            self.add(missing)
            model = self._model(assumed)
        return model

    def _model(self, assumptions: list[int]) -> NDArray[np.bool_] | None:
        if not self._consistent or not self._answer(assumptions):
            return None
        values = np.zeros(self.variables + 1, bool)
        literals = np.array(self._solver.get_model(), np.int64)
        true = literals[(literals > 0) & (literals <= self.variables)]
        values[true] = True
        return values

    def _answer(self, assumptions: list[int]) -> bool:
        if self._conflicts is None:
            return bool(self._solver.solve(assumptions=assumptions))
        left = self._conflicts - int(self._solver.accum_stats()["conflicts"])
        self._solver.conf_budget(max(1, left))
        answer = self._solver.solve_limited(assumptions=assumptions)
        if answer is None:
            raise OutOfConflictsError(f"no answer within {self._conflicts} conflicts")
        return bool(answer)

    def prefer(self, model: NDArray[np.bool_]) -> None:
        """Try these values first: a hint, which some solvers do not take."""
        self._solver.set_phases([x if model[x] else -x for x in range(1, len(model))])

    def close(self) -> None:
        """Free the memory at once."""
        self._solver.delete()
