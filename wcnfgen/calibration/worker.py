"""A program of its own: makes runs and judges them, one after the other, on one core.

Why a process: a driver notices signals in the main thread only, and collects the orphans of its run by
what is a property of the process (`wcnfgen.drivers.local`).  Jobs come as lines of JSON on standard
input, and each is answered by a line; what was found is in files.  The end of the input is the end of the
program.  Its parent's death is SIGTERM to it, so that the run is stopped as by any other signal.
"""

from __future__ import annotations

import ctypes
import json
import signal
import sys
from pathlib import Path
from typing import NoReturn

from wcnfgen import launch, runs
from wcnfgen.calibration import judging
from wcnfgen.calibration.plan import Job, job_from_json
from wcnfgen.errors import WcnfgenError
from wcnfgen.runs import Start

_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Work until the input ends or a signal comes; 130 after a signal."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        for line in sys.stdin.buffer:
            sys.stdout.write(json.dumps(answer(job_from_json(line))) + "\n")
            sys.stdout.flush()
    except (KeyboardInterrupt, BrokenPipeError):
        return 130
    return 0


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def answer(job: Job) -> dict[str, str]:
    """Do it; what went wrong, as the name of the error and its message, or nothing."""
    try:
        perform(job)
    except (WcnfgenError, MemoryError, OSError) as error:
        return {"error": type(error).__name__, "message": str(error) or "not enough memory"}
    return {}


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
            return
    judging.write(judging.judge(job.instance, place.log, job.values), place.verdict)


if __name__ == "__main__":
    raise SystemExit(main())
