"""Campaigns run for real: every run is made once, whatever happens meanwhile, and nothing is left of it."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

import wcnfgen.campaign
from tests.campaigning import MARK, SAYS, Campaign, quiet, until
from wcnfgen import output
from wcnfgen import record as records
from wcnfgen.campaign import making, planning
from wcnfgen.campaign.engines import local
from wcnfgen.files import open_log


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Campaign]:
    quiet(monkeypatch)
    made = Campaign(tmp_path / "campaign")
    yield made
    for each in made.processes():
        with suppress(psutil.NoSuchProcess):
            each.kill()


def test_every_run_is_made_once_and_never_again(campaign: Campaign) -> None:
    keys = campaign.plan({f"i{place}": SAYS for place in range(5)})
    code, said = campaign.run()
    assert code == 0 and "5 runs made: 5 exit 0" in said
    campaign.must_be_whole(keys)
    before = campaign.state()
    code, said = campaign.run()
    assert code == 0 and "0 runs made\n5 were there\n" in said
    assert campaign.state() == before and set(campaign.ran().values()) == {1}


def test_what_is_kept_of_a_run(campaign: Campaign) -> None:
    keys = campaign.plan({"good": f"echo 'o 2'; {SAYS}; echo oops >&2", "mute": "exit 3"})
    assert campaign.run()[0] == 0
    places = {run.instance: campaign.store.run(run.key) for run in planning.runs(campaign.folder)}
    good, mute = places["good"], places["mute"]
    record = records.read(good.record)
    assert (record.ended, record.instance, record.run.stdout) == ("exit 0", "good.wcnf", Path("output.gz"))
    assert record.solver == "solver" and record.limits.wall_s == 60 and len(record.limits.cores or ()) == 1
    header, *trace = good.trace.read_text().splitlines()
    assert header == "seconds,cost" and [line.split(",")[1] for line in trace] == ["2", "1"]
    claim = output.parse(good.model.read_bytes().splitlines(keepends=True))
    assert (claim.cost, claim.status) == (1, "OPTIMUM FOUND") and claim.model is not None
    assert b"not verified" in good.model.read_bytes()
    with open_log(good.log) as log:
        assert log.read() == b"o 2\no 1\ns OPTIMUM FOUND\nv 10\n"
    assert good.stderr.read_text() == "oops\n"
    assert records.read(mute.record).ended == "exit 3"
    assert {each.name for each in mute.path.iterdir()} == {
        "key.json",
        "record.json",
        "output.gz",
        "trace.csv",
    }
    common = planning.read(campaign.folder)
    for run in planning.runs(campaign.folder):
        assert campaign.store.run(run.key).key.read_text() == common.text(run)
    assert len(keys) == 2


def test_how_a_solver_ends_is_a_result(campaign: Campaign) -> None:
    keys = campaign.plan({"crash": "kill -SEGV $$", "slow": "sleep 60", "ok": SAYS}, wall=1, grace=0.2)
    code, said = campaign.run()
    assert code == 0 and "1 SIGSEGV, 1 exit 0, 1 wall limit" in said
    campaign.must_be_whole(keys)
    assert campaign.run()[0] == 0 and set(campaign.ran().values()) == {1}


def test_a_solver_that_does_not_take_an_instance_is_a_result(campaign: Campaign) -> None:
    keys = campaign.plan({"plain": ""}, solvers=["lsu"])
    (campaign.folder / "heavy.wcnf").write_text("h 1 2 0\n3 -1 0\n5 -2 0\n")
    keys = campaign.plan({"plain": ""}, solvers=["lsu"])
    code, said = campaign.run()
    assert code == 0 and "1 exit 0, 1 refused" in said
    campaign.must_be_whole(keys)
    refused = [run for run in map(campaign.store.run, keys) if run.refused.exists()]
    assert len(refused) == 1 and "soft weights up to 1" in refused[0].refused.read_text()
    assert {each.name for each in refused[0].path.iterdir()} == {"key.json", "refused.json"}
    assert "2 were there" in campaign.run()[1]


# ---------------------------------------------------------------------------- kill -9


def test_killed_at_any_moment(campaign: Campaign, full: bool) -> None:
    """In each round a worker or the master is killed, and in the end every run is there once."""
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
    campaign.solver.write_text("#!/no/such/interpreter\n")
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
    other = campaign.store.runs / f".{keys[0]}.elsewhere.1.1.tmp"
    dead = campaign.store.runs / f".{keys[0]}.{making.machine()}.{2**22 + 1}.1.tmp"
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


# ---------------------------------------------------------------------------- a full disk


NOISE = "head -c 3000000 /dev/urandom | base64"


def test_a_full_disk_stops_the_campaign_and_it_goes_on(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)]
    if (
        os.geteuid() != 0
        or not shutil.which("mount")
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("no file system can be mounted here: this takes root; the next test does without")
    try:
        small = Campaign(disk / "campaign")
        keys = small.plan({"loud": NOISE, **{f"i{place}": SAYS for place in range(3)}})
        code, said = small.run()
        assert code == 1 and "No space left" in said and "the same command goes on" in said
        small.must_be_tidy()
        assert len(list(small.store.keys())) < 4
        before = small.state()
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        assert small.run()[0] == 0
        small.must_be_whole(keys)
        assert before.items() <= small.state().items()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_no_room_for_a_file_stops_the_campaign_and_it_goes_on(campaign: Campaign) -> None:
    """What the kernel says of a file that may not be so large is handled as a full disk is."""
    keys = campaign.plan({"loud": NOISE, **{f"i{place}": SAYS for place in range(3)}})

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    code, said = campaign.run(preexec_fn=small)
    assert code == 1 and "File too large" in said and "the same command goes on" in said
    campaign.must_be_tidy()
    before = campaign.state()
    assert campaign.run()[0] == 0
    campaign.must_be_whole(keys)
    assert before.items() <= campaign.state().items()


# ---------------------------------------------------------------------------- the instance, the plan


def test_another_instance_than_planned_is_not_run(campaign: Campaign) -> None:
    keys = campaign.plan({"one": SAYS, "two": SAYS}, attempts=1)
    (campaign.folder / "one.wcnf").write_text("c does exit\n1 1 0\n")
    code, said = campaign.run()
    assert code == 1 and "one.wcnf has changed since the campaign was planned" in said
    assert campaign.ran() == {"two": 1} and len(keys) == 2


def test_another_plan_or_program_than_campaign_toml_says_is_refused(campaign: Campaign) -> None:
    campaign.plan({"one": SAYS})
    settings = campaign.folder / "campaign.toml"
    before = settings.read_text()
    settings.write_text(before.replace("wall = 60", "wall = 61"))
    code, said = campaign.run()
    assert code == 2 and "is not what was planned: `wcnfgen campaign plan" in said
    settings.write_text(before)
    campaign.solver.write_text(campaign.solver.read_text() + "# changed\n")
    assert campaign.run()[0] == 2 and campaign.run(action="work")[0] == 2
    assert campaign.run("--engine", "nothing")[0] == 2
