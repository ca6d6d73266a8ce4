"""A family is made: its specs become files, in parallel, and a manifest.

Every instance stands for itself: its line is kept beside it, under ``.state/``, as soon as it is whole, with
a key of all that settles its bytes.  So a family that was stopped, by Ctrl-C, a full disk or a worker that
was killed, goes on where it was, and one whose options changed makes anew what they change.  Rounds of a
chain are one job, since each needs the trees before it.

Two instances that are equal up to the names of their variables are one too many: the later one is left out.
What an earlier run left in the folder that these options do not make is never deleted without being asked.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from wcnfgen import __version__, gbd, identity
from wcnfgen.bundle import chains, manifest, models, one, sources
from wcnfgen.bundle.folder import About
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.one import Settings
from wcnfgen.errors import DataError, FormatError, UsageError
from wcnfgen.files import safe, sha256
from wcnfgen.instances import Spec
from wcnfgen.launch import must_be_there
from wcnfgen.workers import functions

log = logging.getLogger("wcnfgen")

EVERY_S = 10.0  # between two notes on how far it is
KILLED = "the process that made it was killed, perhaps for want of memory: run this again"
CALIBRATED = (
    "nonzero",
    "best_cost",
    "best_by",
    "proved",
    "proved_by",
    "answer",
    "difficulty",
    "seconds",
    "ended",
)


@dataclass(frozen=True, slots=True)
class Job:
    """Specs that are made one after the other: one, or the rounds of a chain."""

    specs: tuple[Spec, ...]
    data: Path

    def make(self, settings: Settings) -> list[Row]:
        """Write what is not there yet, and the lines of all."""
        keys = [_key(spec, self.data, settings) for spec in self.specs]
        before = [_line(_state(spec, settings)) for spec in self.specs]
        if all(_is_there(row, key, settings) for row, key in zip(before, keys, strict=True)):
            return [row for row in before if row is not None]
        if self.specs[0].chain is None:
            made = [one.make(self.specs[0], self.data, settings)]
        else:
            made = chains.make(self.specs, self.data, settings)
            keys = [_key(spec, self.data, settings) for spec in self.specs]  # the trees are there now
        made = [replace(row, key=key) for row, key in zip(made, keys, strict=True)]
        for spec, old, row in zip(self.specs, before, made, strict=True):
            if old is not None:
                _forget(old, settings, but=row)
            _keep(spec, row, settings)
        return made

    def predict(self, settings: Settings) -> list[Row]:
        """The lines without the files."""
        return [one.predict(spec, self.data, settings) for spec in self.specs]

    def killed(self) -> list[Row]:
        """The lines of instances whose worker was killed; they are tried again the next time."""
        return [one.left_out(spec, KILLED) for spec in self.specs]


def build(
    specs: Sequence[Spec],
    settings: Settings,
    folders: Sequence[Path],
    *,
    jobs: int,
    strict: bool = False,
    prune: bool = False,
    about: About | None = None,
) -> list[Row]:
    """Make all instances that are not there yet; their lines, in the order of the specs, are the manifest.

    about is written once everything that was asked for has been checked.  prune removes what the folder has
    of other options.

    Raises UsageError for names that collide and for what only prune may remove, DataError under strict for
    data that are missing, WcnfgenError where a file cannot be written; what is whole then stays.
    """
    check_names(specs)
    stale = _stale(specs, settings)
    if stale and not prune:
        raise UsageError(
            f"{settings.folder.path} holds {len(stale)} instances that these options do not make: "
            "give another folder, or --prune to remove them"
        )
    found = sources.gather((spec.data for spec in specs), folders, settings.folder.data)
    _say_what_is_missing(found.missing, strict)
    there = [spec for spec in specs if spec.data.name in found.found]
    for solver in dict.fromkeys(spec.chain.solver for spec in there if spec.chain is not None):
        must_be_there(solver)
    if about is not None:
        about.write(settings.folder.about)
    for state, row in stale.items():
        _forget(row, settings)
        state.unlink()
    gbd.installed()  # says so, once, if not
    made = dict(_all(_jobs(there, found), Job.make, settings, jobs))
    before = {row.name: row for row in _manifest(settings)}
    rows = [_calibrated(made[spec.name], before.get(made[spec.name].name)) for spec in there]
    rows = list(_without_twins(there, rows, settings))
    rows += _missing(found)
    manifest.write(rows, settings.folder.manifest)
    return rows


def predict(
    specs: Sequence[Spec],
    settings: Settings,
    folders: Sequence[Path],
    generated: Path,
    *,
    jobs: int,
    strict: bool = False,
) -> list[Row]:
    """The lines that `build` would write, sizes estimated; data of rules go to a folder of their own."""
    check_names(specs)
    found = sources.gather((spec.data for spec in specs), folders, generated)
    _say_what_is_missing(found.missing, strict)
    there = [spec for spec in specs if spec.data.name in found.found]
    made = dict(_all(_jobs(there, found), Job.predict, settings, jobs))
    return [made[spec.name] for spec in there] + _missing(found)


def _missing(found: sources.Sources) -> list[Row]:
    """A line for each data set that is not at hand."""
    return [
        Row(name=one.plain_name(name), status="left out", why=why, data=name)
        for name, why in found.missing.items()
    ]


def check_names(specs: Sequence[Spec]) -> None:
    """Raises UsageError where two instances would have the same file, or there are none."""
    if not specs:
        raise UsageError("no instances: these options leave none")
    owners: dict[str, Spec] = {}
    for spec in specs:
        other = owners.setdefault(one.plain_name(spec.name).lower(), spec)
        if other is not spec:
            raise UsageError(
                f"two instances would be called {one.plain_name(spec.name)}: {_of(other)} and {_of(spec)}; "
                "give the data sets other names"
            )


def _of(spec: Spec) -> str:
    return f"{spec.data.of} with {', '.join(f'{k} {v}' for k, v in spec.parameters.items())}"


def _say_what_is_missing(missing: dict[str, str], strict: bool) -> None:
    if missing and strict:
        raise DataError(f"{len(missing)} data sets are missing: " + "; ".join(missing.values()))
    for line in missing.values():
        log.warning("left out: %s", line)


def _jobs(specs: Sequence[Spec], found: sources.Sources) -> list[Job]:
    groups: dict[str, list[Spec]] = {}
    for spec in specs:
        groups.setdefault(f"chain {spec.chain.name}" if spec.chain else spec.name, []).append(spec)
    in_rounds = (
        sorted(group, key=lambda spec: spec.chain.round if spec.chain else 0) for group in groups.values()
    )
    return [Job(tuple(group), found.found[group[0].data.name]) for group in in_rounds]


# ---------------------------------------------------------------------------- what is there already


def _key(spec: Spec, data: Path, settings: Settings) -> str:
    """The SHA-256 of all that settles the bytes of an instance."""
    trees = chains.trees_digest(spec.chain, settings.folder.chains) if spec.chain else None
    own = [settings.track, settings.packing, settings.max_mb, gbd.installed()]
    what = [__version__, asdict(spec), sha256(data), own, trees]
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=list).encode()).hexdigest()


def _state(spec: Spec, settings: Settings) -> Path:
    return settings.folder.path / ".state" / f"{safe(spec.name, one.NAME_LENGTH)}.csv"


def _line(state: Path) -> Row | None:
    """The line that was kept, None if there is none that can be read."""
    if not state.is_file():
        return None
    with suppress(FormatError):
        rows = manifest.read(state)
        return rows[0] if len(rows) == 1 else None
    return None


def _is_there(row: Row | None, key: str, settings: Settings) -> bool:
    """Whether an instance is there as its spec says."""
    if row is None or row.key != key:
        return False
    file = settings.folder.path / row.file
    if row.written and not (file.is_file() and sha256(file) == row.file_sha256):
        return False
    return not row.best_by or models.place(settings.folder.models, row.name).is_file()


def _stale(specs: Sequence[Spec], settings: Settings) -> dict[Path, Row]:
    """The lines of instances that are there and that no spec makes."""
    wanted = {_state(spec, settings).name for spec in specs}
    states = sorted((settings.folder.path / ".state").glob("*.csv"))
    lines = ((state, _line(state)) for state in states if state.name not in wanted)
    return {state: row for state, row in lines if row is not None and row.written}


def _forget(row: Row, settings: Settings, but: Row | None = None) -> None:
    """Remove the files of an instance, except those that are another line's."""
    if row.written and (but is None or row.file != but.file):
        (settings.folder.path / row.file).unlink(missing_ok=True)
    if row.written and (but is None or row.name != but.name or not but.best_by):
        models.place(settings.folder.models, row.name).unlink(missing_ok=True)


