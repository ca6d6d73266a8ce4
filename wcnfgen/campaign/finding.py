"""The instances that a campaign's patterns mean, each with a name of its own.

A pattern is a file, a pattern of files, or a folder: of a family, where the manifest says what was written,
or of files.  What is known of an instance is in the manifest of its family, and else in the file itself,
which is read once: facts are kept in ``facts.csv`` for as long as the file has the same size and times.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from wcnfgen.bundle import manifest, selection
from wcnfgen.bundle.facts import count
from wcnfgen.bundle.folder import Folder, read_about
from wcnfgen.bundle.manifest import Row
from wcnfgen.campaign import facts, tables
from wcnfgen.campaign.facts import Facts
from wcnfgen.campaign.instances import Instance
from wcnfgen.errors import FormatError, UsageError, WcnfgenError
from wcnfgen.files import safe, sha256

log = logging.getLogger("wcnfgen")

FACTS = "facts.csv"
ENDINGS = re.compile(r"\.w?cnf(\.gz|\.xz)?$", re.IGNORECASE)
NAME_LENGTH = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Facts):
    """The facts of a file as it was; stamp is what changes when it changes."""

    path: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Place:
    """A file, as its pattern names it; family and its line in the manifest, if there is one."""

    file: Path
    family: str
    row: Row | None = None

    @property
    def name(self) -> str:
        """As its file's, without ending."""
        stem = ENDINGS.sub("", self.file.name)
        return safe(stem.lstrip(".-"), NAME_LENGTH)


# ---------------------------------------------------------------------------- files


class Finder:
    """Patterns become files."""

    def __init__(self, folder: Path, *, selected: bool) -> None:
        self.folder, self.selected = folder, selected
        self._families: dict[Path, tuple[str, dict[Path, Row]] | None] = {}

    def places(self, patterns: Iterable[str]) -> list[Place]:
        """All files, each once.  Raises UsageError for a pattern that means nothing."""
        found: dict[Path, Place] = {}
        for pattern in patterns:
            places = list(self._of(pattern))
            if not places:
                raise UsageError(
                    f"{self.folder}: no instances at {pattern!r}: give files that end in .wcnf or .cnf (.gz, "
                    ".xz), patterns of them, or folders, relative to the campaign's"
                )
            for place in places:
                found.setdefault(Path(os.path.realpath(place.file)), place)
        return list(found.values())

    def _of(self, pattern: str) -> Iterator[Place]:
        path = self.folder / pattern
        if path.is_file():
            yield self._place(path)
        elif path.is_dir():
            yield from self._in(path)
        else:
            for name in sorted(glob.glob(str(path), recursive=True)):  # noqa: PTH207 - ** as in shells
                if Path(name).is_dir():
                    yield from self._in(Path(name))
                elif ENDINGS.search(name):
                    yield self._place(Path(name))

    def _in(self, path: Path) -> Iterator[Place]:
        """The instances of a folder."""
        family = self._family(path)
        if family is None:
            yield from (self._place(each) for each in sorted(path.iterdir()) if _is_instance(each))
            return
        name, rows = family
        yield from (Place(path / row.file, name, row) for row in rows.values())

    def _place(self, file: Path) -> Place:
        """A file; it may be one of a family all the same."""
        family = self._family(file.parent.parent)
        if family is None or Path(os.path.realpath(file)) not in family[1]:
            return Place(file, safe(Path(os.path.realpath(file)).parent.name))
        name, rows = family
        return Place(file, name, rows[Path(os.path.realpath(file))])

    def _family(self, path: Path) -> tuple[str, dict[Path, Row]] | None:
        """The name and the rows by file of a family's folder; None where it is none."""
        if path not in self._families:
            place = Folder(path)
            there = place.about.is_file() and place.manifest.is_file()
            self._families[path] = (read_about(place).name, self._rows(place)) if there else None
        return self._families[path]

    def _rows(self, place: Folder) -> dict[Path, Row]:
        rows = [row for row in manifest.read(place.manifest) if row.written]
        if self.selected:
            chosen = _chosen(place)
            rows = [row for row in rows if row.name in chosen]
        return {Path(os.path.realpath(place.path / row.file)): row for row in rows}


def _chosen(place: Folder) -> set[str]:
    if not place.selection.is_file():
        raise UsageError(f"{place.path}: no selection.csv: `wcnfgen calibrate {place.path}` chooses")
    return {choice.name for choice in selection.read(place.selection) if choice.chosen}


