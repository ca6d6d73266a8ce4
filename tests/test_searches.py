"""The searches against RC2, against each other and against brute force; and as programs."""

from __future__ import annotations

import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import oracle, solving
from wcnfgen import cli, reader, searches
from wcnfgen.clauses import clauses
from wcnfgen.commands.search import search
from wcnfgen.commands.verify import verify
from wcnfgen.constraints import topology
from wcnfgen.encodings import Encoding
from wcnfgen.encodings._core import CoreEncoding
from wcnfgen.encodings.accuracy import Accuracy
from wcnfgen.encodings.exact import Exact
from wcnfgen.encodings.size import Size
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.output import parse
from wcnfgen.rows import Problem, merge
from wcnfgen.searches import Improvement, Proved, _objective, descent, diverse, lazy, lms
from wcnfgen.searches._sat import SatSolver
from wcnfgen.tree import Tree, predict, size
from wcnfgen.variables import Literals
from wcnfgen.verdict import judge

ROOT = Path(__file__).parents[1]


def random_formula(rng: np.random.Generator, *, most: int = 9) -> reader.Whole:
    """A few hard and soft clauses; with repeated, opposite and unit ones, weights from 1 on."""
    n = int(rng.integers(2, 8))

    def clause(widest: int) -> Literals:
        chosen = rng.integers(1, n + 1, rng.integers(1, widest + 1))
        signs = rng.choice([-1, 1], len(chosen))
        return clauses(*(chosen * signs))

    hards = [clause(3) for _ in range(rng.integers(0, 3 * n))]
    softs = [(int(rng.integers(1, most)), clause(2)) for _ in range(rng.integers(0, 12))]
    return reader.Whole(n, hards, softs, [])


def consistent(rng: np.random.Generator, *, features: int = 3, classes: int = 2) -> Problem:
    """Distinct rows of at least two classes."""
    X = np.unique(rng.integers(0, 2, (rng.integers(4, 12), features), dtype=np.uint8), axis=0)
    y = rng.integers(0, classes, len(X)).astype(np.int32)
    y[: min(classes, len(X))] = np.arange(min(classes, len(X)))
    return merge(X, y, classes)


def last(events: searches.Events) -> tuple[Improvement | None, str]:
    """The best improvement and the status; costs fall, times rise."""
    best, status, seconds = None, "", 0.0
    for event in events:
        assert event.seconds >= seconds
        seconds = event.seconds
        if isinstance(event, Proved):
            status = event.status
        else:
            assert best is None or event.cost < best.cost
            best = event
    return best, status


# ---------------------------------------------------------------------------- LMS


@pytest.mark.parametrize("sat", ["cadical195", "glucose4", "minisat22"])
@pytest.mark.parametrize("most", [2, 9, 10**12])
def test_lms_finds_the_optimum_that_rc2_finds(sat: str, most: int, full: bool) -> None:
    rng = np.random.default_rng(5)
    proved = set()
    for _ in range(300 if full else 40):
        formula = random_formula(rng, most=most)
        best, status = last(lms.search(formula, sat=sat))
        expected = solving.solve(formula)
        proved.add(status)
        if expected is None:
            assert best is None and status == "UNSATISFIABLE"
        else:
            assert best is not None and status == "OPTIMUM FOUND"
            assert solving.falsified(formula, best.model) == (0, best.cost)
            assert best.cost == expected[0]
    assert len(proved) == 2


