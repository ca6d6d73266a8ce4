"""At least m of n bits."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, check, inputs, numbered

NAMES: dict[str, dict[str, int]] = {"mofn-{m}-{relevant}-{features}": {}}


def generate(*, m: int = 3, relevant: int = 7, features: int = 10, rows: int = 0, seed: int = 0) -> Dataset:
    """M-of-n: whether at least m of the relevant bits are 1 (Murphy and Pazzani 1991).

    class = x_i + ... + x_j >= m over the relevant bits, which lie in the middle: x3 to x9 in PMLB's
    mofn-3-7-10, with the odd irrelevant bit before them.

    m: number of ones asked for, 1 to relevant
    relevant: number n of relevant bits, 1 to features
    features: number of all bits, 1 to 1000
    rows: 0 lists all inputs (up to 20 bits); otherwise so many are drawn
    seed: of the drawing
    """
    check("features", features, 1, 1000)
    check("relevant", relevant, 1, features)
    check("m", m, 1, relevant)
    first = (features - relevant + 1) // 2

    def enough(x: Bits) -> bool:
        return sum(x[first : first + relevant]) >= m

    return boolean(numbered("x", features), inputs(features, rows, seed), enough)
