"""LMS, linear MaxSAT: ask for something better until there is nothing better.

Algorithm 1 of MPDT (Alòs, Ansótegui and Torres 2023, section 5; after Eén and Sörensson 2006 and
Le Berre and Parrain 2010).  Two things differ from the print.  The sum of the costs is encoded when the
first model is known, whose cost caps it: less to encode, the same answers.  And the bound that asks
for something better is an assumption, as section 6 wants it, so that what the solver holds in the
end is the formula of all the optimal models: `Linear.sat`, from which `wcnfgen.searches.diverse` goes on.

The cost of a model is counted on the soft clauses themselves, not on the variables that relax them.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wcnfgen import searches
from wcnfgen.clauses import layout
from wcnfgen.map import from_comments
from wcnfgen.reader import HARD, Chunk, Reader
from wcnfgen.searches import Events, Improvement, Proved
from wcnfgen.searches._objective import Objective, Term, objective
from wcnfgen.searches._sat import SatSolver

if TYPE_CHECKING:
    from wcnfgen.writer import Formula


class Linear:
    """One search; `events` runs it, once.

    best is the last improvement.  After the proof of an optimum the models of `sat` are the optimal ones.
    """

    def __init__(self, sat: str = "cadical195", conflicts: int | None = None) -> None:
        self.sat = SatSolver(sat, conflicts)
        self.variables = 0
        self.best: Improvement | None = None
        self.seconds = searches.clock()
        self._softs: list[tuple[int, list[int]]] = []

    def take(self, formula: Formula) -> None:
        """Take the clauses of a formula in memory."""
        for block in formula.hard():
            self.sat.add(layout(block).tolist())
        for weight, block in formula.soft():
            self._softs += [(weight, clause) for clause in block.tolist()]
        self.sat.variables = self.variables = formula.variables

    def read(self, file: str | os.PathLike[str]) -> None:
        """Take the clauses of a WCNF or CNF file.  Raises FormatError."""
        with Reader(file) as reader:
            for chunk in reader.chunks():
                literals = chunk.literals.tolist()
                clauses = [literals[start:end] for start, end in pairwise(chunk.starts.tolist())]
                weights = chunk.weights.tolist()
                self.sat.add(c for w, c in zip(weights, clauses, strict=True) if w == HARD)
                self._softs += [(w, c) for w, c in zip(weights, clauses, strict=True) if w != HARD]
        self.sat.variables = self.variables = reader.variables

    def events(self, known: NDArray[np.bool_] | None = None) -> Events:
        """Run the search, from a known model of the hard clauses where there is one."""
        softs = _chunk(self._softs)
        terms, constant = self._relaxed()
        model = self.sat.solve() if known is None else known
        if model is None:
            yield Proved(self.seconds(), "UNSATISFIABLE")
            return
        if known is not None:
            self.sat.prefer(known)
        total: Objective | None = None
        while model is not None:
            cost = sum(softs.weights[~softs.satisfied(model)].tolist())
            self.best = Improvement(self.seconds(), cost, model[: self.variables + 1])
            yield self.best
            if cost == constant:
                self.sat.add([-literal] for _, literal in terms)
                break
            total = total or objective(terms, cost - constant + 1, self.sat)
            self.sat.add([x] for x in total.below(cost - constant + 1))
            model = self.sat.solve(total.below(cost - constant))
        yield Proved(self.seconds(), "OPTIMUM FOUND")

    def _relaxed(self) -> tuple[list[Term], int]:
        """What is to be paid for each literal, and what has to be paid anyway.

        A soft clause of one literal needs no new variable.  Equal ones add up; of opposite ones, the
        lesser weight is always paid.
        """
        price: Counter[int] = Counter()
        constant = 0
        for weight, clause in self._softs:
            if len(clause) > 1:
                relaxing = self.sat.fresh()
                self.sat.add([[*clause, relaxing]])
                price[relaxing] += weight
            elif clause:
                price[-clause[0]] += weight
            else:
                constant += weight
        for literal in [x for x in price if x > 0 and -x in price]:
            lesser = min(price[literal], price[-literal])
            constant += lesser
            price[literal] -= lesser
            price[-literal] -= lesser
        return [(weight, literal) for literal, weight in price.items() if weight], constant


def search(
    formula: Formula,
    *,
    sat: str = "cadical195",
    known: NDArray[np.bool_] | None = None,
    conflicts: int | None = None,
) -> Events:
    """Search for the optimum of a formula in memory, such as an encoding; known is a model to start from.

    Raises OutOfConflictsError after so many conflicts, which takes Glucose or MiniSat; None: no limit.
    """
    linear = Linear(sat, conflicts)
    linear.take(formula)
    return linear.events(known)


def start(file: str, *, sat: str = "cadical195", witness: bool = False) -> Events:
    """LMS on a WCNF file, whoever wrote it; or from the greedy tree that ours name as witness."""
    linear = Linear(sat)
    linear.read(file)
    return linear.events(witness_of(file) if witness else None)


def witness_of(file: str) -> NDArray[np.bool_] | None:
    """The model that a file of ours is known to have, None if none is.  Raises FormatError."""
    with Reader(file) as reader:
        found = from_comments(reader.comments, reader.name)
    if found.witness is None or not found.has_rows:
        return None
    return found.encoding.model(found.witness)


def _chunk(softs: list[tuple[int, list[int]]]) -> Chunk:
    starts = np.cumsum([0, *(len(clause) for _, clause in softs)], dtype=np.intp)
    literals = [literal for _, clause in softs for literal in clause]
    return Chunk(np.array([w for w, _ in softs], np.int64), np.array(literals, np.int32), starts)


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start))
