"""The seven-segment display."""

from __future__ import annotations

import numpy as np

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import check, numbered, stream

NAMES = {"led7": {"irrelevant": 0}, "led24": {"irrelevant": 17}}

# top, upper left, upper right, middle, lower left, lower right, bottom
_DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"


def generate(*, irrelevant: int = 0, noise: float = 0.1, rows: int = 3200, seed: int = 0) -> Dataset:
    """LED display: which digit a faulty seven-segment display shows (Breiman et al. 1984).

    class = a digit drawn uniformly; each of its segments is flipped with probability noise.

    irrelevant: number of random bits after the seven segments, 0 to 1000
    noise: probability that a segment is wrong, 0 to 1
    rows: number of rows, 1 to 1048576
    seed: of digits, faults and irrelevant bits
    """
    check("irrelevant", irrelevant, 0, 1000)
    check("noise", noise, 0, 1)
    check("rows", rows, 1, 2**20)
    check("seed", seed, 0, 2**63 - 1)
    rng = stream(seed)
    segments = np.array([[int(bit) for bit in digit] for digit in _DIGITS.split()])

    def row() -> list[str]:
        digit = int(rng.randint(10))
        shown = segments[digit] ^ (rng.random_sample(7) < noise)
        return [*map(str, shown.tolist()), *map(str, rng.randint(0, 2, irrelevant).tolist()), str(digit)]

    columns = [*numbered("s", 7), *numbered("r", irrelevant), "class"]
    return Dataset(columns, (row() for _ in range(rows)))
