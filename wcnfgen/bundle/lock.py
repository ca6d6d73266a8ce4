"""One at a time in a family's folder: `wcnfgen family` and `wcnfgen calibrate` keep each other out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from wcnfgen import lock
from wcnfgen.bundle.folder import Folder


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Nobody else changes the folder, which is there, meanwhile.  Raises UsageError if somebody does."""
    with lock.held(folder.path, "wcnfgen family` or `calibrate"):
        yield
