"""The best tree of each instance, drawn.

The model is one that was verified; it is read as a tree by the instance's own map.  Only the head of an
instance is read for that, not its clauses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wcnfgen import judged, map, render
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.campaign.store import Run
from wcnfgen.errors import WcnfgenError
from wcnfgen.reader import Reader
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.page import kept
from wcnfgen.report.standings import runs_of
from wcnfgen.tree import Tree

LARGEST = 127  # nodes that can be looked at


def best(comparison: Comparison, *, most: int, largest: int = LARGEST) -> dict[str, Any]:
    """By place of the instance: which solver's tree, and its drawing."""
    found: dict[str, Any] = {}
    for place, instance in enumerate(comparison.instances):
        if len(found) >= most:
            break
        run = _best_run(comparison, instance, largest)
        svg = run and _svg(comparison.folders, instance, run)
        if run and svg:
            found[str(place)] = {"solver": comparison.solvers.index(run.solver), "cost": run.cost, "svg": svg}
    return found


def _best_run(comparison: Comparison, instance: Instance, largest: int) -> Result | None:
    """The first run of the least cost whose model is a tree that can be looked at."""
    runs = runs_of(comparison, instance)
    trees = [run for run in runs if run.cost is not None and run.size is not None and run.size <= largest]
    return min(trees, key=lambda run: run.cost or 0, default=None)


def _svg(folders: tuple[Path, ...], instance: Instance, run: Result) -> str | None:
    """None where files are missing or do not belong together any more."""
    found = kept.folder(folders, run.key)
    if found is None or not (source := found[0] / instance.path).is_file():
        return None
    try:
        return _drawing(source, instance, found[1])
    except (WcnfgenError, ValueError, IndexError):
        return None


def _drawing(source: Path, instance: Instance, run: Run) -> str | None:
    verdict = judged.read(run.verdict, instance.sha256, judged.digest(run.log))
    if verdict is None:
        return None
    with Reader(source) as reader:
        read = map.from_comments(reader.comments, reader.name)
    model = judged.model(run.log, read.encoding.variables, verdict.values)
    tree: Tree = read.encoding.tree(model)
    problem = read.encoding.problem
    counts = render.leaf_counts(tree, problem.X, problem.y, problem.counts, problem.classes)
    return render.as_svg(tree, read.fitted.names, counts if read.has_rows else None)
