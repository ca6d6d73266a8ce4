"""Stopping a run so that it can still print its best model.

Who is told first decides whether the model arrives.  A shell that gets SIGTERM ends at once, and with it
the ``cat`` that was to print what the solver wrote, as in ``solver > f; cat f``; the filter in
``solver | filter`` takes the solver's words with it; coreutils ``timeout`` hides its child in a group of
its own, where a signal to our group does not reach it.  So a process is told after its children and
after those that write into its stdin, one level at each step, as far as they still live.  The solver
mostly is in the first level.  Nobody is told twice (some solvers take a second SIGTERM for impatience),
nor is a process that started after the limit: it is most likely the ``cat``.

The next level waits for the one before to end, but not for ever: one that is idle does not seem to print a
model (a helper that is deaf to SIGTERM, whose parent is the solver), and half of the grace is for the rest.
"""

from __future__ import annotations

import os
import signal

from wcnfgen.drivers._processes import Process, Tree, send

Key = tuple[int, int]


BUSY = 0.2  # of a core: what a process uses that is at work


class Stop:
    """SIGTERM, level by level, for the processes that live now; the first step is taken at once."""

    def __init__(self, tree: Tree, now_s: float, grace_s: float) -> None:
        self.began_s = now_s
        self.kill_s = now_s + grace_s
        self.due_s = now_s
        self._pause_s = min(1.0, grace_s / 4)
        self._patience_s = now_s + grace_s / 2
        self._tree = tree
        self._untold = {process.key for process in tree.walk()}
        self._told: dict[Key, float] = {}  # and their CPU time at the last step
        self.step(now_s)

    def step(self, now_s: float) -> None:
        """Tell those that come after none of the untold, nor of the told that are busy."""
        live = self._tree.walk()
        busy = {process.key for process in live if now_s < self._patience_s and self._is_busy(process)}
        self._told = {process.key: process.cpu_s for process in live if process.key in self._told}
        for process in first_to_tell([p for p in live if p.key in self._untold or p.key in busy]):
            if process.key in self._untold:
                self._untold.remove(process.key)
                self._told[process.key] = process.cpu_s
                send(process, signal.SIGTERM)
        self.due_s = now_s + self._pause_s if self._untold else float("inf")

    def _is_busy(self, process: Process) -> bool:
        """Whether one that was told has been at work since the last step."""
        before = self._told.get(process.key, float("inf"))
        return process.cpu_s - before > BUSY * self._pause_s


def first_to_tell(waiting: list[Process]) -> list[Process]:
    """Those that need not wait for another one; all, should they wait in a ring.

    A process waits for those that write into its stdin, and for its children unless they wait for it (in
    ``solver > >(filter)`` the filter is a child of the solver).
    """
    inputs = {p.pid: _pipe(p, 0) for p in waiting}
    outputs = {p.pid: {_pipe(p, 1), _pipe(p, 2)} - {""} for p in waiting}

    def reads(reader: Process, writer: Process) -> bool:
        return reader != writer and inputs[reader.pid] in outputs[writer.pid]

    def waits(one: Process, other: Process) -> bool:
        return reads(one, other) or (other.parent == one.pid and not reads(other, one))

    return [one for one in waiting if not any(waits(one, other) for other in waiting)] or waiting


def _pipe(process: Process, fd: int) -> str:
    """The name of the pipe that the process has as this descriptor; empty if it is none."""
    try:
        target = os.readlink(f"/proc/{process.pid}/fd/{fd}")  # noqa: PTH115 - it is a name, no path
    except OSError:
        return ""
    return target if target.startswith("pipe:") else ""
