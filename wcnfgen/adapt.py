"""An instance in the form that one solver can take.

Solvers differ in what they read: the Evaluation's format before 2022 or the one since, compressed files
or plain ones; and some crash, never end or are wrong on formulas that are perfectly valid.  What a
descriptor says of that (`Solver.formats`, ``compressed``, ``fails_on``) is acted on here.  Whatever is
done, the optimum, the cost of every model and the meaning of the instance's variables stay the same: a
model of the new file, cut to the variables 1..n, costs in the old file what the solver says it costs.

Only fresh variables, beyond n, make that possible:

* A soft clause c of weight w that the solver cannot have (it is empty, has more than one literal, or is
  a unit clause on the variable of an earlier one) becomes the soft clause (-b) of weight w, with a fresh
  b for "c is false", as hard clauses say in both directions: (c or b), and (-b or -l) for each l in c.  An
  implication would do for the optimum, but then the solver's cost could be above that of its model.
* Without soft clauses: fresh y and z, hard (y or z) and (y or -z), soft (y) of weight 1, which no model
  falsifies; it is not a unit clause that says so, for solvers would drop the soft one at once.
* Without hard clauses: a fresh y, hard (y).

The file is never held: it is read in chunks, once to count and once to be printed.  If nothing has to be
changed it is read only as far as is needed to know that.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import UsageError
from wcnfgen.files import atomic, open_read, packing
from wcnfgen.map import encoding_of
from wcnfgen.reader import HARD, LIMIT, MOST, Chunk, Reader, exact_sum

if TYPE_CHECKING:
    from wcnfgen.solvers import Format, Solver, Trap

TOKENS = 1 << 16  # numbers laid out at a time
RELAXED: tuple[Trap, ...] = ("empty soft", "repeated soft", "long soft")  # by their length, 0, 1 and more
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Suited:
    """The file to give to the solver, and in words how it differs from the instance; not at all: ()."""

    path: Path
    changes: tuple[str, ...]


def suit(solver: Solver, instance: Path, folder: Path) -> Suited:
    """The instance in a form that the solver can take, made in the folder where it has to be made.

    Raises UsageError for what the solver fails on and cannot be repaired: another encoding than its own,
    weights that it or the format does not hold, an optimum of 0; FormatError where the file is no instance.
    """
    with Reader(instance) as reader:
        if solver.encoding and encoding_of(reader.comments) != solver.encoding:
            raise UsageError(
                f"{solver.title} solves only formulas of the encoding {solver.encoding} with their map"
            )
        format = _format(solver, reader.format)
        reasons = list(_reasons(reader, format))
        everything = bool(reasons or solver.fails_on or solver.max_weight < LIMIT - 1)
        survey = _Survey(solver.fails_on)
        for chunk in reader.chunks():
            survey.add(chunk)
            if not everything:
                break  # the beginning says whether this is an instance at all
        survey.variables = reader.variables
    if survey.heaviest > solver.max_weight:
        raise UsageError(
            f"{solver.title} holds soft weights up to {solver.max_weight}, not {survey.heaviest}"
        )
    if everything and not survey.soft and "optimum 0" in solver.fails_on:
        raise UsageError(f"{solver.title} fails where the optimum is 0, as it is without soft clauses")
    reasons += survey.repairs() if everything else []
    if not reasons:
        return _as_it_is(solver, instance, folder)
    plain = folder / "instance.wcnf"
    with Reader(instance) as reader, atomic(plain) as out:
        _rewrite(reader, survey, format, out)
    return Suited(plain, tuple(reasons))


def _format(solver: Solver, given: str) -> Format:
    """The format to give: the instance's own if the solver reads it, else the one it reads best."""
    reads = [format for format in solver.formats if format not in solver.misreads]
    if not reads:
        raise UsageError(f"{solver.title} reads no format that can be written: say which in its descriptor")
    return next((format for format in reads if format == given), reads[0])


def _reasons(reader: Reader, format: Format) -> Iterator[str]:
    """Why the file has to be printed anew, as far as its beginning says."""
    if reader.format != format:
        yield f"converted from {reader.format} to {format}"
    elif format == "wcnf-old" and (reader.top is None or reader.top >= LIMIT):
        yield "given a top that is the sum of the soft weights and 1"


