"""Is there a pure tree?  A SAT solver is asked about few rows first.

What no tree gets right on some rows, none gets right on all; and a tree for some rows often fits the others
too, else those that it gets wrong are added (Avellaneda, AAAI 2020, adds them one by one).  The
formulas are small whatever the data.

A solver's work is counted in conflicts times literals of the formula, never in seconds, so that the answer is
the same on any machine with the same release of PySAT.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wcnfgen import writer
from wcnfgen.clauses import layout
from wcnfgen.encodings import Encoding
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree, predict

WORK = 20_000_000_000  # conflicts times literals: ten seconds at most
LOADING = 2_000  # conflicts that take as long as loading the formula
FIRST = 50  # rows
Rows = NDArray[np.intp]


class Unknown:
    """What is said where a budget ends before there is an answer."""


UNKNOWN = Unknown()


def pure_tree(encoding: Encoding, work: int = WORK) -> Tree | Unknown | None:
    """A tree that the encoding allows, where every row has to be right; None if there is none.

    encoding is pure, and its options say nothing of its rows.
    """
    problem = encoding.problem
    chosen = _spread(_by_class(problem), FIRST)
    while True:
        part = type(encoding)(_rows(problem, chosen), **encoding.options)
        literals = writer.count(part).literals
        model, conflicts = solve(part, work // literals - LOADING)
        if model is None or isinstance(model, Unknown):
            return model
        work -= (conflicts + LOADING) * literals
        tree = part.tree(model)
        wrong = np.flatnonzero(predict(tree, problem.X) != problem.y)
        if not len(wrong):
            return tree
        chosen = np.concatenate([chosen, _spread(wrong, max(1, len(chosen) // 2))])


def _by_class(problem: Problem) -> Rows:
    """All rows, those of each class spread evenly over the order."""
    place = np.zeros(problem.rows)
    for label in range(problem.classes):
        rows = np.flatnonzero(problem.y == label)
        place[rows] = (np.arange(len(rows)) + 0.5) / max(1, len(rows))
    return np.argsort(place, kind="stable")


def _spread(rows: Rows, count: int) -> Rows:
    """At most so many of the rows, evenly spaced."""
    count = min(count, len(rows))
    return rows[np.arange(count) * len(rows) // max(1, count)]


def _rows(problem: Problem, chosen: Rows) -> Problem:
    n = None if problem.n is None else problem.n[chosen]
    return replace(problem, X=problem.X[chosen], y=problem.y[chosen], w=problem.w[chosen], n=n)


def solve(formula: writer.Formula, conflicts: int) -> tuple[NDArray[np.bool_] | Unknown | None, int]:
    """A model of the hard clauses, indexed by variable, or None if there is none; and the conflicts."""
    from pysat.solvers import Solver

    if conflicts < 1:
        return UNKNOWN, 0
    with Solver("glucose4") as solver:
        for block in formula.hard():
            for clause in layout(block).tolist():
                solver.add_clause(clause)
        solver.conf_budget(conflicts)
        answer = solver.solve_limited()
        spent = int(solver.accum_stats()["conflicts"])
        if not answer:
            return (None if answer is False else UNKNOWN), spent
        literals = np.array(solver.get_model(), np.int64)
    model = np.zeros(formula.variables + 1, bool)
    model[literals[(literals > 0) & (literals <= formula.variables)]] = True
    return model, spent
