"""Campaigns that are planned and not run, for tests; runs are there as they are written by hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns import COSTLY, recorded, v, write_log
from wcnfgen import campaign, launch, record, solvers
from wcnfgen.campaign import collecting, planning, results, settings, tables
from wcnfgen.campaign.collected import Collected
from wcnfgen.campaign.planned import Planned
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.campaign.results import Result
from wcnfgen.campaign.settings import FILE, Entrant, Settings
from wcnfgen.campaign.store import Run, Store
from wcnfgen.drivers import Limits
from wcnfgen.solvers import Solver

BASE = Settings(
    name="test",
    instances=("*.wcnf",),
    solvers=(Entrant(name="rc2", solver="rc2"), Entrant(name="lsu", solver="lsu")),
    limits=Limits(wall_s=60, output_mib=100),
)
MINE = Entrant(name="mine", solver="./bin/mine", files=("bin/core",), options=("--seed={seed}",))


def text(number: int) -> str:
    return f"h 1 2 0\n{number} -1 0\n1 -2 0\n"


def place(tmp_path: Path) -> Path:
    """A fixture: a folder with three instances, and a program."""
    for number in (1, 2, 3):
        (tmp_path / f"x{number}.wcnf").write_text(text(number))
    (tmp_path / "bin").mkdir()
    for name in ("mine", "core"):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho {name} 1.0\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A fixture: no trials, programs are taken to read the old format only; which would have been tried."""
    found: list[str] = []

    def known(name: str, binary: str | None = None, options: Sequence[str] = ()) -> Solver:
        found.append(name)
        return replace(solvers.get(name), formats=("wcnf-old",), values="bits")

    monkeypatch.setattr(launch, "known", known)
    return found


def plan(folder: Path, made: Settings = BASE, **changes: Any) -> Planned:
    settings.write(replace(made, **changes), folder / FILE)
    return campaign.plan(os.fspath(folder))


def lines(folder: Path) -> list[PlannedRun]:
    return list(planning.runs(folder))


def by_name(folder: Path) -> dict[tuple[str, str, int | None], str]:
    return {(run.instance, run.solver, run.seed): run.key for run in lines(folder)}


def make(folder: Path) -> int:
    """What is planned is there, as far as planning looks."""
    common, store = planning.read(folder), Store(folder)
    for run in planning.runs(folder):
        if not store.has(run.key):
            store.run(run.key).path.mkdir(parents=True)
            store.run(run.key).key.write_text(common.text(run))
    return common.number


# ---------------------------------------------------------------------------- runs by hand

GOOD = ((1.0, "o 8\n"), (2.0, "o 5\n"), (2.5, "s OPTIMUM FOUND\n" + v(5)))
SETTINGS = """instances = ["*.wcnf"]
cores = 1
[limits]
wall = 10
memory = 4000
[[solver]]
solver = "rc2"
[[solver]]
solver = "lsu"
"""


class Runs:
    """A campaign with two solvers and three instances, whose runs are written by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder)

    @property
    def planned(self) -> list[PlannedRun]:
        return list(planning.runs(self.folder))

    def place(self, number: int) -> Run:
        return self.store.run(self.planned[number].key)

    def instance(self, number: int) -> Path:
        return self.folder / f"{self.planned[number].instance}.wcnf"

    def put(self, number: int, *printed: tuple[float, str], **how: Any) -> Run:
        """A run that is there."""
        place = self.place(number)
        place.path.mkdir(parents=True)
        write_log(place.log, printed)
        record.write(recorded(self.instance(number), printed, **how), place.record)
        return place

    def refuse(self, number: int, text: str) -> Run:
        place = self.place(number)
        place.path.mkdir(parents=True)
        place.refused.write_text(text)
        return place

    def collect(self, **options: Any) -> Collected:
        return collecting.collect(self.folder, **{"jobs": 1, **options})

    def results(self) -> list[Result]:
        return list(tables.read(self.folder / results.FILE, Result))


def two_solvers(folder: Path) -> Path:
    """The plan of such a campaign."""
    for number in range(3):
        (folder / f"i{number}.wcnf").write_text(f"c {number}\n{COSTLY}")
    (folder / "campaign.toml").write_text(SETTINGS)
    campaign.plan(str(folder))
    return folder