def _as_it_is(solver: Solver, instance: Path, folder: Path) -> Suited:
    """The file itself; unpacked or under another name if it has to be.

    Some solvers go by the ending of the name, and scripts trip over blanks in it.
    """
    with instance.open("rb") as raw:
        packed = packing(raw.read(6))
    if packed and packed not in solver.compressed:
        plain = folder / "instance.wcnf"
        with open_read(instance) as source, atomic(plain) as out:
            shutil.copyfileobj(source, out, 1 << 20)
        return Suited(plain, ("unpacked",))
    if instance.name.endswith(f".wcnf{packed}") and not any(c.isspace() for c in os.fspath(instance)):
        return Suited(instance, ())
    link = folder / f"instance.wcnf{packed}"
    link.symlink_to(instance.absolute())
    return Suited(link, ("linked to under a plain name",))


# ---------------------------------------------------------------------------- what there is


class _Survey:
    """Counts a formula as it is read, and what of it the solver cannot have."""

    def __init__(self, traps: Collection[Trap]):
        self.traps = traps
        self.variables = 0
        self.hard = self.soft = self.weights = self.heaviest = 0
        self.relaxed = [0, 0, 0]  # soft clauses of no, one and more literals
        self.relaxed_literals = 0
        self._relaxer = _Relaxer(traps)

    def add(self, chunk: Chunk) -> None:
        """Count some clauses."""
        soft = chunk.weights[chunk.weights != HARD]
        self.hard += len(chunk.weights) - len(soft)
        self.soft += len(soft)
        self.weights += exact_sum(soft)
        self.heaviest = max(self.heaviest, int(soft.max(initial=0)))
        lengths = np.diff(chunk.starts)[self._relaxer.which(chunk)]
        counts = np.bincount(np.minimum(lengths, 2), minlength=3).tolist()
        self.relaxed = [a + b for a, b in zip(self.relaxed, counts, strict=True)]
        self.relaxed_literals += int(lengths.sum())

    @property
    def added(self) -> list[tuple[int, list[int]]]:
        """Clauses that have to be there for the solver's sake, on variables of their own."""
        y, z = (self.variables + sum(self.relaxed) + k for k in (1, 2))
        if not self.soft and "no soft" in self.traps:
            return [(HARD, [y, z]), (HARD, [y, -z]), (1, [y])]
        return [(HARD, [y])] if "no hard" in self.traps and not (self.hard or sum(self.relaxed)) else []

    def repairs(self) -> list[str]:
        """What is done so that the solver can take the formula."""
        found = [
            f"{number} {trap} clause{'s' * (number > 1)} given a variable"
            for trap, number in zip(RELAXED, self.relaxed, strict=True)
            if number
        ]
        added = {3: "a soft clause added that always holds", 1: "a hard clause added that says nothing"}
        return found + [text for number, text in added.items() if len(self.added) == number]


class _Relaxer:
    """Says which soft clauses need a variable; it sees the chunks in order."""

    def __init__(self, traps: Collection[Trap]):
        self.traps = traps
        self.seen = np.zeros(1 << 16, np.bool_)  # the variables of unit soft clauses so far

    def which(self, chunk: Chunk) -> Mask:
        """A mask over the clauses."""
        lengths = np.diff(chunk.starts)
        result = np.zeros(len(lengths), np.bool_)
        if "empty soft" in self.traps:
            result |= lengths == 0
        if "long soft" in self.traps:
            result |= lengths > 1
        soft = chunk.weights != HARD
        result &= soft
        if "repeated soft" in self.traps:
            units = np.flatnonzero(soft & (lengths == 1))
            result[units] = self._again(np.abs(chunk.literals[chunk.starts[units]]))
        return result

    def _again(self, variables: NDArray[np.int32]) -> Mask:
        """Which of the variables there were before."""
        largest = int(variables.max(initial=0))
        if largest >= len(self.seen):
            seen = np.zeros(max(largest + 1, 2 * len(self.seen)), np.bool_)
            seen[: len(self.seen)] = self.seen
            self.seen = seen
        again = np.ones(len(variables), np.bool_)
        again[np.unique(variables, return_index=True)[1]] = False
        again |= self.seen[variables]
        self.seen[variables] = True
        return again


# ---------------------------------------------------------------------------- the new file


