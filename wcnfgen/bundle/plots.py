"""Plots of a family: how large its instances are, how hard, and what reference solvers proved by when.

Each is written as PDF, for one column of the description, and as SVG.  Bytes follow from the manifest: no
times, and identifiers from a fixed salt.  No plot needs its colours: classes of difficulty go from light to
dark, solvers and groups have lines and marks of their own.
"""

from __future__ import annotations

import importlib.util
import io
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wcnfgen.bundle import facts
from wcnfgen.bundle.difficulty import CLASSES
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.tex import number, shorten
from wcnfgen.files import atomic
from wcnfgen.svg import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDTH = 3.5  # inches: one column of IEEE's two
BAR, MOST_BARS = 0.13, 45  # inches of a bar; as many as a column holds
LABEL = 18  # characters of a name
LATIN = 0x250  # letters below it are in the font that comes with matplotlib
SHADES = ("fee838", "bcae6c", "7d7c78", "434e6c", "00224e")  # cividis (Nunez et al. 2018), light to dark
COLOURS = tuple(PALETTE[place] for place in (6, 5, 2, 4, 0, 1))  # without yellow and grey
MARKS = "os^DvP"
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
LEAST_S = 0.01  # a proof that took less is drawn there
STYLE: Any = {
    "axes.linewidth": 0.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 7,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "legend.title_fontsize": 6.5,
    "lines.linewidth": 1,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "wcnfgen",
    "text.parse_math": False,  # a name may hold anything
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
}

log = logging.getLogger("wcnfgen")


def write(folder: Folder) -> list[Path]:
    """Draw what the manifest allows; [] and a note without matplotlib.

    Each file is whole or not there.  Plots of before are removed first, so that none stays of what is not
    so any more.  Raises UsageError where this is no family's folder, FormatError for a
    damaged file.
    """
    found = facts.read(folder)
    for old in [*folder.plots.glob("*.pdf"), *folder.plots.glob("*.svg")]:
        old.unlink()
    if importlib.util.find_spec("matplotlib") is None:
        log.info("no plots: matplotlib is not installed (`pip install wcnfgen[plots]`)")
        return []
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the user prefers
        matplotlib.rcParams.update(STYLE)
        return [path for name, figure in _figures(found) for path in _save(figure, folder.plots / name)]


def _figures(found: Facts) -> Iterator[tuple[str, Figure]]:
    if any(row.variables and row.hard for row in found.written):
        yield "size", _size(found)
    if found.calibrated:
        yield "difficulty", _difficulty(found)
    if any(_proofs(found, solver) for solver in found.solvers):
        yield "proofs", _cactus(found)


def _save(figure: Figure, stem: Path) -> Iterator[Path]:
    stem.parent.mkdir(parents=True, exist_ok=True)
    for ending, dated in (("pdf", "CreationDate"), ("svg", "Date")):
        out = io.BytesIO()
        figure.savefig(out, format=ending, metadata={dated: None})
        path = stem.with_suffix(f".{ending}")
        with atomic(path) as target:
            target.write(out.getvalue())
        yield path


def _new(height: float) -> tuple[Figure, Axes]:
    """A figure without any window behind it, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def _shown(name: str) -> str:
    """A name in the letters that the font has; one that began with _ would be missing from a legend."""
    letters = "".join(c if c.isprintable() and ord(c) < LATIN else f"U+{ord(c):04X}" for c in name)
    return shorten(f" {letters}" if name.startswith("_") else letters, LABEL)


def _size(found: Facts) -> Figure:
    """Variables and clauses of each instance; those that are not submitted are hollow."""
    figure, axes = _new(2.2)
    submitted = {row.name for row in found.submitted}
    groups = found.groups([row for row in found.written if row.variables and row.hard])
    told = 1 < len(groups) <= len(MARKS)
    for place, (value, rows) in enumerate(groups):
        colour = f"#{COLOURS[place if told else 0]}"
        axes.scatter(
            [row.variables or 1 for row in rows],
            [(row.hard or 0) + (row.soft or 0) for row in rows],
            s=11,
            marker=MARKS[place if told else 0],
            facecolors=[colour if row.name in submitted else "none" for row in rows],
            edgecolors=colour,
            linewidths=0.6,
            label=_shown(value),
        )
    if told:
        axes.legend(title=_shown(found.key), handletextpad=0.1, borderpad=0)
    axes.set(xlabel="variables", ylabel="clauses")
    axes.set(xscale="log", yscale="log")
    _logarithmic(axes.xaxis, [row.variables or 1 for row in found.written])
    _logarithmic(axes.yaxis, [row.hard or 1 for row in found.written])
    return figure


def _count(value: float) -> str:
    return number(value).replace(".0", "")


def _logarithmic(axis: Axis, values: Sequence[float], show: Callable[[float], str] = _count) -> None:
    """Ticks of a logarithmic axis: at powers of ten, and between them where these are too few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    decades = math.log10(max(values) / min(values))
    steps = (1.0,) if decades > 2 else (1.0, 2.0, 5.0) if decades > 1 else (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
    axis.set_major_locator(LogLocator(subs=steps, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: show(value)))
    axis.set_minor_formatter(NullFormatter())


def _whole(axis: Axis) -> None:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(5, integer=True))


def _difficulty(found: Facts) -> Figure:
    """How many instances of each class there are, for each value of the first parameter that varies."""
    rows = [row for row in found.written if row.difficulty]
    groups = found.groups(rows)
    if not 1 < len(groups) <= MOST_BARS:
        groups = [("all", rows)]
    figure, axes = _new(0.75 + BAR * len(groups))
    left = [0] * len(groups)
    for difficulty, shade in zip(CLASSES, SHADES, strict=True):
        widths = [sum(row.difficulty == difficulty for row in each) for _, each in groups]
        if any(widths):
            axes.barh(range(len(groups)), widths, 0.8, left, label=difficulty, color=f"#{shade}")
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(groups)), [_shown(value) for value, _ in groups])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("instances")
    _whole(axes.xaxis)
    figure.legend(loc="outside upper center", ncols=5, handlelength=1, columnspacing=1, borderpad=0)
    return figure


def _cactus(found: Facts) -> Figure:
    """How many instances each solver proved within how many seconds."""
    figure, axes = _new(1.9)
    times = {solver: _proofs(found, solver) for solver in found.solvers}
    every = [each for seconds in times.values() for each in seconds]
    first, last = min(every) / 2, 1.2 * max(every)
    for place, (solver, seconds) in enumerate(times.items()):
        name = f"{_shown(solver)} ({len(seconds)})"
        numbers = [*range(len(seconds) + 1), len(seconds)]
        colour, line = f"#{COLOURS[place % len(COLOURS)]}", LINES[place % len(LINES)]
        axes.step([first, *seconds, last], numbers, color=colour, linestyle=line, where="post", label=name)
    axes.set(xlabel="seconds", ylabel="instances proved")
    axes.set_xscale("log")
    axes.set_ylim(0, 1.08 * max(map(len, times.values())))
    _whole(axes.yaxis)
    _logarithmic(axes.xaxis, [first, last], "{:g}".format)
    axes.legend(borderpad=0)
    return figure


def _proofs(found: Facts, solver: str) -> list[float]:
    """The seconds that its proofs took, in order."""
    taken = (row.seconds.get(solver) for row in found.written)
    return sorted(max(seconds, LEAST_S) for seconds in taken if seconds is not None)
