"""``wcnfgen solve``: a solver runs on an instance, under limits, and leaves a record."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from wcnfgen.drivers import Limits, Run


@dataclass(frozen=True, slots=True)
class Solved:
    """A run that was, and the file that says so."""

    run: Run
    record: Path


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

    Raises SolverError where the solver cannot start, UsageError where the record exists already.
    """
    import tempfile

    from wcnfgen import drivers, solvers
    from wcnfgen.drivers import Limits

    descriptor = solvers.get(solver)
    limits = Limits(wall_s=wall, cpu_s=cpu, memory_mib=memory, grace_s=grace)
    source = _readable(instance)
    target = record_file(instance, solver, record)
    trace: list[list[float]] = []
    with tempfile.TemporaryDirectory(prefix="wcnfgen-") as scratch:
        folder = Path(scratch)
        command = descriptor.command(source, limits, binary)
        run = drivers.get(driver)(
            command,
            limits,
            stdout=Path(log).absolute() if log else folder / "stdout",
            stderr=folder / "stderr",
            cwd=_private(folder),
            on_line=_tracer(trace, None if log else sys.stdout.buffer),
        )
        _pass_on(folder / "stderr")
    _write_record(target, source, solver, driver, limits, run, trace, log)
    return Solved(run, target)


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


def record_file(instance: str, solver: str, record: str | None) -> Path:
    """Where the record goes; never where one is already."""
    from wcnfgen.errors import UsageError

    if record is not None:
        if Path(record).exists():
            raise UsageError(f"{record} exists: a record is never overwritten; name another file")
        return Path(record)
    name = "".join(c if c.isalnum() or c in "._-" else "_" for c in Path(solver).name)
    number = 1
    while True:
        suffix = "" if number == 1 else f".{number}"
        target = Path(f"{instance}.{name}{suffix}.run.json")
        if not target.exists():
            return target
        number += 1


def _readable(instance: str) -> Path:
    """The absolute path of an instance that can be opened."""
    from wcnfgen.files import open_read

    open_read(instance).close()
    return Path(instance).absolute()


def _private(folder: Path) -> Path:
    """A working directory of its own: wrapper scripts write files of fixed names."""
    (folder / "cwd").mkdir()
    return folder / "cwd"


def _tracer(trace: list[list[float]], out: Any) -> Any:
    """Pass lines on as they come, and note the time of each ``o``."""

    def line(seconds: float, text: bytes) -> None:
        if text.startswith(b"o "):
            word = text.split()[1:2]
            if word and word[0].isdigit():
                trace.append([round(seconds, 6), int(word[0])])
        if out is not None:
            out.write(text)
            out.flush()

    return line


def _pass_on(stderr: Path) -> None:
    text = stderr.read_bytes() if stderr.exists() else b""
    if text:
        sys.stderr.write(text.decode("utf-8", "replace"))


def _write_record(
    target: Path,
    source: Path,
    solver: str,
    driver: str,
    limits: Limits,
    run: Run,
    trace: list[list[float]],
    log: str | None,
) -> None:
    """Write what is known of the run as JSON; units are in the names."""
    import hashlib
    import json
    from dataclasses import asdict

    from wcnfgen import __version__
    from wcnfgen.files import atomic

    with source.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    fields = {
        "wcnfgen": __version__,
        "instance": source.name,
        "instance_sha256": digest,
        "solver": solver,
        "driver": driver,
        "limits": asdict(limits),
        "run": {**asdict(run), "stdout": log, "stderr": None},
        "trace": trace,
    }
    with atomic(target) as out:
        out.write(json.dumps(fields, indent=1, default=sorted).encode() + b"\n")
