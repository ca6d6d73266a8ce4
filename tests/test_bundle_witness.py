"""Models of the hard clauses: found where there are any, also where a formula asks for more than the rows."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wcnfgen
from tests import oracle, solving
from tests.conformance.test_encodings import cases
from wcnfgen import bounds, encodings
from wcnfgen.bundle import growing, witness
from wcnfgen.encodings import Plan
from wcnfgen.instance import Instance
from wcnfgen.prepare import prepare
from wcnfgen.rows import merge
from wcnfgen.tree import Leaf, Node, depth, size


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """60 rows of a rule with noise: 8 columns, two classes."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (60, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] * (1 - X[:, 0]) + (rng.random(60) < 0.1)) % 2
    path = tmp_path_factory.mktemp("data") / "d.csv"
    names = ",".join(f"x{r}" for r in range(8))
    lines = (",".join(map(str, [*row, "ny"[label]])) for row, label in zip(X, y, strict=True))
    path.write_text(f"{names},class\n" + "\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("name", encodings.names())
def test_there_is_a_witness_where_there_is_a_tree(name: str, file: str, full: bool) -> None:
    """It satisfies all hard clauses, and is no worse than the plan's."""
    prepared, better = prepare(file), 0
    for case in cases(name, 60 if full else 4, seed=8):
        encoding = case.encoding
        model = witness.find(Instance(Plan(encoding, case.witness), prepared))
        if model is None:
            assert oracle.optimum(encoding) is None, encoding.options
            continue
        assert len(model) == encoding.variables + 1
        falsified, cost = solving.falsified(solving.through(encoding), model)
        assert falsified == 0 and cost == encoding.cost(encoding.tree(model))
        if case.witness is not None:
            assert cost <= encoding.cost(case.witness)
        better += case.witness is None or cost < encoding.cost(case.witness)
    assert better or name in ("boost", "depth")


@pytest.mark.parametrize(
    "options",
    [
        {"encoding": "depth", "depth": 6, "exact": True, "ub": 15},
        {"encoding": "depth", "depth": 7, "exact": True, "nodes": 15},
        {"encoding": "depth", "depth": 4, "nodes": 31},
        {"encoding": "depth", "depth": 4, "layout_depth": 3, "layout": 7},
        {"encoding": "accuracy", "nodes": 41},
        {"encoding": "accuracy", "ub": 27, "layout_depth": 4, "layout": 600},
        {"encoding": "exact", "nodes": 43},
        {"encoding": "exact", "nodes": 45, "soft_rows": True},
        {"encoding": "fixed", "topology": "1010100", "soft_rows": True},
        {"encoding": "mixed", "ub": 15, "layout_depth": 2, "layout": 3},
        {"encoding": "paths", "ub": 15, "layout": "9/25", "soft_rows": True},
        {"encoding": "size", "ub": 45, "layout_depth": 2, "layout": 4},
    ],
    ids=str,
)
def test_trees_grow_into_what_a_formula_asks_for(file: str, options: dict[str, Any]) -> None:
    """Exact sizes, exact depths and layouts, without a solver."""
    instance = wcnfgen.encode(file, **options)
    encoding = instance.encoding
    grown = list(growing.trees(encoding))
    assert grown and all(map(encoding.allows, grown))
    model = witness.find(instance, work=0)
    assert model is not None
    assert solving.falsified(solving.through(encoding), model)[0] == 0
    again = witness.find(instance)
    assert again is not None and np.array_equal(model, again)


def test_the_room_of_a_formula(file: str) -> None:
    room = growing.Room.of(wcnfgen.encode(file, encoding="depth", depth=3, exact=True, ub=11).encoding)
    assert room == growing.Room(3, 11, 3, True, "")
    room = growing.Room.of(wcnfgen.encode(file, encoding="complete", depth=4).encoding)
    assert room == growing.Room(3, 31, 4, False, "")
    room = growing.Room.of(wcnfgen.encode(file, encoding="fixed", topology="10100").encoding)
    assert room == growing.Room(3, 5, 2, False, "10100")


def test_splits_that_save_errors_come_first() -> None:
    """A tree of one test is then the best of all, whatever the purity says."""
    disagree = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (40, 6), dtype=np.uint8), rng.integers(0, 3, 40).astype(np.int32)
        problem = merge(X, y, 3)
        encoding = encodings.get("accuracy").plan(problem, ub=3).encoding
        labels = product(range(6), range(3), range(3))
        least = min(encoding.cost(Node(r, Leaf(no), Leaf(yes))) for r, no, yes in labels)
        assert min(map(encoding.cost, growing.trees(encoding))) == least
        pure = growing.Grower(problem, growing.Room.of(encoding), bounds.gini).grow()
        disagree += encoding.cost(pure) != least
    assert disagree


def test_a_solver_finds_what_greed_does_not(tmp_path: Path) -> None:
    """Parity of two columns among six: greedy trees of depth 2 miss it."""
    rows = [[q >> r & 1 for r in range(6)] for q in range(64) if q % 11 or q == 0]
    lines = (",".join(map(str, [*row, "no" if row[2] == row[4] else "yes"])) for row in rows)
    path = tmp_path / "xor.csv"
    path.write_text("a,b,c,d,e,f,class\n" + "\n".join(lines) + "\n")
    instance = wcnfgen.encode(str(path), encoding="complete", depth=2)
    assert instance.witness is None and witness.find(instance, work=0) is None
    model = witness.find(instance)
    assert model is not None
    tree = instance.encoding.tree(model)
    assert instance.encoding.allows(tree) and (size(tree), depth(tree)) == (7, 2)
    shallow = wcnfgen.encode(str(path), encoding="complete", depth=1)
    assert witness.find(shallow) is None
