"""Failed runs are to be tried again: their attempts are forgotten."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.campaign import planning
from wcnfgen.campaign.store import Store
from wcnfgen.errors import UsageError


@dataclass(frozen=True, slots=True)
class Retried:
    """How many runs are to be tried again, of so many that had failed."""

    number: int
    failed: int

    @property
    def exit_code(self) -> int:
        """0, also if there was nothing to forget."""
        return 0

    def lines(self) -> Iterator[str]:
        """What to tell."""
        if self.failed:
            yield f"{self.number} of {self.failed} failed runs are to be tried again"
        else:
            yield "no run has failed"


def retry(folder: Path, solver: str | None, instance: str | None) -> Retried:
    """Forget attempts; all, or those of a solver and of instances that match a pattern.

    Raises UsageError where there is no plan, or no such solver.
    """
    common, store = planning.read(folder), Store(folder)
    if solver is not None and solver not in common.solvers:
        raise UsageError(f"--solver {solver}: there is {', '.join(common.solvers)}")
    begun = set(store.unfinished())
    number = failed = 0
    for run in planning.runs(folder):
        if run.key in begun and store.tried(run.key) >= common.settings.attempts and not store.has(run.key):
            failed += 1
            if solver in (None, run.solver) and fnmatch.fnmatchcase(run.instance, instance or "*"):
                number += store.over(run.key)
    return Retried(number, failed)
