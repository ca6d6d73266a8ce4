"""The course of a calibration: run, judge, conclude, choose; each step from files to files."""

from __future__ import annotations

import fnmatch
import logging
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from wcnfgen import contradictions
from wcnfgen.bundle import manifest
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.spread import spread
from wcnfgen.calibration import keeping, opinions, plan
from wcnfgen.calibration.opinions import Outcome
from wcnfgen.calibration.plan import Entry, Job, job_to_json
from wcnfgen.contradictions import Lie
from wcnfgen.errors import SolverError, UsageError, WcnfgenError
from wcnfgen.words import span
from wcnfgen.workers.cores import Slots
from wcnfgen.workers.failure import KILLED, Failure
from wcnfgen.workers.pool import Pool, Work

log = logging.getLogger("wcnfgen")

EVERY_S = 30.0  # between two notes on how far it is
ALONE = ("UsageError", "FormatError", "MemoryError", KILLED)  # fails on one instance: others go on


@dataclass(frozen=True, slots=True)
class Concluded:
    """Rows as they are now, what solvers said that is not so, the runs by instance, and how many are new."""

    rows: list[Row]
    lies: tuple[Lie, ...]
    outcomes: Mapping[str, Sequence[Outcome]]
    ran: int

    @property
    def solvers(self) -> list[str]:
        """Whose runs there are, in alphabetical order."""
        return sorted({each.solver for outcomes in self.outcomes.values() for each in outcomes})


def some(entries: Sequence[Entry], only: str | None, limit: int | None) -> list[Entry]:
    """The instances that solvers are to run on, in order.  Raises UsageError if there are none."""
    found = [each for each in entries if only is None or fnmatch.fnmatchcase(each.row.name, only)]
    if not found:
        raise UsageError(
            f"--only {only}: no instance has such a name" if only else "the family has no instances"
        )
    if limit is None:
        return found
    if limit < 1:
        raise UsageError(f"--limit {limit}: give 1 or more")
    return [found[place] for place in spread([each.row.parameters for each in found], limit)]


# ---------------------------------------------------------------------------- run


@dataclass(slots=True)
class Progress:
    """What is done, and what was not possible."""

    total: int
    runs: int
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    ran: int = 0
    failures: list[tuple[Job, Failure]] = field(default_factory=list)
    noted: float = field(default_factory=time.monotonic)

    def one(self, job: Job, said: Failure | str) -> None:
        """A job is over.  Raises SolverError for what would happen again with each."""
        failure = said if isinstance(said, Failure) else None
        self.done += 1
        self.ran += job.run is not None and failure is None
        if failure is not None:
            self._failed(job, failure)
        if time.monotonic() - self.noted >= EVERY_S:
            self.noted = time.monotonic()
            log.info("%d of %d runs, %s", self.ran, self.runs, self.left())

    def _failed(self, job: Job, failure: Failure) -> None:
        """Warn of the first of each solver; `failures` has all."""
        solver = job.place.folder.name
        if solver not in (each.place.folder.name for each, _ in self.failures):
            log.warning("%s on %s: %s", solver, job.place.name, failure.message)
        self.failures.append((job, failure))
        if failure.error not in ALONE:
            raise SolverError(f"{failure.message}; what is whole is kept: the same command goes on")

    def left(self) -> str:
        """An estimate, from the runs so far."""
        seconds = (time.monotonic() - self.began) / max(self.done, 1) * (self.total - self.done)
        return f"about {span(seconds)} left"


class _Jobs(Work[Job]):
    """Jobs, for a pool."""

    def __init__(self, jobs: Iterable[Job], progress: Progress) -> None:
        self._waiting = iter(jobs)
        self._progress = progress

    def next(self) -> Job | None:
        return next(self._waiting, None)

    def line(self, job: Job, cores: frozenset[int]) -> bytes:
        return job_to_json(job.on(cores))

    def over(self, job: Job, said: Failure | str) -> None:
        self._progress.one(job, said)


def whole(
    folder: Folder, rows: Sequence[Row], entries: Sequence[Entry], jobs: Sequence[Job], slots: Slots
) -> Concluded:
    """Do all jobs, one for each slot at a time, and conclude.

    What is known is concluded too where that is stopped, by Ctrl-C or an error.
    """
    for each in {job.place.folder for job in jobs}:
        each.mkdir(parents=True, exist_ok=True)
    progress = Progress(len(jobs), sum(job.run is not None for job in jobs))
    try:
        pool: Pool[Job] = Pool("wcnfgen.calibration.worker", slots)
        with pool:
            pool.run(_Jobs(jobs, progress))
    except BaseException:
        with suppress(WcnfgenError):
            conclude(folder, rows, entries, progress)
        raise
    for solver, number in Counter(job.place.folder.name for job, _ in progress.failures).items():
        if number > 1:
            log.warning("%s could not run on %d instances; manifest.csv says why", solver, number)
    return conclude(folder, rows, entries, progress)


# ---------------------------------------------------------------------------- conclude


def conclude(folder: Folder, rows: Sequence[Row], entries: Sequence[Entry], progress: Progress) -> Concluded:
    """From all runs that are there and judged: the rows as they are now, models and manifest.

    rows are all of the manifest, entries those that were written.
    """
    outcomes = {each.row.name: _outcomes(folder, each) for each in entries}
    known = {each.row.name: keeping.stored(folder, each, outcomes[each.row.name]) for each in entries}
    before = [_with_best(each.row, known[each.row.name]) for each in entries]
    lies = [
        lie for row in before for lie in opinions.lies(row, outcomes[row.name], known[row.name] is not None)
    ]
    distrusted = contradictions.distrusted(lies)
    notes: dict[str, dict[str, str]] = {}
    for job, failure in progress.failures:
        notes.setdefault(job.place.name, {})[job.place.folder.name] = failure.message
    now: dict[str, Row] = {}
    for row in before:
        runs, model = outcomes[row.name], known[row.name]
        row = opinions.settled(row, runs, model is not None, distrusted, notes.get(row.name, {}))
        now[row.name] = keeping.keep(folder, row, runs, model)
        if row.best_cost == 0:
            log.warning("%s: its optimum is 0, and the Evaluation takes no such instance", row.name)
    rows = [now.get(row.name, row) for row in rows]
    manifest.write(rows, folder.manifest)
    return Concluded(rows, tuple(lies), outcomes, progress.ran)


def _with_best(row: Row, known: keeping.Kept | None) -> Row:
    """The row with the cost of the model that there is; a cost without its model is worth nothing."""
    return replace(row, best_cost=known.cost if known else None)


def _outcomes(folder: Folder, instance: Entry) -> list[Outcome]:
    return [
        Outcome(
            solver=each.solver,
            wall_s=each.record.run.wall_s,
            limit_s=each.record.limits.wall_s,
            ended=each.record.ended,
            judged=each.judged,
        )
        for each in plan.past(folder, instance)
        if each.judged is not None
    ]
