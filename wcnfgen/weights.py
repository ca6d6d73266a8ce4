"""Weights of rows from a file: one number a line, one line for each row of the data file.

Whole numbers are taken as they are; others are scaled and rounded by `wcnfgen.boosting.discretise`.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen.boosting import discretise
from wcnfgen.data import Number, number
from wcnfgen.errors import DataError, UsageError
from wcnfgen.files import open_read


def read(source: Any, rows: int) -> NDArray[np.int64]:
    """The weights of so many rows, from a file or from a sequence of numbers; shape (rows,).

    Raises DataError for a file that does not hold so many numbers, UsageError for weights that cannot be.
    """
    is_file = isinstance(source, (str, os.PathLike))
    given = _numbers(os.fspath(source)) if is_file else source
    name = os.fspath(source) if is_file else "weights"
    if len(given) != rows:
        raise DataError(f"{name}: {len(given)} weights for {rows} data rows: give one for each, in order")
    try:
        return discretise(given)
    except UsageError as error:
        raise UsageError(f"{name}: {error}") from error


def sha256(weights: NDArray[np.int64]) -> str:
    """The SHA-256 of the weights as little-endian 64-bit integers."""
    return hashlib.sha256(weights.astype("<i8").tobytes()).hexdigest()


def _numbers(name: str) -> list[Number]:
    """The numbers of a file.  Raises DataError with the line that holds none."""
    with open_read(name) as stream:
        lines = stream.read().decode("utf-8-sig", "replace").splitlines()
    numbers = []
    for place, line in enumerate(lines, 1):
        found = number(line.strip())
        if found is None:
            raise DataError(f"{name}:{place}: {line[:40]!r} is no number; write one weight a line, no more")
        numbers.append(found)
    return numbers
