"""The course of a campaign: which runs are handed out, and what came of them.

A run that is there is not handed out; one that something else than its solver ended is handed out again,
after all others, up to a limit.  What would happen to each run, a full disk, ends the campaign: it can go on.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.campaign.store import HopelessError, Store
from wcnfgen.errors import WcnfgenError
from wcnfgen.workers.failure import DISK_FULL, KILLED, Failure

log = logging.getLogger("wcnfgen")

ENDS = (DISK_FULL, HopelessError.__name__)
EXIT_LEFT = 75  # "try again later", as mail programs say it
UNKNOWN = "whoever made it was killed before he could say why"


@dataclass(frozen=True, slots=True)
class Ran:
    """What was done.

    ended   how many of the runs that were made ended how
    there   so many were there before
    failed  (run, why) of those that could not be made in so many attempts as they have
    left    so many are to be made still
    """

    ended: dict[str, int]
    there: int
    failed: tuple[tuple[PlannedRun, str], ...]
    left: int

    @property
    def exit_code(self) -> int:
        """0: all runs are there; 1: some could not be made; EXIT_LEFT: told to stop before the end."""
        return EXIT_LEFT if self.left else int(bool(self.failed))

    def lines(self) -> Iterator[str]:
        """What to tell."""
        made = sum(self.ended.values())
        how = ", ".join(f"{number} {name}" for name, number in sorted(self.ended.items()))
        yield f"{made} runs made" + (f": {how}" if how else "")
        if self.there:
            yield f"{self.there} were there"
        for run, why in self.failed:
            yield f"failed: {run.solver} on {run.instance}: {why}"
        if self.left:
            yield f"{self.left} left"


class Watcher(Protocol):
    """Who is told what happens, to show it."""

    def there(self, run: PlannedRun) -> None:
        """A run need not be made, or cannot be."""

    def begun(self, run: PlannedRun, where: str) -> None:
        """A run is being made."""

    def over(self, run: PlannedRun, said: Failure | str) -> None:
        """It is there, or it is not."""

    def tick(self) -> None:
        """Time goes by."""


@dataclass(slots=True)
class Course:
    """Hands runs out, and is told how it went.

    folder   the campaign's; common is what its runs have in common
    runs     those to look at, in order
    total    how many they are
    watcher  is told what happens
    handle   a descriptor that holds the folder's lock: processes that make runs should hold it too
    """

    folder: Path
    common: Common
    runs: Iterator[PlannedRun]
    total: int
    watcher: Watcher
    handle: int = -1
    there: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[PlannedRun, str]] = field(default_factory=list)
    _failures: Counter[str] = field(default_factory=Counter)
    _again: deque[PlannedRun] = field(default_factory=deque)
    _warned: set[tuple[str, str]] = field(default_factory=set)

    @property
    def store(self) -> Store:
        """Where runs go."""
        return Store(self.folder)

    @property
    def made(self) -> int:
        """How many runs were made."""
        return sum(self.ended.values())

    def next(self) -> PlannedRun | None:
        """A run to make; None if there is none now: more may follow when one is over."""
        for run in self._coming():
            if self.store.has(run.key):
                self.there += 1
                self.watcher.there(run)
            elif self._tried(run.key) >= self.common.settings.attempts:
                self.watcher.there(run)
                self.failed.append((run, self.store.beginnings(run.key).why or UNKNOWN))
            else:
                return run
        return None

    def _tried(self, key: str) -> int:
        """So often it was begun; what failed before that could be written down counts, too."""
        return max(self.store.tried(key), self._failures[key])

    def _coming(self) -> Iterator[PlannedRun]:
        yield from self.runs
        while self._again:
            yield self._again.popleft()

    def begun(self, run: PlannedRun, where: str) -> None:
        """A run is being made."""
        self.watcher.begun(run, where)

    def over(self, run: PlannedRun, said: Failure | str) -> None:
        """A run is made, or is not.  Raises WcnfgenError for what would happen to each."""
        self.watcher.over(run, said)
        if isinstance(said, str):
            self.ended[said] += 1
            return
        if said.error in ENDS:
            advice = "make room, and the same" if said.error == DISK_FULL else "the same"
            raise WcnfgenError(f"{said.message}; what is whole is kept: {advice} command goes on")
        if said.error == KILLED:
            self.store.failed(run.key, said.message)
        self._failures[run.key] += 1
        self._again.append(run)
        if (run.solver, said.error) not in self._warned:
            self._warned.add((run.solver, said.error))
            log.warning("%s on %s: %s", run.solver, run.instance, said.message)

    def result(self) -> Ran:
        """What was done."""
        seen = self.there + self.made + len(self.failed)
        return Ran(dict(self.ended), self.there, tuple(self.failed), self.total - seen)
