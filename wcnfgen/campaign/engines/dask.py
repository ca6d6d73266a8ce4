"""Dask: several machines that see the same folder, without a queue, or with one through dask-jobqueue.

Each run is a task.  A worker of Dask gives it to a process of its own, the same that the local engine has
(`wcnfgen.campaign.worker`): a driver needs a main thread, and the death of a worker of Dask has to be the end
of its solver, which the parent's death signal and the driver's guard see to.  Dask notices it at once, and
gives the run to another worker.

Dask counts threads and ties them to no core.  So a run claims its cores on the machine where it is
(`wcnfgen.workers.claims`), of those that its worker may use: workers under ``taskset`` or in a queue's job
keep to theirs, and no two on one machine run solvers on one core, whatever they were started with.

`address` says where the workers are:

* ``tcp://HOST:PORT``: a scheduler's, as ``dask scheduler`` prints it.
* The name of a class of dask-jobqueue, such as ``SLURMCluster`` or ``PBSCluster``: workers are jobs of a
  queue, up to so many as jobs says.  What a job is, is in dask's own file jobqueue.yaml.
* Nothing: this machine.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import secrets
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from wcnfgen.campaign import making, worker
from wcnfgen.campaign.course import Course
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.campaign.store import PLAN, Store
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.workers import cores as choice
from wcnfgen.workers.claims import claimed
from wcnfgen.workers.failure import KILLED, Failure
from wcnfgen.workers.pool import AGAIN_S, Worker

log = logging.getLogger("wcnfgen")

PROGRAM = "wcnfgen.campaign.worker"
TICK_S = 0.5
CONNECT_S = 5


def unavailable() -> str | None:
    """Why it cannot be used on this machine."""
    there = find_spec("distributed") and find_spec("dask_jobqueue")
    return None if there else "Dask is not installed: pip install 'wcnfgen[dask]'"


def run(course: Course, *, jobs: int | None, address: str | None) -> None:
    """Make all runs; the contract is that of `wcnfgen.campaign.engines`."""
    with _quiet(), connected(jobs, address, course.common.settings.cores) as client:
        flight = _Flight(course, client, jobs)
        try:
            flight.go()
        except OSError as error:  # as those of Dask's connections are
            raise WcnfgenError(f"the scheduler of Dask is gone: {error}") from error
        finally:
            flight.end()


# ---------------------------------------------------------------------------- here


@dataclass(slots=True, eq=False)
class _Flight:
    """The runs that Dask has: no more than can be made at a time, so that what is shown as running runs.

    most    of them at a time; None: as many as workers have room for
    name    of this flight, by which workers know what to stop
    next    a run that there is no room for yet
    """

    course: Course
    client: Any
    most: int | None
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    running: dict[Any, tuple[PlannedRun, int]] = field(default_factory=dict)
    next: PlannedRun | None = None
    said: bool = False

    def go(self) -> None:
        """Make all runs."""
        while self._fill() or self.running:
            self._land()
            self.course.watcher.tick()

    def end(self) -> None:
        """Stop what still runs, and the processes on the workers."""
        most_s = self.course.common.settings.limits.grace_s + AGAIN_S
        with suppress(OSError):  # the scheduler is gone
            self.client.cancel(list(self.running))
            self.client.run(_stop, self.name, most_s, on_error="ignore")

    def _fill(self) -> bool:
        """Give out as many as there is room for; False if there are no more now."""
        taken = {place for _, place in self.running.values()}
        free = [place for place in range(self._room()) if place not in taken]
        while (run := self.next or self.course.next()) is not None:
            self.next = run
            if not free:
                self._say_who_is_missing()
                return True
            place = free.pop(0)
            self.running[self._give(run)] = run, place
            self.next = None
            self.course.begun(run, f"dask {place + 1}")
        return False

    def _room(self) -> int:
        """How many runs the workers can make at a time."""
        cores = self.course.common.settings.cores
        room: int = sum(max(1, threads // cores) for threads in self.client.nthreads().values())
        return room if self.most is None else min(room, self.most)

    def _say_who_is_missing(self) -> None:
        if not (self.running or self.said):
            self.said = True
            log.info("Dask has no workers yet: waiting for them")

    def _give(self, run: PlannedRun) -> Any:
        cores = self.course.common.settings.cores
        name = f"{run.solver}-{run.key[:12]}-{secrets.token_hex(4)}"
        return self.client.submit(_make, self.name, str(self.course.folder), run, cores, key=name, pure=False)

    def _land(self) -> None:
        """Wait a while for one to be over, and say how it went."""
        if not self.running:
            time.sleep(TICK_S)
            return
        with suppress(TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError):
            _distributed().wait(list(self.running), timeout=TICK_S, return_when="FIRST_COMPLETED")
        for future in [each for each in self.running if each.done()]:
            run, _ = self.running.pop(future)
            self.course.over(run, _said(future))


def _said(future: Any) -> Failure | str:
    """How a run went.  Raises WcnfgenError if a worker cannot make any, or there is no scheduler any more."""
    if future.status == "finished":
        return cast("Failure | str", future.result())
    if future.status != "error":  # nobody has cancelled it
        raise WcnfgenError("the scheduler of Dask is gone; what its workers are at will be there")
    error = future.exception()
    if isinstance(error, _distributed().KilledWorker):
        return Failure(KILLED, "the workers of Dask that were to make the run died, one after the other")
    raise WcnfgenError(f"a worker of Dask cannot make runs: {type(error).__name__}: {error}")


def _distributed() -> Any:
    """The package, which takes a second to import."""
    return import_module("distributed")


@contextmanager
def _quiet() -> Iterator[None]:
    """What goes wrong is raised; Dask would also show where in itself."""
    _distributed()  # sets its levels when it is imported
    its = logging.getLogger("distributed.client")
    before = its.level
    its.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        its.setLevel(before)


@contextmanager
def connected(jobs: int | None, address: str | None, cores: int) -> Iterator[Any]:
    """A connection to the workers; those that were started for it are ended with it."""
    Client = _distributed().Client
    if address is not None and "://" in address:
        try:
            client = Client(address, timeout=CONNECT_S)
        except (OSError, ValueError) as error:
            raise UsageError(f"--address {address}: no scheduler of Dask answers there: {error}") from error
        with client:
            yield client
        return
    with (
        _here(jobs, cores) if address is None else _queue(address, jobs) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _here(jobs: int | None, cores: int) -> Any:
    """Workers on this machine.  A terminal's Ctrl-C does not reach them: we stop what they do."""
    number = len(choice.slots(jobs, cores).each)
    with _deaf():
        return _distributed().LocalCluster(
            n_workers=number,
            threads_per_worker=1,
            memory_limit=None,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started meanwhile ignore SIGINT."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _queue(name: str, jobs: int | None) -> Any:
    """Workers in so many jobs of a queue; one that is lost is replaced."""
    dask_jobqueue = import_module("dask_jobqueue")
    kinds = [each for each in dir(dask_jobqueue) if each.endswith("Cluster")]
    if name not in kinds:
        raise UsageError(f"--address {name}: give tcp://HOST:PORT, or one of {', '.join(kinds)}")
    if jobs is None:
        raise UsageError(f"--address {name}: say how many jobs it is to have, --jobs")
    try:
        cluster = getattr(dask_jobqueue, name)()
    except (ValueError, TypeError) as error:
        raise UsageError(f"--address {name}: {error}; see jobqueue.yaml of dask-jobqueue") from error
    cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)
    return cluster


