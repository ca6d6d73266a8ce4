"""The plan: which runs there are to make, and all that is needed to make one.

Planning reads campaign.toml, finds solvers and instances, and writes three files: ``instances.csv``,
``plan.csv`` with a line for each run, and ``plan.json`` with what they have in common.  Without the last one,
which is written last, there is no plan.  Equal settings, programs and instances give equal bytes.

Runs are in an order that is shuffled by the hash of (order, instance, solver, seed): so a campaign that
was stopped is a fair sample, and so is every shard.  It does not depend on limits, and another instance or
solver leaves the order of the others as it is.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from wcnfgen import __version__
from wcnfgen.campaign import entrants, finding, instances, keys, settings, tables
from wcnfgen.campaign.entrants import Ready
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.settings import Settings
from wcnfgen.campaign.store import PLAN, PLANNED
from wcnfgen.drivers import Limits
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.files import atomic, real


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A line of plan.csv: the run's key, names of instance and solver, and the seed or None."""

    key: str
    instance: str
    solver: str
    seed: int | None


@dataclass(frozen=True, eq=False)
class Common:
    """What the runs of a plan have in common: plan.json and instances.csv.

    number   of runs
    solvers  by name, in the order of the settings
    """

    folder: Path
    settings: Settings
    number: int
    solvers: Mapping[str, Ready]

    @cached_property
    def instances(self) -> dict[str, Instance]:
        """By name."""
        return {each.name: each for each in tables.read(self.folder / instances.FILE, Instance)}

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What all keys have in them."""
        return keys.common(self.settings.limits, self.settings.cores, self.settings.driver)

    def file(self, instance: str) -> Path:
        """The file of an instance.  The folder may be a link, and a path is from where it is."""
        return real(self.folder) / self.instances[instance].path

    def limits(self, cores: frozenset[int] | None) -> Limits:
        """Those of a run on these cores."""
        return replace(self.settings.limits, cores=cores)

    def text(self, run: PlannedRun) -> str:
        """What the run's key is the hash of."""
        return self.text_of(self.instances[run.instance], self.solvers[run.solver], run.seed)

    def text_of(self, instance: Instance, solver: Ready, seed: int | None) -> str:
        """What the key of such a run is the hash of."""
        return keys.text(self.shared, solver.identity, instance.sha256, seed)


def read(folder: Path) -> Common:
    """Read a plan.  Raises UsageError where there is none, or one of another version of ours."""
    file = folder / PLAN
    try:
        found = json.loads(file.read_bytes())
        given = settings.parse(found["settings"], f"{file}: ")
        solvers = {
            each.name: entrants.from_fields(each, folder, found["solvers"][each.name])
            for each in given.solvers
        }
        return Common(folder, given, int(found["runs"]), solvers)
    except FileNotFoundError:
        raise UsageError(f"{folder}: no plan: `wcnfgen campaign plan {folder}` makes one") from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{file}: not a plan of this version: `wcnfgen campaign plan {folder}`: {error}"
        ) from error


def must_be_unchanged(common: Common) -> None:
    """Raises UsageError where a solver is not what it was when it was planned with; SolverError if gone."""
    changed = ", ".join(each.name for each in common.solvers.values() if each.is_changed)
    if changed:
        raise UsageError(
            f"{common.folder}: {changed} is not the program that was planned with: "
            f"`wcnfgen campaign plan {common.folder}` again; runs that are there stay"
        )


def runs(folder: Path, shard: tuple[int, int] = (1, 1)) -> Iterator[PlannedRun]:
    """The runs in their order, or every N-th from the I-th on, for a shard (I, N)."""
    place, number = shard
    if not 1 <= place <= number:
        raise UsageError(f"shard {place}/{number}: give 1/{number} to {number}/{number}")
    return islice(tables.read(folder / PLANNED, PlannedRun), place - 1, None, number)


def write(folder: Path, given: Settings) -> tuple[Common, list[Instance]]:
    """Find solvers and instances and write the plan.

    Raises UsageError, SolverError where settings cannot be met; then nothing was written.
    """
    ready = entrants.ready(given, folder, _before(folder))
    found, memory = finding.instances(given.instances, folder, selected=given.selected)
    number = len(found) * len(ready) * max(1, len(given.seeds))
    common = Common(folder, given, number, ready)
    text = json.dumps(_fields(common), indent=1, ensure_ascii=True) + "\n"
    (folder / PLAN).unlink(missing_ok=True)
    memory.write()
    tables.write(found, Instance, folder / instances.FILE)
    tables.write(_planned(common, found), PlannedRun, folder / PLANNED)
    with atomic(folder / PLAN) as out:
        out.write(text.encode("ascii"))
    return common, found


def _before(folder: Path) -> Mapping[str, Ready]:
    """The solvers of the last plan, if there is one that can be read."""
    try:
        return read(folder).solvers
    except WcnfgenError:
        return {}


def _fields(common: Common) -> dict[str, Any]:
    """plan.json."""
    return {
        "wcnfgen": __version__,
        "runs": common.number,
        "settings": settings.to_fields(common.settings),
        "solvers": {name: each.to_fields() for name, each in common.solvers.items()},
    }


def _planned(common: Common, found: Sequence[Instance]) -> Iterator[PlannedRun]:
    """The runs in their order; only a number is held for each."""
    order = common.settings.order
    solvers = list(common.solvers.values())
    seeds: Sequence[int | None] = common.settings.seeds or (None,)

    def run(place: int) -> tuple[Instance, Ready, int | None]:
        rest, seed = divmod(place, len(seeds))
        instance, solver = divmod(rest, len(solvers))
        return found[instance], solvers[solver], seeds[seed]

    ranks = array("Q", (_rank(order, *run(place)) for place in range(common.number)))
    for place in sorted(range(common.number), key=ranks.__getitem__):
        instance, solver, seed = run(place)
        key = keys.of(common.text_of(instance, solver, seed))
        yield PlannedRun(key, instance.name, solver.name, seed)


def _rank(order: int, instance: Instance, solver: Ready, seed: int | None) -> int:
    text = f"{order} {instance.sha256} {solver.name} {seed}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
