"""Tables 3 to 6 of Narodytska et al.: claims turn with the figures, on outputs that are made up."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.experiments import _narodytska, narodytska_3, narodytska_4, narodytska_5, narodytska_6
from wcnfgen.experiments.findings import Findings
from wcnfgen.experiments.work import DataSet, Step, Work

Held = list[str]


def put(work: Work, output: str, found: Any, seconds: float = 1.0) -> None:
    """A step's output, as if it had been made."""
    work.write(output, json.dumps(found).encode())
    work.note(Step(output, ("data",)), 0, seconds)


def put_trees(
    work: Work,
    stem: str,
    *,
    smallest: int,
    greedy: int,
    cart: int,
    optimal: bool = True,
    seconds: float = 1.0,
    right: int = 90,
    cart_right: int = 90,
) -> None:
    """The three outputs of `_narodytska.steps`; of 100 test rows so many are right."""
    put(work, f"{stem}.greedy.json", {"rows": {"used": 40}, "columns": 9, "greedy": greedy})
    put(work, f"{stem}.cart.json", {"size": cart, "test": {"right": cart_right, "rows": 100}})
    tree = {"size": smallest, "optimal": optimal, "test": {"right": right, "rows": 100}, "seconds": seconds}
    put(work, f"{stem}.descent.json", tree, seconds)


def held(found: Findings) -> Held:
    return [each.held for each in found.claims]


flags = st.lists(st.sampled_from([True, False, None]), max_size=8)


@given(flags)
def test_what_holds_of_all(found: list[bool | None]) -> None:
    said = _narodytska.held(found)
    assert (said == "yes") == (bool(found) and all(each is True for each in found))
    assert (said == "no") == (False in found and True not in found)
    assert (said == "partly") == (False in found and True in found)


# ---------------------------------------------------------------------------- Table 3


def sizes(scale: float = 1.0, nodes: int = 21, unit: str = "literals") -> Callable[[Work], None]:
    """Formulas that have the printed sizes, times `scale`, in that unit at that number of nodes.

    Those of the set that is not the paper's are a tenth of it.
    """

    def write(work: Work) -> None:
        for name, printed in narodytska_3.PAPER.items():
            dt1 = printed.dt1 / 10 if name == narodytska_3.OTHER else printed.dt1
            for other in range(9, 33, 2):
                counts = {"variables": 7, "hard": 5, "soft": 0, "literals": 9, "bytes": 11}
                counts[unit] = round(scale * dt1 * other / nodes)
                known = {"rows": {"distinct": 14}, "columns": 8, **counts}
                put(work, f"{name}.paper-{other:02d}.json", known)
            put(work, f"{name}.fixed.json", {"rows": {"distinct": 14}, "columns": 8, **counts})

    return write


@pytest.mark.parametrize("unit", ["literals", "bytes"])
@pytest.mark.parametrize("nodes", [9, 21])
def test_the_unit_and_the_nodes_that_fit_are_found(unit: str, nodes: int, tmp_path: Path) -> None:
    work = Work("narodytska-3", tmp_path)
    sizes(1.0, nodes, unit)(work)
    found = narodytska_3.findings(work)
    assert held(found) == ["yes", "yes", "partly"]
    assert (
        f"{unit} of our form of it with {nodes} nodes: weather 190K, mouse 1.2M" in found.claims[0].measured
    )
    assert "off by 1.00 at most" in found.claims[0].measured
    table, fits, _ = found.tables
    assert [row[-1] for row in table.rows] == pytest.approx([1, 1, 1, 1, 0.1], abs=1e-3)
    (best,) = (row for row in fits.rows if row[0] == str(nodes))
    assert best[1 + narodytska_3.UNITS.index(unit)] == pytest.approx(1, abs=1e-3)


@given(st.integers(9, 31), st.floats(0.01, 100))
def test_how_far_off_is_the_same_above_and_below(nodes: int, ratio: float) -> None:
    above = narodytska_3.Fit("bytes", nodes, (ratio, ratio))
    below = narodytska_3.Fit("bytes", nodes, (1 / ratio, ratio))
    assert above.factor == pytest.approx(below.factor) == pytest.approx(above.worst)
    assert above.factor >= 1 - 1e-9


