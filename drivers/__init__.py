"""Drivers: one command under limits.

A driver is a module of this folder with a function ``run`` of the form `Driver`; its file name is
its name.  A leading underscore hides a module.  Drivers know processes and nothing of MaxSAT.

The contract, the same for every driver and held by ``tests/conformance/test_drivers.py``:

* The command is run as given, without a shell, stdin at end of file.  ``env`` replaces the
  environment; a driver may add variables that start with ``WCNFGEN_``.
* A run is the command and all that it starts, whatever process groups or sessions they make.
  It ends when the command itself ends; what it leaves behind gets half a second to finish writing
  to the command's output, then is killed.  After the call no process of the run is left.
* Limits cover all processes together.  At a limit, the leaves of the process tree get SIGTERM (a
  solver then prints its best model; a wrapper script passes it on); what has not been told yet gets
  its own SIGTERM level by level, one level each min(1 s, grace/4).  Output is read on.  After
  ``grace_s`` everything left gets SIGKILL.
* SIGINT, SIGTERM or SIGHUP to the caller's process stop the run in the same way: it is recorded
  with ``limit="interrupt"`` and its output is kept.  A second signal cuts the grace short.
* Both outputs go byte by byte, as they come, to the two files; what was written by the time the
  driver itself is killed stays there.  ``on_line`` gets each line of stdout with its line end (the
  last line may have none) and the time it was read, in seconds since the start; lines over
  `LINE_BYTES` only go to the file.
* A run that failed is a `Run`; one that never was raises SolverError.  A file that cannot be
  written, or ``on_line`` raising, stops the run at once (SIGKILL) and raises.

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

Limit = Literal["wall", "cpu", "memory", "interrupt"]
OnLine = Callable[[float, bytes], None]

LINE_BYTES = 1 << 26  # a model of eight million signed literals fits


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may use; None is no limit.

    memory_mib is the resident memory of all processes, shared pages counted once; it is a soft limit
    (the solver is told and keeps its model); a run that grows 5 % and 64 MiB beyond it is killed at once.
    cores are the numbers of the CPUs that the run is pinned to.

    Raises UsageError for a limit that is not positive.
    """

    wall_s: float | None = None
    cpu_s: float | None = None
    memory_mib: float | None = None
    grace_s: float = 5.0
    cores: frozenset[int] | None = None

    def __post_init__(self) -> None:
        for name in ("wall_s", "cpu_s", "memory_mib"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"the limit {name} is {value}: give a positive number, or none")
        if not 0 <= self.grace_s < math.inf:
            raise UsageError(f"the grace is {self.grace_s} s: give a number of seconds, 0 or more")


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a run ended and what it used.

    exit_code     of the command itself; negative: the signal that ended it
    limit         the limit that ended the run; None: it ended by itself
    wall_s        from the start to the end of the command
    cpu_s         user and system time of all processes, including those that ended before
    peak_mib      peak resident memory, as sampled
    signalled_s   when the first SIGTERM was sent; None: never
    killed        whether SIGKILL was needed, for the command or for something it left behind
    """

    command: tuple[str, ...]
    exit_code: int
    limit: Limit | None
    wall_s: float
    cpu_s: float
    peak_mib: float
    signalled_s: float | None
    killed: bool
    stdout: Path
    stderr: Path


class Driver(Protocol):
    """The function ``run`` of a driver; see the contract above.

    Raises SolverError if the command cannot start or an output file cannot be written.
    """

    def __call__(
        self,
        command: Sequence[str],
        limits: Limits = NO_LIMITS,
        *,
        stdout: Path,
        stderr: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        on_line: OnLine = ...,
    ) -> Run:
        """Run the command to its end or to a limit."""
        ...


def ignore(seconds: float, line: bytes) -> None:
    """Do nothing with a line."""


def names() -> tuple[str, ...]:
    """The drivers of this folder.

    >>> names()
    ('local',)
    """
    return tuple(sorted(name for _, name, _ in pkgutil.iter_modules(__path__) if not name.startswith("_")))


def get(name: str) -> Driver:
    """The driver of that name.

    Raises UsageError if there is none.
    """
    if name not in names():
        raise UsageError(f"no driver {name!r}; there is {', '.join(names())}")
    return cast(Driver, import_module(f"{__name__}.{name}").run)
