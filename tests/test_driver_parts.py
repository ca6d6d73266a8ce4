"""The parts of the local driver: lines, /proc, who is told first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.drivers import LINE_BYTES, _processes
from wcnfgen.drivers._processes import Process, children, process, read_proc
from wcnfgen.drivers._stop import first_to_tell
from wcnfgen.drivers._streams import Lines


def fed(pieces: list[bytes]) -> list[bytes]:
    found: list[bytes] = []
    lines = Lines(lambda seconds, line: found.append(line))
    for piece in pieces:
        lines.feed(0.0, piece)
    lines.end(0.0)
    return found


class TestLines:
    @given(st.lists(st.text("a\n\r", max_size=8).map(str.encode)))
    def test_pieces_may_be_cut_anywhere(self, pieces: list[bytes]) -> None:
        whole = b"".join(pieces)
        expected = [line + b"\n" for line in whole.split(b"\n")]
        expected[-1] = expected[-1][:-1]
        assert fed(pieces) == [line for line in expected if line]

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
