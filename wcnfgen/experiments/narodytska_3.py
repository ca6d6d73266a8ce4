"""Narodytska et al. 2018, Table 3: how large the formulas are.

The table says neither in which unit nor for how many nodes, only that trees have depth 4: they then have 9
to 31 nodes.  So the paper's formula, our form ``paper`` of `exact`, is measured for each number of nodes, and
which unit and number fit the printed line best is computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from wcnfgen.experiments import Experiment
from wcnfgen.experiments._narodytska import COLUMNS, held
from wcnfgen.experiments.findings import Claim, Findings
from wcnfgen.experiments.work import Step, Work
from wcnfgen.report.summary import Cell, Column, Table

EXPERIMENT = Experiment("Sizes of formulas", "Narodytska et al. 2018, Table 3")


class Printed(NamedTuple):
    """A column of the paper's table: the formula of Bessiere et al. 2009, and the paper's own."""

    dt2: float
    dt1: float


PAPER = {
    "weather": Printed(27e3, 190e3),
    "mouse": Printed(3.5e6, 1.2e6),
    "cancer": Printed(92e9, 5.2e6),
    "car": Printed(842e6, 4.1e6),
    "adult-sample": Printed(354e9, 1.2e9),
}
OTHER = "adult-sample"  # stands in for Income, so that its sizes are no measure of the fit
DEPTH, LEAST, MOST = 4, 9, 31
NEAR = 1.15  # what counts as the size that was printed: by this factor

Unit = Literal["variables", "clauses", "literals", "bytes"]
UNITS: tuple[Unit, ...] = ("variables", "clauses", "literals", "bytes")
COMPLETE = "1" * (MOST // 2) + "0" * (MOST // 2 + 1)
OTHERS = {
    "exact-17": ("--encoding", "exact", "--nodes", "17"),
    "exact-31": ("--encoding", "exact", "--nodes", "31"),
    "fixed": ("--encoding", "fixed", "--topology", COMPLETE),
    "complete": ("--encoding", "complete", "--depth", f"{DEPTH}"),
    "paths": ("--encoding", "paths", "--ub", f"{MOST}", "--depth", f"{DEPTH}"),
}


@dataclass(frozen=True, slots=True)
class Size:
    """How large a formula of a set is."""

    rows: int
    columns: int
    variables: int
    clauses: int
    literals: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a unit and a number of nodes fit: ours over theirs for each set."""

    unit: Unit
    nodes: int
    ratios: tuple[float, ...]

    @property
    def factor(self) -> float:
        """By which factor ours is off, in the geometric mean."""
        return math.exp(sum(abs(math.log(each)) for each in self.ratios) / len(self.ratios))

    @property
    def worst(self) -> float:
        """By which factor ours is off at most."""
        return max(max(each, 1 / each) for each in self.ratios)


# ---------------------------------------------------------------------------- steps


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """Everything at once: a line measures one formula."""
    sets = work.sets(work.pick(["weather"], list(PAPER), list(PAPER)))
    formulas = {_paper(nodes): _words(nodes) for nodes in _nodes(work)}
    formulas |= OTHERS if work.scale != "tiny" else {"fixed": OTHERS["fixed"]}
    yield [
        Step(_output(data.name, name), ("encode", *data.words, *COLUMNS, "--no-reduce", *words, "--sizes"))
        for data in sets
        for name, words in formulas.items()
    ]


def _nodes(work: Work) -> Sequence[int]:
    every = range(LEAST, MOST + 1, 2)
    return work.pick([15, 17, 19], every, every)  # type: ignore[no-any-return]


def _words(nodes: int) -> tuple[str, ...]:
    return ("--encoding", "exact", "--form", "paper", "--nodes", f"{nodes}")


def _paper(nodes: int) -> str:
    return f"paper-{nodes:02d}"


def _output(name: str, formula: str) -> str:
    return f"{name}.{formula}.json"


# ---------------------------------------------------------------------------- findings


def findings(work: Work) -> Findings:
    """Ours beside theirs, and what fits."""
    names = [name for name in PAPER if work.record(_output(name, _paper(17)))]
    formulas = [*map(_paper, _nodes(work)), *OTHERS]
    sizes = {
        (name, formula): _size(work.json(_output(name, formula)))
        for name in names
        for formula in formulas
        if work.record(_output(name, formula))
    }
    fits = [fit(sizes, unit, nodes) for unit in UNITS for nodes in _nodes(work)]
    best = min(fits, key=lambda each: each.factor)
    tables = (_table(names, sizes, best), _fit_table(fits), _sizes_table(sizes, best))
    return Findings(tables, tuple(_claims(names, sizes, best)), tuple(_remarks(best)))


def _size(found: dict[str, Any]) -> Size:
    counts = (found["variables"], found["hard"] + found["soft"], found["literals"], found["bytes"])
    return Size(found["rows"]["distinct"], found["columns"], *counts)


def fit(sizes: dict[tuple[str, str], Size], unit: Unit, nodes: int) -> Fit:
    """Ours over theirs, for the sets that are theirs."""
    ours = {name: getattr(size, unit) for (name, formula), size in sizes.items() if formula == _paper(nodes)}
    return Fit(unit, nodes, tuple(ours[name] / PAPER[name].dt1 for name in ours if name != OTHER))


