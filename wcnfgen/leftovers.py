"""Temporary folders whose names say whose they are.

MACHINE-PID-START: with the time at which the process started, since numbers of processes are used again, and
with a machine that is told from its containers, which have numbers of their own.  So what somebody left
behind who was killed can be told from what is in use, here or elsewhere, and whoever comes next removes it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wcnfgen.files import safe

PREFIX = "wcnfgen-"
_NAME = re.compile(rf"{PREFIX}(.+-[0-9]+-[0-9]+)-[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process on a machine, and when it started, in ticks of the kernel."""

    machine: str
    pid: int
    started: str

    def __str__(self) -> str:
        return f"{self.machine}-{self.pid}-{self.started}"

    @property
    def is_here(self) -> bool:
        """Whether this is the machine."""
        return self.machine == machine()

    @property
    def is_dead(self) -> bool:
        """Whether it has ended, as far as this machine can tell."""
        return self.is_here and str(_started(self.pid)) != self.started


def owner(text: str) -> Owner | None:
    """Who has that name; None for another text.

    >>> owner("node7-0a1b2c-123-456")
    Owner(machine='node7-0a1b2c', pid=123, started='456')
    """
    match text.rsplit("-", 2):
        case [machine, pid, started] if pid.isdecimal():
            return Owner(machine, int(pid), started)
    return None


def me() -> Owner:
    """This process."""
    return Owner(machine(), os.getpid(), str(_started(os.getpid())))


@cache
def machine() -> str:
    """A short name for this machine, or container: processes have numbers in a name space of it."""
    host = socket.gethostname()
    try:
        space = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        space = 0
    digest = hashlib.sha256(f"{host} {space}".encode()).hexdigest()
    return f"{safe(host.partition('.')[0], 12)}-{digest[:6]}"


def _started(pid: int) -> int | None:
    """When a process started; None if there is none, or it has ended."""
    try:
        state, *numbers = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else int(numbers[18])


def folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder that is ours; a process's first one sweeps."""
    _first_sweep()
    return tempfile.TemporaryDirectory(prefix=f"{PREFIX}{me()}-")


@cache
def _first_sweep() -> None:
    sweep()


def sweep() -> None:
    """Remove the temporary folders of processes of this machine and user that have ended."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for each in [each for each in found if _is_left(each)]:
            shutil.rmtree(each.path, ignore_errors=True)


def _is_left(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder of ours, and no link that anybody may have laid, of a process that has ended."""
    match = _NAME.fullmatch(entry.name)
    found = match and owner(match[1])
    if not found or not found.is_dead:
        return False
    with suppress(OSError):
        return entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid()
    return False
