"""A few `worker` processes, each with a core of its own.

Each solver has one core, as in the Evaluation, whatever ``--jobs`` says: so times do not depend on it.
Ctrl-C stops the solvers as the driver does, with its grace; a second one cuts that short.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

from wcnfgen.calibration.plan import Job, job_to_json
from wcnfgen.errors import UsageError

KILLED = "killed"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job is not done: the name of an error, or KILLED, and a message."""

    error: str
    message: str


OnDone = Callable[[Job, "Failure | None"], None]


def cores(jobs: int | None) -> list[int]:
    """The core of each of so many workers; None: as many as this process may use.  Raises UsageError."""
    usable = sorted(os.sched_getaffinity(0))
    if jobs is not None and not 1 <= jobs <= len(usable):
        raise UsageError(
            f"--jobs {jobs}: each gets a core of its own, so give 1 to {len(usable)} on this machine"
        )
    return usable[:jobs]


class Worker:
    """One process and what it is doing."""

    def __init__(self, core: int) -> None:
        self.core = core
        self.job: Job | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wcnfgen.calibration.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,  # or Ctrl-C reached it twice, from the terminal and from us
        )

    def fileno(self) -> int:
        """What can be read when a job is done."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def give(self, job: Job) -> None:
        """Begin a job."""
        assert self._process.stdin is not None
        self.job = job
        with suppress(BrokenPipeError):  # it was killed: `answer` will say so
            self._process.stdin.write(job_to_json(job.on(self.core)))
            self._process.stdin.flush()

    def answer(self) -> Failure | None:
        """Wait for the end of the job; why it is not done."""
        assert self._process.stdout is not None
        self.job = None
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            return Failure(KILLED, f"the process that watches the run {how}; the run has to be made again")
        found = json.loads(line)
        return Failure(found["error"], found["message"]) if found else None

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if it lives."""
        self._process.send_signal(number)

    def end(self) -> None:
        """Wait for its end; without a job it comes at once."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Pool:
    """Workers, as many as cores; leaving the context has seen to their end."""

    def __init__(self, cores: Sequence[int]) -> None:
        self._cores = cores
        self._workers: list[Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop what still runs: SIGTERM, again if the user is impatient, and then SIGKILL."""
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            for worker in self._workers:
                if worker.job is not None:
                    worker.send(number)
            try:
                for worker in self._workers:
                    worker.end()
                return
            except KeyboardInterrupt:
                continue

    def run(self, jobs: Iterable[Job], on_done: OnDone) -> None:
        """Do all jobs; on_done is told of each when it is over."""
        waiting = iter(jobs)
        with selectors.DefaultSelector() as events:
            for core in self._cores:
                self._begin(events, core, waiting)
            while events.get_map():
                for key, _ in events.select():
                    worker = key.fileobj
                    assert isinstance(worker, Worker) and worker.job is not None
                    job, failure = worker.job, worker.answer()
                    on_done(job, failure)
                    self._go_on(events, worker, waiting, dead=failure is not None and failure.error == KILLED)

    def _begin(self, events: selectors.BaseSelector, core: int, waiting: Iterator[Job]) -> None:
        """Start a worker if there is anything to do."""
        job = next(waiting, None)
        if job is not None:
            worker = Worker(core)
            self._workers.append(worker)
            worker.give(job)
            events.register(worker, selectors.EVENT_READ)

    def _go_on(
        self, events: selectors.BaseSelector, worker: Worker, waiting: Iterator[Job], *, dead: bool
    ) -> None:
        """Give the next job; a worker that was killed is replaced, one without a job ends."""
        if dead:
            events.unregister(worker)
            worker.end()
            self._workers.remove(worker)
            self._begin(events, worker.core, waiting)
        elif (job := next(waiting, None)) is not None:
            worker.give(job)
        else:
            events.unregister(worker)
            worker.end()
            self._workers.remove(worker)
