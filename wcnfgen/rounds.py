"""A round of AdaBoost as an instance: the rows in the weights that follow from the trees before.

Weights are written for the rows of the data file, one number a line, so that ``wcnfgen encode --weights``
writes each round's instance again on its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import encodings, voting, weights
from wcnfgen.files import atomic
from wcnfgen.instance import Instance
from wcnfgen.making import build, with_command
from wcnfgen.prepare import Prepared, prepare, table_of
from wcnfgen.rows import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """What the rounds of one run have in common; rows None: no weights are written."""

    prepared: Prepared
    data: Any
    of_data: dict[str, Any]
    of_encoding: dict[str, Any]
    rows: Rows | None

    def instance(self, number: int, problem: Problem, file: Path) -> Instance:
        """The formula of a round, from 1, as `encode --weights FILE` writes it, and that file of weights."""
        each = None if self.rows is None else self.rows.weights(number, problem)
        given = self.prepared.weights if number == 1 else None
        if number > 1 and each is not None:
            given = (file.name, weights.sha256(each))
        if self.prepared.options.get("unit_weights"):
            problem = problem.weighted(problem.w // np.gcd.reduce(problem.w))
        prepared = replace(self.prepared, problem=problem, weights=given, held_out=None)
        instance = build(prepared, "boost", self.of_encoding)
        if each is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            with atomic(file) as out:
                out.write("".join(f"{weight}\n" for weight in each.tolist()).encode("ascii"))
        shares = ((self.of_data, prepare), (self.of_encoding, encodings.get("boost").plan))
        return with_command(instance, self.data, {"encoding": "boost"}, *shares)


class Rows:
    """Which row of the problem each row of the data is."""

    def __init__(self, prepared: Prepared, data: Any, first: Any) -> None:
        options = (prepared.options[name] for name in ("target", "drop", "delimiter", "na"))
        table = table_of(data, *options)
        self._first = None if first is None else weights.read(first, table.rows)
        self._groups = voting.groups(prepared.fitted, prepared.problem, table)

    def weights(self, number: int, problem: Problem) -> NDArray[np.int64]:
        """A whole number for each row of the data in that round; 1 for rows that are not learned from."""
        if number == 1:
            return np.ones(len(self._groups), np.int64) if self._first is None else self._first
        each = problem.w // problem.counts
        return np.where(self._groups < 0, 1, each[self._groups])
