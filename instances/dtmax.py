"""DT(max) and DT(exact) of Hu et al. 2020: most rows right within, or at exactly, a depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from wcnfgen.instances import Family, Spec
from wcnfgen.instances._cp4im import DEEPEST, deepest
from wcnfgen.instances._grid import samples, within

SETS = tuple(name for name in DEEPEST if name != "zoo-1")

FAMILY = Family(
    title="Decision trees of bounded depth with the fewest errors",
    domain=(
        "Given rows of binary features, each with a class, find a decision tree whose depth is at most "
        "(max), or exactly (exact), a given number and that classifies as many rows rightly as "
        "possible. Hard clauses say what a tree of that depth is and which class it gives each row; "
        "there is one soft clause for each distinct row that can be right or wrong, and its weight is "
        "the number of times that the row occurs. Where no row is repeated the instance is unweighted.\n\n"
        "Such trees are the standard of interpretable classification: a bound on the depth keeps a tree "
        "short enough to be followed by hand, and keeps it from learning the noise in its data. The "
        "data sets are those of CP4IM that the paper on DT(max) uses, with 80 percent of the rows, as "
        "for training. With depth 2 the formulas are easy; with each level the number of nodes doubles, "
        "and from depth 4 on many optima are open. Depths at which a tree without avoidable errors "
        "exists are left out."
    ),
    papers=("hu2020", "narodytska2018"),
    naming=(
        "dt-{data}-{mode}{depth}-p{percent}-s{seed}: the data set, max or exact with the depth, the "
        "share of the rows in percent, and the seed of the sample; such as dt-anneal-max3-p80-s1"
    ),
    parameters={
        "data": "data set of CP4IM",
        "depth": "depth of the tree",
        "mode": "max: at most so deep; exact: exactly so deep",
        "percent": "share of the rows in the sample, in percent",
    },
)


def specs(
    *,
    sets: Sequence[str] = SETS,
    depths: Sequence[int] = (2, 3, 4, 5, 6),
    modes: Sequence[Literal["max", "exact"]] = ("max", "exact"),
    percents: Sequence[int] = (80,),
    seeds: int = 1,
) -> Iterator[Spec]:
    """Fewest errors within a depth, or at exactly that depth, on data sets of CP4IM (Hu et al. 2020).

    sets: a data set (repeat for more)
    depths: depths of the trees; those at which a tree is known to be perfect are left out
    modes: max (at most so deep), exact (exactly so deep)
    percents: shares of the rows in a sample, in percent
    seeds: number of samples of each share
    """
    within("--depths", depths, 1, 12)
    for sample in samples(sets, percents, seeds):
        for depth in depths:
            for mode in modes if depth <= deepest(sample.name) else ():
                yield Spec(
                    name=f"dt-{sample.name}-{mode}{depth}-{sample.drawn}",
                    data=sample.data,
                    encoding="depth",
                    options={
                        **sample.options,
                        "unit_weights": True,
                        "depth": depth,
                        "exact": mode == "exact",
                    },
                    parameters={**sample.parameters, "depth": depth, "mode": mode},
                )
