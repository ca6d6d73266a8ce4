"""A family's folder as rules look at it: what it says, and the instances that are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.checks._rule import Hit, Place
from wcnfgen.checks.together import Member


@dataclass(frozen=True, slots=True)
class Family:
    """A folder, its path as findings say it, and the instances that were looked at, by path in the folder."""

    facts: Facts
    name: str
    members: Mapping[str, Member]

    @property
    def folder(self) -> Folder:
        """The places in it."""
        return self.facts.folder

    def rows(self) -> Iterator[tuple[Row, Place]]:
        """The instances that are said to be there, and their lines of the manifest."""
        for line, row in enumerate(self.facts.rows, 2):
            if row.written:
                yield row, Place(1, line)

    def about(self, message: str, file: str = "manifest.csv", place: Place | None = None) -> Hit:
        """Something to say of a file in the folder."""
        return Hit(message, place, f"{self.name}/{file}")


@dataclass(frozen=True, slots=True)
class Damaged:
    """A family's folder that cannot be read, and why."""

    message: str
