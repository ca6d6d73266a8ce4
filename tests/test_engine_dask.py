"""Campaigns on Dask: a scheduler and workers on loopback, some of which die."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from tests import engines
from tests.campaigning import until
from tests.optional import needs
from wcnfgen.campaign import actions, planning
from wcnfgen.campaign.engines import dask
from wcnfgen.campaign.store import Store
from wcnfgen.errors import UsageError, WcnfgenError

CORES = sorted(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def installed() -> None:
    needs(find_spec("distributed") and find_spec("dask_jobqueue"), "Dask (the extra dask)")


@dataclass(frozen=True, slots=True)
class Machines:
    """A scheduler and its workers: each a process, as on machines of their own."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """Two workers of one thread each, under ``taskset``."""
    file = tmp_path / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    with ExitStack() as stack:
        scheduler = _start(stack, "scheduler", *options)
        until(lambda: file.exists() and file.read_text().endswith("}"))
        made = Machines(json.loads(file.read_text())["address"], scheduler)
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path)]
        for core in CORES[:2]:
            with on(core):
                made.workers.append(_start(stack, "worker", made.address, *options))
        yield made


@contextmanager
def on(core: int) -> Iterator[None]:
    """What is started meanwhile has this core only."""
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)


def _start(stack: ExitStack, what: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
    process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
    stack.callback(process.kill)
    return process


def _below(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def test_a_worker_that_is_killed_costs_no_run_and_leaves_no_solver(
    tmp_path: Path, machines: Machines
) -> None:
    campaign = engines.made(tmp_path, number=6, seconds=0.7)
    command = [sys.executable, "-m", "wcnfgen", "campaign", "run", str(campaign.folder)]
    with subprocess.Popen([*command, "--engine", "dask", "--address", machines.address]) as run:
        campaign.wait_for(2, run)
        killed = machines.workers[0]
        until(lambda: any(str(campaign.solver) in each.cmdline() for each in _below(killed.pid)))
        below = _below(killed.pid)
        killed.kill()
        assert not psutil.wait_procs(below, timeout=5)[1], "what it had started outlives it"
        assert run.wait(60) == 0
    campaign.assert_complete()
    campaign.assert_apart()
    assert len(campaign.ran) == 6, "each came to its end once"
    assert not campaign.solvers()
    assert not _below(machines.workers[1].pid), "nothing waits on a worker when all is done"


def test_ctrl_c_stops_everything_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """On workers that were started for it; a terminal's Ctrl-C goes to all processes."""
    campaign = engines.made(tmp_path, number=4, seconds=2.0)
    command = [sys.executable, "-m", "wcnfgen", "campaign", "run", str(campaign.folder), "--engine", "dask"]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as run:
        campaign.wait_for(2, run)
        until(lambda: bool(campaign.solvers()))
        below = _below(run.pid)
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate(timeout=60)[1]
        assert run.returncode == 130
    assert "Traceback" not in said
    assert not psutil.wait_procs(below, timeout=5)[1]
    begun = set(campaign.keys) - set(campaign.there)
    assert len(begun) == 2 and not any(Store(campaign.folder).tried(key) for key in begun)
    assert campaign.call("run") == 0, "whatever made a run, it is the same"
    campaign.assert_complete()
    campaign.assert_apart()


def test_ctrl_c_stops_what_runs_on_workers_that_live_on(tmp_path: Path, machines: Machines) -> None:
    campaign = engines.made(tmp_path, number=3, seconds=30.0)
    command = [sys.executable, "-m", "wcnfgen", "campaign", "run", str(campaign.folder)]
    with subprocess.Popen([*command, "--engine", "dask", "--address", machines.address]) as run:
        until(lambda: len(campaign.solvers()) == 2, unless=run.poll)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
    assert not campaign.solvers()
    assert not any(_below(worker.pid) for worker in machines.workers)
    assert not any(Store(campaign.folder).tried(key) for key in campaign.keys)


def test_an_address_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = engines.made(tmp_path, number=1, seconds=0)
    monkeypatch.setattr(dask, "CONNECT_S", 0.5)
    for address, says in {
        "tcp://127.0.0.1:1": "no scheduler of Dask",
        "SlurmCluster": "one of .*SLURMCluster",
        "SLURMCluster": "how many jobs",
    }.items():
        with pytest.raises(UsageError, match=says):
            actions.run(str(campaign.folder), engine="dask", address=address)


def test_a_worker_that_cannot_make_runs_ends_the_campaign(tmp_path: Path, machines: Machines) -> None:
    """And not each run with as many attempts as it has."""
    campaign = engines.made(tmp_path, number=2, seconds=0, more="cores = 2")
    with pytest.raises(WcnfgenError, match="cannot make runs: UsageError: each run is to have 2 cores"):
        actions.run(str(campaign.folder), engine="dask", address=machines.address)
    (run, *_) = planning.runs(campaign.folder)
    with pytest.raises(WcnfgenError, match="does not see"):
        dask._make("flight", str(tmp_path / "elsewhere"), run, 1)


def test_without_the_package_it_says_which_extra_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = engines.made(tmp_path, number=1, seconds=0)
    monkeypatch.setattr(dask, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=re.escape("pip install 'wcnfgen[dask]'")):
        actions.run(str(campaign.folder), engine="dask")


def test_a_scheduler_that_dies_is_said(tmp_path: Path, machines: Machines) -> None:
    """What its workers are at comes to its end, and counts."""
    campaign = engines.made(tmp_path, number=3, seconds=1.0)
    command = [sys.executable, "-m", "wcnfgen", "campaign", "run", str(campaign.folder)]
    with subprocess.Popen(
        [*command, "--engine", "dask", "--address", machines.address], stderr=subprocess.PIPE, text=True
    ) as run:
        until(lambda: bool(campaign.solvers()), unless=run.poll)
        machines.scheduler.kill()
        said = run.communicate(timeout=60)[1]
        assert run.returncode == 1
    assert "the scheduler of Dask is gone" in said
    assert "Traceback" not in said
    assert campaign.call("run") == 0
    campaign.assert_complete()
