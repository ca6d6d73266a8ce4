"""CP-SAT of OR-tools: exact, and with each better cost as it is found.

By default it has one thread, since the Evaluation gives a solver one core, and a fixed seed.  CP-SAT works
in a thread of its own and calls back for each solution and each bound; what there is to tell of it goes into
a queue, from which this generator takes it.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from queue import SimpleQueue
from typing import Any

import numpy as np

from wcnfgen.searches import Improvement
from wcnfgen.searches._program import Remark, Telling
from wcnfgen.shims._formula import Best, Formula, require

MOST = 2**62 - 1  # of all weights together
EXACT = 2**53  # bounds come as floating-point numbers


def start(file: str, *, workers: int = 1, seed: int = 0) -> Telling:
    """CP-SAT of OR-tools on a WCNF file."""
    cp_model = require("ortools.sat.python.cp_model", "ortools")
    yield Remark(f"CP-SAT in OR-tools {version('ortools')}")
    formula = Formula(file)
    if formula.total > MOST:
        yield Remark(f"the weights add up to {formula.total}, but CP-SAT counts to {MOST}")
        return
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    rest = _load(model.proto, formula)
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = seed
    best = Best(formula)
    told: SimpleQueue[Improvement | Remark | None] = SimpleQueue()

    def on_solution(callback: Any) -> None:
        for each in best.take(np.fromiter(callback.response_proto.solution, bool)):
            told.put(each)

    base = cp_model.CpSolverSolutionCallback
    listener = type("Listener", (base,), {"on_solution_callback": on_solution})()
    if formula.total < EXACT:
        solver.best_bound_callback = lambda bound: told.put(_lower_bound(bound, rest + formula.constant))
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(solver.solve, model, listener)
        run.add_done_callback(lambda _: told.put(None))
        try:
            while (each := told.get()) is not None:
                yield each
        finally:
            solver.stop_search()
    status = solver.status_name(run.result())
    if status == "OPTIMAL":
        yield best.optimal(solver.response_proto.inner_objective_lower_bound + rest)
    elif status == "INFEASIBLE":
        yield best.unsatisfiable()
    else:
        yield Remark(f"CP-SAT ends with {status}")


def _load(proto: Any, formula: Formula) -> int:
    """Fill a model; returns what its objective lacks: a negative literal costs what its variable saves."""
    for _ in range(formula.relaxed):
        proto.variables.add().domain.extend((0, 1))
    for clause in formula.clauses():
        literals = [x - 1 if x > 0 else x for x in clause]  # variables count from 0, -1 is "not 0"
        proto.constraints.add().bool_or.literals.extend(literals)
    if formula.prices:
        proto.objective.vars.extend([abs(x) - 1 for _, x in formula.prices])
        proto.objective.coeffs.extend([w if x > 0 else -w for w, x in formula.prices])
    return sum(w for w, x in formula.prices if x < 0)


def _lower_bound(bound: float, rest: int) -> Remark:
    return Remark(f"LB {math.floor(bound) + rest}")


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start))
