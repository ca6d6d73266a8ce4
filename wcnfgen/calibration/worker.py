"""A program of its own: makes runs and judges them, one after the other, on one core (`wcnfgen.workers`)."""

from __future__ import annotations

import sys
from pathlib import Path

from wcnfgen import judged, launch, runs
from wcnfgen.calibration.plan import Job, job_from_json
from wcnfgen.runs import Start
from wcnfgen.workers.serving import serve


def do(line: bytes) -> str:
    """Do the job of a line."""
    perform(job_from_json(line))
    return "done"


def perform(job: Job) -> None:
    """Make the run if there is none, and judge it unless it was interrupted."""
    place = job.place
    if job.run is not None:
        for old in (place.record, place.verdict, place.log):  # the record first: without it there is no run
            old.unlink(missing_ok=True)
        order = job.run

        def start(folder: Path) -> Start:
            return launch.prepared(order.solver, order.called, job.instance, folder, order.limits)

        try:
            solved = runs.recorded(
                str(job.instance),
                order.called,
                start,
                order.limits,
                driver=order.driver,
                log=str(place.log),
                record=str(place.record),
            )
        except BaseException:
            place.log.unlink(missing_ok=True)
            raise
        if solved.run.limit == "interrupt":
            raise KeyboardInterrupt
    judged.write(judged.judge(job.instance, place.log, job.values), place.verdict)


if __name__ == "__main__":
    raise SystemExit(serve(do, sys.argv))
