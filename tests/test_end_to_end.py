"""The main job on real data: published optima, by RC2 as a subprocess, checked by the verdict."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wcnfgen
from wcnfgen import cli
from wcnfgen.tree import Leaf, Node, size

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


def test_a_tree_that_is_worse_than_the_greedy_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An incomplete solver may find less than we knew: its answer holds, and the better tree is kept."""
    (tmp_path / "x.csv").write_text("a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    made = wcnfgen.encode(str(tmp_path / "x.csv"), encoding="depth", depth=1, output=str(tmp_path / "x.wcnf"))
    bad = Node(0, Leaf(1), Leaf(0))
    model = np.zeros(made.encoding.variables + 1, np.bool_)
    made.encoding.assign(bad, model)
    literals = " ".join(str(v if model[v] else -v) for v in range(1, len(model)))
    solver = tmp_path / "worse"
    cost = made.encoding.cost(bad)
    solver.write_text(f"#!/bin/sh\necho 'o {cost}'\necho 's SATISFIABLE'\necho 'v {literals}'\n")
    solver.chmod(0o755)
    options: dict[str, Any] = {"encoding": "depth", "depth": 1, "solver": str(solver), "wall": 20}
    learned = wcnfgen.learn(str(tmp_path / "x.csv"), **options)
    assert learned.held and not learned.by_solver and learned.checked is not None
    assert learned.checked.verdict.cost == cost > made.encoding.cost(learned.decoded.tree)
    assert learned.training.right == 3
    words = [f"--{name}={value}" for name, value in options.items()]
    assert cli.main(["learn", str(tmp_path / "x.csv"), *words]) == 0
    assert "this is the greedy tree, the solver's costs more" in capsys.readouterr().out
