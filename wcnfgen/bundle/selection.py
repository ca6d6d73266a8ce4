"""selection.csv: which instances are to be submitted, and why.

`wcnfgen.calibration` chooses.  A selection holds as long as it names every instance that was written; one
made before others came is out of date (`wcnfgen.bundle.facts`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, open_read


@dataclass(frozen=True, slots=True)
class Choice:
    """Whether an instance is to be submitted, and why; difficulty is empty where nobody has tried."""

    name: str
    chosen: bool
    difficulty: str
    reason: str


def write(choices: Iterable[Choice], target: Path) -> None:
    """Write selection.csv."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "chosen", "difficulty", "reason"])
    writer.writerows([c.name, "yes" if c.chosen else "no", c.difficulty, c.reason] for c in choices)
    with atomic(target) as out:
        out.write(text.getvalue().encode("utf-8"))


def read(source: Path) -> list[Choice]:
    """Read it back.  Raises FormatError."""
    with open_read(source) as stream:
        table = csv.DictReader(io.StringIO(stream.read().decode("utf-8", "replace")))
    chosen = {"yes": True, "no": False}
    try:
        return [
            Choice(line["name"], chosen[line["chosen"]], line["difficulty"], line["reason"]) for line in table
        ]
    except (KeyError, csv.Error) as error:
        raise FormatError(f"{source}:{table.line_num}: not a line of a selection: {error}") from error
