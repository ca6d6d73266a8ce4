"""Runs of a benchmark: each in a child process, in CPU seconds, under a limit, one line in a results file.

What has a line there is not run again, so that a long benchmark can be stopped and go on.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

Emit = Callable[..., None]  # a name and a value that JSON can hold
Key = tuple[str, int, str]  # set, seed, method


@dataclass
class Run:
    """What one child did: events are (CPU seconds, name, value); all seconds count from its start."""

    set: str
    seed: int
    method: str
    limit: int
    seconds: float = 0.0
    finished: bool = False
    events: list[tuple[float, str, Any]] = field(default_factory=list)

    def last(self, name: str) -> tuple[float, Any] | None:
        """When the last event of that name came, and its value."""
        return next(((at, value) for at, what, value in reversed(self.events) if what == name), None)


@dataclass(frozen=True)
class Figure:
    """A median, and whether it is only a lower bound; not a number where there is none."""

    value: float = math.nan
    bound: bool = False

    def __str__(self) -> str:
        mark = ">" if self.bound else ""
        return "-" if math.isnan(self.value) else f"{mark}{self.value:.{1 if self.value >= 10 else 2}f}"


def middle(values: Iterable[tuple[float, bool]]) -> Figure:
    """The median of figures; a bound if one of the middle ones is."""
    ordered = sorted(values)
    if not ordered:
        return Figure()
    inner = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    return Figure(median(value for value, _ in ordered), any(bound for _, bound in inner))


def table(title: str, names: list[str], columns: dict[str, Callable[[str], object]]) -> None:
    """One line for each set that has a figure."""
    print(f"\n{title}\n\n| set | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for name in names:
        cells = [str(column(name)) for column in columns.values()]
        if set(cells) - {"-", ""}:
            print(f"| {name} | {' | '.join(cells)} |")


class Results:
    """The runs of a file, new ones appended to it."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path, self.limit = path, limit
        lines = path.read_text().splitlines() if path.exists() else []
        found = (Run(**json.loads(line)) for line in lines)
        self.runs: dict[Key, Run] = {(run.set, run.seed, run.method): run for run in found}

    def measure(self, key: Key, work: Callable[[Emit], object]) -> None:
        """Do the work, unless it has been done."""
        if key in self.runs:
            return
        run = self.runs[key] = measured(Run(*key, self.limit), work)
        with self.path.open("a") as out:
            out.write(json.dumps(asdict(run)) + "\n")
        print(*key, f"{run.seconds:.2f}", "" if run.finished else "limit", file=sys.stderr, flush=True)

    def seeds(self, name: str, *methods: str) -> set[int]:
        """The seeds for which all these methods have run."""
        return set.intersection(*({s for n, s, m in self.runs if (n, m) == (name, each)} for each in methods))

    def of(self, name: str, method: str, *beside: str) -> list[Run]:
        """One run for each seed for which the other methods have run too."""
        return [self.runs[name, seed, method] for seed in sorted(self.seeds(name, method, *beside))]

    def seconds(self, name: str, method: str, *beside: str) -> Figure:
        """The median; a run that hit the limit counts as the limit."""
        return middle((run.seconds, not run.finished) for run in self.of(name, method, *beside))


def measured(run: Run, work: Callable[[Emit], object]) -> Run:
    """Do the work in a child that the kernel ends at the limit, and listen to it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (run.limit, run.limit + 1))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        _child(work, writing)
    os.close(writing)
    with os.fdopen(reading) as lines:
        run.events = [tuple(json.loads(line)) for line in lines]
    status = os.waitpid(child, 0)[1]
    end = run.last("end")
    if end is None and not os.WIFSIGNALED(status):
        raise SystemExit(f"{run.set}, seed {run.seed}, {run.method}: failed")
    run.finished, run.seconds = end is not None, end[0] if end else float(run.limit)
    return run


def _child(work: Callable[[Emit], object], writing: int) -> None:
    """Never returns."""

    def emit(name: str, value: Any = None) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        os.write(writing, (json.dumps((usage.ru_utime + usage.ru_stime, name, value)) + "\n").encode())

    gc.disable()  # a formula is many lists and no garbage
    code = 1
    try:
        work(emit)
        emit("end")
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)
