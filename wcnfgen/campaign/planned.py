"""What planning says: how much there is to do, and which runs are there that the plan has no use for.

Those were made with other settings.  Which, is read from the texts that their keys are the hashes of, each
held against the plan: "wall 60 s, now 30 s".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wcnfgen.campaign import keys, planning
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.planning import Common
from wcnfgen.campaign.store import Run, Store
from wcnfgen.words import count, span

SHOWN = 10  # kinds of other settings; the rest is counted
_UNITS = {
    "wall_s": ("wall", "s"),
    "cpu_s": ("cpu", "s"),
    "memory_mib": ("memory", "MiB"),
    "memory_hard_mib": ("memory_hard", "MiB"),
    "output_mib": ("output", "MiB"),
    "grace_s": ("grace", "s"),
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Planned:
    """A plan, and what of it is there.

    total   runs
    there   of them were made before
    others  how many runs that are there were made with other settings, by what differs; most first
    """

    folder: Path
    total: int
    instances: int
    solvers: tuple[str, ...]
    seeds: int
    there: int
    others: Mapping[str, int]
    longest_s: float | None

    @property
    def exit_code(self) -> int:
        """0."""
        return 0

    def lines(self) -> Iterator[str]:
        """What to tell."""
        seeds = f" x {count(self.seeds, 'seed')}" if self.seeds else ""
        yield (
            f"{count(self.total, 'run')}: {count(self.instances, 'instance')} x "
            f"{count(len(self.solvers), 'solver')}{seeds}"
        )
        if self.there:
            yield f"{self.there} of them are there; {self.total - self.there} to make"
        for how, number in list(self.others.items())[:SHOWN]:
            yield f"{count(number, 'run')} made with {how}: they stay and do not count"
        if len(self.others) > SHOWN:
            rest = sum(list(self.others.values())[SHOWN:])
            yield f"{count(rest, 'run')} made with other settings still: they stay and do not count"
        if self.longest_s is None:
            yield "no limit on time: a run may never end"
        elif self.there < self.total:
            yield f"at most {span(self.longest_s)} if made one after the other"


def compared(common: Common, found: Sequence[Instance]) -> Planned:
    """The plan beside the runs that are there."""
    store = Store(common.folder)
    there, others = _sorted_out(store, common, found)
    limits = common.settings.limits
    ends = None if limits.wall_s is None else limits.wall_s + limits.grace_s
    return Planned(
        folder=common.folder,
        total=common.number,
        instances=len(found),
        solvers=tuple(common.solvers),
        seeds=len(common.settings.seeds),
        there=there,
        others=dict(others.most_common()),
        longest_s=None if ends is None else ends * (common.number - there),
    )


def _sorted_out(store: Store, common: Common, found: Sequence[Instance]) -> tuple[int, Counter[str]]:
    """How many runs that are there are in the plan, and what differs of the others."""
    present = set(store.keys())
    there = 0
    for run in planning.runs(common.folder) if present else ():
        if run.key in present:
            there += 1
            present.remove(run.key)
    differences = _Differences(common, found)
    return there, Counter(differences.of(store.run(key)) for key in sorted(present))


class _Differences:
    """What differs between a run and all those of a plan."""

    def __init__(self, common: Common, found: Sequence[Instance]) -> None:
        self._common = common
        self._instances = {each.sha256 for each in found}
        self._seeds = common.settings.seeds or (None,)
        self._solvers: dict[str, str] = {}

    def of(self, run: Run) -> str:
        """In words."""
        try:
            made = json.loads(run.key.read_bytes())
            return ", ".join(self._words(made)) or "unknown settings"
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return "unknown settings"

    def _words(self, made: Mapping[str, Any]) -> Iterator[str]:
        yield from _of_limits(made["limits"], self._common.shared["limits"])
        for name in ("cores", "driver"):
            if made[name] != self._common.shared[name]:
                yield f"{name} {made[name]}, now {self._common.shared[name]}"
        if made["seed"] not in self._seeds:
            yield "no seed" if made["seed"] is None else f"seed {made['seed']}"
        if made["instance"] not in self._instances:
            yield "an instance that is not in the plan"
        solver = keys.canonical(made["solver"])
        if solver not in self._solvers:
            self._solvers[solver] = self._of_solver(made["solver"])
        if self._solvers[solver]:
            yield self._solvers[solver]

    def _of_solver(self, made: Mapping[str, Any]) -> str:
        """What differs from the planned solver that is most like it."""
        others = [(_unlike(made, each.identity), each) for each in self._common.solvers.values()]
        unlike, nearest = min(others, key=lambda pair: len(pair[0]))
        if {"program", "argv"} <= unlike:
            return "a solver that is not in the plan"
        return ", ".join(_of_field(name, made, nearest.identity) for name in sorted(unlike)) + (
            f" ({nearest.name})" if unlike else ""
        )


def _unlike(a: Mapping[str, Any], b: Mapping[str, Any]) -> set[str]:
    return {name for name in a.keys() | b.keys() if a.get(name) != b.get(name)}


def _of_limits(made: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name in made:
        if made[name] != now.get(name):
            kind, unit = _UNITS.get(name, (name, ""))
            yield f"{kind} {_amount(made[name], unit)}, now {_amount(now.get(name), unit)}"


def _amount(value: float | None, unit: str) -> str:
    return "none" if value is None else f"{value:g} {unit}"


def _of_field(name: str, made: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """A field of a solver's identity."""
    if name in ("program", "files"):
        return f"other bytes of {'its program' if name == 'program' else 'files'}"
    return f"{name} {_shown(made.get(name))}, now {_shown(now.get(name))}"


def _shown(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text or "none"
