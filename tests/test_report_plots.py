"""Plots for papers: what is drawn is what the curves say, names stay as they are, and so do the bytes."""

from __future__ import annotations

import importlib.util
import logging
import re
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests import campaigns
from tests.comparing import by_solver, comparisons
from tests.optional import needs
from wcnfgen import drawing
from wcnfgen.errors import UsageError
from wcnfgen.report import comparison as comparing
from wcnfgen.report import curves, plots, standings
from wcnfgen.report.comparison import Comparison

ENDINGS = drawing.ENDINGS
SOLVED: Any = {"i": [{"cost": 4, "wall_s": 2.0}], "j": [{"cost": 2, "wall_s": 5.0}]}
WORSE: Any = {"i": [{"cost": 7, "status": "SATISFIABLE"}], "j": [{"cost": None}]}


@pytest.fixture(autouse=True)
def matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without PDF, which takes most of the time, but where it matters."""
    needs(importlib.util.find_spec("matplotlib"), "matplotlib")
    monkeypatch.setattr(drawing, "ENDINGS", {"svg": "Date"})


def made(comparison: Comparison, folder: Path, **more: Any) -> list[str]:
    """The names of the files that are written."""
    return [path.name for path in plots.write(comparison, standings.of(comparison), folder, **more)]


def texts(path: Path) -> list[str]:
    """All words in a plot."""
    return [unescape(each) for each in re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text("utf-8"))]


def svg(*stems: str) -> list[str]:
    return [f"{stem}.svg" for stem in stems]


def figure(comparison: Comparison, name: str) -> Any:
    """One of the plots of all instances, by the beginning of its name."""
    pairs = list(combinations(comparison.solvers, 2))
    with drawing.style():
        for stem, drawn in plots._figures(comparison, standings.of(comparison), {}, pairs):
            if stem.startswith(name):
                return drawn
    raise AssertionError(f"no {name}")


def test_all_that_there_is_to_show(tmp_path: Path) -> None:
    comparison = by_solver({"a": SOLVED, "b": WORSE})
    every = ("cactus", "anytime", "gaps", "scores", "scatter-cost-a-b", "scatter-seconds-a-b")
    assert made(comparison, tmp_path) == svg(*every)
    assert {"a (2)", "b (0)", "wall time (s)", "instances solved (of 2)"} <= set(
        texts(tmp_path / "cactus.svg")
    )
    assert {"a (1.000)", "b (0.312)", "mean anytime score"} <= set(texts(tmp_path / "anytime.svg"))
    assert {"a (2)", "b (1)", "instances with a model (of 2)"} <= set(texts(tmp_path / "gaps.svg"))
    assert {"a", "b", "share of instances"} <= set(texts(tmp_path / "scores.svg"))
    words = texts(tmp_path / "scatter-cost-a-b.svg")
    assert {"a: cost", "b: cost", "no model", "lower: a 2, b 0; equal: 0; neither: 0"} <= set(words)
    words = texts(tmp_path / "scatter-seconds-a-b.svg")
    assert {"a: wall time (s)", "unsolved", "faster: a 2, b 0; equal: 0; neither: 0"} <= set(words)


def test_parts_and_pairs(tmp_path: Path) -> None:
    comparison = by_solver({"a": SOLVED, "b": WORSE, "c": SOLVED}, i={"family": "f/ 1"}, j={"family": "g"})
    names = made(comparison, tmp_path, parts=curves.families(comparison), pairs=[("c", "a")])
    stems = ("cactus", "anytime", "gaps", "scores", "scatter-cost-c-a", "scatter-seconds-c-a")
    assert names == svg(*(f"{stem}{part}" for part in ("", "-f-1", "-g") for stem in stems))
    assert "instances solved (of 1)" in texts(tmp_path / "cactus-g.svg")
    with pytest.raises(UsageError, match="no runs of d; there are a, b, c"):
        made(comparison, tmp_path, pairs=[("a", "d")])


def test_of_many_solvers_the_best_is_drawn_against_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    comparison = by_solver({"1": WORSE, "2": SOLVED} | {str(n): WORSE for n in range(3, 7)})
    with caplog.at_level(logging.INFO, "wcnfgen"):
        found = list(plots._pairs(comparison, standings.of(comparison)))
    assert found == [("2", other) for other in "13456"]
    assert "only 2, the best" in caplog.text


def test_what_shows_nothing_is_left_out_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    nothing: Any = {"i": [{"cost": None}]}
    with caplog.at_level(logging.INFO, "wcnfgen"):
        assert made(by_solver({"a": SOLVED, "b": WORSE}), tmp_path)
        assert not caplog.text
        (tmp_path / "mine.svg").write_text("")
        assert made(by_solver({"a": nothing, "b": nothing}), tmp_path) == []
    stems = ("cactus", "anytime", "gaps", "scores", "scatter-cost-a-b", "scatter-seconds-a-b")
    assert [record.getMessage().split(":")[0] for record in caplog.records] == list(stems)
    assert all("nothing to show" in record.getMessage() for record in caplog.records)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.svg"]  # those of before are gone


def test_one_solver_has_no_scatter(tmp_path: Path) -> None:
    assert made(by_solver({"a": SOLVED}), tmp_path) == svg("cactus", "anytime", "gaps", "scores")


def test_decisions_have_no_costs(tmp_path: Path) -> None:
    cnf = {"format": "cnf"}
    comparison = by_solver({"a": SOLVED, "b": SOLVED}, i=cnf, j=cnf)
    assert made(comparison, tmp_path) == svg("cactus", "scatter-seconds-a-b")


def test_the_same_bytes_whatever_the_style(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    monkeypatch.setattr(drawing, "ENDINGS", ENDINGS)
    comparison = comparing.load([campaigns.made(tmp_path / "c", number=9, solvers=("a", "b"))])
    found = []
    for name, size in (("one", 7), ("two", 20)):
        with matplotlib.rc_context({"font.size": size, "axes.grid": name == "one", "svg.hashsalt": name}):
            paths = plots.write(comparison, standings.of(comparison), tmp_path / name)
            assert matplotlib.rcParams["font.size"] == size
        found.append([path.read_bytes() for path in paths])
    assert found[0] == found[1]
    assert [path.suffix for path in paths] == [".pdf", ".svg"] * 6
    assert not any(b"CreationDate" in data or b"<dc:date>" in data for data in found[0])


def test_names_stand_for_themselves(tmp_path: Path) -> None:
    ugly = ["$x_1$", "a<b>&\"c'", "_a", "中\n", "../x"]
    comparison = by_solver(dict.fromkeys(ugly, SOLVED), i={"family": "$\\frac"}, j={"family": "</text>"})
    names = made(comparison, tmp_path / "plots", pairs=[("../x", "_a"), ("$x_1$", "中\n")])
    assert {path.name for path in tmp_path.iterdir()} == {"plots"}
    assert names[4:] == svg(
        *(f"scatter-{kind}-{pair}" for pair in ("x-_a", "x_1") for kind in ("cost", "seconds"))
    )
    shown = {"$x_1$", "a<b>&\"c'", " _a", "U+4E2DU+000A", "../x"}
    assert {f"{name} (2)" for name in shown} <= set(texts(tmp_path / "plots" / "cactus.svg"))
    assert {"$\\frac", "</text>"} <= set(texts(tmp_path / "plots" / "scatter-cost-x_1.svg"))


def test_files_of_their_own() -> None:
    taken: set[str] = set()
    free = [plots._free(stem, taken) for stem in ("a", "A", "a", "a-2", "b")]
    assert free == ["a", "A-2", "a-3", "a-2-2", "b"]
    assert len({name.lower() for name in free}) == 5
    assert [plots._slug(name) for name in ("CASHW-2.0+x", "..", "a/b c", "é" * 9, "x" * 99)] == [
        "CASHW-2.0+x",
        "",
        "a-b-c",
        "",
        "x" * 60,
    ]


def test_a_dozen_lines_differ_without_colours() -> None:
    looks = [drawing.look(place) for place in range(12)]
    hollow = [look["markerfacecolor"] == "white" for look in looks]
    assert len({(look["marker"], white) for look, white in zip(looks, hollow, strict=True)}) == 12
    assert len({look["color"] for look in looks}) == len({str(look["linestyle"]) for look in looks}) == 6


@pytest.mark.parametrize(("name", "curve"), [("cactus", curves.cactus), ("anytime", curves.anytime)])
def test_curves_go_from_0_to_the_limit(name: str, curve: Any) -> None:
    comparison = by_solver({"b": WORSE, "a": SOLVED})
    axes = figure(comparison, name).axes[0]
    first, second = axes.lines
    expected = {line.solver: line for line in curve(comparison, standings.of(comparison))}
    assert [first.get_label()[0], second.get_label()[0]] == ["a", "b"]  # the best is the first in the legend
    for drawn in (first, second):
        line = expected[drawn.get_label()[0]]
        assert list(drawn.get_xdata())[1:] == [*line.x, 30]
        assert list(drawn.get_ydata()) == [0, *line.y, line.y[-1] if len(line.y) else 0]
        assert drawn.get_drawstyle() == "steps-post"
    assert axes.get_xscale() == "log"
    assert 30 < axes.get_xlim()[1] < 33
    assert first.get_marker() != second.get_marker() and first.get_linestyle() != second.get_linestyle()


def test_points_lie_where_they_are_and_count() -> None:
    same: Any = {name: [{"cost": 4}] for name in "ijk"}
    other: Any = {"i": [{"cost": 4}], "j": [{"cost": 4}], "k": [{"cost": None}], "l": [{"cost": None}]}
    same["l"] = other["l"]
    axes = figure(by_solver({"a": same, "b": other}), "scatter-cost").axes[0]
    (points,) = axes.collections
    border = axes.lines[1].get_xdata()[0]
    assert points.get_offsets().tolist() == [[4, 4], [4, border], [border, border]]
    assert points.get_sizes()[0] > points.get_sizes()[1]
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_title(loc="left") == "lower: a 1, b 0; equal: 2; neither: 1"
    assert border > 4 and border < axes.get_ylim()[1]


def test_families_have_marks_while_there_are_enough() -> None:
    for number, marks in ((1, 1), (6, 6), (7, 1)):
        names = {f"i{n}": [{"cost": n + 1}] for n in range(number)}
        families: Any = {f"i{n}": {"family": "" if n == 1 else f"f{n}"} for n in range(number)}
        drawn = figure(by_solver({"a": names, "b": names}, **families), "scatter-cost")
        points = [tuple(each) for marked in drawn.axes[0].collections for each in marked.get_offsets()]
        assert sorted(points) == [(n + 1, n + 1) for n in range(number)]
        assert len(drawn.axes[0].collections) == marks
        assert len(drawn.legends) == (marks > 1)


def test_ticks_say_true_costs() -> None:
    zero: Any = {"i": [{"cost": 0}], "j": [{"cost": 9}]}
    axes = figure(by_solver({"a": zero, "b": zero}), "scatter-cost").axes[0]
    for tick, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True):
        assert tick == float(label.get_text()) + 1
    assert axes.get_xticks()[0] == 1
    assert not any(line.get_label() == "no model" for line in axes.lines)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(comparisons(3))
def test_any_comparison_can_be_drawn(tmp_path: Path, comparison: Comparison) -> None:
    names = made(comparison, tmp_path, pairs=[(comparison.solvers[0], comparison.solvers[-1])])
    assert len({name.lower() for name in names}) == len(names)
    assert all((tmp_path / name).stat().st_size > 1000 for name in names)


def test_none_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'wcnfgen\[plots\]'"):
        made(by_solver({"a": SOLVED}), tmp_path / "plots")
    assert not (tmp_path / "plots").exists()
