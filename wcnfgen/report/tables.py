"""A summary as text for a terminal, as Markdown and LaTeX for people, as CSV, JSON and Parquet for programs.

For people values are rounded as their columns say, the best of a group are marked, and what does not apply
is a dash.  For programs nothing is rounded: figures are written with all their digits, what does not apply is
an empty cell, null in JSON.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal, get_args

from wcnfgen import tex
from wcnfgen.campaign.exports import arrow
from wcnfgen.errors import UsageError
from wcnfgen.files import atomic, safe
from wcnfgen.report.summary import Cell, Column, Summary, Table
from wcnfgen.words import printable

Format = Literal["text", "markdown", "latex", "csv", "json", "parquet"]
ENDINGS: dict[str, Format] = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
}
MOST = 200  # rows of a table that people are shown
NOTHING = "–"
WIDTH = 100  # of a note below a table


def show(value: Cell, column: Column) -> str:
    """A value for people: so many digits, a thin wall against noughts that are none.

    >>> show(0.98765, Column("score")), show(3, Column("solved")), show(1e-9, Column("p", digits=4))
    ('0.988', '3', '<0.0001')
    """
    if value is None:
        return NOTHING
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{column.digits}f}"
    if value and not float(text):
        least = f"{10.0**-column.digits:.{column.digits}f}"
        return f"<{least}" if value > 0 else f">-{least}"
    return text


def unlike(rows: Sequence[Sequence[Cell]], groups: int) -> Iterator[tuple[Sequence[Cell], bool]]:
    """Rows, and whether each begins a group."""
    before: Sequence[Cell] | None = None
    for row in rows:
        yield row, row[:groups] != before
        before = row[:groups]


# ---------------------------------------------------------------------------- for people


def text(summary: Summary) -> Iterator[str]:
    """Lines for a terminal: columns aligned, the best values with a star behind."""
    width = max((len(name) for name, _ in summary.facts), default=0)
    yield printable(summary.title)
    yield from (f"  {name:<{width}}  {printable(value)}" for name, value in summary.facts)
    yield from (f"  warning: {printable(each)}" for each in summary.warnings)
    for table in summary.tables:
        yield from ("", table.title, *_aligned(table))
        if table.note:
            yield from (f"  {line}" for line in wrap(table.note, WIDTH))


def _aligned(table: Table) -> Iterator[str]:
    header = [printable(column.heading) for column in table.columns]
    cells = [header, *_cells(table, "{}*", "{}", printable)]
    widths = [max(len(row[at].rstrip("*")) for row in cells) for at in range(len(table.columns))]
    for number, row in enumerate(cells):
        parts = (_padded(cell, widths[at], at < table.labels) for at, cell in enumerate(row))
        yield ("  " + " ".join(parts)).rstrip()
        if not number:
            yield "  " + " ".join("-" * width + " " for width in widths).rstrip()
    yield from _more(table)


def _padded(cell: str, width: int, left: bool) -> str:
    """A star is beside the column, so that numbers stand below each other."""
    star = "*" if cell.endswith("*") else " "
    cell = cell.removesuffix("*")
    return (f"{cell:<{width}}" if left else f"{cell:>{width}}") + star


def _cells(table: Table, marked: str, plain: str, escape: Callable[[str], str] = str) -> Iterator[list[str]]:
    """All that is shown, as text; a group's name stands in its first row only."""
    best = table.best()
    for number, (row, first) in enumerate(unlike(table.rows[:MOST], table.groups)):
        shown = (show(value, column) for value, column in zip(row, table.columns, strict=True))
        yield [
            ""
            if at < table.groups and not first
            else (marked if (number, at) in best else plain).format(escape(cell))
            for at, cell in enumerate(shown)
        ]


def _more(table: Table) -> Iterator[str]:
    if len(table.rows) > MOST:
        yield f"  and {len(table.rows) - MOST} more: --format csv or json has all"


def markdown(summary: Summary) -> Iterator[str]:
    """Lines of Markdown, the best values in bold."""
    yield from (f"# {_plain(summary.title)}", "")
    yield from (f"- {name}: {_plain(value)}" for name, value in summary.facts)
    yield from (f"- **warning**: {_plain(each)}" for each in summary.warnings)
    for table in summary.tables:
        yield from ("", f"## {_plain(table.title)}", "", *_piped(table), *_more(table))
        if table.note:
            yield from ("", _plain(table.note))


def _piped(table: Table) -> Iterator[str]:
    yield _row(_plain(column.heading) for column in table.columns)
    yield _row("---" if at < table.labels else "--:" for at in range(len(table.columns)))
    for row in _cells(table, "**{}**", "{}", _plain):
        yield _row(row)


