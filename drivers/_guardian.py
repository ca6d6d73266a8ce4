"""A program of its own: kills the runs of a driver that has died and could not do it itself.

`_guard` starts it, one for each process that uses drivers, as ``python -I -S _guardian.py``, and tells it
through descriptor 3, line by line, what runs there are: the mark that their processes carry in the
environment, a 0, and their sessions.  A mark alone says that the run is over.  Descriptor 4 is a pidfd of
the driver, so its end is noticed even while a child that it forked holds the pipe open; where there is
none (before Linux 5.3), the end of the pipe has to do.

What belongs to a run carries its mark, is in one of its sessions, or descends from such a process.  (A
process that scrubbed its environment, made a session of its own and was orphaned, all since the driver
looked last, gets away.)

It shares no code with the rest, since only what it does not import makes it start in a few milliseconds.
"""

from __future__ import annotations

import os
import select
import time

PIPE, DRIVER = 3, 4
KILL_S = 10.0  # then what is left is in uninterruptible sleep
SIGKILL = 9

Runs = dict[bytes, frozenset[int]]


def main() -> None:
    """Wait for the end of the driver, then for that of its runs."""
    os.chdir("/")
    for fd in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - pathlib takes long to load
        if fd > DRIVER:
            close(fd)
    runs = wait_for_end()
    sweep(set(runs), frozenset().union(*runs.values()))


def close(fd: int) -> None:
    """Close a descriptor that may be closed already."""
    try:  # noqa: SIM105 - contextlib takes long to load, too
        os.close(fd)
    except OSError:
        pass


def wait_for_end() -> Runs:
    """The runs that the driver left, by mark."""
    runs: Runs = {}
    rest = b""
    events = select.poll()
    events.register(PIPE, select.POLLIN)
    has_pidfd = os.path.exists(f"/proc/self/fd/{DRIVER}")  # noqa: PTH110 - as above
    if has_pidfd:
        events.register(DRIVER, select.POLLIN)
    while True:
        ready = [fd for fd, _ in events.poll()]
        if PIPE not in ready:
            return runs
        data = os.read(PIPE, 1 << 16)
        if data:
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                note(runs, line)
        elif has_pidfd:
            events.unregister(PIPE)
        else:
            return runs


def note(runs: Runs, line: bytes) -> None:
    """Learn of a run, of its sessions, or of its end."""
    mark, *sessions = line.split()
    runs.pop(mark, None)
    if sessions:
        runs[mark] = frozenset(map(int, sessions)) - {0}


def sweep(marks: set[bytes], sessions: frozenset[int]) -> None:
    """SIGKILL, in rounds until nothing is left; a look races with fork, so only the second is believed."""
    empty, deadline = 0, time.monotonic() + KILL_S
    while marks and empty < 2 and time.monotonic() < deadline:
        left = find(marks, sessions)
        empty = 0 if left else empty + 1
        for pid in left:
            try:  # noqa: SIM105 - as above
                os.kill(pid, SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        time.sleep(0.005)


def find(marks: set[bytes], sessions: frozenset[int]) -> set[int]:
    """The processes of those runs."""
    groups = [b"/wcnfgen-%s-" % mark.partition(b"=")[2].partition(b"-")[0] for mark in marks]  # `cgroup`
    parents: dict[int, int] = {}
    found: set[int] = set()
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):  # noqa: PTH208 - as above
        state, *numbers = read(pid, "stat").rpartition(b") ")[2].split()[:4] or [b"X"]
        if state in b"ZX":
            continue
        parents[pid], _, session = map(int, numbers)
        marked = not marks.isdisjoint(read(pid, "environ").split(b"\0"))
        if marked or session in sessions or any(group in read(pid, "cgroup") for group in groups):
            found.add(pid)
    size = 0
    while size < len(found):
        size = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found - {1, os.getpid()}


def read(pid: int, name: str) -> bytes:
    """The content of /proc/PID/NAME; empty when the process is gone or not ours to read."""
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return b""


if __name__ == "__main__":
    main()
