"""Which rows reach which node: redundant variables that let a proof speak of a row instead of its path.

In the core formula alone, unit propagation does not see that a row that reaches a test reaches one of its
children while it is open which feature is tested: (10) and (11) say where rows cannot go, never that they go
somewhere.  With a variable for each row and node that is one clause for each row and possible child, and
the clause that a leaf classifies a row has three literals.  The trees remain the same; there are about
three times as many literals, and proofs take half the time or less (tests/bench/README.md).

Encodings of complete trees have such variables and no others (Avellaneda, AAAI 2020; `complete`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clauses
from wcnfgen.constraints.core import CoreTree
from wcnfgen.constraints.nodes import parents
from wcnfgen.variables import Literals, Pool


class Reach:
    """x[q, j] of shape (rows, N+1): row q is not excluded on the path to node j >= 2.  All reach the root."""

    def __init__(self, rows: int, N: int, pool: Pool) -> None:
        pool.room(rows, N)
        self.x = pool.new(np.broadcast_to(np.arange(N + 1) >= 2, (rows, N + 1)))

    def assign(self, d: Literals, X: NDArray[np.uint8], assignment: NDArray[np.bool_]) -> None:
        """From the values of d; an unused node excludes no row."""
        for j in range(2, self.x.shape[1]):
            assignment[self.x[:, j]] = ~assignment[_excluding(d, X, j)].any(axis=1)


def rows_reach_and_are_classified(
    t: CoreTree, reach: Reach, bits: Bits, y: NDArray[np.int32]
) -> Iterator[Block]:
    """(17), (18), (24) in three steps     q a row, j >= 2.

    x_qj ↔ ¬⋁_r d^σ(r,q)_rj;  v_j ∧ x_qj → [class of q at j];  l_ij ∧ x_qi → x_qj ∨ x_q,j+1 (j even).
    """
    for j in range(2, t.N + 1):
        x = reach.x[:, j]
        yield Choice(x[:, None], t.d[:, :, j], bits)
        yield clauses(-x[:, None], -_excluding(t.d, bits.X, j))
        yield clauses(-t.v[j], -x, t.c[y, j])
    for j in range(2, t.N + 1, 2):
        for i in parents(j):
            arriving = () if i == 1 else (-t.l[i, j], -reach.x[:, i])
            yield clauses(*arriving, reach.x[:, j], reach.x[:, j + 1])


def _excluding(d: Literals, X: NDArray[np.uint8], j: int) -> Literals:
    """d^σ(r,q)_rj, shape (rows, K)."""
    return np.where(X != 0, d[1, :, j], d[0, :, j])
