"""Records: what is written is read again, how a run ended, which traces say anything."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from wcnfgen import record as records
from wcnfgen.commands.solve import present
from wcnfgen.drivers import Limit, Limits, Run
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.record import Machine, Record, ended, is_live
from wcnfgen.runs import Solved

seconds = st.floats(0, 1e6)
texts = st.text(max_size=8)
positive = st.none() | st.floats(0.001, 1e6)
paths = st.none() | st.sampled_from(["x.log", "a b/ü.log.gz"]).map(Path)
limits = st.builds(
    Limits,
    wall_s=positive,
    cpu_s=positive,
    memory_mib=positive,
    output_mib=positive,
    grace_s=seconds,
    cores=st.none() | st.frozensets(st.integers(0, 99), min_size=1),
)
runs = st.builds(
    Run,
    command=st.lists(texts).map(tuple),
    exit_code=st.integers(-64, 255),
    limit=st.none() | st.sampled_from(["wall", "cpu", "memory", "output", "interrupt"]),
    wall_s=seconds,
    cpu_s=seconds,
    peak_mib=seconds,
    signalled_s=st.none() | seconds,
    killed=st.booleans(),
    output_bytes=st.integers(0, 2**40),
    stdout=paths,
    stderr=paths,
)
written = st.builds(
    Record,
    wcnfgen=texts,
    instance=texts,
    instance_sha256=texts,
    changes=st.lists(texts).map(tuple),
    solver=texts,
    version=texts,
    driver=texts,
    limits=limits,
    run=runs,
    trace=st.lists(st.tuples(seconds, st.integers(0, 2**70))).map(tuple),
    live=st.booleans(),
    machine=st.builds(
        Machine,
        cpu=texts,
        cores=st.integers(1, 999),
        memory_mib=st.integers(0, 2**30),
        kernel=texts,
        python=texts,
    ),
    model_s=st.none() | seconds,
)


@given(record=written)
def test_what_is_written_is_read_again(record: Record, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.getbasetemp() / "any.run.json"
    records.write(record, file)
    assert records.read(file) == record


RUN = Run(
    command=("x",),
    exit_code=0,
    limit=None,
    wall_s=9.0,
    cpu_s=8.0,
    peak_mib=7.0,
    signalled_s=None,
    killed=False,
    output_bytes=6,
    stdout=None,
    stderr=None,
)


@pytest.mark.parametrize(
    ("exit_code", "limit", "expected"),
    [
        (0, None, "exit 0"),
        (30, None, "exit 30"),
        (-signal.SIGSEGV, None, "SIGSEGV"),
        (-50, None, "signal 50"),
        (-signal.SIGSEGV, "wall", "wall limit"),  # a crash after our SIGTERM
        (-signal.SIGKILL, "memory", "memory limit"),
        (40, "output", "output limit"),
        (40, "interrupt", "interrupted"),
    ],
)
def test_how_a_run_ended(exit_code: int, limit: Limit | None, expected: str) -> None:
    assert ended(replace(RUN, exit_code=exit_code, limit=limit)) == expected


@pytest.mark.parametrize(
    ("trace", "wall_s", "live"),
    [
        ((), 9.0, True),
        (((8.99, 3),), 9.0, True),  # one cost at the end may have been found there
        (((8.98, 5), (8.99, 3)), 9.0, False),
        (((3.0, 9), (8.98, 5), (8.99, 3)), 9.0, True),
        (((0.01, 5), (0.02, 3)), 0.1, True),  # a short run
        (((5.0, 5), (5.01, 3)), 9.0, False),  # the wrapper prints the file and goes on
    ],
)
def test_which_traces_say_anything(trace: records.Trace, wall_s: float, *, live: bool) -> None:
    assert is_live(trace, wall_s) == live


@pytest.mark.parametrize("text", ["", "[]", "{}", "c not JSON", '{"run": 3, "limits": 4}', '"x"'])
def test_what_is_no_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(FormatError, match=r"r\.json: not a record"):
        records.read(tmp_path / "r.json")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.wcnf").write_text("h 1 2 0\n1 -1 0\n1 -2 0\n")
    return tmp_path


def program(folder: Path, text: str) -> str:
    path = folder / "solver.py"
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{text}\n")
    path.chmod(0o755)
    return str(path)


def solved(folder: Path, text: str, **options: Any) -> Solved:
    return wcnfgen.solve("x.wcnf", solver=program(folder, text), **options)


def test_a_record_says_all_there_is(tiny: Path) -> None:
    done = wcnfgen.solve("x.wcnf", solver="rc2", wall=20, cores="0", log="x.log.gz")
    record = records.read(done.file)
    assert record == done.record
    assert (record.instance, record.solver, record.driver, record.ended) == (
        "x.wcnf",
        "rc2",
        "local",
        "exit 0",
    )
    assert record.version.startswith("python-sat ") and record.changes == ()
    assert record.limits.cores == frozenset({0}) and record.limits.wall_s == 20
    assert [cost for _, cost in record.trace] == [1] and record.run.output_bytes > 10
    assert record.model_s is not None and record.trace[0][0] <= record.model_s <= record.run.wall_s
    assert record.machine.cores >= 1 and record.machine.memory_mib > 100
    assert wcnfgen.verify("x.wcnf", "x.log.gz").verdict.claims_hold
    assert json.loads(done.file.read_text())["run"]["stdout"] == "x.log.gz"


def test_what_was_changed_for_the_solver_is_in_the_record(tiny: Path) -> None:
    done = wcnfgen.solve("x.wcnf", solver="clingo", wall=20, log="l")
    assert done.record.changes == ("converted from wcnf to wcnf-old",)


def test_the_surroundings_of_a_run(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, a place for temporary files, the language C, the limits by StarExec's names."""
    monkeypatch.setenv("LC_NUMERIC", "de_DE.UTF-8")
    ask = (
        "print('c', os.listdir(), os.environ.get('LC_NUMERIC'), os.environ['LC_ALL'],"
        " os.environ['STAREXEC_WALLCLOCK_LIMIT'], os.listdir(os.environ['TMPDIR']), os.getcwd())"
    )
    solved(tiny, ask, wall=20, log="l")
    said = (tiny / "l").read_text().split()
    assert said[1:6] == ["[]", "None", "C", "28", "[]"]
    assert not Path(said[6]).exists()