def _keep(spec: Spec, row: Row, settings: Settings) -> None:
    state = _state(spec, settings)
    state.parent.mkdir(parents=True, exist_ok=True)
    manifest.write([row], state)


def _without_twins(specs: Sequence[Spec], rows: Sequence[Row], settings: Settings) -> Iterator[Row]:
    """The lines with the later of two equal instances left out, and its files gone."""
    kept: dict[str, list[Row]] = {}
    for spec, row in zip(specs, rows, strict=True):
        other = _twin(row, kept.setdefault(row.identity, []), settings)
        if other is None:
            yield row
            continue
        _forget(row, settings)
        _state(spec, settings).unlink()  # without the other it is none: it has to be made again to know
        why = f"equal to {other.name} up to the names of variables"
        yield replace(one.left_out(spec, why), name=row.name, key=row.key)


def _twin(row: Row, alike: list[Row], settings: Settings) -> Row | None:
    """The one of those of the same identity that it is equal to; None, and it joins them, if it is none."""
    if not row.written:
        return None
    root = settings.folder.path
    other = next((each for each in alike if identity.same(root / each.file, root / row.file)), None)
    if other is None:
        alike.append(row)
    return other


def _manifest(settings: Settings) -> list[Row]:
    file = settings.folder.manifest
    return manifest.read(file) if file.is_file() else []


