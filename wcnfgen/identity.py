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
three).  Data without symmetry is not like that: one changed cell changes how often some literal occurs, or
in which company.  Two that differ within ROUNDS steps collide with a chance of about 2^-64.

Data with symmetry can be: tables whose columns are rotations of each other, say.  So `finer` says whether
two of one identity are one formula, as `same` does.  It refines until no colour splits, and then again for
each variable of the smallest classes of one colour, with that variable given a colour of its own; the bags
of all these say more than one can (individualisation and refinement, McKay 1981, to depth one).  Strongly
regular structures stay alike even so, and large formulas get fewer variables tried (TRIED, WORK).
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
DEEPEST = 64  # rounds of `finer`, each time that it refines
TRIED = 64  # variables that `finer` gives a colour of their own
WORK = 1 << 24  # literals that it reads for them in a round: of a large formula it tries fewer
HELD = 1 << 24  # literals of a file that are kept in memory rather than read again
MOST = 1 << 25  # the largest variable: two colours each take half a GiB, however few clauses there are
Colours = NDArray[np.uint64]  # by literal: of x at 2x, of -x at 2x + 1
Formula = Callable[[], Iterable[Chunk]]  # each call yields it, in the same or in another order
_FIRST, _SECOND, _CLAUSE = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
_ALONE = np.uint64(0x27D4EB2F165667C5)


def of(path: str | os.PathLike[str]) -> str:
    """The identity of a WCNF or CNF file: 32 hexadecimal digits.

    Raises FormatError where the file is malformed or has a variable beyond MOST.
    """
    return of_chunks(_formula(path))


def finer(path: str | os.PathLike[str]) -> str:
    """A text that is equal for formulas that are equal, as the identity is, and differs for more of those
    that are not: 32 hexadecimal digits, for some hundred times the work.

    Raises FormatError as `of` does.
    """
    return finer_of_chunks(_formula(path))


def same(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Whether two files are one formula, by identity and by `finer`.  Raises FormatError as `of` does."""
    return of(a) == of(b) and finer(a) == finer(b)


def _formula(path: str | os.PathLike[str]) -> Formula:
    """The formula in a file, kept in memory if it is small."""
    held: list[Chunk] = []
    whole = False

    def chunks() -> Iterator[Chunk]:
        nonlocal whole
        if whole:
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
                if literals <= HELD:
                    held.append(chunk)
                else:
                    held.clear()
                yield chunk
        whole = literals <= HELD

    return chunks


def of_chunks(chunks: Formula) -> str:
    """The identity of the formula that each call of chunks yields.

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
    return _digits(bag)


def finer_of_chunks(chunks: Formula) -> str:
    """What `finer` says of the formula that each call of chunks yields.

    >>> from wcnfgen.reader import HARD
    >>> def rings(*sizes):
    ...     starts = np.cumsum([0, *sizes[:-1]])
    ...     pairs = [(a + k, a + k % n + 1) for a, n in zip(starts, sizes) for k in range(1, n + 1)]
    ...     literals, ends = np.array(pairs, np.int32).ravel(), np.arange(0, 2 * len(pairs) + 1, 2)
    ...     return lambda: [Chunk(np.full(len(pairs), HARD), literals, ends)]
    >>> of_chunks(rings(6)) == of_chunks(rings(3, 3))
    True
    >>> finer_of_chunks(rings(6)) == finer_of_chunks(rings(3, 3))
    False
    """
    colours, bag = _stable(chunks, np.zeros(0, np.uint64))
    most = min(TRIED, WORK // max(1, bag[1]))
    bags = [sorted(_alone(chunks, colours, x) for x in which) for which in _classes(colours[::2], most)]
    return _digits([bag, bags])


def _digits(bags: object) -> str:
    return hashlib.sha256(repr(bags).encode("ascii")).hexdigest()[:32]


def _stable(chunks: Formula, colours: Colours) -> tuple[Colours, list[int]]:
    """The colours and the bag when no colour splits any more, or after DEEPEST rounds."""
    before = number = 0
    bag: list[int] = []
    for _ in range(DEEPEST):
        colours, bag = _round(chunks(), colours)
        before, number = number, len(np.unique(colours[::2]))
        if number == before:
            break
    return colours, bag


def _classes(colours: Colours, most: int) -> Iterator[NDArray[np.intp]]:
    """The variables of each colour that several have, few first, and up to so many variables in all."""
    shades, sizes = np.unique(colours, return_counts=True)
    several = (sizes > 1) & (shades != colours[:1].repeat(len(shades)))  # what does not occur looks like 0
    for k in np.lexsort((shades, sizes)):
        if several[k]:
            most -= int(sizes[k])
            if most < 0:
                return
            yield np.flatnonzero(colours == shades[k])


def _alone(chunks: Formula, colours: Colours, variable: np.intp) -> list[int]:
    """The bag of the formula where this variable has a colour that no other has."""
    own = colours.copy()
    own[2 * variable : 2 * variable + 2] ^= _ALONE
    return _stable(chunks, own)[1]


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
