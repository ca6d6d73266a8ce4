"""Reading any WCNF or CNF, strictly where it matters and as fast as numpy parses numbers.

The file is taken in chunks of whole lines.  A chunk in the usual form (one clause a line, its 0 at
the end) is one call of numpy's number parser; whatever is unusual about it sends it, and only it,
through a line-by-line reader that knows every rule, accepts what the Evaluation's own tools accept
and otherwise says which line is wrong and why.

Accepted: both WCNF formats and CNF; ``H`` for ``h``; comments without a blank after the ``c``; blank
lines; tabs and several blanks; CRLF; text after a clause's 0; empty clauses; ``p wcnf n m`` without
a top (all soft, as before 2017).  A soft clause of weight 0 is dropped.
Refused: fewer or more clauses than declared, a clause without its 0, a negative or non-integer
weight, weights of 2^63 or more, a second header or one after a clause, a literal beyond the
declared number of variables.
"""

from __future__ import annotations

import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from lzma import LZMAError
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import FormatError
from wcnfgen.files import open_read
from wcnfgen.variables import Literals

CHUNK = 1 << 21  # bytes
HARD = -1  # in the weights of a chunk
LIMIT = 2**63
LINE_BYTES = 1 << 24  # of the longest line, which holds some million literals
COMMENT_BYTES = 1 << 28  # of all comments before the first clause, with what Python needs for each line
LINE_OVERHEAD = 64  # bytes that Python needs for a line besides its text
_COMMENTS = re.compile(rb"^c[^\n]*\n", re.MULTILINE)
_TO_ZERO = bytes.maketrans(b"hH", b"00")
_USUAL = b"0123456789hH -\n"
_LF, _BLANK, _MINUS, _ZERO, _NINE, _H = b"\n -09h"
MOST = 2**31 - 1  # the largest variable
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some clauses: literals of clause k are ``literals[starts[k]:starts[k + 1]]``.

    weights has one entry a clause, HARD for a hard one; starts has one more.
    """

    weights: NDArray[np.int64]
    literals: Literals
    starts: NDArray[np.intp]

    def satisfied(self, assignment: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which clauses hold under an assignment indexed by variable; an empty clause never does."""
        holds = np.zeros(len(self.literals) + 1, np.int64)
        np.cumsum(assignment[np.abs(self.literals)] ^ (self.literals < 0), out=holds[1:])
        return holds[self.starts[1:]] > holds[self.starts[:-1]]


def exact_sum(weights: NDArray[np.int64]) -> int:
    """Their sum, also beyond 64 bits: the two halves of the numbers are summed apart."""
    return (int((weights >> 32).sum()) << 32) + int((weights & 0xFFFFFFFF).sum())