def _table(names: Sequence[str], sizes: dict[tuple[str, str], Size], best: Fit) -> Table:
    columns = (
        Column("set"),
        Column("rows", about="distinct ones"),
        Column("columns"),
        Column("paper: DT2", about="Bessiere et al., one fixed tree"),
        Column("ours: fixed", about="bytes: our formula for the complete tree of 31 nodes"),
        Column("paper: DT1"),
        Column("ours: DT1", about=f"{best.unit}: `exact --form paper --nodes {best.nodes}`"),
        Column("ours / paper", digits=2, about="of DT1"),
    )
    return Table("table-3", "The printed sizes, and ours", columns, tuple(_rows(names, sizes, best)))


def _rows(names: Sequence[str], sizes: dict[tuple[str, str], Size], best: Fit) -> Iterator[tuple[Cell, ...]]:
    for name in names:
        ours, fixed = sizes[name, _paper(best.nodes)], sizes[name, "fixed"]
        dt1 = getattr(ours, best.unit)
        printed = PAPER[name]
        yield (
            *(name, ours.rows, ours.columns, short(printed.dt2), short(fixed.bytes)),
            *(short(printed.dt1), short(dt1), dt1 / printed.dt1),
        )


def _fit_table(fits: Sequence[Fit]) -> Table:
    columns = (Column("nodes"), *(Column(unit, digits=2, good="low") for unit in UNITS))
    factor = {(each.nodes, each.unit): each.factor for each in fits}
    rows: list[tuple[Cell, ...]] = [
        (str(nodes), *(factor[nodes, unit] for unit in UNITS)) for nodes in sorted({n for n, _ in factor})
    ]
    title = "By which factor ours is off the printed DT1, in the geometric mean, if it counts"
    return Table("fit", title, columns, tuple(rows), note=f"Without {OTHER}, which is not the paper's data.")


def _sizes_table(sizes: dict[tuple[str, str], Size], best: Fit) -> Table:
    columns = (Column("set"), Column("formula"), *(Column(unit) for unit in UNITS))
    shown = (_paper(best.nodes), _paper(MOST), *OTHERS)
    rows: list[tuple[Cell, ...]] = [
        (name, formula, *(getattr(size, unit) for unit in UNITS))
        for (name, formula), size in sizes.items()
        if formula in shown
    ]
    note = "paper-N: `exact --form paper --nodes N`; fixed: of the complete tree; paths: of up to 31 nodes."
    return Table("sizes", "Formulas of trees of depth 4", columns, tuple(rows), labels=2, groups=1, note=note)


def _claims(names: Sequence[str], sizes: dict[tuple[str, str], Size], best: Fit) -> Iterator[Claim]:
    theirs = [name for name in PAPER if name != OTHER]
    dt1 = {name: getattr(sizes[name, _paper(best.nodes)], best.unit) for name in names}
    near = [1 / NEAR <= dt1[name] / PAPER[name].dt1 <= NEAR if name in dt1 else None for name in theirs]
    yield Claim(
        f"Sizes of DT1: {_listed({name: PAPER[name].dt1 for name in theirs})} (no unit, no number of nodes)",
        held(near),
        f"{best.unit} of our form of it with {best.nodes} nodes: "
        f"{_listed({name: dt1[name] for name in names if name != OTHER})}; off by {best.worst:.2f} at most",
    )
    times = {name: PAPER[name].dt2 / dt1[name] for name in names}
    yield Claim(
        "DT1 is up to 1000 times smaller than DT2, by what is printed of DT2",
        held([max(times.values()) >= 1000 if len(names) == len(PAPER) else None]),
        "times smaller: " + ", ".join(f"{name} {each:.3g}" for name, each in times.items()),
    )
    smaller = [times[name] > 1 if name in times else None for name in PAPER]
    yield Claim(
        "DT1 is smaller than DT2",
        held(smaller),
        f"in {sum(map(bool, smaller))} of {len(names)} sets; as printed, all but weather",
    )


def _listed(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name} {short(number)}" for name, number in numbers.items())


def _remarks(best: Fit) -> Iterator[str]:
    yield (
        f"The paper names no unit and no N. {best.unit.capitalize()} and {best.nodes} nodes fit best, by "
        f"the table above; a tree of depth {DEPTH} has {LEAST} to {MOST} nodes. Bytes are those of clauses "
        "alone, without comments."
    )
    yield (
        "The paper's Income is 10 % of that set, drawn at random; ours is another sample of it, 977 rows, "
        "with a column for each value. It has fewer rows and columns, and is no measure of the fit."
    )
    yield (
        "DT2 is as the paper prints it from Bessiere et al. 2009; their formula is not in the text that "
        "we have. `fixed` is our own formula of the same task, one given tree. It grows with rows times "
        "columns, not with the square of the rows: what is printed says something of that formula, not of "
        "fixed trees."
    )


def short(number: float) -> str:
    """Two or three digits and a letter.

    >>> short(182150), short(1.2e9), short(14)
    ('182K', '1.2G', '14')
    """
    for letter in ("", "K", "M"):
        if number < 999.5:
            return f"{number:.0f}{letter}" if number >= 9.95 or not letter else f"{number:.1f}{letter}"
        number /= 1000
    return f"{number:.0f}G" if number >= 9.95 else f"{number:.1f}G"
