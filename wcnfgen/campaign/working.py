"""The unit of work: one run, from nothing to a folder that is there.

All engines call this, and nothing else makes runs.  A run is made under a name that says who makes it, and
renamed when it is whole; what was interrupted leaves nothing.  Four kinds of ends are told apart:

* The solver's: it ended, crashed, ran into a limit, or cannot take the instance (`refused.json`).  That is a
  result.
* The user's, or a queue's: an interruption.  It is as if the run had not begun.
* What would come to every run: a full disk, a folder that cannot be written, a solver that was built anew.
  The campaign ends, and the run has not begun.
* Anything else, a program that cannot start, an instance that is not what it was, a machine without memory,
  SIGKILL for the process that watches: an attempt, of which there are `Settings.attempts`.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from wcnfgen import launch, runs
from wcnfgen import record as records
from wcnfgen.campaign import keys, making
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.campaign.results import REFUSED
from wcnfgen.campaign.store import HopelessError, Run, Store
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.files import sha256
from wcnfgen.leftovers import me
from wcnfgen.output import Answer
from wcnfgen.record import Trace
from wcnfgen.runs import Made, Scratch, Start
from wcnfgen.workers.failure import DISK_FULL, Failure

THERE = "there"
LATE_S = 0.5
_TERMINATED = (-signal.SIGTERM, 128 + signal.SIGTERM)


class _RefusedError(Exception):
    """The solver does not take the instance."""


def perform(
    folder: Path,
    run: PlannedRun,
    common: Common,
    cores: frozenset[int] | None,
    scratch: Scratch | None = None,
) -> str:
    """Make a run unless it is there; how it ended, in a word or two.

    scratch, if there is one, serves one run after another.

    Raises KeyboardInterrupt where a signal stopped it; WcnfgenError, OSError or MemoryError where there is no
    run, and it was not the solver's doing, HopelessError where that would be so of every run.
    """
    store, text = Store(folder), common.text(run)
    if store.has(run.key):
        return THERE
    if keys.of(text) != run.key:
        raise HopelessError(f"{folder}: another plan than that of this run")
    with _attempt(store, run.key), making.whole(store, run.key) as place:
        place.key.write_text(text, "ascii")
        try:
            made = _made(run, common, cores, place, scratch)
        except _RefusedError as refused:
            place.refused.write_text(json.dumps({"reason": str(refused)}) + "\n", "ascii")
            return REFUSED
        _write(made, place)
    return made.record.ended


@contextmanager
def _attempt(store: Store, key: str) -> Iterator[None]:
    """It counts as begun until it is there; not if it was interrupted, or what is wrong is wrong for all."""
    try:
        store.begun(key, str(me()))
        yield
    except KeyboardInterrupt:
        store.taken_back(key, str(me()))
        raise
    except (WcnfgenError, OSError, MemoryError) as error:
        failure = Failure.of(error)
        if isinstance(error, HopelessError) or failure.error == DISK_FULL:
            _take_back(store, key)
        else:
            store.failed(key, failure.message)
        raise
    store.over(key)


def _take_back(store: Store, key: str) -> None:
    """Though there may be no room to say so: then the first beginning is forgotten, if that can be."""
    try:
        store.taken_back(key, str(me()))
    except WcnfgenError:
        with suppress(OSError):
            if store.tried(key) == 1:
                store.over(key)


def _made(
    run: PlannedRun, common: Common, cores: frozenset[int] | None, place: Run, scratch: Scratch | None
) -> Made:
    """Run the solver."""
    solver, file, limits = common.solvers[run.solver], common.file(run.instance), common.limits(cores)

    def start(own: Path) -> Start:
        entrant = solver.entrant
        try:
            return launch.prepared(
                solver.descriptor,
                entrant.name,
                file,
                own,
                limits,
                solver.binary,
                entrant.line_buffer,
                entrant.options,
                run.seed,
                solver.version,
            )
        except UsageError as error:
            raise _RefusedError(str(error)) from error

    _must_be_as_planned(run, common)
    sha256, driver = common.instances[run.instance].sha256, common.settings.driver
    made = runs.make(file, sha256, start, limits, driver=driver, log=place.log, scratch=scratch)
    limit = made.record.run.limit
    if limit is None and made.record.run.exit_code in _TERMINATED:  # who tells all tells us a moment later
        time.sleep(LATE_S)
    if limit == "interrupt":
        raise KeyboardInterrupt
    _must_be_as_planned(run, common)  # still
    return made


def _must_be_as_planned(run: PlannedRun, common: Common) -> None:
    """Raises WcnfgenError where the instance has changed, HopelessError where the solver has."""
    file = common.file(run.instance)
    if _digest(file) != common.instances[run.instance].sha256:
        raise WcnfgenError(f"{file} has changed since the campaign was planned: plan it anew")
    if not common.solvers[run.solver].has_its_bytes(_digest):
        raise HopelessError(f"{run.solver} is not the program that was planned with: plan the campaign anew")


_digests: dict[Path, tuple[tuple[int, ...], str]] = {}


def _digest(file: Path) -> str:
    """The SHA-256 of a file, which is read once in a process, and again if it has changed."""
    try:
        found = file.stat()
    except OSError as error:
        raise WcnfgenError(f"{file}: cannot read: {error.strerror}") from error
    state = found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    if file not in _digests or _digests[file][0] != state:
        _digests[file] = state, sha256(file)
    return _digests[file][1]


def _write(made: Made, place: Run) -> None:
    """All that is kept of it, but for its output, which is there."""
    record = made.record
    records.write(replace(record, run=replace(record.run, stdout=Path(place.log.name))), place.record)
    place.trace.write_text("".join(_trace(record.trace)), "ascii")
    if made.answer.model is not None and not made.answer.cut:
        place.model.write_bytes(b"".join(_model(made.answer, record.solver)))
    if made.stderr:
        place.stderr.write_text(made.stderr, "utf-8")


def _trace(trace: Trace) -> Iterator[str]:
    yield "seconds,cost\n"
    yield from (f"{seconds:.6g},{cost}\n" for seconds, cost in trace)


def _model(answer: Answer, solver: str) -> Iterator[bytes]:
    """The last model in the Evaluation's form, with what the solver says of it."""
    yield f"c as {solver} claims it: not verified\n".encode()
    if answer.cost is not None and not answer.superseded:
        yield b"o %d\n" % answer.cost
    if answer.status is not None:
        yield f"s {answer.status}\n".encode()
    assert answer.model is not None
    yield from (b"v " + line + b"\n" for line in answer.model.lines)
