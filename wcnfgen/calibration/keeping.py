"""The best models, as files: replaced by a cheaper one, or by one of the same cost that is proved to be best.

A cost without its model is worth nothing, so what counts as the best known is what the file holds.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wcnfgen import judged
from wcnfgen.bundle import models
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.models import Known
from wcnfgen.calibration.opinions import Outcome
from wcnfgen.calibration.plan import Entry, Place

log = logging.getLogger("wcnfgen")


@dataclass(frozen=True, slots=True)
class Kept:
    """A model's file in short: a family has more models than fit into memory."""

    by: str
    cost: int | None
    proved: bool


def stored(folder: Folder, instance: Entry, outcomes: Sequence[Outcome]) -> Kept | None:
    """The model kept of an instance; None if there is none, or it is none.

    It was verified when it was written, and is again before it proves a solver wrong.
    """
    file = models.place(folder.models, instance.row.name)
    known = models.of_formula(file, instance.row.sha256)
    if known is None:
        return None
    if any(_excluded(each, known) for each in outcomes) and not models.holds(instance.file, known):
        log.warning("%s: not what it says it is; it does not count", file)
        return None
    return Kept(known.by, known.cost, known.proved)


def _excluded(outcome: Outcome, known: Known) -> bool:
    """Whether a solver's claim and this model cannot both be right."""
    said = outcome.judged
    if said.status == "UNSATISFIABLE":
        return True
    claims = [said.bound, said.cost if said.status == "OPTIMUM FOUND" else None]
    return known.cost is not None and any(claim is not None and claim > known.cost for claim in claims)


def keep(folder: Folder, row: Row, outcomes: Sequence[Outcome], known: Kept | None) -> Row:
    """Write the best model if it is not the one that is kept; the row says who found it.

    The row has its best cost and its proof already; known is what is kept.
    """
    proved = bool(row.proved) and row.best_cost is not None
    same = known is not None and known.cost == row.best_cost
    if known is not None and same and known.proved == proved:
        return replace(row, best_by=known.by)
    target = models.place(folder.models, row.name)
    finder = _finder(row, outcomes)
    if known is not None and same and (finder is None or finder.solver != row.proved_by):
        model, by = models.read(target).model(row.variables or 0), known.by  # only what is proved has changed
    elif finder is not None:
        log_file = Place(folder.runs / finder.solver, row.name).log
        model, by = judged.model(log_file, row.variables or 0, finder.judged.values), finder.solver
    else:
        return replace(row, best_by="")
    target.parent.mkdir(exist_ok=True)
    models.write(target, model, row.best_cost, by=by, sha256=row.sha256, proved=proved)
    return replace(row, best_by=by)


def _finder(row: Row, outcomes: Sequence[Outcome]) -> Outcome | None:
    """Whose model to keep: of those with the least cost the one that proved it, else the first to end."""
    found = (each for each in outcomes if each.has_model and row.best_cost in (None, each.judged.cost))
    return min(found, key=lambda each: (each.solver != row.proved_by, each.wall_s, each.solver), default=None)
