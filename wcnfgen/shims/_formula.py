"""A formula as libraries want it, hard clauses and a price for literals; and the truth about their models.

A soft clause of several literals becomes hard with one more literal, a new variable, which has the clause's
weight as its price.  One of a single literal needs none: the price is that of the opposite literal.  Equal
ones add up; of opposite ones the lesser weight is always paid, as is that of an empty clause.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wcnfgen import searches
from wcnfgen.errors import SolverError
from wcnfgen.reader import HARD, Chunk, Reader, exact_sum
from wcnfgen.searches import Improvement, Proved
from wcnfgen.searches._program import Remark


class Formula:
    """The file, and its relaxation.

    variables  of the file, 1 to so many; those of the relaxation follow
    relaxed    all variables
    prices     (what a literal costs if it is true, the literal), one for each variable at most
    constant   what is paid in any case
    total      the sum of all weights
    seconds    since reading began
    """

    def __init__(self, file: str | os.PathLike[str]) -> None:
        """Read the file.  Raises FormatError."""
        self.seconds = searches.clock()
        with Reader(file) as reader:
            self._chunks = list(reader.chunks())
            self.variables = self.relaxed = reader.variables
        price: Counter[int] = Counter()
        self.constant = 0
        for weight, width, literal in _softs(self._chunks):
            if width > 1:
                self.relaxed += 1
                price[self.relaxed] = weight
            elif width:
                price[-literal] += weight
            else:
                self.constant += weight
        self.total = self.constant + sum(price.values())
        for literal in [x for x in price if x > 0 and -x in price]:
            lesser = min(price[literal], price[-literal])
            self.constant += lesser
            price[literal] -= lesser
            price[-literal] -= lesser
        self.prices = [(weight, literal) for literal, weight in price.items() if weight]

    def clauses(self) -> Iterator[list[int]]:
        """The clauses that have to hold; as lists, which take much memory, of one chunk at a time."""
        relaxing = self.variables
        for chunk in self._chunks:
            literals = chunk.literals.tolist()
            spans = pairwise(chunk.starts.tolist())
            for weight, (start, end) in zip(chunk.weights.tolist(), spans, strict=True):
                if weight == HARD:
                    yield literals[start:end]
                elif end - start > 1:
                    relaxing += 1
                    yield [*literals[start:end], relaxing]

    def cost(self, model: NDArray[np.bool_]) -> int | None:
        """What a model, indexed by variable, falsifies in weight; None if there is a hard clause among it."""
        cost = 0
        for chunk in self._chunks:
            falsified = chunk.weights[~chunk.satisfied(model)]
            if (falsified == HARD).any():
                return None
            cost += exact_sum(falsified)
        return cost


def _softs(chunks: list[Chunk]) -> Iterator[tuple[int, int, int]]:
    """Weight, width and first literal, if there is one, of each soft clause."""
    for chunk in chunks:
        soft = chunk.weights != HARD
        starts = chunk.starts[:-1][soft]
        widths = np.diff(chunk.starts)[soft]
        firsts = np.append(chunk.literals, np.int32(0))[starts]
        yield from zip(chunk.weights[soft].tolist(), widths.tolist(), firsts.tolist(), strict=True)


class Best:
    """The best model so far, by our own count; and what may be claimed of it."""

    def __init__(self, formula: Formula) -> None:
        self._formula = formula
        self._seconds = formula.seconds
        self.cost: int | None = None

    def take(self, values: ArrayLike) -> Iterator[Improvement]:
        """One improvement if this is a model and better, else none.

        values are those of the variables from 1 on; missing ones are false, those of the relaxation ignored.
        """
        model = np.zeros(self._formula.variables + 1, bool)
        given = np.asarray(values, bool)[: self._formula.variables]
        model[1 : len(given) + 1] = given
        cost = self._formula.cost(model)
        if cost is not None and (self.cost is None or cost < self.cost):
            self.cost = cost
            yield Improvement(self._seconds(), cost, model)

    def optimal(self, claimed: int) -> Proved | Remark:
        """The solver says that it has the optimum, of that price."""
        if self.cost == claimed + self._formula.constant:
            return Proved(self._seconds(), "OPTIMUM FOUND")
        return Remark(
            f"an optimum of {claimed + self._formula.constant} is claimed, the model costs {self.cost}"
        )

    def unsatisfiable(self) -> Proved | Remark:
        """The solver says that there is no model."""
        if self.cost is None:
            return Proved(self._seconds(), "UNSATISFIABLE")
        return Remark("UNSATISFIABLE is claimed, but there is a model")


def require(module: str, package: str) -> Any:
    """Import a module of a package that need not be there.  Raises SolverError."""
    try:
        return import_module(module)
    except ImportError as error:
        raise SolverError(f"{error}; pip install {package}") from error
