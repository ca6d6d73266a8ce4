"""The data sets of the papers: what each is, where it is published, and where it lies here.

``data/datasets.csv`` has one line for each name of a paper's table; two papers' names of one file are two
lines, since the papers prepare it differently.  The files themselves are not part of the package.  They are
looked for in the folders that the user gives, under the place of the table (``pmlb/zoo.csv``) or under their
own name alone (``zoo.csv``), packed or not.

A file counts as the paper's if its bytes are those of the table (SHA-256, unpacked).  One with other bytes
but as many rows, features and classes is taken with a warning, so that a copy with other line ends or another
header will do; anything else is some other data set of that name, and is not taken.
"""

from __future__ import annotations

import csv
import difflib
import functools
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

from wcnfgen.errors import DataError, UsageError

log = logging.getLogger("wcnfgen")

PACKINGS = ("", ".gz", ".xz")


@dataclass(frozen=True, slots=True)
class PaperSet:
    """A data set under the name that a paper gives it.

    file      its place in a folder of data sets, unpacked
    rows, features, classes   of the file as it is
    sha256    of the file, unpacked
    options   of `wcnfgen.encode` that the paper's preparation needs: which column is no feature, what a
              missing cell means
    used      the paper and the place in it
    licence, url   under which terms, and where, it is published
    cite      keys of ``data/references.bib``
    rule      a rule of `wcnfgen.instances.rules` that writes the very same bytes, or empty
    """

    name: str
    file: str
    rows: int
    features: int
    classes: int
    sha256: str
    options: Mapping[str, Any]
    used: str
    licence: str
    url: str
    cite: tuple[str, ...]
    rule: str


def names() -> list[str]:
    """All names, in the order of the table.

    >>> names()[:3]
    ['append', 'audio', 'back']
    """
    return list(_table())


def get(name: str) -> PaperSet:
    """The data set of this name.  Raises UsageError where there is none.

    >>> get("back").file, dict(get("back").options)
    ('pmlb/backache.csv', {'drop': ['id']})
    """
    table = _table()
    if name not in table:
        close = difflib.get_close_matches(name, table, n=2)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(table)}"
        raise UsageError(f"no paper's data set is named {name!r}; {hint}")
    return table[name]


@functools.cache
def _table() -> dict[str, PaperSet]:
    text = resources.files("wcnfgen.instances").joinpath("data", "datasets.csv").read_text("utf-8")
    return {line["name"]: _paper_set(line) for line in csv.DictReader(text.splitlines())}


def _paper_set(line: dict[str, Any]) -> PaperSet:
    whole = {key: int(line[key]) for key in ("rows", "features", "classes")}
    options = json.loads(line["options"] or "{}")
    return PaperSet(**{**line, **whole, "options": options, "cite": tuple(line["cite"].split())})


def locate(name: str, folders: Sequence[Path]) -> Path | None:
    """Where the file of a data set is; None if it is in none of the folders.

    Raises UsageError for an unknown name.
    """
    wanted = get(name)
    there = list(_candidates(wanted, folders))
    same = (path for path in there if _sha256(path, *_state(path)) == wanted.sha256)
    alike = (path for path in there if _is_alike(name, path, *_state(path)))
    return next(same, None) or next(alike, None)


def missing_line(name: str) -> str:
    """What is missing and where it is published, as one line.

    >>> missing_line("zoo")
    'zoo: no file uci/zoo.csv; published at https://archive.ics.uci.edu/dataset/111/zoo'
    """
    wanted = get(name)
    return f"{name}: no file {wanted.file}; published at {wanted.url}"


def _candidates(wanted: PaperSet, folders: Sequence[Path]) -> Iterator[Path]:
    for folder in folders:
        for place in (wanted.file, PurePosixPath(wanted.file).name):
            for packing in PACKINGS:
                path = Path(folder) / f"{place}{packing}"
                if path.is_file():
                    yield path


def _state(path: Path) -> tuple[int, int]:
    """Changes when the file does."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@functools.cache
def _sha256(path: Path, *state: int) -> str:
    from wcnfgen.files import open_read

    with open_read(path) as stream:
        return hashlib.sha256(stream.read()).hexdigest()


@functools.cache
def _is_alike(name: str, path: Path, *state: int) -> bool:
    """Whether the file has as many rows, features and classes; says what it found, once."""
    from wcnfgen.data import read

    wanted = get(name)
    try:
        table = read(str(path))
    except DataError as error:
        log.warning("%s is not the data set %s: %s", path, name, error)
        return False
    found = (table.rows, len(table.features), len(table.target.values))
    if found != (wanted.rows, wanted.features, wanted.classes):
        log.warning(
            "%s is not the data set %s: it has %d rows, %d features and %d classes, not %d, %d and %d",
            *(path, name, *found, wanted.rows, wanted.features, wanted.classes),
        )
        return False
    log.warning("%s has other bytes than the data set %s that is known here: instances differ", path, name)
    return True
