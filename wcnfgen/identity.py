"""One short name for all the formulas that differ only in how they are written down.

`of` gives equal texts for files that are equal up to renaming of variables, the order of clauses and of
literals in them, and everything that is no formula at all: format, compression, comments, blanks, clauses
of weight 0.  Copies of a clause count, and so does the sign of a literal: flipping a variable's polarity
makes another formula.  The hard clauses alone of a formula have the identity of the CNF that they are.

The method is colour refinement (Weisfeiler and Leman 1968) of the graph of variables and clauses.  At first
all variables have one colour; a round gives each clause a colour made of its weight and of the colours and
signs in it, and then each variable one made of its own and those of the clauses it is in, with its signs
there.  The identity is the bag of clause colours after ROUNDS rounds.  Colours are 64-bit hashes, bags are
sums of them, so each round is one pass over the file, and memory is a few numbers a variable.

What it cannot tell apart: formulas whose graphs look the same from every variable within ROUNDS steps, such
as two regular ones with as many variables, clauses and signs (x1 != x2 != ... in one ring of six or two of
three).  Formulas of data are not like that: one changed cell changes how often some literal occurs, or in
which company.  Two that differ within ROUNDS steps collide with a chance of about 2^-64.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import FormatError
from wcnfgen.reader import Chunk, Reader

ROUNDS = 3
HELD = 1 << 24  # literals of a file that are kept in memory rather than read again
MOST = 1 << 27  # the largest variable: two colours each take 2 GiB
Colours = NDArray[np.uint64]  # by literal: of x at 2x, of -x at 2x + 1
_FIRST, _SECOND, _CLAUSE = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


def of(path: str | os.PathLike[str]) -> str:
    """The identity of a WCNF or CNF file: 32 hexadecimal digits.

    Raises FormatError where the file is malformed or has a variable beyond MOST.
    """
    held: list[Chunk] = []

    def chunks() -> Iterator[Chunk]:
        if held:
            yield from held
            return
        literals = 0
        with Reader(path) as reader:
            for chunk in reader.chunks():
                if reader.variables > MOST:
                    raise FormatError(
                        f"{reader.name}: variable {reader.variables} is too large for an identity, "
                        f"which takes up to {MOST}: number them without gaps"
                    )
                literals += len(chunk.literals)
                held.append(chunk)
                if literals > HELD:
                    held.clear()
                yield chunk

    return of_chunks(chunks)


def of_chunks(chunks: Callable[[], Iterable[Chunk]]) -> str:
    """The identity of the formula that each call of chunks yields, in the same or in another order.

    >>> from wcnfgen.reader import HARD
    >>> def formula(a, b):
    ...     literals = np.array([a, -b, b], np.int32)
    ...     return [Chunk(np.array([HARD, 2]), literals, np.array([0, 2, 3]))]
    >>> of_chunks(lambda: formula(1, 2)) == of_chunks(lambda: formula(7, 3))
    True
    >>> of_chunks(lambda: formula(1, 2)) == of_chunks(lambda: formula(1, -2))
    False
    """
    colours = np.zeros(0, np.uint64)
    for _ in range(ROUNDS):
        colours, bag = _round(chunks(), colours)
    return hashlib.sha256(repr(bag).encode("ascii")).hexdigest()[:32]


def _round(chunks: Iterable[Chunk], colours: Colours) -> tuple[Colours, list[int]]:
    """The colours of literals after one more round, and the bag of clause colours before it."""
    sums = np.zeros(len(colours), np.uint64)
    clauses = literals = first = second = 0
    for chunk in chunks:
        where = index(chunk.literals)
        needed = int(where.max(initial=-1)) | 1
        if needed >= len(colours):
            colours, sums = _grown(colours, needed + 1), _grown(sums, needed + 1)
        shade = _clause_colours(chunk, colours[where] + _FIRST * (1 + (where & 1)).astype(np.uint64))
        np.add.at(sums, where, np.repeat(shade, np.diff(chunk.starts)))
        clauses, literals = clauses + len(shade), literals + len(where)
        first += int(mixed(shade ^ _FIRST).sum())
        second += int(mixed(shade ^ _SECOND).sum())
    return _refined(colours, sums), [clauses, literals, first % 2**64, second % 2**64]


def index(literals: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where the colour of each literal is."""
    wide = literals.astype(np.int64)
    return 2 * np.abs(wide) + (wide < 0)


def _clause_colours(chunk: Chunk, shades: Colours) -> Colours:
    """What each clause looks like: its weight, and the bag of its literals' shades."""
    sums = np.zeros(len(shades) + 1, np.uint64)
    np.cumsum(mixed(shades), out=sums[1:])
    bags = sums[chunk.starts[1:]] - sums[chunk.starts[:-1]]
    weights = mixed(chunk.weights.astype(np.uint64) ^ _CLAUSE)
    return mixed(bags + weights)


def _refined(colours: Colours, sums: Colours) -> Colours:
    """The next colour of each variable, at both its literals: its own, and where it is with either sign."""
    both = mixed(sums[0::2] ^ _FIRST) + mixed(sums[1::2] ^ _SECOND) + mixed(colours[0::2])
    return np.repeat(mixed(both), 2)


def _grown(colours: Colours, size: int) -> Colours:
    """The same with room for more; colours that come new are the first colour, 0."""
    larger = np.zeros(max(size, 2 * len(colours)), np.uint64)
    larger[: len(colours)] = colours
    return larger


def mixed(numbers: Colours) -> Colours:
    """Each number scrambled, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
