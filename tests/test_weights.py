"""Weights of rows: from a file into the soft clauses, the map and the verdict; counts stay counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from tests import oracle, solving
from wcnfgen.errors import DataError, UsageError, WcnfgenError
from wcnfgen.rows import merge
from wcnfgen.tree import predict
from wcnfgen.weights import read

CSV = "a,b,class\n0,0,x\n0,1,x\n1,0,x\n1,0,y\n1,1,y\n0,1,x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(CSV)
    return tmp_path


def weigh(*numbers: Any) -> str:
    Path("w.txt").write_text("".join(f"{number}\n" for number in numbers))
    return "w.txt"


def encoded(**options: Any) -> Any:
    return wcnfgen.encode("d.csv", encoding="accuracy", ub=3, **options)


def softs(instance: Any) -> int:
    return sum(weight * len(block) for weight, block in instance.encoding.soft())


def test_a_row_costs_what_it_weighs(folder: Path) -> None:
    """The optimum flips with the weights: rows 3 and 4 are equal and differ in class."""
    for x, y, expected in ((7, 2, "x"), (2, 7, "y")):
        instance = encoded(weights=weigh(1, 1, x, y, 1, 1))
        found = solving.solve(solving.through(instance.encoding))
        assert found is not None
        tree = instance.encoding.tree(found[1])
        labels = predict(tree, np.array([[1, 0]], np.uint8)[:, : instance.encoding.problem.features])
        assert instance.prepared.classes[labels[0]] == expected
        assert found[0] == oracle.optimum(instance.encoding)


def test_ones_change_nothing_but_the_header(folder: Path) -> None:
    plain, weighted = encoded(), encoded(weights=weigh(*[1] * 6))
    assert solving.text(plain.encoding) == solving.text(weighted.encoding)
    assert any(line.startswith("weights: w.txt, sha256") for line in weighted.comments())


def test_equal_rows_add_up_and_keep_their_count(folder: Path) -> None:
    problem = encoded(weights=weigh(1, 10, 5, 1, 1, 20)).encoding.problem
    assert problem.weight == 38 and problem.total == 6
    assert sorted(zip(problem.w.tolist(), problem.counts.tolist(), strict=True))[-1] == (30, 2)


def test_rows_of_weight_zero_have_no_clause(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wcnfgen")
    instance = encoded(weights=weigh(1, 1, 0, 1, 1, 1))
    assert "1 of 6 rows have the weight 0 and no clause" in caplog.text
    assert instance.encoding.problem.total == 6 and softs(instance) == 5


@pytest.mark.parametrize("embed_rows", [True, False])
def test_the_map_holds_weights_and_counts(folder: Path, embed_rows: bool) -> None:
    """A verdict counts rows, and costs weights; also where the rows come from the data again."""
    encoded(weights=weigh(1, 1, 7, 2, 0, 1), embed_rows=embed_rows, output="x.wcnf")
    wcnfgen.solve("x.wcnf", solver="rc2", wall=60, log="x.log")
    checked = wcnfgen.verify("x.wcnf", "x.log", train=None if embed_rows else "d.csv")
    assert checked.verdict.ok, checked.verdict.findings
    assert checked.verdict.training is not None and checked.verdict.training.rows == 6


def test_the_command_in_the_header_names_the_file(folder: Path) -> None:
    (command,) = [
        line for line in encoded(weights=str(folder / weigh(*[2] * 6))).comments() if "command" in line
    ]
    assert "--weights w.txt" in command and str(folder) not in command


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=20))
def test_real_weights_keep_their_order(numbers: list[float]) -> None:
    weights = read(numbers, len(numbers)).tolist()
    assert min(weights) >= 1
    for i, one in enumerate(numbers):
        assert all(weights[i] <= weights[j] for j, other in enumerate(numbers) if one <= other)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([1, 1, 1], "3 weights for 6 data rows"),
        ([1, 1, 1, 1, 1, "one"], "w.txt:6: 'one' is no number"),
        ([1, 1, "", 1, 1, 1], "w.txt:3: '' is no number"),
        ([1, 1, -1, 1, 1, 1], "weight of row 3 is -1"),
        ([1, 1, "nan", 1, 1, 1], "no number|row 3"),
        ([1, 1, "inf", 1, 1, 1], "row 3"),
        ([0] * 6, "all rows are 0"),
        ([2**63] + [1] * 5, "2\\^63"),
        ([2**62] * 6, "2\\^63"),
        ([2**63 - 5] + [1] * 5, "2\\^63"),
    ],
)
def test_bad_weights_are_refused(folder: Path, numbers: list[Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        encoded(weights=weigh(*numbers), output="x.wcnf")
    assert not Path("x.wcnf").exists()


def test_weights_of_soft_clauses_that_no_solver_holds_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="solvers hold"):
        wcnfgen.encode("d.csv", encoding="mixed", ub=7, error_weight=2**62, output="x.wcnf")
    assert not Path("x.wcnf").exists()


def test_weights_go_with_rows_that_may_be_wrong(folder: Path) -> None:
    for encoding in ("size", "exact", "fixed"):
        with pytest.raises(UsageError, match="--soft-rows"):
            wcnfgen.encode("d.csv", encoding=encoding, weights=weigh(*[1] * 6))
        assert wcnfgen.encode("d.csv", encoding=encoding, weights="w.txt", soft_rows=True)
    with pytest.raises(WcnfgenError, match=r"absent\.txt"):
        encoded(weights="absent.txt")


def test_merging_adds_what_sampling_left() -> None:
    X = np.array([[0], [1], [1]], np.uint8)
    problem = merge(X, np.zeros(3, np.int32), 1, np.array([5, 0, 7]))
    assert (problem.w.tolist(), problem.counts.tolist()) == ([5, 7], [1, 2])