def test_lms_from_a_file_is_lms_in_memory(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    for number in range(20):
        formula = random_formula(rng)
        file = tmp_path / f"{number}.wcnf"
        file.write_bytes(solving.text(formula))
        of_file, of_memory = last(lms.start(str(file))), last(lms.search(formula))
        assert of_file[1] == of_memory[1]
        assert (of_file[0] and of_file[0].cost) == (of_memory[0] and of_memory[0].cost)


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("h 1 0\n3 0\n2 -1 0\n", 5),  # an empty soft clause
        ("p cnf 2 2\n1 2 0\n-1 0\n", 0),
        ("9223372036854775000 1 0\n9223372036854775000 2 0\nh -1 0\nh -2 0\n", 2 * 9223372036854775000),
        ("h 0\n1 1 0\n", None),
        ("", 0),
    ],
)
def test_odd_formulas(text: str, cost: int | None, tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text(text)
    best, status = last(lms.start(str(tmp_path / "x.wcnf")))
    assert (best and best.cost) == cost
    assert status == ("UNSATISFIABLE" if cost is None else "OPTIMUM FOUND")


def test_a_known_model_comes_first_and_the_last_formula_stays() -> None:
    problem = consistent(np.random.default_rng(7))
    plan = Size.plan(problem, ub=15)
    assert plan.witness is not None
    linear = lms.Linear()
    linear.take(plan.encoding)
    first, *_, proof = linear.events(plan.encoding.model(plan.witness))
    assert isinstance(first, Improvement) and first.cost == plan.encoding.cost(plan.witness)
    assert isinstance(proof, Proved) and linear.best is not None
    model = linear.sat.solve()
    assert model is not None
    assert plan.encoding.cost(plan.encoding.tree(model)) == linear.best.cost


@pytest.mark.parametrize("largest", [10**6, 0], ids=["totaliser", "adder"])
def test_sums_stay_below_any_bound(largest: int) -> None:
    """All assignments of the terms, all bounds: satisfiable if and only if the sum is less."""
    rng = np.random.default_rng(8)
    for _ in range(15):
        weights = rng.integers(1, 9, rng.integers(2, 6)).tolist()
        sat = SatSolver()
        sat.variables = len(weights)
        literals = [int(x) for x in np.arange(1, len(weights) + 1) * rng.choice([-1, 1], len(weights))]
        cap = int(rng.integers(1, sum(weights) + 3))
        total = _objective.objective(list(zip(weights, literals, strict=True)), cap, sat, largest)
        assert isinstance(total, _objective.Adder if largest == 0 else _objective.Totaliser)
        for true in range(2 ** len(weights)):
            values = [x if true >> i & 1 else -x for i, x in enumerate(literals)]
            paid = sum(w for i, w in enumerate(weights) if true >> i & 1)
            for bound in range(1, cap + 1):
                assert (sat.solve([*values, *total.below(bound)]) is not None) == (paid < bound)


def test_many_weights_are_added_in_binary() -> None:
    rng = np.random.default_rng(9)
    weights = rng.integers(1, 10**6, 60).tolist()
    sat = SatSolver()
    sat.variables = len(weights)
    terms = [(w, x) for x, w in enumerate(weights, 1)]
    assert isinstance(_objective.objective(terms, sum(weights), sat), _objective.Adder)
    assert isinstance(_objective.objective([(1, x) for _, x in terms], 60, sat), _objective.Totaliser)


def test_an_unknown_sat_solver() -> None:
    with pytest.raises(UsageError, match=r"no SAT solver 'kissat'.*cadical195"):
        SatSolver("kissat")


# ---------------------------------------------------------------------------- descent


@pytest.mark.parametrize("from_greedy", [True, False])
def test_the_descent_ends_at_the_optimum_of_size(from_greedy: bool, full: bool) -> None:
    rng = np.random.default_rng(10)
    for number in range(100 if full else 20):
        problem = consistent(rng, classes=2 + number % 2)
        target = Size(problem, ub=15, lb=3)
        known = Size.plan(problem, ub=15).witness if from_greedy else None
        best, status = last(descent.search(target, known=known))
        assert best is not None and status == "OPTIMUM FOUND"
        assert best.cost == oracle.optimum(target)
        assert solving.falsified(solving.through(target), best.model) == (0, best.cost)


def test_the_descent_says_no() -> None:
    """A conjunction needs five nodes; below the upper bound there is nothing."""
    problem = merge(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8), np.array([0, 0, 0, 1], np.int32), 2)
    assert last(descent.search(Size(problem, ub=3))) == (None, "UNSATISFIABLE")


# ---------------------------------------------------------------------------- lazy rows


def of_all_rows(rng: np.random.Generator, number: int) -> CoreEncoding:
    """A formula of pure trees, of each kind in turn."""
    problem = consistent(rng, features=4, classes=2 + number % 2)
    form: Any = ("core", "paper")[number % 5 == 0]
    if number % 4 == 3:
        return Exact(problem, nodes=9, form=form, reach=form == "core" and number % 8 == 3)
    ub = (11, 5)[number % 3 == 1]
    helped = form == "core" and number % 4 == 1
    return Size(problem, ub=ub, form=form, counters=number % 2 == 0, reach=helped, root_bounds=helped)


