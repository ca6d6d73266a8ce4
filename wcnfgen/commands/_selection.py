"""Trees on rows that they were not learned from: those that select among them, and those that test."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wcnfgen import rows, verdict
from wcnfgen.constraints import topology
from wcnfgen.tree import predict
from wcnfgen.verdict import Accuracy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wcnfgen.data import Table
    from wcnfgen.prepare import Fitted, Prepared
    from wcnfgen.tree import Tree


@dataclass(frozen=True, slots=True)
class Candidate:
    """A smallest tree, the shape of its first levels, and its accuracy; None where there are no rows."""

    tree: Tree
    layout: str
    selection: Accuracy | None
    test: Accuracy | None


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Rows in the columns of the problem: X (rows, K), truth (rows,), -1 for a class that is not known."""

    X: NDArray[np.uint8]
    truth: NDArray[np.int32]
    unseen: dict[str, int]

    def accuracy(self, tree: Tree) -> Accuracy:
        """How many of the rows the tree gets right."""
        right = int((predict(tree, self.X) == self.truth).sum())
        return Accuracy(len(self.truth), right, self.unseen)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The rows that select and those that test, None where there are none; how many levels are a layout."""

    select: Labelled | None
    test: Labelled | None
    levels: int

    def candidate(self, tree: Tree) -> Candidate:
        """The tree with what it does on these rows."""
        return Candidate(
            tree,
            "".join(topology.levels(topology.shape(tree))[: self.levels]),
            self.select.accuracy(tree) if self.select else None,
            self.test.accuracy(tree) if self.test else None,
        )


def divide(
    prepared: Prepared, split: float, holdout: float, test: str | None, levels: int
) -> tuple[Prepared, Selection]:
    """Part the rows that are not learned from; those that select are the held-out ones of the result."""
    held, testing = prepared.held_out, None
    if held is not None and holdout:
        share = (1 - split) * (1 - holdout) / (1 - split * (1 - holdout))
        chosen = rows.sample(held.target.codes, share, prepared.options["seed"])
        held, testing = held.take(chosen), held.take(~chosen)
    if test is not None:
        testing = verdict.table_for(prepared.fitted, test)
    if held is None:
        logging.getLogger("wcnfgen").info(
            "%s: no rows are left to select by: no tree is better than another", prepared.name
        )
    select, tested = (_labelled(prepared.fitted, table) for table in (held, testing))
    return replace(prepared, held_out=held), Selection(select, tested, levels)


def _labelled(fitted: Fitted, table: Table | None) -> Labelled | None:
    if table is None or not table.rows:
        return None
    X, unseen = fitted.binarisation.apply(table)
    return Labelled(X[:, list(fitted.kept)], verdict.truth(fitted, table), unseen)


def best_of(candidates: Sequence[Candidate], delta: float) -> tuple[int, ...]:
    """The indices of those at most delta per cent below the highest selection accuracy; all without rows."""
    selected = [each.selection for each in candidates if each.selection]
    if not selected:
        return tuple(range(len(candidates)))
    highest, count = max(each.right for each in selected), selected[0].rows
    return tuple(i for i, each in enumerate(selected) if 100 * (highest - each.right) <= delta * count)
