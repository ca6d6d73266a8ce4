"""What is kept of a run: how it ended, under which limits, on which machine, and when costs came.

A record says nothing of what is true, and of what the solver claims only the costs it named and when: its
output is the log, and the verdict on that is made, as often as wanted, by `wcnfgen.verdict`.  It is one JSON
file, written once, with units in the names of its fields.

Times of a trace are those at which lines could be read.  A solver that prints in blocks of 4 KiB, or a script
that prints a file at the end, makes them all the end of the run: such a trace is marked as not live.
"""

from __future__ import annotations

import json
import os
import platform
import signal
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from wcnfgen.drivers import Limits, Run
from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, open_read

AT_ONCE_S = 0.05  # costs that come within it at the end of a run came at the same moment
Trace = tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where a run was: model of its CPU, number of cores, memory, kernel and Python."""

    cpu: str
    cores: int
    memory_mib: int
    kernel: str
    python: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run of a solver on an instance.

    wcnfgen   our version
    instance  its file name, and instance_sha256 of the file as it is on disk
    changes   what was done to it because the solver would not have taken it as it is
    solver    its name, or path; version what it says of itself, empty if nothing
    driver    what ran it
    limits    see `wcnfgen.drivers`, as is run
    trace     (seconds since the start, cost) for each improvement claimed
    live      whether these times say anything
    model_s   the seconds at which the last model was whole; None: there was none
    """

    wcnfgen: str
    instance: str
    instance_sha256: str
    changes: tuple[str, ...]
    solver: str
    version: str
    driver: str
    limits: Limits
    run: Run
    trace: Trace
    live: bool
    machine: Machine
    model_s: float | None = None

    @property
    def ended(self) -> str:
        """How it ended, in a word or two: the limit before all else, since what follows it is our doing."""
        return ended(self.run)


def ended(run: Run) -> str:
    """How a run ended: ``wall limit``, ``exit 30`` or ``SIGSEGV``; a crash after our SIGTERM is the limit."""
    if run.limit is not None:
        return "interrupted" if run.limit == "interrupt" else f"{run.limit} limit"
    if run.exit_code >= 0:
        return f"exit {run.exit_code}"
    try:
        return signal.Signals(-run.exit_code).name
    except ValueError:  # a real-time signal
        return f"signal {-run.exit_code}"


def is_live(trace: Trace, wall_s: float) -> bool:
    """Whether the times of a trace say when the costs were found.

    Not if several came at the same moment, the end, unless the whole run was but a moment.

    >>> is_live(((9.98, 5), (9.98, 3)), 10.0), is_live(((1.0, 5), (9.98, 3)), 10.0)
    (False, True)
    """
    if len(trace) < 2 or wall_s <= 10 * AT_ONCE_S:
        return True
    return trace[0][0] < min(wall_s, trace[-1][0]) - AT_ONCE_S


def machine() -> Machine:
    """This one."""
    names = (
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        if line.startswith(("model name", "Model", "cpu model"))
    )
    return Machine(
        cpu=next(names, platform.machine()),
        cores=os.cpu_count() or 1,
        memory_mib=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
    )


def write(record: Record, target: Path) -> None:
    """Write a record, whole or not at all."""
    with atomic(target) as out:
        out.write(json.dumps(asdict(record), indent=1, default=_plain).encode() + b"\n")


def _plain(value: object) -> object:
    """Paths as texts, sets as lists."""
    return sorted(value) if isinstance(value, frozenset) else str(value)


def read(source: str | os.PathLike[str]) -> Record:
    """Read a record.  Raises FormatError if it is none, or of another version of ours."""
    with open_read(source) as stream:
        return parse(stream.read(), os.fspath(source))


def parse(text: bytes, name: str) -> Record:
    """The record of a file of that name.  Raises FormatError as `read` does."""
    try:
        return _record(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"{name}: not a record of a run: {error}") from error


def _record(found: dict[str, Any]) -> Record:
    limits, run = found["limits"], found["run"]
    cores = limits["cores"]
    return Record(
        **{"model_s": None, **{name.name: found[name.name] for name in fields(Record) if name.name in found}}
        | {
            "changes": tuple(found["changes"]),
            "limits": Limits(**limits | {"cores": None if cores is None else frozenset(cores)}),
            "run": Run(**run | {"command": tuple(run["command"]), **_paths(run)}),
            "trace": tuple((float(seconds), int(cost)) for seconds, cost in found["trace"]),
            "machine": Machine(**found["machine"]),
        }
    )


def _paths(run: dict[str, Any]) -> dict[str, Path | None]:
    return {name: None if run[name] is None else Path(run[name]) for name in ("stdout", "stderr")}
