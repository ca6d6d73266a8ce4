"""Variables: arrays of consecutive integers, indexed as the paper indexes them.

``v = pool.new(where)`` numbers the true entries of a mask 1, 2, 3, ... in row order and leaves 0
(never a variable) elsewhere, so that ``v[i]`` or ``l[i, j]`` in code is v_i or l_ij in print and
``np.nonzero(l)`` lists the pairs that exist.  The pool has no gaps by construction, and the tests
hold every encoding to using each variable: the Evaluation's normaliser then has nothing to
renumber.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import UsageError

MOST = 1 << 26  # cells of all arrays of variables of a formula: 16 bytes each while they are laid out

Literals = NDArray[np.int32]


class Pool:
    """Hands out the variables 1, 2, ... of one formula."""

    def __init__(self) -> None:
        self.count = 0
        self._cells = 0

    def room(self, *shape: int) -> None:
        """Announce an array of that shape, before it is laid out.  Raises UsageError if it is too much."""
        self._cells += math.prod(shape)
        if self._cells > MOST:
            raise UsageError(
                "the formula is too large: tables of more than "
                f"{MOST} variables; give smaller bounds, or fewer columns or rows"
            )

    def new(self, where: NDArray[np.bool_]) -> Literals:
        """An array of the mask's shape: fresh variables where it is true, 0 elsewhere.

        >>> Pool().new(np.array([[False, True], [True, True]])).tolist()
        [[0, 1], [2, 3]]
        """
        block = np.zeros(where.shape, np.int32)
        size = int(where.sum())
        block[where] = np.arange(self.count + 1, self.count + size + 1, dtype=np.int32)
        self.count += size
        return block


def true_literals(literals: Literals, assignment: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the literals hold; ``assignment[x]`` is the value of variable x, index 0 unused.

    >>> true_literals(np.array([1, -1, -2], np.int32), np.array([False, True, False])).tolist()
    [True, False, True]
    """
    return assignment[np.abs(literals)] ^ (literals < 0)