def test_sizes_that_are_off_do_not_hold(tmp_path: Path) -> None:
    """Beyond any number of nodes that a tree of depth 4 has."""
    work = Work("narodytska-3", tmp_path)
    sizes(1e-4)(work)
    found = narodytska_3.findings(work)
    assert held(found) == ["no", "yes", "yes"]


# ---------------------------------------------------------------------------- Table 4


def table_4(work: Work, **changed: dict[str, Any]) -> Findings:
    """As printed, with CART for ITI, but for what is changed."""
    for name, paper in narodytska_4.PAPER.items():
        as_printed = {"smallest": paper.optimum, "greedy": paper.iti, "cart": paper.iti}
        put_trees(work, name, **{**as_printed, "seconds": paper.seconds, **changed.get(name, {})})
    return narodytska_4.findings(work)


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, ["yes", "yes", "yes"]),
        ({"mux6": {"smallest": 13}}, ["partly", "yes", "yes"]),
        ({"mux6": {"optimal": False}}, ["partly", "partly", "yes"]),
        ({"mouse": {"seconds": 13.0}}, ["yes", "partly", "yes"]),
        ({"weather": {"greedy": 9}}, ["yes", "yes", "partly"]),
        ({"mouse": {"greedy": 17}}, ["yes", "yes", "yes"]),
    ],
)
def test_claims_of_table_4(changed: dict[str, dict[str, Any]], wanted: Held, tmp_path: Path) -> None:
    assert held(table_4(Work("narodytska-4", tmp_path), **changed)) == wanted


def test_sets_that_are_not_there_leave_claims_open(tmp_path: Path) -> None:
    work = Work("narodytska-4", tmp_path)
    put_trees(work, "weather", smallest=9, greedy=13, cart=13)
    assert held(narodytska_4.findings(work)) == ["open", "open", "open"]
    put_trees(work, "weather", smallest=11, greedy=13, cart=13)
    assert held(narodytska_4.findings(work))[0] == "no"


def test_a_search_without_a_tree_is_a_line_of_the_table(tmp_path: Path) -> None:
    """As where the limit on memory came first."""
    work = Work("narodytska-4", tmp_path)
    put_trees(work, "weather", smallest=9, greedy=13, cart=13)
    work.write("weather.descent.json", b"")
    found = narodytska_4.findings(work)
    assert held(found)[:2] == ["no", "no"]
    assert found.tables[0].rows[0][-4:-2] == (None, "no")


def test_the_optima_are_the_published_ones(shared: Path) -> None:
    with (shared / "data" / "expected_narodytska.csv").open(newline="") as file:
        published = {line["name"].lower(): int(line["optimal_nodes"]) for line in csv.DictReader(file)}
    assert published == {name: paper.optimum for name, paper in narodytska_4.PAPER.items()}


# ---------------------------------------------------------------------------- Table 5


