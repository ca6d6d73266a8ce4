"""The files that a campaign's patterns mean.

A pattern is a file, a pattern of files, or a folder: of a family, where the manifest says what was written,
or of files.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.bundle import manifest, selection
from wcnfgen.bundle.folder import Folder, read_about
from wcnfgen.bundle.manifest import Row
from wcnfgen.errors import UsageError
from wcnfgen.files import safe

ENDINGS = re.compile(r"\.w?cnf(\.gz|\.xz)?$", re.IGNORECASE)
NAME_LENGTH = 180


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
            names = glob.glob(pattern, root_dir=self.folder, recursive=True)  # noqa: PTH207 - ** as in shells
            for name in sorted(names):
                found = self.folder / name
                if found.is_dir():
                    yield from self._in(found)
                elif ENDINGS.search(name):
                    yield self._place(found)

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
