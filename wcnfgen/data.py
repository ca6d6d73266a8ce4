"""A data set as a table of small integers: the only place that knows what a data file looks like.

`read` takes any delimited text that `wcnfgen.delimited` can parse.  Every column is factorised
once: its distinct values in order, and one code per row.  The order is numeric when all values are
numbers and that of the text otherwise, so the codes of a column are ranks and those of the class
column are the class indices.

`wcnfgen.missing` decides what a missing cell becomes; `wcnfgen.binarise` then turns columns into 0/1 tests.
A table for prediction has no class: it is read with ``target=""``, all its columns are features
and its `target` is a nameless column whose cells are all missing.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen.delimited import Delimited, parse
from wcnfgen.errors import DataError, UsageError

Kind = Literal["integer", "float", "category"]

log = logging.getLogger("wcnfgen")

DEFAULT_NA = ("", "?", "NA", "NaN", "nan")


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column: distinct values in order, and per row the index of its value.

    `codes` has shape (rows,); -1 is a missing cell.  `fill` is the code that `missing.fill` gave to the
    missing cells, -1 if it gave none.  The values of a numeric column are numbers as the file
    writes them, all different as numbers, save that
    the value of missing cells (`wcnfgen.missing.MISSING`) may be the last one.
    """

    name: str
    values: tuple[str, ...]
    codes: NDArray[np.int32]
    kind: Kind
    fill: int = -1

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.kind != "category"

    @property
    def missing(self) -> int:
        """Number of missing cells."""
        return int((self.codes < 0).sum())

    def cells(self) -> list[str | None]:
        """The text of each row; None for a missing cell."""
        texts = [*self.values, None]  # -1 is the last one
        return [texts[code] for code in self.codes.tolist()]

    def take(self, rows: NDArray[Any]) -> Column:
        """Some rows only (a mask or indices); values that no longer occur are forgotten."""
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])
        rank = np.full(len(self.values) + 1, -1, np.int32)
        rank[used] = np.arange(len(used), dtype=np.int32)
        values = tuple(self.values[code] for code in used)
        return Column(self.name, values, rank[codes], self.kind, int(rank[self.fill]))


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A data set.  `sha256` is that of the file's bytes, decompressed; weights (rows,), None: each is 1."""

    name: str
    sha256: str
    features: tuple[Column, ...]
    target: Column
    weights: NDArray[np.int64] | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.target.codes)

    @property
    def missing(self) -> dict[str, int]:
        """Number of missing cells of each column that has any, the class column last."""
        columns = self.features + ((self.target,) if self.target.name else ())
        return {column.name: column.missing for column in columns if column.missing}

    def take(self, rows: NDArray[Any]) -> Table:
        """Some rows only (a mask or indices); values that no longer occur are forgotten."""
        features = tuple(column.take(rows) for column in self.features)
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, features=features, target=self.target.take(rows), weights=weights)


Number = int | float


def number(text: str) -> Number | None:
    """The number that a text is, None if it is none; only decimal notation counts.

    Integers are exact.  A text that overflows is an infinity, as ``inf`` is.

    >>> number("36"), number("3.6e1"), number("-Inf"), number("1_000"), number("0x10")
    (36, 36.0, -inf, None, None)
    """
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else None


def key(text: str, *, numeric: bool) -> str | Number:
    """What makes two cells equal: the number in a numeric column where it is one, else the text.

    >>> key("36.0", numeric=True) == key("36", numeric=True), key("36.0", numeric=False)
    (True, '36.0')
    """
    value = number(text) if numeric else None
    return text if value is None else value


_INTEGER = re.compile(r"[+-]?[0-9]{1,300}")
_FLOAT = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf(?:inity)?)", re.I
)


def near(name: str, names: Sequence[str]) -> str:
    """What to say after "there is no such column": the closest name, else the first few.

    >>> near("clas", ["size", "class"])
    "did you mean 'class'?"
    """
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"did you mean {close[0]!r}?"
    return "the columns are " + ", ".join(names[:8]) + (" ..." if len(names) > 8 else "")


# --- reading -------------------------------------------------------------------------------------


def read(
    source: str | Path | Delimited,
    *,
    target: str | None = None,
    drop: Collection[str] = (),
    delimiter: str | None = None,
    na: Collection[str] = DEFAULT_NA,
) -> Table:
    """Read a CSV file with a header line, or one that is parsed; "-" is standard input, gzip and xz are
    recognised.

    target: the class column; None is the column called ``class``, else the last one; "" is none.
    drop: columns to leave out.  delimiter: one character, ``tab`` or ``space``; None finds it out
    among , ; TAB | and space.  na: the cells that are missing.  Blanks around cells do not count.

    DataError: the file cannot be used as it stands.  UsageError: an option names no column.
    """
    file = source if isinstance(source, Delimited) else parse(source, delimiter)
    target = _target(file.label, file.header, target, drop)
    cells = dict(zip(file.header, zip(*file.rows, strict=True), strict=True))
    return _table(file.name, file.sha256, cells, target, drop, na, file.where)


