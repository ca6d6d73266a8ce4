"""Runs a command on this machine with nothing but /proc and signals: no cgroups, no root.

One loop waits for everything that can happen: output, the end of the command (a pidfd), a signal to
this process, and the next moment at which something is due: a sample of CPU and memory, a limit,
a step of the stop.

The kernel's own limits only back this up: RLIMIT_CPU well above the CPU limit (or above what the wall
limit allows on all cores), in case this process is killed and cannot stop the run; no core dumps.

Threads: signals to this process are only noticed by a run in the main thread, and two runs at a time
need two processes, since collecting orphans is a property of the process (`_processes`).
"""

from __future__ import annotations

import math
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wcnfgen.drivers import NO_LIMITS, Limit, Limits, OnLine, Run, ignore
from wcnfgen.drivers._meter import Meter
from wcnfgen.drivers._processes import MARK, Tree, subreaper
from wcnfgen.drivers._stop import Stop
from wcnfgen.drivers._streams import Lines, Write, log, signals
from wcnfgen.errors import SolverError, UsageError

DRAIN_S = 0.5  # for what the command left behind to finish writing, and to empty the pipes
CHUNK = 1 << 16  # bytes; what a pipe holds


def run(
    command: Sequence[str],
    limits: Limits = NO_LIMITS,
    *,
    stdout: Path,
    stderr: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    on_line: OnLine = ignore,
) -> Run:
    """Run the command to its end or to a limit; the contract is that of `wcnfgen.drivers`.

    Raises SolverError if the command cannot start or an output file cannot be written.
    """
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    environment = {**(os.environ if env is None else env), MARK: mark}
    lines = Lines(on_line)
    with log(stdout) as out, log(stderr) as err, signals() as interrupts, subreaper():
        began = time.monotonic()
        with (
            _started(command, limits, cwd, environment) as process,
            Tree(process.pid, mark) as tree,
            _Watch(tree, limits, began, interrupts) as watch,
        ):
            watch.copy(process.stdout, out, lines.feed)
            watch.copy(process.stderr, err, ignore)
            watch.until_over()
            killed = tree.kill()
            process.returncode = -signal.SIGKILL if tree.exit_code is None else tree.exit_code
            watch.drain()
            lines.end(watch.now())
    return Run(
        command=tuple(command),
        exit_code=process.returncode,
        limit=watch.limit,
        wall_s=watch.wall_s,
        cpu_s=max(watch.meter.cpu_s, tree.reaped_cpu_s),
        peak_mib=watch.meter.peak_mib,
        signalled_s=watch.stop.began_s if watch.stop else None,
        killed=killed,
        stdout=stdout,
        stderr=stderr,
    )


