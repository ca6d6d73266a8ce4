"""One at a time in a family's folder: `wcnfgen family` and `wcnfgen calibrate` keep each other out."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from wcnfgen.bundle.folder import Folder
from wcnfgen.errors import UsageError


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Nobody else changes the folder, which is there, meanwhile.  Raises UsageError if somebody does."""
    lock = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _take(lock, folder)
        yield
    finally:
        os.close(lock)


def _take(lock: int, folder: Folder) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UsageError(
            f"{folder.path}: another `wcnfgen family` or `calibrate` is at work here: wait until it is done"
        ) from error