def test_lazy_rows_change_no_optimum(full: bool) -> None:
    """The same cost as with all rows, and the last model is one of the whole formula."""
    rng = np.random.default_rng(15)
    proved = set()
    for number in range(200 if full else 24):
        encoding = of_all_rows(rng, number)
        expected, status = last(lms.search(encoding))
        best, also = last(lazy.search(encoding, step=1 + number % 7))
        proved.add((encoding.name, also))
        assert (best and best.cost, also) == (expected and expected.cost, status)
        if best is not None:
            assert solving.falsified(solving.through(encoding), best.model) == (0, best.cost)
    assert len(proved) >= 3


def test_most_rows_are_not_needed() -> None:
    """One of the features of 600 rows decides: a few rows show it."""
    rng = np.random.default_rng(16)
    X = np.unique(rng.integers(0, 2, (600, 14), dtype=np.uint8), axis=0)
    problem = merge(X, (X[:, 3] & X[:, 7]).astype(np.int32), 2)
    rows = lazy.LazyRows(Size(problem, ub=9))
    linear = lms.Linear()
    linear.take(rows)
    linear.sat.refine = rows.missing
    best, status = last(linear.events())
    assert best is not None and status == "OPTIMUM FOUND" and 2 * best.cost + 3 == 5
    assert 2 <= rows.taken.sum() < problem.rows / 5


def test_rows_that_may_be_wrong_are_not_lazy() -> None:
    problem = consistent(np.random.default_rng(17))
    assert not lazy.suits(Accuracy.plan(problem, ub=5).encoding)
    assert not lazy.suits(Size.plan(problem, ub=5, soft_rows=True).encoding)
    assert lazy.suits(Size.plan(problem, ub=15).encoding)


@pytest.mark.parametrize("words", [["--encoding", "accuracy", "--ub", "5"], ["--no-embed-rows"], []])
def test_lazy_is_a_solver_of_any_formula(words: list[str], weather: str, tmp_path: Path) -> None:
    """Of ours, those it has no rows for, and those of others."""
    file = tmp_path / "x.wcnf"
    assert cli.main(["encode", weather, *words, "-o", str(file)]) == 0
    if not words:
        text = [line for line in file.read_text().splitlines() if not line.startswith("c")]
        file.write_text("\n".join(text) + "\n")
    best, status = last(lazy.start(str(file)))
    expected, same = last(lms.start(str(file)))
    assert best is not None and expected is not None
    assert (best.cost, status) == (expected.cost, same)


# ---------------------------------------------------------------------------- MDSOL


def found(encoding: Encoding, trees: int, *, diversity: bool) -> list[Tree]:
    return list(diverse.optimal_trees(encoding, trees=trees, diverse=diversity))


def all_optimal(encoding: Encoding) -> set[Tree]:
    """By brute force."""
    least = oracle.optimum(encoding)
    every = oracle.all_trees(encoding.problem)
    return {tree for tree in every if encoding.allows(tree) and encoding.cost(tree) == least}


def of_layouts(encoding: CoreEncoding, trees: int, depth: int, *, rows: bool = False) -> list[Tree]:
    """The trees of a search by layouts; with lazy rows or not."""
    if rows:
        return trees_of(encoding, lazy.search(encoding, trees=trees, diverse=False, layout_depth=depth))
    linear = lms.Linear()
    linear.take(encoding)
    return trees_of(
        encoding, diverse.search(linear, encoding, trees=trees, diverse=False, layout_depth=depth)
    )


def trees_of(encoding: Encoding, events: searches.Events) -> list[Tree]:
    """Those of the last cost."""
    models = [event for event in events if isinstance(event, Improvement)]
    return [encoding.tree(each.model) for each in models if each.cost == models[-1].cost]


