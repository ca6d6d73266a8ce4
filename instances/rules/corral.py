"""Four relevant bits, one irrelevant, one that only looks relevant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from wcnfgen.instances.rules import Dataset

# A0 A1 B0 B1 Irrelevant where Correlated is wrong twice in the real file; no rule is known for that draw
_TWICE = ("00100", "00110", "01000", "01010", "01110", "10000", "11000", "11111")


def generate() -> Dataset:
    """CorrAL: a feature that agrees with the class 3 times in 4 hides the rule (John et al. 1994).

    class = A0 A1 ∨ B0 B1.  Each vector of the first five columns comes five times; Correlated is the
    class in 120 of the 160 rows, wrong once in most vectors and twice in eight.  The same multiset of
    rows as PMLB's file.
    """
    return Dataset(["A0", "A1", "B0", "B1", "Irrelevant", "Correlated", "class"], _rows())


def _rows() -> Iterator[list[str]]:
    for vector in product("01", repeat=5):
        label = str(int(vector[:2] == ("1", "1") or vector[2:4] == ("1", "1")))
        wrong = 2 if "".join(vector) in _TWICE else 1
        for copy in range(5):
            correlated = label if copy >= wrong else str(1 - int(label))
            yield [*vector, correlated, label]
