"""What must hold of any bytes at all: an error of the family, or something that a law holds of.

Each law takes the bytes of a file and says whether they were accepted.  It raises what is a bug:
AssertionError where the law does not hold, and anything else that came out of the reader.
"""

from __future__ import annotations

import csv as standard
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from wcnfgen import data as tables
from wcnfgen import map as maps
from wcnfgen import output as outputs
from wcnfgen import reader as formulas
from wcnfgen import writer
from wcnfgen.binarise import Binarisation
from wcnfgen.claims import Seen, disagreements
from wcnfgen.data import Table
from wcnfgen.delimited import Delimited, parse
from wcnfgen.errors import DataError, FormatError, UsageError
from wcnfgen.identity import of_chunks
from wcnfgen.missing import fill
from wcnfgen.output import Answer, Values
from wcnfgen.reader import Reader, Whole
from wcnfgen.render import STYLES, render
from wcnfgen.tree import size

OURS = (DataError, FormatError, UsageError)
FORMATS: tuple[Literal["wcnf", "wcnf-old"], ...] = ("wcnf", "wcnf-old")
FEW = 3_000  # cells or variables, up to which what is slow is tried as well


def csv(raw: bytes) -> bool:
    """A data file: written and read again it is the same table, as are its lines."""
    try:
        parsed = _parsed(raw)
    except OURS:
        return False
    assert all(len(row) == len(parsed.header) for row in parsed.rows)
    if [""] not in parsed.rows:  # which is a blank line where there is one column
        again = _parsed(_quoted(parsed.header, parsed.rows), ",")
        assert (again.header, again.rows) == (parsed.header, parsed.rows)
    lines = "".join(parsed.lines).encode()
    assert _parsed(lines, parsed.delimiter).rows == parsed.rows
    try:
        table = tables.read(parsed)
    except OURS:
        return False
    _same_table(table)
    _same_columns(table)
    return True


def wcnf(raw: bytes) -> bool:
    """A formula: read quickly or by line, at once or in pieces, or written in either format: the same."""
    found = _formula(raw)
    assert _formula(raw, slowly=True) == found
    assert _formula(raw, piece=13) == found
    if not isinstance(found, Whole):
        return False
    light = sum(weight for weight, _ in found.softs) < writer.MAX_WEIGHT_SUM - 1
    if light and found.variables <= FEW:
        for format in FORMATS:
            out = io.BytesIO()
            writer.write(found, out, format=format)
            again = _formula(out.getvalue())
            assert isinstance(again, Whole)
            assert _clauses(again) == _clauses(found), format
            assert _identity(raw) == _identity(out.getvalue())
    return True


def header(raw: bytes) -> bool:
    """The map of a file: decoded it says what its trees are, and written again it decodes alike."""
    try:
        found = maps.from_text(raw.decode("utf-8", "replace"), "x")
    except OURS:
        return False
    encoding, names = found.encoding, found.fitted.names
    problem = encoding.problem
    assert len(names.questions) == len(names.negations) == problem.features
    assert encoding.variables == found.fields["variables"]
    assert all(isinstance(each, int) for each in (found.hard, found.soft, found.least_cost))
    if found.witness:
        assert size(found.witness) < len(raw)
        for style in STYLES:
            render(found.witness, names, style)
        if found.has_rows:
            encoding.cost(found.witness)
            if encoding.variables <= FEW:
                assert len(encoding.model(found.witness)) == encoding.variables + 1
    if encoding.variables <= FEW:
        with suppress(ValueError):  # no tree
            render(encoding.tree(np.zeros(encoding.variables + 1, bool)), names, "text")
    again = maps.from_text(json.dumps(found.fields), "x")
    assert again.fitted == found.fitted
    return True


def output(raw: bytes) -> bool:
    """A solver's output: in whatever pieces it comes, it says the same."""
    answer = outputs.parse([raw])
    for piece in (1, 7, 64):
        assert outputs.parse(outputs.pieces(io.BytesIO(raw), piece)) == answer, piece
    assert outputs.parse(raw.splitlines(keepends=True) if b"\r" not in raw else [raw]) == answer
    list(disagreements(answer, Seen(0, 3, 4, 5, 6), 2, 6))
    list(disagreements(answer, None, 2, 6))
    return _has_values(answer)


