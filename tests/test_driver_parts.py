"""The parts of the local driver: lines, /proc, memory, who is told first, the guardian."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.drivers import LINE_BYTES, Limits, _guardian, _processes
from wcnfgen.drivers._meter import FASTEST_S, SLOWEST_S, Meter
from wcnfgen.drivers._processes import Process, children, process, read_proc
from wcnfgen.drivers._stop import first_to_tell
from wcnfgen.drivers._streams import Lines


def fed(pieces: list[bytes]) -> list[bytes]:
    found: list[bytes] = []
    lines = Lines(lambda seconds, text: found.append(text))
    for piece in pieces:
        lines.feed(0.0, piece)
    lines.end(0.0)
    return found


PIECES = st.lists(st.text("a\n\r", max_size=8).map(str.encode))


class TestLines:
    @given(PIECES)
    def test_pieces_may_be_cut_anywhere(self, pieces: list[bytes]) -> None:
        texts = fed(pieces)
        assert b"".join(texts) == b"".join(pieces)
        assert all(text.endswith(b"\n") for text in texts[:-1])
        assert b"" not in texts

    @given(PIECES)
    def test_no_line_waits_for_the_next_piece(self, pieces: list[bytes]) -> None:
        whole = sum(b"\n" in piece for piece in pieces)
        rest = b"".join(pieces).rpartition(b"\n")[2]
        assert len(fed(pieces)) == whole + bool(rest)

    @given(PIECES, st.integers(1, 9))
    def test_only_lines_that_are_too_long_are_left_out(self, pieces: list[bytes], most: int) -> None:
        lines = io.BytesIO(b"".join(pieces)).readlines()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("wcnfgen.drivers._streams.LINE_BYTES", most)
            kept = b"".join(fed([p[i : i + most] for p in pieces for i in range(0, len(p), most)]))
        assert kept == b"".join(line for line in lines if len(line) <= most)

    def test_a_line_that_is_too_long_is_left_out(self) -> None:
        piece = b"x" * (1 << 20)
        pieces = [b"a\nb", *[piece] * (LINE_BYTES // len(piece)), b"y\nc\n"]
        assert fed(pieces) == [b"a\n", b"c\n"]


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[bytes]]:
    """A process named `) 1 (` with two children."""
    code = (
        "import ctypes, os, time; ctypes.CDLL(None).prctl(15, b') 1 (');"
        "(os.fork() and os.fork()) or time.sleep(60); print(flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    ) as one:
        assert one.stdout is not None
        one.stdout.readline()
        yield one
        os.killpg(one.pid, 9)


class TestProc:
    def test_both_ways_to_children_agree(self, parent: subprocess.Popen[bytes]) -> None:
        listed = _processes._listed_children(parent.pid)
        assert len(listed) == 2
        assert sorted(listed) == sorted(_processes._scanned_children(parent.pid))

    def test_stat(self, parent: subprocess.Popen[bytes]) -> None:
        found = process(parent.pid)
        assert found is not None
        assert read_proc(parent.pid, "comm") == b") 1 (\n"
        assert (found.parent, found.session, found.zombie) == (os.getpid(), parent.pid, False)

    def test_what_is_gone(self) -> None:
        with subprocess.Popen(["true"]) as one:
            pass
        assert process(one.pid) is None
        assert children(one.pid) == []
        assert read_proc(one.pid, "status") == b""


def living(pid: int, parent: int) -> Process:
    return Process(pid, 0, parent, 0, zombie=False, cpu_s=0.0)


class TestWhoIsToldFirst:
    """With numbers that no process has, so that nobody has a pipe."""

    def test_leaves(self) -> None:
        tree = [living(-1, 0), living(-2, -1), living(-3, -1), living(-4, -2)]
        assert [p.pid for p in first_to_tell(tree)] == [-3, -4]

    def test_a_ring(self, monkeypatch: pytest.MonkeyPatch) -> None:
        names = {(-1, 0): "a", (-2, 1): "a", (-2, 0): "b", (-1, 1): "b"}
        monkeypatch.setattr("wcnfgen.drivers._stop._pipe", lambda p, fd: names.get((p.pid, fd), ""))
        ring = [living(-1, 0), living(-2, 0)]
        assert first_to_tell(ring) == ring


class TestMeter:
    """With a process whose memory the test decides."""

    @pytest.fixture
    def mib(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        memory = [0.0]
        monkeypatch.setattr("wcnfgen.drivers._meter._resident_mib", lambda p: (memory[0], memory[0]))
        monkeypatch.setattr(_processes.Tree, "walk", lambda tree: [living(-1, 0)])
        return memory

    def meter(self, soft: float | None, hard: float) -> Meter:
        return Meter(_processes.Tree(-1, ""), Limits(memory_mib=soft, memory_hard_mib=hard))

    def test_a_quiet_run_is_looked_at_rarely(self, mib: list[float]) -> None:
        meter = self.meter(100, 200)
        mib[0] = 99
        for _ in range(2):
            meter.sample()
        assert meter.next_s(0.01) < meter.next_s(10) == SLOWEST_S

    def test_memory_is_looked_at_before_it_reaches_a_limit(self, mib: list[float]) -> None:
        """After growth of at most 1 MiB a millisecond."""
        meter = self.meter(100, 130)
        for now, left in ((90.0, 10.0), (110.0, 20.0)):
            mib[0] = now - 20
            meter.sample()
            time.sleep(0.02)
            mib[0] = now
            meter.sample()
            assert FASTEST_S <= meter.next_s(10) < 2 * left / 1000
        mib[0] = 200
        meter.sample()
        assert meter.next_s(10) == SLOWEST_S

    def test_a_limit_is_met_exactly_however_fast_memory_grows(self, mib: list[float]) -> None:
        """As long as growth is steady: a gigabyte a second, samples at the times asked for."""
        meter = self.meter(None, 2000)
        clock = 0.0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("wcnfgen.drivers._meter.time.monotonic", lambda: clock)
            meter._sampled_s = 0.0
            while meter.peak_mib < 2000:
                clock += meter.next_s(clock)
                mib[0] = clock * 1000
                meter.sample()
        assert meter.peak_mib < 2010


HOST = """
import os, sys
from wcnfgen import drivers
for _ in range(8):
    os.set_inheritable(os.dup(1), True)
