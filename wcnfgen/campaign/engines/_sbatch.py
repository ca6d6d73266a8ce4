"""The scripts that are given to Slurm: texts, and how runs are cut into tasks.

They name no place but the Python program: Slurm begins them in the folder that they are submitted from, the
campaign's.  Memory and time that are asked for are more than our own limits, so that ours come first and a
run that reaches one is a result.

Bash stays beside the worker to pass signals on.  Slurm sends USR1 to it alone (``--signal=B:``) some time
before the task's time is up, and TERM to all when a more urgent job comes or the task is cancelled.  Both let
the worker stop its solver and take the attempt back.  After USR1 the task goes into the queue again, some
times; after TERM that is Slurm's decision.  A task that begins again goes on where it was, as runs that are
there are not made again.
"""

from __future__ import annotations

import math
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from wcnfgen.campaign.engines._submission import Options
from wcnfgen.campaign.settings import Settings
from wcnfgen.drivers import Limits
from wcnfgen.errors import UsageError
from wcnfgen.files import safe

TASK_S = 600.0  # at most, if each run takes as long as it may
WIDE = 64  # tasks; a small campaign is spread over so many before chunks get long
MANY = 5000  # tasks; all users together have room for 10 000 (MaxJobCount)
OWN_MIB = 512  # for the worker
START_S = 10.0  # for a run besides its limits: unpacking, starting, writing
SPARE_S = 120  # Slurm counts in minutes, and may send its signal one too early
REQUEUES = 20  # of a task by itself


