"""How well drivers keep limits, and what they cost, beside programs that others wrote for that.

    python -m tests.bench.drivers [--quick] [--rows overhead,obey] [--solver-binary PATH ...]

One run measures everything, so that the figures are of one machine in one state: our drivers, all that can be
used here, and as peers bare `subprocess` and what is installed of coreutils `timeout`, `runsolver` and
BenchExec's `runexec`.  `runners` says how they are run and how a run is seen from outside.

Figures are medians, with the worst in brackets.  The last column is what the best peer needs, divided by what
`local` needs: above 1 `local` is better.  The models of real solvers are counted for those named, by default
for those that come from package registries and are installed.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from tests.bench.runners import (
    BARE,
    BURN,
    CAT,
    DEAF,
    EAT,
    FAMILY,
    FLOOD,
    MEMBERS,
    NULL,
    OBEYS,
    PEERS,
    Ours,
    Runner,
    Skill,
    holders,
    ours,
    peers,
    python,
    trial,
)
from wcnfgen import solvers
from wcnfgen.drivers import Limits
from wcnfgen.launch import prepared
from wcnfgen.runs import Start
from wcnfgen.verdict import judge

REGISTRY = ("lms", "clingo", "uwrmaxsat-hermax", "cpsat")

# ---------------------------------------------------------------------------- what is measured


@dataclass(frozen=True)
class Size:
    """How often and how long; the peers get a fifth of the trials where one takes a second or more."""

    overheads: int = 100
    limits: int = 20
    memories: int = 5
    trees: int = 100
    kills: int = 20
    models: int = 50
    lines: int = 1_000_000
    floods: int = 3
    quiet_s: float = 10.0
    memory_mib: float = 2000.0
    limit_s: float = 1.0
    solvers: int = 100

    def of(self, trials: int, runner: Runner) -> range:
        """Numbers of the trials for a runner."""
        return range(trials if isinstance(runner, Ours) else max(1, trials // 5))


QUICK = Size(3, 1, 1, 1, 1, 1, 100_000, 1, 0.5, 300.0, 0.3, 1)


@dataclass(frozen=True)
class Cell:
    """A figure and how it is printed."""

    text: str
    value: float | None = None


Measure = Callable[[Runner, Size], Cell]


def spread(values: Iterable[float], digits: int = 1) -> Cell:
    """Median and worst."""
    found = list(values)
    return Cell(f"{median(found):.{digits}f} ({max(found):.{digits}f})", median(found))


def overheads(runners: Sequence[Runner], size: Size) -> dict[str, Cell]:
    """Milliseconds that a run of /bin/true takes longer than with bare subprocess; interleaved."""
    taken: dict[str, list[float]] = {runner.name: [] for runner in (BARE, *runners)}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(size.overheads):
            for runner in (BARE, *runners):
                began = time.perf_counter()
                runner.run(["/bin/true"], Limits(wall_s=60, grace_s=1), Path(name), buffer="none")
                taken[runner.name].append(1000 * (time.perf_counter() - began))
    bare = median(taken.pop(BARE.name))
    cells = {name: Cell(f"{median(times) - bare:.1f}", median(times) - bare) for name, times in taken.items()}
    return {**cells, BARE.name: Cell(f"{bare:.1f} in all")}


def obeying(runner: Runner, size: Size) -> Cell:
    """Milliseconds that a solver that dies of SIGTERM lives beyond the wall limit."""
    limits = Limits(wall_s=size.limit_s, grace_s=1)
    runs = (trial(runner, OBEYS, limits).lasted_s for _ in size.of(size.limits, runner))
    return spread(1000 * (lasted - size.limit_s) for lasted in runs)


def deaf(runner: Runner, size: Size) -> Cell:
    """Milliseconds that one that ignores SIGTERM lives beyond the grace; where there is none, the limit."""
    limits = Limits(wall_s=size.limit_s, grace_s=size.limit_s)
    allowed = size.limit_s * (1 + ("grace" in runner.skills))
    runs = (trial(runner, DEAF, limits).lasted_s for _ in size.of(size.limits, runner))
    return spread(1000 * (lasted - allowed) for lasted in runs)


def burning(runner: Runner, size: Size) -> Cell:
    """CPU seconds beyond the limit, as the solver sees them when it gets SIGTERM."""
    limits = Limits(cpu_s=size.limit_s, wall_s=30, grace_s=2)
    used = (float(trial(runner, python(BURN), limits).text) for _ in size.of(size.limits, runner))
    return spread((seconds - size.limit_s for seconds in used), 3)


def eating(runner: Runner, size: Size) -> Cell:
    """Percent of memory beyond the hard limit, and how fast it grew."""
    limits = Limits(memory_mib=size.memory_mib, wall_s=60, grace_s=5 if isinstance(runner, Ours) else 0)
    runs = [trial(runner, python(EAT), limits) for _ in range(size.memories)]
    speeds = (len(run.text) * 2**20 / 1e9 / (run.signs[-1][0] - run.signs[0][0]) for run in runs)
    cell = spread(100 * (len(run.text) / limits.hard_mib - 1) for run in runs)
    return Cell(f"{cell.text} at {min(speeds):.2f} GB/s", cell.value)


def idle_s(runner: Runner) -> float:
    """CPU seconds of a runner that go into starting and ending."""
    return median(trial(runner, ["sh", "-c", 'echo > "$0"']).cpu_s or 0 for _ in range(3))


def quiet(runner: Runner, size: Size) -> Cell:
    """Percent of a core that a runner uses while its solver sleeps."""
    limits = Limits(wall_s=size.quiet_s, cpu_s=60, memory_mib=8000, grace_s=1)
    used = (trial(runner, OBEYS, limits).cpu_s or 0) - idle_s(runner)
    share = 100 * max(0.0, used) / size.quiet_s
    return Cell(f"{share:.2f}", share)


def flooded(runner: Runner, size: Size, rate: float) -> tuple[float, float]:
    """Lines a second that a solver prints, and the percent of a core that the runner uses meanwhile."""
    program, limits = python(FLOOD, size.lines, rate), Limits(wall_s=600, grace_s=1)
    base_s, speeds, shares = idle_s(runner), [], []
    for _ in range(size.floods):
        run = trial(runner, program, limits)
        seconds, own_s = map(float, run.text.split())
        speeds.append(size.lines / seconds)
        shares.append(100 * ((run.cpu_s or 0) - own_s - base_s) / seconds)
    return median(speeds), median(shares)


def steady(runner: Runner, size: Size, rate: float = 3e5) -> Cell:
    """Lines a second of a solver that would print so many, and the runner's own CPU."""
    speed, share = flooded(runner, size, rate)
    return Cell(f"{speed:,.0f}, {max(0, share):.0f} % CPU", speed)


