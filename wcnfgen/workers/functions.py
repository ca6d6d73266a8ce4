"""Functions in processes of their own, which leave nothing half written behind when they are stopped.

A worker that is killed, as the kernel does for want of memory, costs the job it was at and no more: another
takes its place.

Here functions and their results are Python's, pickled.  `wcnfgen.workers.pool` is for runs, whose results
are files: its jobs are lines of text, and its workers are pinned and need time to stop a solver with its
grace.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Generic, TypeVar

log = logging.getLogger("wcnfgen")

Job = TypeVar("Job")
Result = TypeVar("Result")
AGAIN_S = 2.0  # until a worker that was told to stop is told so again
TIMES = 5
GONE = (EOFError, BrokenPipeError, ConnectionResetError)


def each(
    jobs: Sequence[Job],
    do: Callable[[Job], Result],
    workers: int,
    *,
    killed: Callable[[Job], Result],
) -> Iterator[tuple[Job, Result]]:
    """Do all jobs, so many at a time; each result with its job, as soon as it is there.

    do and the jobs are pickled; killed says what a job comes to whose worker was.  Whatever stops us stops
    the workers, as Ctrl-C does, and what a job raises is raised here.
    """
    if workers == 1 or len(jobs) == 1:
        yield from ((job, do(job)) for job in jobs)
        return
    pool = _Pool(do, killed, list(reversed(jobs)))
    try:
        for _ in range(min(workers, len(jobs))):
            pool.add()
        while pool.workers:
            yield from pool.results()
    finally:
        pool.stop()


@dataclass(eq=False)
class _Worker(Generic[Job]):
    process: BaseProcess
    connection: Connection
    job: Job


@dataclass(eq=False)
class _Pool(Generic[Job, Result]):
    """Workers, each at a job, and the jobs that nobody has yet, the next one last."""

    do: Callable[[Job], Result]
    killed: Callable[[Job], Result]
    left: list[Job]
    workers: list[_Worker[Job]] = field(default_factory=list)

    def add(self) -> None:
        """A new worker takes the next job."""
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, log.level), daemon=True)
        with _no_main():
            process.start()
        theirs.close()
        worker = _Worker(process, ours, self.left.pop())
        self.workers.append(worker)
        ours.send((self.do, worker.job))

    def results(self) -> Iterator[tuple[Job, Result]]:
        """Wait for at least one job to be done; its worker goes on with the next."""
        ready = wait([worker.connection for worker in self.workers])
        for worker in [each for each in self.workers if each.connection in ready]:
            try:
                result, error = worker.connection.recv()
            except GONE:
                yield worker.job, self._replaced(worker)
                continue
            if error is not None:
                raise error
            done = worker.job
            self._next(worker)
            yield done, result

    def _next(self, worker: _Worker[Job]) -> None:
        if not self.left:
            self.workers.remove(worker)
            worker.connection.close()  # which ends it
            worker.process.join()
            return
        worker.job = self.left.pop()
        with suppress(*GONE):  # killed while idle: the next `recv` finds out
            worker.connection.send((self.do, worker.job))

    def _replaced(self, worker: _Worker[Job]) -> Result:
        self.workers.remove(worker)
        worker.connection.close()
        worker.process.join()
        if self.left:
            self.add()
        return self.killed(worker.job)

    def stop(self) -> None:
        """Stop those that are still at a job, and wait until they have cleaned up.

        A KeyboardInterrupt can get lost in a destructor: one is sent until all have ended.
        """
        for worker in self.workers:
            worker.connection.close()  # one that is done waits for no more
        for number in (*[signal.SIGINT] * TIMES, signal.SIGKILL):
            left = [worker.process for worker in self.workers if worker.process.is_alive()]
            for pid in [process.pid for process in left if process.pid]:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            deadline = time.monotonic() + AGAIN_S
            for process in left:
                process.join(max(0.0, deadline - time.monotonic()))


@contextmanager
def _no_main() -> Iterator[None]:
    """Keep new processes from running the user's script, which our functions are not in."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _work(connection: Connection, level: int) -> None:
    """In a worker: jobs come through the connection, and results go back, until there are no more.

    Warnings are told as the command line does; notes are for those who ask one thing at a time.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("wcnfgen: warning: %(message)s"))
    log.addHandler(handler)
    log.setLevel(max(level, logging.WARNING))
    with suppress(KeyboardInterrupt, *GONE):
        while True:
            do, job = connection.recv()
            connection.send(_answer(do, job))
    for number in (signal.SIGINT, signal.SIGTERM):  # it is about to end in any case
        signal.signal(number, _ignore)


def _answer(do: Callable[[Any], Any], job: Any) -> tuple[Any, Exception | None]:
    try:
        return do(job), None
    except Exception as error:
        return None, error


_told_s = -AGAIN_S


def _interrupt(*_: object) -> None:
    """Ctrl-C reaches us twice, from the terminal and from our parent: what cleans up is not disturbed."""
    global _told_s
    if time.monotonic() - _told_s < AGAIN_S / 2:
        return
    _told_s = time.monotonic()
    raise KeyboardInterrupt


def _ignore(*_: object) -> None:
    """Not SIG_IGN: Python complains of a signal that came just before that was set."""
