"""``wcnfgen calibrate``: how difficult a family's instances are, and which to submit."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from wcnfgen.commands._shown import Shown, say

if TYPE_CHECKING:
    from wcnfgen.bundle.manifest import Row
    from wcnfgen.bundle.selection import Choice
    from wcnfgen.calibration.course import Concluded
    from wcnfgen.contradictions import Lie

log = logging.getLogger("wcnfgen")

SHOWN = 20  # warnings; the rest is counted
UNCLASSED = NO_ANSWER, NOT_CALIBRATED = "no answer", "not calibrated"


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of a solver's runs: each is counted once, in the first that fits.

    wrong    something it said is not so
    proved   solved: the optimum is proved, or there is nothing to optimise
    best     its model is as cheap as any that is known
    model    it has a verified model
    nothing  none of these
    """

    wrong: int = 0
    proved: int = 0
    best: int = 0
    model: int = 0
    nothing: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Calibration(Shown):
    """What is known of a family now.

    rows     the manifest
    tallies  by solver, of the runs that are there
    lies     what solvers said that is not so
    choices  for each row, in order; empty without a selection
    planned  how many runs had to be made, and ran how many could
    most_s   the time in seconds that the planned ones take at most
    dry_run  nothing was run
    """

    rows: tuple[Row, ...]
    tallies: dict[str, Tally] = field(default_factory=dict)
    lies: tuple[Lie, ...] = ()
    choices: tuple[Choice, ...] = ()
    ran: int = 0
    planned: int
    most_s: float
    dry_run: bool = False

    @property
    def chosen(self) -> tuple[Choice, ...]:
        """Those to submit."""
        return tuple(choice for choice in self.choices if choice.chosen)