@dataclass(frozen=True, slots=True)
class Shape:
    """Runs in tasks of so many, and tasks in arrays of at most so many.

    >>> Shape(runs=2300, chunk=1, largest=1000).arrays
    ((0, 1000), (1000, 1000), (2000, 300))
    """

    runs: int
    chunk: int
    largest: int

    @property
    def tasks(self) -> int:
        """How many."""
        return -(-self.runs // self.chunk)

    @property
    def arrays(self) -> tuple[tuple[int, int], ...]:
        """Of each, how many tasks come before it, and how many it has."""
        starts = range(0, self.tasks, self.largest)
        return tuple((start, min(self.largest, self.tasks - start)) for start in starts)


def shaped(runs: int, limits: Limits, options: Options, largest: int) -> Shape:
    """Chunks that last minutes, unless there are few runs: these are spread.

    >>> minute = Limits(wall_s=60.0)
    >>> [shaped(runs, minute, Options(), 1000).chunk for runs in (10, 100, 1000, 10**5)]
    [1, 2, 9, 20]

    Raises UsageError if nobody says how long a run may last.
    """
    if limits.wall_s is None and not _says_time(options):
        raise UsageError("there is no limit on wall time: say how long a task lasts, --extra=--time=12:00:00")
    if options.chunk is not None:
        return Shape(runs, options.chunk, largest)
    long = max(1, int(TASK_S // _run_s(limits)))
    return Shape(runs, max(min(long, -(-runs // WIDE)), -(-runs // MANY)), largest)


def array(settings: Settings, folder: str, shape: Shape, options: Options) -> str:
    """The script that makes the runs of submit/FOLDER/runs.txt."""
    limits = settings.limits
    memory = None if limits.memory_mib is None else math.ceil(limits.hard_mib) + OWN_MIB
    lead = math.ceil(limits.grace_s) + SPARE_S // 2
    most_s = shape.chunk * (_run_s(limits) + START_S) + lead + SPARE_S
    asks = {
        "job-name": safe(f"wcnfgen-{settings.name}"),
        "nodes": 1,
        "ntasks": 1,
        "cpus-per-task": settings.cores,
        "mem": f"{memory}M" if memory else None,
        "time": None if _says_time(options) else _minutes(most_s),
        "requeue": True,
        "open-mode": "append",
        "signal": f"B:USR1@{lead}",
        "output": f"submit/{folder}/logs/%A_%a.log",
    }
    return ARRAY.format(
        runs=shape.runs,
        name=safe(settings.name),
        chunk=shape.chunk,
        folder=folder,
        asks=_lines(asks, options),
        python=shlex.quote(sys.executable),
        tasks=shape.tasks,
        requeues=REQUEUES,
    )


def collect(settings: Settings, folder: str, options: Options) -> str:
    """The script that collects when all runs have been made."""
    asks = {
        "job-name": safe(f"wcnfgen-{settings.name}-collect"),
        "nodes": 1,
        "ntasks": 1,
        "cpus-per-task": 1,
        "open-mode": "append",
        "output": f"submit/{folder}/logs/collect.log",
    }
    return COLLECT.format(
        name=safe(settings.name),
        folder=folder,
        asks=_lines(asks, options),
        python=shlex.quote(sys.executable),
    )


def _says_time(options: Options) -> bool:
    """Whether a user says how long a task may last."""
    return any(re.match(r"(#SBATCH\s+)?(--time\b(?!-)|-t)", line) for line in options.extra)


def _run_s(limits: Limits) -> float:
    """The most that a run lasts."""
    return (limits.wall_s or limits.cpu_s or TASK_S) + limits.grace_s


def _minutes(seconds: float) -> str:
    """As Slurm writes it.

    >>> _minutes(61.0), _minutes(100_000.0)
    ('0-00:02:00', '1-03:47:00')
    """
    minutes = math.ceil(seconds / 60)
    return f"{minutes // 1440}-{minutes // 60 % 24:02}:{minutes % 60:02}:00"


def _lines(asks: dict[str, object], options: Options) -> str:
    said = {**asks, "partition": options.partition, "account": options.account}
    ours = [f"#SBATCH {each}" for each in _options(said)]
    return "\n".join(ours + [_extra(each) for each in options.extra])


def _options(said: dict[str, object]) -> Iterator[str]:
    for name, value in said.items():
        if value is not None:
            yield f"--{name}" if value is True else f"--{name}={value}"


def _extra(line: str) -> str:
    return line if line.startswith("#SBATCH") else f"#SBATCH {line}"


ARRAY = """\
#!/bin/bash
# {runs} runs of the campaign {name}, {chunk} a task, written by `wcnfgen campaign submit`.
# Change what you like.  By hand it is submitted from the campaign's folder:
#     sbatch --array=1-{tasks} submit/{folder}/array.sbatch
# or in parts, each with the number of tasks that come before it:
#     sbatch --array=1-500 submit/{folder}/array.sbatch 1000
#
{asks}

# memory, time: more than the campaign's own limits, so that these come first and how a run ended is known.
# signal: the worker is told before the time is up.  requeue: a task that begins again goes on where it was.

python={python}
export PYTHONUNBUFFERED=1

# the keys of the runs of this task: so many lines of runs.txt
chunk={chunk}
task=$((${{1:-0}} + SLURM_ARRAY_TASK_ID))
mapfile -t keys < <(sed -n "$(((task - 1) * chunk + 1)),$((task * chunk))p" submit/{folder}/runs.txt)
[ "${{#keys[@]}}" -gt 0 ] || {{ echo "runs.txt has no lines for task $task" >&2; exit 1; }}

"$python" -m wcnfgen campaign work . "${{keys[@]/#/--runs=}}" &
worker=$!

# It stops its solver, takes the attempt back and ends; runs that were made before are whole.
stop() {{
    kill -s "$1" "$worker" 2> /dev/null
    wait "$worker"
}}

# The time is up: into the queue again, for the runs that are still missing.
again() {{
    stop USR1
    [ "${{SLURM_RESTART_COUNT:-0}}" -ge {requeues} ] || scontrol requeue "$SLURM_JOB_ID"
    exit 75
}}

# A more urgent job, and then Slurm requeues by itself; or scancel.
trap again USR1
trap 'stop TERM; exit 143' TERM

wait "$worker"
"""

COLLECT = """\
#!/bin/bash
# Collects what became of the runs of the campaign {name}, when all have been made.
# By hand, from the campaign's folder: sbatch submit/{folder}/collect.sbatch
#
{asks}

exec {python} -m wcnfgen campaign collect .
"""
