"""Whether the optimum is known not to be 0, held against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wcnfgen
from tests import oracle, solving
from tests.conformance.test_encodings import cases
from wcnfgen import encodings
from wcnfgen.bundle import lazily, nonzero, witness
from wcnfgen.encodings import Plan
from wcnfgen.encodings.complete import Complete
from wcnfgen.instance import Instance
from wcnfgen.prepare import prepare
from wcnfgen.rows import merge
from wcnfgen.tree import predict


@pytest.fixture
def parity(tmp_path: Path) -> str:
    """The class is the parity of four columns; a fifth says nothing."""
    rows = [[q >> r & 1 for r in range(5)] for q in range(32)]
    lines = (",".join(map(str, [*row, "odd" if sum(row[:4]) % 2 else "even"])) for row in rows)
    file = tmp_path / "parity.csv"
    file.write_text("a,b,c,d,e,class\n" + "\n".join(lines) + "\n")
    return str(file)


@pytest.mark.parametrize("name", encodings.names())
def test_what_is_shown_is_true(name: str, parity: str, full: bool) -> None:
    """Never beyond the optimum; a model of cost 0 is one; on small sets nothing stays open."""
    prepared, seen = prepare(parity), Counter[str]()
    for case in cases(name, 60 if full else 4, seed=5):
        encoding, optimum = case.encoding, oracle.optimum(case.encoding)
        shown = nonzero.shown(Instance(Plan(encoding, case.witness, case.least_cost), prepared))
        seen[shown.answer] += 1
        if shown.answer == "zero":
            assert shown.model is not None and shown.least_cost == 0
            assert solving.falsified(solving.through(encoding), shown.model) == (0, 0)
        elif shown.answer:
            assert shown.answer in ("bound", "solver") and shown.model is None
            assert shown.least_cost > 0 and (optimum is None or optimum >= shown.least_cost)
        else:
            assert not sum(len(block) for _, block in encoding.soft())
    assert seen["bound"] and seen["zero"]


@pytest.mark.parametrize(
    ("options", "answer", "least"),
    [
        ({"encoding": "size"}, "bound", 3),
        ({"encoding": "size", "soft_rows": True}, "bound", 1),
        ({"encoding": "paths", "ub": 31, "lb": 5, "soft_rows": True}, "bound", 1),
        ({"encoding": "exact", "nodes": 31}, "", 0),
        ({"encoding": "complete", "depth": 3}, "", 0),
        ({"encoding": "complete", "depth": 4, "min_size": True}, "bound", 5),
        ({"encoding": "complete", "depth": 3, "soft_rows": True}, "solver", 1),
        ({"encoding": "depth", "depth": 2}, "bound", 1),
        ({"encoding": "depth", "depth": 3}, "solver", 1),
        ({"encoding": "depth", "depth": 4}, "zero", 0),
        ({"encoding": "depth", "depth": 5, "exact": True}, "zero", 0),
        ({"encoding": "depth", "depth": 4, "ub": 15}, "solver", 1),
        ({"encoding": "depth", "depth": 4, "layout_depth": 2, "layout": 2}, "solver", 1),
        ({"encoding": "accuracy", "ub": 7}, "bound", 1),
        ({"encoding": "accuracy", "ub": 9}, "solver", 1),
        ({"encoding": "fixed", "topology": "1110000", "soft_rows": True}, "bound", 1),
        ({"encoding": "mixed", "size_weight": 0, "depth": 3}, "solver", 1),
        ({"encoding": "mixed", "size_weight": 0, "depth": 4}, "zero", 0),
        ({"encoding": "mixed", "size_weight": 0, "depth_weight": 3, "depth": 4}, "bound", 3),
        ({"encoding": "mixed", "error_weight": 3, "size_weight": 2}, "bound", 2),
        ({"encoding": "mixed", "ub": 3, "error_weight": 3, "size_weight": 2}, "bound", 3),
    ],
    ids=str,
)
def test_parity(parity: str, options: dict[str, Any], answer: str, least: int) -> None:
    """No tree below depth 4 is right; bounds settle what they can, a solver the rest."""
    instance = wcnfgen.encode(parity, unit_weights=True, **options)
    shown = nonzero.shown(instance)
    assert (shown.answer, shown.least_cost) == (answer, least)
    assert (shown.model is not None) == (answer == "zero")


def test_without_work_it_stays_open(parity: str) -> None:
    shown = nonzero.shown(wcnfgen.encode(parity, encoding="depth", depth=3), work=0)
    assert shown == nonzero.Shown("open", 0)


def test_vectors_of_three_classes_cost_what_the_lighter_rows_weigh(tmp_path: Path) -> None:
    """With two classes that is a constant, and no cost."""
    file = tmp_path / "d.csv"
    file.write_text("a,class\n0,x\n0,x\n0,x\n0,y\n0,z\n0,z\n1,y\n")
    instance = wcnfgen.encode(str(file), encoding="depth", depth=1)
    assert nonzero.shown(instance) == nonzero.Shown("bound", 3)
    assert oracle.optimum(instance.encoding) == 3
    file.write_text("a,class\n0,x\n0,x\n0,x\n0,y\n1,y\n")
    assert nonzero.shown(wcnfgen.encode(str(file), encoding="depth", depth=1)).answer == "zero"


def test_a_greedy_tree_that_is_right_saves_the_solver(parity: str) -> None:
    instance = wcnfgen.encode(parity, encoding="depth", depth=4, layout_depth=1, layout=1)
    found = witness.greedy(instance)
    assert found is not None and instance.encoding.cost(found) == 0
    assert nonzero.shown(instance, work=0).answer == "zero"


def test_a_tree_of_three_nodes_that_greed_passes_by(tmp_path: Path) -> None:
    """The rows that count have one class: any test will do, and no larger tree is free."""
    file = tmp_path / "d.csv"
    file.write_text("a,b,class\n0,0,x\n0,0,y\n1,0,x\n1,1,x\n0,1,x\n")
    instance = wcnfgen.encode(str(file), encoding="size", ub=7, soft_rows=True)
    shown = nonzero.shown(instance)
    assert shown.answer == "zero" and shown.model is not None
    assert solving.falsified(solving.through(instance.encoding), shown.model) == (0, 0)


# ---------------------------------------------------------------------------- few rows first


def hidden(rows: int, seed: int) -> Complete:
    """Rows of a tree of depth 3 over 12 columns, in a complete tree of that depth."""
    X = np.random.default_rng(seed).integers(0, 2, (rows, 12), dtype=np.uint8)
    inner = np.where(X[:, 1] == 1, X[:, 2], X[:, 3])
    y = np.where(X[:, 0] == 1, inner, 1 - X[:, 4] * X[:, 5]).astype(np.int32)
    return Complete(merge(X, y, 2), depth=3)


def test_a_tree_for_few_rows_is_completed_to_one_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is pure, and the formulas had a part of the rows."""
    asked: list[int] = []
    solve = lazily.solve

    def counted(formula: Any, conflicts: int) -> Any:
        asked.append(formula.problem.rows)
        return solve(formula, conflicts)

    monkeypatch.setattr(lazily, "solve", counted)
    monkeypatch.setattr(lazily, "FIRST", 8)
    encoding = hidden(1000, seed=3)
    tree = lazily.pure_tree(encoding)
    assert tree is not None and not isinstance(tree, lazily.Unknown)
    assert np.array_equal(predict(tree, encoding.problem.X), encoding.problem.y)
    assert len(asked) > 1 and asked == sorted(set(asked))
    assert all(after <= 1.5 * before for before, after in pairwise(asked))
    assert asked[0] == 8 and asked[-1] < encoding.problem.rows / 2


def test_no_tree_for_few_rows_is_none_for_all() -> None:
    encoding = hidden(1000, seed=3)
    assert lazily.pure_tree(Complete(encoding.problem, depth=2)) is None
    assert isinstance(lazily.pure_tree(encoding, 0), lazily.Unknown)


def test_a_solver_that_runs_out_of_conflicts_says_nothing() -> None:
    """Labels at random: no tree of depth 3, and no easy proof."""
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (60, 20), dtype=np.uint8), rng.integers(0, 2, 60).astype(np.int32)
    formula = Complete(merge(X, y, 2), depth=3)
    model, conflicts = lazily.solve(formula, 3)
    assert isinstance(model, lazily.Unknown) and conflicts > 0
    proof, needed = lazily.solve(formula, 10**6)
    assert proof is None and needed > conflicts
