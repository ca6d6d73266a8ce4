"""What happens during a run: one loop waits for everything that can.

That is output, the end of the command (a pidfd), a signal to this process, and the next moment at which
something is due: a sample of CPU and memory, a limit, a step of the stop.

A driver that knows more than /proc tells, or has better means than signals, hands `supervise` its own
kind of `Tree` (which processes there are, and how they are killed) or `Meter` (what they use), and a
program to put in front of the command.
"""

from __future__ import annotations

import errno
import math
import os
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import FileIO

from wcnfgen.drivers import OUTPUT_MIB, Limit, Limits, OnText, Run, ignore
from wcnfgen.drivers._guard import Guard
from wcnfgen.drivers._meter import Meter
from wcnfgen.drivers._processes import MARK, Tree, subreaper
from wcnfgen.drivers._start import Order, started
from wcnfgen.drivers._stop import Stop
from wcnfgen.drivers._streams import Lines, Log, logs, signals

DRAIN_S = 0.5  # for what the command left behind to finish writing, and to empty the pipes
PASS_S = 0.02  # for bytes to get through a terminal
CHUNK = 1 << 18  # bytes to read at a time


def supervise(
    order: Order,
    *,
    prefix: Sequence[str] = (),
    tree: Callable[[int, str], Tree] = Tree,
    meter: Callable[[Tree, Limits], Meter] = Meter,
) -> Run:
    """Run a command to its end or to a limit; the contract is that of `wcnfgen.drivers`.

    prefix is a program that executes its last arguments; tree gets the number of the command's process
    and the value of `MARK` in its environment.
    """
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    environment = {**(os.environ if order.env is None else order.env), MARK: mark}
    lines = Lines(order.on_text)
    with (
        logs(order.stdout, order.stderr) as (out, err),
        signals() as interrupts,
        Guard(mark) as guard,
        subreaper(),
    ):
        began = time.monotonic()
        with (
            started(order, environment, prefix) as (process, stdout, stderr),
            tree(process.pid, mark) as family,
            Watch(family, meter(family, order.limits), guard, order.limits, began, interrupts) as watch,
        ):
            watch.copy(stdout, out, lines.feed)
            watch.copy(stderr, err, ignore)
            watch.until_over()
            killed = family.kill()
            process.returncode = -signal.SIGKILL if family.exit_code is None else family.exit_code
            watch.drain()
            lines.end(watch.now())
    return Run(
        command=tuple(order.command),
        exit_code=process.returncode,
        limit=watch.limit,
        wall_s=watch.wall_s,
        cpu_s=max(watch.meter.cpu_s, family.reaped_cpu_s),
        peak_mib=max(watch.meter.peak_mib, family.reaped_peak_mib),
        signalled_s=watch.stop.began_s if watch.stop else None,
        killed=killed,
        output_bytes=watch.output_bytes,
        stdout=order.stdout,
        stderr=order.stderr,
        threads=watch.meter.threads or None,
    )


class Watch:
    """The loop and what it knows; all times are in seconds since the start."""

    def __init__(
        self,
        tree: Tree,
        meter: Meter,
        guard: Guard,
        limits: Limits,
        began: float,
        interrupts: int | None,
    ) -> None:
        self.meter = meter
        self.limit: Limit | None = None
        self.stop: Stop | None = None
        self.wall_s = math.inf
        self.output_bytes = 0
        self._tree, self._guard, self._limits, self._began = tree, guard, limits, max(began, tree.began)
        self._sample_s, self._over_s = 0.0, math.inf
        self._pipes = 0
        self._logs: list[Log] = []
        self._events = selectors.DefaultSelector()
        self._interrupts = interrupts
        if interrupts is not None:
            self._events.register(interrupts, selectors.EVENT_READ, self._interrupted)
        self._end: int | None = None
        with suppress(OSError):  # before Linux 5.3 the next sample notices the end
            self._end = os.pidfd_open(tree.root)
            self._events.register(self._end, selectors.EVENT_READ, self._ended)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._events.close()
        if self._end is not None:
            os.close(self._end)

    def now(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def copy(self, source: FileIO, log: Log, feed: OnText) -> None:
        """Pass on what can be read, until its end."""

        def piece() -> None:
            chunk = _read(source.fileno())
            seconds = self.now()
            if chunk:
                self.output_bytes += len(chunk)
                log.write(seconds, chunk)
                feed(seconds, chunk)
            elif chunk is not None:
                self._events.unregister(source)
                self._pipes -= 1

        self._events.register(source, selectors.EVENT_READ, piece)
        self._pipes += 1
        self._logs.append(log)

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
        while self._pipes and self.now() < deadline and self._wait(PASS_S):
            pass

    def _wait(self, seconds: float) -> bool:
        """Whether something happened; it has been dealt with."""
        events = self._events.select(max(0.0, seconds))
        for key, _ in events:
            key.data()
        return bool(events)

    def _sample(self) -> None:
        """Look at the processes if it is time (which is often enough for the logs, too)."""
        if self.now() >= self._sample_s:
            for log in self._logs:
                log.flush(self.now())
            self.meter.sample()
            self._guard.tell(self._tree.sessions)
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
        limit = self._passed() if self.stop is None and self.wall_s == math.inf else None
        if self._passed_hard():  # nobody is told: who answers quickly would not seem to have been killed
            self.limit = self.limit or limit
            self._over_s = 0.0
        elif limit is not None:
            self._begin_stop(limit)
        elif self.stop is not None and self.now() >= self.stop.due_s:
            self.stop.step(self.now())

    def _passed(self) -> Limit | None:
        limits = self._limits
        soft_mib = limits.memory_hard_mib if limits.memory_mib is None else limits.memory_mib
        uses: tuple[tuple[Limit, float, float | None], ...] = (
            ("wall", self.now(), limits.wall_s),
            ("cpu", self.meter.cpu_s, limits.cpu_s),
            ("memory", self.meter.peak_mib, soft_mib),
            ("output", self._output_mib, limits.output_mib),
        )
        return next((name for name, used, allowed in uses if allowed is not None and used >= allowed), None)

    def _passed_hard(self) -> bool:
        most_mib = math.inf if self._limits.output_mib is None else self._limits.output_mib + OUTPUT_MIB
        return self.meter.peak_mib >= self._limits.hard_mib or self._output_mib >= most_mib

    @property
    def _output_mib(self) -> float:
        return self.output_bytes / (1 << 20)

    def _begin_stop(self, limit: Limit) -> None:
        self.limit = limit
        if self.stop is None and self.wall_s == math.inf:
            self.stop = Stop(self._tree, self.now(), self._limits.grace_s)
            self._over_s = min(self._over_s, self.stop.kill_s)


def _read(source: int) -> bytes | None:
    """What can be read; nothing at the end, None if there is nothing now."""
    try:
        return os.read(source, CHUNK)
    except BlockingIOError:
        return None
    except OSError as error:
        if error.errno == errno.EIO:  # so a terminal says that nobody has it open any more
            return b""
        raise
