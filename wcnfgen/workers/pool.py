"""The side that hands jobs out, one to each worker at a time.

A worker that is killed costs the job it was at and no more: another takes its place.  Ctrl-C stops the
workers, and they what they do, with its grace; a second one cuts that short, a third one kills.
"""

from __future__ import annotations

import json
import logging
import math
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Generic, TypeVar

from wcnfgen import leftovers
from wcnfgen.workers.cores import Slots
from wcnfgen.workers.failure import KILLED, Failure

log = logging.getLogger("wcnfgen")

Job = TypeVar("Job")
TICK_S = 0.5
AGAIN_S = 10.0  # beyond the grace, until a worker that was told to stop is told so again


class Worker(Generic[Job]):
    """One process and what it is doing.

    program  the module that it runs, which calls `serving.serve`
    cores    for what it runs; it may itself use these and the spare ones
    keep     a descriptor that it holds open, such as a lock; negative: none

    What it leaves of temporary folders when it is killed is removed.
    """

    def __init__(
        self, program: str, cores: frozenset[int], spare: frozenset[int] = frozenset(), keep: int = -1
    ) -> None:
        self.cores = cores
        self.job: Job | None = None
        self.began = 0.0
        with _on(cores | spare):
            self._process = subprocess.Popen(
                [sys.executable, "-m", program, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(keep,) if keep >= 0 else (),
                process_group=0,  # or Ctrl-C reached it twice, from the terminal and from us
            )

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def fileno(self) -> int:
        """What can be read when a job is done."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def give(self, job: Job, line: bytes) -> None:
        """Begin a job."""
        assert self._process.stdin is not None
        self.job = job
        self.began = time.monotonic()
        with suppress(BrokenPipeError):  # it was killed: `answer` will say so
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def answer(self) -> Failure | str:
        """Wait for the end of the job; how it went, or why it is not done."""
        assert self._process.stdout is not None
        self.job = None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            code = self._process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            return Failure(KILLED, f"the process that watches the run {how}; the run has to be made again")
        found = json.loads(line)
        return str(found["done"]) if "done" in found else Failure(**found)

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if it lives."""
        self._process.send_signal(number)

    def end(self, seconds: float | None = None) -> None:
        """Wait for its end; without a job it comes at once.  Raises TimeoutExpired."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        code = self._process.wait(seconds)
        self._process.stdout.close()
        if code < 0:
            leftovers.sweep()


@contextmanager
def _on(cores: frozenset[int]) -> Iterator[None]:
    """What this thread starts meanwhile may use these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Work(Generic[Job]):
    """What there is to do, and who is told how it goes: to be derived from."""

    def next(self) -> Job | None:
        """A job to do; None if there is none now: what is over may bring another one."""
        raise NotImplementedError

    def line(self, job: Job, cores: frozenset[int]) -> bytes:
        """A job as a line of JSON, with the cores that are for what it runs."""
        raise NotImplementedError

    def begun(self, job: Job, cores: frozenset[int]) -> None:
        """Somebody is at it."""

    def over(self, job: Job, said: Failure | str) -> None:
        """It is done, or it is not; what this raises stops all."""
        raise NotImplementedError

    def lost(self, pid: int) -> None:
        """A worker was killed, with that number; comes before `over` for its job."""

    def tick(self) -> None:
        """Time goes by: called every TICK_S or more often."""


class Pool(Generic[Job]):
    """Workers for each slot, and for all its cores; leaving the context has seen to their end.

    program  the module that they run, which calls `serving.serve`
    grace_s  so long it may take them to stop what they do
    keep     a descriptor that they hold open, such as a lock; negative: none
    most_s   one that has been at a job for longer has lost its way, and is killed; None: none has

    A worker itself, which has little to do, may use its own cores and those that are left over.
    """

    def __init__(
        self,
        program: str,
        slots: Slots,
        *,
        grace_s: float = 5.0,
        keep: int = -1,
        most_s: float | None = None,
    ) -> None:
        self._program, self._slots = program, slots
        self._grace_s, self._keep, self._most_s = grace_s, keep, most_s
        self._workers: list[Worker[Job]] = []

    def __enter__(self) -> Pool[Job]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop what still runs: SIGTERM, again if the user is impatient, and then SIGKILL.

        One that does not end is told again, as an interrupt can get lost.
        """
        if kind is KeyboardInterrupt and self._workers:
            log.info("stopping: within %g s; Ctrl-C again makes it shorter", self._grace_s)
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            for worker in self._workers:
                if worker.job is not None:
                    worker.send(number)
            with suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
                deadline = time.monotonic() + self._grace_s + AGAIN_S
                for worker in self._workers:
                    worker.end(max(0.0, deadline - time.monotonic()))
                return

    def run(self, work: Work[Job]) -> None:
        """Do all that there is to do."""
        with selectors.DefaultSelector() as events:
            for cores in self._slots.each:
                self._begin(events, work, cores)
            while events.get_map():
                for key, _ in events.select(TICK_S):
                    assert isinstance(key.fileobj, Worker)
                    self._hear(events, work, key.fileobj)
                self._kill_lost()
                work.tick()

    def _begin(self, events: selectors.BaseSelector, work: Work[Job], cores: frozenset[int]) -> None:
        """Start a worker if there is anything to do."""
        job = work.next()
        if job is not None:
            worker: Worker[Job] = Worker(self._program, cores, self._slots.spare, self._keep)
            self._workers.append(worker)
            events.register(worker, selectors.EVENT_READ)
            self._give(work, worker, job)

    def _kill_lost(self) -> None:
        """Kill those that do not come back from a job, so that they are replaced."""
        latest = -math.inf if self._most_s is None else time.monotonic() - self._most_s
        for worker in self._workers:
            if worker.job is not None and worker.began < latest:
                worker.send(signal.SIGKILL)

    def _give(self, work: Work[Job], worker: Worker[Job], job: Job) -> None:
        worker.give(job, work.line(job, worker.cores))
        work.begun(job, worker.cores)

    def _hear(self, events: selectors.BaseSelector, work: Work[Job], worker: Worker[Job]) -> None:
        """A job is over: its worker gets the next one; one that was killed is replaced."""
        assert worker.job is not None
        job, said = worker.job, worker.answer()
        dead = isinstance(said, Failure) and said.error == KILLED
        if dead:
            self._dismiss(events, worker)
            work.lost(worker.pid)
        work.over(job, said)
        if dead:
            self._begin(events, work, worker.cores)
        elif (following := work.next()) is not None:
            self._give(work, worker, following)
        else:
            self._dismiss(events, worker)

    def _dismiss(self, events: selectors.BaseSelector, worker: Worker[Job]) -> None:
        events.unregister(worker)
        self._workers.remove(worker)
        worker.end()
