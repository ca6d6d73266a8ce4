"""What a family's folder knows of itself, as description, plots and archive need it.

A family has instances that were written and some that were left out.  Where calibration chose among
those written, in ``selection.csv``, the chosen ones are the submission; else all are.  A choice that does
not name all of them was made before the others came: it is out of date, and counts no more than none.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wcnfgen import record
from wcnfgen.bundle import manifest, selection
from wcnfgen.bundle.folder import About, Folder, read_about
from wcnfgen.bundle.manifest import Row
from wcnfgen.errors import FormatError
from wcnfgen.instances import Plain
from wcnfgen.record import Record

MOST_GROUPS = 150  # in a table: three pages of it


@dataclass(frozen=True, slots=True)
class Facts:
    """A family's folder as it stands.

    chosen     the names of what was chosen; None where nothing was, or the choice is out of date
    unchosen   how many instances that were written a choice that is out of date does not name
    """

    folder: Folder
    about: About
    rows: tuple[Row, ...]
    chosen: frozenset[str] | None = None
    unchosen: int = 0

    @property
    def written(self) -> list[Row]:
        """The instances that there are."""
        return [row for row in self.rows if row.written]

    @property
    def left_out(self) -> list[Row]:
        """Those that there are not; each says why."""
        return [row for row in self.rows if not row.written]

    @property
    def submitted(self) -> list[Row]:
        """Those that go into the archive."""
        return [row for row in self.written if self.chosen is None or row.name in self.chosen]

    @property
    def solvers(self) -> list[str]:
        """The reference solvers, by name, in the order of the manifest."""
        return list(dict.fromkeys(solver for row in self.written for solver in (*row.seconds, *row.ended)))

    def run(self, solver: str) -> Record | None:
        """The record of one of its runs, for version, limits and machine; None where there is none."""
        for place in sorted((self.folder.runs / solver).glob("*.run.json"))[:1]:
            with contextlib.suppress(FormatError):
                return record.read(place)
        return None

    @property
    def calibrated(self) -> bool:
        """Whether any instance has a class of difficulty."""
        return any(row.difficulty for row in self.written)

    @property
    def key(self) -> str:
        """The parameter to tabulate by: the first that varies, and not over all bounds; or "data"."""
        keys = dict.fromkeys(key for row in self.written for key in row.parameters)
        varying = (key for key in keys if 1 < len(self.values(key)) <= MOST_GROUPS)
        return next(varying, next(iter(keys), "data"))

    def values(self, key: str) -> list[Plain]:
        """The values of a parameter that occur in written instances, in order; numbers come first."""
        found = {row.parameters[key] for row in self.written if key in row.parameters}
        return sorted(found, key=natural)

    def groups(self, rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
        """The rows by the value of `key`, in order, without empty groups."""
        key = self.key
        by_value = [
            (value, [row for row in rows if row.parameters.get(key) == value]) for value in self.values(key)
        ]
        rest = [row for row in rows if key not in row.parameters]
        return [(str(value), each) for value, each in (*by_value, ("other", rest)) if each]


def natural(value: Plain) -> tuple[bool, Sequence[Plain]]:
    """Numbers come before texts, and count as such in texts, too.

    >>> sorted(["mux11", "mux6", 3, "car"], key=natural)
    [3, 'car', 'mux6', 'mux11']
    """
    if not isinstance(value, str):
        return False, [value]
    pieces = re.split(r"(\d+)", value)
    return True, [int(piece) if place % 2 else piece for place, piece in enumerate(pieces)]


def read(folder: Folder) -> Facts:
    """All of it.  Raises UsageError where this is no family's folder, FormatError for a damaged file."""
    about = read_about(folder)
    rows = tuple(manifest.read(folder.manifest))
    if not folder.selection.is_file():
        return Facts(folder, about, rows)
    choices = {each.name: each.chosen for each in selection.read(folder.selection)}
    if unchosen := sum(row.written and row.name not in choices for row in rows):
        return Facts(folder, about, rows, unchosen=unchosen)
    return Facts(folder, about, rows, frozenset(name for name, chosen in choices.items() if chosen))


def tally(rows: Sequence[Row], of: Callable[[Row], str]) -> dict[str, int]:
    """How many rows have each value, in the order of the rows."""
    found: dict[str, int] = {}
    for row in rows:
        found[of(row)] = found.get(of(row), 0) + 1
    return found
