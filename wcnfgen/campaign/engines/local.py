"""The engine that is always there: a pool of processes on this machine, each with cores of its own."""

from __future__ import annotations

from wcnfgen.campaign import making, worker
from wcnfgen.campaign.course import Course
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.workers.cores import said, slots
from wcnfgen.workers.failure import Failure
from wcnfgen.workers.pool import Pool, Work

PATIENCE_S = 900.0  # beyond its limits, for a large instance to be unpacked and converted


def unavailable() -> str | None:
    """It can be used everywhere."""
    return None


def run(course: Course, *, jobs: int | None, address: str | None = None) -> None:
    """Make all runs, so many at a time; the contract is that of `wcnfgen.campaign.engines`."""
    settings = course.common.settings
    limits = settings.limits
    most_s = None if limits.wall_s is None else limits.wall_s + limits.grace_s + PATIENCE_S
    pool: Pool[PlannedRun] = Pool(
        "wcnfgen.campaign.worker",
        slots(jobs, settings.cores),
        grace_s=limits.grace_s,
        keep=course.handle,
        most_s=most_s,
    )
    with pool:
        pool.run(_Runs(course))


class _Runs(Work[PlannedRun]):
    """The runs of a course, for a pool."""

    def __init__(self, course: Course) -> None:
        self._course = course

    def next(self) -> PlannedRun | None:
        return self._course.next()

    def line(self, job: PlannedRun, cores: frozenset[int]) -> bytes:
        return worker.line(self._course.folder, job, cores)

    def begun(self, job: PlannedRun, cores: frozenset[int]) -> None:
        self._course.begun(job, f"core {said(cores)}")

    def over(self, job: PlannedRun, said: Failure | str) -> None:
        self._course.over(job, said)

    def lost(self, pid: int) -> None:
        making.forget(self._course.store, pid)

    def tick(self) -> None:
        self._course.watcher.tick()
