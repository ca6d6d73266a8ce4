"""The smallest of the shallowest pure trees (Avellaneda 2020): Infer-depth, then Infer-size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.instances import Family, Spec
from wcnfgen.instances._grid import samples, within

# For each share of the rows, in percent: the least depth at which each of the samples of seeds 1 to 5 has a
# pure tree, as a SAT solver says.
LEAST: dict[str, dict[int, int]] = {
    "append": {50: 4, 100: 5},
    "audio": {50: 4},
    "back": {50: 4, 100: 5},
    "corral": {50: 4, 100: 4},
    "h-votes": {20: 4, 50: 5},
    "haber": {20: 5, 50: 6},
    "hayes-r": {20: 4, 50: 5, 100: 6},
    "hepa": {50: 4},
    "iris": {20: 4, 50: 5, 100: 5},
    "lympho": {20: 4, 50: 4, 100: 5},
    "monks-1-all": {20: 4, 50: 4, 100: 4},
    "monks-2-all": {20: 6, 50: 6, 100: 6},
    "mouse": {100: 4},
    "new-thy": {20: 4, 50: 5},
    "spect": {20: 6, 50: 7, 100: 8},
    "wine": {20: 4},
    "zoo": {50: 4, 100: 4},
}

FAMILY = Family(
    title="Smallest decision trees among the shallowest pure ones",
    domain=(
        "Given rows of binary features, each with a class, find among the decision trees of at most a "
        "given depth that classify every row rightly one with the fewest leaves. The formula is that of "
        "the complete tree of that depth: each row has a path through it, each of its tests a feature, "
        "and each of its leaves a class. Every leaf that is used costs 1; the instances are unweighted.\n\n"
        "First the least depth is looked for, then the size at that depth: trees that are both shallow "
        "and small. The depths here are the least ones and those one deeper, where smaller trees may be "
        "found among many more. The formulas have few variables a row, but double with each level; they "
        "are another view of the problem than the formulas of a tree with a given number of nodes."
    ),
    papers=("avellaneda2020", "alos2023"),
    naming=(
        "inferdt-{data}-d{depth}-p{percent}-s{seed}: the data set, the largest depth, the share of its "
        "rows in percent, and the seed of the sample; such as inferdt-monks-1-all-d4-p20-s1"
    ),
    parameters={
        "data": "data set",
        "depth": "largest depth of the tree",
        "percent": "share of the rows in the sample, in percent",
    },
)


def specs(
    *,
    sets: Sequence[str] = tuple(LEAST),
    percents: Sequence[int] = (),
    deeper: Sequence[int] = (0, 1),
    seeds: int = 3,
) -> Iterator[Spec]:
    """Smallest pure trees within the least depth at which there is one, or one deeper (Avellaneda 2020).

    sets: a data set (repeat for more)
    percents: shares of the rows in a sample, in percent; default: those whose least depth is known
    deeper: levels beyond the least depth
    seeds: number of samples of each share; 100 percent is one
    """
    within("--deeper", deeper, -10, 10)
    for name in sets:
        known = LEAST.get(name, {})
        for sample in samples([name], tuple(percents) or tuple(known), seeds):
            share = int(sample.parameters["percent"])
            least = known.get(share) or max(known.values(), default=4)
            for depth in sorted({max(1, least + more) for more in deeper}):
                yield Spec(
                    name=f"inferdt-{name}-d{depth}-{sample.drawn}",
                    data=sample.data,
                    encoding="complete",
                    options={
                        **sample.options,
                        "conflicts": "majority",
                        "uniform_rule": "sklearn-1.0",
                        "depth": depth,
                        "min_size": True,
                    },
                    parameters={**sample.parameters, "depth": depth},
                )
