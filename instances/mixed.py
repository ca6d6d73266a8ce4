"""Errors, size and depth weighed against each other (Hu et al. 2020, section 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wcnfgen.errors import UsageError
from wcnfgen.instances import Family, Spec
from wcnfgen.instances._grid import samples, within

SETS = (
    *("anneal", "australian-credit", "breast-wisconsin", "diabetes", "german-credit", "heart-cleveland"),
    *("hepatitis", "lymph", "primary-tumor", "soybean", "tic-tac-toe", "vote"),
)

FAMILY = Family(
    title="Decision trees that weigh errors, size and depth against each other",
    domain=(
        "Given rows of binary features, each with a class, find a decision tree of at most so many "
        "nodes for which a weighted sum of three things is least: the rows that it classifies wrongly, "
        "its tests, and its depth. Errors and size pull in opposite directions, since each further test "
        "can only be worth its price in errors; this is how the complexity of a model is regularised in "
        "machine learning.\n\n"
        "Hard clauses say what a tree is and which class it gives each row. Soft clauses are of three "
        "kinds, each with its weight: one for each distinct row, times the number of its occurrences; "
        "one for each test beyond the first; and one for each level. The optimum is never 0, since a "
        "level costs something, or since no small tree is without errors. The more an error weighs, the "
        "larger the best tree, and the harder the instance."
    ),
    papers=("hu2020",),
    naming=(
        "mixed-{data}-ub{ub}-w{weights}-p{percent}-s{seed}: the data set, the largest number of nodes, "
        "what an error, a test and a level cost, the share of the rows in percent, and the seed of the "
        "sample; such as mixed-anneal-ub15-w3.1.0-p80-s1"
    ),
    parameters={
        "data": "data set of CP4IM",
        "ub": "largest number of nodes",
        "weights": "what an error, a test beyond the first, and a level cost",
        "percent": "share of the rows in the sample, in percent",
    },
)


def specs(
    *,
    sets: Sequence[str] = SETS,
    ubs: Sequence[int] = (15, 31),
    weights: Sequence[str] = ("1.1.0", "3.1.0", "2.1.1", "10.1.1"),
    percents: Sequence[int] = (80,),
    seeds: int = 1,
) -> Iterator[Spec]:
    """Least weighted sum of errors, size and depth, on data sets of CP4IM (Hu et al. 2020).

    sets: a data set (repeat for more)
    ubs: largest numbers of nodes, odd
    weights: what an error, a test and a level cost, such as 10.1.0
    percents: shares of the rows in a sample, in percent
    seeds: number of samples of each share
    """
    within("--ubs", ubs, 3, 1001)
    costs = {each: _costs(each) for each in weights}
    for sample in samples(sets, percents, seeds):
        for ub in ubs:
            for each, cost in costs.items():
                yield Spec(
                    name=f"mixed-{sample.name}-ub{ub}-w{each}-{sample.drawn}",
                    data=sample.data,
                    encoding="mixed",
                    options={**sample.options, "unit_weights": True, "ub": ub, **cost},
                    parameters={**sample.parameters, "ub": ub, "weights": each},
                )


def _costs(text: str) -> dict[str, int]:
    """The options of the encoding.  Raises UsageError."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})\.([0-9]{1,9})\.([0-9]{1,9})", text)
    if not found:
        raise UsageError(f"--weights {text}: give what an error, a test and a level cost, such as 10.1.0")
    return dict(zip(("error_weight", "size_weight", "depth_weight"), map(int, found.groups()), strict=True))
