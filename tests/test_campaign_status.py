"""How far a campaign is, what failed, and who is at work."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen import campaign, lock
from wcnfgen import record as records
from wcnfgen.campaign import planning, settings
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.campaign.settings import FILE, Entrant, Settings
from wcnfgen.campaign.store import LOCK, Store
from wcnfgen.drivers import Limits, Run
from wcnfgen.errors import UsageError
from wcnfgen.record import Record

BASE = Settings(
    name="test",
    instances=("*.wcnf",),
    solvers=(Entrant(name="rc2", solver="rc2"), Entrant(name="lsu", solver="lsu")),
    limits=Limits(wall_s=60),
    attempts=2,
)
RUN = Run(
    command=("solver",),
    exit_code=0,
    limit=None,
    wall_s=1.5,
    cpu_s=1.5,
    peak_mib=10,
    signalled_s=None,
    killed=False,
    output_bytes=0,
    stdout=None,
    stderr=None,
)
RECORD = Record(
    wcnfgen="1.2.3",
    instance="x",
    instance_sha256="",
    changes=(),
    solver="rc2",
    version="",
    driver="local",
    limits=Limits(),
    run=RUN,
    trace=((0.5, 3),),
    live=True,
    machine=records.machine(),
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A plan of 4 instances and 2 solvers."""
    for number in range(4):
        (tmp_path / f"x{number}.wcnf").write_text(f"h 1 2 0\n{number + 1} -1 0\n1 -2 0\n")
    plan(tmp_path)
    return tmp_path


def plan(folder: Path, **changes: Any) -> None:
    settings.write(replace(BASE, **changes), folder / FILE)
    campaign.plan(os.fspath(folder))


def of(folder: Path, solver: str) -> list[PlannedRun]:
    return [run for run in planning.runs(folder) if run.solver == solver]


def make(folder: Path, run: PlannedRun, **how: Any) -> None:
    target = Store(folder).run(run.key)
    target.path.mkdir(parents=True)
    records.write(replace(RECORD, run=replace(RUN, **how)), target.record)


def counts(folder: Path) -> dict[str, dict[str, int]]:
    return {name: dict(each) for name, each in campaign.status(os.fspath(folder)).solvers.items()}


# ---------------------------------------------------------------------------- counts


def test_nothing_is_there(place: Path) -> None:
    found = campaign.status(os.fspath(place))
    assert counts(place) == {"rc2": {"waiting": 4}, "lsu": {"waiting": 4}}
    assert (found.total, found.there, found.others, found.doing, found.exit_code) == (8, 0, 0, "", 0)
    assert list(found.lines()) == [
        "solver  waiting",
        "rc2           4",
        "lsu           4",
        "0 of 8 runs are there, 0 %",
    ]


def test_how_runs_ended(place: Path) -> None:
    rc2, lsu, store = of(place, "rc2"), of(place, "lsu"), Store(place)
    make(place, rc2[0], exit_code=30)
    make(place, rc2[1], exit_code=-11)
    make(place, rc2[2], exit_code=-15, limit="wall")
    store.run(lsu[0].key).path.mkdir(parents=True)
    store.run(lsu[0].key).refused.write_text('{"reason": "too heavy"}')
    store.run(lsu[1].key).path.mkdir(parents=True)
    for _ in range(2):
        store.begun(lsu[2].key)
        store.failed(lsu[2].key, "no space")
    store.begun(lsu[3].key)
    assert counts(place) == {
        "rc2": {"exit 30": 1, "SIGSEGV": 1, "wall limit": 1, "waiting": 1},
        "lsu": {"refused": 1, "damaged": 1, "failed": 1, "waiting": 1},
    }
    found = campaign.status(os.fspath(place))
    assert (found.total, found.there, found.others) == (8, 5, 0)
    assert list(found.lines()) == [
        "solver  SIGSEGV  damaged  exit 30  refused  wall limit  failed  waiting",
        "rc2           1        0        1        0           1       0        1",
        "lsu           0        1        0        1           0       1        1",
        "5 of 8 runs are there, 62 %",
    ]


def test_other_runs_are_counted(place: Path) -> None:
    for run in planning.runs(place):
        make(place, run)
    (place / "runs" / ".ab.host.1.2.tmp").mkdir()
    plan(place, solvers=BASE.solvers[:1])
    found = campaign.status(os.fspath(place))
    assert (found.total, found.there, found.others) == (4, 4, 4)
    assert list(found.lines())[-2:] == [
        "4 of 4 runs are there, 100 %",
        "4 more are there that were made with other settings",
    ]


