"""A run's folder while the run is being made.

Its name says who makes it (`wcnfgen.leftovers`): .KEY.WHO.tmp, beside the shelves of `store`.  So what
somebody left behind who was killed can be told from what is being made, here or on another machine.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wcnfgen import leftovers
from wcnfgen.campaign.store import HopelessError, Run, Store
from wcnfgen.leftovers import Owner

log = logging.getLogger("wcnfgen")

DAY_S = 86400.0
_THERE = frozenset({errno.EEXIST, errno.ENOTEMPTY})


@contextmanager
def whole(store: Store, key: str) -> Iterator[Run]:
    """A folder to fill, which becomes the run's when all is well, and else is gone.

    If another one has been made meanwhile, on another machine, that one stays.
    """
    temporary = store.runs / f".{key}.{leftovers.me()}.tmp"
    try:
        temporary.mkdir(parents=True)
    except OSError as error:
        raise HopelessError(f"{temporary}: cannot write: {error.strerror}") from error
    try:
        yield Run(temporary)
        _on_disk(temporary)
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


def _on_disk(folder: Path) -> None:
    """Have its files written to the disk: else a power cut could leave a renamed folder with empty ones."""
    for each in folder.iterdir():
        handle = os.open(each, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ---------------------------------------------------------------------------- what was left behind


@dataclass(frozen=True, slots=True)
class Left:
    """A folder of a run that is not whole, and who makes it, or did."""

    path: Path
    owner: Owner

    def is_stale(self, most_s: float | None) -> bool:
        """Whether nobody is at it; on another machine, if it is older than any run becomes, by a day."""
        if self.owner.is_here:
            return self.owner.is_dead
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
            case [_, _, who, _] if (owner := leftovers.owner(who)) is not None:
                yield Left(path, owner)


def sweep(store: Store, most_s: float | None) -> None:
    """Remove what was left behind by those who were killed; a run takes so many seconds at most.

    Also the beginnings of runs that are there: whoever made them was killed before that was forgotten.
    """
    for each in left(store):
        if each.is_stale(most_s):
            shutil.rmtree(each.path, ignore_errors=True)
    for key in list(store.unfinished()):
        if store.has(key):
            store.over(key)


def forget(store: Store, pid: int) -> None:
    """Remove what a process of this machine left that has ended."""
    for each in left(store):
        if each.owner.is_here and each.owner.pid == pid:
            shutil.rmtree(each.path, ignore_errors=True)
