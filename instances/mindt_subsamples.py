"""Is there a pure tree of exactly so many nodes?  The samples of Narodytska et al. 2018, Table 5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wcnfgen.instances import Family, Spec
from wcnfgen.instances._grid import BARE, Sample, samples, within

# For each share of the rows, in percent: the mean size of the smallest trees in the paper (column #nd).
FOUND = {
    "car": {5: 18.80, 10: 23.67},
    "cancer": {10: 9.0, 20: 12.86, 25: 14.33},
    "shuttle": {5: 10.23, 10: 11.67},
    "colic": {5: 6.30, 10: 9.92},
    "appendicitis": {30: 10.62, 40: 9.40},
    "australian": {5: 10.89, 10: 13.0},
    "backache": {30: 9.50, 40: 11.67},
    "cleve": {10: 10.80},
}
PREPARED = {"binning": "none", "conflicts": "majority"}  # a column for every value, numbers too

FAMILY = Family(
    title="Pure decision trees of a given size, for samples of data sets",
    domain=(
        "Given rows of binary features, each with a class, is there a decision tree of exactly so many "
        "nodes that classifies every row rightly? The question is asked of samples of data sets, for "
        "sizes around the smallest for which the answer is yes. Below it the formula is unsatisfiable, "
        "and the proof has to rule out all shapes of trees at once; above it solutions soon become "
        "many.\n\n"
        "This is the formula by which the smallest decision tree was first found with a SAT solver, one "
        "size after the other. The data sets and the shares of their rows are those of the experiment "
        "of that paper that was solved to the optimum in part only, so that the family goes from easy "
        "to open. Every distinct value of a feature has a column of its own."
    ),
    papers=("narodytska2018",),
    naming=(
        "mindt-{data}-p{percent}-s{seed}-n{nodes}: the data set, the share of its rows in percent, the "
        "seed of the sample, and the number of nodes; such as mindt-cancer-p10-s1-n9"
    ),
    parameters={
        "data": "data set of Table 5 of the paper",
        "percent": "share of its rows in the sample, in percent",
        "nodes": "number of nodes of the tree that is asked for",
    },
    track="sat",
)

AS_MAXSAT = replace(
    FAMILY,
    title="Minimum pure decision trees of small samples with many features",
    domain=(
        "Given rows of binary features, each with a class, find a decision tree with the fewest nodes "
        "among those that classify every row rightly. The samples are those of the first paper on "
        "smallest decision trees by SAT, which asked for one size after the other; here all sizes up to "
        "the upper bound ub, that of a greedy tree, are in one unweighted formula. Every distinct value "
        "of a feature has a column of its own, so that there are few rows and hundreds of features, "
        "most of which tell nothing."
    ),
    naming=(
        "mindt-{data}-p{percent}-s{seed}-ub{ub}: the data set, the share of its rows in percent, the "
        "seed of the sample, and the upper bound on the number of nodes; such as "
        "mindt-cancer-p10-s1-ub9"
    ),
    parameters={key: meaning for key, meaning in FAMILY.parameters.items() if key != "nodes"},
    track="maxsat",
)


def family(*, as_maxsat: bool = False, **options: object) -> Family:
    """What the family says of itself under the options of `specs`."""
    return AS_MAXSAT if as_maxsat else FAMILY


def specs(
    *,
    sets: Sequence[str] = tuple(FOUND),
    percents: Sequence[int] = (),
    around: Sequence[int] = (-2, 0, 2, 4),
    seeds: int = 5,
    as_maxsat: bool = False,
) -> Iterator[Spec]:
    """Is there a pure tree of exactly so many nodes, for samples as in Narodytska et al. 2018: a SAT family.

    sets: a data set (repeat for more)
    percents: shares of the rows in a sample, in percent; default: those that the paper has of each data set
    around: sizes to ask for, as nodes beyond the mean of the smallest ones that the paper found; even numbers
    seeds: number of samples of each share
    as_maxsat: one MaxSAT instance for each sample instead, which asks for the smallest size
    """
    within("--around", around, -100, 100)
    for name in sets:
        shares = tuple(percents) or tuple(FOUND.get(name, ()))
        for sample in samples([name], shares, seeds):
            yield from [_smallest(sample)] if as_maxsat else _of_sizes(sample, around)


def _smallest(sample: Sample) -> Spec:
    return Spec(
        name=f"mindt-{sample.tag}-ub{{ub}}",
        data=sample.data,
        encoding="size",
        options={**sample.options, **PREPARED, **BARE},
        parameters=sample.parameters,
    )


def _of_sizes(sample: Sample, around: Sequence[int]) -> Iterator[Spec]:
    for nodes in sorted({max(3, _middle(sample) + 2 * (more // 2)) for more in around}):
        yield Spec(
            name=f"mindt-{sample.tag}-n{nodes}",
            data=sample.data,
            encoding="exact",
            options={**sample.options, **PREPARED, **BARE, "nodes": nodes},
            parameters={**sample.parameters, "nodes": nodes},
            format="cnf",
        )


def _middle(sample: Sample) -> int:
    """The odd number next to what the paper found, for that share of the rows or the one next to it."""
    name, percent = sample.data.of, int(sample.parameters["percent"])
    found = FOUND.get(name, {0: 11.0})
    share = min(found, key=lambda each: abs(each - percent))
    return 2 * int(found[share] / 2) + 1
