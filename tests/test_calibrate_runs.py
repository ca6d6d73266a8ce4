"""The runs of a calibration: made once, under the settings asked for, stopped without a trace."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import wcnfgen
from tests import calibrating
from tests.calibrating import NAMES, Toys, says
from wcnfgen import record as records
from wcnfgen import solvers
from wcnfgen.bundle import lock, manifest, selection
from wcnfgen.bundle.difficulty import of_proof
from wcnfgen.bundle.manifest import Row
from wcnfgen.commands.calibrate import calibrate
from wcnfgen.errors import FormatError, SolverError, UsageError

TOYS = "toys-*"  # half of them
WCNFGEN = [sys.executable, "-m", "wcnfgen"]


@pytest.fixture
def toys(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Toys:
    return calibrating.copy(tmp_path_factory.getbasetemp(), tmp_path, monkeypatch)


def test_a_second_calibration_runs_nothing_and_changes_nothing(toys: Toys) -> None:
    honest = toys.solver("honest", {name: toys.honest(name) for name in NAMES})
    toys.run(honest)
    assert toys.ran(honest) == sorted(NAMES)
    before = toys.folder.manifest.read_bytes(), toys.folder.selection.read_bytes()
    assert toys.run(honest).planned == 0 and toys.run().planned == 0
    assert toys.ran(honest) == sorted(NAMES)
    assert (toys.folder.manifest.read_bytes(), toys.folder.selection.read_bytes()) == before


def test_a_solver_more_runs_alone(toys: Toys) -> None:
    one = toys.solver("one", {name: toys.honest(name) for name in NAMES})
    two = toys.solver("two", {})
    toys.run(one, only=TOYS)
    found = toys.run(two, only=TOYS)
    assert found.ran == 2 and toys.ran(one) == sorted(NAMES[:2]) == toys.ran(two)
    assert {toys.rows[name].proved_by for name in NAMES[:2]} == {"one.py"}


@pytest.mark.parametrize("damage", ["interrupted", "empty", "no log", "another instance", "not JSON"])
def test_a_run_that_does_not_count_is_made_again(toys: Toys, damage: str) -> None:
    honest = toys.solver("honest", {name: toys.honest(name) for name in NAMES})
    toys.run(honest, only=TOYS)
    place = toys.folder.runs / "honest.py"
    file = place / f"{NAMES[0]}.run.json"
    record = records.read(file)
    if damage == "interrupted":
        records.write(replace(record, run=replace(record.run, limit="interrupt")), file)
    elif damage == "another instance":
        records.write(replace(record, instance_sha256="0" * 64), file)
    elif damage == "no log":
        (place / f"{NAMES[0]}.log.gz").unlink()
    else:
        file.write_text("" if damage == "empty" else "{")
    assert toys.run(honest, only=TOYS).ran == 1
    assert sorted(toys.ran(honest)) == sorted([*NAMES[:2], NAMES[0]])
    assert toys.rows[NAMES[0]].proved


def test_other_settings_are_refused_until_again_is_said(toys: Toys) -> None:
    honest = toys.solver("honest", {name: toys.honest(name) for name in NAMES})
    toys.run(honest, only=TOYS)
    for options, says_how in (({"wall": 21.0}, "--wall 20 --memory none"), ({"memory": 900.0}, "--wall 20")):
        with pytest.raises(UsageError, match=f"2 runs were made otherwise.*{says_how}.*--again"):
            toys.run(honest, only=TOYS, **options)
    os.utime(honest, (time.time() + 9, time.time() + 9))
    with pytest.raises(UsageError, match="another version"):
        toys.run(honest, only=TOYS)
    assert toys.ran(honest) == sorted(NAMES[:2])
    os.utime(honest, (1, 1))
    assert toys.run(honest, wall=21.0, again=True, only=TOYS).ran == 2 and len(toys.ran(honest)) == 4
    assert toys.run(honest, wall=21.0, only=TOYS).planned == 0


def test_another_log_is_judged_again_without_a_run(toys: Toys) -> None:
    name = NAMES[0]
    honest = toys.solver("honest", {each: toys.honest(each) for each in NAMES})
    toys.run(honest, only=TOYS)
    import gzip

    log = toys.folder.runs / "honest.py" / f"{name}.log.gz"
    log.write_bytes(gzip.compress(says("UNKNOWN", None, None).encode()))
    found = toys.run()
    assert found.planned == 0 and toys.rows[name].seconds == {"honest.py": None}
    (toys.folder.runs / "honest.py" / f"{NAMES[1]}.verdict.json").write_text("{}")
    toys.run()
    assert toys.rows[NAMES[1]].proved_by == "honest.py"


def test_a_solver_that_cannot_take_an_instance_is_noted_and_the_others_go_on(
    toys: Toys, caplog: pytest.LogCaptureFixture
) -> None:
    source = toys.folder.data / "toys.csv"
    file = toys.folder.instances / "toys-mixed.wcnf.xz"
    made = wcnfgen.encode(str(source), encoding="mixed", error_weight=3, output=str(file))
    row = Row(
        name="toys-mixed",
        status="written",
        file="instances/toys-mixed.wcnf.xz",
        sha256="0" * 64,
        format="wcnf",
        parameters={"data": "toys"},
        variables=made.counts.variables,
    )
    manifest.write([*toys.rows.values(), row], toys.folder.manifest)
    with caplog.at_level(logging.WARNING, "wcnfgen"):
        found = toys.run("lsu", "rc2", only="toys-*")
    assert caplog.text.count("soft weights up to 1") == 1 and (found.planned, found.ran) == (6, 5)
    assert toys.rows["toys-mixed"].proved_by == "rc2"
    toys.run()
    assert toys.rows["toys-mixed"].ended["lsu"].startswith("not run: LSU holds soft weights up to 1")
    assert "lsu" in toys.rows[NAMES[0]].ended


def test_a_missing_solver_stops_before_anything_runs(toys: Toys) -> None:
    honest = toys.solver("honest", {})
    before = toys.folder.manifest.read_bytes()
    for missing in ("./nowhere", "pacose" if not solvers.get("pacose").find() else "./nowhere"):
        with pytest.raises(SolverError, match="not installed"):
            toys.run(honest, missing)
    assert toys.ran(honest) == [] and toys.folder.manifest.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"jobs": 0}, UsageError, "--jobs 0"),
        ({"jobs": 9999}, UsageError, "core of its own"),
        ({"limit": 0}, UsageError, "--limit 0"),
        ({"select": 0}, UsageError, "--select 0"),
        ({"only": "nothing*"}, UsageError, "no instance has such a name"),
        ({"driver": "none"}, UsageError, "no driver"),
        ({"wall": -1.0}, UsageError, "positive"),
        ({"solver": ("rc2", "rc2")}, UsageError, "two solvers"),
        ({"solver": ("nonsense",)}, UsageError, "no solver"),
    ],
)
def test_bad_options(toys: Toys, options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        calibrate(str(toys.folder.path), **options)


def test_no_family_and_a_file_that_is_another(toys: Toys, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"family\.json"):
        calibrate(str(tmp_path))
    (toys.folder.path / toys.rows[NAMES[0]].file).write_bytes(b"")
    with pytest.raises(FormatError, match="not the file that manifest"):
        toys.run("rc2")
    (toys.folder.path / toys.rows[NAMES[0]].file).unlink()
    with pytest.raises(FormatError, match="is missing"):
        toys.run("rc2")


def test_limit_and_only(toys: Toys) -> None:
    honest = toys.solver("honest", {name: toys.honest(name) for name in NAMES})
    toys.run(honest, limit=2)
    assert toys.ran(honest) == ["hats-ub41", "toys-ub37"], "spread over both parameters"
    toys.run(honest, only="hats-*")
    assert toys.ran(honest) == ["hats-ub37", "hats-ub41", "toys-ub37"]
    choices = {each.name: each for each in selection.read(toys.folder.selection)}
    assert choices["toys-ub41"].reason == "not calibrated" and not choices["toys-ub41"].chosen


def test_dry_run_writes_nothing(toys: Toys) -> None:
    before = {path: path.stat().st_mtime_ns for path in toys.folder.path.rglob("*")}
    honest = toys.solver("honest", {})
    found = toys.run(honest, wall=10, grace=2, jobs=1, dry_run=True)
    assert (found.planned, found.most_s, found.ran) == (4, 48, 0) and toys.ran(honest) == []
    assert {path: path.stat().st_mtime_ns for path in toys.folder.path.rglob("*")} == before


def test_each_at_a_time_has_a_core_of_its_own(toys: Toys) -> None:
    usable = os.sched_getaffinity(0)
    if len(usable) < 2:
        pytest.skip("one core")
    seen = toys.solver("seen", {}, "time.sleep(0.3); print('c cores', *os.sched_getaffinity(0))")
    toys.run(seen, jobs=2)
    found = [records.read(file) for file in (toys.folder.runs / "seen.py").glob("*.run.json")]
    cores = [record.limits.cores for record in found]
    assert all(core is not None and len(core) == 1 and core <= usable for core in cores)
    assert len(set(cores)) == 2 and os.sched_getaffinity(0) == usable


def test_one_calibration_of_a_family_at_a_time(toys: Toys) -> None:
    with lock.alone(toys.folder), pytest.raises(UsageError, match="at work here"):
        toys.run()
    toys.run()


# ---------------------------------------------------------------------------- what goes wrong


def test_a_worker_that_is_killed_costs_its_run_only(toys: Toys, caplog: pytest.LogCaptureFixture) -> None:
    kills = f"os.kill(os.getppid(), signal.SIGKILL) if name == {NAMES[0]!r} else print(says, end='')"
    solver = toys.solver("kills", {name: toys.honest(name) for name in NAMES}, f"{kills}\ntime.sleep(.3)")
    with caplog.at_level(logging.WARNING, "wcnfgen"):
        found = toys.run(solver, only=TOYS)
    assert "killed by signal 9" in caplog.text and (found.planned, found.ran) == (2, 1)
    assert [bool(toys.rows[name].proved) for name in NAMES[:2]] == [False, True]
    assert toys.run(solver, only=TOYS).planned == 1


def test_what_would_fail_every_time_stops_and_keeps_what_is_whole(toys: Toys) -> None:
    honest = toys.solver("honest", {name: toys.honest(name) for name in NAMES})
    (toys.folder.runs / "honest.py" / f"{NAMES[1]}.log.gz").mkdir(parents=True)
    with pytest.raises(SolverError, match="the same command goes on"):
        toys.run(honest, jobs=1)
    assert toys.rows[NAMES[0]].proved_by == "honest.py" and toys.ran(honest) == [NAMES[0]]


def lives(process: psutil.Process) -> bool:
    """Whether it goes on; what nobody reaps does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def left(solver: str) -> list[psutil.Process]:
    """Processes that run a solver, or are told to."""
    found = psutil.process_iter(["cmdline"])
    return [
        each for each in found if solver in (each.info["cmdline"] or []) and "-m" not in each.info["cmdline"]
    ]


