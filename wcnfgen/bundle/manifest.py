"""The manifest: one line an instance, what it is and what is known of it.

Columns with a fixed meaning are the fields of `Row`; what reference solvers took comes behind them as
``seconds:NAME`` and how they ended as ``ended:NAME``, what gbdc says as ``gbd:NAME``.  Empty is None.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from wcnfgen.bundle.difficulty import Difficulty
from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, open_read
from wcnfgen.instances import Plain

Status = Literal["written", "left out"]
Nonzero = Literal["bound", "solver", "open", ""]
Satisfiable = Literal["SAT", "UNSAT", ""]
NOT_RUN = "not run: "  # how the run of a solver ended that cannot take the instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One instance.

    name          without ending; file is its path in the family's folder, empty if it was left out
    status, why   written, or left out and the reason
    key           SHA-256 of what settles its bytes: equal keys, equal bytes
    sha256        of the formula as text, unpacked; file_sha256 of the file as it is
    identity      equal for formulas that are equal up to the names of variables and the order of clauses
    encoding, options, format   as in its spec, everything decided
    data, data_sha256, command  the data set, and the command that writes the instance from it
    source        where it is from: "rule:mux", a rule of `wcnfgen.instances.rules`; "paper:zoo", one of
                  `wcnfgen.instances.datasets`; "file", the submitters' own; empty: not recorded
    parameters    what varies in the family
    variables, hard, soft, literals, bytes   its size; bytes unpacked
    weight_min, weight_max, weight_distinct, weight_sum   of soft clauses
    least_cost    a proved lower bound on the cost
    nonzero       what shows that the optimum is not 0: a bound, a solver, or nothing yet (open)
    witness_cost  of the model that was known when the formula was written
    best_cost, best_by   of the best model known, verified, and who found it; proved: nothing costs less
    proved_by     who says so: bound, or a solver
    answer        of a CNF: SAT, there is a model; UNSAT, as a solver claims; empty: unknown
    difficulty    by reference solvers (`wcnfgen.calibration`), None before
    seconds, ended   of each reference solver: until its proof, None without one; how its run ended
    gbd           features and hashes of gbdc, by name
    """

    name: str
    status: Status
    why: str = ""
    file: str = ""
    key: str = ""
    sha256: str = ""
    file_sha256: str = ""
    identity: str = ""
    encoding: str = ""
    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    data: str = ""
    source: str = ""
    data_sha256: str = ""
    command: str = ""
    parameters: Mapping[str, Plain] = field(default_factory=dict)
    variables: int | None = None
    hard: int | None = None
    soft: int | None = None
    literals: int | None = None
    bytes: int | None = None
    weight_min: int | None = None
    weight_max: int | None = None
    weight_distinct: int | None = None
    weight_sum: int | None = None
    least_cost: int | None = None
    nonzero: Nonzero = ""
    witness_cost: int | None = None
    best_cost: int | None = None
    best_by: str = ""
    proved: bool | None = None
    proved_by: str = ""
    answer: Satisfiable = ""
    difficulty: Difficulty | None = None
    seconds: Mapping[str, float | None] = field(default_factory=dict)
    ended: Mapping[str, str] = field(default_factory=dict)
    gbd: Mapping[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> bool:
        """Whether there is a file."""
        return self.status == "written"

    @property
    def tried(self) -> bool:
        """Whether any reference solver ran on it."""
        return any(not how.startswith(NOT_RUN) for how in self.ended.values())


GROUPS = ("seconds", "ended", "gbd")  # each a column for each key
LATER = ("source", "answer")  # columns that manifests of earlier versions lack
_OBJECTS = ("options", "parameters")  # JSON in one cell
_SINGLE = tuple(each.name for each in fields(Row) if each.name not in GROUPS)
_WHOLE = tuple(each.name for each in fields(Row) if each.type == "int | None")


def text(rows: Iterable[Row]) -> str:
    """The manifest as CSV, with LF line ends; groups have a column for each key that any row has."""
    rows = list(rows)
    groups = {group: dict.fromkeys(key for row in rows for key in getattr(row, group)) for group in GROUPS}
    header = [*_SINGLE, *(f"{group}:{key}" for group, keys in groups.items() for key in keys)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        cells = [getattr(row, name) for name in _SINGLE]
        cells += [getattr(row, group).get(key) for group, keys in groups.items() for key in keys]
        writer.writerow([_cell(value) for value in cells])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return json.dumps(dict(value), separators=(",", ":"))
    return str(value)


def write(rows: Iterable[Row], target: Path) -> None:
    """Write the manifest, whole or not at all."""
    with atomic(target) as out:
        out.write(text(rows).encode("utf-8"))


def read(source: Path) -> list[Row]:
    """Read a manifest back, with or without the columns that came later.

    Raises FormatError with file and line.
    """
    with open_read(source) as stream:
        table = csv.DictReader(io.StringIO(stream.read().decode("utf-8", "replace")))
    try:
        return [_row(cells) for cells in table]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"{source}:{table.line_num}: not a line of a manifest: {error}") from error


def _row(cells: Mapping[str, str]) -> Row:
    there = (name for name in _SINGLE if name in cells or name not in LATER)
    found: dict[str, Any] = {name: _value(name, cells[name]) for name in there}
    if found["status"] not in get_args(Status):
        raise ValueError(f"status {found['status']!r}")
    for group in GROUPS:
        prefix = f"{group}:"
        keys = {key.removeprefix(prefix): cell for key, cell in cells.items() if key.startswith(prefix)}
        found[group] = {
            key: _grouped(group, cell) for key, cell in keys.items() if cell or group == "seconds"
        }
    ended = found["ended"]
    found["seconds"] = {key: value for key, value in found["seconds"].items() if key in ended}
    return Row(**found)


def _value(name: str, cell: str) -> Any:
    if name in _OBJECTS:
        return json.loads(cell or "{}")
    if name in _WHOLE:
        return int(cell) if cell else None
    if name == "proved":
        return {"yes": True, "no": False, "": None}[cell]
    return (cell or None) if name == "difficulty" else cell


def _grouped(group: str, cell: str) -> Any:
    if group == "seconds":
        return float(cell) if cell else None
    return cell
