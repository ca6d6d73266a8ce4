"""``wcnfgen solve``: a solver runs on an instance, under limits, and leaves a record."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.drivers import OnText
    from wcnfgen.runs import Solved, Start

log = logging.getLogger("wcnfgen")


def solve(
    instance: str,
    *,
    solver: str = "rc2",
    binary: str | None = None,
    driver: str = "local",
    wall: float | None = 300.0,
    cpu: float | None = None,
    memory: float | None = None,
    memory_hard: float | None = None,
    output: float | None = 1024.0,
    grace: float = 5.0,
    cores: str | None = None,
    line_buffer: Literal["none", "stdbuf", "pty"] | None = None,
    option: Sequence[str] = (),
    log: str | None = None,
    record: str | None = None,
) -> Solved:
    """Run a solver on an instance under limits; its output goes to standard output.

    How the run ended is written to a record; what the solver claims stays in its output, and what is
    true `wcnfgen verify` finds out.  At a limit the solver gets SIGTERM, after the grace SIGKILL.  It is
    given the instance in a form that it is known to read: format and compression are converted.

    examples:
      wcnfgen solve x.wcnf > x.log
      wcnfgen solve x.wcnf --solver lms --wall 60 --memory 4000 --log lms.log.gz
      wcnfgen solve x.wcnf --solver clingo --option=--seed=3 --cores 0 --log clingo.log

    instance: a WCNF file
    solver: a name from `wcnfgen solvers`, or ./PATH of a program
    binary: the solver's program, if it is not where its descriptor looks
    driver: what runs it
    wall: limit on wall time, in seconds
    cpu: limit on CPU time of all its processes, in seconds
    memory: limit on the memory of all its processes, in MiB
    memory_hard: kill at once at this memory, in MiB; default: 5 % and at least 64 MiB above --memory
    output: limit on what it prints, in MiB
    grace: seconds between SIGTERM and SIGKILL
    cores: run on these cores only, such as 0 or 2-3,5
    line_buffer: how to get its lines at once if it buffers them; default: as its descriptor says
    option: a further argument of the solver, before the instance; may be repeated: --option=--seed=3
    log: write the solver's output to this file instead; compressed if it ends in .gz
    record: write the record here; default: INSTANCE.SOLVER.run.json, numbered if that exists

    Raises SolverError where the solver cannot start, UsageError where it cannot take the instance or
    the record exists already.
    """
    from wcnfgen import runs
    from wcnfgen.drivers import Limits, ignore
    from wcnfgen.files import check_read, distinct
    from wcnfgen.launch import known, prepared
    from wcnfgen.workers import cores as choice

    if instance == "-" or (Path(instance).exists() and not Path(instance).is_file()):
        raise UsageError(f"{instance}: a solver reads a file: write the instance to one first")
    limits = Limits(
        wall_s=wall,
        cpu_s=cpu,
        memory_mib=memory,
        memory_hard_mib=memory_hard,
        output_mib=output,
        grace_s=grace,
        cores=None if cores is None else choice.parse(cores),
    )
    if log == "" or record == "":
        raise UsageError("--log and --record take a file's name, and it is empty")
    distinct(log, instance, record)
    check_read(instance)
    descriptor = known(solver, binary, option)

    def start(folder: Path) -> Start:
        return prepared(descriptor, solver, Path(instance), folder, limits, binary, line_buffer, option)

    solved = runs.recorded(
        instance,
        solver,
        start,
        limits,
        driver=driver,
        log=log,
        record=record,
        on_text=ignore if log else _printer(sys.stdout),
    )
    sys.stderr.write(solved.stderr)
    return solved


def present(result: Solved, out: TextIO, **options: Any) -> int:
    """Say how the run ended, on standard error: standard output is the solver's."""
    run, record = result.run, result.record
    for change in record.changes:
        log.info("%s got the instance changed: %s", record.solver, change)
    if not record.live:
        log.warning(
            "the costs all came at the end, so their times say nothing; try --line-buffer stdbuf or pty"
        )
    log.info(
        "%s after %.2f s, %.2f s CPU, %.0f MiB; record %s",
        record.ended,
        run.wall_s,
        run.cpu_s,
        run.peak_mib,
        result.file,
    )
    return 130 if run.limit == "interrupt" else 0


def _printer(out: TextIO) -> OnText:
    """Print what comes, until nobody reads it any more."""
    sink = getattr(out, "buffer", None)

    def text(seconds: float, piece: bytes) -> None:
        nonlocal sink
        if sink is not None:
            try:
                sink.write(piece)
                sink.flush()
            except BrokenPipeError:
                sink = None  # the run goes on to its record

    return text
