"""What a solver was found to be like, held against what its descriptor says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from wcnfgen.solvers import Solver
from wcnfgen.trials import WEIGHTED, WEIGHTS, Trial

Live = Literal["live", "at the end", "none"]
FIELDS = (
    "formats",
    "misreads",
    "compressed",
    "values",
    "anytime",
    "complete",
    "max_weight",
    "fails_on",
    "line_buffer",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a descriptor that should say something else; harmful if it promises what is not kept."""

    field: str
    says: object
    should: object
    harmful: bool


@dataclass(frozen=True, slots=True)
class Examined:
    """All that was tried.

    solver    as its descriptor has it, and found as it should
    trials    the tiny formulas; packed those that were compressed
    repaired  those that it cannot have, as `wcnfgen.adapt` makes them over
    stopped   the run that got SIGTERM; None if no format is read
    live      whether its costs came as they were found
    """

    solver: Solver
    found: Solver
    trials: tuple[Trial, ...]
    packed: tuple[tuple[str, Trial], ...]
    repaired: tuple[Trial, ...]
    stopped: Trial | None
    live: Live

    @property
    def oddities(self) -> tuple[Trial, ...]:
        """What went wrong in a format that is read, and no field of a descriptor can tell."""
        return tuple(
            trial
            for trial in self.trials
            if trial.format in self.found.formats
            and trial.outcome in ("wrong", "crash", "no model")
            and not (trial.case.trap or trial.case in (WEIGHTED, *WEIGHTS))
        )

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What the descriptor should say instead."""
        return tuple(_differences(self))


def _differences(examined: Examined) -> Iterator[Difference]:
    says, should = examined.solver, examined.found
    harmful = {
        "formats": bool(set(says.formats) - set(should.formats)),
        "compressed": bool(set(says.compressed) - set(should.compressed)),
        "fails_on": bool(set(should.fails_on) - set(says.fails_on)),
        "values": says.values != "either",
        "anytime": says.anytime,
        "max_weight": says.max_weight > should.max_weight,
    }
    for name in FIELDS if should.formats else ("formats", "misreads"):
        given, found = getattr(says, name), getattr(should, name)
        same = set(given) == set(found) if isinstance(given, tuple) else given == found
        if not same:
            yield Difference(name, given, found, harmful.get(name, False))
