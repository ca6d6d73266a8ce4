"""What several rules need: checks, 0/1 inputs, and the shipped tables."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from itertools import product
from typing import TYPE_CHECKING

from wcnfgen.errors import UsageError
from wcnfgen.instances.rules import Dataset

if TYPE_CHECKING:
    import numpy as np

Bits = Sequence[int]

COMPLETE = 20  # a rule lists all inputs up to this number of bits: a million rows


def check(name: str, value: float, low: float, high: float) -> None:
    """UsageError unless low <= value <= high."""
    if not low <= value <= high:
        raise UsageError(f"{name} must be from {low} to {high}, not {value}")


def inputs(bits: int, rows: int, seed: int) -> Iterator[Bits]:
    """All inputs of so many bits in counting order, or, if rows > 0, so many drawn uniformly.

    Drawn ones are distinct and in counting order up to 20 bits, independent beyond.
    """
    if rows == 0 and bits > COMPLETE:
        raise UsageError(f"{bits} bits have 2^{bits} inputs: draw some, for example rows=1000")
    check("rows", rows, 0, 2 ** min(bits, COMPLETE))
    check("seed", seed, 0, 2**63 - 1)
    if rows == 0:
        return product((0, 1), repeat=bits)
    return _drawn(bits, rows, seed)


def stream(seed: int, part: int = 0) -> np.random.RandomState:
    """Random numbers that are the same in every version of NumPy; parts of one seed are independent."""
    import numpy as np

    return np.random.RandomState([seed % 2**32, seed // 2**32 % 2**32, part])


def _drawn(bits: int, rows: int, seed: int) -> Iterator[Bits]:
    import numpy as np

    rng = stream(seed)
    if bits > COMPLETE:
        return (rng.randint(0, 2, bits).tolist() for _ in range(rows))
    chosen = np.sort(rng.choice(2**bits, rows, replace=False))
    return ([int(bit) for bit in format(number, f"0{bits}b")] for number in chosen.tolist())


def boolean(columns: Sequence[str], vectors: Iterator[Bits], rule: Callable[[Bits], bool]) -> Dataset:
    """The data set of a Boolean function: class 1 where the rule holds, else 0."""
    return Dataset([*columns, "class"], ([*map(str, x), str(int(rule(x)))] for x in vectors))


def numbered(letter: str, count: int) -> list[str]:
    """Column names, from 1.

    >>> numbered("x", 2)
    ['x1', 'x2']
    """
    return [f"{letter}{i}" for i in range(1, count + 1)]


def shipped(name: str) -> Dataset:
    """The table ``instances/data/NAME.csv``."""
    text = resources.files("wcnfgen.instances").joinpath("data", f"{name}.csv").read_text("utf-8")
    rows = csv.reader(text.splitlines())
    return Dataset(next(rows), rows)
