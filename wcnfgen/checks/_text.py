"""A file of clauses as text: what is unusual about its lines, in one pass with the reader's.

`Tee` hands the reader its bytes and keeps them until they are looked at here.  A text in the usual form is
known by a few searches at the speed of memory; the others are looked at line by line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from wcnfgen.checks._rule import Place
from wcnfgen.reader import HARD, Chunk, Reader

_COMMENTS = re.compile(rb"^c[^\n]*\n", re.MULTILINE)
_CLAUSES = b"0123456789h -\n"
_UNUSUAL = (b"  ", b" \n", b"\n ", b"\n\n", b"\n0 ", b" 0 ")
_BLOCKS = (b"c MaxSat instance", b"c Standarized MaxSat Instance")  # spelled so
_BLOCK_END = b"c-----------"


class Tee:
    """A stream of bytes for a `Reader`, which keeps what was read since the last `take`."""

    def __init__(self, stream: BinaryIO):
        self._stream = stream
        self._taken: list[bytes] = []
        self._digest = hashlib.sha256()
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes."""
        return self._keep(self._stream.read(size))

    def readline(self, size: int = -1) -> bytes:
        """A line, or up to so many bytes of it."""
        return self._keep(self._stream.readline(size))

    def close(self) -> None:
        """Close the stream below."""
        self._stream.close()

    def _keep(self, data: bytes) -> bytes:
        self._taken.append(data)
        return data

    def take(self) -> bytes:
        """What was read since the last time."""
        text = b"".join(self._taken)
        self._taken.clear()
        self._digest.update(text)
        self.bytes += len(text)
        return text

    @property
    def sha256(self) -> str:
        """Of what was taken so far."""
        return self._digest.hexdigest()


class Places:
    """Where things occur, by the name of what occurs."""

    def __init__(self) -> None:
        self._found: dict[str, Place] = {}

    def add(self, what: str, line: int, count: int = 1) -> None:
        """It occurs in this line, and count - 1 times behind."""
        before = self._found.get(what)
        self._found[what] = Place(before.count + count, before.line) if before else Place(count, line)

    def get(self, what: str) -> Place | None:
        """Where it is, or None where it is not."""
        return self._found.get(what)


class Text:
    """The lines of one file.

    places   where things are that rules ask for
    refused  why it cannot be read to its end, and the line that says so, if it is one
    """

    def __init__(self) -> None:
        self.places = Places()
        self.lines = self.bytes = 0
        self.sha256 = ""
        self.format = "wcnf"
        self.top: int | None = None
        self.header: bytes = b""
        self.refused: tuple[str, int | None] | None = None
        self._clauses = False  # seen one
        self._block: int | None = None  # the line that opens the normaliser's block
        self._last = b"\n"

    def add(self, text: bytes, reader: Reader, chunk: Chunk) -> None:
        """Look at the text that a chunk was read from."""
        self.format, self.top = reader.format, reader.top
        if not self._is_usual(text, chunk):
            self._look(text)
        self._clauses = self._clauses or len(chunk.weights) > 0
        self.lines += text.count(b"\n")
        self._last = text[-1:] or self._last

    def refuse(self, reason: str, line: int | None) -> None:
        """It cannot be read on."""
        self.refused = (reason, line)

    def end(self, stream: Tee) -> None:
        """There is no more, but what the reader took and made no chunk of: up to the line that it refused."""
        rest = stream.take()
        until = self.refused[1] if self.refused else None
        self._look(rest if until is None else b"\n".join(rest.split(b"\n")[: until - self.lines]))
        self.bytes, self.sha256 = stream.bytes, stream.sha256
        self.lines += rest.count(b"\n")
        if (rest[-1:] or self._last) != b"\n":
            self.places.add("no newline", self.lines + 1)
        if self._block is not None:
            self.places.add("open block", self._block)

    def _is_usual(self, text: bytes, chunk: Chunk) -> bool:
        """Whether each line is a clause in the form that the Evaluation's normaliser writes."""
        if not self._clauses:
            return False
        return (
            not text.translate(None, _CLAUSES)
            and not any(each in text for each in _UNUSUAL)
            and text[:1] not in (b"\n", b" ", b"0")
            and text.count(b" 0\n") == text.count(b"\n")
            and self._tops(text, chunk)
        )

    def _tops(self, text: bytes, chunk: Chunk) -> bool:
        """Whether all hard clauses of the old format weigh exactly top."""
        if self.top is None:
            return True
        word = b"%d " % self.top
        weighing = text.count(b"\n" + word) + text.startswith(word)
        return weighing == int(np.count_nonzero(chunk.weights == HARD))

    def _look(self, text: bytes) -> None:
        lines = text.split(b"\n")
        for number, raw in enumerate(lines if lines[-1] else lines[:-1], self.lines + 1):
            for what in self._oddities(raw, number):
                self.places.add(what, number)

    def _oddities(self, raw: bytes, number: int) -> Iterator[str]:
        """What is unusual about a line."""
        words = raw.split()
        if raw.endswith(b"\r"):
            yield "carriage return"
        if raw[:1] != b"c" and b"\t" in raw:
            yield "tab"
        if words and raw[:1] in (b" ", b"\t"):
            yield "indented"
        if not words:
            yield "blank line"
        elif words[0].startswith(b"c"):
            yield from self._comment(raw.lstrip(), number)
        elif words[0] == b"p":
            self.header = self.header or raw
        else:
            yield from self._cnf(words) if self.format == "cnf" else self._wcnf(words)
            self._clauses = True

    def _comment(self, raw: bytes, number: int) -> Iterator[str]:
        if raw.startswith(_BLOCKS):
            self._block = number
            yield "block"
        elif raw.startswith(_BLOCK_END):
            self._block = None
        elif self._block is None and raw[1:2] not in b" \r\t":
            yield "comment without blank"
        if self._clauses:
            yield "comment between clauses"

    def _wcnf(self, words: list[bytes]) -> Iterator[str]:
        if words[0] == b"H":
            yield "capital"
        elif words[0].isdigit() and len(words[0]) < 40:
            weight = int(words[0])
            if weight == 0:
                yield "weight 0"
            if self.top is not None and weight > self.top:
                yield "above top"
        end = words.index(b"0", 1) if b"0" in words[1:] else len(words)
        if len(words) > end + 1:
            yield "second clause" if words[-1] == b"0" else "text after 0"

    def _cnf(self, words: list[bytes]) -> Iterator[str]:
        if words.count(b"0") > 1:
            yield "several in a line"
        if words[-1] != b"0":
            yield "over lines"


def clause_lines(text: bytes, before: int, format: str) -> list[int]:
    """The line in which each clause of a text ends; clauses of weight 0 are none."""
    lines = []
    for number, raw in enumerate(text.split(b"\n"), before + 1):
        words = raw.split()
        if not words or words[0][:1] in b"cp":
            continue
        if format == "cnf":
            lines += [number] * words.count(b"0")
        elif words[0].strip(b"0"):
            lines.append(number)
    return lines
