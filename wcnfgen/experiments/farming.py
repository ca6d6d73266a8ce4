"""Steps on other machines: tasks of Dask's workers, or those of a Slurm array.

All see the folder.  For Slurm each task is this very command with ``--shard I/N --stage K``: it makes its
share of one stage, and nobody has to stay.  Partition, account, time and memory are the site's defaults, or
what sbatch reads from its environment (``SBATCH_PARTITION``, ``SBATCH_TIMELIMIT``, ...).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wcnfgen.errors import UsageError
from wcnfgen.experiments import stepping
from wcnfgen.experiments.work import Step, Work
from wcnfgen.files import real
from wcnfgen.words import count

SCRIPT = """\
#!/bin/bash
# Stage {stage} of {name}; by hand, in this folder: sbatch --array=1-{tasks} {file}
#SBATCH --job-name=wcnfgen-{name}-{stage}
#SBATCH --output={logs}/%A_%a.log
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
exec {command} --shard "$SLURM_ARRAY_TASK_ID/{tasks}"
"""


def give(work: Work, stage: int, steps: Sequence[Step]) -> str:
    """Have others make the steps; what is to be said if that takes its time.  Raises UsageError."""
    if work.engine == "dask":
        _by_dask(work, steps)
        return ""
    if work.engine == "slurm":
        return _by_slurm(work, stage, len(steps))
    raise UsageError(f"--engine {work.engine}: steps are made by local, dask or slurm")


def _by_dask(work: Work, steps: Sequence[Step]) -> None:
    """Wait until its workers have made them."""
    from wcnfgen.campaign.engines import dask

    here = replace(work, folder=real(work.folder), missing={})
    with dask.connected(work.jobs, work.address, 1) as client:
        futures = [client.submit(stepping.make, here, step, pure=False, retries=2) for step in steps]
        client.gather(futures)


def _by_slurm(work: Work, stage: int, steps: int) -> str:
    """Submit an array, unless it is in the queue already."""
    from wcnfgen.campaign.engines import slurm

    if (reason := slurm.unavailable()) is not None:
        raise UsageError(f"{reason} here: run it on a machine of the cluster")
    logs = f"stage-{stage}"
    jobs = work.folder / logs / "jobs.txt"
    if _is_alive(jobs):
        return f"{count(steps, 'step')} in the queue"
    tasks = min(steps, slurm.largest(dry_run=False))
    file = f"{logs}/array.sbatch"
    text = SCRIPT.format(
        stage=stage, name=work.name, tasks=tasks, file=file, logs=logs, command=command(work, stage)
    )
    work.write(file, text.encode())
    job = slurm.sbatch(work.folder, jobs, ["sbatch", "--parsable", f"--array=1-{tasks}", file])
    return f"{count(steps, 'step')} given to Slurm as job {job}"


def _is_alive(jobs: Path) -> bool:
    """Whether any of these jobs is in the queue."""
    from wcnfgen.campaign.engines import slurm

    ours = set(jobs.read_text().split()) if jobs.exists() else set()
    return bool(ours & slurm.queue())


def command(work: Work, stage: int) -> str:
    """This command, for one stage and for whoever is in the folder."""
    data = [word for folder in work.data for word in ("--data", str(real(folder)))]
    words = [work.name, "--scale", work.scale, *data, "--stage", str(stage), "--jobs", "1", "-o", "."]
    return shlex.join([sys.executable, "-m", "wcnfgen", "reproduce", *words])
