"""Work in processes of their own, which leave nothing half written behind when they are stopped."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

from wcnfgen.errors import WcnfgenError

log = logging.getLogger("wcnfgen")

Job = TypeVar("Job")
Result = TypeVar("Result")


def each(jobs: Sequence[Job], do: Callable[[Job], Result], workers: int) -> Iterator[tuple[Job, Result]]:
    """Do all jobs, so many at a time; each result with its job, as soon as it is there.

    do and the jobs are pickled.  Whatever stops us stops the workers, as Ctrl-C does.
    """
    if workers == 1 or len(jobs) == 1:
        yield from ((job, do(job)) for job in jobs)
        return
    context = get_context("spawn")
    pids, stop = context.SimpleQueue(), context.Event()
    most = min(workers, len(jobs))
    pool = ProcessPoolExecutor(most, context, initializer=_begin, initargs=(pids, stop, log.level))
    try:
        left = {pool.submit(_work, do, job): job for job in jobs}
        while left:
            done, _ = wait(left, return_when=FIRST_COMPLETED)
            for future in done:
                yield left.pop(future), _result(future)
    except BaseException:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        while not pids.empty():
            with suppress(ProcessLookupError):
                os.kill(pids.get(), signal.SIGINT)
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_stop: Event | None = None  # of the pool that this process works for


def _begin(pids: Any, stop: Event, level: int) -> None:
    """In a worker: the first signal stops it, whichever it is, and only what is a warning is told."""
    global _stop
    _stop = stop
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    pids.put(os.getpid())
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("wcnfgen: warning: %(message)s"))
    log.addHandler(handler)
    log.setLevel(max(level, logging.WARNING))


def _interrupt(*_: object) -> None:
    """Ctrl-C reaches us twice, from the terminal and from our parent: what cleans up is not disturbed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if _stop is not None:
        _stop.set()
    raise KeyboardInterrupt


def _work(do: Callable[[Job], Result], job: Job) -> Result:
    """A worker that was stopped does not begin what it was handed already."""
    if _stop is not None and _stop.is_set():
        raise KeyboardInterrupt
    return do(job)


def _result(future: Future[Result]) -> Result:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise WcnfgenError(
            "a worker was killed, perhaps for want of memory; what is whole stays: "
            "run this again, with fewer --jobs"
        ) from error