def table_5(
    work: Work, keys: list[tuple[str, float]], change: Callable[[int], dict[str, Any]] = lambda _: {}
) -> Findings:
    """Five samples of each that are as printed, but for what is changed in the sample of that seed."""
    for name, share in keys:
        paper = narodytska_5.PAPER[name, share]
        nodes = {"smallest": paper.smallest, "greedy": paper.iti, "cart": paper.iti}
        rights = {"right": round(100 * paper.test), "cart_right": round(100 * paper.iti_test)}
        for seed in range(1, 6):
            proved = seed <= -(-paper.proved // 4)
            whole = {**nodes, **rights, "optimal": proved, "seconds": paper.seconds, **change(seed)}
            put_trees(work, narodytska_5._stem(name, share, seed), **whole)
        work.write(f"parts/{name}.test.csv", b"a,class\n0,x\n0,x\n0,y\n")
    return narodytska_5.findings(work)


ALL = list(narodytska_5.PAPER)


def test_claims_of_table_5_as_printed(tmp_path: Path) -> None:
    found = table_5(Work("narodytska-5", tmp_path, "paper"), ALL)
    assert held(found) == ["yes", "yes", "yes", "yes", "partly", "yes"]
    assert "30 %" in found.claims[2].says and "up to 30 % fewer than CART's" in found.claims[2].measured
    line = found.tables[0].rows[0]
    assert line[:2] == ("car", "0.05") and line[5:9] == pytest.approx((22.3, 22.3, 18.8, 18.8))
    assert line[-1] == pytest.approx(2 / 3)
    assert len(found.tables[0].rows) == len(ALL)


@pytest.mark.parametrize(
    ("change", "at", "wanted"),
    [
        ({"smallest": 40.0}, 0, "no"),
        ({"optimal": False}, 0, "open"),
        ({"optimal": False}, 1, "no"),
        ({"smallest": 9.0, "cart": 9}, 2, "no"),
        ({"smallest": 9.0, "cart": 10}, 2, "partly"),
        ({"right": 90, "cart_right": 79}, 3, "no"),
        ({"right": 90, "cart_right": 80}, 3, "yes"),
        ({"right": 60}, 4, "yes"),
        ({"right": 61}, 4, "no"),
    ],
)
def test_claims_of_table_5_turn(change: dict[str, Any], at: int, wanted: str, tmp_path: Path) -> None:
    found = table_5(Work("narodytska-5", tmp_path, "paper"), ALL, lambda seed: change)
    assert held(found)[at] == wanted


def test_means_are_of_what_is_proved(tmp_path: Path) -> None:
    found = table_5(
        Work("narodytska-5", tmp_path, "paper"),
        [("car", 0.05)],
        lambda seed: {"smallest": 10 * seed, "optimal": seed < 3, "right": 10 * seed},
    )
    line = dict(zip((each.name for each in found.tables[0].columns), found.tables[0].rows[0], strict=True))
    assert (line["ours: smallest"], line["ours: proved"], line["ours: samples"]) == (15, 2, 5)
    assert line["ours: test"] == pytest.approx(0.15)


def test_sizes_of_samples_are_the_papers(tmp_path: Path) -> None:
    """Each share, of the rows that are not to test on, gives the rows of #b."""
    work = Work("narodytska-5", tmp_path, "paper")
    work.write("parts/car.train.csv", b"a,class\n" + b"0,x\n" * 1296)
    data = DataSet("car", "data/car.csv", ())
    for (name, share), paper in narodytska_5.PAPER.items():
        if name == "car":
            words = narodytska_5._steps(work, data, share, paper.rows, 3)[0].words
            drawn = float(words[words.index("--sample") + 1]) * 1296
            assert round(drawn) == paper.rows and words[words.index("--seed") + 1] == "3"


# ---------------------------------------------------------------------------- Table 6


def table_6(work: Work, **changed: Any) -> Findings:
    """As printed, with CART for ITI, but for what is changed in all sets."""
    for name, paper in narodytska_6.PAPER.items():
        nodes = {"smallest": paper.smallest, "greedy": paper.iti, "cart": paper.iti, "seconds": paper.seconds}
        put_trees(work, name, **{**nodes, **{key: value for key, value in changed.items() if key != "all"}})
        put(work, f"{name}.all.cart.json", {"size": changed.get("all", paper.iti_all)})
    return narodytska_6.findings(work)


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, ["partly", "partly", "yes", "yes", "yes"]),  # promoters: 25 nodes with all columns and with few
        ({"all": 1000}, ["yes", "yes", "yes", "yes", "yes"]),
        ({"all": 3}, ["no", "no", "yes", "yes", "yes"]),
        ({"optimal": False}, ["partly", "partly", "no", "no", "yes"]),
        ({"seconds": 199.0}, ["partly", "partly", "no", "yes", "yes"]),
        ({"smallest": 25}, ["partly", "partly", "yes", "partly", "yes"]),
        ({"right": 84}, ["partly", "partly", "yes", "yes", "no"]),
        ({"right": 85}, ["partly", "partly", "yes", "yes", "yes"]),
    ],
)
def test_claims_of_table_6(changed: dict[str, Any], wanted: Held, tmp_path: Path) -> None:
    assert held(table_6(Work("narodytska-6", tmp_path), **changed)) == wanted


def test_columns_of_several_classes_are_chosen_for_two(tmp_path: Path) -> None:
    work = Work("narodytska-6", tmp_path)
    data = DataSet("shuttle", "data/shuttle.csv", ())
    best, whole = narodytska_6._columns(work, data)
    assert best.words[-4:-2] == ("--best", "5") and "--best" not in whole.words
    assert all(each.words[each.words.index("--positive") + 1] == "1" for each in (best, whole))
    assert len(list(narodytska_6._columns(work, replace(data, name="car")))) == 1
