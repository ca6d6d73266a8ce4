"""At least m of n bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.instances import Data, Family, Spec
from wcnfgen.instances._grid import BARE, draws, within

FAMILY = Family(
    title="Smallest decision trees of m-of-n concepts",
    domain=(
        "Given rows of bits, each with the answer whether at least m of n relevant bits are 1, find a "
        "smallest decision tree that classifies all rows. Such counting concepts are short to say and "
        "long as a tree, whose subtrees repeat each other: they are a standard example of what trees "
        "are bad at.\n\n"
        "The relevant bits are interchangeable, so that a solver meets many trees of the same size; "
        "irrelevant bits lead greedy trees, from whose size an instance starts, astray. Few rows make "
        "easy instances, more rows make hard ones. The instances are unweighted and scale without "
        "limit."
    ),
    papers=("alos2023", "murphy1991", "olson2017"),
    naming=(
        "mofn-{m}.{n}.{features}-rows{rows}-s{seed}-ub{ub}: m, n, all bits, rows, the seed by which "
        "they were drawn (0 where all inputs are listed), and the upper bound on the number of nodes; "
        "such as mofn-3.5.8-rows40-s1-ub23"
    ),
    parameters={
        "data": "the concept, as mofn-m-n-features",
        "m": "how many ones make the class 1",
        "n": "number of relevant bits",
        "features": "number of all bits",
        "rows": "number of rows",
    },
    crafted=True,
)


def specs(
    *,
    m: Sequence[int] = (3, 4),
    n: Sequence[int] = (5, 7),
    features: Sequence[int] = (8, 12),
    rows: Sequence[int] = (40, 80, 120, 160),
    seeds: int = 4,
) -> Iterator[Spec]:
    """Smallest pure trees of m-of-n concepts, of all inputs and of some that are drawn.

    m: how many ones make the class 1
    n: numbers of relevant bits; combinations with fewer than m of them are left out
    features: numbers of all bits; combinations with fewer than n of them are left out
    rows: numbers of rows; where there are no more inputs, all of them are listed
    seeds: number of draws
    """
    within("--m", m, 1, 1000)
    within("--n", n, 1, 1000)
    within("--features", features, 1, 1000)
    for least, relevant, bits in ((a, b, c) for a in m for b in n for c in features if a <= b <= c):
        concept = f"mofn-{least}-{relevant}-{bits}"
        for draw in draws(bits, rows, seeds):
            options = {"m": least, "relevant": relevant, "features": bits, **draw.options}
            yield Spec(
                name=f"mofn-{least}.{relevant}.{bits}-{draw.tag}-ub{{ub}}",
                data=Data(f"{concept}-{draw.tag}", "rule", "m-of-n", options),
                encoding="size",
                options=BARE,
                parameters={
                    "data": concept,
                    "m": least,
                    "n": relevant,
                    "features": bits,
                    "rows": draw.rows,
                },
            )
