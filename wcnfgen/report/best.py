"""The store of best models: a folder that reports share, so that a score means the same in all of them.

    best.csv             one line a formula: the best cost known, who found it, on what it was called there
    models/SHA256.sol    the model (`wcnfgen.bundle.models`), by the SHA-256 of the formula's text

A cost without its model is worth nothing, so what counts is what the model's file says; best.csv is a list
for people.  A cost is only ever replaced by a lower one.  Models come from runs whose output was judged, and
one that is better than all runs, so that scores would follow it, is verified again before it counts.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wcnfgen import judged
from wcnfgen.bundle import models
from wcnfgen.bundle.models import Known
from wcnfgen.campaign import tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.campaign.store import Run, Store
from wcnfgen.errors import WcnfgenError
from wcnfgen.files import sha256
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.standings import Standings, facts_of, runs_of

log = logging.getLogger("wcnfgen")

FILE, MODELS = "best.csv", "models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """A line of best.csv; instance is a name that the formula has had, by who found the model."""

    formula_sha256: str
    cost: int
    proved: bool
    by: str
    instance: str


def place(folder: Path, formula: str) -> Path:
    """The file of a formula's best model."""
    return models.place(folder / MODELS, formula)


# ---------------------------------------------------------------------------- reading


def read(folder: Path, comparison: Comparison) -> dict[str, int]:
    """The best costs in the store of the formulas that are compared, by formula_sha256."""
    found: dict[str, int] = {}
    for instance in comparison.instances:
        known = _model(folder, instance.formula_sha256)
        if known is None or known.cost is None:
            continue
        if _is_news(comparison, instance, known.cost) and not _holds(comparison, instance, known):
            log.warning("%s: not verified; it does not count", place(folder, instance.formula_sha256))
            continue
        found[instance.formula_sha256] = known.cost
    return found


def _model(folder: Path, formula: str) -> Known | None:
    """What the store has of a formula."""
    return models.of_formula(place(folder, formula), formula)


def _is_news(comparison: Comparison, instance: Instance, cost: int) -> bool:
    """Whether nothing else that is known of the instance costs so little."""
    least = facts_of(comparison, instance).least
    return least is None or cost < least


def _holds(comparison: Comparison, instance: Instance, known: Known) -> bool:
    """Whether a model is one of the instance, which is where a campaign has it, at the cost that it says."""
    file = next((each for each in _files(comparison, instance) if each.is_file()), None)
    return file is not None and sha256(file) == instance.sha256 and models.holds(file, known)


def _files(comparison: Comparison, instance: Instance) -> Iterator[Path]:
    """Where the instance may be: paths are relative to the campaign that has it."""
    return (folder / instance.path for folder in comparison.folders)


# ---------------------------------------------------------------------------- lowering


def lower(folder: Path, comparison: Comparison, standings: Standings) -> list[Best]:
    """Keep the models of runs that are better than those in the store; what is new in it.

    Raises WcnfgenError where it cannot be written.
    """
    new: list[Best] = []
    with _alone(folder):
        listed = _listed(folder)
        before = dict(listed)
        for instance in comparison.instances:
            known = _model(folder, instance.formula_sha256)
            kept = _kept(folder, comparison, standings, instance, known)
            new += [kept] if kept is not None else []
            if kept is not None or known is not None:
                listed[instance.formula_sha256] = kept or _line(instance, known, before)
        if listed != before:
            tables.write((line for _, line in sorted(listed.items())), Best, folder / FILE)
    return new


def _listed(folder: Path) -> dict[str, Best]:
    file = folder / FILE
    return {each.formula_sha256: each for each in tables.read(file, Best)} if file.is_file() else {}


def _line(instance: Instance, known: Known | None, before: dict[str, Best]) -> Best:
    """What best.csv should say of a model that is there: a report may have been killed before it did."""
    assert known is not None and known.cost is not None
    line = before.get(instance.formula_sha256)
    if line is not None and (line.cost, line.proved) == (known.cost, known.proved):
        return line
    return Best(
        formula_sha256=instance.formula_sha256,
        cost=known.cost,
        proved=known.proved,
        by=known.by,
        instance=instance.name,
    )


def _kept(
    folder: Path, comparison: Comparison, standings: Standings, instance: Instance, known: Known | None
) -> Best | None:
    """The best run's model, written, if it is better than the one that is there."""
    run = _finder(comparison, standings, instance)
    if run is None or run.cost is None or (known is not None and not _better(run, known, standings)):
        return None
    proved, by = standings.solves(run), f"{run.solver} {run.version}".strip()
    if not _write(place(folder, instance.formula_sha256), comparison, instance, run, by, proved=proved):
        return None
    return Best(
        formula_sha256=instance.formula_sha256, cost=run.cost, proved=proved, by=by, instance=instance.name
    )


def _finder(comparison: Comparison, standings: Standings, instance: Instance) -> Result | None:
    """Of the runs with the least cost one that proved it, else the first that ended."""

    def order(run: Result) -> tuple[int, bool, float, str]:
        return run.cost or 0, not standings.solves(run), run.wall_s, run.key

    runs = runs_of(comparison, instance) if instance.format != "cnf" else ()
    return min((run for run in runs if run.cost is not None), key=order, default=None)


def _better(run: Result, known: Known, standings: Standings) -> bool:
    """A lower cost, or the same that is now proved to be the least."""
    if run.cost is None or known.cost is None or run.cost > known.cost:
        return False
    return run.cost < known.cost or (standings.solves(run) and not known.proved)


def _write(
    target: Path, comparison: Comparison, instance: Instance, run: Result, by: str, *, proved: bool
) -> bool:
    """Write the model that a run printed; False, with a warning, if it is not there as it was judged."""
    store = next((each for each in map(Store, comparison.folders) if each.has(run.key)), None)
    there = None if store is None else store.run(run.key)
    said = None if there is None else _judged(there, instance)
    if there is None or said is None or said.cost != run.cost:
        log.warning("%s: the run of %s that found %s is not there", instance.name, run.solver, run.cost)
        return False
    model = judged.model(there.log, instance.variables, said.values)
    models.write(target, model, run.cost, by=by, sha256=instance.formula_sha256, proved=proved)
    return True


def _judged(run: Run, instance: Instance) -> judged.Judged | None:
    return judged.read(run.verdict, instance.sha256, judged.digest(run.log))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other report changes the store meanwhile: it waits; where there are no locks, it does not."""
    try:
        (folder / MODELS).mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise WcnfgenError(f"{folder}: {error.strerror}") from error
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
