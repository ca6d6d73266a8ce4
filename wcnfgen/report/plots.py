"""Plots of a comparison, for papers: cactus, anytime curve, gaps, scores, and solvers two by two.

What they show is computed in `curves`, how they look is that of all our plots (`wcnfgen.drawing`): PDF and
SVG, one column wide, with bytes that follow from the results.  A plot that would show nothing is left out,
and that is said.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wcnfgen import drawing
from wcnfgen.errors import UsageError
from wcnfgen.report import curves
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.curves import LEAST_S, Floats, Line, Measure, Scatter
from wcnfgen.report.standings import Standings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALL_PAIRS = 5  # solvers: of more, only the best is compared with each of the others
HEIGHT, SQUARE = 2.1, 3.4  # inches of axes with their labels
ROW = 0.11  # inches of a line of the legend
BELOW = 0.015  # of an axis lies below its 0, so that a line at it is seen
VISIBLE = 0.01  # of the highest point: curves begin where one gets there
FILE = 60  # characters of a word of a file's name
MEASURES: dict[Measure, tuple[str, str, Callable[[float], str] | None]] = {  # what axis, border and ticks say
    "cost": ("cost", "no model", None),
    "seconds": ("wall time (s)", "unsolved", "{:g}".format),
}

BETTER = {"cost": "lower", "seconds": "faster"}

log = logging.getLogger("wcnfgen")


def write(
    comparison: Comparison,
    standings: Standings,
    folder: Path,
    *,
    parts: Mapping[str, Sequence[str]] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> list[Path]:
    """Draw all that there is to show.

    parts  names of instances that get plots of their own, beside those of all: `curves.families`
    pairs  of solvers that are drawn against each other; None: all, of many solvers the best against each

    Raises UsageError without matplotlib.
    """
    if not drawing.installed():
        raise UsageError("plots need matplotlib: `pip install 'wcnfgen[plots]'`")
    chosen = list(_pairs(comparison, standings) if pairs is None else pairs)
    if unknown := {solver for pair in chosen for solver in pair}.difference(comparison.solvers):
        raise UsageError(
            f"no runs of {', '.join(sorted(unknown))}; there are {', '.join(comparison.solvers)}"
        )
    made: list[Path] = []
    with drawing.style():
        for stem, figure in _figures(comparison, standings, parts or {}, chosen):
            made += drawing.save(figure, folder / stem) if figure else _left_out(folder / stem)
    return made


def _left_out(stem: Path) -> list[Path]:
    """Say it; one of before would show what is not so any more."""
    log.info("%s: not drawn, as there is nothing to show", stem.name)
    for ending in drawing.ENDINGS:
        (stem.parent / f"{stem.name}.{ending}").unlink(missing_ok=True)
    return []


def _pairs(comparison: Comparison, standings: Standings) -> Iterator[tuple[str, str]]:
    if len(comparison.solvers) <= ALL_PAIRS:
        yield from combinations(comparison.solvers, 2)
        return
    finals = [_last(line) for line in curves.anytime(comparison, standings)]
    best = comparison.solvers[int(np.argmax(finals))]
    log.info("%d solvers: only %s, the best, is drawn against each other one", len(finals), best)
    yield from ((best, other) for other in comparison.solvers if other != best)


def _figures(
    comparison: Comparison,
    standings: Standings,
    parts: Mapping[str, Sequence[str]],
    pairs: Sequence[tuple[str, str]],
) -> Iterator[tuple[str, Figure | None]]:
    """All plots and the names of their files, without endings; None: there is nothing to show."""
    taken: set[str] = set()
    for part, names in [("", [each.name for each in comparison.instances]), *parts.items()]:
        for words, figure in _of(comparison, standings, names, pairs):
            yield _free("-".join(filter(None, [*map(_slug, words), _slug(part)])), taken), figure


def _of(
    comparison: Comparison, standings: Standings, names: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[tuple[str, ...], Figure | None]]:
    """All plots of some instances, and the words of their names."""
    yield ("cactus",), _cactus(comparison, standings, names)
    yield ("anytime",), _anytime(comparison, standings, names)
    yield ("gaps",), _gaps(comparison, standings, names)
    yield ("scores",), _scores(comparison, standings, names)
    families = {each.name: each.family for each in comparison.instances}
    for first, second in pairs:
        for measure in MEASURES:
            points = curves.scatter(comparison, standings, first, second, measure, names)
            yield ("scatter", measure, first, second), _scatter(points, families)


def _cactus(comparison: Comparison, standings: Standings, names: Sequence[str]) -> Figure | None:
    lines = curves.cactus(comparison, standings, names)
    until = curves.limit(comparison, names)
    return _curves(lines, until, "{:g}".format, f"instances solved (of {len(names)})", whole=True)


def _anytime(comparison: Comparison, standings: Standings, names: Sequence[str]) -> Figure | None:
    lines = curves.anytime(comparison, standings, names)
    return _curves(lines, curves.limit(comparison, names), "{:.3f}".format, "mean anytime score")


def _curves(
    lines: Sequence[Line], until: float, show: Callable[[float], str], what: str, *, whole: bool = False
) -> Figure | None:
    """Curves over time; whole: of whole numbers."""
    if not any(len(line.x) for line in lines):
        return None
    figure, axes = drawing.new(HEIGHT)
    _over_time(axes, lines, until, show)
    axes.set_ylabel(what)
    if whole:
        drawing.whole(axes.yaxis)
    return _explained(figure, axes)


def _over_time(axes: Axes, lines: Sequence[Line], until: float, show: Callable[[float], str]) -> None:
    """Steps from before the first of all to the limit; the highest end comes first in the legend."""
    highest = max(map(_last, lines))
    seen = min(float(line.x[line.y >= VISIBLE * highest].min(initial=until)) for line in lines)
    first, until = seen / 1.5, max([until, *(line.x[-1] for line in lines if len(line.x))])
    for place, line in sorted(enumerate(lines), key=lambda each: -_last(each[1])):
        x, y = [LEAST_S / 2, *line.x, until], [0.0, *line.y, _last(line)]
        name = f"{drawing.shown(line.solver)} ({show(_last(line))})"
        _steps(axes, x, y, name, place, len(lines), where="post")
    axes.set(xlabel="wall time (s)", xscale="log", xlim=(first, until * (until / first) ** BELOW))
    axes.set_ylim(-BELOW * highest, 1.06 * highest)
    drawing.logarithmic(axes.xaxis, [first, until], "{:g}".format)


def _gaps(comparison: Comparison, standings: Standings, names: Sequence[str]) -> Figure | None:
    lines = curves.gaps(comparison, standings, names)
    if not any(len(line.x) for line in lines):
        return None
    figure, axes = drawing.new(HEIGHT)
    for place, line in sorted(enumerate(lines), key=lambda each: -len(each[1].x)):
        x, y = [*line.x[:1] - 1, *line.x], [*line.y[:1], *line.y]
        _steps(axes, x, y, f"{drawing.shown(line.solver)} ({len(line.x)})", place, len(lines))
    total, highest = len(curves.optimised(comparison, standings, names)), max(map(_last, lines))
    axes.set(xlabel=f"instances with a model (of {total})", ylabel="(1 + cost) / (1 + best known)")
    high = 1.05 * highest if highest > 1 else 2
    axes.set(xlim=(0, total), yscale="log", ylim=(high**-BELOW, high))
    drawing.whole(axes.xaxis)
    drawing.fixed(axes.yaxis, {value: value for value in drawing.round_values(1, high)}, "{:g}".format)
    return _explained(figure, axes)


def _scores(comparison: Comparison, standings: Standings, names: Sequence[str]) -> Figure | None:
    lines = curves.shares(comparison, standings, names)
    positive = [float(line.x[1]) for line in lines if line.y[1] > 0]
    if not positive:
        return None
    figure, axes = drawing.new(HEIGHT)
    for place, line in sorted(enumerate(lines), key=lambda each: -_last(each[1])):
        _steps(axes, line.x, line.y, drawing.shown(line.solver), place, len(lines))
    axes.set(xlabel="anytime score of at least", ylabel="share of instances")
    axes.set(xlim=(math.floor(min(positive) * 9) / 10, 1.01), ylim=(-BELOW, 1.02))
    return _explained(figure, axes)


def _scatter(points: Scatter, families: Mapping[str, str]) -> Figure | None:
    """Each family has its mark; what a solver has not is on a border, what both have not in the corner."""
    known = np.concatenate([points.x, points.y])
    known = known[np.isfinite(known)]
    if not len(known):
        return None
    figure, axes = drawing.new(SQUARE)
    x, y = points.drawn
    of = np.array([families[name] for name in points.instances], dtype=object)
    groups = sorted(set(of))
    told = 1 < len(groups) <= len(drawing.MARKS)
    for place, family in enumerate(groups if told else [""]):
        chosen = of == family if told else slice(None)
        _points(axes, x[chosen], y[chosen], drawing.look(place), drawing.shown(family))
    _square(axes, points, float(known.min()), float(known.max()))
    axes.set_title(_balance(points), loc="left", fontsize=6.5)
    return _explained(figure, axes) if told else figure


def _points(axes: Axes, x: Floats, y: Floats, look: dict[str, Any], name: str) -> None:
    """Equal points are one, which is the larger the more they are."""
    places, counts = np.unique(np.stack([x, y]), axis=1, return_counts=True)
    mark = {"marker": look["marker"], "edgecolors": look["color"], "linewidths": 0.6}
    axes.scatter(places[0], places[1], 8 * np.sqrt(counts), facecolors="none", **mark)
    axes.plot([], [], **look | {"linestyle": "", "markerfacecolor": "none"}, label=name)


def _square(axes: Axes, points: Scatter, least: float, most: float) -> None:
    """The same logarithmic axis twice, the diagonal, and borders for what is not there."""
    label, none, show = MEASURES[points.measure]
    low, high = (least + points.added) / 1.2, 1.2 * (most + points.added)
    if np.isinf([*points.x, *points.y]).any():
        high = points.border * (points.border / low) ** 0.07
        axes.axvline(points.border, color="0.6", linewidth=0.5, linestyle=":", zorder=0)
        axes.axhline(points.border, color="0.6", linewidth=0.5, linestyle=":", zorder=0)
        axes.annotate(none, (low, points.border), (2, 3), textcoords="offset points", fontsize=6)
        axes.annotate(none, (points.border, low), (3, 2), textcoords="offset points", fontsize=6, rotation=90)
    axes.plot([low, high], [low, high], color="0.6", linewidth=0.5, zorder=0)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), aspect="equal")
    ticks = _ticks(points, least, most)
    for axis, solver in ((axes.xaxis, points.first), (axes.yaxis, points.second)):
        drawing.fixed(axis, {value + points.added: value for value in ticks}, show)
        axis.set_label_text(f"{drawing.shown(solver)}: {label}")


def _ticks(points: Scatter, least: float, most: float) -> list[float]:
    """Round values before the border; costs are whole."""
    high = min(1.2 * most, points.border / 1.15 - points.added)
    found = drawing.round_values(max(least, points.added) / 1.2, high) if most else []
    if points.measure == "cost":
        found = [value for value in found if value == int(value)]
    return [0.0] * points.added + found


def _balance(points: Scatter) -> str:
    """On how many instances which one is better."""
    first, second = int((points.x < points.y).sum()), int((points.y < points.x).sum())
    neither = int(np.isinf(np.minimum(points.x, points.y)).sum())
    equal = len(points.x) - first - second - neither
    better, names = BETTER[points.measure], [drawing.shown(name) for name in (points.first, points.second)]
    between = "\n" if len("".join(names)) > drawing.LABEL else "; "
    return f"{better}: {names[0]} {first}, {names[1]} {second}{between}equal: {equal}; neither: {neither}"


def _explained(figure: Figure, axes: Axes) -> Figure:
    """With a legend, for which the figure grows."""
    figure.set_figheight(figure.get_figheight() + ROW * drawing.legend(figure, axes))
    return figure


def _steps(
    axes: Axes,
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    name: str,
    place: int,
    number: int,
    where: Literal["pre", "post"] = "pre",
) -> None:
    """A curve of so many; marks are few, and not where those of others are."""
    few = ((place + 0.5) * 0.15 / number, 0.15)
    axes.step(x, y, where=where, label=name, markevery=few, **drawing.look(place))


def _last(line: Line) -> float:
    return float(line.y[-1]) if len(line.y) else 0.0


def _slug(text: str) -> str:
    """A name as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._+]+", "-", text).strip("-.")[:FILE]


def _free(stem: str, taken: set[str]) -> str:
    """The name, or with a number if there is one like it; also where upper and lower case are one."""
    found = next(
        each for each in chain([stem], (f"{stem}-{n}" for n in count(2))) if each.lower() not in taken
    )
    taken.add(found.lower())
    return found
