"""A run's folder while the run is being made.

Its name says who makes it: .KEY.MACHINE.PID.START.tmp, beside the shelves of `store`, with the time at
which the process started, since numbers of processes are used again.  So what somebody left behind who was
killed can be told from what is being made, here or on another machine.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wcnfgen.campaign.store import Run, Store
from wcnfgen.files import safe

log = logging.getLogger("wcnfgen")

DAY_S = 86400.0
_THERE = frozenset({errno.EEXIST, errno.ENOTEMPTY})


@contextmanager
def whole(store: Store, key: str) -> Iterator[Run]:
    """A folder to fill, which becomes the run's when all is well, and else is gone.

    If another one has been made meanwhile, on another machine, that one stays.
    """
    temporary = store.runs / f".{key}.{me()}.tmp"
    temporary.mkdir(parents=True)
    try:
        yield Run(temporary)
        target = store.run(key).path
        target.parent.mkdir(exist_ok=True)
        try:
            temporary.rename(target)
        except OSError as error:
            if error.errno not in _THERE:
                raise
            log.info("run %s was made twice; the first one stays", key[:12])
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def me() -> str:
    """This process: machine, number and start."""
    return f"{machine()}.{os.getpid()}.{_started(os.getpid())}"


@cache
def machine() -> str:
    """The name of this machine."""
    return safe(socket.gethostname().replace(".", "_"), 60)


def _started(pid: int) -> int | None:
    """When a process started, in ticks of the kernel; None if there is none, or it has ended."""
    try:
        state, *numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else int(numbers[18])


# ---------------------------------------------------------------------------- what was left behind


@dataclass(frozen=True, slots=True)
class Left:
    """A folder of a run that is not whole, and who makes it, or did."""

    path: Path
    machine: str
    pid: int
    started: str

    @property
    def is_alive(self) -> bool:
        """Whether he is at it still, as far as this machine can tell."""
        return self.machine == machine() and str(_started(self.pid)) == self.started

    def is_stale(self, most_s: float | None) -> bool:
        """Whether nobody is at it; on another machine, if it is older than any run becomes, by a day."""
        if self.machine == machine():
            return not self.is_alive
        if most_s is None:
            return False
        try:
            return time.time() - self.path.stat().st_mtime > most_s + DAY_S
        except OSError:
            return False


def left(store: Store) -> Iterator[Left]:
    """All folders of runs that are not whole."""
    for path in store.runs.glob(".*.tmp"):
        match path.name.split("."):
            case [_, _, machine, pid, started, _] if pid.isdigit():
                yield Left(path, machine, int(pid), started)


def sweep(store: Store, most_s: float | None) -> None:
    """Remove what was left behind by those who were killed; a run takes so many seconds at most."""
    for each in left(store):
        if each.is_stale(most_s):
            shutil.rmtree(each.path, ignore_errors=True)


def forget(store: Store, pid: int) -> None:
    """Remove what a process of this machine left that has ended."""
    for each in left(store):
        if (each.machine, each.pid) == (machine(), pid):
            shutil.rmtree(each.path, ignore_errors=True)
