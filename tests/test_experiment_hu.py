"""The experiments of Hu et al.: what they compute from outputs, and lines that commands understand."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.optional import needs
from wcnfgen import commands, drawing, options
from wcnfgen.experiments import Recipe, Scale, _child, _hu, _hu_curves, _hu_means, get, hu_2, hu_overfitting
from wcnfgen.experiments._hu_curves import Mean, Point, Run
from wcnfgen.experiments.findings import Claim, Findings
from wcnfgen.experiments.work import DataSet, Step, Work

NAMES = ("hu-overfitting", "hu-1", "hu-2")


# ---------------------------------------------------------------------------- lines


def parsed(words: tuple[str, ...]) -> dict[str, Any]:
    module, function = commands.get(words[0])
    rest = list(words[1:])
    return vars(options.parser(words[0], function, options.forwarded(module, rest)).parse_args(rest))


@pytest.mark.parametrize("scale", ["tiny", "small", "paper"])
@pytest.mark.parametrize("name", NAMES)
def test_commands_understand_all_lines(
    name: str, scale: Scale, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the data sets and without running: of each data set and line, that of the first sample."""
    monkeypatch.setattr(
        Work, "sets", lambda self, names: [DataSet(each, f"data/{each}.csv", ()) for each in names]
    )
    monkeypatch.setattr(Work, "json", lambda self, file: {"size": 7})
    seen: dict[tuple[str, ...], dict[str, Any]] = {}
    for steps in get(name).stages(Work(name, tmp_path, scale)):
        outputs = [step.output for step in steps]
        assert outputs and len(set(outputs)) == len(outputs)
        for step in steps:
            place = (step.words[0], *(word for word in step.words[2:] if "/" not in word))
            if place not in seen:
                seen[place] = parsed(step.words)
    assert seen
    if scale == "paper":
        solvers = {given["solver"] for given in seen.values() if "solver" in given}
        assert solvers == ({"rc2"} if name == "hu-overfitting" else {"loandra"})
        walls = {given["wall"] for given in seen.values() if given.get("solver") == "loandra"}
        assert walls <= {900.0}


@pytest.mark.parametrize(("name", "trees"), [("hu-1", 22 * 10 * 5 * 3 * 4 + 22), ("hu-2", 22 * 10 * 3 * 5)])
def test_the_papers_protocol_has_all_its_trees(
    name: str, trees: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Work, "sets", lambda self, names: [DataSet(each, f"data/{each}.csv", ()) for each in names]
    )
    recipe: Recipe = get(name)
    splits, learned = recipe.stages(Work(name, tmp_path, "paper"))
    assert len(splits) == 220 and len(learned) == trees
    made = {file for step in splits for file in _made(step)}
    assert all({step.words[1], step.words[step.words.index("--test") + 1]} <= made for step in learned)


def _made(split: Step) -> set[str]:
    """What a split writes."""
    words = dict(zip(split.words[2::2], split.words[3::2], strict=True))
    stem = f"{words['-o']}/{Path(split.words[1]).stem}"
    folds = [f".fold-{each}" for each in range(1, int(words.get("--folds", 0)) + 1)] or [""]
    return {f"{stem}{fold}.{part}.csv" for fold in folds for part in ("train", "test")}