def unbound(runner: Runner, size: Size) -> Cell:
    """Lines a second of a solver that prints as fast as it can."""
    return steady(runner, size, float("inf"))


def whole(pid: int, fifo: Path) -> None:
    """Wait until all of a family are there."""
    deadline = time.monotonic() + 5
    while len(holders(fifo, pid)) < MEMBERS and time.monotonic() < deadline:
        time.sleep(0.01)


def killed(pid: int, fifo: Path) -> None:
    """Kill a runner when all of a family are there."""
    whole(pid, fifo)
    os.kill(pid, signal.SIGKILL)


def surviving(runner: Runner, size: Size) -> Cell:
    """Processes of families that live on after a limit."""
    limits, trials = Limits(wall_s=0.5, grace_s=0.1), size.of(size.trees, runner)
    left = sum(len(trial(runner, FAMILY, limits, whole).left) for _ in trials)
    return Cell(f"{left} in {len(trials)}")


def orphaned(runner: Runner, size: Size) -> Cell:
    """The same after the runner has been killed."""
    trials = size.of(size.kills, runner)
    left = sum(len(trial(runner, FAMILY, Limits(wall_s=60), killed).left) for _ in trials)
    return Cell(f"{left} in {len(trials)}")


# ---------------------------------------------------------------------------- models of real solvers


def instance(folder: Path) -> Path:
    """Random: 300 variables, 900 hard clauses of three literals, 300 soft ones that want each false."""
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(900):
        signed = (1 + rng.choice(300, 3, replace=False)) * rng.choice((-1, 1), 3)
        lines.append(f"h {' '.join(map(str, signed))} 0\n")
    lines += [f"{rng.integers(1, 10)} {-variable} 0\n" for variable in range(1, 301)]
    path = folder / "random.wcnf"
    path.write_text("".join(lines))
    return path


def found(binary: str) -> tuple[str, str | None]:
    """The name of the descriptor for a binary, and the binary; a name alone needs none."""
    if "/" not in binary:
        return binary, None
    name = Path(binary).name
    return (name if name in solvers.names() else binary), binary


