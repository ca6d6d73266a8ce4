"""Making what is left of a campaign: by an engine, or here and now."""

from __future__ import annotations

import logging
import re
import signal
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from wcnfgen import lock
from wcnfgen.campaign import engines, making, planning, progress, settings, working
from wcnfgen.campaign.course import Course, Ran
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.campaign.store import LOCK, Store
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.runs import Scratch
from wcnfgen.workers import cores as choice
from wcnfgen.workers.claims import claimed
from wcnfgen.workers.failure import Failure

log = logging.getLogger("wcnfgen")


def by_engine(folder: Path, engine: str, jobs: int | None, address: str | None) -> Ran:
    """Have an engine make all runs."""
    make = engines.get(engine)
    with lock.held(folder / LOCK, f"wcnfgen campaign run {folder}") as handle:
        common = planned(folder)
        with _course(folder, common, planning.runs(folder), common.number, handle) as course:
            make(course, jobs=jobs, address=address)
    return course.result()


def here(folder: Path, shard: tuple[int, int], keys: Collection[str], cores: str | None) -> Ran:
    """Make the runs of a shard, or of these keys, one after the other in this process."""
    with lock.held(folder / LOCK, f"wcnfgen campaign work {folder}", shared=True) as handle:
        common = planned(folder)
        choices = _choices(common, cores)
        wanted = set(keys)
        mine = [run for run in planning.runs(folder, shard) if not keys or run.key in wanted]
        if len(mine) < len(wanted):
            unknown = wanted - {run.key for run in mine}
            raise UsageError(f"--runs {min(unknown)}: there is no such run in the plan of {folder}")
        with (
            _signals() as told,
            _course(folder, common, iter(mine), len(mine), handle, here=True) as course,
        ):
            try:
                with claimed(choices) as own:
                    _one_by_one(course, own)
            except KeyboardInterrupt:
                if not told.by_queue:
                    raise
    return course.result()


def parse_shard(text: str) -> tuple[int, int]:
    """Which of how many.  Raises UsageError.

    >>> parse_shard("3/40")
    (3, 40)
    """
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard {text}: give I/N, such as 3/40, with I from 1 to N")
    return int(found[1]), int(found[2])


def _choices(common: Common, cores: str | None) -> Sequence[frozenset[int]]:
    """Cores that runs may have: one of these sets."""
    usable, own = choice.usable(), common.settings.cores
    if cores is not None:
        asked = choice.parse(cores)
        if not asked <= usable:
            raise UsageError(f"--cores {cores}: this process may use {choice.said(usable)}")
        usable = asked
    return choice.slots(max(1, len(usable) // own), own, among=usable).each


def _one_by_one(course: Course, cores: frozenset[int]) -> None:
    with Scratch() as scratch:
        while (run := course.next()) is not None:
            course.begun(run, f"core {choice.said(cores)}")
            course.over(run, _said(course, run, cores, scratch))


def _said(course: Course, run: PlannedRun, cores: frozenset[int], scratch: Scratch) -> Failure | str:
    """Make a run; how it went."""
    try:
        return working.perform(course.folder, run, course.common, cores, scratch)
    except (WcnfgenError, OSError, MemoryError) as error:
        return Failure.of(error)


def planned(folder: Path) -> Common:
    """The plan, which is that of campaign.toml, for solvers that are what they were.  Raises UsageError."""
    common = planning.read(folder)
    if settings.read(folder / settings.FILE) != common.settings:
        raise UsageError(
            f"{folder}: {settings.FILE} is not what was planned: `wcnfgen campaign plan {folder}`"
        )
    planning.must_be_unchanged(common)
    return common


@contextmanager
def _course(
    folder: Path,
    common: Common,
    runs: Iterator[PlannedRun],
    number: int,
    handle: int,
    *,
    here: bool = False,
) -> Iterator[Course]:
    """The course of the campaign; who is stopped says how far it is."""
    limits = common.settings.limits
    making.sweep(Store(folder), None if limits.wall_s is None else limits.wall_s + limits.grace_s)
    with progress.shown(common, number, here=here) as watcher:
        course = Course(folder, common, runs, number, watcher, handle)
        try:
            yield course
        except KeyboardInterrupt:
            log.info("stopped: %d runs made, %d left", course.made, course.result().left)
            raise


class _Told:
    """Whether it was a queue that told us to stop."""

    by_queue = False


@contextmanager
def _signals() -> Iterator[_Told]:
    """SIGTERM is as Ctrl-C; so is SIGUSR1, with which a queue says that time is up."""
    told = _Told()
    if threading.current_thread() is not threading.main_thread():
        yield told
        return

    def queue(number: int, frame: FrameType | None) -> None:
        told.by_queue = True
        signal.raise_signal(signal.SIGTERM)  # a run that is being made listens to that

    before = {
        signal.SIGTERM: signal.signal(signal.SIGTERM, _interrupt),
        signal.SIGUSR1: signal.signal(signal.SIGUSR1, queue),
    }
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
