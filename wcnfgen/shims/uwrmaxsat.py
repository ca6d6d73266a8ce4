"""UWrMaxSat, as the Python package hermax has it: exact, and with its best model when it gets SIGTERM.

The library tells a model only at its end, so there is one o line, the last.  While it solves it asks, up to
two million times a second, whether to stop; the question is Python code, so that the handler of the signal
gets its turn.

This is the class beneath hermax's own interface, which keeps a copy of every clause to be able to solve
again: a file of 128 MB would take a minute and 1.3 GB to load, not ten seconds and 0.3 GB.
"""

from __future__ import annotations

import signal
from importlib.metadata import version
from typing import Any

from wcnfgen.searches._program import Remark, Telling
from wcnfgen.shims._formula import Best, Formula, require

MOST = 2**63 - 1  # of all weights together
INTERRUPTED, INTERRUPTED_WITH_MODEL, UNSATISFIABLE, OPTIMUM = 0, 10, 20, 30  # of the interface IPAMIR


def start(file: str) -> Telling:
    """UWrMaxSat on a WCNF file."""
    solver = require("hermax.core.urmaxsat_py", "hermax").UWrMaxSAT()
    yield Remark(f"{solver.signature()} in hermax {version('hermax')}")
    formula = Formula(file)
    if formula.total > MOST:
        yield Remark(f"the weights add up to {formula.total}, but UWrMaxSat counts to {MOST}")
        return
    best = Best(formula)
    _load(solver, formula)
    _heed_sigterm(solver)
    status = solver.solve()
    if status in (INTERRUPTED_WITH_MODEL, OPTIMUM):
        yield from best.take([solver.getValue(x) is True for x in range(1, formula.variables + 1)])
    if status == OPTIMUM:
        yield best.optimal(solver.getCost())
    elif status == UNSATISFIABLE:
        yield best.unsatisfiable()


def _load(solver: Any, formula: Formula) -> None:
    if last := formula.relaxed:
        solver.addClause([last, -last])  # asked for a variable beyond all that occur, it reads foreign memory
    for clause in formula.clauses():
        solver.addClause(clause)
    for weight, literal in formula.prices:
        solver.addClause([-literal], weight)


def _heed_sigterm(solver: Any) -> None:
    """From now on SIGTERM ends the search instead of the process."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    solver.set_terminate(lambda: len(told))


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start, asked=True))
