"""Three terms of three bits."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, inputs, numbered


def generate() -> Dataset:
    """XD6: whether one of three blocks of three bits is all 1 (Buntine and Niblett 1992).

    class = x1 x2 x3 ∨ x4 x5 x6 ∨ x7 x8 x9, all 512 inputs, no noise (as PMLB's file).
    """

    def some_block(x: Bits) -> bool:
        return all(x[:3]) or all(x[3:6]) or all(x[6:])

    return boolean(numbered("x", 9), inputs(9, 0, 0), some_block)
