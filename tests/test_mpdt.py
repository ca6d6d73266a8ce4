"""Algorithm 3 against brute force: which trees are found, which of them are the best, and who is asked."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import solving
from tests.test_searches import random_formula
from wcnfgen import cli
from wcnfgen.commands import _trees
from wcnfgen.commands._selection import Candidate, best_of
from wcnfgen.commands.decode import decode
from wcnfgen.commands.encode import encode
from wcnfgen.commands.mpdt import mpdt
from wcnfgen.commands.verify import verify
from wcnfgen.errors import UsageError
from wcnfgen.rows import Problem
from wcnfgen.tree import Leaf, Node, Tree, predict, size
from wcnfgen.verdict import Accuracy, accuracy

MANY = 10**6


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Eighty rows of four binary columns, three of which tell the class; selection can tell trees apart."""
    rng = np.random.default_rng(3)
    X = np.unique(rng.integers(0, 3, (80, 4)), axis=0)
    y = np.where(X[:, 0] + X[:, 1] > 2, "c", np.where(X[:, 2] == 1, "a", "b"))
    flipped = rng.random(len(y)) < 0.05
    y[flipped] = "a"
    lines = ["p,q,r,s,class", *(",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True))]
    file = tmp_path_factory.mktemp("mpdt") / "noisy.csv"
    file.write_text("\n".join(lines) + "\n")
    return str(file)


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("weather") / "weather.csv"
    assert cli.main(["data", "weather", "-o", str(file)]) == 0
    return str(file)


def smallest_trees(problem: Problem) -> set[Tree]:
    """By dynamic programming over sets of rows: the parts of a smallest tree are smallest trees."""

    @cache
    def below(rows: tuple[int, ...]) -> tuple[int, list[Tree]]:
        labels = {int(problem.y[q]) for q in rows}
        if len(labels) == 1:
            return 1, [Leaf(labels.pop())]
        least, found = len(problem.y) * 2, list[Tree]()
        for r in range(problem.features):
            no, yes = (tuple(q for q in rows if problem.X[q, r] == value) for value in (0, 1))
            if no and yes:
                (less, left), (more, right) = below(no), below(yes)
                if less + more + 1 < least:
                    least, found = less + more + 1, []
                if less + more + 1 == least:
                    found += [Node(r, x, y) for x in left for y in right]
        return least, found

    return set(below(tuple(range(problem.rows)))[1])


@pytest.mark.parametrize("variant", ["mpdt-nd", "mpdt", "mpdt-lay-nd", "mpdt-lay"])
def test_all_smallest_trees_are_found_in_every_way(
    variant: Any, weather: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="wcnfgen")
    lazy = variant.endswith("-nd")
    result = mpdt(weather, variant=variant, trees=MANY, split=0.8, lazy=lazy)
    trees = [each.tree for each in result.candidates]
    assert len(trees) == len(set(trees)) and set(trees) == smallest_trees(result.learned.prepared.problem)
    assert result.learned.optimal and not result.refuted
    assert f"smallest trees: {len(trees)} in all, {MANY}" in caplog.text or "lay" in variant
    assert f"trees: {len(trees)}, {MANY} were asked for" in caplog.text or "lay" not in variant


def test_the_best_are_those_of_highest_accuracy_on_rows_not_seen(noisy: str) -> None:
    """Accuracies are what `verdict` finds by reading the rows again; all trees are pure on the others."""
    result = mpdt(noisy, trees=12, split=0.7, seed=4, delta=6.0)
    prepared = result.learned.prepared
    held_out = prepared.held_out
    assert held_out is not None and len(result.candidates) == 12
    selected = [each.selection for each in result.candidates]
    for each in result.candidates:
        assert each.selection == accuracy(prepared.fitted, each.tree, held_out)
        assert (predict(each.tree, prepared.problem.X) == prepared.problem.y).all()
        assert size(each.tree) == size(result.candidates[0].tree)
    shares = [each.share for each in selected if each]
    assert len(set(shares)) > 1
    assert result.best == tuple(i for i, share in enumerate(shares) if share >= max(shares) - 0.06 - 1e-12)
    assert result.picked in result.best
    assert result.learned.decoded.tree == result.candidates[result.picked].tree
    assert result.learned.held_out == selected[result.picked]


@given(st.lists(st.integers(0, 40), min_size=1, max_size=9), st.integers(0, 100))
def test_delta_is_in_per_cent_of_the_rows(rights: list[int], delta: int) -> None:
    candidates = [Candidate(Leaf(0), "", Accuracy(40, right, {}), None) for right in rights]
    best = best_of(candidates, delta)
    assert {i for i, right in enumerate(rights) if right == max(rights)} <= set(best)
    assert best == tuple(i for i, right in enumerate(rights) if 100 * right >= 100 * max(rights) - 40 * delta)
    assert set(best) <= set(best_of(candidates, delta + 1))


def test_rows_are_parted_as_in_the_paper(noisy: str) -> None:
    """64 : 16 : 20, each row once; the same seed gives the same."""
    first, again = (mpdt(noisy, holdout=0.2, seed=5, trees=3) for _ in range(2))
    prepared = first.learned.prepared
    selection, test = first.candidates[0].selection, first.candidates[0].test
    assert selection is not None and test is not None
    used = prepared.read - prepared.dropped
    parts = (prepared.used, selection.rows, test.rows)
    assert sum(parts) == used
    assert np.allclose(parts, np.array([0.64, 0.16, 0.2]) * used, atol=3)
    assert first.candidates == again.candidates and first.picked == again.picked
    assert first.learned.test == first.candidates[first.picked].test


def test_one_tree_of_mpdt_1_and_a_test_file(noisy: str) -> None:
    result = mpdt(noisy, variant="mpdt-1", test=noisy)
    (only,) = result.candidates
    assert only.test is not None and only.test.rows == result.learned.prepared.read
    assert result.best == (0,) and result.learned.test == only.test


def test_what_is_kept_is_the_picked_tree(weather: str, tmp_path: Path) -> None:
    result = mpdt(weather, trees=4, keep=str(tmp_path))
    instance, log = str(tmp_path / "weather.wcnf"), str(tmp_path / "weather.wcnf.picked.log")
    assert verify(instance, log).verdict.ok
    assert decode(instance, log).tree == result.learned.decoded.tree
    record = json.loads((tmp_path / "weather.wcnf.diverse.run.json").read_text())
    assert record["run"]["exit_code"] == 30 and record["trace"]


def test_what_is_printed(weather: str) -> None:
    text, trees = io.StringIO(), io.StringIO()
    words = ["mpdt", weather, "--trees", "5", "--quiet"]
    assert cli.main(words, text) == 0
    assert text.getvalue().startswith("class\n")
    assert cli.main([*words, "--as", "json"], trees) == 0
    told = json.loads(trees.getvalue())
    assert len(told["trees"]) == 5 and told["optimal"] is True
    assert told["trees"][told["picked"]]["best"] is True
    best = sum(each["best"] for each in told["trees"])
    assert f"best:      {best} of 5 trees" in text.getvalue()
    table = text.getvalue().split("selection     test\n")[1].splitlines()
    assert len(table) == best and sum("*" in line for line in table) == 1


def test_one_class_needs_no_search(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,class\n" + "0,x\n1,x\n" * 4)
    result = mpdt(str(tmp_path / "one.csv"))
    assert [each.tree for each in result.candidates] == [Leaf(0)] and result.best == (0,)


def test_no_rows_to_select_by(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One row of each class: both are learned from."""
    caplog.set_level("INFO", logger="wcnfgen")
    (tmp_path / "two.csv").write_text("a,b,class\n0,0,x\n1,0,y\n")
    result = mpdt(str(tmp_path / "two.csv"), holdout=0.2)
    (only,) = result.candidates
    assert only.selection is None and only.test is None and result.best == (0,)
    assert "no rows are left to select by" in caplog.text


@pytest.mark.parametrize(
    "words",
    [
        ["--variant", "mpdt-2"],
        ["--split", "0"],
        ["--split", "1.1"],
        ["--split", "nan"],
        ["--holdout", "1"],
        ["--holdout", "0.2", "--test", "x.csv"],
        ["--trees", "0"],
        ["--variant", "mpdt-1", "--trees", "2"],
        ["--delta", "-1"],
        ["--delta", "100.5"],
        ["--layout-depth", "2"],
        ["--variant", "mpdt-lay", "--layout-depth", "5"],
        ["--layout", "1"],
        ["--sample", "0.5"],
        ["--soft-rows"],
        ["--wall", "0"],
        ["--sat", "nonsense"],
    ],
)
def test_options_that_make_no_sense(words: list[str], weather: str, tmp_path: Path) -> None:
    keep = tmp_path / "kept"
    assert cli.main(["mpdt", weather, *words, "--keep", str(keep)]) == 2
    assert not keep.exists()


def test_the_library_refuses_what_the_command_line_refuses(weather: str) -> None:
    for options in ({"sample": 0.5}, {"layout": 1}, {"variant": "mpdt-2"}):
        with pytest.raises(UsageError):
            mpdt(weather, **options)


def test_at_the_limit_there_is_the_best_tree_so_far(noisy: str) -> None:
    result = mpdt(noisy, trees=MANY, variant="mpdt-nd", wall=2.0, split=0.9)
    assert len(result.candidates) < MANY and result.best


def test_an_interrupt(noisy: str) -> None:
    command = [sys.executable, "-m", "wcnfgen", "mpdt", noisy, "--trees", str(MANY), "--split", "0.9"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "cost" not in (line := process.stderr.readline()):
        assert line, "it ended too early"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and not out


def test_models_that_do_not_hold_are_left_out(weather: str, tmp_path: Path) -> None:
    """Each tree once, an unfinished line is nothing, and a wrong bit, length or cost is found."""
    instance = encode(weather, embed_rows=True)
    file, log = tmp_path / "x.wcnf", tmp_path / "x.log"
    instance.write(file)
    encoding = instance.encoding
    assert instance.witness is not None
    model = encoding.model(instance.witness)[1:]
    good = "v " + "".join(str(int(bit)) for bit in model) + "\n"
    broken = "v " + "".join(str(int(bit)) for bit in ~model) + "\n"
    claims = f"o {encoding.cost(instance.witness)}\ns SATISFIABLE\n"
    log.write_text(f"{claims}{broken}{good[:-2]}\n{good}{good}{good[:9]}")
    found = _trees.read(file, log, encoding)
    assert found.trees == (instance.witness,) and found.refuted == 2
    assert found.checked.verdict.ok
    found.write(0, tmp_path / "one.log")
    assert (tmp_path / "one.log").read_text() == claims + good


def test_many_models_are_evaluated_at_once_as_one_by_one(tmp_path: Path) -> None:
    """Groups of 64, empty clauses, one model too short."""
    rng = np.random.default_rng(8)
    file = tmp_path / "x.wcnf"
    both = set()
    for number in range(30):
        formula = random_formula(rng, most=10**15)
        file.write_bytes(solving.text(formula) + b"5 0\n" * (number % 3))
        models = [rng.random(formula.variables + 1) < 0.5 for _ in range(1 + 50 * (number % 4))]
        costs = _trees._costs(file, [*models, models[0][1:]], formula.variables)
        assert costs.pop() is None
        for model, cost in zip(models, costs, strict=True):
            falsified, paid = solving.falsified(formula, model)
            assert cost == (None if falsified else paid + 5 * (number % 3))
            both.add(cost is None)
    assert len(both) == 2


@pytest.mark.parametrize(
    ("name", "nodes", "count"), [("mux6", 15, 2), ("irish", 9, 6), ("monks-1", 29, 2368)]
)
def test_the_published_sizes_and_numbers_of_trees(
    name: str, nodes: int, count: int, shared: Path, full: bool
) -> None:
    """Table 6 of the paper: the size, and how many optimal trees there are; monks-1 has 2368."""
    asked = 3000 if full else 50
    result = mpdt(
        str(shared / "data" / "pmlb" / f"{name}.csv"),
        variant="mpdt-nd",
        binarise="binary",
        holdout=0.2,
        trees=asked,
        wall=600,
    )
    assert result.learned.optimal and len(result.candidates) == min(count, asked)
    assert {size(each.tree) for each in result.candidates} == {nodes}
