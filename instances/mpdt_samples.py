"""Samples of nineteen data sets, as in the first experiment on MPDT (Alòs et al. 2023, section 9.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.instances import Family, Spec
from wcnfgen.instances._grid import BARE, samples

SETS = (  # Table 4
    *("append", "audio", "back", "corral", "haber", "hayes-r", "hepa", "h-votes", "iris", "irish"),
    *("lympho", "monks-1", "monks-3", "mushr", "mux6", "new-thy", "spect", "wine", "zoo"),
)
# As the paper prepares its data: floats in eight bins of equal width, values as binary numbers, rows of equal
# features in the class of most of them.  The bins are those of scikit-learn up to 1.0.2.
PREPARED = {"binarise": "binary", "uniform_rule": "sklearn-1.0", "conflicts": "majority"}

FAMILY = Family(
    title="Minimum pure decision trees of samples of data sets",
    domain=(
        "Given rows of binary features, each with a class, find a decision tree with the fewest nodes "
        "among those that classify every row rightly: a minimum pure decision tree (MPDT). A small tree "
        "is a model that people can read and check, and of two trees that fit the data the smaller one "
        "is preferred. Hard clauses say that there is a tree of at most ub nodes, in breadth-first "
        "order, that classifies all rows; each soft clause says that one more pair of nodes is not "
        "needed. The instances are unweighted.\n\n"
        "Minimum trees of samples are what local improvement of larger trees asks for again and again. "
        "The upper bound ub is the size of a tree that was grown greedily, so the first model is easy "
        "to have; what is hard is to improve it, and to prove that it cannot be improved. Difficulty "
        "grows with the share of the rows that a sample has, from seconds to far beyond the limits of "
        "any solver known. The data sets, their preparation and the shares are those of the first "
        "experiment of the paper on MPDT."
    ),
    papers=("alos2023", "narodytska2018"),
    naming=(
        "mpdt-{data}-p{percent}-s{seed}-ub{ub}: the data set, the share of its rows in percent, the "
        "seed of the sample, and the upper bound on the number of nodes; such as mpdt-zoo-p40-s1-ub13"
    ),
    parameters={
        "data": "data set, under its name in Table 4 of the paper on MPDT",
        "percent": "share of its rows in the sample, in percent",
    },
)


def specs(
    *, sets: Sequence[str] = SETS, percents: Sequence[int] = (40, 60, 80), seeds: int = 20
) -> Iterator[Spec]:
    """Smallest pure trees of stratified samples of the 19 data sets of Alòs et al. 2023.

    sets: a data set (repeat for more)
    percents: shares of the rows in a sample, in percent
    seeds: number of samples of each share
    """
    for sample in samples(sets, percents, seeds):
        yield Spec(
            name=f"mpdt-{sample.tag}-ub{{ub}}",
            data=sample.data,
            encoding="size",
            options={**sample.options, **PREPARED, **BARE},
            parameters=sample.parameters,
        )
