"""Plots: the same bytes whatever the user's style, names as they are, and nothing without matplotlib."""

from __future__ import annotations

import importlib.util
import logging
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests import bundles
from tests.optional import needs
from wcnfgen.bundle import facts, manifest, plots
from wcnfgen.bundle.folder import Folder


@pytest.fixture(autouse=True)
def matplotlib() -> None:
    needs(importlib.util.find_spec("matplotlib"), "matplotlib")


def texts(folder: Folder, name: str) -> list[str]:
    """All words in a plot."""
    svg = (folder.plots / f"{name}.svg").read_text("utf-8")
    return [unescape(each) for each in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_what_is_known_is_drawn(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    assert [path.name for path in plots.write(folder)] == ["size.pdf", "size.svg"]
    assert {"variables", "clauses", "lenses", "weather", "data", "1k"} <= set(texts(folder, "size"))
    bundles.calibrated(folder)
    made = plots.write(folder)
    assert [path.stem for path in made] == ["size"] * 2 + ["difficulty"] * 2 + ["proofs"] * 2
    assert {"easy", "untouched", "lenses", "weather", "0", "1"} == {*texts(folder, "difficulty")} - {
        "instances"
    }
    assert {"rc2 (1)", "clasp (0)", "seconds", "instances proved"} <= set(texts(folder, "proofs"))


def test_plots_of_before_go(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    before = manifest.read(folder.manifest)
    bundles.calibrated(folder)
    plots.write(folder)
    (folder.plots / "mine.png").write_bytes(b"")
    manifest.write(before, folder.manifest)
    plots.write(folder)
    assert sorted(path.name for path in folder.plots.iterdir()) == ["mine.png", "size.pdf", "size.svg"]


def test_the_same_bytes_whatever_the_style(tmp_path: Path) -> None:
    import matplotlib

    made = []
    for name, size in (("one", 7), ("two", 20)):
        folder = bundles.many(tmp_path / name, 22, 5)
        with matplotlib.rc_context({"font.size": size, "axes.grid": name == "one", "svg.hashsalt": name}):
            paths = plots.write(folder)
            assert matplotlib.rcParams["font.size"] == size
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    assert len(made[0]) == 6
    assert not any(b"CreationDate" in data or b"<dc:date>" in data for data in made[0])


def test_bars_are_those_of_the_classes(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 22, 20)
    figure: Any = plots._difficulty(facts.read(folder))
    bars = figure.axes[0].containers
    assert [bar.get_label() for bar in bars] == ["trivial", "easy", "medium", "hard", "untouched"]
    rows = manifest.read(folder.manifest)
    for bar in bars:
        drawn = sum(patch.get_width() for patch in bar.patches)
        assert drawn == sum(row.difficulty == bar.get_label() for row in rows)
    ends = [max(patch.get_x() + patch.get_width() for patch in row) for row in zip(*bars, strict=True)]
    assert ends == [20] * 22
    assert figure.get_figwidth() == 3.5


def test_too_many_bars_are_one(tmp_path: Path) -> None:
    figure: Any = plots._difficulty(facts.read(bundles.many(tmp_path / "f", plots.MOST_BARS + 1, 1)))
    assert {len(bar.patches) for bar in figure.axes[0].containers} == {1}


def test_instances_that_are_not_submitted_are_hollow(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    bundles.calibrated(folder, ["weather-ub15"])
    figure: Any = plots._size(facts.read(folder))
    lenses, weather = figure.axes[0].collections
    alphas = [float(each.get_facecolors()[0][3]) for each in (lenses, weather)]
    assert alphas == [0, 1]
    assert lenses.get_edgecolors()[0][3] == 1
    assert weather.get_offsets().tolist() == [[804, 6526 + 6]]


def test_proofs_by_time(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 2, 3)
    times = [{"a": n or None, "b": 0.0} for n in range(6)]
    rows = [
        replace(row, seconds=seconds, ended={"a": "x", "b": "x"})
        for row, seconds in zip(manifest.read(folder.manifest), times, strict=True)
    ]
    manifest.write(rows, folder.manifest)
    figure: Any = plots._cactus(facts.read(folder))
    a, b = figure.axes[0].lines
    assert list(a.get_xdata())[1:-1] == [1, 2, 3, 4, 5]
    assert list(a.get_ydata()) == [0, 1, 2, 3, 4, 5, 5]
    assert list(b.get_xdata())[1:-1] == [0.01] * 6  # a logarithm has no 0
    assert a.get_label() == "a (5)"
    assert a.get_linestyle() != b.get_linestyle()


def test_names_stand_for_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ugly = ["$x_1$", 'a<b>&"c"', "x" * 99, "é", "$\\frac", "\\", " "]
    folder = bundles.many(tmp_path / "f", len(ugly), 1)
    rows = zip(manifest.read(folder.manifest), ugly, strict=True)
    manifest.write([replace(row, parameters={"data": name}) for row, name in rows], folder.manifest)
    monkeypatch.setattr(plots, "_figures", lambda found: [("difficulty", plots._difficulty(found))])
    plots.write(folder)
    shown = {name if len(name) < 18 else "xxxxxxxxx…xxxxxxxx" for name in ugly}
    assert shown <= set(texts(folder, "difficulty"))


def test_names_that_matplotlib_would_hide_or_lacks(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    first, second, _ = manifest.read(folder.manifest)
    hidden, strange = (
        replace(row, parameters={"data": name}) for row, name in ((first, "_a"), (second, "中\n"))
    )
    manifest.write([hidden, strange], folder.manifest)
    plots.write(folder)
    assert {" _a", "U+4E2DU+000A"} <= set(texts(folder, "size"))


def test_none_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = bundles.small(tmp_path / "f")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with caplog.at_level(logging.INFO, "wcnfgen"):
        assert plots.write(folder) == []
    assert "matplotlib is not installed" in caplog.text
    assert not folder.plots.exists()
