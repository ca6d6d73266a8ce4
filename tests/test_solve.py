"""Runs and their records: nothing is overwritten, nothing is lost, whatever the solver is given."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import psutil
import pytest

import wcnfgen
from wcnfgen.errors import UsageError, WcnfgenError

PYTHON = f"#!{sys.executable}\n"
WCNFGEN = [sys.executable, "-m", "wcnfgen"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "and.csv").write_text("a,b,class\n0,0,n\n0,1,n\n1,0,n\n1,1,y\n")
    wcnfgen.encode("and.csv", ub=7, output="x.wcnf")
    return tmp_path


def program(path: Path, text: str) -> Path:
    path.write_text(PYTHON + text)
    path.chmod(0o755)
    return path


def test_parallel_runs_leave_a_record_each(folder: Path) -> None:
    runs = [subprocess.Popen([*WCNFGEN, "solve", "x.wcnf"], stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [run.wait(timeout=60) for run in runs] == [0] * 4
    records = sorted(folder.glob("*.run.json"))
    assert len(records) == 4
    assert all(json.loads(path.read_text())["run"]["exit_code"] == 0 for path in records)


def test_a_record_that_exists_or_cannot_be_written_stops_before_the_run(folder: Path) -> None:
    (folder / "r.json").write_text("precious")
    ran = program(folder / "ran.py", "open('ran', 'w')\n")
    with pytest.raises(UsageError, match="never overwritten"):
        wcnfgen.solve("x.wcnf", solver=str(ran), record="r.json", log="l")
    with pytest.raises(WcnfgenError, match="cannot write"):
        wcnfgen.solve("x.wcnf", solver=str(ran), record="nowhere/r.json", log="l")
    assert (folder / "r.json").read_text() == "precious" and not (folder / "ran").exists()


@pytest.mark.parametrize("log", ["x.wcnf", "./x.wcnf"])
def test_the_log_is_not_the_instance(folder: Path, log: str) -> None:
    before = (folder / "x.wcnf").read_bytes()
    with pytest.raises(UsageError, match="overwritten"):
        wcnfgen.solve("x.wcnf", log=log)
    assert (folder / "x.wcnf").read_bytes() == before


def test_no_command_overwrites_what_it_reads(folder: Path) -> None:
    wcnfgen.solve("x.wcnf", log="x.log")
    for action in (
        lambda: wcnfgen.encode("and.csv", output="and.csv"),
        lambda: wcnfgen.encode("and.csv", output="same", map="same"),
        lambda: wcnfgen.decode("x.wcnf", "x.log", output="x.log"),
        lambda: wcnfgen.predict("x.wcnf", "x.log", "and.csv", output="and.csv"),
    ):
        with pytest.raises(UsageError, match="overwritten"):
            action()


@pytest.mark.parametrize("form", ["wcnf", "wcnf-old"])
def test_the_format_is_converted_for_a_solver_that_reads_the_other(
    folder: Path, form: Literal["wcnf", "wcnf-old"]
) -> None:
    wcnfgen.encode("and.csv", ub=7, format=form, output="f.wcnf")
    solved = wcnfgen.solve("f.wcnf", solver="clingo", log="l")
    assert any("converted" in change for change in solved.record.changes) == (form == "wcnf")
    assert wcnfgen.verify("f.wcnf", "l").verdict.ok


@pytest.mark.parametrize("ending", ["gz", "xz"])
def test_packed_instances_are_unpacked_for_solvers_that_do_not(folder: Path, ending: str) -> None:
    wcnfgen.encode("and.csv", ub=7, format="wcnf-old", output=f"o.wcnf.{ending}")
    wcnfgen.solve(f"o.wcnf.{ending}", solver="clingo", log="l")
    assert wcnfgen.verify(f"o.wcnf.{ending}", "l").verdict.ok


def test_a_reader_that_goes_away_does_not_cost_the_record(folder: Path) -> None:
    loud = program(folder / "loud.py", "for i in range(200000): print('c', i)\nprint('s UNKNOWN')\n")
    command = f"{' '.join(WCNFGEN)} solve x.wcnf --solver {loud} | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and done.stdout == "c 0\n"
    assert len(list(folder.glob("*.run.json"))) == 1


def test_the_trace_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wcnfgen.output.TRACE_LENGTH", 10)
    chatty = program(folder / "chatty.py", "for i in range(1000): print('o', 1000 - i)\n")
    trace = wcnfgen.solve("x.wcnf", solver=str(chatty), log="l").record.trace
    assert len(trace) == 10 and trace[0][1] == 1000 and trace[-1][1] == 1


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_solver_and_keeps_its_model(folder: Path, sent: signal.Signals) -> None:
    """Exit code 130, a record that says so, the model in the output, no process left."""
    late = program(
        folder / "late.py",
        "import signal, sys, time\n"
        "def stop(*_):\n    print('s SATISFIABLE\\nv 0101', flush=True)\n    sys.exit(10)\n"
        "signal.signal(signal.SIGTERM, stop)\nprint('c ready', flush=True)\ntime.sleep(60)\n",
    )
    process = subprocess.Popen(
        [*WCNFGEN, "solve", "x.wcnf", "--solver", str(late), "--log", "l"], stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 30
    while "ready" not in ((folder / "l").read_text() if (folder / "l").exists() else ""):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(sent)
    assert process.wait(timeout=30) == 130
    assert "v 0101" in (folder / "l").read_text()
    (record,) = folder.glob("*.run.json")
    assert json.loads(record.read_text())["run"]["limit"] == "interrupt"
    commands = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
    assert not any(str(late) in command for command in commands)


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_while_encoding_leaves_nothing(folder: Path, sent: signal.Signals) -> None:
    subprocess.run([*WCNFGEN, "data", "mux11", "-o", "mux.csv"], check=True)
    process = subprocess.Popen(
        [*WCNFGEN, "encode", "mux.csv", "--ub", "401", "-o", "m.wcnf"], stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not list(folder.glob(".m.wcnf.*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and errors.endswith(b"wcnfgen: interrupted\n")
    assert not [name for name in os.listdir(folder) if "m.wcnf" in name]  # noqa: PTH208


def test_links_and_permissions_stay(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "t.wcnf").write_text("old")
    (folder / "real" / "t.wcnf").chmod(0o600)
    (folder / "link.wcnf").symlink_to("real/t.wcnf")
    wcnfgen.encode("and.csv", ub=7, output="link.wcnf")
    assert (folder / "link.wcnf").is_symlink()
    assert (folder / "real" / "t.wcnf").read_text().startswith("c wcnfgen")
    assert (folder / "real" / "t.wcnf").stat().st_mode & 0o777 == 0o600


def test_learn_fails_before_the_solver_runs(folder: Path) -> None:
    ran = program(folder / "ran.py", "open('ran', 'w')\n")
    with pytest.raises(WcnfgenError, match="nowhere"):
        wcnfgen.learn("and.csv", solver=str(ran), test="nowhere.csv")
    with pytest.raises(WcnfgenError, match="not installed"):
        wcnfgen.learn("and.csv", solver="./nowhere")
    assert not (folder / "ran").exists()


def test_what_is_kept_is_numbered(folder: Path) -> None:
    for _ in range(2):
        wcnfgen.learn("and.csv", keep="kept")
    assert sorted(path.name for path in (folder / "kept").iterdir()) == [
        "and.wcnf",
        "and.wcnf.rc2.2.log.gz",
        "and.wcnf.rc2.2.run.json",
        "and.wcnf.rc2.log.gz",
        "and.wcnf.rc2.run.json",
    ]


@pytest.mark.parametrize("solver", ["rc2", "clingo", "lms"])
@pytest.mark.parametrize("name", ["q.cnf", "q.wcnf", "q"])
def test_cnf_is_hard_for_every_solver_whatever_its_name(folder: Path, solver: str, name: str) -> None:
    """Satisfiable and not: no solver takes the clauses for soft ones."""
    for nodes, there in ((5, True), (3, False)):
        wcnfgen.encode("and.csv", encoding="exact", nodes=nodes, output=name)
        wcnfgen.solve(name, solver=solver, log="l")
        found = wcnfgen.verify(name, "l").verdict
        assert found.ok == there and not found.findings
        assert there or found.status == "UNSATISFIABLE"


def test_what_is_no_instance_is_not_given_to_a_solver(folder: Path) -> None:
    with pytest.raises(WcnfgenError, match=r"and\.csv:1"):
        wcnfgen.solve("and.csv", log="l")
    assert not list(folder.glob("*.run.json"))


def test_weights_that_a_solver_does_not_hold_are_refused(folder: Path) -> None:
    wcnfgen.encode("and.csv", encoding="mixed", error_weight=3, output="m.wcnf")
    with pytest.raises(UsageError, match="soft weights up to 1"):
        wcnfgen.solve("m.wcnf", solver="lsu", log="l")
    wcnfgen.encode("and.csv", encoding="mixed", error_weight=2**31, format="wcnf-old", output="m.wcnf")
    with pytest.raises(UsageError, match="weights up to"):
        wcnfgen.solve("m.wcnf", solver="clingo", log="l")