@given(seed=st.integers(0, 2**32))
def test_all_runs_are_counted_once(seed: int, place_once: Path) -> None:
    """Whatever became of each."""
    random, store = Random(seed), Store(place_once)
    runs = list(planning.runs(place_once))
    expected = dict.fromkeys(("exit 0", "refused", "failed", "waiting"), 0)
    for run in runs:
        target = store.run(run.key)
        for file in (target.record, target.refused):
            file.unlink(missing_ok=True)
        if target.path.is_dir():
            target.path.rmdir()
        store.over(run.key)
        state = random.choice(list(expected))
        expected[state] += 1
        if state == "exit 0":
            make(place_once, run)
        elif state == "refused":
            target.path.mkdir(parents=True)
            target.refused.write_text("{}")
        else:
            for _ in range(2 if state == "failed" else random.randrange(2)):
                store.begun(run.key)
    found = campaign.status(os.fspath(place_once))
    total = {state: sum(each[state] for each in found.solvers.values()) for state in expected}
    assert total == expected
    assert (found.total, found.others) == (len(runs), 0)


@pytest.fixture(scope="module")
def place_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("once")
    for number in range(4):
        (folder / f"x{number}.wcnf").write_text(f"h 1 2 0\n{number + 1} -1 0\n")
    plan(folder)
    return folder


def test_no_module_hides_an_action() -> None:
    """As an attribute of the package, a module would take its place as soon as it is imported."""
    modules = {path.stem for path in Path(campaign.__path__[0]).iterdir()}
    assert not modules & set(campaign.__all__)


def test_without_a_plan(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no campaign\.toml"):
        campaign.status(os.fspath(tmp_path))
    settings.write(BASE, tmp_path / FILE)
    with pytest.raises(UsageError, match="no plan"):
        campaign.status(os.fspath(tmp_path))


def test_while_it_runs(place: Path) -> None:
    key = of(place, "rc2")[0].key
    for _ in range(2):
        Store(place).begun(key)
    assert counts(place)["rc2"] == {"failed": 1, "waiting": 3}
    with lock.held(place / LOCK, "wcnfgen campaign run"):
        assert counts(place)["rc2"] == {"running": 1, "waiting": 3}
        found = campaign.status(os.fspath(place))
        assert found.there == 0
        assert f"at work: `wcnfgen campaign run` (process {os.getpid()} on " in list(found.lines())[-1]
        Store(place).failed(key, "killed")
        assert counts(place)["rc2"] == {"failed": 1, "waiting": 3}


# ---------------------------------------------------------------------------- retry


def fail(folder: Path) -> None:
    for run in planning.runs(folder):
        for _ in range(2):
            Store(folder).begun(run.key)


def test_retry_forgets_what_failed(place: Path) -> None:
    fail(place)
    tried_once, made, *_ = of(place, "lsu")
    Store(place).taken_back(tried_once.key)
    make(place, made)  # its attempts are there still: it was killed before it could forget them
    assert list(campaign.retry(os.fspath(place)).lines()) == ["6 of 6 failed runs are to be tried again"]
    assert counts(place) == {"rc2": {"waiting": 4}, "lsu": {"waiting": 3, "exit 0": 1}}
    assert Store(place).tried(tried_once.key) == 1
    done = campaign.retry(os.fspath(place))
    assert (list(done.lines()), done.exit_code) == (["no run has failed"], 0)


def test_retry_some(place: Path) -> None:
    fail(place)
    first = campaign.retry(os.fspath(place), solver="rc2", instance="x[01]")
    assert (first.number, first.failed) == (2, 8)
    assert counts(place) == {"rc2": {"waiting": 2, "failed": 2}, "lsu": {"failed": 4}}
    assert {run.instance for run in of(place, "rc2") if not Store(place).tried(run.key)} == {"x0", "x1"}
    assert campaign.retry(os.fspath(place), instance="x1").number == 1
    with pytest.raises(UsageError, match="--solver nonsense: there is rc2, lsu"):
        campaign.retry(os.fspath(place), solver="nonsense")


# ---------------------------------------------------------------------------- one at a time


@pytest.mark.parametrize("action", [campaign.plan, campaign.retry])
def test_one_at_a_time(place: Path, action: Callable[[str], Any]) -> None:
    for shared in (False, True):
        with (
            lock.held(place / LOCK, "wcnfgen campaign work", shared=shared),
            pytest.raises(UsageError, match=r"`wcnfgen campaign work` \(process \d+ on .*\) is at work here"),
        ):
            action(os.fspath(place))
    action(os.fspath(place))
