"""What a campaign is doing, for people.

On a terminal, with rich: a line for each run that is being made, one for all, and how those ended that are
over.  Else a line now and then.  The time that is left is estimated from what the runs of each solver have
taken so far, and is at most what the limits allow.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wcnfgen.campaign.course import Watcher
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.words import span
from wcnfgen.workers.failure import Failure

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live
    from rich.table import Table

log = logging.getLogger("wcnfgen")

EVERY_S = 30.0  # between two lines
DRAWN_S = 0.9  # between two pictures, which cost some milliseconds each
LINES = 64  # runs that are shown at a time


@contextmanager
def shown(common: Common, number: int, *, here: bool = False) -> Iterator[Watcher]:
    """Show what happens while the context lasts: so many runs are looked at.

    here: this process makes the runs, and cannot draw meanwhile.
    """
    tally = Tally(number, tuple(common.solvers), _most_s(common))
    console = None if here or not log.isEnabledFor(logging.INFO) else _terminal()
    if console is None:
        yield Lines(tally)
        return
    from rich.live import Live

    with Live(console=console, auto_refresh=False, transient=True) as live, _above():
        yield Board(tally, live)


def _most_s(common: Common) -> float | None:
    limits = common.settings.limits
    return None if limits.wall_s is None else limits.wall_s + limits.grace_s


def _terminal() -> Console | None:
    """Where to draw; None if that is no terminal, or there is no rich."""
    with suppress(ImportError):
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
        if sys.stderr.isatty() and console.is_terminal and not console.is_dumb_terminal:
            return console
    return None


@contextmanager
def _above() -> Iterator[None]:
    """Notes and warnings go where rich has put sys.stderr: above what it draws."""
    handlers = [each for each in log.handlers if isinstance(each, logging.StreamHandler)]
    before = [(each, each.setStream(sys.stderr)) for each in handlers]
    try:
        yield
    finally:
        for handler, stream in before:
            if stream is not None:
                handler.setStream(stream)


# ---------------------------------------------------------------------------- what there is to show


@dataclass(frozen=True, slots=True)
class Current:
    """A run that is being made, where and since when."""

    run: PlannedRun
    where: str
    began: float


@dataclass(slots=True)
class Tally:
    """Counts and estimates.

    number   of runs to look at; they are shared out evenly among the solvers
    most_s   what a run takes at most; None: no limit
    current  what is being made, by key
    over     how many of each solver are there, or failed for good
    ended    how those ended that were made; failed, how many attempts came to nothing
    """

    number: int
    solvers: tuple[str, ...]
    most_s: float | None
    current: dict[str, Current] = field(default_factory=dict)
    over: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    _seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _timed: Counter[str] = field(default_factory=Counter)
    _widest: int = 1

    def begin(self, run: PlannedRun, where: str) -> None:
        """A run is being made."""
        self.current[run.key] = Current(run, where, time.monotonic())
        self._widest = max(self._widest, len(self.current))

    def end(self, run: PlannedRun, said: Failure | str) -> None:
        """It is there, or it is not."""
        current = self.current.pop(run.key)
        if isinstance(said, Failure):
            self.failed += 1
            return
        self.ended[said] += 1
        self.over[run.solver] += 1
        self._seconds[run.solver] += time.monotonic() - current.began
        self._timed[run.solver] += 1

    def left_s(self) -> float | None:
        """An estimate; None: no idea."""
        each = self.number / len(self.solvers)
        times = {name: max(0.0, each - self.over[name]) for name in self.solvers}
        means = {name: self._mean_s(name) for name in self.solvers}
        if None in means.values():
            return None
        running = sum(time.monotonic() - one.began for one in self.current.values())
        whole = sum(times[name] * (means[name] or 0.0) for name in self.solvers)
        return max(0.0, whole - running) / self._widest

    def _mean_s(self, solver: str) -> float | None:
        """What a run of a solver takes: as those so far, else as those of the others, else the limit."""
        if self._timed[solver]:
            return self._seconds[solver] / self._timed[solver]
        if self._timed:
            return sum(self._seconds.values()) / self._timed.total()
        return self.most_s

    def line(self) -> str:
        """All in one line."""
        left = self.left_s()
        parts = [
            f"{self.over.total()} of {self.number} runs",
            f"{self.failed} attempts failed" if self.failed else "",
            "" if left is None else f"about {span(left)} left",
        ]
        return ", ".join(part for part in parts if part)

    def endings(self) -> str:
        """How the runs ended that were made, most first."""
        return ", ".join(f"{number} {how}" for how, number in self.ended.most_common())


# ---------------------------------------------------------------------------- how it is shown


class Lines:
    """A line now and then."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._noted = time.monotonic()

    def there(self, run: PlannedRun) -> None:
        """A run need not be made, or cannot be."""
        self._tally.over[run.solver] += 1

    def begun(self, run: PlannedRun, where: str) -> None:
        """A run is being made."""
        self._tally.begin(run, where)

    def over(self, run: PlannedRun, said: Failure | str) -> None:
        """It is there, or it is not."""
        self._tally.end(run, said)
        self.tick()

    def tick(self) -> None:
        """Time goes by."""
        if time.monotonic() - self._noted >= EVERY_S:
            self._noted = time.monotonic()
            log.info("%s", self._tally.line())


class Board(Lines):
    """A picture on a terminal."""

    def __init__(self, tally: Tally, live: Live) -> None:
        super().__init__(tally)
        self._live = live
        self._drawn = 0.0

    def tick(self) -> None:
        """Draw it, if that was not a moment ago."""
        if time.monotonic() - self._drawn >= DRAWN_S:
            self._drawn = time.monotonic()
            self._live.update(picture(self._tally), refresh=True)


def picture(tally: Tally) -> Group:
    """A line for each run that is being made, and two for all."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    total = Table.grid(padding=(0, 1))
    total.add_row(ProgressBar(max(1, tally.number), tally.over.total(), width=30), Text(tally.line()))
    return Group(_running(tally), total, Text(tally.endings(), "dim"))


def _running(tally: Tally) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for justify in ("right", "left", "left", "right"):
        table.add_column(justify=justify, no_wrap=True, overflow="ellipsis")
    limit = "" if tally.most_s is None else f" of {tally.most_s:g}"
    for each in sorted(tally.current.values(), key=lambda each: each.where)[:LINES]:
        seconds = f"{time.monotonic() - each.began:.0f}{limit} s"
        seed = "" if each.run.seed is None else f" seed {each.run.seed}"
        table.add_row(each.where, each.run.solver, f"{each.run.instance}{seed}", seconds)
    return table
