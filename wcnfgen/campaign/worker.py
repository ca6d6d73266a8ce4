"""A program of its own: makes the runs that it is told to, one after the other (`wcnfgen.workers`)."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from wcnfgen.campaign import planning, working
from wcnfgen.campaign.planning import Common, PlannedRun
from wcnfgen.campaign.store import PLAN
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
    common = _common(folder, (folder / PLAN).stat().st_mtime_ns)
    return working.perform(folder, run, common, frozenset(job["cores"]), scratch)


@lru_cache(maxsize=1)
def _common(folder: Path, written_ns: int) -> Common:
    """The plan as it was written then: a process that waited on a machine of Dask's may have seen another."""
    return planning.read(folder)


if __name__ == "__main__":
    code = 130
    with suppress(KeyboardInterrupt), Scratch() as scratch:
        code = serve(partial(do, scratch), sys.argv)
    raise SystemExit(code)