def from_frame(
    frame: Any, *, name: str = "frame", target: str | None = None, drop: Collection[str] = ()
) -> Table:
    """A pandas DataFrame as a table; options as in `read`, `sha256` that of the cells as JSON."""
    frame = frame.astype(object).where(frame.notna(), None)
    texts = [_texts(frame.iloc[:, i].tolist()) for i in range(frame.shape[1])]
    return _from_texts(name, [str(column) for column in frame.columns], texts, target, drop)


def from_arrays(
    X: Any, y: Any = None, names: Sequence[str] | None = None, *, name: str = "arrays", target: str = "class"
) -> Table:
    """X of shape (rows, columns), classes y of shape (rows,) or None, as a table.

    None and NaN are missing.  The columns are called x0, x1, ... unless `names` says otherwise.
    DataError: the shapes do not fit together.
    """
    cells = np.asarray(X)
    if cells.ndim != 2:
        raise DataError(f"{name}: X must have two dimensions, (rows, columns)")
    header = [f"x{i}" for i in range(cells.shape[-1])] if names is None else [str(each) for each in names]
    labels = None if y is None else np.asarray(y)
    if cells.shape != (len(cells), len(header)) or (labels is not None and labels.shape != (len(cells),)):
        raise DataError(
            f"{name}: X has {cells.shape[1]} columns and {len(cells)} rows; give as many names and classes"
        )
    texts = [_texts(column.tolist()) for column in cells.T]
    if labels is None:
        return _from_texts(name, header, texts, "", ())
    return _from_texts(name, [*header, target], [*texts, _texts(labels.tolist())], target, ())


def _texts(values: list[Any]) -> list[str]:
    return [
        "" if value is None or value != value else str(value) for value in values
    ]  # NaN differs from itself


def _from_texts(
    name: str, header: list[str], texts: list[list[str]], target: str | None, drop: Collection[str]
) -> Table:
    if len(set(header)) < len(header):
        raise DataError(f"{name}: two columns have the same name; rename one")
    if not texts or not texts[0]:
        raise DataError(f"{name}: no rows; add rows")
    digest = hashlib.sha256(json.dumps([header, texts]).encode()).hexdigest()
    cells = dict(zip(header, texts, strict=True))
    target = _target(name, header, target, drop)
    return _table(name, digest, cells, target, drop, DEFAULT_NA, lambda row: f"{name}, row {row + 1}")


def _target(label: str, header: Sequence[str], target: str | None, drop: Collection[str]) -> str:
    """The class column's name, "" for none; checks the names given."""
    for option, name in [("--target", target or ""), *(("--drop", each) for each in drop)]:
        if name and name not in header:
            raise UsageError(f"{option} {name}: {label} has no such column; {near(name, header)}")
    if target is None:
        target = "class" if "class" in header else header[-1]
        if alike := [name for name in header if name.lower() == "class" and name != target]:
            log.info("%s: the last column, %s, is taken as the class, not %s", label, target, alike[0])
    if target in drop:
        raise UsageError(f"--drop {target}: this is the class column; name another one with --target")
    if set(header) <= {*drop, target}:
        raise DataError(f"{label}: no column is left beside the class; is the delimiter right (--delimiter)?")
    return target


def _table(
    name: str,
    sha256: str,
    cells: Mapping[str, Sequence[str]],
    target: str,
    drop: Collection[str],
    na: Collection[str],
    where: Callable[[int], str],
) -> Table:
    columns = {each: factorise(each, texts, na, where) for each, texts in cells.items() if each not in drop}
    rows = len(next(iter(columns.values())).codes)
    none = Column("", (), np.full(rows, -1, np.int32), "category")
    classes = columns.pop(target) if target else none
    return Table(name, sha256, tuple(columns.values()), classes)


def factorise(name: str, cells: Sequence[str], na: Collection[str], where: Callable[[int], str]) -> Column:
    """A column from the text of each row; `where` names a row for messages.

    Each distinct text is looked at once, so a row costs two look-ups.  DataError: an infinity in a
    column of numbers.
    """
    texts = {cell: cell.strip() for cell in dict.fromkeys(cells)}
    numbers = {text: number(text) for text in texts.values() if text not in na}
    kind = _kind(numbers.values())
    if kind != "category" and any(map(_infinite, numbers.values())):
        row = next(i for i, cell in enumerate(cells) if _infinite(numbers.get(texts[cell])))
        raise DataError(
            f"{where(row)}: {name} is {texts[cells[row]]}, no finite number; mend it or --drop {name}"
        )
    keys: dict[str, Any] = {text: text for text in numbers} if kind == "category" else dict(numbers)
    spelling = {
        keys[text]: text for text in sorted(keys, key=lambda text: (-len(text), text))
    }  # shortest wins
    rank = {key: code for code, key in enumerate(sorted(spelling))}
    code = {cell: rank[keys[text]] if text in keys else -1 for cell, text in texts.items()}
    codes = np.fromiter(map(code.__getitem__, cells), np.int32, len(cells))
    return Column(name, tuple(spelling[key] for key in rank), codes, kind)


def _infinite(value: Number | None) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _kind(numbers: Collection[Number | None]) -> Kind:
    """Kind of a column with these distinct values; infinities alone are no numbers."""
    if None in numbers or all(map(_infinite, numbers)):
        return "category"
    return "integer" if all(isinstance(value, int) for value in numbers) else "float"
