"""Plots of a family: how large its instances are, how hard, and what reference solvers proved by when.

Bytes follow from the manifest (`wcnfgen.drawing`).  No plot needs its colours: classes of difficulty go from
light to dark, solvers and groups have lines and marks of their own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wcnfgen import drawing
from wcnfgen.bundle import facts
from wcnfgen.bundle.difficulty import CLASSES
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.drawing import COLOURS, LINES, MARKS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BAR, MOST_BARS = 0.13, 45  # inches of a bar; as many as a column holds
SHADES = ("fee838", "bcae6c", "7d7c78", "434e6c", "00224e")  # cividis (Nunez et al. 2018), light to dark
LEAST_S = 0.01  # a proof that took less is drawn there

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
    if not drawing.installed():
        log.info("no plots: matplotlib is not installed (`pip install wcnfgen[plots]`)")
        return []
    with drawing.style():
        return [
            path for name, figure in _figures(found) for path in drawing.save(figure, folder.plots / name)
        ]


def _figures(found: Facts) -> Iterator[tuple[str, Figure]]:
    if any(row.variables and row.hard for row in found.written):
        yield "size", _size(found)
    if found.calibrated:
        yield "difficulty", _difficulty(found)
    if any(_proofs(found, solver) for solver in found.solvers):
        yield "proofs", _cactus(found)


def _size(found: Facts) -> Figure:
    """Variables and clauses of each instance; those that are not submitted are hollow."""
    figure, axes = drawing.new(2.2)
    submitted = {row.name for row in found.submitted}
    groups = found.groups([row for row in found.written if row.variables and row.hard])
    told = 1 < len(groups) <= len(MARKS)
    for place, (value, rows) in enumerate(groups):
        colour = COLOURS[place if told else 0]
        axes.scatter(
            [row.variables or 1 for row in rows],
            [(row.hard or 0) + (row.soft or 0) for row in rows],
            s=11,
            marker=MARKS[place if told else 0],
            facecolors=[colour if row.name in submitted else "none" for row in rows],
            edgecolors=colour,
            linewidths=0.6,
            label=drawing.shown(value),
        )
    if told:
        axes.legend(title=drawing.shown(found.key), handletextpad=0.1, borderpad=0)
    axes.set(xlabel="variables", ylabel="clauses")
    axes.set(xscale="log", yscale="log")
    drawing.logarithmic(axes.xaxis, [row.variables or 1 for row in found.written])
    drawing.logarithmic(axes.yaxis, [row.hard or 1 for row in found.written])
    return figure


def _difficulty(found: Facts) -> Figure:
    """How many instances of each class there are, for each value of the first parameter that varies."""
    rows = [row for row in found.written if row.difficulty]
    groups = found.groups(rows)
    if not 1 < len(groups) <= MOST_BARS:
        groups = [("all", rows)]
    figure, axes = drawing.new(0.75 + BAR * len(groups))
    left = [0] * len(groups)
    for difficulty, shade in zip(CLASSES, SHADES, strict=True):
        widths = [sum(row.difficulty == difficulty for row in each) for _, each in groups]
        if any(widths):
            axes.barh(range(len(groups)), widths, 0.8, left, label=difficulty, color=f"#{shade}")
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(groups)), [drawing.shown(value) for value, _ in groups])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("instances")
    drawing.whole(axes.xaxis)
    figure.legend(loc="outside upper center", ncols=5, handlelength=1, columnspacing=1, borderpad=0)
    return figure


def _cactus(found: Facts) -> Figure:
    """How many instances each solver proved within how many seconds."""
    figure, axes = drawing.new(1.9)
    times = {solver: _proofs(found, solver) for solver in found.solvers}
    every = [each for seconds in times.values() for each in seconds]
    first, last = min(every) / 2, 1.2 * max(every)
    for place, (solver, seconds) in enumerate(times.items()):
        name = f"{drawing.shown(solver)} ({len(seconds)})"
        numbers = [*range(len(seconds) + 1), len(seconds)]
        colour, line = COLOURS[place % len(COLOURS)], LINES[place % len(LINES)]
        axes.step([first, *seconds, last], numbers, color=colour, linestyle=line, where="post", label=name)
    axes.set(xlabel="seconds", ylabel="instances proved")
    axes.set_xscale("log")
    axes.set_ylim(0, 1.08 * max(map(len, times.values())))
    drawing.whole(axes.yaxis)
    drawing.logarithmic(axes.xaxis, [first, last], "{:g}".format)
    axes.legend(borderpad=0)
    return figure


def _proofs(found: Facts, solver: str) -> list[float]:
    """The seconds that its proofs took, in order."""
    taken = (row.seconds.get(solver) for row in found.written)
    return sorted(max(seconds, LEAST_S) for seconds in taken if seconds is not None)
