"""One at a time in a folder: who comes second is told what the first one does.

The lock is on a file, which holds who has it, or on the folder itself, where no file is wanted: network disks
know no exclusive lock of that.  It ends with the process, however that ends, and with those that inherited it
(on NFS with the process itself).  Where the file system knows no locks, all are let in, with a warning.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from wcnfgen.errors import UsageError, WcnfgenError

log = logging.getLogger("wcnfgen")

PAUSES_S = (0.0, 0.05, 0.2)  # whoever only asks whether somebody is here (`busy`) has the lock for a moment


@contextlib.contextmanager
def held(place: Path, doing: str, *, shared: bool = False) -> Iterator[int]:
    """Hold the lock on a file, which is made, or on a folder; shared: with others that share it.

    doing is for the message to those who come meanwhile; of a folder, what such a one is likely to be doing.
    What is yielded is the open file: a process that inherits it holds the lock, too, for as long as it lives.

    Raises UsageError where somebody else holds it, WcnfgenError where the file cannot be made.
    """
    lock = _opened(place)
    try:
        _take(lock, place, doing, shared=shared)
        if place.is_file():
            text = f"`{doing}` (process {os.getpid()} on {socket.gethostname()})"
            os.ftruncate(lock, os.pwrite(lock, os.fsencode(text), 0))
        yield lock
    finally:
        os.close(lock)


def busy(file: Path) -> str:
    """What goes on in the folder, for a message; empty: nothing."""
    try:
        lock = os.open(file, os.O_RDWR)
    except OSError:
        return ""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(lock)
    except OSError:
        return ""
    finally:
        os.close(lock)
    return ""


def _opened(place: Path) -> int:
    how = os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT
    try:
        return os.open(place, how, 0o666)
    except OSError as error:
        raise WcnfgenError(f"{place}: cannot write: {error.strerror}") from error


def _take(lock: int, place: Path, doing: str, *, shared: bool) -> None:
    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    try:
        if any(_got(lock, how, pause_s) for pause_s in PAUSES_S):
            return
        folder, who = (place, f"another `{doing}`") if place.is_dir() else (place.parent, _holder(lock))
        raise UsageError(f"{folder}: {who} is at work here: wait until it is done")
    except OSError as error:
        log.warning("%s: no locks here (%s): let only one command work here", place, error.strerror)


def _got(lock: int, how: int, pause_s: float) -> bool:
    """Try it, after a pause."""
    time.sleep(pause_s)
    try:
        fcntl.flock(lock, how)
    except BlockingIOError:
        return False
    return True


def _holder(lock: int) -> str:
    return os.pread(lock, 500, 0).decode("utf-8", "replace").strip() or "another wcnfgen"