LAWS: dict[str, Callable[[bytes], bool]] = {each.__name__: each for each in (csv, wcnf, header, output)}


# --- data files ----------------------------------------------------------------------------------


@cache
def _folder() -> Path:
    """Of the files that are read by name; it goes when Python ends."""
    _folder.kept = tempfile.TemporaryDirectory(prefix="wcnfgen-fuzz-")  # type: ignore[attr-defined]
    return Path(_folder.kept.name)  # type: ignore[attr-defined]


def _parsed(raw: bytes, delimiter: str | None = None) -> Delimited:
    path = _folder() / "x.csv"
    path.write_bytes(raw)
    return parse(path, delimiter)


def _quoted(header: tuple[str, ...], rows: list[list[str]]) -> bytes:
    out = io.StringIO(newline="")
    standard.writer(out, quoting=standard.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    return out.getvalue().encode()


def _same_table(table: Table) -> None:
    columns = (*table.features, table.target)
    names = tuple(column.name for column in columns)
    cells = [[cell or "?" for cell in column.cells()] for column in columns]
    again = tables.read(_parsed(_quoted(names, [list(row) for row in zip(*cells, strict=True)]), ","))
    for before, after in zip(columns, (*again.features, again.target), strict=True):
        assert (before.name, before.values, before.numeric) == (after.name, after.values, after.numeric)
        assert before.codes.tolist() == after.codes.tolist()


def _same_columns(table: Table) -> None:
    """The columns that are fitted, their words and what they make of the rows survive JSON."""
    if table.rows * sum(len(column.values) for column in table.features) > FEW:
        return
    for policy, scheme in (("category", "thresholds"), ("mode", "onehot"), ("drop-rows", "binary")):
        try:
            filled = fill(table, policy)
            columns = Binarisation.fit(filled, scheme=scheme)  # type: ignore[arg-type]
            X, unseen = columns.apply(filled)
        except OURS:
            continue
        again = Binarisation.from_json(json.loads(json.dumps(columns.to_json())))
        assert again == columns and not unseen
        assert np.array_equal(again.apply(filled)[0], X)
        assert all(columns.question(r) and columns.negation(r) for r in range(len(columns.tests)))


# --- formulas ------------------------------------------------------------------------------------


def _formula(raw: bytes, *, slowly: bool = False, piece: int = formulas.CHUNK) -> Whole | str:
    """The formula, or where it is refused."""
    with _reading(slowly, piece):
        try:
            return _Same(formulas.read(io.BytesIO(raw)))
        except OURS as error:
            return str(error)


class _Same(Whole):
    """A formula that is equal to one of the same clauses and comments."""

    def __init__(self, found: Whole) -> None:
        super().__init__(found.variables, found.hards, found.softs, found.comments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Whole) and (_clauses(self), self.variables) == (
            _clauses(other),
            other.variables,
        )

    __hash__ = None  # type: ignore[assignment]


def _clauses(formula: Whole) -> tuple[list[list[int]], list[tuple[int, list[int]]]]:
    hards = [block.ravel().tolist() for block in formula.hards]
    return hards, [(weight, block.ravel().tolist()) for weight, block in formula.softs]


@contextmanager
def _reading(slowly: bool, piece: int) -> Iterator[None]:
    quick, chunk = Reader._fast, formulas.CHUNK
    try:
        if slowly:
            Reader._fast = lambda self, data: None  # type: ignore[method-assign]
        formulas.CHUNK = piece
        yield
    finally:
        Reader._fast, formulas.CHUNK = quick, chunk  # type: ignore[method-assign]


def _identity(raw: bytes) -> str:
    return of_chunks(lambda: Reader(io.BytesIO(raw)).chunks())


# --- outputs -------------------------------------------------------------------------------------


def _has_values(answer: Answer) -> bool:
    """Whether there is a model, in some reading."""
    if answer.model is None:
        return False
    accepted = False
    for n in (0, 1, 5, 100):
        for values in get_args(Values):
            try:
                assert len(answer.model.assignment(n, values)) == n
                assert 0 <= answer.model.missing(n, values) <= n
                accepted = True
            except FormatError:
                pass
    return accepted
