"""Delimited text as header and rows of cells, refusing whatever could be misread.

Any delimiter (found out where it is not given), any line ends, gzip or xz by name or by content,
UTF-8 with or without a byte order mark.  The parsing is the standard library's `csv` in strict
mode.  Line numbers are wanted only for errors, so the text is parsed a second time to get one.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import logging
import lzma
import re
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from wcnfgen.errors import DataError, UsageError
from wcnfgen.files import open_raw, packing

if TYPE_CHECKING:
    from _csv import Reader


log = logging.getLogger("wcnfgen")

MOST_BYTES = 1 << 28  # of a file, decompressed
MOST_CELLS = 1 << 26  # of a file; a row counts as ROW cells more, which is what Python needs for one
ROW = 8
MOST_COLUMNS = 100_000
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Delimited:
    """A parsed file: every row has as many cells as the header, blanks around cells still there."""

    label: str  # what messages call the file
    sha256: str  # of the bytes of the file, decompressed
    header: tuple[str, ...]
    rows: list[list[str]]
    text: str
    delimiter: str

    @property
    def name(self) -> str:
        """The file's name without folder, .csv, .gz and .xz."""
        return re.sub(r"(\.csv)?(\.gz|\.xz)?$", "", Path(self.label).name)

    def where(self, row: int) -> str:
        """``FILE:LINE`` of a row, counted from 0."""
        return f"{self.label}:{_line(self.text, self.delimiter, row + 1)}"

    @property
    def lines(self) -> list[str]:
        """Header and rows as they stand in the file, with their line ends; blank lines are left out."""
        lines = io.StringIO(self.text, newline="").readlines()
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True, skipinitialspace=True)
        found, begin = [], 0
        for row in reader:
            if not _is_blank(row):
                found.append("".join(lines[begin : reader.line_num]))
            begin = reader.line_num
        return found[: len(self.rows) + 1]


def parse(source: str | Path, delimiter: str | None = None) -> Delimited:
    """Read a path, or standard input for "-"; the delimiter is one character, ``tab`` or ``space``.

    DataError: missing or unreadable file, damaged archive, not UTF-8, NUL byte, no header, no rows,
    ragged rows, a broken quotation, column names that are empty or equal, more than MOST_BYTES or MOST_CELLS.
    """
    label = "stdin" if source == "-" else str(source)
    raw = _decompressed(_bytes(source, label), label)
    text = _text(raw, label)
    delimiter = _given(delimiter) if delimiter else _sniffed(text)
    _check_size(text, delimiter, label)
    rows = _parsed(text, delimiter, label)
    header = _named([name.strip() for name in rows[0]], rows[1:], label) if rows else ()
    parsed = Delimited(label, hashlib.sha256(raw).hexdigest(), header, rows[1:], text, delimiter)
    _check(parsed)
    return parsed


def _named(header: list[str], rows: list[list[str]], label: str) -> tuple[str, ...]:
    """Column names; one without a name, as pandas writes for its index, is called after its place.

    A last column without name or cells comes from a delimiter at the ends of lines, and goes.
    """
    if len(header) > 1 and header[-1] == "" and all(len(row) >= len(header) and not row[-1] for row in rows):
        header = header[:-1]
        for row in rows:
            row.pop()
    unnamed = [place for place, name in enumerate(header, 1) if not name]
    for place in unnamed:
        header[place - 1] = f"column{place}"
        log.info("%s: the column at place %d has no name: it is called column%d", label, place, place)
    return tuple(header)


def _bytes(source: str | Path, label: str) -> bytes:
    try:
        if source == "-":
            return _whole(sys.stdin.buffer, label)
        with open_raw(source) as stream:
            return _whole(stream, label)
    except OSError as error:
        hint = "; name one file in it" if isinstance(error, IsADirectoryError) else ""
        raise DataError(f"{label}: {error.strerror}{hint}") from error


def _whole(stream: BinaryIO | io.BufferedIOBase, label: str) -> bytes:
    """All of a stream, which may be much longer than the file that it is unpacked from."""
    raw = bytearray()
    while piece := stream.read(_PIECE):
        raw += piece
        if len(raw) > MOST_BYTES:
            raise DataError(f"{label}: more than {MOST_BYTES >> 20} MiB of text; give a part of the rows")
    return bytes(raw)


