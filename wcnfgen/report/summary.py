"""Everything that a report shows, computed once: named tables of plain values.

Terminal, Markdown, LaTeX, CSV and the HTML page show these tables, and none of them computes anything.  A
column says what its values are: a unit, how many digits are worth reading, and whether high or low is good,
so that every form marks the same values as the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Cell = str | int | float | None
DIGITS = 9  # what is equal but for the rounding of floats is equal


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    name    its heading
    unit    of its values, shown with the heading: "s", "%"; empty: none
    digits  after the point, where values are shown to people; whole numbers are shown whole
    good    which value of a column is marked as the best; empty: none
    about   a line for people that says what it is; empty: the heading says it
    """

    name: str
    unit: str = ""
    digits: int = 3
    good: Literal["", "high", "low"] = ""
    about: str = ""

    @property
    def heading(self) -> str:
        """The name with the unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title.

    name     a short word: the file's name, the anchor's, what `--table` would say
    labels   so many columns at the left say what a row is, and are text
    groups   so many of these say which rows belong together: the best is marked within a group
    apart    rows that are shown and not marked, as the virtual best solver's: indices
    note     a line below it; empty: none
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    labels: int = 1
    groups: int = 0
    apart: frozenset[int] = frozenset()
    note: str = ""

    def best(self) -> frozenset[tuple[int, int]]:
        """The places (row, column) of the values to mark; none where all rows of a group are equal."""
        return frozenset(place for rows in self._grouped() for place in self._marked(rows))

    def _grouped(self) -> list[list[int]]:
        found: dict[tuple[Cell, ...], list[int]] = {}
        for place, row in enumerate(self.rows):
            if place not in self.apart:
                found.setdefault(row[: self.groups], []).append(place)
        return list(found.values())

    def _marked(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for at, column in enumerate(self.columns):
            values = {row: self.rows[row][at] for row in rows}
            numbers = {row: round(v, DIGITS) for row, v in values.items() if isinstance(v, (int, float))}
            if not column.good or len(set(numbers.values())) < 2:
                continue
            best = (max if column.good == "high" else min)(numbers.values())
            found += [(row, at) for row, value in numbers.items() if value == best]
        return found


@dataclass(frozen=True, slots=True)
class Summary:
    """A report's text and tables.

    title     names the campaigns
    facts     (what, value) lines above the tables: instances, solvers, limits, machines
    warnings  what a reader has to know before reading on: missing runs, lies, more threads than cores
    tables    in the order in which they are read; `scores` is the first
    details   tables for programs only: a line for each run
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    tables: tuple[Table, ...]
    details: tuple[Table, ...] = ()

    @property
    def everything(self) -> tuple[Table, ...]:
        """All tables, those for programs too."""
        return self.tables + self.details

    def table(self, name: str) -> Table | None:
        """A table by name; None if this report has none."""
        return next((each for each in self.everything if each.name == name), None)
