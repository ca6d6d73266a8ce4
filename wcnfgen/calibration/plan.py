"""Which runs are there, and which have to be made.

A run counts if it was made on the very file that the manifest lists and was not interrupted.  It is not
made again if solver, version and the limits on wall time and memory are the same.  If only version or limits
differ it is not thrown away without being told to: it may have taken an hour.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wcnfgen import judged, solvers
from wcnfgen import record as records
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.drivers import Limits
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.files import safe
from wcnfgen.judged import Judged
from wcnfgen.output import Values
from wcnfgen.record import Record
from wcnfgen.solvers import Solver

ENDING = ".run.json"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run is; folder is that of its solver."""

    folder: Path
    name: str

    @property
    def log(self) -> Path:
        """What the solver printed."""
        return self.folder / f"{self.name}.log.gz"

    @property
    def record(self) -> Path:
        """How the run ended."""
        return self.folder / f"{self.name}{ENDING}"

    @property
    def verdict(self) -> Path:
        """What of the log is true."""
        return self.folder / f"{self.name}.verdict.json"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference solver: how it was called, its name in files and columns, its descriptor and version."""

    called: str
    name: str
    solver: Solver
    version: str

    def is_newer(self, record: Path) -> bool:
        """Whether this is a program of the user's that was built after a run with it."""
        program = self.solver.find() if "/" in self.called else None
        return program is not None and Path(program).stat().st_mtime > record.stat().st_mtime


@dataclass(frozen=True, slots=True)
class Order:
    """What a run is made with."""

    solver: Solver
    called: str
    limits: Limits
    driver: str


@dataclass(frozen=True, slots=True)
class Job:
    """A run to make, or with run None only to judge; values is how the solver's models are read."""

    place: Place
    instance: Path
    values: Values
    run: Order | None

    def on(self, cores: frozenset[int]) -> Job:
        """The same on those cores."""
        if self.run is None:
            return self
        return replace(self, run=replace(self.run, limits=replace(self.run.limits, cores=cores)))


def job_to_json(job: Job) -> bytes:
    """A job as a line."""
    return json.dumps(asdict(job), default=_plain).encode("ascii") + b"\n"


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else str(value)


def job_from_json(line: bytes) -> Job:
    """The job of a line."""
    found: dict[str, Any] = json.loads(line)
    run, place = found["run"], found["place"]
    if run is not None:
        solver: dict[str, Any] = {key: _tuple(value) for key, value in run["solver"].items()}
        cores = run["limits"]["cores"]
        limits = Limits(**run["limits"] | {"cores": None if cores is None else frozenset(cores)})
        run = Order(Solver(**solver), run["called"], limits, run["driver"])
    return Job(Place(Path(place["folder"]), place["name"]), Path(found["instance"]), found["values"], run)


def _tuple(value: object) -> object:
    """JSON has lists."""
    return tuple(value) if isinstance(value, list) else value


def references(called: Sequence[str], known: Sequence[Solver], limits: Limits) -> list[Reference]:
    """The solvers under the names that they have in files.

    Raises SolverError for one that is not installed, UsageError for two of one name, or one that needs a
    limit that is not set.
    """
    found: list[Reference] = []
    for text, solver in zip(called, known, strict=True):
        solver.command(Path("x.wcnf"), limits)  # raises
        name = safe(Path(text).name)
        if name in (each.name for each in found):
            raise UsageError(f"--solver {text}: two solvers of the name {name}; make a link of another name")
        found.append(Reference(text, name, solver, solver.version()))
    return found


@dataclass(frozen=True, slots=True)
class Entry:
    """An instance that was written: its line in the manifest, its file, and the digest of that."""

    row: Row
    file: Path
    sha256: str


def entry(folder: Folder, row: Row) -> Entry:
    """The instance of a row.  Raises FormatError where the file is not the one that was written."""
    file = folder.path / row.file
    sha256 = judged.digest(file)
    if not sha256 or row.file_sha256 not in ("", sha256):
        fault = "is not the file that manifest.csv lists" if sha256 else "is missing"
        raise FormatError(f"{file}: {fault}; `wcnfgen family` with the same options makes it again")
    return Entry(row, file, sha256)


@dataclass(frozen=True, slots=True)
class Past:
    """A run that counts; judged None: what of it is true is not known yet."""

    place: Place
    record: Record
    judged: Judged | None

    @property
    def solver(self) -> str:
        """The solver's name in files and columns."""
        return self.place.folder.name


def past(folder: Folder, instance: Entry) -> list[Past]:
    """The runs on an instance that count, by solver."""
    if not folder.runs.is_dir():
        return []
    found = []
    for each in sorted(path for path in folder.runs.iterdir() if path.is_dir()):
        place = Place(each, instance.row.name)
        record = _whole(place)
        if record is not None and record.instance_sha256 == instance.sha256:
            verdict = judged.read(place.verdict, instance.sha256, judged.digest(place.log))
            found.append(Past(place, record, verdict))
    return found


def _whole(place: Place) -> Record | None:
    """The record of a run that came to its end; one that was killed leaves an empty file."""
    if not (place.record.is_file() and place.log.is_file()):
        return None
    try:
        record = records.read(place.record)
    except FormatError:
        return None
    return None if record.run.limit == "interrupt" else record


def changed(old: Past, reference: Reference, limits: Limits) -> str:
    """How a run was made, if not with this version and these limits; else empty."""
    made, version = old.record.limits, old.record.version
    if version != reference.version or reference.is_newer(old.place.record):
        return f"another version of {reference.name}" + (f", {version}" if version else "")
    if (made.wall_s, made.memory_mib) != (limits.wall_s, limits.memory_mib):
        return f"--wall {_amount(made.wall_s)} --memory {_amount(made.memory_mib)}"
    return ""


def _amount(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:g}"


def jobs(
    folder: Folder,
    instances: Sequence[Entry],
    references: Sequence[Reference],
    limits: Limits,
    driver: str,
    *,
    again: bool,
) -> list[Job]:
    """What there is to do: instance by instance the runs that are not there, and those not judged yet.

    Raises UsageError where a run was made with other settings, unless again says to make it again.
    """
    found: list[Job] = []
    kept: list[tuple[Past, str]] = []
    for instance in instances:
        there = {each.solver: each for each in past(folder, instance)}
        for reference in references:
            old = there.pop(reference.name, None)
            other = changed(old, reference, limits) if old else ""
            if old is not None and other:
                kept.append((old, other))
            if old is None or other:
                place = Place(folder.runs / reference.name, instance.row.name)
                order = Order(reference.solver, reference.called, limits, driver)
                found.append(Job(place, instance.file, reference.solver.values, order))
            elif old.judged is None:
                found.append(Job(old.place, instance.file, reference.solver.values, None))
        unjudged = (each for each in there.values() if each.judged is None)
        found += [Job(each.place, instance.file, _values(each.record.solver), None) for each in unjudged]
    if kept and not again:
        old, how = kept[0]
        raise UsageError(
            f"{len(kept)} runs were made otherwise, such as {old.place.record} with {how}: "
            "give the same, or --again to make them again"
        )
    return found


def _values(called: str) -> Values:
    """How to read the models of a solver that is not asked to run now."""
    try:
        return solvers.get(called).values
    except UsageError:
        return "either"
