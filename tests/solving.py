"""Solving formulas in-process, for tests: what is written is what is solved."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from pysat.solvers import Solver

from wcnfgen import reader, writer


def text(formula: writer.Formula, format: writer.Format = "wcnf") -> bytes:
    """What the writer writes."""
    out = io.BytesIO()
    writer.write(formula, out, format=format)
    return out.getvalue()


def through(formula: writer.Formula, format: writer.Format = "wcnf") -> reader.Whole:
    """The formula, written and read again."""
    return reader.read(io.BytesIO(text(formula, format)))


def solve(formula: reader.Whole) -> tuple[int, NDArray[np.bool_]] | None:
    """Optimal cost and a model indexed by variable, by RC2; None if the hard clauses are unsatisfiable."""
    wcnf = WCNF()
    for hard in formula.hard():
        wcnf.append(hard[0].tolist())
    for weight, soft in formula.soft():
        wcnf.append(soft[0].tolist(), weight=weight)
    with RC2(wcnf, solver="g4") as rc2:
        model = rc2.compute()
        return None if model is None else (rc2.cost, assignment(model, formula.variables))


def assignment(model: list[int], variables: int) -> NDArray[np.bool_]:
    """A model as an array indexed by variable."""
    values = np.zeros(variables + 1, bool)
    values[[x for x in model if 0 < x <= variables]] = True
    return values


def models(hards: list[list[int]], project: list[int]) -> int:
    """How many models there are, seen on the given variables."""
    count = 0
    with Solver("cadical153", bootstrap_with=hards) as solver:
        while solver.solve():
            count += 1
            model = solver.get_model()
            solver.add_clause([-model[x - 1] for x in project])
    return count


def all_models(hards: list[list[int]], project: list[int], variables: int) -> Iterator[NDArray[np.bool_]]:
    """One model for each way to set the given variables."""
    with Solver("cadical153", bootstrap_with=hards) as solver:
        while solver.solve():
            model = solver.get_model()
            yield assignment(model, variables)
            solver.add_clause([-model[x - 1] for x in project])


def falsified(formula: reader.Whole, values: NDArray[np.bool_]) -> tuple[int, int]:
    """How many hard clauses an assignment falsifies, and the weight of the soft ones."""

    def false(block: NDArray[np.int32]) -> bool:
        return not (values[np.abs(block)] ^ (block < 0)).any()

    return sum(map(false, formula.hard())), sum(w for w, block in formula.soft() if false(block))
