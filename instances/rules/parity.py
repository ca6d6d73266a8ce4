"""Parity: the function that no greedy split can see."""

from __future__ import annotations

from wcnfgen.errors import UsageError
from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, check, inputs, numbered

NAMES = {
    # the draw of the file in PMLB, which every study of it uses
    "parity5+5": {"relevant": 5, "irrelevant": 5, "bits": (2, 3, 4, 6, 8)},
    "parity{relevant}": {"irrelevant": 0},
    "parity{relevant}+{irrelevant}": {},
}


def generate(
    *, relevant: int = 5, irrelevant: int = 0, bits: tuple[int, ...] = (), rows: int = 0, seed: int = 0
) -> Dataset:
    """Parity: whether an odd number of the relevant bits is 1 (PMLB's parity5 and parity5+5).

    class = xor of the relevant bits.  The smallest tree for n bits is complete: 2^(n+1) - 1 nodes.

    relevant: number n of relevant bits, 1 to 500
    irrelevant: number of further bits, 0 to 500
    bits: which bits are the relevant ones, from 1, like 2,3,4; the first n if not given
    rows: 0 lists all inputs (up to 20 bits); otherwise so many are drawn
    seed: of the drawing
    """
    check("relevant", relevant, 1, 500)
    check("irrelevant", irrelevant, 0, 500)
    total = relevant + irrelevant
    chosen = bits or tuple(range(1, relevant + 1))
    if len(chosen) != relevant or len(set(chosen)) != relevant:
        raise UsageError(f"bits must name relevant={relevant} different bits, not {','.join(map(str, bits))}")
    for bit in chosen:
        check("bits", bit, 1, total)

    def odd(x: Bits) -> bool:
        return sum(x[bit - 1] for bit in chosen) % 2 == 1

    return boolean(numbered("x", total), inputs(total, rows, seed), odd)