class Reader:
    """Reads one file, once: `comments` first, then `chunks()`.

    variables is the declared number, or the largest one met so far in the new format.
    """

    def __init__(self, source: str | os.PathLike[str] | BinaryIO, name: str | None = None):
        self.name = name or (os.fspath(source) if isinstance(source, (str, os.PathLike)) else "input")
        self.stream = open_read(source) if isinstance(source, (str, os.PathLike)) else source
        self.format: Literal["wcnf", "wcnf-old", "cnf"] = "wcnf"
        self.top: int | None = None
        self.variables = 0
        self.declared: int | None = None
        self.declared_clauses: int | None = None
        self.line = 0  # lines before the chunk at hand
        self.read = 0  # clauses, those of weight 0 included
        self._open: list[int] = []  # a CNF clause that goes on in the next line
        self.comments: list[str] = []
        try:
            self._first = self._begin()
        except FormatError:
            self.stream.close()
            raise

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stream.close()

    def _begin(self) -> bytes:
        """Take comments and header off the front; returns the first line of clauses."""
        held = 0
        while raw := self._line():
            words = [] if raw.startswith(b"c") else raw.split()
            if raw.startswith(b"c"):
                held += len(raw) + LINE_OVERHEAD
                if held > COMMENT_BYTES:
                    raise FormatError(
                        f"{self.name}: comments of more than {COMMENT_BYTES} bytes; leave some out"
                    )
                self.comments.append(raw[1:].strip().decode("utf-8", "replace"))
            elif words and words[0] == b"p":
                self._header(words, f"{self.name}:{self.line + 1}", seen=False)
            elif words:
                return raw
            self.line += 1
        return b""

    def _line(self) -> bytes:
        """The rest of the line at hand.  Raises FormatError if it is too long to be one."""
        raw = self._take(lambda: self.stream.readline(LINE_BYTES))
        if len(raw) == LINE_BYTES and not raw.endswith(b"\n"):
            raise FormatError(f"{self.name}: a line of more than {LINE_BYTES} bytes; this is no WCNF file")
        return raw

    def _take(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except (EOFError, OSError, LZMAError, zlib.error) as error:
            raise FormatError(f"{self.name}: cannot read to the end: {error}") from error

    def chunks(self) -> Iterator[Chunk]:
        """The clauses, in order.  Raises FormatError with file and line."""
        head = self._first
        while data := head + self._take(lambda: self.stream.read(CHUNK)):
            data += self._line()
            data += b"" if data.endswith(b"\n") else b"\n"
            chunk = self._fast(data) or self._slow(data)
            self.line += data.count(b"\n")
            yield chunk
            head = b""
        if self._open:
            raise FormatError(f"{self.name}:{self.line}: the last clause does not end with 0")
        if self.declared_clauses not in (None, self.read):
            raise FormatError(
                f"{self.name}: the header declares {self.declared_clauses} clauses, "
                f"the file has {self.read}: it is cut short or damaged"
            )

    # ------------------------------------------------------------------ the usual form

    def _fast(self, data: bytes) -> Chunk | None:
        """Parse a chunk in the usual form; None where anything is unusual."""
        if data.startswith(b"c") or b"\nc" in data:
            data = _COMMENTS.sub(b"", data)
        if self.format == "cnf" or not data or data.translate(None, _USUAL):
            return None
        raw = np.frombuffer(data, np.uint8)
        if not _is_usual(raw):
            return None
        numbers = _numbers(data)
        return None if numbers is None else self._clauses(numbers, raw)

    def _clauses(self, numbers: NDArray[np.int64], raw: Bytes) -> Chunk | None:
        """Cut the numbers of usual lines, ``h`` read as 0, into clauses; None where one is out of range."""
        begins = np.concatenate([[0], np.flatnonzero(raw == _LF)[:-1] + 1])
        hard = (raw[begins] | 32) == _H
        zeros = np.flatnonzero(numbers == 0)  # for each line its h, if it has one, and its end
        last = zeros[np.cumsum(hard + 1) - 1]
        first = np.concatenate([[0], last[:-1] + 1])
        weights = np.where(hard, HARD, numbers[first])
        keep = np.ones(len(numbers), bool)
        keep[first] = keep[last] = False
        literals = numbers[keep]
        largest = max(int(literals.max(initial=0)), -int(literals.min(initial=0)))
        if weights.max() == LIMIT - 1 or largest > (MOST if self.declared is None else self.declared):
            return None
        if self.format == "wcnf-old":
            if hard.any():
                return None
            if self.top is not None:
                weights[weights >= min(self.top, LIMIT)] = HARD
        self.variables = max(self.variables, largest)
        self.read += len(weights)
        starts = np.concatenate([[0], np.cumsum(last - first - 1)])
        return Chunk(weights, literals.astype(np.int32), starts)

    # ------------------------------------------------------------------ any form

    def _slow(self, data: bytes) -> Chunk:
        """Parse line by line, by every rule."""
        weights: list[int] = []
        literals: list[int] = []
        starts = [0]
        for offset, raw in enumerate(data.split(b"\n")[:-1], 1):
            where = f"{self.name}:{self.line + offset}"
            words = raw.split()
            if not words or words[0].startswith(b"c"):
                continue
            if words[0] == b"p":
                self._header(words, where, seen=bool(weights) or self.read > 0)
                continue
            for weight, found in self._clause(words, where):
                self.read += 1
                if weight == 0:
                    continue
                weights.append(weight)
                literals += found
                starts.append(len(literals))
        return Chunk(np.array(weights, np.int64), np.array(literals, np.int32), np.array(starts, np.intp))

    def _header(self, words: list[bytes], where: str, *, seen: bool) -> None:
        if seen or self.declared is not None or self._open:
            raise FormatError(f"{where}: a second header, or one after a clause")
        kind, numbers = words[1:2], [_integer(word, where) for word in words[2:]]
        if kind == [b"cnf"] and len(numbers) == 2:
            self.format = "cnf"
        elif kind == [b"wcnf"] and len(numbers) in (2, 3):
            self.format = "wcnf-old"
            self.top = numbers[2] if len(numbers) == 3 else None
        else:
            raise FormatError(
                f"{where}: not a header like 'p wcnf VARIABLES CLAUSES TOP' or 'p cnf VARIABLES CLAUSES'"
            )
        if min(numbers) < 0:
            raise FormatError(f"{where}: a negative number in the header")
        self.declared = self.variables = numbers[0]
        self.declared_clauses = numbers[1]

    def _clause(self, words: list[bytes], where: str) -> Iterator[tuple[int, list[int]]]:
        """The clauses that end in this line, with their weights."""
        if self.format == "cnf":
            yield from self._cnf_line(words, where)
            return
        weight = self._weight(words[0], where)
        found: list[int] = []
        for word in words[1:]:
            literal = _integer(word, where)
            if literal == 0:
                self._check(found, where)
                yield weight, found
                return
            found.append(literal)
        raise FormatError(f"{where}: the clause does not end with 0")

    def _cnf_line(self, words: list[bytes], where: str) -> Iterator[tuple[int, list[int]]]:
        for word in words:
            literal = _integer(word, where)
            if literal:
                self._open.append(literal)
                if len(self._open) > LINE_BYTES:
                    raise FormatError(f"{where}: a clause of more than {LINE_BYTES} literals")
            else:
                found, self._open = self._open, []
                self._check(found, where)
                yield HARD, found

    def _weight(self, word: bytes, where: str) -> int:
        if word in (b"h", b"H"):
            if self.format == "wcnf-old":
                raise FormatError(f"{where}: an 'h' line under a 'p wcnf' header: the two formats are mixed")
            return HARD
        weight = _integer(word, where)
        if self.top is not None and weight >= self.top:
            return HARD
        if not 0 <= weight < LIMIT:
            raise FormatError(f"{where}: weight {weight}: weights are from 0 to 2^63 - 1")
        return weight

    def _check(self, literals: list[int], where: str) -> None:
        largest = max(map(abs, literals), default=0)
        if largest > MOST:
            raise FormatError(f"{where}: variable {largest} is too large")
        if self.declared is not None and largest > self.declared:
            raise FormatError(f"{where}: variable {largest}, but the header declares {self.declared}")
        self.variables = max(self.variables, largest)


def _is_usual(raw: Bytes) -> bool:
    """Whether each line is ``h`` or a weight, literals and a 0, with blanks between and nothing else.

    raw holds only digits, h, H, blanks, minus signs and line ends, and ends with a line end.
    """
    before = np.concatenate([[_LF], raw[:-1]])
    after = np.concatenate([raw[1:], [_LF]])
    begins, ends = before == _LF, raw == _LF
    is_h = (raw | 32) == _H
    starts_token = (begins | (before == _BLANK)) & (raw != _BLANK) & ~ends
    return not (
        (begins & ((raw == _BLANK) | ends | (raw == _MINUS) | (raw == _ZERO))).any()
        or (is_h & ~(begins & (after == _BLANK))).any()
        or ((raw == _MINUS) & ~((before == _BLANK) & (after > _ZERO) & (after <= _NINE))).any()
        or (starts_token & (raw == _ZERO) & (after != _LF)).any()
        or (ends & ~((before == _ZERO) & (np.roll(before, 1) == _BLANK))).any()
    )


def _integer(word: bytes, where: str) -> int:
    if not word.removeprefix(b"-").isdigit() or len(word) > 40:
        shown = word[:40].decode("utf-8", "replace")
        raise FormatError(f"{where}: {shown!r} is not an integer")
    return int(word)


def _numbers(data: bytes) -> NDArray[np.int64] | None:
    """All numbers of a text, ``h`` as 0; None where numpy cannot read it to the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return np.fromstring(data.translate(_TO_ZERO), np.int64, sep=" ")
        except (DeprecationWarning, ValueError):
            return None


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A formula in memory, as read; it can be written again."""

    variables: int
    hards: list[Literals]
    softs: list[tuple[int, Literals]]
    comments: list[str]

    def hard(self) -> Iterator[Literals]:
        """The hard clauses, each a block of one."""
        return iter(self.hards)

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """The soft clauses, each a block of one."""
        return iter(self.softs)


def read(source: str | os.PathLike[str] | BinaryIO) -> Whole:
    """Read a formula into memory.  Raises FormatError with file and line."""
    hards: list[Literals] = []
    softs: list[tuple[int, Literals]] = []
    with Reader(source) as reader:
        for chunk in reader.chunks():
            for k, weight in enumerate(chunk.weights.tolist()):
                block = chunk.literals[None, chunk.starts[k] : chunk.starts[k + 1]]
                if weight == HARD:
                    hards.append(block)
                else:
                    softs.append((weight, block))
        return Whole(reader.variables, hards, softs, reader.comments)
