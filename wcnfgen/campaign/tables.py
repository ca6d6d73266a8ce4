"""Tables as files: a dataclass is a line of CSV, and its fields are the columns.

Streaming both ways, so that a hundred thousand lines need no memory.  An empty cell is None, for a text "".
Fields of other types than text and numbers say how they are written and read in ``metadata``.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, fields
from typing import Any, TypeVar, cast

from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, open_read

Line = TypeVar("Line")
SURROGATES = "surrogateescape"  # names of files may be any bytes
CELL_BYTES = 1 << 28  # a trace of millions of improvements fits


def cell(write: Callable[[Any], str], read: Callable[[str], Any], **more: Any) -> Any:
    """A field with a form of its own."""
    return field(metadata={"write": write, "read": read}, **more)


def of_json(**more: Any) -> Any:
    """A field that is written as JSON."""
    return cell(_compact, lambda text: json.loads(text) if text else None, **more)


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


_READ: dict[str, Callable[[str], Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": lambda text: {"yes": True, "no": False}[text],
    "int | None": lambda text: int(text) if text else None,
    "float | None": lambda text: float(text) if text else None,
    "bool | None": lambda text: {"yes": True, "no": False, "": None}[text],
}


def _write(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def columns(kind: type) -> list[str]:
    """The names of the columns."""
    return [each.name for each in fields(kind)]


def write(lines: Iterable[Any], kind: type, target: str | os.PathLike[str]) -> int:
    """Write lines of a kind, whole or not at all; how many they are."""
    forms = [(each.name, each.metadata.get("write", _write)) for each in fields(kind)]
    number = 0
    with atomic(target) as out:
        text = io.TextIOWrapper(out, "utf-8", SURROGATES, newline="")
        plain = csv.writer(text, lineterminator="\n")
        quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
        plain.writerow(name for name, _ in forms)
        for line in lines:
            cells = [form(getattr(line, name)) for name, form in forms]
            (quoted if "\r" in "".join(cells) else plain).writerow(cells)  # which plain takes for no line end
            number += 1
        text.flush()
        text.detach()
    return number


def read(source: str | os.PathLike[str], kind: type[Line]) -> Iterator[Line]:
    """Read them back.  Raises FormatError with the line's number, WcnfgenError if there is no such file."""
    of_kind = fields(cast(Any, kind))
    forms = [(each.name, each.metadata.get("read") or _READ[str(each.type)]) for each in of_kind]
    with open_read(source) as stream, io.TextIOWrapper(stream, "utf-8", SURROGATES, newline="") as text:
        table = csv.reader(text)
        try:
            if next(_rows(table), []) != [name for name, _ in forms]:
                raise FormatError(f"{os.fspath(source)}: not the columns of this version; make it again")
            for cells in _rows(table):
                found = {name: form(text) for (name, form), text in zip(forms, cells, strict=True)}
                yield kind(**found)
        except (ValueError, KeyError, TypeError, csv.Error) as error:
            raise FormatError(f"{os.fspath(source)}:{table.line_num}: {error}") from error


def _rows(table: Iterator[list[str]]) -> Iterator[list[str]]:
    """Rows with cells of any length; the limit is the whole process's, so it is lifted for each row only."""
    while True:
        before = csv.field_size_limit(CELL_BYTES)
        try:
            cells = next(table)
        except StopIteration:
            return
        finally:
            csv.field_size_limit(before)
        yield cells
