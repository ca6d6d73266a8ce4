"""Plans: each run once, in an order, with the solvers that there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import planned
from tests.planned import BASE, MINE, by_name, lines, plan, text
from wcnfgen.campaign import finding, instances, keys, planning, settings
from wcnfgen.campaign.settings import FILE, Entrant
from wcnfgen.campaign.store import PLAN, PLANNED
from wcnfgen.drivers import Limits
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.solvers import Solver

place = pytest.fixture(planned.place)
tried = pytest.fixture(planned.tried)


def test_a_plan_has_each_run_once(place: Path, tried: list[str]) -> None:
    made = plan(place, solvers=(*BASE.solvers, MINE), seeds=(5, 6))
    expected = {(f"x{i}", s, seed) for i in (1, 2, 3) for s in ("rc2", "lsu", "mine") for seed in (5, 6)}
    assert set(by_name(place)) == expected
    assert len(set(by_name(place).values())) == len(lines(place)) == made.total == 18
    assert (made.instances, made.solvers, made.seeds, made.there) == (3, ("rc2", "lsu", "mine"), 2, 0)
    assert next(made.lines()) == "18 runs: 3 instances x 3 solvers x 2 seeds"
    assert made.exit_code == 0


def test_texts_hash_to_keys(place: Path, tried: list[str]) -> None:
    plan(place, solvers=(*BASE.solvers, MINE), seeds=(5,))
    common = planning.read(place)
    for run in lines(place):
        text = common.text(run)
        assert keys.of(text) == run.key
        assert json.loads(text)["seed"] == 5
        assert json.loads(text)["instance"] == common.instances[run.instance].sha256
        assert os.fspath(place) not in text


def test_what_is_read_is_what_was_planned(place: Path, tried: list[str]) -> None:
    plan(place, solvers=(MINE,), seeds=(5,), cores=2, driver="cgroup")
    common = planning.read(place)
    assert common.settings == settings.read(place / FILE)
    mine = common.solvers["mine"]
    assert (mine.entrant, mine.version, mine.binary) == (MINE, "", None)
    assert mine.called == mine.descriptor.binary == os.fspath(place / "bin" / "mine")
    assert mine.descriptor.formats == ("wcnf-old",)
    assert mine.files == (place / "bin" / "core",)
    assert common.file("x1") == place / "x1.wcnf"
    assert common.limits(frozenset({1})) == Limits(wall_s=60, output_mib=100, cores=frozenset({1}))


def test_equal_plans_are_equal_bytes(place: Path) -> None:
    """Whatever the hashes of texts, the language and the folder one stands in."""
    plan(place)
    code = "import sys, wcnfgen.campaign as c; c.plan(sys.argv[1])"
    before = {path.name: path.read_bytes() for path in place.iterdir() if path.suffix in (".csv", ".json")}
    assert set(before) == {PLAN, PLANNED, instances.FILE, finding.FACTS}
    env = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0"}
    env["PYTHONPATH"] = os.fspath(Path(__file__).parents[1])
    subprocess.run([sys.executable, "-c", code, place.name], cwd=place.parent, env=env, check=True)
    for name, old in before.items():
        assert (place / name).read_bytes() == old, name


def test_names_places_order_and_attempts_do_not_change_keys(
    place: Path, tmp_path: Path, tried: list[str]
) -> None:
    plan(place, solvers=(MINE,), seeds=(1,))
    before = {run.key for run in lines(place)}
    plan(place, solvers=(replace(MINE, name="other"),), seeds=(1,), name="n", order=3, attempts=9)
    assert {run.key for run in lines(place)} == before
    (place / "bin").rename(place / "elsewhere")
    for number in (1, 2, 3):
        (place / f"x{number}.wcnf").rename(place / f"y{number}.wcnf")
    plan(place, solvers=(replace(MINE, solver="./elsewhere/mine", files=("elsewhere/core",)),), seeds=(1,))
    assert {run.key for run in lines(place)} == before


@pytest.mark.parametrize(
    "changes",
    [
        {"limits": Limits(wall_s=61, output_mib=100)},
        {"seeds": (2,)},
        {"cores": 2},
        {"driver": "cgroup"},
        {"solvers": (replace(MINE, options=("-s{seed}",)),)},
        {"solvers": (replace(MINE, files=()),)},
        {"solvers": (replace(MINE, line_buffer="pty"),)},
    ],
)
def test_settings_that_matter_change_keys(place: Path, tried: list[str], changes: Mapping[str, Any]) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    plan(place, made)
    before = {run.key for run in lines(place)}
    plan(place, made, **changes)
    assert not before & {run.key for run in lines(place)}


@pytest.mark.parametrize("name", ["bin/mine", "bin/core", "x1.wcnf"])
def test_bytes_change_keys(place: Path, tried: list[str], name: str) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    plan(place, made)
    before = by_name(place)
    with (place / name).open("a") as out:
        out.write("c x\n" if name.startswith("x") else "# x\n")
    plan(place, made)
    same = {run for run, key in by_name(place).items() if before[run] == key}
    assert same == ({run for run in before if run[0] != "x1"} if name == "x1.wcnf" else set())


def test_order(place: Path) -> None:
    for number in range(4, 30):
        (place / f"x{number}.wcnf").write_text(text(number))
    plan(place)
    first = lines(place)
    plan(place, order=1)
    second = lines(place)
    assert set(first) == set(second) and first != second
    assert [run.instance for run in first] != sorted(run.instance for run in first)
    plan(place, limits=Limits(wall_s=1))
    assert [(run.instance, run.solver) for run in lines(place)] == [(r.instance, r.solver) for r in first]
    (place / "x9.wcnf").unlink()
    plan(place)
    assert lines(place) == [run for run in first if run.instance != "x9"]


def test_shards_are_a_partition(place: Path) -> None:
    plan(place)
    for number in (1, 2, 3, 4, 7):
        shards = [list(planning.runs(place, (i, number))) for i in range(1, number + 1)]
        parts = [run.key for shard in shards for run in shard]
        assert sorted(parts) == sorted(run.key for run in lines(place))
        assert max(map(len, shards)) - min(map(len, shards)) <= 1
    for wrong in ((0, 2), (3, 2), (1, 0)):
        with pytest.raises(UsageError, match="shard"):
            next(planning.runs(place, wrong))


# ---------------------------------------------------------------------------- solvers


def test_programs_are_tried_once(place: Path, tried: list[str]) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    for _ in range(2):
        plan(place, made)
        assert planning.read(place).solvers["mine"].descriptor.formats == ("wcnf-old",)
    assert tried == [os.fspath(place / "bin" / "mine")]
    (place / "bin" / "core").write_text("new")
    plan(place, made)
    assert len(tried) == 2


@pytest.mark.parametrize("name", ["mine", "core"])
def test_a_program_that_is_built_anew_is_noticed(place: Path, tried: list[str], name: str) -> None:
    plan(place, solvers=(MINE,), seeds=(1,))
    planning.must_be_unchanged(planning.read(place))
    (place / "bin" / name).write_text("#!/bin/sh\n")
    with pytest.raises(UsageError, match="mine is not the program that was planned with"):
        planning.must_be_unchanged(planning.read(place))
    (place / "bin" / name).unlink()
    with pytest.raises(SolverError):
        planning.must_be_unchanged(planning.read(place))


def test_another_version_of_a_module_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(place)
    planning.must_be_unchanged(planning.read(place))
    monkeypatch.setattr(Solver, "version", lambda solver, binary: "python-sat 99")
    with pytest.raises(UsageError, match="rc2, lsu is not the program that was planned with"):
        planning.must_be_unchanged(planning.read(place))


@pytest.mark.parametrize(
    ("entrants", "error", "says"),
    [
        ([Entrant(name="a", solver="./bin/none")], SolverError, "not installed"),
        ([Entrant(name="a", solver="loandra", binary="./bin/none")], SolverError, "not installed"),
        ([Entrant(name="a", solver="nonsense")], UsageError, "no solver 'nonsense'"),
        ([Entrant(name="a", solver="rc2", binary="./bin/mine")], UsageError, "takes no binary"),
        (
            [Entrant(name="a", solver="rc2"), Entrant(name="b", solver="rc2")],
            UsageError,
            "a and b are the same",
        ),
        ([Entrant(name="a", solver="./bin/mine", files=("bin/x",))], SolverError, "bin/x"),
        ([Entrant(name="a", solver="rc2", options=("{seed}",))], UsageError, "needs a seed"),
    ],
)
def test_solvers_that_cannot_be(
    place: Path, tried: list[str], entrants: list[Entrant], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        plan(place, solvers=tuple(entrants))
    assert not list(place.glob("*.csv")) + list(place.glob("*.json"))


def test_equal_programs_are_different_solvers_with_other_options(place: Path, tried: list[str]) -> None:
    two = (Entrant(name="a", solver="./bin/mine"), Entrant(name="b", solver="./bin/mine", options=("-x",)))
    assert plan(place, solvers=two).total == 6


def test_repetitions_are_said(place: Path, tried: list[str], caplog: pytest.LogCaptureFixture) -> None:
    plan(place, solvers=(*BASE.solvers, MINE), seeds=(1, 2))
    assert "rc2, lsu: no {seed} in the options, so the runs for 2 seeds are repetitions" in caplog.text
    assert "mine" not in caplog.text


# ---------------------------------------------------------------------------- without a plan


def test_no_plan(place: Path) -> None:
    with pytest.raises(UsageError, match="no plan: `wcnfgen campaign plan"):
        planning.read(place)


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"settings": 1}', "settings", "solvers"])
def test_a_damaged_plan(place: Path, damage: str) -> None:
    plan(place)
    found = json.loads((place / PLAN).read_text())
    if damage in found:
        found[damage] = {}
        damage = json.dumps(found)
    (place / PLAN).write_text(damage)
    with pytest.raises(UsageError, match=PLAN):
        planning.read(place)
    assert plan(place).total == 6


def test_a_plan_of_another_version(place: Path) -> None:
    plan(place)
    found = json.loads((place / PLAN).read_text())
    found["solvers"]["rc2"]["descriptor"]["colour"] = "red"
    (place / PLAN).write_text(json.dumps(found))
    with pytest.raises(UsageError, match="not a plan of this version"):
        planning.read(place)


def test_a_plan_that_cannot_be_made_leaves_the_old_one(place: Path) -> None:
    plan(place)
    before = {path.name: path.read_bytes() for path in place.glob("plan.*")}
    with pytest.raises(UsageError):
        plan(place, instances=("none",))
    assert {path.name: path.read_bytes() for path in place.glob("plan.*")} == before
