"""Hu et al. 2020, section 4.1: what the test accuracy does while trees grow until they are pure.

The paper asks for the tree of exactly 3, 5, 7, ... nodes with the fewest errors, on 5, 10 and 20 percent of
the rows, until one has no error, and tests each on the other rows.  Here MinDT's descent says first where
that will be; that the errors do end there, and not before, is one of the claims.

Samples of one data set are pure at different sizes: one that is keeps its tree, and counts with its
accuracy, for all larger sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from wcnfgen.experiments import Experiment
from wcnfgen.experiments._hu import CP4IM, TABLES_MISSING, Rows, held_out, percent
from wcnfgen.experiments._hu_curves import Curves, Mean, Point, Run, averaged, best_smaller, claims
from wcnfgen.experiments.findings import Findings
from wcnfgen.experiments.work import DataSet, Step, Work
from wcnfgen.report.summary import Column, Table

EXPERIMENT = Experiment(
    "Training and test accuracy over the size of the tree",
    "Hu et al. 2020, section 4.1, Figure 2",
    ("sklearn",),
)


# ---------------------------------------------------------------------------- what is run


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """Samples, their smallest pure trees, and the trees up to these."""
    drawn = list(_drawn(work))
    yield [step for step, _, _ in drawn]
    yield [_descent(work, rows) for _, rows, _ in drawn]
    yield [
        _tree(work, rows, nodes)
        for _, rows, _ in drawn
        for nodes in _sizes(work.json(_descent(work, rows).output))
    ]


def _drawn(work: Work) -> Iterator[tuple[Step, Rows, tuple[str, float, int]]]:
    for data in _sets(work):
        for share in work.pick((0.5,), (0.05, 0.1, 0.2), (0.05, 0.1, 0.2)):
            for seed in range(1, work.pick(1, 10, 10) + 1):
                yield *held_out(data, 1 - share, seed), (data.name, share, seed)


def _sets(work: Work) -> list[DataSet]:
    return work.sets(work.pick(["weather"], ["breast-wisconsin", "hepatitis", "lymph", "vote"], CP4IM))


def _descent(work: Work, rows: Rows) -> Step:
    return rows.step("pure", "search", "--method", "descent", *_limits(work))


def _tree(work: Work, rows: Rows, nodes: int) -> Step:
    words = ("--encoding", "accuracy", "--nodes", str(nodes), "--reduce", "--solver", "rc2")
    return rows.step(f"nodes-{nodes:02}", "learn", *words, *_limits(work))


def _limits(work: Work) -> tuple[str, ...]:
    wall, memory = work.pick(("60", "4000"), ("60", "4000"), ("86400", "16384"))
    return ("--wall", wall, "--memory", memory)


def _sizes(pure: dict[str, Any] | None) -> range:
    """None where there is no pure tree to go up to."""
    return range(3, (max(pure["size"], 3) if pure else 0) + 1, 2)


# ---------------------------------------------------------------------------- what came of it


def findings(work: Work) -> Findings:
    """Curves, what the perfect tree costs, and the claims."""
    runs = [run for _, rows, place in _drawn(work) if (run := _run(work, rows, place))]
    curves = averaged(runs)
    return Findings(
        (_curves(curves), _pure(runs, curves)), tuple(claims(runs, curves)), tuple(_remarks(work))
    )


def _run(work: Work, rows: Rows, place: tuple[str, float, int]) -> Run | None:
    """What came of a sample; None if there is no tree of three nodes to begin with."""
    pure = work.json(_descent(work, rows).output)
    found = {nodes: work.json(_tree(work, rows, nodes).output) for nodes in _sizes(pure)}
    if not found.get(3):
        return None
    unavoidable = found[3]["training"]["rows"] - pure["training"]["rows"]  # which the descent leaves out
    trees = {nodes: _point(tree) for nodes, tree in found.items() if tree}
    return Run(*place, pure["size"], pure["optimal"], unavoidable, trees)


def _point(found: dict[str, Any]) -> Point:
    training = found["training"]
    errors = training["rows"] - training["right"]
    return Point(percent(training), percent(found["test"]), errors, bool(found["optimal"]))


def _curves(curves: Curves) -> Table:
    columns = (
        Column("data"),
        Column("share", about="of the rows that were learned from"),
        Column("nodes"),
        Column("samples", about="whose smallest pure tree has so many nodes or more"),
        Column("ours: training", "%", 2),
        Column("ours: test", "%", 2),
    )
    rows = [(name, f"{share:g}", *each) for (name, share), curve in curves.items() for each in curve]
    note = "Means over the samples. A sample whose tree is pure at a smaller size counts with that tree."
    return Table("curves", "Accuracy over the number of nodes", columns, tuple(rows), labels=2, note=note)


def _pure(runs: Sequence[Run], curves: Curves) -> Table:
    columns = (
        Column("data"),
        Column("share"),
        Column("samples"),
        Column("pure size", digits=1, about="mean number of nodes of the smallest pure tree"),
        Column("test, perfect", "%", 2),
        Column(
            "best smaller", about="number of nodes that has the best mean test accuracy, below the largest"
        ),
        Column("test, best smaller", "%", 2),
        Column("gain", "points", 2, about="of the best smaller over the perfect tree"),
    )
    rows = [(*place, *_pure_row(runs, place, curve)) for place, curve in curves.items()]
    shown = tuple((name, f"{share:g}", *more) for name, share, *more in rows)
    return Table("perfect", "The perfect tree and smaller ones", columns, shown, labels=2)


def _pure_row(
    runs: Sequence[Run], place: tuple[str, float], curve: Sequence[Mean]
) -> tuple[int, float, float, int | None, float | None, float | None]:
    mine = [run.pure for run in runs if (run.name, run.share) == place]
    last, best = curve[-1].test, best_smaller(curve)
    if best is None:
        return len(mine), fmean(mine), last, None, None, None
    return len(mine), fmean(mine), last, best.nodes, best.test, best.test - last


def _remarks(work: Work) -> Iterator[str]:
    yield TABLES_MISSING.replace("tables and figures", "Figure 2")
    yield (
        "The paper's Figure 2 is of a data set breast-cancer; of the sets of CP4IM that we have, "
        "breast-wisconsin is the nearest. Samples are stratified, and drawn by scikit-learn."
    )
    yield (
        "Several trees of a size have as few errors, and which of them a solver finds decides on the test "
        "accuracy: with another solver or version training accuracies stay and test accuracies do not. The "
        "best of several sizes is also the best by chance: small gains say little."
    )
    if work.scale == "paper":
        yield "The paper sets no limit; here each search has a day and 16 GiB."
    else:
        yield "The paper sets no limit; here each search has a minute, and counts as far as it came."


# ---------------------------------------------------------------------------- the figure


def pictures(found: Findings) -> Iterator[tuple[str, bytes]]:
    """Figure 2 for each data set: training accuracy on the left, test accuracy on the right."""
    from wcnfgen import drawing

    (curves,) = [each for each in found.tables if each.name == "curves"]
    for name in dict.fromkeys(row[0] for row in curves.rows):
        with drawing.style():
            yield f"{name}.svg", drawing.drawn(_figure([row for row in curves.rows if row[0] == name]), "svg")


def _figure(rows: Sequence[Sequence[Any]]) -> Any:
    from matplotlib.figure import Figure

    from wcnfgen import drawing

    figure = Figure(figsize=(2 * drawing.WIDTH, 2.2), layout="constrained")
    for axes, column, what in zip(figure.subplots(1, 2), (4, 5), ("training", "test"), strict=True):
        for place, share in enumerate(dict.fromkeys(row[1] for row in rows)):
            mine = [row for row in rows if row[1] == share]
            sizes, values = [row[2] for row in mine], [row[column] for row in mine]
            axes.plot(sizes, values, label=f"share {share}", **drawing.look(place))
        axes.set_xlabel("nodes")
        axes.set_ylabel(f"{what} accuracy [%]")
        drawing.whole(axes.xaxis)
    drawing.legend(figure, axes)
    return figure
