"""The contract of `wcnfgen.drivers`, for every driver."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from wcnfgen import drivers
from wcnfgen.drivers import Driver, Limits, Run
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.output import parse

FAKE = Path(__file__).parents[1] / "scripts" / "fake_solver.py"
ROOT = Path(__file__).parents[2]
MARGIN_S = 1.0  # for a loaded machine
MODEL = (b"1 -2 3 0",)


class Bench:
    """Runs fake solvers with one driver and looks for what they leave behind."""

    def __init__(self, driver: Driver, folder: Path) -> None:
        self.driver = driver
        self.folder = folder
        self.mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"

    def fake(self, behaviour: str) -> tuple[str, ...]:
        return (sys.executable, "-S", str(FAKE), behaviour, self.mark)

    def shell(self, script: str, behaviour: str) -> tuple[str, ...]:
        """A bash script in which SOLVER stands for the fake solver."""
        return ("bash", "-c", script.replace("SOLVER", shlex.join(self.fake(behaviour))), self.mark)

    def run(self, command: tuple[str, ...], limits: Limits | None = None, **options: Any) -> Run:
        limits = limits or Limits(wall_s=20)
        began = time.monotonic()
        run = self.driver(command, limits, stdout=self.stdout, stderr=self.folder / "err", **options)
        elapsed = time.monotonic() - began
        if run.limit is not None:
            assert elapsed < (limits.wall_s or 0) + limits.grace_s + MARGIN_S
        assert self.left() == []
        return run

    @property
    def stdout(self) -> Path:
        return self.folder / "out"

    def output(self) -> bytes:
        return self.stdout.read_bytes()

    def model(self) -> tuple[bytes, ...] | None:
        model = parse(self.output().splitlines(keepends=True)).model
        return model.lines if model else None

    def left(self) -> list[psutil.Process]:
        """Processes of the run, and zombies of ours."""
        marked = [p for p in psutil.process_iter(["cmdline"]) if self.mark in (p.info["cmdline"] or ())]
        zombies = [p for p in psutil.Process().children() if p.status() == psutil.STATUS_ZOMBIE]
        return marked + zombies


@pytest.fixture(params=drivers.names())
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(drivers.get(request.param), tmp_path)
    yield bench
    for process in bench.left():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


SHORT = Limits(wall_s=0.25, grace_s=0.6)


class TestARunEndsAtItsLimitAndNoProcessIsLeft:
    """`Bench.run` checks both each time."""

    @pytest.mark.parametrize("behaviour", ["sleep", "anytime", "deaf", "burn", "family", "helper", "crash"])
    def test_at_the_wall_limit(self, bench: Bench, behaviour: str) -> None:
        run = bench.run(bench.fake(behaviour), SHORT)
        assert run.limit == "wall"
        assert run.signalled_s == pytest.approx(0.25, abs=0.3)

    def test_a_deaf_one_is_killed_after_the_grace(self, bench: Bench) -> None:
        run = bench.run(bench.fake("deaf"), SHORT)
        assert (run.exit_code, run.killed) == (-signal.SIGKILL, True)
        assert run.wall_s == pytest.approx(0.85, abs=0.4)
        assert bench.output() == b"o 7\n"

    def test_without_grace(self, bench: Bench) -> None:
        run = bench.run(bench.fake("deaf"), Limits(wall_s=0.3, grace_s=0))
        assert (run.limit, run.exit_code) == ("wall", -signal.SIGKILL)

    @pytest.mark.parametrize("behaviour", ["burn", "short_children"])
    def test_at_the_cpu_limit(self, bench: Bench, behaviour: str) -> None:
        run = bench.run(bench.fake(behaviour), Limits(wall_s=20, cpu_s=0.3, grace_s=0.8))
        assert run.limit == "cpu"
        assert 0.3 <= run.cpu_s < 0.3 + MARGIN_S
        assert bench.model() == MODEL

    def test_at_the_memory_limit(self, bench: Bench) -> None:
        run = bench.run(bench.fake("eat"), Limits(wall_s=20, memory_mib=100, grace_s=0.8))
        assert run.limit == "memory"
        assert 100 <= run.peak_mib < 250
        assert bench.model() == MODEL

    def test_what_a_run_leaves_behind_is_killed(self, bench: Bench) -> None:
        run = bench.run(bench.fake("leave_behind"))
        assert (run.limit, run.exit_code, run.killed) == (None, 3, True)


class TestTheModelPrintedOnSigtermIsInTheLog:
    """Whatever the solver is wrapped in."""

    @pytest.mark.parametrize("behaviour", ["anytime", "late", "burn", "impatient", "helper", "nested"])
    def test_of_a_plain_solver(self, bench: Bench, behaviour: str) -> None:
        run = bench.run(bench.fake(behaviour), SHORT)
        assert bench.model() == MODEL
        assert run.exit_code in (40, 0)

    @pytest.mark.parametrize(
        "script",
        [
            "SOLVER; exit $?",
            "exec SOLVER",
            "timeout 50 SOLVER; exit $?",
            "SOLVER > copy; cat copy; rm copy",
            "timeout 50 SOLVER > copy; cat copy",
            "bash -c 'SOLVER; true' > copy; sleep 0.05; cat copy",
            "SOLVER | cat",
            "yes | SOLVER",
            "SOLVER > >(cat)",
            "(setsid SOLVER &); sleep 50",
        ],
    )
    def test_of_a_wrapped_one(self, bench: Bench, script: str) -> None:
        limits = Limits(wall_s=0.3, grace_s=2)
        bench.run(bench.shell(script, "late"), limits, cwd=bench.folder)
        assert bench.model() == MODEL

    def test_when_this_process_is_interrupted(self, bench: Bench) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before = signal.getsignal(number)
            threading.Timer(0.3, os.kill, (os.getpid(), number)).start()
            run = bench.run(bench.fake("late"), Limits(wall_s=20, grace_s=1))
            assert (run.limit, run.exit_code) == ("interrupt", 40)
            assert bench.model() == MODEL
            assert signal.getsignal(number) == before

    def test_a_second_interrupt_cuts_the_grace_short(self, bench: Bench) -> None:
        for seconds in (0.2, 0.5):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
        run = bench.run(bench.fake("deaf"), Limits(grace_s=9))
        assert (run.limit, run.exit_code) == ("interrupt", -signal.SIGKILL)
        assert run.wall_s < 3

    def test_when_the_driver_is_killed(self, bench: Bench) -> None:
        program = (
            "import sys; from pathlib import Path; from wcnfgen import drivers;"
            "drivers.get('local')(sys.argv[2:], stdout=Path(sys.argv[1]), stderr=Path('/dev/null'))"
        )
        command = [sys.executable, "-c", program, str(bench.stdout), *bench.fake("anytime")]
        with subprocess.Popen(command, cwd=ROOT) as process:
            deadline = time.monotonic() + 10
            while not (bench.stdout.exists() and bench.output()) and time.monotonic() < deadline:
                time.sleep(0.01)
            process.kill()
        assert bench.output() == b"o 7\n"


class TestTheEndIsReportedAsItWas:
    @pytest.mark.parametrize("code", [0, 1, 10, 20, 30, 40, 255])
    def test_exit_code(self, bench: Bench, code: int) -> None:
        run = bench.run(("bash", "-c", f"exit {code}"))
        assert (run.exit_code, run.limit, run.signalled_s, run.killed) == (code, None, None, False)

    @pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM])
    def test_signal(self, bench: Bench, number: signal.Signals) -> None:
        run = bench.run(("bash", "-c", f"kill -{number.value} $$"))
        assert (run.exit_code, run.limit) == (-number, None)

    def test_a_crash_after_our_sigterm_is_still_the_limit(self, bench: Bench) -> None:
        run = bench.run(bench.fake("crash"), SHORT)
        assert (run.exit_code, run.limit) == (-signal.SIGSEGV, "wall")

    def test_closed_output_is_not_the_end(self, bench: Bench) -> None:
        run = bench.run(bench.fake("closes"))
        assert (run.exit_code, run.limit) == (7, None)
        assert run.wall_s >= 0.3

    def test_shared_memory_counts_once(self, bench: Bench) -> None:
        run = bench.run(bench.fake("share"), Limits(wall_s=20, memory_mib=200))
        assert run.limit is None
        assert 80 < run.peak_mib < 200

    def test_the_command_and_the_files(self, bench: Bench) -> None:
        run = bench.run(("true",))
        assert run.command == ("true",)
        assert (run.stdout, run.stderr) == (bench.stdout, bench.folder / "err")

    @pytest.mark.parametrize("command", ["/no/such/program", "no-such-program", "/etc", str(FAKE)])
    def test_a_command_that_cannot_start(self, bench: Bench, command: str) -> None:
        with pytest.raises(SolverError, match="cannot start"):
            bench.run((command,))

    def test_a_folder_that_is_missing(self, bench: Bench) -> None:
        with pytest.raises(SolverError, match="/no/such/folder"):
            bench.run(("true",), cwd=Path("/no/such/folder"))


class TestOutputIsCopiedByteByByte:
    def test_without_a_last_line_end(self, bench: Bench) -> None:
        lines: list[bytes] = []
        bench.run(bench.fake("unfinished"), on_line=lambda seconds, line: lines.append(line))
        assert bench.output() == b"o 7\nv 1 -2 3 0"
        assert lines == [b"o 7\n", b"v 1 -2 3 0"]

    def test_a_flood(self, bench: Bench) -> None:
        times: list[float] = []
        lines: list[bytes] = []

        def note(seconds: float, line: bytes) -> None:
            times.append(seconds)
            lines.append(line)

        run = bench.run(bench.fake("flood"), on_line=note)
        assert run.exit_code == 0
        assert len(lines) == 100_000
        assert b"".join(lines) == bench.output()
        assert times == sorted(times)
        assert 0 <= times[0] <= times[-1] <= run.wall_s + 0.5

    def test_garbage(self, bench: Bench) -> None:
        bench.run(bench.fake("garbage"))
        assert bench.output() == bytes(range(256)) * 100
        assert (bench.folder / "err").read_bytes() == b"\xff\xfe\x00"

    def test_what_a_child_prints_after_the_end(self, bench: Bench) -> None:
        assert bench.run(bench.fake("last_words")).exit_code == 10
        assert bench.model() == MODEL

    def test_both_outputs_may_share_a_file(self, bench: Bench) -> None:
        bench.driver(("bash", "-c", "echo a; echo b >&2"), stdout=bench.stdout, stderr=bench.stdout)
        assert sorted(bench.output().split()) == [b"a", b"b"]

    def test_a_reader_that_fails_stops_the_run(self, bench: Bench) -> None:
        def fail(seconds: float, line: bytes) -> None:
            raise BrokenPipeError

        began = time.monotonic()
        with pytest.raises(BrokenPipeError):
            bench.run(bench.fake("anytime"), on_line=fail)
        assert time.monotonic() - began < 10
        assert bench.left() == []

    @pytest.mark.parametrize("path", ["/dev/full", "/no/such/folder/out", "/"])
    def test_a_log_that_cannot_be_written(self, bench: Bench, path: str) -> None:
        with pytest.raises(SolverError, match="cannot write"):
            bench.driver(bench.fake("anytime"), stdout=Path(path), stderr=bench.folder / "err")
        assert bench.left() == []


class TestTheSurroundingsAreUnderControl:
    def test_stdin_is_at_its_end(self, bench: Bench) -> None:
        bench.run(bench.fake("reads_stdin"))
        assert bench.output() == b"c 0 bytes\n"

    def test_environment(self, bench: Bench) -> None:
        bench.run(("/usr/bin/env",), env={"A": "b"})
        lines = bench.output().decode().splitlines()
        assert [line for line in lines if not line.startswith("WCNFGEN_")] == ["A=b"]

    def test_working_directory(self, bench: Bench) -> None:
        bench.run(("pwd", "-P"), cwd=bench.folder)
        assert bench.output().decode().strip() == str(bench.folder.resolve())

    def test_cores(self, bench: Bench) -> None:
        before = os.sched_getaffinity(0)
        core = max(before)
        bench.run(bench.fake("cores"), Limits(wall_s=20, cores=frozenset({core})))
        assert bench.output().decode() == f"[{core}]\n"
        assert os.sched_getaffinity(0) == before

    def test_cores_that_do_not_exist(self, bench: Bench) -> None:
        with pytest.raises(UsageError, match="cores"):
            bench.run(("true",), Limits(cores=frozenset({100_000})))

    def test_other_children_of_this_process_live_on(self, bench: Bench) -> None:
        others = [subprocess.Popen(["sleep", "30"])]
        start: Callable[[], None] = lambda: others.append(subprocess.Popen(["sleep", "30"]))  # noqa: E731
        threading.Timer(0.1, start).start()
        bench.run(bench.fake("anytime"), SHORT)
        assert [other.poll() for other in others] == [None, None]
        for other in others:
            other.kill()
            other.wait()

    def test_in_a_thread(self, bench: Bench) -> None:
        runs: list[Run] = []
        thread = threading.Thread(target=lambda: runs.append(bench.run(bench.fake("anytime"), SHORT)))
        thread.start()
        thread.join(10)
        assert [run.limit for run in runs] == ["wall"]


def test_limits_are_positive() -> None:
    wrong: list[Callable[[], Limits]] = [
        lambda: Limits(wall_s=0),
        lambda: Limits(cpu_s=-1),
        lambda: Limits(memory_mib=float("nan")),
        lambda: Limits(grace_s=-1),
    ]
    for limits in wrong:
        with pytest.raises(UsageError, match="give a"):
            limits()


def test_an_unknown_driver() -> None:
    with pytest.raises(UsageError, match="local"):
        drivers.get("_processes")