def calibrate(
    folder: str,
    *,
    solver: Sequence[str] = (),
    wall: float = 60.0,
    memory: float | None = None,
    grace: float = 5.0,
    driver: str = "local",
    jobs: int | None = None,
    limit: int | None = None,
    only: str | None = None,
    select: int | None = 25,
    again: bool = False,
    dry_run: bool = False,
) -> Calibration:
    """Run reference solvers on a family's instances, sort these by difficulty, and choose which to submit.

    Logs and records go to runs/ in the family's folder.  Runs that are there are not made again, so that a
    calibration can be stopped, go on, and grow by a solver; without --solver what is there is judged.
    Models are recomputed; a claim of optimality counts until a better model or a proved bound contradicts
    it.  The best models, the manifest, selection.csv and all that follows from them are
    brought up to date.  The exit code is 1 if a solver said something that is not so.

    examples:
      wcnfgen calibrate ttt --solver rc2 --wall 1 --dry-run     how long it takes at most
      wcnfgen calibrate ttt --solver rc2 --solver lsu --wall 1 --select 2

    folder: what `wcnfgen family` made
    solver: a name from `wcnfgen solvers`, or ./PATH of a program; may be repeated
    wall: limit on wall time of each run, in seconds
    memory: limit on the memory of each run, in MiB
    grace: seconds between SIGTERM and SIGKILL
    driver: what runs the solvers
    jobs: runs at a time, each on a core of its own; default: all cores, but one if there are over two
    limit: run on so many instances only, spread over data sets and parameters
    only: run on instances only whose names match this pattern, such as 'zoo-*'
    select: choose so many instances; none: leave the choice as it is
    again: make runs again that were made with another version of the solver or other limits
    dry_run: only say how many runs there are to make, and how long that takes at most

    Raises SolverError if a solver is not installed, UsageError where this is no family's folder or runs
    were made with other settings; then nothing was run.
    """
    from wcnfgen import drivers, launch
    from wcnfgen.bundle import lock, manifest, selection
    from wcnfgen.bundle.finish import finish
    from wcnfgen.bundle.folder import Folder, read_about
    from wcnfgen.calibration import choosing, course, plan
    from wcnfgen.drivers import Limits
    from wcnfgen.errors import UsageError
    from wcnfgen.words import span
    from wcnfgen.workers import cores

    if select is not None and select < 1:
        raise UsageError(f"--select {select}: give 1 or more, or none")
    limits = Limits(wall_s=wall, memory_mib=memory, grace_s=grace)
    drivers.get(driver)
    slots = cores.slots(jobs)
    place = Folder(Path(folder).absolute())
    read_about(place)
    with lock.alone(place):
        rows = manifest.read(place.manifest)
        entries = [plan.entry(place, row) for row in rows if row.written]
        asked = course.some(entries, only, limit)
        references = plan.references(solver, [launch.known(name) for name in solver], limits)
        todo = plan.jobs(place, asked, references, limits, driver, again=again)
        runs = sum(job.run is not None for job in todo)
        most_s = -(-runs // len(slots.each)) * (wall + grace)
        if dry_run:
            return Calibration(rows=tuple(rows), planned=runs, most_s=most_s, dry_run=True)
        if not (references or any(place.runs.glob("*"))):
            log.warning("there are no runs: name solvers, such as --solver rc2")
        if runs:
            log.info("%d runs, %d at a time, at most %s", runs, len(slots.each), span(most_s))
        found = course.whole(place, rows, entries, todo, slots)
        choices = [] if select is None else choosing.choose(found.rows, select)
        if select is not None:
            selection.write(choices, place.selection)
        finish(place)
    return Calibration(
        rows=tuple(found.rows),
        tallies={name: _tally(name, found) for name in found.solvers},
        lies=found.lies,
        choices=tuple(choices),
        ran=found.ran,
        planned=runs,
        most_s=most_s,
    )


def _tally(solver: str, found: Concluded) -> Tally:
    """Count a solver's runs."""
    lied = {lie.name for lie in found.lies if lie.solver == solver}
    counts = Counter(
        _standing(solver, row, run.judged.cost, lied=row.name in lied)
        for row in found.rows
        for run in found.outcomes.get(row.name, ())
        if run.solver == solver
    )
    return Tally(**counts)


def _standing(solver: str, row: Row, cost: int | None, *, lied: bool) -> str:
    if lied:
        return "wrong"
    if row.seconds.get(solver) is not None:
        return "proved"
    if cost is None:
        return "nothing"
    return "best" if cost == row.best_cost else "model"


def present(result: Calibration, out: TextIO, **options: Any) -> int:
    """Print what became of it; 1 if a solver said something that is not so."""
    say(out, _lines(result))
    for lie in result.lies[:SHOWN]:
        log.warning("%s", lie)
    if len(result.lies) > SHOWN:
        log.warning("and %d more, see the columns ended of manifest.csv", len(result.lies) - SHOWN)
    return 1 if result.lies else 0


def _lines(result: Calibration) -> Iterator[str]:
    from wcnfgen.bundle.difficulty import CLASSES
    from wcnfgen.words import span, table

    if result.dry_run:
        yield f"{result.planned} runs to make, at most {span(result.most_s)}"
        return
    written = [row for row in result.rows if row.written]
    names = {choice.name for choice in result.chosen}
    counts = Counter(_class(row) for row in written)
    chosen = Counter(_class(row) for row in written if row.name in names)
    classes = [name for name in (*CLASSES, *UNCLASSED) if counts[name]]
    rows = [[name, counts[name], chosen[name]] for name in classes]
    yield from table([["class", "instances", "chosen"], *rows])
    if result.tallies:
        yield ""
        tallies = [[name, *astuple(tally)] for name, tally in result.tallies.items()]
        yield from table([["solver", *(each.name for each in fields(Tally))], *tallies])
    if result.choices:
        yield ""
        yield from (f"{choice.name}: {choice.reason}" for choice in result.chosen)
        yield f"{len(result.chosen)} of {len(written)} chosen; selection.csv says why not the others"
    if result.ran < result.planned:
        yield f"{result.planned - result.ran} runs could not be made"


def _class(row: Row) -> str:
    return row.difficulty or (NO_ANSWER if row.tried else NOT_CALIBRATED)
