"""Drivers: one command under limits.

A driver is a module of this folder with a function ``run`` of the form `Driver` and a function
``unavailable`` that says why it cannot be used on this machine, or None; its file name is its name.
A leading underscore hides a module.  Drivers know processes and nothing of MaxSAT.

The contract, the same for every driver and held by ``tests/conformance/test_drivers.py``:

* The command is run as given, without a shell, stdin at end of file.  ``env`` replaces the
  environment; a driver may add variables that start with ``WCNFGEN_``.
* A run is the command and all that it starts, whatever process groups or sessions they make.
  It ends when the command itself ends; what it leaves behind gets half a second to finish writing
  to the command's output, then is killed.  After the call no process of the run is left; nor is one
  a moment after the driver itself was killed, with SIGKILL even.
* Limits cover all processes together.  At a limit, the leaves of the process tree get SIGTERM (a
  solver then prints its best model; a wrapper script passes it on); what has not been told yet gets
  its own SIGTERM level by level, one level each min(1 s, grace/4), but for half of the grace not before
  those that come first have ended or become idle.  Output is read on.  After
  ``grace_s`` everything left gets SIGKILL.
* SIGINT, SIGTERM or SIGHUP to the caller's process stop the run in the same way: it is recorded
  with ``limit="interrupt"`` and its output is kept.  A second signal cuts the grace short.
* Both outputs go byte by byte, as they come, to the two files (None: nowhere); what was written by
  the time the driver itself is killed stays there.  Names that end in ``.gz`` are compressed; of
  these the driver's death costs the end mark, and at most what came in the last half second.
* ``on_text`` gets the lines of stdout with their line ends (the very last may have none), as many at a
  time as one read completed, and when that was, in seconds since the start.  Lines over `LINE_BYTES`
  only go to the file, so memory is bounded whatever the command prints.
* A program of the C library prints through a pipe in blocks of 4 KiB, so all its lines may come at
  the end, or never.  ``line_buffer`` makes it print line by line: ``stdbuf`` changes its library (if
  it is linked dynamically; two variables of the environment say so), ``pty`` gives it a terminal for
  stdout (where some programs print colours).
* A run that failed is a `Run`; one that never was raises SolverError.  A file that cannot be
  written, or ``on_text`` raising, stops the run at once (SIGKILL) and raises.

New fields may be added to `Limits` and `Run`: name the fields, do not count on their order.
"""

from __future__ import annotations

import math
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol, cast

from wcnfgen.errors import UsageError

Limit = Literal["wall", "cpu", "memory", "output", "interrupt"]
LineBuffer = Literal["none", "stdbuf", "pty"]
OnText = Callable[[float, bytes], None]

LINE_BYTES = 1 << 26  # a model of eight million signed literals fits
OUTPUT_MIB = 256.0  # beyond its limit, for the model: then the run is killed


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may use; None is no limit.

    memory_mib is the resident memory of all processes, shared pages counted once.  It is a soft limit:
    the solver is told and keeps its model.  memory_hard_mib is the one at which the run is killed at
    once; by default 5 % beyond the soft one, at least 64 MiB.  output_mib is for stdout and stderr
    together.  cores are the numbers of the CPUs that the run is pinned to.

    Raises UsageError for a limit that is not positive, or a hard one below the soft one.
    """

    wall_s: float | None = None
    cpu_s: float | None = None
    memory_mib: float | None = None
    memory_hard_mib: float | None = None
    output_mib: float | None = None
    grace_s: float = 5.0
    cores: frozenset[int] | None = None

    def __post_init__(self) -> None:
        for name in ("wall_s", "cpu_s", "memory_mib", "memory_hard_mib", "output_mib"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"the limit {name} is {value}: give a positive number, or none")
        if not 0 <= self.grace_s < math.inf:
            raise UsageError(f"the grace is {self.grace_s} s: give a number of seconds, 0 or more")
        if self.hard_mib < (self.memory_mib or 0):
            raise UsageError(f"the limit memory_hard_mib is {self.hard_mib}: give at least memory_mib")

    @property
    def hard_mib(self) -> float:
        """The memory at which a run is killed without grace; infinite where there is no limit.

        >>> Limits(memory_mib=1000).hard_mib, Limits(memory_mib=2000).hard_mib, Limits().hard_mib
        (1064.0, 2100.0, inf)
        """
        if self.memory_hard_mib is not None:
            return self.memory_hard_mib
        return math.inf if self.memory_mib is None else max(1.05 * self.memory_mib, self.memory_mib + 64.0)


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a run ended and what it used.

    exit_code     of the command itself; negative: the signal that ended it
    limit         the limit that ended the run; None: it ended by itself
    wall_s        from the start to the end of the command
    cpu_s         user and system time of all processes, including those that ended before
    peak_mib      peak resident memory, as sampled or as the kernel counted it
    signalled_s   when the first SIGTERM was sent; None: never
    killed        whether SIGKILL was needed, for the command or for something it left behind
    output_bytes  what came on stdout and stderr
    threads       most threads at a time, of all processes, as sampled; None: not measured
    """

    command: tuple[str, ...]
    exit_code: int
    limit: Limit | None
    wall_s: float
    cpu_s: float
    peak_mib: float
    signalled_s: float | None
    killed: bool
    output_bytes: int
    stdout: Path | None
    stderr: Path | None
    threads: int | None = None


class Driver(Protocol):
    """The function ``run`` of a driver; see the contract above.

    Raises SolverError if the command cannot start or an output file cannot be written, UsageError if
    there are no such cores, or no stdbuf.
    """

    def __call__(
        self,
        command: Sequence[str],
        limits: Limits = NO_LIMITS,
        *,
        stdout: Path | None,
        stderr: Path | None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        line_buffer: LineBuffer = "none",
        on_text: OnText = ...,
    ) -> Run:
        """Run the command to its end or to a limit."""
        ...


def ignore(seconds: float, text: bytes) -> None:
    """Do nothing with a text."""


def names() -> tuple[str, ...]:
    """The drivers of this folder.

    >>> "local" in names()
    True
    """
    return tuple(sorted(name for _, name, _ in pkgutil.iter_modules(__path__) if not name.startswith("_")))


def available() -> tuple[str, ...]:
    """Those that can be used on this machine."""
    return tuple(name for name in names() if unavailable(name) is None)


def unavailable(name: str) -> str | None:
    """Why the driver of that name cannot be used on this machine; None if it can."""
    return cast("str | None", import_module(f"{__name__}.{name}").unavailable())


def get(name: str) -> Driver:
    """The driver of that name.

    Raises UsageError if there is none, or if it cannot be used on this machine.
    """
    if name not in names():
        raise UsageError(f"no driver {name!r}; there is {', '.join(names())}")
    if (reason := unavailable(name)) is not None:
        raise UsageError(f"the driver {name} cannot be used here: {reason}")
    return cast(Driver, import_module(f"{__name__}.{name}").run)
