"""From runs to results: whatever is there is judged, and what is true of it becomes a line of results.csv.

Everything is made anew from the runs, as often as wanted, also while others are still being made.  What takes
long is to judge, which reads the whole formula; so that is done once for each run, by several processes, and
kept beside it.  A run never changes once it is there, so its verdict counts if our version and the instance
are what they were.  All else is one pass over the plan, in which a run is forgotten when its line is written.

A run of which something cannot be read is a fault: it is named and left out, and the others are collected.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wcnfgen import contradictions, drivers, judged
from wcnfgen import record as records
from wcnfgen.campaign import exports as export
from wcnfgen.campaign import planning, results, tables
from wcnfgen.campaign.collected import Collected, Tally
from wcnfgen.campaign.crediting import credit
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.campaign.results import REFUSED, Result
from wcnfgen.campaign.store import Run, Store
from wcnfgen.errors import FormatError, UsageError, WcnfgenError
from wcnfgen.judged import Judged
from wcnfgen.output import Values
from wcnfgen.record import Record
from wcnfgen.words import count
from wcnfgen.workers import functions

log = logging.getLogger("wcnfgen")

EVERY_S = 30.0  # between two notes on how far it is
SLACK, DRAIN_S = 1.05, 0.5  # CPU time beyond the cores' share of the wall time that says nothing


def collect(
    folder: Path, *, jobs: int | None = None, again: bool = False, exports: Sequence[str] = ()
) -> Collected:
    """Judge what is not judged, with so many processes, and write results.csv; again: judge all anew.

    exports are files that results are also written to.  Raises UsageError where nothing is planned or for a
    file of another kind, FormatError for a damaged plan.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: give 1 or more")
    targets = [(Path(name), export.writer(Path(name))) for name in exports]
    common = planning.read(folder)
    unjudged = [job for run in planning.runs(folder) if (job := to_judge(common, run, again=again))]
    faults = judge_all(unjudged, jobs or len(os.sched_getaffinity(0)))
    tally = Tally()
    results_csv = folder / results.FILE
    tables.write(_lines(common, faults, tally), Result, results_csv)
    for target, write in targets:
        write(results_csv, target)
    files = (results_csv, *(target for target, _ in targets))
    return Collected(files=files, tally=tally, judged=len(unjudged) - len(faults))


# ---------------------------------------------------------------------------- judge


@dataclass(frozen=True, slots=True)
class Job:
    """A run to judge: where it is, on what it was made, and how its models are read."""

    run: Run
    instance: Path
    sha256: str
    values: Values


def to_judge(common: Common, run: PlannedRun, *, again: bool = False) -> Job | None:
    """What to do for a run that is there and has no verdict, or whose is to be made anew."""
    place, instance = Store(common.folder).run(run.key), common.instances[run.instance]
    if not again and judged.is_of(place.verdict, instance.sha256):
        return None
    if not place.record.is_file():
        return None
    values = common.solvers[run.solver].descriptor.values
    return Job(place, common.file(run.instance), instance.sha256, values)


def judge_all(jobs: Sequence[Job], workers: int) -> dict[Run, str]:
    """Judge runs, several at a time; those that could not be, and why."""
    faults, noted = {}, time.monotonic()
    for number, (job, fault) in enumerate(functions.each(jobs, judge, workers, killed=_killed), 1):
        if fault:
            faults[job.run] = fault
        if time.monotonic() - noted >= EVERY_S:
            noted = time.monotonic()
            log.info("%d of %d runs judged", number, len(jobs))
    return faults


def judge(job: Job) -> str:
    """Judge a run and keep the verdict beside it; why that was not possible, or nothing."""
    try:
        found = judged.judge(job.instance, job.run.log, job.values)
        if found.instance_sha256 != job.sha256:
            return f"{job.instance} is not the file that was planned"
        judged.write(found, job.run.verdict)
    except (WcnfgenError, MemoryError, OSError) as error:
        return str(error) or "not enough memory"
    return ""


def _killed(job: Job) -> str:
    return "the process that judged it was killed, as for want of memory"


# ---------------------------------------------------------------------------- results


def _lines(common: Common, faults: Mapping[Run, str], tally: Tally) -> Iterator[Result]:
    """The runs that are there and judged; all are counted."""
    store = Store(common.folder)
    for run in planning.runs(common.folder):
        place = store.run(run.key)
        if place in faults:
            tally.faults.add(f"{run.instance}: {run.solver}: not judged: {faults[place]}: {place.path}")
            continue
        try:
            result = _read(common, run, place)
        except (WcnfgenError, OSError) as error:
            advice = f"remove {place.path}, and the run can be made again"
            tally.faults.add(f"{run.instance}: {run.solver}: {error}; {advice}")
            continue
        if result is None:
            tally.waiting += 1
        else:
            tally.add(result)
            yield result


