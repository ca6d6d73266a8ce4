"""`campaign work`: what the jobs of a queue call."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.campaigning import SAYS, Campaign, fresh, until
from wcnfgen import record as records
from wcnfgen.campaign import planning

campaign = pytest.fixture(fresh)


def test_shards_make_each_run_once(campaign: Campaign) -> None:
    keys = campaign.plan({f"i{place}": SAYS for place in range(7)})
    begun = [campaign.begin("--shard", f"{place}/3", action="work") for place in (1, 2, 3)]
    said = [process.communicate(timeout=60)[0].decode() for process in begun]
    assert [process.returncode for process in begun] == [0, 0, 0]
    assert sorted(text.split()[0] for text in said) == ["2", "2", "3"]
    campaign.must_be_whole(keys)
    assert set(campaign.ran().values()) == {1}


def test_runs_by_key(campaign: Campaign) -> None:
    keys = campaign.plan({f"i{place}": SAYS for place in range(4)})
    code, said = campaign.run("--runs", keys[2], "--runs", keys[0], action="work")
    assert code == 0 and "2 runs made" in said and set(campaign.store.keys()) == {keys[0], keys[2]}
    assert "2 were there" in campaign.run("--runs", keys[2], "--runs", keys[0], action="work")[1]
    assert campaign.run("--runs", "0" * 64, action="work")[0] == 2


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"])
def test_shards_that_are_none(campaign: Campaign, shard: str) -> None:
    campaign.plan({"one": SAYS})
    assert campaign.run(f"--shard={shard}", action="work")[0] == 2


def test_cores(campaign: Campaign) -> None:
    campaign.plan({"one": SAYS})
    core = max(os.sched_getaffinity(0))
    assert campaign.run("--cores", f"{core}", action="work")[0] == 0
    (run,) = planning.runs(campaign.folder)
    assert records.read(campaign.store.run(run.key).record).limits.cores == frozenset({core})


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGUSR1, 75), (signal.SIGTERM, 130), (signal.SIGINT, 130)]
)
def test_a_signal_stops_it_as_if_the_run_had_not_begun(
    campaign: Campaign, sent: signal.Signals, code: int
) -> None:
    keys = campaign.plan({"slow": "sleep 2", "good": SAYS}, attempts=1)
    with campaign.begin(action="work") as process:
        until(lambda: campaign.processes("sleep"))
        process.send_signal(sent)
        out, errors = process.communicate(timeout=30)
    assert process.returncode == code and b"Traceback" not in errors, errors
    assert (b" left\n" in out) == (sent == signal.SIGUSR1)
    campaign.must_be_tidy()
    assert campaign.run(action="work")[0] == 0
    campaign.must_be_whole(keys)
    assert campaign.ran() == {"slow": 2, "good": 1}


def test_killed_it_leaves_nobody(campaign: Campaign) -> None:
    campaign.plan({"slow": "sleep 60"}, attempts=1)
    with campaign.begin(action="work") as process:
        until(lambda: campaign.processes("sleep"))
        process.kill()
        until(lambda: not campaign.processes(), 10)
    (key,) = [run.key for run in planning.runs(campaign.folder)]
    assert campaign.store.tried(key) == 1
    began = time.monotonic()
    code, said = campaign.run(action="work")
    assert code == 1 and "failed: solver on slow" in said and time.monotonic() - began < 20


def test_a_run_finds_its_folders_empty_whatever_the_one_before_left(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    seen = campaign.folder.parent / "seen"
    leaves = ["true", "touch x", "mkdir $TMPDIR/y", "mkdir ../z", "rmdir $TMPDIR", "touch ../w"]
    look = f"echo $(ls -A; ls -A $TMPDIR; ls -A ..) >> {seen}"
    keys = campaign.plan({f"i{place}": f"{look}; {does}; {SAYS}" for place, does in enumerate(leaves * 2)})
    assert campaign.run(action="work")[0] == 0
    campaign.must_be_whole(keys)
    assert set(seen.read_text().splitlines()) == {"cwd stderr.gz tmp"}
    assert not list(tmp_path.glob("wcnfgen-*"))


def test_cores_that_there_are_not(campaign: Campaign) -> None:
    (key,) = campaign.plan({"one": SAYS})
    code, said = campaign.run("--cores", "99999", action="work")
    assert code == 2 and "--cores 99999: this process may use" in said
    assert not campaign.store.tried(key)
