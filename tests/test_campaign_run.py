"""Campaigns run for real: every run is made once, what is kept of it, and what is no run of the plan."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaigning import SAYS, Campaign, fresh
from wcnfgen import output
from wcnfgen import record as records
from wcnfgen.campaign import planning, worker, working
from wcnfgen.campaign.store import HopelessError
from wcnfgen.files import open_log
from wcnfgen.runs import Scratch

campaign = pytest.fixture(fresh)


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


def test_an_instance_that_changes_while_it_is_solved_has_no_run(campaign: Campaign) -> None:
    (key,) = campaign.plan({"one": f"echo 'c more' >> $instance; {SAYS}"}, attempts=1)
    code, said = campaign.run()
    assert code == 1 and "one.wcnf has changed since the campaign was planned" in said
    assert list(campaign.store.keys()) == [] and campaign.store.tried(key) == 1


def test_a_run_of_another_plan_is_not_made(campaign: Campaign) -> None:
    (key,) = campaign.plan({"one": SAYS})
    common, (run,) = planning.read(campaign.folder), planning.runs(campaign.folder)
    with pytest.raises(HopelessError, match="another plan"):
        working.perform(campaign.folder, replace(run, key=key[::-1]), common, None)
    assert not campaign.ran() and list(campaign.store.unfinished()) == []


def test_a_process_that_made_runs_of_an_old_plan_reads_the_new_one(campaign: Campaign) -> None:
    """As one of Dask's does that has waited since a campaign was killed."""
    with Scratch() as scratch:
        for wall in (60, 61):
            campaign.plan({"one": SAYS}, wall=wall)
            (run,) = planning.runs(campaign.folder)
            cores = frozenset(os.sched_getaffinity(0))
            assert worker.do(scratch, worker.line(campaign.folder, run, cores)) == "exit 0"
            assert records.read(campaign.store.run(run.key).record).limits.wall_s == wall


def test_what_is_no_ascii_is_kept_in_any_language(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    (key,) = campaign.plan({"one": rf"printf 'tsch\303\274ss\n' >&2; {SAYS}"})
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}.items():
        monkeypatch.setenv(name, value)
    assert campaign.run()[0] == 0
    assert campaign.store.run(key).stderr.read_text("utf-8") == "tschüss\n"