# ---------------------------------------------------------------------------- on a worker of Dask

_idle: dict[frozenset[int], Worker[PlannedRun]] = {}  # processes that wait for a run, by their cores
_busy: list[Worker[PlannedRun]] = []
_stopped: set[str] = set()  # flights


def _make(flight: str, folder: str, run: PlannedRun, cores: int) -> Failure | str:
    """Make a run on cores that are free, in a process that has made others; how it went.

    Raises WcnfgenError where the folder cannot be seen.
    """
    place = Path(folder)
    if not (place / PLAN).is_file():
        raise WcnfgenError(
            f"{socket.gethostname()} does not see {place}: it has to be the same on all machines"
        )
    usable = choice.usable()
    with claimed(choice.slots(len(usable) // cores, cores, among=usable).each) as own:
        if flight in _stopped:
            return Failure(KILLED, "told to stop")
        process = _idle.pop(own, None) or Worker(PROGRAM, own)
        _busy.append(process)
        try:
            process.give(run, worker.line(place, run, own))
            if flight in _stopped:  # meanwhile
                process.send(signal.SIGTERM)
            said = process.answer()
            if isinstance(said, Failure) and said.error == KILLED:
                process.end()
                making.forget(Store(place), process.pid)
            else:
                _idle[own] = process
        finally:
            _busy.remove(process)
    return said


async def _stop(flight: str, seconds: float) -> None:
    """Stop the runs of a flight, with their grace, and end the processes."""
    _stopped.add(flight)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in _busy.copy():
            process.send(number)
        end = time.monotonic() + seconds
        while _busy and time.monotonic() < end:
            await asyncio.sleep(0.05)
    while _idle:
        _idle.popitem()[1].end()
