"""Which cores each run gets.

A slot is so many cores as a run is to have, and no two slots share one.  Two threads of a physical core slow
each other down, so a slot takes whole ones as far as they go, and where there is a choice how many run at a
time, slots that would share a physical core are the last.  One core is left to what watches the runs if there
are more than two: else it takes its moments from a solver.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.errors import UsageError

TOPOLOGY = Path("/sys/devices/system/cpu")


def usable() -> frozenset[int]:
    """The cores that this process may use."""
    return frozenset(os.sched_getaffinity(0))


def parse(text: str) -> frozenset[int]:
    """Numbers of cores.  Raises UsageError.

    >>> sorted(parse("0,2-4"))
    [0, 2, 3, 4]
    """
    spans = [re.fullmatch(r"([0-9]{1,5})(?:-([0-9]{1,5}))?", part) for part in text.split(",")]
    found = {core for span in spans if span for core in range(int(span[1]), int(span[2] or span[1]) + 1)}
    if not found or not all(spans):
        raise UsageError(f"--cores {text}: give numbers and ranges, such as 0 or 2-3,5")
    return frozenset(found)


def said(cores: Collection[int]) -> str:
    """Cores for people, as `parse` reads them.

    >>> said({0, 2})
    '0,2'
    """
    return ",".join(map(str, sorted(cores)))


@dataclass(frozen=True, slots=True)
class Slots:
    """The cores of each that runs at a time, and those that are left over."""

    each: tuple[frozenset[int], ...]
    spare: frozenset[int]


def slots(jobs: int | None, cores: int = 1, *, among: Collection[int] | None = None) -> Slots:
    """Cores for so many at a time; jobs None: as many as can be, with a core to spare if there are over two.

    Raises UsageError where there are not so many cores.
    """
    known = sorted(usable() if among is None else among)
    if cores > len(known):
        raise UsageError(f"each run is to have {cores} cores, and this process may use {len(known)}")
    most = len(known) // cores
    if jobs is None:
        jobs = max(1, most - (len(known) > 2 and most * cores == len(known)))
    if not 1 <= jobs <= most:
        own = "a core" if cores == 1 else f"{cores} cores"
        raise UsageError(f"--jobs {jobs}: each gets {own} of its own, so give 1 to {most} on this machine")
    return _cut(_in_order([_siblings(core) for core in known], known, cores, jobs), cores, jobs)


def _cut(ordered: Sequence[int], cores: int, jobs: int) -> Slots:
    each = tuple(frozenset(ordered[place * cores : (place + 1) * cores]) for place in range(jobs))
    return Slots(each, frozenset(ordered[jobs * cores :]))


def _in_order(siblings: Sequence[frozenset[int]], known: Collection[int], cores: int, jobs: int) -> list[int]:
    """The cores in the order in which slots take them.

    Runs of one core have a physical core each as long as there are enough; else physical cores are used up
    one after the other, so that a run's cores belong together.
    """
    groups = sorted({tuple(sorted(group & set(known))) for group in siblings})
    if cores == 1 and jobs <= len(groups):
        return [group[0] for group in groups] + [core for group in groups for core in group[1:]]
    return [core for group in groups for core in group]


def _siblings(core: int) -> frozenset[int]:
    """The threads of the physical core that this is one of; itself where the system does not say."""
    with suppress(OSError, UsageError):
        text = (TOPOLOGY / f"cpu{core}/topology/thread_siblings_list").read_text()
        return parse(text.strip()) | {core}
    return frozenset({core})
