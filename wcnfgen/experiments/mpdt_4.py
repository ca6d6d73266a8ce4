"""Alòs et al. 2023, Table 4: columns, labels and rows of the data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.experiments import Experiment, _mpdt
from wcnfgen.experiments._mpdt_printed import SHAPES, Shape
from wcnfgen.experiments.findings import Claim, Findings, judged
from wcnfgen.experiments.work import Step, Work
from wcnfgen.report.summary import Cell, Column, Table

EXPERIMENT = Experiment("Data sets of MPDT", "Alòs et al. 2023, Table 4", ("sklearn",))

KINDS = {  # heading: what it is
    "binary": "Columns, with a value as bits",
    "ohe": "Columns, with one for each value",
    "labels": "Labels",
    "rows": "Rows in all",
    "train": "Rows to learn from",
    "select": "Rows to select by",
    "test": "Rows to test on",
}
RULE = (
    "The paper does not say how it prepares its data. This gives all its figures: numbers with a fraction "
    "go into 8 bins of equal width, a feature of v values is ceil(log2 v) bits (binary) or v columns (ohe), "
    "of two values one column, constant ones go, rows without the majority class of their like are dropped, "
    "and columns count the class; `id` of backache is no feature, and a missing vote is a no. Twice a fifth "
    "of the rows, rounded up, is split off."
)
BINS = (
    "The bins are those of scikit-learn up to 1.0.2, in which a number on an edge belongs to the upper bin; "
    "with those since 1.1, iris has 149 rows."
)


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """Prepare each set in both forms, and split it twice."""
    data = _mpdt.sets(work)
    yield [_mpdt.columns(each, form) for each in data for form in ("binary", "onehot")]
    yield [_mpdt.outer(each) for each in data]
    yield [_mpdt.inner(each) for each in data]


def findings(work: Work) -> Findings:
    """Our figures beside the paper's, cell by cell."""
    ours = {name: _shape(work, name) for name in _mpdt.names(work)}
    return Findings((_table(ours),), tuple(_claims(ours)), (RULE, BINS))


def _shape(work: Work, name: str) -> Shape:
    header, *rows = _mpdt.cells(work, _mpdt.prepared(name))
    onehot = _mpdt.cells(work, _mpdt.prepared(name, "onehot"))
    counts = (_mpdt.length(work, file) for file in _mpdt.parts(name))
    return Shape(len(header), len(onehot[0]), len({row[-1] for row in rows}), len(rows), *counts)


def _table(ours: dict[str, Shape]) -> Table:
    pairs = (Column(f"{whose}: {each}") for each in KINDS for whose in ("paper", "ours"))
    return Table("sets", "Columns, labels and rows", (Column("set"), *pairs), tuple(_rows(ours)))


def _rows(ours: dict[str, Shape]) -> Iterator[tuple[Cell, ...]]:
    for name, found in ours.items():
        printed: Sequence[int | None] = SHAPES.get(name) or [None] * len(KINDS)
        yield name, *(each for pair in zip(printed, found, strict=True) for each in pair)


def _claims(ours: dict[str, Shape]) -> Iterator[Claim]:
    """One for each kind of figure."""
    known = [name for name in ours if name in SHAPES]
    for at, kind in enumerate(KINDS.values()):
        wrong = [name for name in known if SHAPES[name][at] != ours[name][at]]
        differing = "; ".join(f"{name}: {ours[name][at]}, not {SHAPES[name][at]}" for name in wrong)
        yield Claim(
            f"{kind} of the {len(SHAPES)} sets, as printed",
            judged(len(known) - len(wrong), len(known)),
            f"{len(known) - len(wrong)} of {len(known)} equal{': ' if wrong else ''}{differing}",
        )
