"""Stopping a run so that it can still print its best model.

Who is told first decides whether the model arrives.  A shell that gets SIGTERM ends at once, and with it
the ``cat`` that was to print what the solver wrote, as in ``solver > f; cat f``; the filter in
``solver | filter`` takes the solver's words with it; coreutils ``timeout`` hides its child in a group of
its own, where a signal to our group does not reach it.  So a process is told after its children and
after those that write into its stdin, one level at each step, as far as they still live.  The solver
mostly is in the first level.  Nobody is told twice (some solvers take a second SIGTERM for impatience),
nor is a process that started after the limit: it is most likely the ``cat``.
"""

from __future__ import annotations

import os
import signal

from wcnfgen.drivers._processes import Process, Tree, send


class Stop:
    """SIGTERM, level by level, for the processes that live now; the first step is taken at once."""

    def __init__(self, tree: Tree, now_s: float, grace_s: float) -> None:
        self.began_s = now_s
        self.kill_s = now_s + grace_s
        self.due_s = now_s
        self._pause_s = min(1.0, grace_s / 4)
        self._tree = tree
        self._untold = {process.key for process in tree.walk()}
        self.step(now_s)

    def step(self, now_s: float) -> None:
        """Tell those that come after none of the untold."""
        waiting = [process for process in self._tree.walk() if process.key in self._untold]
        for process in first_to_tell(waiting):
            self._untold.remove(process.key)
            send(process, signal.SIGTERM)
        self.due_s = now_s + self._pause_s if self._untold else float("inf")


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
