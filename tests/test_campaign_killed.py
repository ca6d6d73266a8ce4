"""Campaigns that are killed or stopped: every run is made once all the same, and nothing is left of it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import wcnfgen.campaign
from tests.campaigning import MARK, SAYS, Campaign, fresh, until
from wcnfgen import leftovers
from wcnfgen.campaign.engines import local

campaign = pytest.fixture(fresh)


def test_killed_at_any_moment(
    campaign: Campaign, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each round a worker or the master is killed, and in the end every run is there once."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    rounds, dice = (100, random.Random()) if full else (6, random.Random(6))
    keys = campaign.plan(
        {f"i{place:03}": f"sleep 0.{dice.randrange(1, 5)}; {SAYS}" for place in range(20 + rounds * 3)},
        attempts=1000,
    )
    before = campaign.state()
    for _ in range(rounds):
        with campaign.begin("--quiet") as process:
            _disturb(campaign, process, dice)
        until(lambda: not campaign.processes())
        after = campaign.state()
        assert before.items() <= after.items(), "a run was made again"
        before = after
    code, said = campaign.run(seconds=500)
    assert code == 0, said
    campaign.must_be_whole(keys)
    assert before.items() <= campaign.state().items()
    assert list((tmp_path / "tmp").glob("wcnfgen-*")) == []


def _disturb(campaign: Campaign, process: subprocess.Popen[bytes], dice: random.Random) -> None:
    """Kill somebody, and let a master that was not it be stopped in the end."""
    time.sleep(dice.uniform(0, 1.5))
    workers = campaign.workers()
    master = dice.random() < 0.4 or not workers
    with suppress(psutil.NoSuchProcess):
        psutil.Process(process.pid).kill() if master else dice.choice(workers).kill()
    if not master:
        time.sleep(dice.uniform(0, 1.0))
        process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)
    assert process.returncode in ({0, -9} if master else {0, 130}), said


def test_a_run_that_kills_its_watcher_each_time_costs_itself_only(campaign: Campaign) -> None:
    keys = campaign.plan({"bad": "kill -9 $PPID; sleep 60", "good": SAYS, "better": SAYS}, attempts=2)
    code, said = campaign.run("--jobs", "1")
    assert code == 1 and "2 runs made: 2 exit 0" in said and "failed: solver on bad: " in said
    assert said.count("was killed by signal 9; ") == 2, "one warning, and why it failed"
    assert campaign.ran() == {"bad": 2, "good": 1, "better": 1}
    assert len(list(campaign.store.keys())) == 2 and campaign.processes() == []
    assert [each.name for each in campaign.store.runs.glob(".*")] == []
    assert campaign.run()[0] == 1 and campaign.ran()["bad"] == 2, "it was tried often enough"
    assert campaign.run(action="retry")[0] == 0
    assert campaign.run()[0] == 1 and campaign.ran()["bad"] == 4
    assert len(keys) == 3


def test_a_watcher_that_loses_its_way_is_replaced(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = campaign.plan({"one": f"sleep 0.5; {SAYS}"}, wall=2, grace=0.5, attempts=2)
    monkeypatch.setattr(local, "PATIENCE_S", 1.0)
    monkeypatch.setenv(MARK, campaign.mark)

    def stop() -> None:
        until(lambda: campaign.processes("sleep"))
        campaign.workers()[0].suspend()

    thread = threading.Thread(target=stop)
    thread.start()
    ran = wcnfgen.campaign.run(str(campaign.folder))
    thread.join()
    assert ran.exit_code == 0 and ran.ended == {"exit 0": 1} and campaign.ran() == {"one": 2}
    until(lambda: not campaign.workers())
    assert set(campaign.store.keys()) == set(keys)


def test_a_program_that_cannot_start_is_tried_again(campaign: Campaign) -> None:
    campaign.folder.mkdir()
    campaign.solver.write_bytes(b"\x7fELF of another machine")  # which only the kernel sees
    campaign.solver.chmod(0o755)
    (key,) = campaign.plan({"one": ""}, attempts=3)
    code, said = campaign.run()
    assert code == 1 and "cannot start" in said and "0 runs made" in said
    assert campaign.store.tried(key) == 3 and list(campaign.store.keys()) == []


def test_what_a_killed_master_left_is_swept(campaign: Campaign) -> None:
    keys = campaign.plan({"one": "sleep 1; " + SAYS})
    with campaign.begin() as process:
        until(lambda: campaign.processes("sleep"))
        began = time.monotonic()
        process.kill()
        until(lambda: not campaign.processes())
        assert time.monotonic() - began < 0.9, "the solver was stopped, and did not just end"
        process.communicate()
    assert list(campaign.store.keys()) == [] and campaign.store.tried(keys[0]) == 0
    other = campaign.store.runs / f".{keys[0]}.elsewhere-1-1.tmp"
    dead = campaign.store.runs / f".{keys[0]}.{leftovers.machine()}-{2**22 + 1}-1.tmp"
    for each in (other, dead):
        each.mkdir()
    assert campaign.run()[0] == 0 and other.exists() and not dead.exists()
    os.utime(other, (1, 1))
    assert campaign.run()[0] == 0
    campaign.must_be_whole(keys)


# ---------------------------------------------------------------------------- stopped


POLITE = (
    "trap 'sleep 0.4; echo o 1; echo v 10; touch $instance.said; exit' TERM; while :; do sleep 0.05; done"
)


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGTERM"])
def test_stopped_it_goes_on(campaign: Campaign, how: str) -> None:
    """A terminal tells all of the foreground group; a solver that is told twice would lose its grace."""
    keys = campaign.plan({"polite": POLITE, "good": SAYS}, order=1)
    with campaign.begin(
        "--jobs", "2" if len(os.sched_getaffinity(0)) > 1 else "1", start_new_session=True
    ) as process:
        until(lambda: campaign.ran()["polite"])
        time.sleep(0.1)
        if how == "Ctrl-C":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.terminate()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and b"Traceback" not in errors
    assert errors.endswith(b"wcnfgen: interrupted\n") and b"left" in errors, errors
    assert (campaign.folder / "polite.wcnf.said").exists(), "it had its grace"
    assert len(list(campaign.store.keys())) < 2
    campaign.must_be_tidy()
    campaign.solver.write_text(campaign.solver.read_text())
    before = campaign.state()
    (campaign.folder / "polite.wcnf.said").unlink()
    with campaign.begin() as process:
        until(lambda: campaign.ran()["polite"] == 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert before.items() <= campaign.state().items() and len(keys) == 2
    campaign.must_be_tidy()


def test_a_second_ctrl_c_cuts_the_grace_short(campaign: Campaign) -> None:
    campaign.plan({"deaf": "trap '' TERM; while :; do sleep 0.05; done"}, grace=60)
    with campaign.begin() as process:
        until(lambda: campaign.ran()["deaf"])
        time.sleep(0.2)
        began = time.monotonic()
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
        process.communicate(timeout=30)
    assert process.returncode == 130 and time.monotonic() - began < 10
    campaign.must_be_tidy()


def test_two_at_a_time_in_a_folder_are_refused(campaign: Campaign) -> None:
    campaign.plan({"slow": "sleep 60"})
    with campaign.begin() as process:
        until(lambda: campaign.ran()["slow"])
        for action in ("run", "work", "plan"):
            code, said = campaign.run(action=action)
            assert code == 2 and "is at work here" in said
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert campaign.ran() == {"slow": 1}


def test_who_was_killed_could_not_say_why(campaign: Campaign) -> None:
    (key,) = campaign.plan({"one": SAYS}, attempts=2)
    for _ in range(2):
        campaign.store.begun(key, "elsewhere-1-1")
    code, said = campaign.run()
    assert code == 1 and "failed: solver on one: whoever made it was killed" in said


def test_beginnings_of_what_is_there_are_forgotten(campaign: Campaign) -> None:
    """Whoever made the run was killed before he could."""
    keys = campaign.plan({"one": SAYS})
    assert campaign.run()[0] == 0
    campaign.store.begun(keys[0])
    assert campaign.run()[0] == 0
    campaign.must_be_whole(keys)