def test_costs_that_all_come_at_the_end_are_told(tiny: Path, caplog: pytest.LogCaptureFixture) -> None:
    done = solved(tiny, "time.sleep(0.7); print('o 2\\no 1')", wall=20, log="l")
    assert not done.record.live and len(done.record.trace) == 2
    assert present(done, sys.stdout) == 0
    assert "their times say nothing" in caplog.text


def test_standard_error_is_bounded(tiny: Path) -> None:
    noise = "for _ in range(5000): sys.stderr.write('y' * 99 + '\\n')\nsys.stderr.write('last\\n')"
    done = solved(tiny, noise, wall=20, log="l")
    assert len(done.stderr) < 70_000 and done.stderr.startswith("[...]\ny") and done.stderr.endswith("last\n")
    assert done.record.run.output_bytes > 500_000 - 10_000


def test_output_is_limited(tiny: Path) -> None:
    done = solved(tiny, "while True: print('c', 'x' * 1000)", wall=60, output=1, grace=1, log="l.gz")
    assert done.record.ended == "output limit"
    assert (tiny / "l.gz").stat().st_size < 1 << 20


@pytest.mark.parametrize("cores", ["", "x", "1-", "-1", "3-1", "0,,1", "0-99999999999", "1-2-3", "²"])
def test_cores_that_are_none(tiny: Path, cores: str) -> None:
    with pytest.raises(UsageError, match="--cores"):
        wcnfgen.solve("x.wcnf", cores=cores, log="l")
