"""One at a time in a folder."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from wcnfgen import lock
from wcnfgen.errors import UsageError, WcnfgenError


def test_who_shares_the_lock(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    assert lock.busy(file) == ""
    with lock.held(file, "one", shared=True):
        with lock.held(file, "two", shared=True), pytest.raises(UsageError, match="`two`"):
            lock.held(file, "three").__enter__()
        assert "`two`" in lock.busy(file)
    assert lock.busy(file) == ""
    with lock.held(file, "four"), pytest.raises(UsageError, match="`four`"):
        lock.held(file, "five", shared=True).__enter__()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    """And with those that inherited it."""
    file = tmp_path / "lock"
    code = """if True:
        import subprocess, sys
        from pathlib import Path
        from wcnfgen import lock
        with lock.held(Path(sys.argv[1]), "it") as handle:
            child = subprocess.Popen(["sleep", "60"], pass_fds=[handle], stdout=subprocess.DEVNULL)
            print(child.pid, flush=True)
            sys.stdin.read()
    """
    command = [sys.executable, "-c", code, os.fspath(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert f"`it` (process {process.pid} on " in lock.busy(file)
        process.kill()
        process.wait()
    assert lock.busy(file) != ""
    os.kill(child, 9)
    while Path(f"/proc/{child}").exists() and lock.busy(file):
        pass
    assert lock.busy(file) == ""


def test_where_there_are_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none(handle: int, how: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", none)
    with lock.held(tmp_path / "lock", "it"):
        assert "no locks here (Function not implemented)" in caplog.text
        assert lock.busy(tmp_path / "lock") == ""


def test_a_lock_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(WcnfgenError, match="none/lock: cannot write"):
        lock.held(tmp_path / "none" / "lock", "it").__enter__()


def test_who_only_asks_turns_nobody_away(tmp_path: Path) -> None:
    """To look whether somebody is here takes the lock for a moment."""
    file = tmp_path / "lock"
    with lock.held(file, "look") as handle:
        Timer(0.02, fcntl.flock, (handle, fcntl.LOCK_UN)).start()
        with lock.held(file, "work", shared=True):
            assert "`work`" in lock.busy(file)