def run():
    drivers.get("local")(["true"], stdout=None, stderr=None)
def say(*words):
    print(*words, flush=True)
    sys.stdin.readline()
run()
"""


class Host(subprocess.Popen[str]):
    """A process that has run something, and stops at each `say`."""

    def __init__(self, script: str = "run()\nsay()") -> None:
        super().__init__(
            [sys.executable, "-c", HOST + script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def hear(self) -> list[int]:
        assert self.stdout is not None
        return [int(word) for word in self.stdout.readline().split()]

    def go_on(self) -> None:
        assert self.stdin is not None
        self.stdin.write("\n")
        self.stdin.flush()


def guardians(of: int) -> list[psutil.Process]:
    """Those that watch this process."""
    found = []
    for p in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if f"\nPid:\t{of}\n".encode() in read_proc(p.pid, "fdinfo/4") and "-I" in p.cmdline():
                found.append(p)
    return found


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


class TestGuardian:
    def test_there_is_one_and_nobody_notices_it(self) -> None:
        with Host("run()\ntry: os.waitpid(-1, os.WNOHANG)\nexcept ChildProcessError: say()") as host:
            assert host.hear() == []
            assert soon(lambda: len(guardians(host.pid)) == 1)
            (guardian,) = guardians(host.pid)
            assert guardian.ppid() != host.pid
            assert os.getpgid(guardian.pid) != os.getpgid(host.pid)
            files = {fd: Path(f"/proc/{guardian.pid}/fd/{fd}").readlink().name for fd in range(3)}
            assert files == dict.fromkeys(range(3), "null")
            assert soon(lambda: guardian.num_fds() <= 6)  # and the two, and its look at /proc
            host.go_on()
        assert soon(lambda: guardians(host.pid) == [])

    def test_signals_do_not_end_it(self) -> None:
        with Host() as host:
            host.hear()
            assert soon(lambda: len(guardians(host.pid)) == 1)
            (guardian,) = guardians(host.pid)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                guardian.send_signal(number)
            time.sleep(0.1)
            assert guardians(host.pid) == [guardian]
            host.go_on()

    def test_another_is_started_if_it_is_killed(self) -> None:
        with Host("say()\nrun()\nsay()") as host:
            host.hear()
            assert soon(lambda: len(guardians(host.pid)) == 1)
            (guardian,) = guardians(host.pid)
            guardian.kill()
            assert soon(lambda: not guardian.is_running() or guardian.status() == psutil.STATUS_ZOMBIE)
            host.go_on()
            host.hear()
            assert soon(lambda: len(guardians(host.pid)) == 1)
            host.go_on()

    def test_a_fork_has_its_own_and_outlives_the_other(self) -> None:
        with Host("child = os.fork()\nif not child: run()\nsay(os.getpid())") as host:
            pids = host.hear() + host.hear()
            assert host.pid in pids
            (child,) = set(pids) - {host.pid}
            for pid in pids:
                assert soon(lambda pid=pid: len(guardians(pid)) == 1)  # type: ignore[misc]
            host.kill()
            host.wait()
            assert soon(lambda: guardians(host.pid) == [])
            assert len(guardians(child)) == 1
            os.kill(child, signal.SIGKILL)
        assert soon(lambda: guardians(child) == [])

    def test_sessions_of_a_run_that_is_over_are_forgotten(self) -> None:
        runs: _guardian.Runs = {}
        for line in (b"a 0", b"b 0 7", b"a 0 8 9", b"b"):
            _guardian.note(runs, line)
        assert runs == {b"a": frozenset({8, 9})}

    def test_it_finds_what_has_the_mark_or_the_session_and_what_comes_of_it(self) -> None:
        script = "import os, time; os.fork() or os.setsid(); os.fork(); print(flush=True); time.sleep(60)"
        mark = f"MARK={os.getpid()}".encode()
        with subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            env={b"MARK": mark.partition(b"=")[2]},
            start_new_session=True,
        ) as one:
            assert one.stdout is not None
            for _ in range(4):
                one.stdout.readline()
            family = {one.pid, *(p.pid for p in psutil.Process(one.pid).children(recursive=True))}
            assert len(family) == 4
            assert _guardian.find({mark}, frozenset()) == family
            assert _guardian.find({b"MARK=other"}, frozenset({one.pid})) == family
            assert _guardian.find({b"MARK=other"}, frozenset()) == set()
            _guardian.sweep({mark}, frozenset())
            assert _guardian.find({mark}, frozenset()) == set()
