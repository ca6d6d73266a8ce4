"""What calibration concludes: what solvers say is held against what is true, and nothing good is lost."""

from __future__ import annotations

import logging
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import wcnfgen
from tests import calibrating
from tests.calibrating import NAMES, Toys, says
from wcnfgen.bundle import manifest, models
from wcnfgen.bundle.difficulty import of_proof
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.commands.calibrate import present

TOYS = "toys-*"  # half of them


@pytest.fixture
def toys(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Toys:
    return calibrating.copy(tmp_path_factory.getbasetemp(), tmp_path, monkeypatch)


def test_real_solvers_prove_and_their_models_are_kept(toys: Toys) -> None:
    found = toys.run("rc2", "lms", wall=60, jobs=None)
    assert found.lies == () and found.ran == found.planned == 8
    for name in NAMES:
        row, known = toys.rows[name], toys.known[name]
        assert row.best_cost == known.optimum and row.proved and row.nonzero == "solver"
        assert row.best_by == row.proved_by == min(row.seconds, key=lambda each: row.seconds[each] or 99)
        fastest = min(took for took in row.seconds.values() if took is not None)
        assert row.difficulty == of_proof(fastest, 60)
        assert set(row.ended) == set(row.seconds) == {"rc2", "lms"}
        assert (toys.stored(name).cost, toys.stored(name).proved) == (known.optimum, True)
        file = str(toys.folder.path / row.file)
        sol = str(models.place(toys.folder.models, name))
        assert wcnfgen.verify(file, sol, train=str(toys.folder.data / f"{row.data}.csv")).verdict.ok
    assert toys.finished == [toys.folder]
    assert toys.rows["toys-ub99"].why == "too large" and toys.rows["toys-ub99"].difficulty is None
    assert found.tallies["rc2"].proved == 4


def test_a_proof_in_time_is_a_class_of_difficulty(toys: Toys) -> None:
    naps = {NAMES[0]: 0.0, NAMES[1]: 1.3}
    slow = toys.solver(
        "slow",
        {name: toys.honest(name) for name in naps},
        f"time.sleep({naps}.get(name, 0)); print(says, end='')",
    )
    toys.run(slow, wall=60, only=TOYS)
    seconds = [toys.rows[name].seconds["slow.py"] or 0 for name in naps]
    assert seconds[0] > 0 and 1.3 <= seconds[1] < 60
    assert [toys.rows[name].difficulty for name in naps] == [of_proof(each, 60) for each in seconds]
    assert toys.rows[NAMES[0]].ended["slow.py"] == "exit 0"


def test_a_better_model_without_a_proof_makes_it_hard_and_is_kept(toys: Toys) -> None:
    name, other = NAMES[:2]
    answers = {
        name: says("SATISFIABLE", toys.known[name].optimum, toys.known[name].model),
        other: says("SATISFIABLE", toys.known[other].worse, toys.known[other].worse_model),
    }
    toys.run(toys.solver("finder", answers), only=TOYS)
    rows = toys.rows
    assert (rows[name].difficulty, rows[other].difficulty) == ("hard", "untouched")
    assert (rows[name].best_by, rows[other].best_by) == ("finder.py", "wcnfgen")
    assert rows[name].best_cost == toys.stored(name).cost == toys.known[name].optimum
    assert not toys.stored(name).proved and not rows[name].proved and rows[name].nonzero == "open"


def test_the_same_cost_with_a_proof_replaces_the_model_and_only_that(toys: Toys) -> None:
    name = NAMES[0]
    known = toys.known[name]
    toys.run(toys.solver("finder", {name: says("SATISFIABLE", known.optimum, known.model)}), only=name)
    again = toys.solver("again", {name: says("SATISFIABLE", known.optimum, known.model)})
    toys.run(again, only=name)
    assert toys.stored(name).by == "finder.py"
    toys.run(toys.solver("prover", {name: toys.honest(name)}), only=name)
    assert (toys.stored(name).by, toys.stored(name).proved) == ("prover.py", True)
    assert toys.rows[name].proved_by == toys.rows[name].best_by == "prover.py"
    toys.run(toys.solver("worse", {name: says("SATISFIABLE", known.worse, known.worse_model)}), only=name)
    assert (toys.stored(name).by, toys.stored(name).cost) == ("prover.py", known.optimum)


def test_who_claims_an_optimum_that_is_beaten_proves_nothing_anywhere(
    toys: Toys, caplog: pytest.LogCaptureFixture
) -> None:
    """On the first instance the liar is caught by another's model; of the second he says the truth."""
    first, second = NAMES[:2]
    known = toys.known[first]
    lie = says("OPTIMUM FOUND", known.worse, known.worse_model)
    found = toys.run(
        toys.solver("liar", {first: lie, second: toys.honest(second)}),
        toys.solver("finder", {first: says("SATISFIABLE", known.optimum, known.model)}),
        only=TOYS,
    )
    rows = toys.rows
    assert {(each.name, each.solver, each.kind) for each in found.lies} == {
        (first, "liar.py", "contradiction")
    }
    assert not rows[first].proved and rows[first].best_cost == known.optimum
    assert rows[second].best_cost == toys.known[second].optimum, "his models count"
    assert (rows[second].proved, rows[second].difficulty) == (False, "hard")
    assert found.tallies["liar.py"].wrong == 1 and found.tallies["liar.py"].best == 1
    with caplog.at_level(logging.WARNING, "wcnfgen"):
        assert present(found, sys.stdout) == 1
    assert f"{first}: liar.py: the solver says OPTIMUM FOUND" in caplog.text


def test_a_liar_alone_is_caught_by_the_model_that_is_kept(toys: Toys) -> None:
    name = NAMES[0]
    toys.run(toys.solver("honest", {name: toys.honest(name)}), only=name)
    shutil.rmtree(toys.folder.runs)
    known = toys.known[name]
    liar = toys.solver("liar", {name: says("OPTIMUM FOUND", known.worse, known.worse_model)})
    found = toys.run(liar, only=name)
    assert [(each.name, each.kind) for each in found.lies] == [(name, "contradiction")]
    assert toys.rows[name].proved_by == "honest.py" and toys.stored(name).proved


def test_a_kept_model_that_is_none_convicts_nobody(toys: Toys, caplog: pytest.LogCaptureFixture) -> None:
    name = NAMES[0]
    file = models.place(toys.folder.models, name)
    file.write_text(file.read_text().replace(f"o {toys.known[name].worse}", "o 0"))
    with caplog.at_level(logging.WARNING, "wcnfgen"):
        found = toys.run(toys.solver("honest", {name: toys.honest(name)}), only=name)
    assert "not what it says it is" in caplog.text
    assert found.lies == () and toys.rows[name].proved_by == "honest.py"
    assert toys.stored(name).cost == toys.rows[name].best_cost == toys.known[name].optimum


def test_a_cost_without_its_model_is_worth_nothing(toys: Toys, caplog: pytest.LogCaptureFixture) -> None:
    """What the manifest says, and a model of another formula."""
    name, other = NAMES[:2]
    manifest.write([replace(row, best_cost=1) for row in toys.rows.values()], toys.folder.manifest)
    shutil.copy(models.place(toys.folder.models, name), models.place(toys.folder.models, other))
    with caplog.at_level(logging.WARNING, "wcnfgen"):
        toys.run()
    assert "a model of another formula" in caplog.text
    assert toys.rows[name].best_cost == toys.known[name].worse and toys.rows[other].best_cost is None
    toys.run(toys.solver("honest", {other: toys.honest(other)}), only=other)
    assert toys.rows[other].best_cost == toys.stored(other).cost == toys.known[other].optimum


def test_a_proof_is_taken_back_and_the_model_stays(toys: Toys) -> None:
    """The solver is found out later, on another instance."""
    first, second = NAMES[:2]
    truth = says("SATISFIABLE", toys.known[second].optimum, toys.known[second].model)
    both = toys.solver("liar", {second: toys.honest(second)}), toys.solver("finder", {second: truth})
    toys.run(*both, only=second)
    assert (toys.stored(second).by, toys.stored(second).proved) == ("liar.py", True)
    known = toys.known[first]
    liar = toys.solver("liar", {first: says("OPTIMUM FOUND", known.worse, known.worse_model)})
    shutil.rmtree(toys.folder.runs / "liar.py")
    toys.run(liar, only=TOYS)
    assert (toys.stored(second).by, toys.stored(second).proved) == ("liar.py", False)
    assert toys.rows[second].best_by == "liar.py" and not toys.rows[second].proved


@pytest.mark.parametrize("text", ["", "s OPTIMUM FOUND\n", "c found by x\n"])
def test_a_damaged_model_is_replaced(toys: Toys, text: str) -> None:
    name = NAMES[0]
    models.place(toys.folder.models, name).write_text(text)
    toys.run(toys.solver("honest", {name: toys.honest(name)}), only=name)
    assert toys.stored(name).cost == toys.known[name].optimum


def test_a_wrong_cost_is_no_proof_but_its_model_counts(toys: Toys) -> None:
    name = NAMES[0]
    known = toys.known[name]
    wrong = toys.solver("wrong", {name: says("OPTIMUM FOUND", known.optimum - 1, known.model)})
    found = toys.run(wrong, only=name)
    row = toys.rows[name]
    assert "o-mismatch" in {each.kind for each in found.lies}
    assert not row.proved and row.best_cost == known.optimum and row.best_by == "wrong.py"
    assert row.ended["wrong.py"].startswith("exit 0, ") and "o-mismatch" in row.ended["wrong.py"]


def test_no_model_of_the_hard_clauses_is_none(toys: Toys) -> None:
    name = NAMES[0]
    none = np.zeros_like(toys.known[name].model)
    found = toys.run(toys.solver("bad", {name: says("OPTIMUM FOUND", 0, none)}), only=name)
    assert "hard-falsified" in {each.kind for each in found.lies}
    assert toys.rows[name].best_cost == toys.known[name].worse and toys.rows[name].difficulty is None


def test_unsatisfiable_where_a_model_is_known(toys: Toys) -> None:
    found = toys.run(toys.solver("no", dict.fromkeys(NAMES, "s UNSATISFIABLE\n")), only=TOYS)
    assert {(each.name, each.kind) for each in found.lies} == {(name, "contradiction") for name in NAMES[:2]}
    assert not any(row.proved for row in toys.rows.values())


def test_an_optimum_below_a_proved_bound_is_a_lie_without_a_model(toys: Toys) -> None:
    least = {name: toys.rows[name].least_cost for name in NAMES}
    assert all(least.values())
    below = {name: says("OPTIMUM FOUND", (bound or 0) - 1, None) for name, bound in least.items()}
    found = toys.run(toys.solver("liar", below), only=TOYS)
    assert {(each.name, each.kind) for each in found.lies} == {(name, "contradiction") for name in NAMES[:2]}
    assert found.tallies["liar.py"].wrong == 2 and present(found, sys.stdout) == 1
    for name in NAMES[:2]:
        row = toys.rows[name]
        assert (row.difficulty, row.ended) == (None, {"liar.py": "exit 0, contradiction"})
    assert {each.reason.partition(";")[0] for each in found.chosen} == {
        "no reference solver gave an answer",
        "not calibrated",
    }


def test_one_that_crashes_on_all_tells_nothing(toys: Toys, capsys: pytest.CaptureFixture[str]) -> None:
    found = toys.run(toys.solver("crash", {}, "os.kill(os.getpid(), signal.SIGSEGV)"), only=TOYS)
    assert [row.difficulty for row in toys.rows.values()] == [None] * 5
    assert present(found, sys.stdout) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["no", "answer", "2", "2"],
        ["not", "calibrated", "2", "2"],
    ]