def _started(
    command: Sequence[str], limits: Limits, cwd: Path | None, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """The command, started in a session of its own and under the limits that the kernel holds."""
    try:
        with _pinned(limits.cores):
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        where = cwd if cwd is not None and not cwd.is_dir() else command[0]
        advice = "check that it exists, may be executed and is made for this machine"
        raise SolverError(f"cannot start {where}: {error.strerror}; {advice}") from error
    _limit(process.pid, resource.RLIMIT_CORE, 0, 0)
    cores = len(limits.cores or ()) or os.cpu_count() or 1
    cpu_s = limits.cpu_s or (limits.wall_s or math.inf) * cores
    if cpu_s < math.inf:
        backstop = math.ceil(cpu_s + limits.grace_s) + 5
        _limit(process.pid, resource.RLIMIT_CPU, backstop, backstop + 5)
    return process


def _limit(pid: int, what: int, soft: int, hard: int) -> None:
    """Set a limit of the kernel unless a stricter one is in force, or the process is gone."""
    with suppress(OSError, ValueError):
        resource.prlimit(pid, what, (soft, hard))


@contextmanager
def _pinned(cores: frozenset[int] | None) -> Iterator[None]:
    """What this thread starts meanwhile runs on these cores only."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, cores)
    except (OSError, ValueError) as error:
        raise UsageError(f"cores {sorted(cores)}: this process may use {sorted(before)}") from error
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class _Watch:
    """The loop and what it knows; all times are in seconds since the start."""

    def __init__(self, tree: Tree, limits: Limits, began: float, interrupts: int | None) -> None:
        self.meter = Meter(tree, limits.memory_mib)
        self.limit: Limit | None = None
        self.stop: Stop | None = None
        self.wall_s = math.inf
        self._tree, self._limits, self._began = tree, limits, began
        self._sample_s, self._over_s = 0.0, math.inf
        self._pipes = 0
        self._events = selectors.DefaultSelector()
        self._interrupts = interrupts
        if interrupts is not None:
            self._events.register(interrupts, selectors.EVENT_READ, self._interrupted)
        self._end: int | None = None
        with suppress(OSError):  # before Linux 5.3 the next sample notices the end
            self._end = os.pidfd_open(tree.root)
            self._events.register(self._end, selectors.EVENT_READ, self._ended)

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._events.close()
        if self._end is not None:
            os.close(self._end)

    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def copy(self, pipe: IO[bytes] | None, write: Write, feed: OnLine) -> None:
        """Pass on what comes through the pipe."""
        assert pipe is not None
        source = pipe.fileno()
        os.set_blocking(source, False)

        def piece() -> None:
            chunk = os.read(source, CHUNK)
            if chunk:
                write(chunk)
                feed(self.now(), chunk)
            else:
                self._events.unregister(source)
                self._pipes -= 1

        self._events.register(source, selectors.EVENT_READ, piece)
        self._pipes += 1

    def until_over(self) -> None:
        """Until the command has ended and its output is read, or time is up."""
        while self.now() < self._over_s and (self._pipes or self.wall_s == math.inf):
            stop_s = self.stop.due_s if self.stop else (self._limits.wall_s or math.inf)
            self._wait(min(self._sample_s, self._over_s, stop_s) - self.now())
            self._sample()
            self._check()
        self.wall_s = min(self.wall_s, self.now())

    def drain(self) -> None:
        """Read what the pipes still hold; bounded, since a stranger may keep them open and write."""
        deadline = self.now() + DRAIN_S
        while self._pipes and self.now() < deadline and self._wait(0):
            pass

    def _wait(self, seconds: float) -> bool:
        """Whether something happened; it has been dealt with."""
        events = self._events.select(max(0.0, seconds))
        for key, _ in events:
            key.data()
        return bool(events)

    def _sample(self) -> None:
        if self.now() >= self._sample_s:
            self.meter.sample()
            self._sample_s = self.now() + self.meter.next_s(self.now())
        if self._tree.exit_code is not None and self.wall_s == math.inf:
            self.wall_s = self.now()
            self._over_s = min(self._over_s, self.stop.kill_s if self.stop else self.wall_s + DRAIN_S)

    def _ended(self) -> None:
        assert self._end is not None
        self._events.unregister(self._end)
        self._sample_s = 0.0

    def _interrupted(self) -> None:
        assert self._interrupts is not None
        os.read(self._interrupts, 1)
        if self.limit == "interrupt":
            self._over_s = 0.0
        self._begin_stop("interrupt")

    def _check(self) -> None:
        """Limits first passed, then the steps of the stop."""
        if self.stop is None:
            limit = self._passed()
            if limit is not None and self.wall_s == math.inf:
                self._begin_stop(limit)
        elif self.now() >= self.stop.due_s:
            self.stop.step(self.now())
        if self._limits.memory_mib is not None and self.meter.peak_mib > hard_mib(self._limits.memory_mib):
            self._over_s = 0.0

    def _passed(self) -> Limit | None:
        uses: tuple[tuple[Limit, float, float | None], ...] = (
            ("wall", self.now(), self._limits.wall_s),
            ("cpu", self.meter.cpu_s, self._limits.cpu_s),
            ("memory", self.meter.peak_mib, self._limits.memory_mib),
        )
        return next((name for name, used, allowed in uses if allowed is not None and used >= allowed), None)

    def _begin_stop(self, limit: Limit) -> None:
        self.limit = limit
        if self.stop is None and self.wall_s == math.inf:
            self.stop = Stop(self._tree, self.now(), self._limits.grace_s)
            self._over_s = min(self._over_s, self.stop.kill_s)


def hard_mib(limit_mib: float) -> float:
    """The memory at which a run is killed without grace: room to print a model, not more."""
    return limit_mib + max(0.05 * limit_mib, 64.0)