SLEEPS = f"print(says, end='') if name == {NAMES[0]!r} else time.sleep(600)"


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that will be so."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def interrupt_when(holds: Callable[[], bool]) -> None:
    """Ctrl-C for this process."""
    until(holds)
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def sleeping(toys: Toys) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A calibration in a process of its own: the first instance is solved, the others take for ever."""
    solver = toys.solver("sleeper", {NAMES[0]: toys.honest(NAMES[0])}, SLEEPS)
    command = [*WCNFGEN, "calibrate", str(toys.folder.path), "--solver", solver, "--wall", "900"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        until(lambda: len(toys.ran(solver)) >= min(1 + len(os.sched_getaffinity(0)), 4))
        yield solver, process
        process.kill()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_solvers_and_keeps_what_is_known(
    toys: Toys, sleeping: tuple[str, subprocess.Popen[bytes]], sent: signal.Signals
) -> None:
    solver, process = sleeping
    before = time.monotonic()
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and errors.endswith(b"wcnfgen: interrupted\n"), errors
    assert time.monotonic() - before < 10 and left(solver) == []
    assert b"Traceback" not in errors
    rows = toys.rows
    assert rows[NAMES[0]].proved_by == "sleeper.py" and toys.stored(NAMES[0]).proved
    assert [rows[name].difficulty for name in NAMES[1:]] == [None] * 3
    Path(solver).write_text(Path(solver).read_text().replace("time.sleep(600)", "print('s UNKNOWN')"))
    os.utime(solver, (1, 1))
    found = toys.run(solver, wall=900)
    took = toys.rows[NAMES[0]].seconds["sleeper.py"] or 0
    assert found.ran == 3 and toys.rows[NAMES[0]].difficulty == of_proof(took, 900)
    assert {toys.rows[name].ended["sleeper.py"] for name in NAMES[1:]} == {"exit 0"}


def test_nothing_is_left_of_a_calibration_that_is_killed(
    toys: Toys, sleeping: tuple[str, subprocess.Popen[bytes]]
) -> None:
    solver, process = sleeping
    assert left(solver)
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    deadline = time.monotonic() + 10
    while any(map(lives, family)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(lives, family)) and left(solver) == []
    assert toys.rows[NAMES[0]].difficulty is None
    toys.run()
    assert toys.rows[NAMES[0]].proved_by == "sleeper.py", "what was run before counts"


def test_ctrl_c_in_the_library_leaves_no_process(toys: Toys) -> None:
    solver = toys.solver("sleeper", {NAMES[0]: toys.honest(NAMES[0])}, SLEEPS)
    stop = threading.Thread(target=lambda: interrupt_when(lambda: len(toys.ran(solver)) > 1))
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        toys.run(solver, wall=50)
    stop.join()
    assert left(solver) == [] and toys.rows[NAMES[0]].proved_by == "sleeper.py"


def test_ctrl_c_in_a_terminal_lets_solvers_have_their_grace(toys: Toys) -> None:
    """The terminal tells all of its foreground group; a solver told twice would be killed at once."""
    solver = toys.solver(
        "polite",
        {},
        "import pathlib\n"
        "def stop(*_):\n    time.sleep(0.7)\n    here.with_suffix('.said').touch()\n    os._exit(0)\n"
        "signal.signal(signal.SIGTERM, stop)\nhere.with_suffix('.ready').touch()\ntime.sleep(600)",
    )
    command = [
        *WCNFGEN,
        "calibrate",
        str(toys.folder.path),
        "--solver",
        solver,
        "--wall",
        "900",
        "--jobs",
        "1",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        until(Path(solver).with_suffix(".ready").exists)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) == 130
    assert Path(solver).with_suffix(".said").exists() and left(solver) == []