def _read(common: Common, run: PlannedRun, place: Run) -> Result | None:
    """The line of a run; None if it is not there, or was not when runs were judged."""
    try:
        text = place.record.read_bytes()
    except FileNotFoundError:
        return _refused(common, run, place)
    record = records.parse(text, place.record.name)
    instance = common.instances[run.instance]
    if record.instance_sha256 != instance.sha256:
        raise FormatError(f"{place.record.name}: of a run on another instance")
    found = judged.read(place.verdict, instance.sha256, None)
    if found is None and judged.is_of(place.verdict, instance.sha256):
        raise FormatError(f"{place.verdict.name} is damaged: without it the run is judged anew")
    return None if found is None else made(run, instance, record, found, common.settings.cores)


def _refused(common: Common, run: PlannedRun, place: Run) -> Result | None:
    """The line of a run that the solver refused; None if there is no run."""
    if place.refused.is_file():
        return refused(run, common, _reason(place.refused))
    if place.path.is_dir():
        raise FormatError(f"no {place.record.name}")
    return None


def made(run: PlannedRun, instance: Instance, record: Record, found: Judged, cores: int) -> Result:
    """What is true of a run."""
    counts, wrong = credit(record, found), contradictions.wrong(found, _known(instance, found))
    used, limits = record.run, record.limits
    cores = cores if limits.cores is None else len(limits.cores)
    return Result(
        key=run.key,
        instance=run.instance,
        solver=run.solver,
        version=record.version,
        seed=run.seed,
        ended=record.ended,
        wall_s=used.wall_s,
        cpu_s=used.cpu_s,
        peak_mib=used.peak_mib,
        threads=used.threads,
        cores=cores,
        wall_limit_s=limits.wall_s,
        cpu_limit_s=limits.cpu_s,
        memory_limit_mib=limits.memory_mib,
        status=found.status or "",
        claimed=found.claimed,
        bound=found.bound,
        cost=found.cost,
        model_s=None if found.cost is None else record.model_s,
        late=counts.late,
        trace=counts.trace,
        live=record.live,
        size=found.size,
        depth=found.depth,
        right=found.right,
        rows=found.rows,
        findings=(*wrong, *counts.findings, *_overuse(used, cores)),
        notes=(*found.notes, *record.changes, *counts.notes, *_threads(used, cores)),
    )


def _known(instance: Instance, found: Judged) -> contradictions.Facts:
    """What is known of an instance, the run's own model included; what other runs found, the report adds."""
    known, bound = instance.known_cost, instance.least_cost
    return contradictions.facts([found], decision=instance.format == "cnf", known=[known], bound=bound)


def _overuse(used: drivers.Run, cores: int) -> Iterator[tuple[str, str]]:
    """CPU time that so many cores do not have."""
    if used.cpu_s > cores * (SLACK * used.wall_s + DRAIN_S):
        text = f"{used.cpu_s:.1f} s of CPU time in {used.wall_s:.1f} s on {count(cores, 'core')}"
        yield "cores", f"{text}: it was not kept to its cores"


def _threads(used: drivers.Run, cores: int) -> Iterator[str]:
    """More threads than cores need not mean that they worked."""
    if used.threads is not None and used.threads > cores:
        yield f"{count(used.threads, 'thread')} on {count(cores, 'core')}"


def refused(run: PlannedRun, common: Common, reason: str) -> Result:
    """A run that was never begun."""
    limits = common.settings.limits
    return Result(
        key=run.key,
        instance=run.instance,
        solver=run.solver,
        version=common.solvers[run.solver].version,
        seed=run.seed,
        ended=REFUSED,
        wall_s=0.0,
        cpu_s=0.0,
        peak_mib=0.0,
        threads=None,
        cores=common.settings.cores,
        wall_limit_s=limits.wall_s,
        cpu_limit_s=limits.cpu_s,
        memory_limit_mib=limits.memory_mib,
        status="",
        claimed=None,
        bound=None,
        cost=None,
        model_s=None,
        late=False,
        trace=(),
        live=True,
        size=None,
        depth=None,
        right=None,
        rows=None,
        notes=(reason,),
        findings=(),
    )


def _reason(file: Path) -> str:
    try:
        return str(json.loads(file.read_bytes())["reason"])
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(f"{file.name} is damaged") from error
