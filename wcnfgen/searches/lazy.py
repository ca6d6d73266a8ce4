"""Lazy rows: a row gets its clauses when a tree gets it wrong.

Avellaneda (AAAI 2020) calls it incremental: start with one row of each class, ask for a tree, add rows that
it misclassifies, ask again.  A model that all rows agree with is a model of the whole formula, and if the
few rows allow none, neither do all.  So each step of a search stays what it is, LMS and MDSOL prove the
same optimum, and the solver holds few of the row clauses, which are most of the formula.

Only where all rows are hard is a row left out no change to the objective: pure trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen.clauses import Bits, Block, layout
from wcnfgen.constraints import core, paper, reaching
from wcnfgen.encodings import Encoding
from wcnfgen.encodings._core import CoreEncoding
from wcnfgen.map import from_comments
from wcnfgen.reader import Reader
from wcnfgen.rows import Problem
from wcnfgen.searches import Events, Improvement, lms
from wcnfgen.searches import diverse as mdsol
from wcnfgen.searches.lms import Linear
from wcnfgen.tree import Tree, predict
from wcnfgen.variables import Literals

ROWS_A_STEP = 10  # one takes many calls; all those that are wrong, many rows; 5 to 20 are about as fast


class LazyRows:
    """The formula of a few rows, and the clauses of others when a model shows that they are needed.

    taken says which rows have their clauses, shape (rows,).  Variables are those of the whole formula.
    """

    def __init__(self, encoding: CoreEncoding, step: int = ROWS_A_STEP) -> None:
        self.encoding, self.step = encoding, step
        self.variables = encoding.variables
        self.taken = np.zeros(encoding.problem.rows, bool)

    def hard(self) -> Iterator[Block]:
        """All that is said of no row, and one row of each class."""
        problem, options = self.encoding.problem, self.encoding.options
        _, first = np.unique(problem.y, return_index=True)
        few = Problem(problem.X[first], problem.y[first], problem.w[first], problem.classes)
        of_rows = ("reach", "root_bounds")  # they depend on rows
        plain = {name: value for name, value in options.items() if name not in of_rows}
        yield from type(self.encoding)(few, **plain).hard()
        if self.encoding.x:
            yield from self._clauses(first)
        if self.encoding.with_root_bounds:
            yield from core.root_tests_need_nodes(self.encoding.t, bounds.root_bounds(problem))
        self.taken[first] = True

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """The objective, which knows no rows."""
        yield from self.encoding.soft()

    def missing(self, model: NDArray[np.bool_]) -> list[list[int]]:
        """The clauses of some of the rows that the tree of a model gets wrong; none if it is pure."""
        problem = self.encoding.problem
        wrong = np.flatnonzero(predict(self.encoding.tree(model), problem.X) != problem.y)
        if not len(wrong):
            return []
        rows = wrong[np.linspace(0, len(wrong) - 1, min(self.step, len(wrong))).astype(np.intp)]
        self.taken[rows] = True
        return list(chain.from_iterable(layout(block).tolist() for block in self._clauses(rows)))

    def _clauses(self, rows: NDArray[np.intp]) -> Iterator[Block]:
        """What the formula says of these rows."""
        t, bits, y = self.encoding.t, Bits(self.encoding.problem.X[rows]), self.encoding.problem.y[rows]
        if self.encoding.x:
            reach = copy(self.encoding.x)
            reach.x = reach.x[rows]
            yield from reaching.rows_reach_and_are_classified(t, reach, bits, y)
        elif self.encoding.form == "core":
            yield from core.rows_are_classified(t, bits, y)
        else:
            yield from paper.rows_are_classified(t, bits, y)


def suits(encoding: Encoding) -> TypeGuard[CoreEncoding]:
    """Whether rows can be added later: a pure tree of nodes with hard rows.

    >>> from wcnfgen.rows import merge
    >>> from wcnfgen.encodings.size import Size
    >>> suits(Size(merge(np.eye(2, dtype=np.uint8), np.arange(2, dtype=np.int32), 2), ub=3))
    True
    """
    return isinstance(encoding, CoreEncoding) and encoding.pure


def search(
    encoding: CoreEncoding,
    *,
    sat: str = "cadical195",
    trees: int = 1,
    diverse: bool = True,
    layout_depth: int = 0,
    known: Tree | None = None,
    step: int = ROWS_A_STEP,
) -> Events:
    """MDSOL, or LMS for one tree, on the formula of an encoding that `suits`; models are of all of it."""
    rows = LazyRows(encoding, step)
    linear = Linear(sat)
    linear.take(rows)
    linear.sat.refine = rows.missing
    model = encoding.model(known) if known else None
    events = mdsol.search(
        linear, encoding, trees=trees, diverse=diverse, layout_depth=layout_depth, known=model
    )
    for event in events:
        if isinstance(event, Improvement):
            yield replace(event, model=encoding.model(encoding.tree(event.model)))
        else:
            yield event


def start(
    file: str,
    *,
    sat: str = "cadical195",
    trees: int = 1,
    diverse: bool = True,
    layout_depth: int = 0,
    witness: bool = False,
) -> Events:
    """LMS or MDSOL with lazy rows; with all clauses where the file is no formula of pure trees.

    The formula is made from the map that `wcnfgen encode` wrote into the file, with its rows.
    """
    mdsol.check(trees, layout_depth)
    with Reader(file) as reader:
        ours = any(line.startswith("map ") for line in reader.comments)
        found = from_comments(reader.comments, reader.name) if ours else None
    if found is not None and found.has_rows and suits(found.encoding):
        known = found.witness if witness else None
        return search(
            found.encoding, sat=sat, trees=trees, diverse=diverse, layout_depth=layout_depth, known=known
        )
    if trees == 1 and not layout_depth:
        return lms.start(file, sat=sat, witness=witness)
    return mdsol.start(
        file, sat=sat, trees=trees, diverse=diverse, layout_depth=layout_depth, witness=witness
    )


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start))