def _row(cells: Iterator[str] | Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(words: str) -> str:
    """Text that Markdown takes as it is: no line, no table and no markup of it ends or begins in a name."""
    marked = "".join(f"\\{c}" if c in "\\|*_`[]<>~#" else c for c in words)
    return " ".join(marked.split())


def latex(summary: Summary) -> Iterator[str]:
    """Floats to be included in a paper; they need the package booktabs.  The best values are bold."""
    yield f"% {' '.join(summary.title.split())}: needs \\usepackage{{booktabs}}"
    for table in summary.tables:
        if table.labels < len(table.columns):  # what is all text is nothing for a paper
            yield from ("", _float(table))


def _float(table: Table) -> str:
    rows = _cells(table, "\\textbf{{{}}}", "{}", tex.escape)
    ruled: list[list[str]] = []
    for row, (_, first) in zip(rows, unlike(table.rows[:MOST], table.groups), strict=True):
        ruled += [[], row] if ruled and first and table.groups else [row]
    header = [tex.escape(column.heading) for column in table.columns]
    columns = "l" * table.labels + "r" * (len(table.columns) - table.labels)
    caption = tex.escape(f"{table.title}. {table.note}" if table.note else table.title)
    return tex.floating(caption, f"tab:{safe(table.name)}", header, ruled, columns, wide=len(columns) > 6)


# ---------------------------------------------------------------------------- for programs


def to_csv(table: Table) -> str:
    """One table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.heading for column in table.columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in table.rows)
    return out.getvalue()


def to_json(summary: Summary) -> str:
    """Everything, as JSON."""
    tables = {each.name: _document(each) for each in summary.everything}
    whole = {
        "title": summary.title,
        "facts": dict(summary.facts),
        "warnings": list(summary.warnings),
        "tables": tables,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _document(table: Table) -> dict[str, Any]:
    columns = [column.heading for column in table.columns]
    rows = [dict(zip(columns, row, strict=True)) for row in table.rows]
    return {"title": table.title, "note": table.note, "columns": columns, "rows": rows}


def to_parquet(table: Table) -> bytes:
    """One table as Parquet.  Raises UsageError without pyarrow."""
    pyarrow, parquet = arrow()
    columns = {
        column.heading: _alike([row[at] for row in table.rows]) for at, column in enumerate(table.columns)
    }
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


def _alike(values: list[Cell]) -> list[Cell]:
    """A column of one type: numbers that are not all whole are floats, what is partly text is text."""
    there = [value for value in values if value is not None]
    if all(isinstance(value, (int, float)) for value in there):
        whole = all(isinstance(value, int) for value in there)
        return values if whole else [None if value is None else float(value) for value in values]
    return [None if value is None else str(value) for value in values]


# ---------------------------------------------------------------------------- files


def known(format: str | None, output: str | None) -> Format:
    """The format: that which is asked for, or that of the file's ending; text for a terminal."""
    if format is not None:
        if format not in get_args(Format):
            raise UsageError(f"--format {format}: choose one of {', '.join(get_args(Format))}")
        return format  # type: ignore[return-value]
    return ENDINGS.get(Path(output).suffix, "text") if output else "text"


def lines(summary: Summary, format: Format, table: str | None = None) -> str:
    """A summary, or one table of it, in a format of text; CSV has one table, by default the first."""
    chosen = summary if table is None else Summary(summary.title, (), (), (_named(summary, table),))
    if format == "json":
        return to_json(chosen)
    if format == "csv":
        return to_csv(chosen.tables[0]) if chosen.tables else ""
    form = {"text": text, "markdown": markdown, "latex": latex}[format]
    return "".join(f"{line}\n" for line in form(chosen))


def _named(summary: Summary, name: str) -> Table:
    found = summary.table(name)
    if found is None:
        there = ", ".join(each.name for each in summary.everything)
        raise UsageError(f"--table {name}: there is none; there are: {there}")
    return found


def write(summary: Summary, format: Format, target: Path, table: str | None = None) -> list[Path]:
    """Write a summary to a file; a folder gets a file for each table of CSV or Parquet."""
    if format in ("csv", "parquet") and table is None and target.suffix not in ENDINGS:
        return _each(summary, format, target)
    if format == "parquet":
        _put(target, to_parquet(_named(summary, table) if table else summary.tables[0]))
    else:
        _put(target, lines(summary, format, table).encode())
    return [target]


def _each(summary: Summary, format: Format, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    found = [folder / f"{safe(each.name)}.{format}" for each in summary.everything]
    for file, each in zip(found, summary.everything, strict=True):
        _put(file, to_parquet(each) if format == "parquet" else to_csv(each).encode())
    return found


def _put(target: str | os.PathLike[str], content: bytes) -> None:
    with atomic(target) as out:
        out.write(content)
