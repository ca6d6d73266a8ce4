"""The folder of a family: where its things are, and what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wcnfgen.errors import FormatError, UsageError
from wcnfgen.files import atomic
from wcnfgen.instances import Family


@dataclass(frozen=True, slots=True)
class Folder:
    """The places in a family's folder."""

    path: Path

    @property
    def about(self) -> Path:
        """What the family says of itself."""
        return self.path / "family.json"

    @property
    def manifest(self) -> Path:
        """One line an instance."""
        return self.path / "manifest.csv"

    @property
    def selection(self) -> Path:
        """Which instances to submit, and why."""
        return self.path / "selection.csv"

    @property
    def instances(self) -> Path:
        """The formulas."""
        return self.path / "instances"

    @property
    def models(self) -> Path:
        """The best models known."""
        return self.path / "models"

    @property
    def data(self) -> Path:
        """Data sets that a rule generated."""
        return self.path / "data"

    @property
    def chains(self) -> Path:
        """Trees of AdaBoost rounds."""
        return self.path / "chains"

    @property
    def runs(self) -> Path:
        """Logs and records of reference solvers, a folder for each."""
        return self.path / "runs"

    @property
    def plots(self) -> Path:
        """Pictures."""
        return self.path / "plots"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What the family says of itself: its name, its file's `Family`, and how this folder was made.

    wcnfgen   our version
    command   the command that makes it again, without places of files
    authors   each as "Name; affiliation; e-mail", as given
    """

    name: str
    family: Family
    wcnfgen: str
    command: str
    authors: tuple[str, ...]

    def write(self, target: Path) -> None:
        """Write it as JSON."""
        with atomic(target) as out:
            out.write(json.dumps(_plain(asdict(self)), indent=1).encode("ascii") + b"\n")


def read_about(folder: Folder) -> About:
    """Read it back.  Raises UsageError where the folder is no family's, FormatError where it is damaged."""
    if not folder.about.is_file():
        raise UsageError(
            f"{folder.path}: no family.json: `wcnfgen family NAME -o {folder.path}` makes a family"
        )
    try:
        found: dict[str, Any] = json.loads(folder.about.read_text("utf-8"))
        family = _family(found.pop("family"))
        return About(**found | {"family": family, "authors": tuple(found["authors"])})
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(f"{folder.about}: not what a family says of itself: {error}") from error


def _family(found: Mapping[str, Any]) -> Family:
    return Family(**{**found, "papers": tuple(found["papers"])})


def _plain(value: Any) -> Any:
    """Mappings as dictionaries, in order."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value
