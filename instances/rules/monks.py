"""The MONK's problems."""

from __future__ import annotations

from itertools import product

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, check, numbered

NAMES: dict[str, dict[str, int]] = {"monks-{problem}": {}}


def generate(*, problem: int = 1) -> Dataset:
    """MONK's problems: robots described by six attributes (Thrun et al. 1991).

    a1..a6 have 3, 3, 2, 3, 4, 2 values from 1, in the coding of UCI (PMLB's files permute it):
    1: a1 = a2 or a5 = 1
    2: exactly two of a1..a6 are 1
    3: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3)
    All 432 inputs, which is UCI's test file.  No rule gives the training files: they are random
    subsets, of monks-3 with 6 of 122 labels flipped.

    problem: 1, 2 or 3
    """
    check("problem", problem, 1, 3)
    robots = product((1, 2, 3), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2))
    return boolean(numbered("a", 6), iter(robots), (_first, _second, _third)[problem - 1])


def _first(a: Bits) -> bool:
    return a[0] == a[1] or a[4] == 1


def _second(a: Bits) -> bool:
    return a.count(1) == 2


def _third(a: Bits) -> bool:
    return (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3)
