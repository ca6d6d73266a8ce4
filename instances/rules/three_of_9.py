"""Three neighbours out of nine bits."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, inputs, numbered

NAMES: dict[str, dict[str, int]] = {"threeOf9": {}}


def generate() -> Dataset:
    """ThreeOf9: whether three neighbours among nine bits are all 1 (PMLB's threeOf9).

    class = x_i x_{i+1} x_{i+2} for some i = 1..7, all 512 inputs.  Not "any three of nine", whatever
    the name says: the real file follows this rule in every row.
    """

    def neighbours(x: Bits) -> bool:
        return any(all(x[i : i + 3]) for i in range(7))

    return boolean(numbered("x", 9), inputs(9, 0, 0), neighbours)
