"""An ensemble on the rows of a table: which it gets right, and which row of the problem each became."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wcnfgen.verdict import Accuracy, truth

if TYPE_CHECKING:
    from wcnfgen.boosting import Ensemble
    from wcnfgen.data import Table
    from wcnfgen.prepare import Fitted
    from wcnfgen.rows import Problem


def accuracy(fitted: Fitted, ensemble: Ensemble, table: Table) -> Accuracy:
    """How the vote does on a labelled table."""
    X, unseen = fitted.binarisation.apply(table)
    right = ensemble.predict(X[:, list(fitted.kept)]) == truth(fitted, table)
    return Accuracy(table.rows, int(right.sum()), unseen)


def training(ensemble: Ensemble, problem: Problem) -> Accuracy:
    """How the vote does on the rows that were learned from; each counts once, whatever its weight."""
    right = problem.counts[ensemble.predict(problem.X) == problem.y].sum()
    return Accuracy(problem.total, int(right), {})


def groups(fitted: Fitted, problem: Problem, table: Table) -> NDArray[np.intp]:
    """For each row of a table, the row of the problem that is equal to it, -1 if none is; shape (rows,)."""
    X, _ = fitted.binarisation.apply(table)
    index = {key: row for row, key in enumerate(_keys(problem.X, problem.y))}
    found = [index.get(key, -1) for key in _keys(X[:, list(fitted.kept)], truth(fitted, table))]
    return np.array(found, np.intp)


def _keys(X: NDArray[np.uint8], y: NDArray[np.int32]) -> list[tuple[bytes, int]]:
    """Each row, as something that can be looked up."""
    return [(bits.tobytes(), label) for bits, label in zip(np.packbits(X, axis=1), y.tolist(), strict=True)]