def kept(file: Path, solver: str, folder: Path) -> Measure:
    """A measure: in how many runs the model was kept, of those in which there was one."""
    name, binary = found(solver)
    descriptor = solvers.get(name)
    start = prepared(descriptor, name, file, folder, Limits(wall_s=2), binary)

    def measure(runner: Runner, size: Size) -> Cell:
        trials = range(size.models if runner.name == "local" else max(1, size.models // 5))
        ends = [_end(runner, start, file, descriptor.values, 1 + i / len(trials)) for i in trials]
        return Cell(f"{sum(good for _, good in ends)} of {sum(had for had, _ in ends)}")

    return measure


def _end(
    runner: Runner, start: Start, file: Path, values: solvers.Values, wall_s: float
) -> tuple[bool, bool]:
    """Whether a solver had a model at the limit, by its own words, and whether we have it, and it is one."""
    with tempfile.TemporaryDirectory() as name:
        limits = Limits(wall_s=wall_s, grace_s=3)
        runner.run(start.command, limits, Path(name), buffer=start.line_buffer)
        answer = runner.answer(Path(name))
    had = answer.model is not None or answer.cost is not None
    verdict = judge(file, answer, values=values).verdict
    return had, verdict.model == "whole" and verdict.falsified == 0


# ---------------------------------------------------------------------------- the table


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Who is measured needs the skill; piped says whether plain pipes are measured, too, and compared with.
    """

    title: str
    wanted: str
    measure: Measure
    skill: Skill = "wall"
    piped: bool = False

    def cells(self, runners: Sequence[Runner], size: Size) -> dict[str, Cell]:
        """By the names of the runners; under that of BARE a solver that prints into `cat`."""
        found = {runner.name: self.measure(runner, size) for runner in runners if self.skill in runner.skills}
        if self.piped:
            null, cat = self.measure(NULL, size), self.measure(CAT, size)
            found[BARE.name] = Cell(f"{null.value:,.0f} into /dev/null, {cat.value:,.0f} into cat", cat.value)
        return found


ROWS = {
    "obey": Row("wall overshoot, the solver obeys, ms", "20", obeying),
    "deaf": Row("wall overshoot after the grace, it is deaf, ms", "50", deaf),
    "cpu": Row("CPU overshoot, s", "0.2", burning, "cpu"),
    "memory": Row("memory beyond the hard limit, %", "10", eating, "memory"),
    "quiet": Row("own CPU while the solver sleeps, % of a core", "2", quiet),
    "steady": Row("lines/s of a solver that prints 300,000", "300,000", steady, piped=True),
    "unbound": Row("lines/s of a solver that prints all it can", "as cat", unbound, piped=True),
    "trees": Row("survivors of the limit", "0", surviving),
    "kills": Row("survivors of SIGKILL to the runner", "0", orphaned),
}


def ratio(cells: dict[str, Cell]) -> str:
    """How many times the figure of the best peer is that of `local`; with pipes, the other way round."""
    own, piped = cells["local"].value, cells.get(BARE.name, Cell("")).value
    if not own or own < 0:
        return ""
    if piped:
        return f"{own / piped:.2f} cat"
    figures = {name: cells[name].value or 0 for name in (peer.name for peer in PEERS) if name in cells}
    best = min(figures, key=figures.__getitem__, default="")
    return f"{figures[best] / own:.2f} {best}" if best and figures[best] > 0 else ""


class Table:
    """Prints each row when it is there."""

    def __init__(self, runners: Sequence[Runner]) -> None:
        self._names = [runner.name for runner in (*runners, BARE)]
        heads = ["", "wanted", *self._names, "ratio"]
        self._line(heads)
        self._line(["---", *["---:"] * (len(heads) - 1)])

    def add(self, title: str, wanted: str, cells: dict[str, Cell]) -> None:
        """A row."""
        figures = (cells[name].text if name in cells else "" for name in self._names)
        self._line([title, wanted, *figures, ratio(cells)])

    def _line(self, cells: Iterable[str]) -> None:
        print("|", " | ".join(cells), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ["overhead", *ROWS, "models"]
    parser.add_argument("--quick", action="store_true", help="a few trials, and of the peers only timeout")
    parser.add_argument("--rows", default=",".join(names), help="default: %(default)s")
    parser.add_argument("--solver-binary", action="append", default=[], metavar="PATH", help="for models")
    options = parser.parse_args()
    size, others = (QUICK, peers()[:1]) if options.quick else (Size(), peers())
    wanted, runners = options.rows.split(","), [*ours(), *others]
    table = Table(runners)
    if "overhead" in wanted:
        table.add("overhead of a run, ms", "15", overheads(runners, size))
    for name, row in ROWS.items():
        if name in wanted:
            table.add(row.title, row.wanted, row.cells(runners, size))
    if "models" in wanted:
        models(options.solver_binary or installed()[: size.solvers], runners, size, table)


def installed() -> list[str]:
    """The anytime solvers that come from package registries and are there."""
    return [name for name in REGISTRY if solvers.get(name).find()]


def models(names: Iterable[str], runners: Sequence[Runner], size: Size, table: Table) -> None:
    """A row for each solver."""
    with tempfile.TemporaryDirectory() as folder:
        file = instance(Path(folder))
        for name in names:
            measure = kept(file, name, Path(folder))
            cells = {runner.name: measure(runner, size) for runner in runners}
            table.add(f"models kept, {Path(name).name}", "all", cells)


if __name__ == "__main__":
    main()
