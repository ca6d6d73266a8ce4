"""The processes of a run: found through /proc, signalled, reaped.

Why a subreaper: a process whose parent ends is handed to the nearest ancestor that asked for orphans.
While a run lasts this process asks for them, so whatever the command starts, in new groups or new
sessions, stays among our descendants and a walk from here finds it.  Two side effects, for as long as
the run lasts: orphans of *other* children of this process come to us too and stay zombies until we
end; and this process must reap its run's orphans, which the walk does.

A child of ours belongs to the run if it is in one of the run's sessions or carries the run's mark in its
environment; children that other threads start are left alone.  (An orphan that scrubbed its environment
and made a session of its own, all between two samples, is not recognised.)
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

MARK = "WCNFGEN_RUN"
GUARDIAN = "WCNFGEN_GUARDIAN"  # in the environment of one, see `_guard`
KILL_S = 10.0  # a process in uninterruptible sleep can refuse to die; then we give up

_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
_TICKS = os.sysconf("SC_CLK_TCK")
_HAS_CHILDREN_FILES = Path("/proc/thread-self/children").exists()


@contextmanager
def subreaper() -> Iterator[None]:
    """Orphans below this process become its children for as long as the context lasts."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = ctypes.c_int()
    libc.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Process:
    """What /proc/PID/stat tells; cpu_s includes the children it has reaped, threads counts its own."""

    pid: int
    started: int
    parent: int
    session: int
    zombie: bool
    cpu_s: float
    threads: int = 1

    @property
    def key(self) -> tuple[int, int]:
        """Identifies the process even when its number is used again."""
        return self.pid, self.started


def read_proc(pid: int | str, name: str) -> bytes:
    """The content of /proc/PID/NAME; empty when the process is gone or not ours to read."""
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - hot
            return file.read()
    except OSError:
        return b""


def process(pid: int) -> Process | None:
    """The process of that number, None when it is gone."""
    state, *numbers = read_proc(pid, "stat").rpartition(b") ")[2].split() or [b""]
    if not state:
        return None
    parent, _, session = map(int, numbers[:3])
    ticks = sum(map(int, numbers[10:14]))  # utime, stime, cutime, cstime
    threads, _, started = map(int, numbers[16:19])
    return Process(pid, started, parent, session, state in b"ZX", ticks / _TICKS, threads)


def children(pid: int) -> list[int]:
    """The numbers of the children of a process."""
    return _listed_children(pid) if _HAS_CHILDREN_FILES else _scanned_children(pid)


def _listed_children(pid: int) -> list[int]:
    with suppress(OSError):
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - hot
        return [int(child) for t in threads for child in read_proc(pid, f"task/{t}/children").split()]
    return []


def _scanned_children(pid: int) -> list[int]:
    """The same for kernels built without CONFIG_PROC_CHILDREN."""
    everyone = (process(int(name)) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - hot
    return [p.pid for p in everyone if p is not None and p.parent == pid]


class Tree:
    """The processes of the run that began with process `root`; leaving the context kills them."""

    def __init__(self, root: int, mark: str) -> None:
        self.root = root
        self.began = 0.0  # monotonic time at which the command started, if later than the process
        self.exit_code: int | None = None
        self.reaped_cpu_s = 0.0
        self.reaped_peak_mib = 0.0
        self.sessions = {root}  # where its processes were when last seen
        self._known_sessions = {root}  # and ever
        self._mark = f"{MARK}={mark}".encode()

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def walk(self) -> list[Process]:
        """The live processes, parents before their children; reaps those of ours that have ended.

        The order matters to CPU time: a child that is reaped while we read counts in its parent's figures
        from then on, so reading it before its parent could count it twice.
        """
        roots = [p for pid in children(os.getpid()) if (p := process(pid)) and self._is_ours(p)]
        found = [p for p in roots if not (p.zombie and self._reap(p.pid))]
        for parent in found:  # grows
            found += [p for pid in children(parent.pid) if (p := process(pid)) and not p.zombie]
        self.sessions = {p.session for p in found}
        self._known_sessions |= self.sessions
        return found

    def _is_ours(self, child: Process) -> bool:
        return (
            child.pid == self.root
            or child.session in self._known_sessions
            or self._mark in read_proc(child.pid, "environ").split(b"\0")
        )

    def _reap(self, pid: int) -> bool:
        """Whether the process has ended (the first thread of a process may end before it)."""
        try:
            ended, status, usage = os.wait4(pid, os.WNOHANG)
        except ChildProcessError:
            return True
        if ended:
            self.reaped_cpu_s += usage.ru_utime + usage.ru_stime
            if usage.ru_maxrss > getrusage(RUSAGE_SELF).ru_maxrss:  # else it may be what we had at its fork
                self.reaped_peak_mib = max(self.reaped_peak_mib, usage.ru_maxrss / 1024)
            if pid == self.root:
                self.exit_code = os.waitstatus_to_exitcode(status)
        return bool(ended)

    def kill(self) -> bool:
        """SIGKILL, in rounds until nothing is left; whether there was anything (but guardians).

        A walk races with fork, so only the second empty one in a row is believed.
        """
        killed, empty, deadline = False, 0, time.monotonic() + KILL_S
        while empty < 2 and time.monotonic() < deadline:
            left = self.walk()
            empty = 0 if left else empty + 1
            for one in left:
                killed |= would_go_on(one)
                send(one, signal.SIGKILL)
            if left:
                time.sleep(0.002)
        return killed


def would_go_on(one: Process) -> bool:
    """Whether a process has to be killed; not so one that is about to end, or the guardian of an inner run.

    What is ending has lost its memory, and so its environment and command line, a moment before it ends.
    """
    environment, command = read_proc(one.pid, "environ"), read_proc(one.pid, "cmdline")
    return bool(command) and f"{GUARDIAN}=1".encode() not in environment.split(b"\0")


def send(to: Process, number: signal.Signals) -> None:
    """Send a signal to a process that may be gone, or have become another user's."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(to.pid, number)