def test_one_that_never_answers_and_one_that_crashes(toys: Toys) -> None:
    silent = toys.solver("silent", {}, "time.sleep(60)")
    crash = toys.solver("crash", {}, "os.kill(os.getpid(), signal.SIGSEGV)")
    found = toys.run(silent, crash, wall=0.4, grace=0.2, only=TOYS)
    for name in NAMES[:2]:
        row = toys.rows[name]
        assert row.ended == {"crash.py": "SIGSEGV", "silent.py": "wall limit"}
        assert (row.difficulty, row.proved, row.best_cost) == ("untouched", False, toys.known[name].worse)
    assert found.tallies["silent.py"].nothing == found.tallies["crash.py"].nothing == 2
    assert len(found.chosen) == 2, "untouched ones are needed here"


def test_our_own_bound_needs_no_solver(toys: Toys) -> None:
    rows = [replace(row, least_cost=row.witness_cost) for row in toys.rows.values()]
    manifest.write(rows, toys.folder.manifest)
    found = toys.run()
    assert {toys.rows[name].difficulty for name in NAMES} == {"trivial"}
    assert {toys.rows[name].proved_by for name in NAMES} == {"bound"}
    assert found.chosen == () and all(toys.stored(name).proved for name in NAMES)
    assert {toys.stored(name).by for name in NAMES} == {"wcnfgen"}


