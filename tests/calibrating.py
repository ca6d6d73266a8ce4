"""A family's folder made by hand, and solvers that say what a test wants them to say."""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wcnfgen
from tests import solving
from wcnfgen import bounds, launch, solvers
from wcnfgen.bounds import Floats
from wcnfgen.bundle import manifest, models
from wcnfgen.bundle.folder import About, Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.commands.calibrate import Calibration, calibrate
from wcnfgen.instance import Instance
from wcnfgen.instances import Family, Track

Model = NDArray[np.bool_]
RULES: Mapping[str, Callable[[str, str, str], bool]] = {
    "toys": lambda colour, size, round_: (colour == "red") != (size == "L" and round_ == "1"),
    "hats": lambda colour, size, round_: (colour == "red") != (size == "S"),
}
BOUNDS = (37, 41)
NAMES = [f"{data}-ub{ub}" for data in RULES for ub in BOUNDS]

SOLVER = f"""#!{sys.executable}
import json, os, pathlib, re, signal, sys, time
here = pathlib.Path(__file__)
text = pathlib.Path(sys.argv[-1]).read_text()
found = re.search(r"c command: wcnfgen encode (\\w+)\\.csv.* --ub (\\d+)", text)
if not found:  # a trial run
    print("s UNKNOWN")
    sys.exit()
name = f"{{found[1]}}-ub{{found[2]}}"
with here.with_suffix(".ran").open("a") as ran:
    ran.write(name + "\\n")
says = json.loads(here.with_suffix(".json").read_text()).get(name, "s UNKNOWN\\n")
"""


def table(data: str) -> str:
    """The rows of a data set."""
    lines = [
        f"{colour},{size},{round_},{'buy' if RULES[data](colour, size, round_) else 'leave'}"
        for colour in ("red", "blue")
        for size in ("S", "M", "L")
        for round_ in "01"
    ]
    return "\n".join(["colour,size,round,class", *lines]) + "\n"


@dataclass(frozen=True, slots=True)
class Known:
    """An instance with a best model and one that is worse, and their costs."""

    optimum: int
    model: Model
    worse: int
    worse_model: Model


def says(status: str | None, cost: int | None, model: Model | None) -> str:
    """What a solver prints."""
    lines = [] if cost is None else [f"o {cost}"]
    lines += [] if status is None else [f"s {status}"]
    lines += [] if model is None else ["v " + "".join("01"[int(x)] for x in model[1:])]
    return "\n".join(lines) + "\n"


class Toys:
    """The folder of a family of four instances, whose stored models are worse than the best."""

    def __init__(self, path: Path, known: Mapping[str, Known]) -> None:
        self.folder = Folder(path)
        self.known = known
        self.finished: list[Folder] = []

    @property
    def rows(self) -> dict[str, Row]:
        """The manifest by name."""
        return {row.name: row for row in manifest.read(self.folder.manifest)}

    def honest(self, name: str) -> str:
        """The truth."""
        known = self.known[name]
        return says("OPTIMUM FOUND", known.optimum, known.model)

    def run(self, *solver: str, **options: Any) -> Calibration:
        """Calibrate, one run at a time where nothing else is said."""
        return calibrate(str(self.folder.path), solver=solver, **{"wall": 20.0, "jobs": 1, **options})

    def stored(self, name: str) -> models.Known:
        """The model that is kept."""
        return models.read(models.place(self.folder.models, name))

    def solver(self, name: str, answers: Mapping[str, str], end: str = "print(says, end='')") -> str:
        """A program that gives these answers; what it does in the end can be something else."""
        program = self.folder.path.parent / f"{name}.py"
        program.write_text(SOLVER + end + "\n")
        program.chmod(0o755)
        program.with_suffix(".json").write_text(json.dumps(answers))
        return str(program)

    def ran(self, solver: str) -> list[str]:
        """The instances that it ran on, in alphabetical order."""
        file = Path(solver).with_suffix(".ran")
        return sorted(file.read_text().split()) if file.exists() else []


@cache
def original(base: Path) -> Toys:
    """Made once in a test session."""
    return make(base / "toys-as-made" / "family")


def copy(base: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> Toys:
    """A copy for one test: description, plots and archive are not made, and there are no trial runs."""
    shutil.copytree(original(base).folder.path, path / "family")
    toys = Toys(path / "family", original(base).known)
    quiet(toys, monkeypatch)
    return toys


def quiet(toys: Toys, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long and is tested elsewhere is left out."""
    monkeypatch.setattr("wcnfgen.bundle.finish.finish", toys.finished.append)
    monkeypatch.setattr(launch, "known", solvers.get)


def make(path: Path, track: Track = "maxsat") -> Toys:
    """Make the folder."""
    folder = Folder(path)
    for each in (folder.instances, folder.models, folder.data):
        each.mkdir(parents=True)
    rows, known = [], {}
    for data in RULES:
        source = folder.data / f"{data}.csv"
        source.write_text(table(data))
        for ub in BOUNDS:
            instance = wcnfgen.encode(
                str(source), ub=ub, output=str(folder.instances / f"{data}-ub{ub}.wcnf.xz")
            )
            name = f"{data}-ub{ub}"
            known[name] = _known(instance)
            rows.append(_row(folder, name, data, ub, instance, known[name]))
    rows.append(
        Row(name="toys-ub99", status="left out", why="too large", data="toys", parameters={"data": "toys"})
    )
    manifest.write(rows, folder.manifest)
    about(folder, track)
    return Toys(path, known)


def about(folder: Folder, track: Track) -> None:
    """Write family.json."""
    family = Family(
        title="Toys", domain="shop", papers=(), naming="", parameters={"data": "", "ub": ""}, track=track
    )
    About(name="toys", family=family, wcnfgen="0", command="", authors=()).write(folder.about)


def _known(instance: Instance) -> Known:
    encoding = instance.encoding
    found = solving.solve(solving.through(encoding))
    worse = bounds.grow(encoding.problem, lambda no, yes: _proper(no, yes, -bounds.gini(no, yes)))
    assert found is not None and encoding.cost(worse) > found[0] > instance.plan.least_cost
    return Known(*found, encoding.cost(worse), encoding.model(worse))


def _proper(no: Floats, yes: Floats, score: Floats) -> Floats:
    return np.where((no.sum(axis=1) > 0) & (yes.sum(axis=1) > 0), score, -np.inf)


def _row(folder: Folder, name: str, data: str, ub: int, instance: Instance, known: Known) -> Row:
    file = folder.instances / f"{name}.wcnf.xz"
    text = lzma.decompress(file.read_bytes())
    sha256 = hashlib.sha256(text).hexdigest()
    models.write(
        models.place(folder.models, name), known.worse_model, known.worse, by="wcnfgen", sha256=sha256
    )
    return Row(
        name=name,
        status="written",
        file=str(file.relative_to(folder.path)),
        sha256=sha256,
        file_sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        format="wcnf",
        data=data,
        parameters={"data": data, "ub": ub},
        variables=instance.counts.variables,
        bytes=len(text),
        least_cost=instance.plan.least_cost,
        nonzero="open",
        witness_cost=known.worse,
        best_cost=known.worse,
        best_by="wcnfgen",
        proved=False,
    )