def _calibrated(row: Row, before: Row | None) -> Row:
    """What was learned of an instance stays as long as it is the same."""
    if before is None or not row.written or before.sha256 != row.sha256:
        return row
    return replace(row, **{name: getattr(before, name) for name in CALIBRATED})


def _all(
    jobs: Sequence[Job], do: Callable[[Job, Settings], list[Row]], settings: Settings, workers: int
) -> Iterator[tuple[str, Row]]:
    """Do all jobs; each line comes with the name of its spec as soon as it is there."""
    progress = _Progress(sum(len(job.specs) for job in jobs))
    for job, rows in functions.each(jobs, partial(_do, do, settings), workers, killed=Job.killed):
        for spec, row in zip(job.specs, rows, strict=True):
            progress.tell(row)
            yield spec.name, row


def _do(do: Callable[[Job, Settings], list[Row]], settings: Settings, job: Job) -> list[Row]:
    """In the order of arguments that can be settled beforehand."""
    return do(job, settings)


class _Progress:
    """Says now and then how far it is."""

    def __init__(self, total: int):
        self.total = total
        self.done = self.written = self.bytes = 0
        self.last = time.monotonic()

    def tell(self, row: Row) -> None:
        """One more."""
        self.done += 1
        self.written += row.written
        self.bytes += row.bytes or 0
        if time.monotonic() - self.last > EVERY_S:
            self.last = time.monotonic()
            log.info(
                "%d of %d instances, %d left out, %.0f MB unpacked",
                self.done,
                self.total,
                self.done - self.written,
                self.bytes / one.MIB,
            )
