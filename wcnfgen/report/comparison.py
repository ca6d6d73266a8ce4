"""The results of one campaign or several, side by side.

Instances of the same name and bytes are one, also where two campaigns have them; a solver is its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wcnfgen.campaign import instances, results, settings, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.errors import UsageError


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Runs by instance and solver.

    folders    of the campaigns
    instances  in alphabetical order
    solvers    in the order in which campaigns name them
    runs       by (instance's name, solver's name): one for each seed; a pair that was not run is missing
    """

    folders: tuple[Path, ...]
    instances: tuple[Instance, ...]
    solvers: tuple[str, ...]
    runs: Mapping[tuple[str, str], Sequence[Result]]

    def of(self, instance: str, solver: str) -> Sequence[Result]:
        """The runs of a solver on an instance."""
        return self.runs.get((instance, solver), ())


def load(folders: Iterable[Path]) -> Comparison:
    """Read what `campaign collect` wrote.

    Raises UsageError where it has not, or where two campaigns have different instances of one name or runs of
    one solver with different settings, WcnfgenError for a damaged file.
    """
    places = tuple(folders)
    found: dict[str, Instance] = {}
    solvers: dict[str, None] = {}
    named: dict[str, None] = {}
    runs: dict[tuple[str, str], list[Result]] = {}
    for place in places:
        if not (place / results.FILE).is_file():
            raise UsageError(f"{place}: no {results.FILE}: `wcnfgen campaign collect {place}` writes it")
        named |= dict.fromkeys(_named(place))
        for each in tables.read(place / instances.FILE, Instance):
            before = found.get(each.name, each)
            if before.sha256 != each.sha256:
                raise UsageError(f"{place}: {each.name} is not the same instance as in the campaign before")
            found[each.name] = joined(before, each)
        for result in tables.read(place / results.FILE, Result):
            solvers.setdefault(result.solver)
            _add(runs.setdefault((result.instance, result.solver), []), result, place)
    tried = {name for name, _ in runs}
    ordered = tuple(found[name] for name in sorted(found) if name in tried)
    return Comparison(places, ordered, tuple(each for each in named | solvers if each in solvers), runs)


def _named(place: Path) -> list[str]:
    """The solvers as campaign.toml has them, if it can be read: results come in the order of the runs."""
    try:
        return [each.name for each in settings.read(place / settings.FILE).solvers]
    except UsageError:
        return []


def joined(one: Instance, other: Instance) -> Instance:
    """An instance with what either side knows of it."""
    costs = [each.known_cost for each in (one, other) if each.known_cost is not None]
    bounds = [each.least_cost for each in (one, other) if each.least_cost is not None]
    return replace(one, known_cost=min(costs, default=None), least_cost=max(bounds, default=None))


def _add(runs: list[Result], result: Result, place: Path) -> None:
    """One more run of a solver on an instance, with another seed; the same run, found again, is one."""
    other = next((each for each in runs if each.seed == result.seed), None)
    if other is None:
        runs.append(result)
    elif other.key != result.key:
        raise UsageError(
            f"{place}: {result.solver} ran on {result.instance} with other settings than in the campaign "
            "before: `wcnfgen report diff` compares the two"
        )
