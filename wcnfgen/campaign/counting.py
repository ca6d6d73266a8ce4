"""How far a campaign is: to be asked at any time, also while it runs.

The plan is read line by line, and for each run it is looked up whether it is there and how it ended; nothing
is held but the counts.  Records are not parsed where that can be helped, as it would take most of the time:
how a run ended is in two lines of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from wcnfgen import drivers, lock
from wcnfgen import record as records
from wcnfgen.campaign import planning
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.campaign.results import REFUSED
from wcnfgen.campaign.store import LOCK, Run, Store
from wcnfgen.errors import WcnfgenError
from wcnfgen.words import table

FAILED, RUNNING, WAITING, DAMAGED = "failed", "running", "waiting", "damaged"
NOT_THERE = (FAILED, RUNNING, WAITING)
_ENDED = re.compile(rb'"exit_code": (-?\d+),\s+"limit": (null|"\w+")')  # in no text: its quotes were escaped
_ANY = drivers.Run(
    command=(),
    exit_code=0,
    limit=None,
    wall_s=0,
    cpu_s=0,
    peak_mib=0,
    signalled_s=None,
    killed=False,
    output_bytes=0,
    stdout=None,
    stderr=None,
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Counts:
    """The runs of a plan by solver and by how they ended, or why they have not.

    others  runs that are there and belong to other settings
    doing   what goes on in the folder now; empty: nothing
    """

    solvers: dict[str, Counter[str]]
    others: int
    doing: str = ""

    @property
    def total(self) -> int:
        """All of the plan."""
        return sum(each.total() for each in self.solvers.values())

    @property
    def there(self) -> int:
        """Those that are made."""
        return self.total - sum(each[state] for each in self.solvers.values() for state in NOT_THERE)

    @property
    def exit_code(self) -> int:
        """0, whatever there is to do."""
        return 0

    def lines(self) -> Iterator[str]:
        """What to tell."""
        yield from _table(self.solvers)
        percent = 100 * self.there // self.total if self.total else 100
        yield f"{self.there} of {self.total} runs are there, {percent} %"
        if self.others:
            yield f"{self.others} more are there that were made with other settings"
        if self.doing:
            yield f"at work: {self.doing}"


def _table(solvers: dict[str, Counter[str]]) -> Iterator[str]:
    found = {state for each in solvers.values() for state in each}
    states = [*sorted(found - set(NOT_THERE)), *(state for state in NOT_THERE if state in found)]
    rows = [[name, *(each[state] for state in states)] for name, each in solvers.items()]
    return table([["solver", *states], *rows])


def count(folder: Path) -> Counts:
    """Count.  Raises UsageError where there is no plan."""
    common = planning.read(folder)
    store, doing = Store(folder), lock.busy(folder / LOCK)
    solvers: dict[str, Counter[str]] = {name: Counter() for name in common.solvers}
    begun = set(store.unfinished())
    for run in planning.runs(folder):
        solvers[run.solver][_state(run, store, common, begun, busy=bool(doing))] += 1
    planned = sum(each.total() for each in solvers.values())
    waiting = sum(each[state] for each in solvers.values() for state in NOT_THERE)
    return Counts(solvers=solvers, others=_number(store) - (planned - waiting), doing=doing)


def _state(run: PlannedRun, store: Store, common: Common, begun: set[str], *, busy: bool) -> str:
    ended = how_it_ended(store.run(run.key))
    if ended is not None:
        return ended
    if run.key not in begun:
        return WAITING
    past = store.beginnings(run.key)
    if past.open and busy:
        return RUNNING
    return FAILED if past.number >= common.settings.attempts else WAITING


def how_it_ended(run: Run) -> str | None:
    """How a run ended, in a word or two; None if it is not there."""
    try:
        with open(run.record, "rb") as stream:  # noqa: PTH123 - a hundred thousand times
            found = _ENDED.search(stream.read())
        return _ended(int(found[1]), found[2]) if found else records.read(run.record).ended
    except (OSError, WcnfgenError):
        if run.refused.is_file():
            return REFUSED
        return DAMAGED if run.path.is_dir() else None


@cache
def _ended(exit_code: int, limit: bytes) -> str:
    return records.ended(replace(_ANY, exit_code=exit_code, limit=json.loads(limit)))


def _number(store: Store) -> int:
    """How many runs are there."""
    return len(list(store.keys()))
