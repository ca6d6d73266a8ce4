"""One run of a program on an instance, and its record.

The program gets a folder of its own, twice: an empty working directory, since scripts of the Evaluation
write files of fixed names, and a place for temporary files.  Both are gone after the run.  Its environment
is ours but for the language, which is C (a comma is no decimal point), and the limits by the names that
such scripts ask for.

The record's file is created before the run, so that two runs at a time never write the same, and a run
that cannot be recorded does not begin.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from wcnfgen import __version__, drivers, leftovers
from wcnfgen import record as records
from wcnfgen.drivers import Limits, LineBuffer, OnText, Run
from wcnfgen.errors import UsageError
from wcnfgen.files import created, open_log, safe, sha256, unused
from wcnfgen.output import Answer, Parser
from wcnfgen.record import Record
from wcnfgen.words import printable_lines

OUTPUT_MIB = 1024.0  # what a run may print where nothing else is said
STDERR_BYTES = 1 << 16  # of standard error are kept, its end
SCRATCH = ("cwd", "tmp")
STAREXEC_S = 2  # scripts of the Evaluation stop so many seconds before the limit they are told


@dataclass(frozen=True, slots=True)
class Start:
    """What is run: the command, its solver's name and version, and what was done to the instance for it."""

    command: tuple[str, ...]
    solver: str
    version: str = ""
    changes: tuple[str, ...] = ()
    line_buffer: LineBuffer = "none"


@dataclass(frozen=True, slots=True)
class Made:
    """A run that was, what its solver claims, and the end of what it wrote to standard error."""

    record: Record
    answer: Answer
    stderr: str


@dataclass(frozen=True, slots=True)
class Solved:
    """A run that was, the file that holds its record, and the end of its standard error, printable."""

    record: Record
    file: Path
    stderr: str

    @property
    def run(self) -> Run:
        """How it ended."""
        return self.record.run


def recorded(
    instance: str,
    solver: str,
    start: Callable[[Path], Start],
    limits: Limits,
    *,
    driver: str = "local",
    log: str | None = None,
    record: str | None = None,
    on_text: OnText = drivers.ignore,
    on_cost: Callable[[float, int], None] | None = None,
) -> Solved:
    """Run what start says on an instance, and write the record.

    start gets a folder for what the run needs besides the instance; on_text what is printed, as it comes;
    on_cost each cost that is claimed, when it is not the one before.  solver is the name in the record's,
    INSTANCE.SOLVER.run.json, unless record names another.

    Raises what start raises, and SolverError where the run cannot begin; then nothing is left behind.
    """
    drivers.get(driver)
    digest = sha256(Path(instance))
    target = reserve(instance, solver, record)
    try:
        made = make(
            Path(instance),
            digest,
            start,
            limits,
            driver=driver,
            log=Path(log) if log else None,
            on_text=on_text,
            on_cost=on_cost,
        )
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    records.write(made.record, target)
    return Solved(made.record, target, printable_lines(made.stderr))


def make(
    instance: Path,
    digest: str,
    start: Callable[[Path], Start],
    limits: Limits,
    *,
    driver: str = "local",
    log: Path | None = None,
    on_text: OnText = drivers.ignore,
    on_cost: Callable[[float, int], None] | None = None,
    scratch: Scratch | None = None,
) -> Made:
    """Run what start says, as `recorded` but for the file.

    digest is the SHA-256 of the instance's file; scratch, if there is one, serves one run after another.
    """
    run_under = drivers.get(driver)
    parser = Parser()

    def read(seconds: float, text: bytes) -> None:
        before = parser.cost
        parser.feed(seconds, text)
        if on_cost and parser.cost is not None and parser.cost != before:
            on_cost(seconds, parser.cost)
        on_text(seconds, text)

    with (scratch or Scratch()).fresh(keep=scratch is not None) as folder:
        started = start(folder)
        run = run_under(
            started.command,
            limits,
            stdout=log.absolute() if log else None,
            stderr=folder / "stderr.gz",
            cwd=folder / "cwd",
            env=environment(limits, folder / "tmp"),
            line_buffer=started.line_buffer,
            on_text=read,
        )
        stderr = _end(folder / "stderr.gz")
    answer = parser.answer()
    trace = tuple((round(at or 0.0, 6), cost) for at, cost in answer.costs)
    record = Record(
        wcnfgen=__version__,
        instance=instance.name,
        instance_sha256=digest,
        changes=started.changes,
        solver=started.solver,
        version=started.version,
        driver=driver,
        limits=limits,
        run=replace(run, stdout=log, stderr=None),
        trace=trace,
        live=records.is_live(trace, run.wall_s),
        machine=records.machine(),
        model_s=None if answer.model_s is None else round(answer.model_s, 6),
    )
    return Made(record, answer, stderr)


class Scratch:
    """The folders of one run after another: used again as long as runs leave them empty.

    To remove a folder takes milliseconds on common file systems, which short runs feel.
    """

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @contextmanager
    def fresh(self, *, keep: bool = True) -> Iterator[Path]:
        """A folder with two that are empty, cwd and tmp; not to be kept: it is gone afterwards."""
        if self._folder is None:
            self._folder = leftovers.folder()
            for name in SCRATCH:
                (Path(self._folder.name) / name).mkdir()
        folder = Path(self._folder.name)
        try:
            yield folder
        finally:
            if not (keep and _is_empty(folder)):
                self.__exit__()


def _is_empty(folder: Path) -> bool:
    """Whether a run left nothing in its folders; what we put beside them is removed."""
    for each in folder.iterdir():
        if each.name not in SCRATCH and (each.is_symlink() or each.is_file()):
            each.unlink()
    if {each.name for each in folder.iterdir()} != set(SCRATCH):
        return False
    return all((folder / name).is_dir() and not any((folder / name).iterdir()) for name in SCRATCH)


def reserve(instance: str, solver: str, record: str | None) -> Path:
    """Create the record's file, empty, before anything runs; never one that is there already."""
    if record is not None:
        if not created(Path(record)):
            raise UsageError(f"{record} exists: a record is never overwritten; name another file")
        return Path(record)
    return unused(f"{instance}.{safe(Path(solver).name)}", ".run.json")


def environment(limits: Limits, tmp: Path) -> dict[str, str]:
    """The environment of a run: ours, in the language C, with the limits as StarExec names them."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    later = STAREXEC_S + math.ceil(limits.grace_s) + 1  # two SIGTERMs at once cost some solvers their model
    told = {
        "STAREXEC_WALLCLOCK_LIMIT": limits.wall_s and math.ceil(limits.wall_s) + later,
        "STAREXEC_CPU_LIMIT": limits.cpu_s and math.ceil(limits.cpu_s) + later,
        "STAREXEC_MAX_MEM": limits.memory_mib and math.ceil(limits.memory_mib),
    }
    return {
        **ours,
        "LANG": "C",
        "LC_ALL": "C",
        "TMPDIR": str(tmp),
        **{name: str(value) for name, value in told.items() if value},
    }


def _end(path: Path) -> str:
    """The last lines of a log."""
    end, size = b"", 0
    with open_log(path) as stream:
        while piece := stream.read(1 << 20):
            end, size = (end + piece)[-STDERR_BYTES:], size + len(piece)
    text = end.decode("utf-8", "replace")
    return text if size <= STDERR_BYTES else "[...]\n" + text.partition("\n")[2]
