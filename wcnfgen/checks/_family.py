"""A family's folder as rules look at it: what it says, and the instances that are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wcnfgen import verdict
from wcnfgen.bundle import models
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.checks._rule import Hit, Place, Track
from wcnfgen.checks.together import Member
from wcnfgen.errors import WcnfgenError


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


def wrong_model(folder: Folder, row: Row, instance: Path, track: Track) -> str:
    """What is wrong with the model of an instance; empty if all is right."""
    source = models.place(folder.models, row.name)
    if not source.is_file():
        if track == "sat":  # there need not be one
            return ""
        return "no model in models/: nothing shows that the hard clauses can hold"
    try:
        known = models.read(source)
        found = verdict.judge(instance, known.answer, values="bits").verdict
    except WcnfgenError as error:
        return str(error)
    if known.sha256 != row.sha256:
        return "its model was found for another formula; `wcnfgen calibrate` finds one anew"
    if found.findings:
        return str(found.findings[0])
    if found.decision:
        return ""
    if found.cost != row.best_cost:
        return f"its model costs {found.cost}, the manifest says {row.best_cost}"
    if known.proved != bool(row.proved):
        said = {True: "best", False: "not proved to be best"}
        return f"its model is {said[known.proved]}, the manifest says {said[not known.proved]}"
    return ""