def _rewrite(reader: Reader, survey: _Survey, format: Format, out: BinaryIO) -> None:
    """Print the formula with its repairs; comments before the first clause stay."""
    relaxed, added = sum(survey.relaxed), survey.added
    last = max([survey.variables + relaxed, *(literal for _, clause in added for literal in clause)])
    top = survey.weights + sum(weight for weight, _ in added if weight != HARD) + 1
    if top >= LIMIT and format == "wcnf-old":
        raise UsageError(f"the soft weights sum to {top - 1}: too much for a top below 2^63")
    if last > MOST:
        raise UsageError(f"{reader.name}: no variable is left below 2^31 for what has to be added")
    clauses = survey.hard + survey.soft + relaxed + survey.relaxed_literals + len(added)
    out.writelines(b"c " + comment.encode() + b"\n" for comment in reader.comments)
    if format == "wcnf-old":
        out.write(b"p wcnf %d %d %d\n" % (last, clauses, top))
    relaxer, fresh = _Relaxer(survey.traps), survey.variables + 1
    for chunk in reader.chunks():
        which = relaxer.which(chunk)
        for part in _relaxed(chunk, which, fresh) if which.any() else (chunk,):
            _print(part, format, top, out)
        fresh += int(which.sum())
    _print(_chunk(added), format, top, out)


def _chunk(clauses: Sequence[tuple[int, list[int]]]) -> Chunk:
    literals = [literal for _, clause in clauses for literal in clause]
    lengths = np.array([len(clause) for _, clause in clauses], np.int_)
    weights = np.array([weight for weight, _ in clauses], np.int64)
    return Chunk(weights, np.array(literals, np.int32), _starts(lengths))


def _relaxed(chunk: Chunk, which: Mask, first: int) -> Iterator[Chunk]:
    """The clauses with the chosen ones made unit, then the hard clauses that define their variables."""
    lengths = np.diff(chunk.starts)
    fresh = np.arange(first, first + which.sum(), dtype=np.int32)
    inside = np.repeat(which, lengths)
    kept = _starts(np.where(which, 0, lengths))[:-1]
    units = np.insert(chunk.literals[~inside], kept[which], -fresh)
    yield Chunk(chunk.weights, units, _starts(np.where(which, 1, lengths)))
    literals, lengths = chunk.literals[inside], lengths[which]
    yield _hard(np.insert(literals, np.cumsum(lengths), fresh), lengths + 1)
    yield _hard(np.stack([-np.repeat(fresh, lengths), -literals], 1).ravel(), np.full(len(literals), 2))


def _hard(literals: NDArray[np.int32], lengths: NDArray[np.int_]) -> Chunk:
    return Chunk(np.full(len(lengths), HARD, np.int64), literals, _starts(lengths))


def _starts(lengths: NDArray[np.int_]) -> NDArray[np.intp]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)


def _print(chunk: Chunk, format: Format, top: int, out: BinaryIO) -> None:
    """Print the clauses, one a line."""
    clauses = np.arange(len(chunk.weights))
    begins, ends = chunk.starts[:-1] + 2 * clauses, chunk.starts[1:] + 2 * clauses + 1
    numbers = np.zeros(len(chunk.literals) + 2 * len(clauses), np.int64)
    inner = np.ones(len(numbers), np.bool_)
    inner[begins] = inner[ends] = False
    numbers[inner] = chunk.literals
    hard = chunk.weights == HARD
    numbers[begins] = np.where(hard, top if format == "wcnf-old" else 0, chunk.weights)
    after = np.full(len(numbers), ord(" "), np.uint8)
    after[ends] = ord("\n")
    is_h = np.zeros(len(numbers), np.bool_)
    is_h[begins] = hard & (format == "wcnf")
    for start in range(0, len(numbers), TOKENS):
        part = slice(start, start + TOKENS)
        out.write(_text(numbers[part], is_h[part], after[part]))


def _text(numbers: Numbers, is_h: Mask, after: NDArray[np.uint8]) -> bytes:
    """Each number in decimal, or h, and the character after it; laid out with NULs, which are dropped."""
    left = np.abs(numbers)
    width = len(str(int(left.max())))
    padded = np.zeros((width + 2, len(numbers)), np.uint8)
    padded[-1] = after
    present = np.ones(len(numbers), np.bool_)
    length = np.zeros(len(numbers), np.intp)
    for row in range(width, 0, -1):
        rest = left // 10
        padded[row] = np.where(present, left - 10 * rest + ord("0"), 0)
        length += present
        left, present = rest, rest > 0
    padded[width, is_h] = ord("h")
    negative = np.flatnonzero(numbers < 0)
    padded[width - length[negative], negative] = ord("-")
    flat = padded.T.ravel()
    return bytes(flat[flat != 0].data)
