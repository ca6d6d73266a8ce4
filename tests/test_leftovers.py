"""Whose a temporary folder is, and that only what nobody uses is removed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from wcnfgen import leftovers
from wcnfgen.leftovers import Owner

NOBODY = 2**22 + 1  # no process has that number
CODE = """if True:
    import time
    from wcnfgen import leftovers
    with leftovers.folder() as name:
        print(name, flush=True)
        time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_names_are_read_back() -> None:
    me = leftovers.me()
    assert leftovers.owner(str(me)) == me and me.is_here and not me.is_dead
    assert Owner(me.machine, NOBODY, "1").is_dead
    assert Owner(me.machine, me.pid, "1").is_dead, "the number was used again"
    elsewhere = Owner("elsewhere", NOBODY, "1")
    assert not elsewhere.is_dead and not elsewhere.is_here
    assert [leftovers.owner(text) for text in ("", "a-b", "a-b-c")] == [None] * 3


def test_names_are_short_and_have_no_dot() -> None:
    """A socket's path is short, and some scripts take what follows a dot for an ending."""
    with leftovers.folder() as name:
        assert len(Path(name).name) < 64 and "." not in Path(name).name


def test_only_what_a_dead_process_of_this_machine_left_goes(place: Path) -> None:
    here = leftovers.machine()
    names = {
        f"wcnfgen-{Owner(here, NOBODY, '1')}-abc_1234": False,
        f"wcnfgen-{leftovers.me()}-abc_1234": True,
        f"wcnfgen-{Owner('elsewhere', NOBODY, '1')}-abc_1234": True,
        "wcnfgen-abc_1234": True,
        f"other-{Owner(here, NOBODY, '1')}-abc_1234": True,
    }
    for name in names:
        (place / name / "cwd").mkdir(parents=True)
    link = place / f"wcnfgen-{Owner(here, NOBODY, '1')}-link"
    link.symlink_to(place / "wcnfgen-abc_1234")
    file = place / f"wcnfgen-{Owner(here, NOBODY, '1')}-file"
    file.write_text("")
    leftovers.sweep()
    assert {name: (place / name).exists() for name in names} == names
    assert link.exists() and file.exists() and (place / "wcnfgen-abc_1234" / "cwd").exists()


def test_the_folder_of_somebody_else_stays(place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("it takes root to give a folder away")
    folder = place / f"wcnfgen-{Owner(leftovers.machine(), NOBODY, '1')}-abc_1234"
    folder.mkdir()
    os.chown(folder, 12345, -1)
    leftovers.sweep()
    assert folder.exists()


def test_who_comes_next_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", CODE]
    for _ in range(2):
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            name = process.stdout.readline().decode().strip()
            process.kill()
        assert [str(each) for each in tmp_path.iterdir()] == [name]
