"""``wcnfgen solve``: a solver runs on an instance, under limits, and leaves a record."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from wcnfgen.errors import UsageError, WcnfgenError

if TYPE_CHECKING:
    from wcnfgen.drivers import Limits, OnLine, Run
    from wcnfgen.reader import Reader
    from wcnfgen.solvers import Solver

TRACE_LENGTH = 100_000  # improvements that a record holds


@dataclass(frozen=True, slots=True)
class Solved:
    """A run that was, the file that says so, and what it wrote to standard error."""

    run: Run
    record: Path
    stderr: str


def solve(
    instance: str,
    *,
    solver: str = "rc2",
    binary: str | None = None,
    driver: str = "local",
    wall: float | None = 300.0,
    cpu: float | None = None,
    memory: float | None = None,
    grace: float = 5.0,
    log: str | None = None,
    record: str | None = None,
) -> Solved:
    """Run a solver on an instance under limits; its output goes to standard output.

    How the run ended is written to a record; what the solver claims stays in its output, and what is
    true `wcnfgen verify` finds out.

    instance: a WCNF file
    solver: a name from `wcnfgen solvers`, or ./PATH of a program
    binary: the solver's program, if it is not where its descriptor looks
    driver: what runs it
    wall: limit on wall time, in seconds
    cpu: limit on CPU time of all its processes, in seconds
    memory: limit on the memory of all its processes, in MiB
    grace: seconds between SIGTERM and SIGKILL
    log: write the solver's output to this file instead
    record: write the record here; default: INSTANCE.SOLVER.run.json, numbered if that exists

    Raises SolverError where the solver cannot start, UsageError where it does not read the format or
    the record exists already.
    """
    from wcnfgen import solvers
    from wcnfgen.drivers import Limits
    from wcnfgen.files import distinct

    if instance == "-":
        raise UsageError("a solver reads a file: write the instance to one first")
    descriptor = solvers.get(solver)
    limits = Limits(wall_s=wall, cpu_s=cpu, memory_mib=memory, grace_s=grace)
    distinct(log, instance, record)

    def command(folder: Path) -> Sequence[str]:
        return descriptor.command(readable(descriptor, Path(instance).absolute(), folder), limits, binary)

    solved = recorded(
        instance, solver, command, limits, driver, log, record, None if log else _printer(sys.stdout)
    )
    sys.stderr.write(solved.stderr)
    return solved


def present(result: Solved, out: TextIO, **options: Any) -> int:
    """Say how the run ended, on standard error: standard output is the solver's."""
    import logging

    run = result.run
    end = f"stopped at the {run.limit} limit" if run.limit else f"ended with exit code {run.exit_code}"
    logging.getLogger("wcnfgen").info(
        "%s after %.2f s, %.2f s CPU, %.0f MiB; record %s",
        "interrupted" if run.limit == "interrupt" else end,
        run.wall_s,
        run.cpu_s,
        run.peak_mib,
        result.record,
    )
    return 130 if run.limit == "interrupt" else 0


def recorded(
    instance: str,
    name: str,
    command: Callable[[Path], Sequence[str]],
    limits: Limits,
    driver: str = "local",
    log: str | None = None,
    record: str | None = None,
    on_line: OnLine | None = None,
) -> Solved:
    """Run a command on an instance and write the record; name is what the record calls it.

    command gets a folder for what it needs besides the instance; on_line gets each line as it comes.
    """
    import tempfile

    from wcnfgen import drivers

    digest = _digest(Path(instance))
    target = reserve(instance, name, record)
    trace: list[list[float]] = []
    try:
        with tempfile.TemporaryDirectory(prefix="wcnfgen-") as scratch:
            folder = Path(scratch)
            run = drivers.get(driver)(
                command(folder),
                limits,
                stdout=Path(log).absolute() if log else folder / "stdout",
                stderr=folder / "stderr",
                cwd=_private(folder),
                on_line=_tracer(trace, on_line or drivers.ignore),
            )
            stderr = (folder / "stderr").read_text("utf-8", "replace")
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    _write_record(target, Path(instance), digest, name, driver, limits, run, trace, log)
    return Solved(run, target, stderr)


def reserve(instance: str, solver: str, record: str | None) -> Path:
    """Create the record's file, empty, before anything runs; never one that is there already."""
    if record is not None:
        if not _created(Path(record)):
            raise UsageError(f"{record} exists: a record is never overwritten; name another file")
        return Path(record)
    return unused(f"{instance}.{safe(Path(solver).name)}", ".run.json")


def unused(stem: str, ending: str) -> Path:
    """Create an empty file of that name, numbered if there is one already."""
    numbers = chain([""], (f".{number}" for number in count(2)))
    return next(path for path in (Path(stem + number + ending) for number in numbers) if _created(path))


