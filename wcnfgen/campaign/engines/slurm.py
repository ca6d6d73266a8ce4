"""Slurm: a campaign as job arrays, which go on when whoever submitted them has left.

Nothing of ours runs on the login node and nothing has to stay alive: `submit` writes scripts that people read
and change, hands them to ``sbatch``, and is done.  A task of the array makes a chunk of the runs with
``wcnfgen campaign work``, so long that what the queue costs, about half a second a task, is nothing against
it.  Each submission has a folder of its own, as tasks read the list of their runs when they begin:

    submit/N/runs.txt       the keys of its runs
             array.sbatch   what makes them
             collect.sbatch what collects them afterwards
             jobs.txt       the ids that Slurm gave
             logs/          what the tasks print

An array is as large as the cluster lets (``MaxArraySize``); where one is not enough there are several.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

from wcnfgen.campaign import planning
from wcnfgen.campaign.engines._sbatch import Shape, array, collect, shaped
from wcnfgen.campaign.engines._submission import Options, Submitted
from wcnfgen.campaign.planning import Common
from wcnfgen.campaign.store import Store
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.files import atomic

Give = Callable[[Sequence[str]], str]

ARRAY_SIZE = 1001  # Slurm's default for MaxArraySize: one more than the largest index


def submit(common: Common, options: Options, *, dry_run: bool) -> Submitted:
    """Write scripts for the runs that are missing, and submit them; with dry_run only write them.

    The contract is that of `wcnfgen.campaign.engines`.  Raises UsageError also where there is no limit on
    wall time, WcnfgenError with what Slurm says.
    """
    folder, settings = common.folder, common.settings
    if not dry_run and (reason := unavailable()):
        raise UsageError(f"{reason} here: submit on a machine of the cluster, or give --dry-run")
    if set(str(folder)) & set("%\\"):
        raise UsageError(
            f"{folder}: Slurm reads % and \\ in names of files in its own way: rename the folder"
        )
    missing = list(_missing(folder, settings.attempts))
    waiting = set() if dry_run else _queued(folder / "submit")
    todo = [key for key in missing if key not in waiting]
    queued = len(missing) - len(todo)
    if not todo:
        return Submitted(folder=None, runs=0, tasks=0, queued=queued, jobs=(), commands=())
    shape = shaped(len(todo), settings.limits, options, largest(dry_run=dry_run))
    place = _next(folder / "submit")
    script = array(settings, place.name, shape, options)
    (place / "logs").mkdir(parents=True)
    _write(place / "runs.txt", "".join(f"{key}\n" for key in todo))
    _write(place / "array.sbatch", script)
    _write(place / "collect.sbatch", collect(settings, place.name, options))
    numbers = count(1)
    give = (lambda _: f"ID{next(numbers)}") if dry_run else partial(sbatch, folder, place / "jobs.txt")
    given = dict(_order(place, shape, options, give))
    return Submitted(
        folder=place,
        runs=len(todo),
        tasks=shape.tasks,
        queued=queued,
        jobs=() if dry_run else tuple(given),
        commands=(shlex.join(["cd", str(folder)]), *given.values()),
    )


def unavailable() -> str | None:
    """Why it cannot be used on this machine."""
    return None if shutil.which("sbatch") and shutil.which("scontrol") else "there is no sbatch"


def _missing(folder: Path, attempts: int) -> Iterator[str]:
    """The keys of runs that are to be made."""
    store = Store(folder)
    begun = set(store.unfinished())
    for run in planning.runs(folder):
        if not store.has(run.key) and not (run.key in begun and store.tried(run.key) >= attempts):
            yield run.key


def _queued(submissions: Path) -> set[str]:
    """The runs of earlier submissions that are not over."""
    files = [(place, place / "jobs.txt") for place in submissions.glob("*")]
    ours = {place: file.read_text().split() for place, file in files if file.exists()}
    if not ours:
        return set()
    alive = queue()
    live = [place for place, jobs in ours.items() if alive & set(jobs)]
    return {key for place in live for key in (place / "runs.txt").read_text().split()}


def queue() -> set[str]:
    """The ids of this user's jobs that are not over."""
    return set(call("squeue", "--me", "--noheader", "--format=%F").split())


def largest(*, dry_run: bool) -> int:
    """Tasks that an array may have; its indices count from 1.  Slurm need not be there for a dry run."""
    try:
        said = call("scontrol", "show", "config")
    except WcnfgenError:
        if not dry_run:
            raise
        said = ""
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", said, re.MULTILINE)
    size = int(found[1]) if found else ARRAY_SIZE
    if size < 2:
        raise UsageError("this Slurm has no job arrays (MaxArraySize): ask its administrator")
    return size - 1


def _next(submissions: Path) -> Path:
    """Make the folder of a new submission, whose name is a number."""
    submissions.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        place = submissions / str(number)
        try:
            place.mkdir()
        except FileExistsError:
            continue
        return place
    raise AssertionError


def _write(file: Path, text: str) -> None:
    with atomic(file) as out:
        out.write(text.encode())


def _order(place: Path, shape: Shape, options: Options, give: Give) -> Iterator[tuple[str, str]]:
    """Give the arrays and then what collects; the id of each, and what was said."""
    arrays: list[str] = []
    for start, number in shape.arrays:
        words = _array(place, start, number, options, after=arrays[-1:])
        arrays.append(give(words))
        yield arrays[-1], shlex.join(words)
    words = _collect(place, arrays)
    yield give(words), shlex.join(words)


def _array(place: Path, start: int, number: int, options: Options, after: Sequence[str]) -> list[str]:
    """An array; with --at-most it waits for the one before, as each counts for itself."""
    most = f"%{options.at_most}" if options.at_most else ""
    wait = [f"--dependency=afterany:{job}" for job in after if most]
    script = f"submit/{place.name}/array.sbatch"
    return [
        "sbatch",
        "--parsable",
        f"--array=1-{number}{most}",
        *wait,
        script,
        *([str(start)] if start else []),
    ]


def _collect(place: Path, arrays: Sequence[str]) -> list[str]:
    after = f"--dependency=afterany:{':'.join(arrays)}"
    return ["sbatch", "--parsable", after, f"submit/{place.name}/collect.sbatch"]


def sbatch(folder: Path, jobs: Path, words: Sequence[str]) -> str:
    """Submit from a folder, and keep the id that Slurm gives, a line of the file `jobs`."""
    job = call(*words, cwd=folder).strip().split(";")[0]
    with jobs.open("a") as known:
        known.write(f"{job}\n")
    return job


def call(*words: str, cwd: Path | None = None) -> str:
    """What a command of Slurm prints.  Raises WcnfgenError with what it complains of."""
    try:
        done = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        raise WcnfgenError(f"{words[0]}: {error.strerror}") from error
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit code {done.returncode}"
        raise WcnfgenError(f"{shlex.join(words)}: {said}")
    return done.stdout
