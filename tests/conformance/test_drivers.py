"""The contract of `wcnfgen.drivers`, for every driver."""

from __future__ import annotations

import contextlib
import gzip
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from wcnfgen import drivers
from wcnfgen.drivers import Driver, Limits, LineBuffer, OnText, Run
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.output import parse

FAKE = Path(__file__).parents[1] / "scripts" / "fake_solver.py"
ROOT = Path(__file__).parents[2]
MARGIN_S = 1.0  # for a loaded machine
AROUND_S = {"runexec": 1.0}  # what a driver may need before and after the time that it measures
MODEL = (b"1 -2 3 0",)
DRIVE = """
import resource, sys
from pathlib import Path
from wcnfgen import drivers

def use():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])

run, stdout, sizes = drivers.get(sys.argv[1]), Path(sys.argv[2]), []
run(["true"], stdout=None, stderr=None)
before = use()
run(sys.argv[3:], stdout=stdout, stderr=None, on_text=lambda seconds, text: sizes.append(len(text)))
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0], use() - before)
"""


class Bench:
    """Runs fake solvers with one driver and looks for what they leave behind."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.driver: Driver = drivers.get(name)
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
            around_s = AROUND_S.get(self.name, 0.0)
            assert elapsed < (limits.wall_s or 0) + limits.grace_s + MARGIN_S + around_s
        assert self.left() == []
        return run

    def process(self, command: tuple[str, ...], stdout: Path) -> subprocess.Popen[bytes]:
        """The driver in a process of its own; in the end it prints its peak memory and its CPU time."""
        words = [sys.executable, "-c", DRIVE, self.name, str(stdout), *command]
        return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True)

    def cost(self, command: tuple[str, ...]) -> tuple[float, float]:
        """What a driver uses for itself: MiB, and seconds of CPU."""
        with self.process(command, self.stdout) as process:
            output, _ = process.communicate(timeout=60)
        peak_kib, cpu_s = output.split()
        return int(peak_kib) / 1024, float(cpu_s)

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
    if (reason := drivers.unavailable(request.param)) is not None:
        pytest.skip(f"{request.param}: {reason}")
    bench = Bench(request.param, tmp_path)
    yield bench
    for process in bench.left():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


SHORT = Limits(wall_s=0.25, grace_s=0.6)


def interrupt(number: signal.Signals, *delays: float) -> OnText:
    """Sends us the signal, once the solver has spoken first: so long after that."""
    pending = list(delays)

    def on_text(seconds: float, text: bytes) -> None:
        while pending:
            threading.Timer(pending.pop(), os.kill, (os.getpid(), number)).start()

    return on_text


class TestARunEndsAtItsLimitAndNoProcessIsLeft:
    """`Bench.run` checks both each time."""

    @pytest.mark.parametrize(
        "behaviour", ["sleep", "anytime", "deaf", "burn", "family", "scrubbed", "helper", "crash"]
    )
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

    def test_at_the_hard_memory_limit(self, bench: Bench) -> None:
        """At a gigabyte a second: who looks ten times a second finds 100 MiB more."""
        limits = Limits(wall_s=20, memory_mib=400, memory_hard_mib=500, grace_s=9)
        run = bench.run(bench.fake("gorge"), limits)
        assert (run.limit, run.exit_code) == ("memory", -signal.SIGKILL)
        assert 480 <= run.peak_mib < 650  # a kernel's limit is never passed
        assert run.signalled_s is not None
        assert run.wall_s - run.signalled_s < 3

    def test_a_hard_memory_limit_alone(self, bench: Bench) -> None:
        run = bench.run(bench.fake("eat"), Limits(wall_s=20, memory_hard_mib=100, grace_s=9))
        assert (run.limit, run.exit_code) == ("memory", -signal.SIGKILL)

    def test_at_the_output_limit(self, bench: Bench) -> None:
        run = bench.run(bench.fake("endless"), Limits(wall_s=20, output_mib=3, grace_s=5))
        assert (run.limit, run.exit_code) == ("output", 40)
        assert 3 <= run.output_bytes / (1 << 20) < 3 + drivers.OUTPUT_MIB
        assert run.output_bytes == len(bench.output())
        assert bench.model() == MODEL

    def test_at_the_hard_output_limit(self, bench: Bench) -> None:
        command = bench.shell("SOLVER >&2", "deaf_endless")
        run = bench.run(command, Limits(wall_s=20, output_mib=1, grace_s=19))
        assert run.limit == "output"
        assert 0 <= run.output_bytes / (1 << 20) - 1 - drivers.OUTPUT_MIB < 16

    def test_what_a_run_leaves_behind_is_killed(self, bench: Bench) -> None:
        run = bench.run(bench.fake("leave_behind"))
        assert (run.limit, run.exit_code, run.killed) == (None, 3, True)


class TestTheModelPrintedOnSigtermIsInTheLog:
    """Whatever the solver is wrapped in."""

    @pytest.mark.parametrize("behaviour", ["anytime", "late", "burn", "impatient", "helper", "nested"])
    def test_of_a_plain_solver(self, bench: Bench, behaviour: str) -> None:
        run = bench.run(bench.fake(behaviour), Limits(wall_s=0.5, grace_s=2))
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
            "echo p | xz > f; xz -dc f | SOLVER",
        ],
    )
    def test_of_a_wrapped_one(self, bench: Bench, script: str) -> None:
        limits = Limits(wall_s=0.3, grace_s=2)
        behaviour = "reads_and_waits" if "xz" in script else "late"
        bench.run(bench.shell(script, behaviour), limits, cwd=bench.folder)
        assert bench.model() == MODEL

    def test_even_if_who_reads_it_is_late(self, bench: Bench) -> None:
        """What is in the pipe when the run is killed is read."""
        texts: list[bytes] = []

        def late(seconds: float, text: bytes) -> None:
            texts.append(text)
            time.sleep(0.8 * (text == b"o 8\n"))

        run = bench.run(bench.fake("hesitant"), Limits(wall_s=0.5, grace_s=0.4), on_text=late)
        assert (run.limit, run.exit_code) == ("wall", -signal.SIGKILL)
        assert texts[0] == b"o 8\n"
        assert bench.model() == MODEL

    @pytest.mark.parametrize("script", ["SOLVER > copy; cat copy", "SOLVER | cat"])
    def test_of_a_wrapped_one_that_is_at_work_for_longer(self, bench: Bench, script: str) -> None:
        """The rest is told after a second, but not while the solver is busy."""
        bench.run(bench.shell(script, "thinks"), Limits(wall_s=0.3, grace_s=4), cwd=bench.folder)
        assert bench.model() == MODEL

    def test_when_this_process_is_interrupted(self, bench: Bench) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before = signal.getsignal(number)
            run = bench.run(bench.fake("late"), Limits(wall_s=20, grace_s=1), on_text=interrupt(number, 0.1))
            assert (run.limit, run.exit_code) == ("interrupt", 40)
            assert bench.model() == MODEL
            assert signal.getsignal(number) == before

    def test_a_second_interrupt_cuts_the_grace_short(self, bench: Bench) -> None:
        interrupts = interrupt(signal.SIGINT, 0.1, 0.4)
        run = bench.run(bench.fake("deaf"), Limits(wall_s=60, grace_s=9), on_text=interrupts)
        assert (run.limit, run.exit_code) == ("interrupt", -signal.SIGKILL)
        assert run.wall_s < 3


class TestADriverThatIsKilled:
    def kill(self, bench: Bench, command: tuple[str, ...], stdout: Path, shown: int = 1) -> None:
        """With SIGKILL to all of its process group, as soon as the log has grown to that size."""
        with bench.process(command, stdout) as process:
            deadline = time.monotonic() + 10
            while not (stdout.exists() and stdout.stat().st_size >= shown) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.6)
            os.killpg(process.pid, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while bench.left() and time.monotonic() < deadline:
            time.sleep(0.01)

    def test_leaves_the_output_that_was(self, bench: Bench) -> None:
        self.kill(bench, bench.fake("anytime"), bench.stdout)
        assert bench.output() == b"o 7\n"

    def test_leaves_it_in_a_packed_log_too(self, bench: Bench) -> None:
        log = bench.folder / "out.gz"
        self.kill(bench, bench.fake("anytime"), log, shown=20)
        assert zlib.decompressobj(wbits=31).decompress(log.read_bytes()) == b"o 7\n"

    @pytest.mark.parametrize("behaviour", ["deaf", "family", "scrubbed", "nested"])
    def test_leaves_no_process(self, bench: Bench, behaviour: str) -> None:
        self.kill(bench, bench.shell("echo begun; SOLVER", behaviour), bench.stdout)
        assert bench.left() == []


class TestTheEndIsReportedAsItWas:
    @pytest.mark.parametrize("code", [0, 1, 10, 20, 30, 40, 255])
    def test_exit_code(self, bench: Bench, code: int) -> None:
        run = bench.run(("bash", "-c", f"exit {code}"))
        assert (run.exit_code, run.limit, run.signalled_s, run.killed) == (code, None, None, False)

    @pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM])
    def test_signal(self, bench: Bench, number: signal.Signals) -> None:
        run = bench.run(("bash", "-c", f"kill -{number.value} $$"))
        assert (run.exit_code, run.limit) == (-number, None)

    def test_a_run_within_a_run(self, bench: Bench) -> None:
        """What the inner driver leaves, its guardian, ends by itself."""
        inner = (
            f"from wcnfgen import drivers; drivers.get({bench.name!r})(['true'], stdout=None, stderr=None)"
        )
        for _ in range(5):
            run = bench.run((sys.executable, "-c", inner), env={**os.environ, "PYTHONPATH": str(ROOT)})
            assert (run.exit_code, run.killed) == (0, False)

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

    def test_memory_that_was_held_for_a_moment(self, bench: Bench) -> None:
        """More than we ever had: what the kernel says of less may be ours, from before the command began."""
        size = max(300, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 + 50)
        script = f"import time; time.sleep(0.3); block = b'x' * ({size} << 20)"
        run = bench.run((sys.executable, "-S", "-c", script))
        assert size < run.peak_mib < size + 100

    def test_threads_of_all_processes_at_their_most(self, bench: Bench) -> None:
        assert bench.run(bench.fake("threads")).threads == 5
        assert bench.run(("sleep", "0.2")).threads == 1

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
        texts: list[bytes] = []
        bench.run(bench.fake("unfinished"), on_text=lambda seconds, text: texts.append(text))
        assert bench.output() == b"o 7\nv 1 -2 3 0"
        assert texts == [b"o 7\n", b"v 1 -2 3 0"]

    def test_a_flood(self, bench: Bench) -> None:
        times: list[float] = []
        texts: list[bytes] = []

        def note(seconds: float, text: bytes) -> None:
            times.append(seconds)
            texts.append(text)

        run = bench.run(bench.fake("flood"), on_text=note)
        assert run.exit_code == 0
        assert all(text.endswith(b"\n") for text in texts)
        assert b"".join(texts) == bench.output()
        assert run.output_bytes == len(bench.output())
        assert len(texts) < 10_000 < bench.output().count(b"\n") == 1_000_000
        assert times == sorted(times)
        assert 0 <= times[0] <= times[-1] <= run.wall_s + 0.5

    def test_lines_that_come_one_by_one(self, bench: Bench) -> None:
        texts: list[bytes] = []
        bench.run(bench.fake("steady"), on_text=lambda seconds, text: texts.append(text))
        assert b"".join(texts) == b"".join(b"o %d\n" % i for i in range(100_000, 0, -1))

    def test_a_very_long_line(self, bench: Bench) -> None:
        texts: list[bytes] = []
        bench.run(bench.fake("long_line"), on_text=lambda seconds, text: texts.append(text))
        assert bench.stdout.stat().st_size > 100_000_000
        assert b"".join(texts) == b"o 8\ns SATISFIABLE\no 7\nv 1 -2 3 0\n"

    @pytest.mark.parametrize("behaviour", ["long_line", "flood"])
    def test_in_bounded_memory(self, bench: Bench, behaviour: str) -> None:
        mib, _ = bench.cost(bench.fake(behaviour))
        assert mib < 150

    def test_nothing(self, bench: Bench) -> None:
        run = bench.run(("true",), on_text=lambda seconds, text: pytest.fail("there is no text"))
        assert (run.output_bytes, bench.output()) == (0, b"")

    def test_into_no_file(self, bench: Bench) -> None:
        texts: list[bytes] = []
        run = bench.driver(
            bench.fake("last_words"), stdout=None, stderr=None, on_text=lambda s, text: texts.append(text)
        )
        assert (run.stdout, run.stderr) == (None, None)
        assert b"".join(texts).endswith(b"v 1 -2 3 0\n")

    @pytest.mark.parametrize("behaviour", ["flood", "garbage", "unfinished", "sleep"])
    def test_into_a_packed_file(self, bench: Bench, behaviour: str) -> None:
        texts: list[bytes] = []
        log = bench.folder / "out.gz"
        bench.driver(
            bench.fake(behaviour),
            Limits(wall_s=20 if behaviour != "sleep" else 0.2),
            stdout=log,
            stderr=log,
            on_text=lambda s, text: texts.append(text),
        )
        whole = gzip.decompress(log.read_bytes())
        assert whole.removesuffix(b"\xff\xfe\x00") == b"".join(texts)
        assert log.stat().st_size < len(whole) / 2 + 50

    def test_a_packed_file_can_be_read_while_it_grows(self, bench: Bench) -> None:
        log = bench.folder / "out.gz"
        seen: list[bytes] = []

        def look() -> None:
            seen.append(zlib.decompressobj(wbits=31).decompress(log.read_bytes()))

        timer = threading.Timer(0.8, look)
        timer.start()
        bench.driver(bench.fake("anytime"), Limits(wall_s=1.5), stdout=log, stderr=None)
        timer.join()
        assert seen == [b"o 7\n"]

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
            bench.run(bench.fake("anytime"), on_text=fail)
        assert time.monotonic() - began < 10
        assert bench.left() == []

    @pytest.mark.parametrize("path", ["/dev/full", "/no/such/folder/out", "/"])
    def test_a_log_that_cannot_be_written(self, bench: Bench, path: str) -> None:
        with pytest.raises(SolverError, match="cannot write"):
            bench.driver(bench.fake("anytime"), stdout=Path(path), stderr=bench.folder / "err")
        assert bench.left() == []


class TestLinesDoNotWaitInTheBuffersOfTheSolver:
    """What has come from a solver before it was stopped: then it may flush."""

    def lines(self, bench: Bench, command: tuple[str, ...], line_buffer: LineBuffer) -> bytes:
        texts: list[bytes] = []
        bench.run(
            command,
            Limits(wall_s=0.6, grace_s=0),
            line_buffer=line_buffer,
            on_text=lambda seconds, text: texts.append(text if seconds < 0.55 else b""),
        )
        return b"".join(texts)

    @pytest.mark.parametrize(("line_buffer", "text"), [("none", b""), ("pty", b"o 7\n")])
    def test_of_any_program(self, bench: Bench, line_buffer: LineBuffer, text: bytes) -> None:
        assert self.lines(bench, bench.fake("blocks"), line_buffer) == text

    @pytest.mark.parametrize("line_buffer", ["none", "stdbuf", "pty"])
    def test_of_a_program_of_the_c_library(self, bench: Bench, line_buffer: LineBuffer) -> None:
        if line_buffer == "stdbuf" and not shutil.which("stdbuf"):
            pytest.skip("there is no stdbuf")
        command = ("bash", "-c", "(echo o 7; sleep 20) | tr p q", bench.mark)
        assert self.lines(bench, command, line_buffer) == (b"" if line_buffer == "none" else b"o 7\n")

    @pytest.mark.parametrize("behaviour", ["flood", "garbage", "unfinished", "closes", "last_words"])
    def test_a_terminal_changes_no_byte(self, bench: Bench, behaviour: str) -> None:
        codes = [bench.run(bench.fake(behaviour)).exit_code]
        outputs = [bench.output(), (bench.folder / "err").read_bytes()]
        codes.append(bench.run(bench.fake(behaviour), line_buffer="pty").exit_code)
        assert outputs == [bench.output(), (bench.folder / "err").read_bytes()]
        assert codes[0] == codes[1]

    @pytest.mark.parametrize("line_buffer", ["stdbuf", "pty"])
    def test_the_rest_of_the_contract_holds(self, bench: Bench, line_buffer: LineBuffer) -> None:
        if line_buffer == "stdbuf" and not shutil.which("stdbuf"):
            pytest.skip("there is no stdbuf")
        run = bench.run(bench.fake("late"), SHORT, line_buffer=line_buffer)
        assert (run.command, run.exit_code) == (bench.fake("late"), 40)
        assert bench.model() == MODEL
        with pytest.raises(SolverError, match="cannot start /no/such/program"):
            bench.run(("/no/such/program",), line_buffer=line_buffer)

    def test_without_stdbuf(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(bench.folder))
        with pytest.raises(UsageError, match="pty"):
            bench.run(("/bin/true",), line_buffer="stdbuf")


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

    def test_the_kernel_backs_the_limits_up(self, bench: Bench) -> None:
        """In case the driver cannot stop the run."""
        script = "sleep 0.3; ulimit -S -c; ulimit -t; ulimit -f"
        bench.run(("bash", "-c", script), Limits(cpu_s=10, wall_s=20, output_mib=1))
        core, cpu, size = bench.output().split()
        assert core == b"0"
        assert 10 < int(cpu) < 60
        assert 1 << 10 < int(size) < 10 << 20  # KiB

    def test_a_quiet_run_costs_little(self, bench: Bench) -> None:
        _, cpu_s = bench.cost(("sleep", "3"))
        assert cpu_s < 0.15

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
        lambda: Limits(output_mib=0),
        lambda: Limits(memory_mib=100, memory_hard_mib=99),
        lambda: Limits(grace_s=-1),
    ]
    for limits in wrong:
        with pytest.raises(UsageError, match="give a"):
            limits()


def test_a_driver_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wcnfgen.drivers.local.unavailable", lambda: "it is Tuesday")
    assert "local" not in drivers.available()
    with pytest.raises(UsageError, match="it is Tuesday"):
        drivers.get("local")


def test_an_unknown_driver() -> None:
    with pytest.raises(UsageError, match="local"):
        drivers.get("_processes")