@pytest.mark.parametrize("diversity", [True, False])
@pytest.mark.parametrize("counters", [True, False])
def test_mdsol_finds_all_optimal_trees(diversity: bool, counters: bool, full: bool) -> None:
    rng = np.random.default_rng(11)
    counts = []
    for number in range(200 if full else 40):
        problem = consistent(rng, classes=2 + number % 2)
        encoding = Size(problem, ub=15 if counters else 9, counters=counters)
        expected = all_optimal(encoding)
        trees = found(encoding, 10**6, diversity=diversity)
        assert len(trees) == len(set(trees))
        assert set(trees) == expected
        counts.append(len(trees))
    assert max(counts) > 3


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_layouts_share_all_optimal_trees(depth: int, full: bool) -> None:
    """All of them if enough are asked for; else each layout has its share, if it has so many."""
    rng = np.random.default_rng(18)
    several = 0
    for number in range(100 if full else 12):
        encoding = Size(consistent(rng, classes=2 + number % 2), ub=15)
        expected = all_optimal(encoding)
        trees = of_layouts(encoding, 10**6, depth, rows=number % 2 == 0)
        assert len(trees) == len(set(trees)) and set(trees) == expected
        every = Counter(layout(tree, depth) for tree in expected)
        some = of_layouts(encoding, 5, depth)
        shares = Counter(layout(tree, depth) for tree in some)
        assert len(some) == len(set(some)) <= 5 and set(some) <= expected
        assert all(shares[bits] >= min(count, 5 // len(every)) for bits, count in every.items())
        several += len(every) > 1
    assert several or depth == 1


def layout(tree: Tree, depth: int) -> str:
    return "".join(topology.levels(topology.shape(tree))[:depth])


def test_lazy_rows_find_all_optimal_trees() -> None:
    rng = np.random.default_rng(19)
    for _ in range(10):
        encoding = Size(consistent(rng), ub=15)
        trees = trees_of(encoding, lazy.search(encoding, step=2, trees=10**6))
        assert len(trees) == len(set(trees)) and set(trees) == all_optimal(encoding)


def test_each_further_tree_is_as_different_as_can_be() -> None:
    """Against all optimal trees: the second one shares as few tests, at the same nodes, as any does."""

    def tests(encoding: Size, tree: Tree) -> set[int]:
        return set(encoding.t.a[encoding.model(tree)[encoding.t.a]].tolist())

    rng = np.random.default_rng(12)
    for _ in range(20):
        encoding = Size(consistent(rng, features=4), ub=13)
        every = found(encoding, 10**6, diversity=False)
        some = found(encoding, 3, diversity=True)
        assert len(some) == min(3, len(every))
        for k in range(1, len(some)):

            def shared(tree: Tree, before: list[Tree] = some[:k], of: Size = encoding) -> int:
                return sum(len(tests(of, tree) & tests(of, other)) for other in before)

            assert shared(some[k]) == min(shared(tree) for tree in every if tree not in some[:k])


def test_trees_of_any_size_at_the_same_cost() -> None:
    """Where the size is open, a tree does not forbid those that extend it."""
    rng = np.random.default_rng(13)
    for _ in range(10):
        problem = consistent(rng)
        encoding = Accuracy.plan(problem, ub=7).encoding
        least = oracle.optimum(encoding)
        every = [t for t in oracle.all_trees(problem) if encoding.allows(t) and encoding.cost(t) == least]
        shapes = {str(t).replace("label=1", "label=0") for t in every}
        trees = found(encoding, 10**6, diversity=False)
        assert {str(t).replace("label=1", "label=0") for t in trees} == shapes


# ---------------------------------------------------------------------------- programs


def program(name: str, *words: str) -> list[str]:
    return [sys.executable, "-m", f"wcnfgen.searches.{name}", *words]


NAMES = sorted(m.name for m in pkgutil.iter_modules(searches.__path__) if not m.name.startswith("_"))


@pytest.mark.parametrize("name", NAMES)
def test_each_search_is_a_solver(name: str, weather: str, tmp_path: Path) -> None:
    """It keeps the protocol, proves the optimum, and every model it prints holds."""
    file = tmp_path / "x.wcnf"
    assert cli.main(["encode", weather, "--ub", "13", "-o", str(file)]) == 0
    for sat in ("cadical195", "minisat22"):
        done = subprocess.run(program(name, str(file), "--sat", sat), capture_output=True, cwd=ROOT)
        lines = done.stdout.splitlines(keepends=True)
        assert done.returncode == 30 and done.stderr == b""
        costs = [int(line[2:]) for line in lines if line.startswith(b"o ")]
        assert costs == sorted(costs, reverse=True) and costs[-1] == 3
        for model in (line for line in lines if line.startswith(b"v ")):
            claims = [line for line in lines if not line.startswith(b"v ")]
            verdict = judge(file, parse([*claims, model])).verdict
            assert verdict.ok and verdict.cost == 3 and verdict.status == "OPTIMUM FOUND"


def hard_instance(folder: Path) -> Path:
    """Models come at once, the proof takes long."""
    rng = np.random.default_rng(14)
    X = np.unique(rng.integers(0, 2, (120, 12), dtype=np.uint8), axis=0)
    problem = merge(X, rng.integers(0, 2, len(X)).astype(np.int32), 2)
    plan = Accuracy.plan(problem, ub=15)
    file = folder / "hard.wcnf"
    file.write_bytes(solving.text(plan.encoding))
    return file


@pytest.mark.parametrize(
    ("stop", "whom"), [(signal.SIGTERM, "program"), (signal.SIGTERM, "child"), (signal.SIGINT, "program")]
)
def test_a_signal_brings_the_best_model_out_at_once(stop: int, whom: str, tmp_path: Path) -> None:
    """The driver tells the leaves of the process tree first, a shell the parent."""
    import psutil

    file = hard_instance(tmp_path)
    process = subprocess.Popen(program("lms", str(file)), stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"o ")
    time.sleep(0.5)  # the solver is at work
    (child,) = psutil.Process(process.pid).children()
    os.kill(child.pid if whom == "child" else process.pid, stop)
    lines = process.communicate(timeout=20)[0].splitlines()
    assert process.returncode == 10
    assert not child.is_running()
    costs = [int(line[2:]) for line in lines if line.startswith(b"o ")]
    assert lines[-2] == b"s SATISFIABLE" and lines[-1].startswith(b"v ")
    formula = reader.read(file)
    values = np.array([False] + [bit == ord("1") for bit in lines[-1][2:]])
    falsified, cost = solving.falsified(formula, values)
    assert falsified == 0 and len(values) == formula.variables + 1
    assert not costs or cost == costs[-1]


@pytest.mark.parametrize(
    ("text", "code", "lines"),
    [
        ("h 1 0\n1 -1 0\n1 2 0\n", 30, ["o 1", "s OPTIMUM FOUND", "v 11"]),
        ("h 1 0\nh -1 0\n", 20, ["s UNSATISFIABLE"]),
        ("h 1\n", 1, []),
    ],
)
def test_exit_codes(text: str, code: int, lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text(text)
    done = subprocess.run(program("lms", str(tmp_path / "x.wcnf")), capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == code
    assert [line for line in done.stdout.splitlines() if line[0] != "o"] == [x for x in lines if x[0] != "o"]
    assert ("wcnfgen: error" in done.stderr) == (code == 1)


def test_a_usage_error_of_a_program(tmp_path: Path) -> None:
    done = subprocess.run(program("lms", "x", "--sat", "nonsense"), capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stdout == ""


# ---------------------------------------------------------------------------- the command


@pytest.fixture
def weather(tmp_path: Path) -> str:
    file = tmp_path / "weather.csv"
    assert cli.main(["data", "weather", "-o", str(file)]) == 0
    return str(file)


@pytest.mark.parametrize("method", ["lms", "descent", "lazy", "rc2", "path"])
def test_the_command_finds_the_smallest_tree(method: str, weather: str, tmp_path: Path) -> None:
    """And leaves instance, log and a record with the trace, from which all can be checked again."""
    if method == "path":
        script = tmp_path / "mine.sh"
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -m pysat.examples.rc2 -vv "$1"\n')
        script.chmod(0o755)
        method = str(script)
    keep = tmp_path / "kept"
    sat: Any = None if method not in ("lms", "descent", "lazy") else "glucose4"
    result = search(weather, method=method, sat=sat, keep=str(keep))
    assert result.learned.optimal and result.learned.by_solver
    assert [size(each.tree) for each in result.trees] == [9]
    stem = f"weather.wcnf.{Path(method).name}"
    assert sorted(p.name for p in keep.iterdir()) == ["weather.wcnf", f"{stem}.log.gz", f"{stem}.run.json"]
    record = json.loads((keep / f"{stem}.run.json").read_text())
    assert record["solver"] == method and record["trace"][-1][1] == 3
    assert verify(str(keep / "weather.wcnf"), str(keep / f"{stem}.log.gz")).verdict.ok


def test_an_interrupted_search_leaves_its_record(tmp_path: Path) -> None:
    """The best model so far is in the log."""
    rng = np.random.default_rng(14)
    rows = rng.integers(0, 2, (120, 13)).tolist()
    names = [f"x{i}" for i in range(12)]
    (tmp_path / "hard.csv").write_text(
        "\n".join(",".join(map(str, row)) for row in [[*names, "class"], *rows])
    )
    command = ["search", "hard.csv", "--encoding", "accuracy", "--ub", "15", "--keep", "k"]
    process = subprocess.Popen(
        [sys.executable, "-m", "wcnfgen", *command], stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stderr is not None
    while "cost" not in (line := process.stderr.readline()):
        assert line, "it ended too early"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    record = json.loads((tmp_path / "k" / "hard.wcnf.lms.run.json").read_text())
    assert record["run"]["limit"] == "interrupt" and record["trace"]
    checked = verify(str(tmp_path / "k" / "hard.wcnf"), str(tmp_path / "k" / "hard.wcnf.lms.log.gz"))
    assert checked.verdict.ok


def test_the_command_finds_several_trees(weather: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="wcnfgen")
    result = search(weather, trees=99)
    trees = [each.tree for each in result.trees]
    problem = result.learned.prepared.problem
    assert len(trees) == len(set(trees)) < 99 and f"there are {len(trees)} optimal trees" in caplog.text
    assert all(size(t) == 9 and (predict(t, problem.X) == problem.y).all() for t in trees)
    out = io.StringIO()
    assert cli.main(["search", weather, "--trees", "3", "--quiet"], out) == 0
    assert out.getvalue().count("class\n") == 3


def test_one_class_needs_no_search(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,class\n0,x\n1,x\n")
    assert [size(each.tree) for each in search(str(tmp_path / "one.csv")).trees] == [1]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"trees": 0}, "from 1 on"),
        ({"method": "descent", "trees": 2}, "--method lms"),
        ({"method": "descent", "encoding": "accuracy", "ub": 5}, "for the encoding size"),
        ({"method": "descent", "layout_depth": 2, "layout": 1}, "without --layout"),
        ({"method": "descent", "soft_rows": True}, "or --soft-rows"),
        ({"method": "lazy", "soft_rows": True}, "for pure trees"),
        ({"method": "lazy", "encoding": "complete", "depth": 4}, "encodings size and exact"),
        ({"method": "rc2", "trees": 2}, "--method lms or lazy"),
        ({"method": "rc2", "sat": "glucose4"}, "not with a MaxSAT solver"),
        ({"method": "nonsense"}, r"lms, descent, lazy, the solvers .*rc2.*\./nonsense"),
        ({"diverse": False}, "--trees 2"),
        ({"sat": "nonsense"}, "nonsense"),
        ({"wall": -1.0}, "positive"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], says: str, weather: str) -> None:
    with pytest.raises(UsageError, match=says):
        search(weather, **options)


def test_the_descent_needs_rows_and_the_encoding_size(weather: str, tmp_path: Path) -> None:
    file = str(tmp_path / "x.wcnf")
    assert cli.main(["encode", weather, "--no-embed-rows", "-o", file]) == 0
    with pytest.raises(FormatError, match="--embed-rows"):
        descent.start(file)
    assert cli.main(["encode", weather, "--encoding", "accuracy", "--ub", "5", "-o", file]) == 0
    with pytest.raises(UsageError, match="for the encoding size, this is accuracy"):
        descent.start(file)


def test_a_search_out_of_conflicts_keeps_what_it_has() -> None:
    rng = np.random.default_rng(3)
    plan = Size.plan(consistent(rng, features=4), ub=15)
    events = lms.search(plan.encoding, sat="glucose4", known=plan.encoding.model(plan.witness), conflicts=0)  # type: ignore[arg-type]
    assert isinstance(next(events), Improvement)
    with pytest.raises(UsageError, match="takes no budget"):
        next(lms.search(plan.encoding, conflicts=5))