def test_formulas_without_an_objective_are_solved_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path / "family")
    rows = []
    for nodes in (3, 5, 7):
        (folder.data / "and.csv").parent.mkdir(parents=True, exist_ok=True)
        (folder.data / "and.csv").write_text("a,b,class\n0,0,n\n0,1,n\n1,0,n\n1,1,y\n")
        folder.instances.mkdir(exist_ok=True)
        file = folder.instances / f"and-{nodes}.cnf.xz"
        made = wcnfgen.encode(str(folder.data / "and.csv"), encoding="exact", nodes=nodes, output=str(file))
        rows.append(
            Row(
                name=f"and-{nodes}",
                status="written",
                file=f"instances/{file.name}",
                sha256="0" * 64,
                format="cnf",
                parameters={"data": "and", "nodes": nodes},
                variables=made.counts.variables,
            )
        )
    manifest.write(rows, folder.manifest)
    calibrating.about(folder, "sat")
    toys = Toys(folder.path, {})
    calibrating.quiet(toys, monkeypatch)
    found = toys.run("rc2", toys.solver("silent", {}))
    assert found.lies == ()
    now = toys.rows
    assert [now[f"and-{nodes}"].proved_by for nodes in (3, 5, 7)] == ["rc2", "rc2", "rc2"]
    assert [now[f"and-{nodes}"].answer for nodes in (3, 5, 7)] == ["UNSAT", "SAT", "SAT"]
    assert now["and-5"].best_cost is None and now["and-5"].best_by == "rc2"
    assert toys.stored("and-5").cost is None
    assert not models.place(folder.models, "and-3").exists() and now["and-3"].best_by == ""
    toys.run(toys.solver("no", {}, "print('s UNSATISFIABLE')"))
    assert toys.rows["and-5"].proved_by == "rc2" and toys.rows["and-5"].seconds["no.py"] is None