def test_a_command_that_crashes_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 is one: no tree within the limits."""

    def crash(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ctypes.CDLL", MagicMock())
    monkeypatch.setattr("runpy.run_module", crash)
    monkeypatch.setattr("sys.argv", ["_child", str(os.getppid()), "learn"])
    with pytest.raises(SystemExit) as ended:
        _child.main()
    assert ended.value.code not in {code for step in _steps() for code in (0, *step.codes)}


def _steps() -> list[Step]:
    rows = _hu.Rows(DataSet("x", "x.csv", ()), "x", "x.train.csv", "x.test.csv")
    return [rows.step("tree", "learn"), _hu.held_out(rows.data, 0.2, 1)[0]]


# ---------------------------------------------------------------------------- shares of cases


@given(st.integers(0, 20), st.integers(0, 20))
def test_more_cases_never_make_a_claim_weaker(good: int, more: int) -> None:
    order = ["no", "partly", "yes"]
    of = good + more
    if of:
        assert order.index(_hu.verdict(good, of)) <= order.index(_hu.verdict(good + (more > 0), of))
        assert (_hu.verdict(good, of) == "yes") == (more == 0)
    else:
        assert _hu.verdict(good, of) == "open"


def test_a_share_of_rows_is_between_the_files(tmp_path: Path) -> None:
    work = Work("hu-2", tmp_path)
    work.write("data/x.csv", b"a,b,class\n1,0,y\n0,0,n\n")
    data = DataSet("x", "data/x.csv", ("--drop", "a"))
    assert _hu.shape(work, data) == (2, 2)
    step, rows = _hu.held_out(data, 0.2, 3)
    assert step.words[:4] == ("split", "data/x.csv", "--share", "0.2")
    line = rows.step("name", "learn", "--nodes", "5")
    assert line.output == "x/train-80-seed-3/name.json" and line.codes == (0, 1)
    assert line.words[:5] == ("learn", "x/train-80-seed-3/x.train.csv", "--drop", "a", "--nodes")


# ---------------------------------------------------------------------------- overfitting


def run(seed: int, errors: list[int], tests: list[float], pure: int | None = None) -> Run:
    """A sample of twenty rows with so many errors at 3, 5, ... nodes."""
    points = [Point(5.0 * (20 - each), test, each, True) for each, test in zip(errors, tests, strict=True)]
    trees = {3 + 2 * place: point for place, point in enumerate(points)}
    return Run("x", 0.1, seed, pure or max(trees), True, 0, trees)


RUNS = [run(1, [4, 2, 0], [80, 90, 85]), run(2, [1, 0], [70, 60])]


def claim(runs: list[Run], place: int) -> Claim:
    return list(_hu_curves.claims(runs, _hu_curves.averaged(runs)))[place]


def test_a_pure_sample_keeps_its_tree() -> None:
    (curve,) = _hu_curves.averaged(RUNS).values()
    assert curve == [Mean(3, 2, 87.5, 75.0), Mean(5, 2, 95.0, 75.0), Mean(7, 1, 100.0, 72.5)]


def test_a_size_without_a_tree_counts_with_the_smaller_one() -> None:
    assert run(1, [4, 0], [80, 90]).at(9).test == 90
    gap = replace(RUNS[0], trees={3: RUNS[0].trees[3], 7: RUNS[0].trees[7]})
    assert gap.at(5) == gap.trees[3]


def test_training_accuracy_has_to_rise_to_the_top() -> None:
    assert claim(RUNS, 0).held == "yes"
    assert claim([run(1, [1, 2, 0], [1, 1, 1])], 0).held == "no"
    assert claim([run(1, [2, 1], [1, 1])], 0).held == "no"
    assert claim([replace(run(1, [2, 1], [1, 1]), unavoidable=1)], 0).held == "yes"
    open_ended = {3: Point(90, 1, 2, False)}
    unproved = claim([replace(RUNS[0], trees=open_ended)], 0)
    assert unproved.held == "open" and "1 more" in unproved.measured


def test_the_perfect_size_has_to_be_that_of_the_descent() -> None:
    assert claim(RUNS, 1).held == "yes"
    assert claim([run(1, [3, 0, 0], [1, 1, 1], pure=7)], 1).held == "no", "a smaller one was perfect"
    assert claim([run(1, [3, 1], [1, 1], pure=5)], 1).held == "no", "it is not perfect"
    assert claim([run(1, [1], [1], pure=3)], 1).held == "no", "nor is this one"
    assert claim([replace(run(1, [3, 1], [1, 1]), unavoidable=1)], 1).held == "yes", "as perfect as can be"
    assert claim([*RUNS, run(3, [3, 1], [1, 1], pure=5)], 1).measured.startswith("in 2 of 3")


def test_overfitting_is_a_smaller_tree_that_tests_better() -> None:
    assert claim(RUNS, 2).held == "yes" and "+2.50" in claim(RUNS, 2).measured
    assert claim([run(1, [3, 0], [80, 80])], 2).held == "no"
    assert claim([run(1, [3, 0], [80, 90])], 2).held == "no"
    assert claim([run(1, [0], [80])], 2).held == "open"


def test_a_plateau_ends_where_test_accuracy_rises_again() -> None:
    assert claim(RUNS, 3).held == "yes" and "from 3 nodes" in claim(RUNS, 3).measured
    assert claim([run(1, [3, 0], [80, 81])], 3).held == "no"
    assert claim([run(1, [3, 0], [80, 80.5])], 3).held == "yes"
    assert claim([run(1, [0, 0], [80, 80])], 3).held == "no", "training accuracy does not rise"


curves = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=8).map(
    lambda each: [Mean(3 + 2 * at, 1, *map(float, two)) for at, two in enumerate(each)]
)


@given(curves)
def test_nothing_beyond_a_plateau_tests_better_and_none_begins_earlier(curve: list[Mean]) -> None:
    begin = _hu_curves.plateau(curve)
    for each in curve[:-1]:
        later = [mean for mean in curve if mean.nodes > each.nodes]
        rises = any(mean.test > each.test + _hu_curves.LEVEL for mean in later)
        if begin is None or each.nodes < begin:
            assert rises or later[-1].training <= each.training
        elif each.nodes == begin:
            assert not rises and later[-1].training > each.training


@given(curves)
def test_the_best_smaller_size_is_smaller_and_best(curve: list[Mean]) -> None:
    best = _hu_curves.best_smaller(curve)
    assert (best is None) == (len(curve) == 1)
    if best is not None:
        assert best.nodes < curve[-1].nodes and all(each.test <= best.test for each in curve[:-1])
        assert best == next(each for each in curve if each.test == best.test)


def test_there_is_a_picture_of_each_data_set_and_always_the_same() -> None:
    needs(drawing.installed(), "matplotlib (extra: plots)")
    both = _hu_curves.averaged([*RUNS, *(replace(run, name="y", share=0.2) for run in RUNS)])
    found = Findings((hu_overfitting._curves(both),))
    drawn = dict(hu_overfitting.pictures(found))
    assert list(drawn) == ["x.svg", "y.svg"] and drawn == dict(hu_overfitting.pictures(found))
    assert all(each in drawn["y.svg"] for each in (b"<svg", b"share 0.2", b"test accuracy [%]"))


# ---------------------------------------------------------------------------- Table 1


def result(method: str, fold: int, right: int, optimal: bool = True, **more: Any) -> _hu_means.Result:
    """A tree of a fold with a hundred rows."""
    given = {"test": float(right), "by_solver": True, "seconds": 1.0, "peak_mib": None, **more}
    return _hu_means.Result("x", 2, method, (1, fold), right, float(right), optimal=optimal, **given)


def table1(**right: int | tuple[int, ...]) -> dict[str, Claim]:
    """The claims when each method has so many rows right, on one fold or on several; CART, DL, MAX, EXACT."""
    names = {"CART": "CART", "DL": "DL8.5", "MAX": "DT(max)", "EXACT": "DT(exact)"}
    results = [
        result(names[each], fold, value, optimal=each != "CART")
        for each, values in right.items()
        for fold, value in enumerate(values if isinstance(values, tuple) else (values,))
    ]
    found = list(_hu_means.claims(results, _hu_means.rows(results)))
    return dict(zip(("training", "testing", "near", "max", "same"), found, strict=True))


def test_means_are_over_folds_and_times_over_what_is_proved() -> None:
    several = [
        result("DT(max)", 1, 90, seconds=4.0),
        result("DT(max)", 2, 80, optimal=False, by_solver=False, seconds=9.0, test=70.0),
        result("DT(max)", 3, 85, seconds=2.0, test=80.0),
        result("DT(max)", 4, 85, optimal=False, test=80.0),
    ]
    (row,) = _hu_means.rows(several)
    assert (row.trees, row.training, row.test, row.optimal, row.seconds) == (4, 85.0, 80.0, 50.0, 3.0)
    assert (row.greedy, row.peak_mib) == (1, None)
    (cart,) = _hu_means.rows([result("CART", 1, 90, optimal=False)])
    assert (cart.optimal, cart.seconds) == (None, None)


@pytest.mark.parametrize(("ours", "held"), [(87, "yes"), (86, "no")])
def test_competitive_is_within_three_points_of_the_best(ours: int, held: str) -> None:
    found = table1(CART=90, DL=88, MAX=ours, EXACT=80)
    assert (found["training"].held, found["testing"].held) == (held, held)
    assert f"{90 - ours:.2f} at most (x, depth 2)" in found["training"].measured
    alone = f"of CART alone in {int(held == 'yes')}, of DL8.5 alone in 1"
    assert alone in found["training"].measured


def test_close_to_the_optimum_is_within_a_point() -> None:
    assert table1(DL=90, MAX=89)["near"].held == "yes"
    assert table1(DL=90, MAX=88)["near"].held == "no"
    assert table1(CART=90, MAX=88)["near"].held == "open", "no optimum is known"


def test_a_tree_of_exact_depth_is_no_better() -> None:
    assert table1(MAX=89, EXACT=89)["max"].held == "yes"
    assert table1(MAX=88, EXACT=89)["max"].held == "no"


def test_one_proof_that_differs_breaks_the_law() -> None:
    assert table1(DL=(90, 91), MAX=(90, 91))["same"].held == "yes"
    broken = table1(DL=(90, 91, 92), MAX=(90, 91, 91))["same"]
    assert broken.held == "no" and broken.measured == "on 2 of 3 folds"
    assert table1(CART=90, MAX=90)["same"].held == "open"


def test_memory_is_judged_by_how_dl85_ended() -> None:
    def said(*ended: str) -> dict[str, dict[str, Any]]:
        return {str(at): {"ended": each, "peak_mib": 9.0, "seconds": 2.0} for at, each in enumerate(ended)}

    assert _hu_means.memory({}).held == "open"
    assert _hu_means.memory(said("done", "wall")).held == "open"
    assert _hu_means.memory(said("done", "memory")).held == "partly"
    assert _hu_means.memory(said(*["memory"] * 6)).held == "yes"


# ---------------------------------------------------------------------------- Table 2


def vote(method: str, training: float, test: float, seed: int = 1) -> hu_2.Result:
    return hu_2.Result("x", 2, method, seed, training, test, 21, 7)


def table2(**both: tuple[float, float]) -> list[Claim]:
    return list(hu_2.claims(hu_2.rows([vote(each, *accuracies) for each, accuracies in both.items()])))


def test_rows_are_means_of_splits_in_the_order_of_the_methods() -> None:
    found = hu_2.rows([vote("DT", 80, 70), vote("BS", 90, 60, 1), vote("BS", 100, 90, 2)])
    assert [each.method for each in found] == ["BS", "DT"]
    assert (found[0].splits, found[0].training, found[0].test, found[0].trees) == (2, 95.0, 75.0, 21.0)
    assert found[0].optimal == pytest.approx(100 / 3)


@pytest.mark.parametrize(
    ("bag", "tree", "held"), [(89.0, 80.0, "yes"), (90.0, 80.0, "no"), (80.0, 90.0, "no"), (91.0, 80.0, "no")]
)
def test_boosting_has_to_beat_both(bag: float, tree: float, held: str) -> None:
    assert table2(BS=(90, 80), BG=(bag, 80), DT=(tree, 80))[0].held == held


@pytest.mark.parametrize(("ours", "held"), [(80.0, "yes"), (77.0, "yes"), (76.9, "no")])
def test_competitive_with_cart_is_no_more_than_three_points_below(ours: float, held: str) -> None:
    _, general, competitive = table2(BS=(90, ours), BSH=(95, 80), DT=(70, 70))
    assert (general.held, competitive.held) == (held, held)


def test_what_boosting_lacks_is_lacked_against_the_best_of_all() -> None:
    _, general, competitive = table2(BS=(90, 78), BSH=(95, 80), DT=(70, 82))
    assert (general.held, competitive.held) == ("no", "yes") and "4.00" in general.measured


@given(st.integers(1, 20), st.integers(0, 20))
def test_almost_all_is_nine_of_ten(good: int, bad: int) -> None:
    rows = [
        hu_2.Row(str(case), 2, method, 1, accuracy, accuracy, 21, None)
        for case in range(good + bad)
        for method, accuracy in (("BS", 90.0), ("BG", 80.0 if case < good else 90.0), ("DT", 70.0))
    ]
    held = next(iter(hu_2.claims(rows))).held
    assert (held == "yes") == (10 * good >= 9 * (good + bad))