def _decompressed(raw: bytes, label: str) -> bytes:
    try:
        packed = packing(raw) or label[-3:]
        if packed == ".xz":
            with lzma.open(io.BytesIO(raw)) as unpacked:
                return _whole(unpacked, label)
        if packed == ".gz":
            with gzip.open(io.BytesIO(raw)) as stream:
                return _whole(stream, label)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"{label}: not a whole compressed file ({error}); compress it again") from error
    return raw


def _text(raw: bytes, label: str) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = error.start + len(raw) - len(error.object)  # the object begins after the mark
        what = f"byte 0x{raw[at]:02X} at offset {at} is not UTF-8; save the file as UTF-8, say with iconv"
    else:
        at = raw.find(b"\0")
        if at < 0:
            return text
        what = f"NUL byte at offset {at}; save the file as text in UTF-8"
    line = len(re.findall(rb"\r\n|\r|\n", raw[:at])) + 1
    raise DataError(f"{label}:{line}: {what}")


def _check_size(text: str, delimiter: str, label: str) -> None:
    """Refuse what would take many gigabytes as cells.  Delimiters within quotation marks count, too."""
    ends = text.count("\n") + text.count("\r") - text.count("\r\n")
    if text.count(delimiter) + (1 + ROW) * ends > MOST_CELLS:
        raise DataError(f"{label}: more than {MOST_CELLS} cells; give a part of the rows or columns")


def _given(delimiter: str) -> str:
    delimiter = {"tab": "\t", r"\t": "\t", "space": " "}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise UsageError(f"--delimiter {delimiter!r}: give one character, tab or space")
    return delimiter


def _sniffed(text: str) -> str:
    """The delimiter that cuts all of the first 20 lines into equally many cells, two or more.

    Of several the one of most cells (decimal commas between semicolons); a blank only if no other
    does.  With none, the first one that cuts the header at all, so that a ragged row is reported as such.
    """
    head = text[:100_000]
    widths = {each: _widths(head, each, whole=head == text) for each in ",;\t| "}
    same = [each for each, found in widths.items() if len(set(found)) == 1 and found[0] > 1]
    same.sort(key=lambda each: (each == " ", -widths[each][0]))
    cuts = [each for each, found in widths.items() if found and found[0] > 1 and each != " "]
    return (same + cuts + [","])[0]


def _widths(head: str, delimiter: str, *, whole: bool) -> list[int]:
    widths = [len(row) for row in islice(_reader(head, delimiter, strict=False), 20) if row]
    return widths if whole or len(widths) in (1, 20) else widths[:-1]  # the last one may be cut off


def _reader(text: str, delimiter: str, *, strict: bool = True) -> Reader:
    lines = io.StringIO(text, newline="")  # hands LF, CR and CR LF on as they are
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=True)


def _line(text: str, delimiter: str, row: int) -> int:
    """Line on which a row ends; row 0 is the header and blank lines are no rows."""
    reader = _reader(text, delimiter)
    for _ in islice((each for each in reader if not _is_blank(each)), row + 1):
        pass
    return reader.line_num


def _parsed(text: str, delimiter: str, label: str) -> list[list[str]]:
    rows: list[list[str]] = []
    line = 0
    reader = _reader(text, delimiter)
    try:
        for row in reader:
            if not _is_blank(row):
                rows.append(row)
            line = reader.line_num
    except csv.Error as error:
        raise DataError(f"{label}:{line + 1}: {error}; check the quotation marks") from error
    while rows and len(rows[0]) > 1 and not "".join(rows[-1]).strip():
        rows.pop()
    if rows and len(rows[0]) > MOST_COLUMNS:
        raise DataError(f"{label}: {len(rows[0])} columns are more than {MOST_COLUMNS}; give a part of them")
    return rows


def _is_blank(row: list[str]) -> bool:
    """Whether a line holds nothing; blanks alone are a cell where there is one column."""
    return not row or row == [""]


def _check(parsed: Delimited) -> None:
    label, header, rows = parsed.label, parsed.header, parsed.rows
    if not header and not rows:
        raise DataError(f"{label}: the file is empty; a header and rows are needed")
    twice = [name for name, times in Counter(header).items() if times > 1]
    if twice:
        raise DataError(f"{label}:1: two columns are called {twice[0]!r}; rename one")
    if not rows:
        raise DataError(f"{label}: a header but no rows; add rows")
    if set(map(len, rows)) != {len(header)}:
        row = next(i for i, cells in enumerate(rows) if len(cells) != len(header))
        raise DataError(
            f"{parsed.where(row)}: {len(rows[row])} cells where the header has {len(header)};"
            " mend the line or give --delimiter"
        )
