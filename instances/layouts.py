"""MPDT_lay: the search for a smallest pure tree, split by its top levels (Alòs et al. 2023, section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.instances import Family, Spec
from wcnfgen.instances._grid import BARE, samples, within
from wcnfgen.instances.mpdt_samples import PREPARED

SETS = (  # those of Table 4 of which most layouts have a pure tree that is no larger than a greedy one
    *("back", "corral", "haber", "hayes-r", "h-votes", "iris", "lympho", "monks-1", "monks-3", "mux6"),
    "new-thy",
)

FAMILY = Family(
    title="Minimum pure decision trees with a given layout of the top levels",
    domain=(
        "Given rows of binary features, each with a class, find a decision tree with the fewest nodes "
        "among those that classify every row rightly and whose top levels have a given layout: which "
        "nodes there are tests, and which are leaves. Every tree has exactly one layout of each number "
        "of levels, so that the layouts split a search into independent parts, which can be worked on "
        "at the same time; the best of their optima is the optimum of all.\n\n"
        "The parts differ much in difficulty. Some layouts hold the smallest trees, some only trees "
        "that are larger than need be, and some none at all within the bound; those are left out where "
        "it is known. The instances are unweighted, and each has its counterpart without a layout in "
        "the family of minimum pure decision trees of samples."
    ),
    papers=("alos2023", "janota2020"),
    naming=(
        "lay-{data}-p{percent}-s{seed}-l{levels}.{layout}-ub{ub}: the data set, the share of its rows "
        "in percent, the seed of the sample, the number of levels and the number of their layout, and "
        "the upper bound on the number of nodes; such as lay-iris-p40-s1-l3.25-ub19"
    ),
    parameters={
        "data": "data set, under its name in Table 4 of the paper on MPDT",
        "percent": "share of its rows in the sample, in percent",
        "levels": "number of levels whose layout is given",
        "layout": "number of the layout among all of so many levels",
    },
)


def specs(
    *,
    sets: Sequence[str] = SETS,
    percents: Sequence[int] = (40,),
    seeds: int = 3,
    levels: Sequence[int] = (3,),
    leaves: int = 1,
) -> Iterator[Spec]:
    """Smallest pure trees, one instance for each layout of their top levels (Alòs et al. 2023, MPDT_lay).

    sets: a data set (repeat for more)
    percents: shares of the rows in a sample, in percent
    seeds: number of samples of each share
    levels: how many levels have a given layout, 2 to 4; there are 4, 25 or 676 layouts
    leaves: layouts that are complete but for so many leaves in the last of these levels
    """
    within("--levels", levels, 2, 4)
    within("--leaves", [leaves], 0, 8)
    numbered = [(depth, number) for depth in levels for number in _numbers(depth, leaves)]
    for sample in samples(sets, percents, seeds):
        for depth, number in numbered:
            yield Spec(
                name=f"lay-{sample.tag}-l{depth}.{number}-ub{{ub}}",
                data=sample.data,
                encoding="size",
                options={**sample.options, **PREPARED, **BARE, "layout_depth": depth, "layout": number},
                parameters={**sample.parameters, "levels": depth, "layout": number},
            )


def _numbers(depth: int, leaves: int) -> list[int]:
    """The numbers, from 1, of layouts that are complete but for a few leaves in their last level."""
    from wcnfgen.constraints.topology import layouts

    above = "1" * (2 ** (depth - 1) - 1)
    last = 2 ** (depth - 1)
    return [
        number
        for number, bits in enumerate(layouts(depth), 1)
        if bits.startswith(above) and bits.count("0") <= min(leaves, last - 1)
    ]
