"""The main job on real data: published optima, by RC2 as a subprocess, checked by the verdict."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wcnfgen
from wcnfgen.tree import size

WALL = 600.0
UGLY = """\
the "size", cm;naïve; <b>;k=l
1,5;ja;?;A & B
2,5;nein;y;C
3,5;ja;y;C
1,5;nein;x;"D;E"
4,5;ja;x;A & B
"""


def expected(shared: Path) -> list[tuple[str, Path, int]]:
    with (shared / "data" / "expected_narodytska.csv").open() as file:
        return [
            (r["name"], shared / "data" / r["file"], int(r["optimal_nodes"])) for r in csv.DictReader(file)
        ]


@pytest.mark.parametrize("name", ["Mouse", "Weather", "Irish", "Corral", "Mux6"])
@pytest.mark.parametrize("form", ["core", "paper"])
def test_published_optima(shared: Path, name: str, form: str) -> None:
    (case,) = [each for each in expected(shared) if each[0] == name]
    learned = wcnfgen.learn(str(case[1]), solver="rc2", wall=WALL, form=form)
    assert learned.by_solver and learned.optimal
    assert size(learned.decoded.tree) == case[2]
    assert learned.training.right == learned.training.rows


def test_zoo_seven_classes(shared: Path) -> None:
    learned = wcnfgen.learn(str(shared / "data/uci/zoo.csv"), solver="rc2", wall=WALL, drop=("animal",))
    assert learned.optimal and size(learned.decoded.tree) == 17
    assert len(learned.prepared.classes) == 7


def test_iris_sample_three_classes() -> None:
    """A fixed stratified 40 % sample with binary codes; the rest of the rows tests the tree."""
    from wcnfgen.instances.rules import generate

    dataset = generate("iris")
    cells = [list(row) for row in dataset.rows]
    from wcnfgen.data import from_arrays

    numbers = np.array([[float(x) for x in row[:-1]] for row in cells])
    table = from_arrays(numbers, [row[-1] for row in cells], list(dataset.columns[:-1]))
    learned = wcnfgen.learn(table, solver="rc2", wall=WALL, binarise="binary", sample=0.4, seed=7)
    assert learned.optimal and len(learned.prepared.classes) == 3
    assert learned.held_out is not None and learned.held_out.rows == 150 - 60 - 1


def test_the_steps_one_by_one(tmp_path: Path) -> None:
    """Files between the steps, each step a process, ugly names, three classes, missing cells."""
    (tmp_path / "ugly.csv").write_text(UGLY, encoding="utf-8-sig")

    def run(*words: str, into: str | None = None, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "wcnfgen", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        if into:
            (tmp_path / into).write_text(done.stdout)
        return done.stdout

    run("encode", "ugly.csv", "--missing", "category", into="x.wcnf")
    run("solve", "x.wcnf", "--solver", "rc2", "--wall", "60", "--memory", "4000", into="x.log")
    run("solve", "x.wcnf", "--solver", "rc2", into="y.log")
    assert {path.name for path in tmp_path.glob("*.json")} == {"x.wcnf.rc2.run.json", "x.wcnf.rc2.2.run.json"}
    assert "A & B" in run("decode", "x.wcnf", "x.log")
    for style in ("rules", "dot", "svg", "json"):
        assert run("decode", "x.wcnf", "x.log", "--as", style, "-o", f"t.{style}") == ""
        assert (tmp_path / f"t.{style}").stat().st_size > 0
    assert "verdict:      ok" in run("verify", "x.wcnf", "x.log")
    assert '"ok": true' in run("verify", "x.wcnf", "x.log", "--data", "ugly.csv", "--json")
    assert run("predict", "x.wcnf", "x.log", "ugly.csv").splitlines() == [
        "k=l",
        "A & B",
        "C",
        "C",
        "D;E",
        "A & B",
    ]
    run("verify", "x.wcnf", "x.wcnf.rc2.run.json", code=1)
