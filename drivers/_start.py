"""How a command comes to life: its descriptors, its cores, its session, and the limits of the kernel.

The kernel's own limits only back the driver up: RLIMIT_CPU well above the CPU limit (or above what the
wall limit allows on all cores), in case the driver cannot stop the run; RLIMIT_FSIZE for the files that
the run itself writes (a wrapper script's copy of the output; never its pipes); no core dumps.

A terminal in place of a pipe makes the C library print line by line.  It is one without a shell: no
echo, no ``\\n`` turned into ``\\r\\n``, nobody's controlling terminal.
"""

from __future__ import annotations

import errno
import math
import os
import resource
import shutil
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from wcnfgen.drivers import OUTPUT_MIB, Limits, LineBuffer, OnText
from wcnfgen.drivers._program import fault
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.files import widen

FILE_MIB = 4096.0  # beyond the limit on output a file of the run may hold this much: an unpacked instance


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run, and where its output goes: the arguments of `wcnfgen.drivers.Driver`."""

    command: Sequence[str]
    limits: Limits
    stdout: Path | None
    stderr: Path | None
    cwd: Path | None
    env: Mapping[str, str] | None
    line_buffer: LineBuffer
    on_text: OnText


class Started(NamedTuple):
    """A command that runs, and where its output can be read."""

    process: subprocess.Popen[bytes]
    stdout: FileIO
    stderr: FileIO


@contextmanager
def started(order: Order, environment: Mapping[str, str], prefix: Sequence[str] = ()) -> Iterator[Started]:
    """The command, started in a session of its own; who leaves the context has seen to its end.

    The prefix is a program that executes its last arguments.

    Raises SolverError where the command cannot start, UsageError for cores or a program that is missing.
    """
    out, out_sink = _channel(terminal=order.line_buffer == "pty")
    err, err_sink = _channel(terminal=False)
    with out, err:
        with out_sink, err_sink, _pinned(order.limits.cores):
            process = _spawned(
                order, [*prefix, *_buffered(order.line_buffer)], environment, out_sink, err_sink
            )
        backstops(process.pid, order.limits)
        with process:
            yield Started(process, out, err)


def _spawned(
    order: Order, prefix: list[str], environment: Mapping[str, str], stdout: FileIO, stderr: FileIO
) -> subprocess.Popen[bytes]:
    program = order.command[0]
    try:
        if prefix:  # which would complain itself, to the solver's stderr
            _check(program, order.cwd, environment)
        return subprocess.Popen(
            [*prefix, *order.command],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=order.cwd,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        where = order.cwd if order.cwd is not None and not order.cwd.is_dir() else program
        advice = _advice(error, _path(program, order.cwd))
        raise SolverError(f"cannot start {where}: {error.strerror}; {advice}") from error


def _advice(error: OSError, path: Path) -> str:
    if seen := fault(path):
        return f"it {seen}"
    if error.errno == errno.ENOEXEC:
        return "it is made for another machine, or damaged"
    return "check that it exists, may be executed and is made for this machine"


def _path(program: str, cwd: Path | None) -> Path:
    """Where a program is that is named by its path, seen from the folder in which it starts."""
    return (cwd or Path()).absolute() / program


def _check(program: str, cwd: Path | None, environment: Mapping[str, str]) -> None:
    """Raise OSError if there is no such program, or only a file that a shell would take for a script."""
    if "/" in program:
        program = str(_path(program, cwd))
    path = shutil.which(program, path=environment.get("PATH", os.defpath))
    if path is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    with suppress(PermissionError), Path(path).open("rb") as file:
        if file.read(2) not in (b"#!", b"\x7fE"):
            raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC))


def _buffered(line_buffer: LineBuffer) -> list[str]:
    """The program in front of the command that sees to its buffer."""
    if line_buffer != "stdbuf":
        return []
    program = shutil.which("stdbuf")
    if program is None:
        raise UsageError("there is no stdbuf on this machine: install coreutils, or use line_buffer pty")
    return [program, "-oL"]


def _channel(*, terminal: bool) -> tuple[FileIO, FileIO]:
    """Two ends: what is written to the second can be read from the first, without blocking."""
    source, sink = os.openpty() if terminal else os.pipe()
    if terminal:
        _make_raw(sink)
    os.set_blocking(source, False)
    out, into = FileIO(source, "rb"), FileIO(sink, "wb")
    widen(out)
    return out, into


def _make_raw(terminal: int) -> None:
    """Bytes pass as they are."""
    modes = termios.tcgetattr(terminal)
    modes[1] &= ~termios.OPOST
    modes[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
    termios.tcsetattr(terminal, termios.TCSANOW, modes)


def backstops(pid: int, limits: Limits) -> None:
    """Set the kernel's own limits on a process and what it starts from now on."""
    _limit(pid, resource.RLIMIT_CORE, 0, 0)
    cores = len(limits.cores or ()) or os.cpu_count() or 1
    cpu_s = limits.cpu_s or (limits.wall_s or math.inf) * cores
    if cpu_s < math.inf:
        seconds = math.ceil(cpu_s + limits.grace_s) + 5
        _limit(pid, resource.RLIMIT_CPU, seconds, seconds + 5)
    if limits.output_mib is not None:
        size = int(limits.output_mib + OUTPUT_MIB + FILE_MIB) << 20
        _limit(pid, resource.RLIMIT_FSIZE, size, size)


def _limit(pid: int, what: int, soft: int, hard: int) -> None:
    """Set a limit of the kernel unless a stricter one is in force, or the process is gone."""
    with suppress(OSError, ValueError, OverflowError):
        resource.prlimit(pid, what, (soft, hard))


@contextmanager
def _pinned(cores: frozenset[int] | None) -> Iterator[None]:
    """What this thread starts meanwhile runs on these cores only."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, cores)
    except (OSError, ValueError) as error:
        raise UsageError(f"cores {sorted(cores)}: this process may use {sorted(before)}") from error
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