def _is_instance(path: Path) -> bool:
    return bool(ENDINGS.search(path.name)) and path.is_file()


# ---------------------------------------------------------------------------- facts


class Memory:
    """The facts of files that were read before, as long as they are the same."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FACTS
        self._seen: dict[str, Seen] = {}
        self._used: dict[str, Seen] = {}
        with contextlib.suppress(WcnfgenError):  # it is but a short cut
            self._seen = {each.path: each for each in tables.read(self._file, Seen)}

    def of(self, place: Place) -> Facts:
        """The facts of a file.  Raises FormatError where it is no instance or not what the manifest lists."""
        path, stamp = os.path.realpath(place.file), _stamp(place.file)
        seen = self._seen.get(path)
        if seen is None or seen.stamp != stamp:
            found = _read(place)
            seen = Seen(
                path=path, stamp=stamp, **{each.name: getattr(found, each.name) for each in fields(Facts)}
            )
        self._used[path] = seen
        return seen

    def write(self) -> None:
        """Keep what was used."""
        tables.write(self._used.values(), Seen, self._file)


def _stamp(file: Path) -> str:
    try:
        found = file.stat()
    except OSError as error:
        raise FormatError(
            f"{file}: {error.strerror or error}; where it is of a family, make that again"
        ) from None
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def _read(place: Place) -> Facts:
    """From the manifest if the file is the one that it lists, else from the file."""
    row = place.row
    if row is None or not row.file_sha256:
        return facts.of(place.file)
    digest = sha256(place.file)
    if digest != row.file_sha256:
        return facts.of(place.file)
    return Facts(
        sha256=digest,
        formula_sha256=row.sha256,
        format=row.format,
        variables=row.variables or 0,
        hard=row.hard or 0,
        soft=row.soft or 0,
        weight_sum=row.weight_sum or 0,
        weighted=(row.weight_distinct or 0) > 1,
        encoding=row.encoding,
        data=row.data,
    )


def _instance(place: Place, found: Facts, folder: Path) -> Instance:
    """All that is known of a file; what the family knows comes first."""
    row = place.row
    if row is not None and row.file_sha256 not in ("", found.sha256):
        raise FormatError(
            f"{place.file}: not the file that manifest.csv lists; `wcnfgen family` with the same options "
            "makes it again"
        )
    known: dict[str, Any] = {each.name: getattr(found, each.name) for each in fields(Facts)}
    if row is not None:
        best = row.witness_cost if row.best_cost is None else row.best_cost
        known |= {"least_cost": row.least_cost, "known_cost": best}
    return Instance(
        name=place.name,
        path=_path(place.file, folder),
        family=place.family,
        parameters=row.parameters if row else {},
        **known,
    )


def _path(file: Path, folder: Path) -> str:
    """Relative to the campaign's folder."""
    return os.path.relpath(file, folder)


# ---------------------------------------------------------------------------- instances


def instances(patterns: Iterable[str], folder: Path, *, selected: bool) -> tuple[list[Instance], Memory]:
    """The instances in the order of the patterns, and the facts to be kept.

    Raises UsageError where a pattern means nothing or two instances cannot be told apart by name, FormatError
    where a file is no instance.
    """
    memory = Memory(folder)
    found: dict[str, tuple[Place, Instance]] = {}
    twice = 0
    for place in Finder(folder, selected=selected).places(patterns):
        each = _instance(place, memory.of(place), folder)
        if each.sha256 in found:
            twice += 1
        else:
            found[each.sha256] = place, each
    if twice:
        log.info("%s with the bytes of another one: each instance runs once", count(twice, "file"))
    return _named(list(found.values())), memory


def _named(found: list[tuple[Place, Instance]]) -> list[Instance]:
    """Those whose name others have, too, get the name of their folder before it."""
    names = Counter(each.name for _, each in found)
    named = [
        replace(each, name=f"{_folder(place)}-{each.name}"[-NAME_LENGTH:]) if names[each.name] > 1 else each
        for place, each in found
    ]
    taken: dict[str, Instance] = {}
    for each in named:
        if (other := taken.setdefault(each.name, each)) is not each:
            raise UsageError(
                f"two instances would be called {each.name}: rename one of {other.path} and {each.path}"
            )
    return named


def _folder(place: Place) -> str:
    """What tells it from another: its family, or its folder."""
    return place.family if place.row else safe(Path(os.path.realpath(place.file)).parent.name)
