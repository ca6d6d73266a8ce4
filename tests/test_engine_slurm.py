"""Campaigns on Slurm: the scripts, with a Slurm that is played."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import engines, slurm
from tests.campaigning import until
from tests.engines import Campaign, submit
from tests.slurm import Played
from wcnfgen.campaign import actions
from wcnfgen.campaign import engines as engines_there
from wcnfgen.campaign.store import Store
from wcnfgen.errors import UsageError, WcnfgenError

played = pytest.fixture(slurm.played)


def asked(campaign: Campaign, number: int = 1, script: str = "array") -> dict[str, str]:
    """What a script asks Slurm for."""
    text = (campaign.folder / "submit" / str(number) / f"{script}.sbatch").read_text()
    found = re.findall(r"^#SBATCH --([a-z-]+)(?:=(.*))?$", text, re.MULTILINE)
    assert len(found) == text.count("\n#SBATCH --")
    return dict(found)


def test_each_run_is_made_once_in_arrays_that_slurm_can_take_wherever_the_campaign_is(
    tmp_path: Path, played: Played
) -> None:
    campaign = engines.made(tmp_path / "it's a \"place\" of $HOME; 'x", number=5, seconds=0)
    lines = submit(campaign, "--chunk", "2")
    assert lines[0].startswith("5 runs in 3 tasks: ") and lines[1].startswith("jobs 70, 71, 72;")
    assert {call[0] for call in played.calls} == {str(campaign.folder)}
    first, second, last = (call[1:] for call in played.calls)
    assert first == ["--parsable", "--array=1-2", "submit/1/array.sbatch"]
    assert second == ["--parsable", "--array=1-1", "submit/1/array.sbatch", "2"]
    assert last == ["--parsable", "--dependency=afterany:70:71", "submit/1/collect.sbatch"]
    keys = (campaign.folder / "submit" / "1" / "runs.txt").read_text().split()
    assert keys == campaign.keys
    played.make(played.calls[0])
    assert campaign.there == sorted(keys[:4])
    played.make(played.calls[1])
    campaign.assert_complete()
    played.make(played.calls[2])
    assert (campaign.folder / "results.csv").read_text().count("exit 30") == 5


def test_only_what_is_missing_and_not_in_the_queue_is_submitted(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path, number=4, seconds=0)
    first, *others = campaign.keys
    assert campaign.call("work", "--runs", first) == 0
    submit(campaign)
    assert (campaign.folder / "submit/1/runs.txt").read_text().split() == others
    played.queue(5, 70, 71)
    assert submit(campaign) == ["3 runs are in the queue already", "there is nothing to submit"]
    played.queue(5)
    assert submit(campaign)[0].startswith("3 runs in 3 tasks")
    assert (campaign.folder / "submit/2/runs.txt").read_text().split() == others
    assert campaign.call("work") == 0
    assert submit(campaign) == ["there is nothing to submit"]


def test_what_failed_too_often_is_not_submitted(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path, number=2, seconds=0, more="attempts = 2")
    bad, good = campaign.keys
    store = Store(campaign.folder)
    store.begun(good, "x")
    for _ in range(2):
        store.begun(bad, "x")
    submit(campaign)
    assert (campaign.folder / "submit/1/runs.txt").read_text().split() == [good]


def test_the_script_asks_for_more_than_the_limits(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path, number=10, seconds=0, wall=100.0, more="cores = 2")
    submit(
        campaign,
        "--chunk",
        "5",
        "--at-most",
        "3",
        "--partition",
        "long",
        "--extra=--qos=a b",
        "--extra=#SBATCH -x n1",
    )
    found = asked(campaign)
    lead = int(found["signal"].removeprefix("B:USR1@"))
    days, clock = found["time"].split("-")
    hours, minutes, seconds = map(int, clock.split(":"))
    long = ((int(days) * 24 + hours) * 60 + minutes) * 60 + seconds
    assert found["cpus-per-task"] == "2" and int(found["mem"].removesuffix("M")) >= 564 + 256
    assert 1 + 30 < lead < 300, "the solver's grace and some more"
    assert long - lead - 60 >= 5 * 101, "runs that last as long as they may are not signalled"
    assert long <= 5 * 101 + 600, "and the queue is not asked for much more"
    assert {"requeue": "", "open-mode": "append", "partition": "long", "qos": "a b"}.items() <= found.items()
    text = (campaign.folder / "submit/1/array.sbatch").read_text()
    assert text.count("#SBATCH -x n1\n") == 1
    assert text.index("#SBATCH -x") > text.rindex("#SBATCH --"), "what the user says wins"
    assert asked(campaign, script="collect")["partition"] == "long"
    assert [call[2] for call in played.calls[:2]] == ["--array=1-2%3", "--dependency=afterany:70"]


def test_with_at_most_an_array_waits_for_the_one_before(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path, number=5, seconds=0)
    submit(campaign, "--chunk", "1", "--at-most", "2")
    assert [call[2:4] for call in played.calls] == [
        ["--array=1-2%2", "submit/1/array.sbatch"],
        ["--array=1-2%2", "--dependency=afterany:70"],
        ["--array=1-1%2", "--dependency=afterany:71"],
        ["--dependency=afterany:70:71:72", "submit/1/collect.sbatch"],
    ]


def test_without_a_limit_on_time_somebody_has_to_say_one(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path, number=1, seconds=0, wall=float("inf"))
    with pytest.raises(UsageError, match=re.escape("--extra=--time=")):
        actions.submit(str(campaign.folder))
    assert not played.calls
    submit(campaign, "--extra=--time=1:00:00")
    assert asked(campaign)["time"] == "1:00:00"


def test_a_dry_run_submits_nothing_and_says_how(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path / "a b", number=5, seconds=0)
    lines = submit(campaign, "--chunk", "1", "--dry-run")
    assert not played.calls
    assert lines[1:4] == [
        "nothing was submitted; to do it by hand:",
        f"    cd {shlex.quote(str(campaign.folder))}",
        "    sbatch --parsable --array=1-2 submit/1/array.sbatch",
    ]
    assert lines[-1] == "    sbatch --parsable --dependency=afterany:ID1:ID2:ID3 submit/1/collect.sbatch"


def test_a_dry_run_needs_no_slurm_and_anything_else_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = engines.made(tmp_path, number=1, seconds=0)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert submit(campaign, "--dry-run")[0].startswith("1 runs in 1 tasks")
    with pytest.raises(UsageError, match="there is no sbatch here"):
        actions.submit(str(campaign.folder))


def test_what_slurm_complains_of_is_said_and_what_was_submitted_is_known(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = engines.made(tmp_path, number=9, seconds=0)
    monkeypatch.setenv("FULL", "yes")
    with pytest.raises(WcnfgenError, match="QOSMaxSubmitJobPerUserLimit"):
        actions.submit(str(campaign.folder), chunk=1)
    assert (campaign.folder / "submit/1/jobs.txt").read_text() == "70\n"


def test_a_folder_whose_name_slurm_would_change(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path / "100%a", number=1, seconds=0)
    with pytest.raises(UsageError, match="rename the folder"):
        actions.submit(str(campaign.folder))


def test_another_engine_is_not_submitted_to(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="wcnfgen campaign run"):
        actions.submit(str(tmp_path), engine="dask")


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM])
def test_a_task_that_is_stopped_leaves_nothing_and_goes_on_when_it_begins_again(
    tmp_path: Path, played: Played, number: signal.Signals
) -> None:
    campaign = engines.made(tmp_path, number=2, seconds=1.5)
    submit(campaign, "--chunk", "2")
    environment = os.environ | {"SLURM_ARRAY_TASK_ID": "1", "SLURM_JOB_ID": "77"}
    command = ["bash", "submit/1/array.sbatch"]
    with subprocess.Popen(command, cwd=campaign.folder, env=environment) as task:
        campaign.wait_for(1)
        until(lambda: len(campaign.solvers()) == 1)
        task.send_signal(number)
        assert task.wait(20) == {signal.SIGUSR1: 75, signal.SIGTERM: 143}[number]
    assert not campaign.solvers()
    assert len(campaign.there) == 1
    assert Store(campaign.folder).tried(next(iter(set(campaign.keys) - set(campaign.there)))) == 0
    requeued = [call for call in played.calls if "requeue" in call]
    assert [call[1:] for call in requeued] == ([["requeue", "77"]] if number == signal.SIGUSR1 else [])
    subprocess.run(command, cwd=campaign.folder, env=environment, check=True)
    campaign.assert_complete()
    assert len(campaign.ran) == 2


def test_a_solver_that_is_told_to_stop_before_its_worker_is_has_no_result(
    tmp_path: Path, played: Played
) -> None:
    """A queue tells all processes of a task, in no certain order."""
    campaign = engines.made(tmp_path, number=1, seconds=30)
    submit(campaign)
    environment = os.environ | {"SLURM_ARRAY_TASK_ID": "1", "SLURM_JOB_ID": "77"}
    with subprocess.Popen(
        ["bash", "submit/1/array.sbatch"], cwd=campaign.folder, env=environment, start_new_session=True
    ) as task:
        until(lambda: bool(campaign.solvers()), unless=task.poll)
        for solver in campaign.solvers():
            solver.terminate()
        time.sleep(0.05)
        task.terminate()
        assert task.wait(20) == 143
    assert not campaign.there
    assert Store(campaign.folder).tried(campaign.keys[0]) == 0


def test_a_task_goes_into_the_queue_again_some_times_only(tmp_path: Path, played: Played) -> None:
    campaign = engines.made(tmp_path, number=1, seconds=30)
    submit(campaign)
    environment = os.environ | {"SLURM_ARRAY_TASK_ID": "1", "SLURM_JOB_ID": "77", "SLURM_RESTART_COUNT": "20"}
    command = ["bash", "submit/1/array.sbatch"]
    with subprocess.Popen(command, cwd=campaign.folder, env=environment) as task:
        until(lambda: len(campaign.solvers()) == 1)
        task.send_signal(signal.SIGUSR1)
        assert task.wait(20) == 75
    assert not [call for call in played.calls if "requeue" in call]


def test_two_workers_on_one_shard_leave_each_run_once(tmp_path: Path) -> None:
    """A lost node's orphan runs on while its task has begun again elsewhere."""
    campaign = engines.made(tmp_path, number=3, seconds=0.4)
    command = [sys.executable, "-m", "wcnfgen", "campaign", "work", str(campaign.folder)]
    workers = [subprocess.Popen(command) for _ in range(2)]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    campaign.assert_complete()
    campaign.assert_apart()


def test_what_is_a_queue_and_what_is_not(tmp_path: Path) -> None:
    assert [engines_there.is_queue(name) for name in ("local", "dask", "slurm")] == [False, False, True]
    with pytest.raises(UsageError, match="campaign submit CAMPAIGN --engine slurm"):
        engines_there.get("slurm")
    with pytest.raises(UsageError, match=r"no engine 'none'; there is .*slurm"):
        engines_there.queue("none")


def test_what_is_not_what_was_planned_is_not_submitted(tmp_path: Path, played: Played) -> None:
    """Each task would refuse it."""
    campaign = engines.made(tmp_path, number=1, seconds=0)
    settings = campaign.folder / "campaign.toml"
    settings.write_text(settings.read_text().replace("wall = 20", "wall = 21"))
    with pytest.raises(UsageError, match="is not what was planned"):
        actions.submit(str(campaign.folder))
    assert not played.calls