def safe(name: str) -> str:
    """A file name that no shell and no solver's script trips over."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)[:80] or "data"


def _created(path: Path) -> bool:
    """Create an empty file; False if there is one.  Raises WcnfgenError where none can be written."""
    try:
        path.open("x").close()
    except FileExistsError:
        return False
    except OSError as error:
        raise WcnfgenError(
            f"{path}: cannot write the record: {error.strerror}; give --record FILE"
        ) from error
    return True


def readable(descriptor: Solver, instance: Path, folder: Path) -> Path:
    """The instance in a form that the solver reads, in the folder where it has to be made.

    Packed files are unpacked, CNF becomes WCNF with hard clauses only, and a name that hides what is in
    the file gets a link: some solvers go by the ending.  Raises UsageError for a format or a weight
    that the solver does not hold, FormatError where the file is no instance.
    """
    from wcnfgen import writer
    from wcnfgen.files import open_read
    from wcnfgen.reader import Reader, read

    with Reader(instance) as reader:
        form = reader.format
        heaviest = max(_weights(reader, all_of_them=descriptor.max_weight < 2**63 - 1), default=0)
    if form not in (*descriptor.formats, "cnf"):
        raise UsageError(
            f"{descriptor.title} does not read {form}: write the instance with "
            f"`wcnfgen encode --format {descriptor.formats[0]}`"
        )
    if heaviest > descriptor.max_weight:
        raise UsageError(f"{descriptor.title} holds weights up to {descriptor.max_weight}, not {heaviest}")
    if form == "cnf":
        plain = folder / "instance.wcnf"
        with plain.open("wb") as target:
            writer.write(read(instance), target, format=descriptor.formats[0])
        return plain
    with instance.open("rb") as raw:
        packed = {b"\x1f\x8b": ".gz", b"\xfd7": ".xz"}.get(raw.read(2), "")
    if packed and packed not in descriptor.compressed:
        plain = folder / "instance.wcnf"
        with open_read(instance) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        return plain
    if instance.name.endswith(f".wcnf{packed}"):
        return instance
    link = folder / f"instance.wcnf{packed}"
    link.symlink_to(instance)
    return link


def _weights(reader: Reader, *, all_of_them: bool) -> Iterator[int]:
    """The largest soft weight of each piece of the file; of the first alone if that is enough."""
    for chunk in reader.chunks():
        yield int(chunk.weights.max(initial=0))
        if not all_of_them:
            return


def _digest(instance: Path) -> str:
    """The SHA-256 of the file before the run."""
    import hashlib

    try:
        with instance.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise WcnfgenError(f"{instance}: cannot read: {error.strerror}") from error


def _private(folder: Path) -> Path:
    """A working directory of its own: wrapper scripts write files of fixed names."""
    (folder / "cwd").mkdir()
    return folder / "cwd"


def improvement(line: bytes) -> int | None:
    """The cost that an ``o`` line states.

    >>> improvement(b"o 3 tries:7"), improvement(b"o -"), improvement(b"s UNKNOWN")
    (3, None, None)
    """
    word = line.split(None, 2)[1:2] if line.startswith(b"o ") else []
    return int(word[0]) if word and word[0].isdigit() else None


def _tracer(trace: list[list[float]], then: OnLine) -> OnLine:
    """Note the time of each improvement, and pass the lines on."""

    def line(seconds: float, text: bytes) -> None:
        cost = improvement(text)
        if cost is not None:
            del trace[TRACE_LENGTH - 1 :]  # beyond, only the last one is kept up to date
            trace.append([round(seconds, 6), cost])
        then(seconds, text)

    return line


def _printer(out: TextIO) -> OnLine:
    """Print lines as they come, until nobody reads them any more."""
    sink = getattr(out, "buffer", None)

    def line(seconds: float, text: bytes) -> None:
        nonlocal sink
        if sink is not None:
            try:
                sink.write(text)
                sink.flush()
            except BrokenPipeError:
                sink = None  # the run goes on to its record

    return line


def _write_record(
    target: Path,
    instance: Path,
    digest: str,
    solver: str,
    driver: str,
    limits: Limits,
    run: Run,
    trace: list[list[float]],
    log: str | None,
) -> None:
    """Write what is known of the run as JSON; units are in the names."""
    import json
    from dataclasses import asdict

    from wcnfgen import __version__
    from wcnfgen.files import atomic

    fields = {
        "wcnfgen": __version__,
        "instance": instance.name,
        "instance_sha256": digest,
        "solver": solver,
        "driver": driver,
        "limits": asdict(limits),
        "run": {**asdict(run), "stdout": log, "stderr": None},
        "trace": trace,
    }
    with atomic(target) as out:
        out.write(json.dumps(fields, indent=1, default=sorted).encode() + b"\n")
