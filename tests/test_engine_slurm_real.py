"""Campaigns on a real Slurm of one node."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import engines
from tests.campaigning import until
from tests.engines import submit
from tests.slurm import Cluster, cluster
from wcnfgen import reproduce
from wcnfgen.campaign.store import Store
from wcnfgen.experiments.making import Made


@pytest.fixture(scope="module")
def slurm() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture
def here(slurm: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """As the user sees it."""
    for name, value in slurm.environment.items():
        monkeypatch.setenv(name, value)
    return slurm


def test_a_campaign_on_slurm(tmp_path: Path, here: Cluster) -> None:
    """Two arrays, as one cannot have so many tasks; then it is collected, without anybody waiting."""
    campaign = engines.made(tmp_path / 'it\'s a "place"', number=12, seconds=0.8)
    lines = submit(campaign, "--chunk", "1")
    assert lines[0].startswith("12 runs in 12 tasks")
    assert submit(campaign) == ["12 runs are in the queue already", "there is nothing to submit"]
    here.wait(90)
    campaign.assert_complete()
    campaign.assert_apart()
    assert len(campaign.ran) == 12
    assert (campaign.folder / "results.csv").read_text().count("exit 30") == 12
    assert len(list((campaign.folder / "submit/1/logs").glob("*_*.log"))) == 12


def test_tasks_that_are_stopped_or_begin_again_lose_no_run(tmp_path: Path, here: Cluster) -> None:
    """One is told that its time is up, one is requeued as for a more urgent job, one is cancelled."""
    campaign = engines.made(tmp_path, number=6, seconds=1.5)
    submit(campaign, "--chunk", "2")
    job = (campaign.folder / "submit/1/jobs.txt").read_text().split()[0]
    campaign.wait_for(2)
    here.call("scancel", "--batch", "--signal=USR1", f"{job}_1")
    here.call("scontrol", "requeue", f"{job}_2")
    until(lambda: here.jobs().get(f"{job}_3") == "RUNNING")
    until(lambda: len(campaign.solvers()) == 1)
    here.call("scancel", f"{job}_3")
    here.wait(60)
    third = (campaign.folder / "submit/1/runs.txt").read_text().split()[4:]
    assert campaign.there == sorted(set(campaign.keys) - set(third))
    assert Store(campaign.folder).tried(third[0]) == 0, "who is stopped takes the attempt back"
    assert submit(campaign)[0].startswith("2 runs in 2 tasks")
    here.wait(60)
    campaign.assert_complete()
    assert len(campaign.ran) == 6, "each came to its end once"


def test_an_experiment_on_slurm(tmp_path: Path, here: Cluster) -> None:
    """Its steps are tasks of an array; whoever comes back finds what they made."""
    how = {"scale": "tiny", "engine": "slurm", "output": str(tmp_path / "it")}
    first = reproduce("narodytska-4", **how)  # type: ignore[arg-type]
    assert isinstance(first, Made) and "given to Slurm as job" in first.waiting
    here.wait(60)
    again = reproduce("narodytska-4", **how)  # type: ignore[arg-type]
    assert isinstance(again, Made) and again.found is not None
