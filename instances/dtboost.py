"""Rounds of AdaBoost with trees of bounded depth (Hu et al. 2020, sections 3.4 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.errors import UsageError
from wcnfgen.instances import Chain, Family, Spec
from wcnfgen.instances._cp4im import deepest
from wcnfgen.instances._grid import samples, within

SETS = (  # those of CP4IM where a tree of depth 4 still errs, without the largest
    *("anneal", "australian-credit", "breast-wisconsin", "diabetes", "german-credit", "heart-cleveland"),
    *("hepatitis", "kr-vs-kp", "primary-tumor", "soybean", "tic-tac-toe", "vehicle"),
)

FAMILY = Family(
    title="Rounds of AdaBoost with decision trees of bounded depth",
    domain=(
        "Given weighted rows of binary features, each with a class, find a decision tree within a depth "
        "that errs on rows of the least weight in total. Hard clauses say what a tree of that depth is "
        "and which class it gives each row; there is one soft clause for each distinct row that can be "
        "right or wrong.\n\n"
        "The weights are those of AdaBoost: the first round weighs all rows alike, and after each round "
        "the rows that its tree got wrong weigh more, those that it got right less, rounded to "
        "integers. A solver is thus asked, round after round, the same question with other weights, "
        "which become more varied while the hard clauses stay the same. The trees from which the "
        "weights follow were found by a named solver within a time limit, and come with the family, so "
        "that it can be made again. The first rounds, where all rows weigh the same, are not in this "
        "family."
    ),
    papers=("hu2020", "freund1997"),
    naming=(
        "boost-{data}-d{depth}-p{percent}-s{seed}-r{round}: the data set, the largest depth, the share "
        "of the rows in percent, the seed of the sample, and the round; such as "
        "boost-anneal-d2-p80-s1-r2"
    ),
    parameters={
        "data": "data set of CP4IM",
        "depth": "largest depth of the tree",
        "round": "round of AdaBoost",
        "percent": "share of the rows in the sample, in percent",
    },
)


def specs(
    *,
    sets: Sequence[str] = SETS,
    depths: Sequence[int] = (2, 3, 4),
    rounds: Sequence[int] = (2, 3, 4, 5, 6),
    percents: Sequence[int] = (80,),
    seeds: int = 1,
    solver: str = "lms",
    wall: float = 30.0,
) -> Iterator[Spec]:
    """Least weight of errors within a depth, in rounds of AdaBoost on data sets of CP4IM (Hu et al. 2020).

    sets: a data set (repeat for more)
    depths: largest depths of the trees; those at which a tree is known to be perfect are left out
    rounds: rounds to write; the first is an instance of dtmax
    percents: shares of the rows in a sample, in percent
    seeds: number of samples of each share
    solver: who finds the trees that the weights follow from
    wall: seconds for each of these trees
    """
    within("--depths", depths, 1, 12)
    within("--rounds", rounds, 1, 1000)
    if not wall > 0:
        raise UsageError(f"--wall {wall}: seconds for each tree, more than 0")
    for sample in samples(sets, percents, seeds):
        for depth in depths:
            chain = f"boost-{sample.name}-d{depth}-{sample.drawn}"
            for number in rounds if depth <= deepest(sample.name) else ():
                yield Spec(
                    name=f"{chain}-r{number}",
                    data=sample.data,
                    encoding="boost",
                    options={**sample.options, "unit_weights": True, "depth": depth},
                    parameters={**sample.parameters, "depth": depth, "round": number},
                    chain=Chain(chain, number, solver, wall),
                )
