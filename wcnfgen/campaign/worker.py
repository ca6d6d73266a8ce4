"""A program of its own: makes the runs that it is told to, one after the other (`wcnfgen.workers`)."""

from __future__ import annotations

import json
import sys
from functools import cache, partial
from pathlib import Path

from wcnfgen.campaign import planning, working
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.runs import Scratch
from wcnfgen.workers.serving import serve


def line(folder: Path, run: PlannedRun, cores: frozenset[int]) -> bytes:
    """A job as a line."""
    job = {
        "folder": str(folder),
        "key": run.key,
        "instance": run.instance,
        "solver": run.solver,
        "seed": run.seed,
        "cores": sorted(cores),
    }
    return json.dumps(job).encode("ascii") + b"\n"


def do(scratch: Scratch, line: bytes) -> str:
    """Make the run of a line; how it ended."""
    job = json.loads(line)
    run = PlannedRun(key=job["key"], instance=job["instance"], solver=job["solver"], seed=job["seed"])
    folder = Path(job["folder"])
    return working.perform(folder, run, _common(folder), frozenset(job["cores"]), scratch)


@cache
def _common(folder: Path) -> Common:
    return planning.read(folder)


if __name__ == "__main__":
    with Scratch() as scratch:
        code = serve(partial(do, scratch), sys.argv)
    raise SystemExit(code)
