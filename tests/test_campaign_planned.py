"""Planned again: what is there counts, and what differs of the others is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import planned
from tests.planned import BASE, MINE, make, plan, text
from wcnfgen.campaign.settings import Settings
from wcnfgen.campaign.store import Store
from wcnfgen.drivers import Limits

place = pytest.fixture(planned.place)
tried = pytest.fixture(planned.tried)


def test_runs_that_are_there_count(place: Path) -> None:
    plan(place)
    make(place)
    assert plan(place).there == 6
    (place / "x4.wcnf").write_text(text(4))
    made = plan(place)
    assert (made.total, made.there, made.others) == (8, 6, {})
    assert "6 of them are there; 2 to make" in list(made.lines())


def said(folder: Path, made: Settings, **changes: Any) -> Mapping[str, int]:
    """What planning says of the runs of a plan when something has changed."""
    plan(folder, made)
    make(folder)
    return plan(folder, made, **changes).others


@pytest.mark.parametrize(
    ("changes", "others"),
    [
        ({"limits": Limits(wall_s=30, output_mib=100)}, {"wall 60 s, now 30 s": 6}),
        (
            {"limits": Limits(cpu_s=5, wall_s=60, output_mib=100, grace_s=1)},
            {"cpu none, now 5 s, grace 5 s, now 1 s": 6},
        ),
        ({"cores": 2}, {"cores 1, now 2": 6}),
        ({"driver": "cgroup"}, {"driver local, now cgroup": 6}),
        ({"instances": ("x1.wcnf",)}, {"an instance that is not in the plan": 4}),
        ({"solvers": BASE.solvers[:1]}, {"a solver that is not in the plan": 3}),
        ({"seeds": (2,)}, {"seed 1": 6}),
        ({"seeds": ()}, {"seed 1": 6}),
        (
            {"solvers": (replace(BASE.solvers[0], options=("-x", "-y")), BASE.solvers[1])},
            {"options none, now -x -y (rc2)": 3},
        ),
        (
            {"solvers": BASE.solvers[:1], "cores": 2},
            {"cores 1, now 2": 3, "cores 1, now 2, a solver that is not in the plan": 3},
        ),
    ],
)
def test_what_differs_is_said(place: Path, changes: Mapping[str, Any], others: Mapping[str, int]) -> None:
    made = replace(BASE, seeds=(1,)) if "seeds" in changes else BASE
    assert said(place, made, **changes) == others


def test_another_program_and_version_are_said(place: Path, tried: list[str]) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    plan(place, made)
    make(place)
    (place / "bin" / "mine").write_text("#!/bin/sh\necho 2\n")
    others = plan(place, made)
    assert others.others == {"other bytes of its program (mine)": 3}
    assert "3 runs made with other bytes of its program (mine): they stay and do not count" in others.lines()


def test_a_run_that_nobody_knows(place: Path) -> None:
    plan(place)
    Store(place).run("ab" * 32).path.mkdir(parents=True)
    (place / "runs" / ".ab.host.1.2.tmp").mkdir()
    assert plan(place).others == {"unknown settings": 1}


def test_many_kinds_of_others_are_counted(place: Path) -> None:
    for wall in range(1, 16):
        plan(place, limits=Limits(wall_s=wall))
        make(place)
    found = list(plan(place, limits=Limits(wall_s=99)).lines())
    assert found[-2] == "30 runs made with other settings still: they stay and do not count"


def test_time_is_foretold(place: Path) -> None:
    assert list(plan(place).lines())[-1] == "at most 7 min if made one after the other"
    assert list(plan(place, limits=Limits()).lines())[-1] == "no limit on time: a run may never end"
    make(place)
    assert list(plan(place, limits=Limits(cpu_s=5)).lines())[-1] == "no limit on time: a run may never end"
    plan(place)
    make(place)
    assert len(list(plan(place).lines())) == 3
