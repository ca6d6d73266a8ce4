"""The solvers of a campaign, found: programs, versions and what they are given.

A program that is named by its path is tried on tiny instances, once in a campaign: what comes out of that
(`wcnfgen.launch.known`) is kept in the plan, for as long as the program has the same bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from wcnfgen import launch, solvers
from wcnfgen.campaign import keys
from wcnfgen.campaign.keys import Identity
from wcnfgen.campaign.settings import Entrant, Settings
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.files import real
from wcnfgen.solvers import Solver

log = logging.getLogger("wcnfgen")


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A solver that can run.

    called      a name from `wcnfgen solvers`, or the program's absolute path
    binary      None: where the descriptor looks
    descriptor  of a path, what trials told
    version     what it says of itself
    identity    see `wcnfgen.campaign.keys`
    files       other files that it runs
    """

    entrant: Entrant
    called: str
    binary: str | None
    descriptor: Solver
    version: str
    identity: Identity
    files: tuple[Path, ...]

    @property
    def name(self) -> str:
        """In tables and files."""
        return self.entrant.name

    @property
    def is_changed(self) -> bool:
        """Whether its files, or a module's version, are others now.  Raises SolverError where it is gone."""
        module = bool(self.descriptor.module)
        version = self.descriptor.version(self.binary) if module else self.version
        program = _program(self.entrant, self.descriptor, self.binary)
        now = keys.identity(self.entrant, self.descriptor, version, program, self.files)
        return now != self.identity

    def has_its_bytes(self, digest: Callable[[Path], str]) -> bool:
        """Whether program and files are those of the identity, by their digests.  Raises SolverError."""
        program = digest(_program(self.entrant, self.descriptor, self.binary))
        files = sorted(map(digest, self.files))
        return [program, files] == [self.identity["program"], self.identity["files"]]

    def to_fields(self) -> dict[str, Any]:
        """As JSON types; what follows from the settings is left out."""
        found = asdict(self.descriptor)
        if "/" in self.entrant.solver:
            found["binary"] = self.entrant.solver
        return {"version": self.version, "descriptor": found, "identity": self.identity}


def from_fields(entrant: Entrant, folder: Path, found: Mapping[str, Any]) -> Ready:
    """Read it back.  Raises TypeError, KeyError where it is of another version of ours."""
    if set(found["descriptor"]) != {each.name for each in fields(Solver)}:
        raise TypeError("solvers were described otherwise")
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in found["descriptor"].items()
    }
    called = placed(entrant.solver, folder)
    descriptor = Solver(**given | ({"binary": called} if "/" in called else {}))
    binary, files = _binary(entrant, folder), _files(entrant, folder)
    return Ready(entrant, called, binary, descriptor, found["version"], found["identity"], files)


def placed(name: str, folder: Path) -> str:
    """A path, from where the campaign's folder is; a name without a slash stays."""
    return str(real(folder) / name) if "/" in name else name


def _binary(entrant: Entrant, folder: Path) -> str | None:
    return None if entrant.binary is None else placed(entrant.binary, folder)


def _files(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    return tuple(real(folder) / file for file in entrant.files)


def ready(settings: Settings, folder: Path, before: Mapping[str, Ready]) -> dict[str, Ready]:
    """Find the solvers; before are those of the last plan.

    Raises SolverError where one is not installed, UsageError where it needs what the settings do not give, or
    where two are the same.
    """
    found: dict[str, Ready] = {}
    for entrant in settings.solvers:
        each = _ready(entrant, settings, folder, before.get(entrant.name))
        twin = next((other.name for other in found.values() if other.identity == each.identity), None)
        if twin:
            raise UsageError(f"the solvers {twin} and {each.name} are the same program and options: drop one")
        found[each.name] = each
    unseeded = [each.name for each in found.values() if settings.seeds and not each.entrant.seeded]
    if unseeded:
        log.warning(
            "%s: no {seed} in the options, so the runs for %d seeds are repetitions",
            ", ".join(unseeded),
            len(settings.seeds),
        )
    return found


def _ready(entrant: Entrant, settings: Settings, folder: Path, before: Ready | None) -> Ready:
    called, binary = placed(entrant.solver, folder), _binary(entrant, folder)
    plain = solvers.get(called)
    seed = settings.seeds[0] if settings.seeds else None
    plain.command(Path("x.wcnf"), settings.limits, binary, entrant.options, seed)  # raises
    program = _program(entrant, plain, binary)
    files = _files(entrant, folder)
    descriptor = plain
    if "/" in called:
        known = before and _known(before, entrant, plain, program, files)
        descriptor = known or launch.known(called, binary, entrant.options)
    version = descriptor.version(binary)
    identity = keys.identity(entrant, descriptor, version, program, files)
    return Ready(entrant, called, binary, descriptor, version, identity, files)


def _program(entrant: Entrant, descriptor: Solver, binary: str | None) -> Path:
    found = descriptor.find(binary)
    if found is None:
        raise SolverError(f"{entrant.name}: {binary or descriptor.title} is not installed")
    return Path(found)


def _known(
    before: Ready, entrant: Entrant, plain: Solver, program: Path, files: Sequence[Path]
) -> Solver | None:
    """What trials told before, if they told anything, of a program with the same bytes."""
    same = (before.entrant.solver, before.entrant.binary) == (entrant.solver, entrant.binary)
    if not same or before.descriptor == plain:
        return None
    digests = [keys.digest(program), sorted(map(keys.digest, files))]
    return before.descriptor if digests == [before.identity["program"], before.identity["files"]] else None
