"""Reading one file for all rules: its text and its formula, in one pass."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from wcnfgen.checks._formula import Formula
from wcnfgen.checks._text import Tee, Text, clause_lines
from wcnfgen.errors import FormatError, WcnfgenError
from wcnfgen.files import open_read
from wcnfgen.reader import Reader


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of one file; formula is None where it could not be read to its end."""

    text: Text
    formula: Formula | None


def survey(path: Path, name: str, conflicts: int) -> Survey:
    """Read a file.  What is wrong with it goes into the result; name is what findings call it."""
    text, formula = Text(), Formula(name, conflicts)
    try:
        stream = Tee(open_read(path))
    except WcnfgenError as error:
        text.refuse(str(error).removeprefix(f"{path}: "), None)
        return Survey(text, None)
    whole = True
    try:
        with Reader(cast(BinaryIO, stream), name) as reader:
            _read(reader, stream, text, formula)
    except FormatError as error:
        message, line = _parted(str(error), name)
        text.refuse(message, line)
        whole = False
    text.end(stream)
    return Survey(text, formula if whole else None)


def _read(reader: Reader, stream: Tee, text: Text, formula: Formula) -> None:
    text.format, text.top = reader.format, reader.top
    for chunk in reader.chunks():
        piece, before = stream.take(), text.lines
        text.add(piece, reader, chunk)
        formula.add(chunk, functools.cache(functools.partial(clause_lines, piece, before, reader.format)))
    formula.format, formula.top = reader.format, reader.top
    formula.variables, formula.comments = reader.variables, reader.comments


def _parted(message: str, name: str) -> tuple[str, int | None]:
    """An error's text and line, of ``NAME:LINE: TEXT`` or ``NAME: TEXT``."""
    rest = message.removeprefix(name)
    found = re.match(r":(\d+): ", rest)
    return (rest[found.end() :], int(found[1])) if found else (rest.removeprefix(": "), None)
