"""Parity with irrelevant bits: what no greedy split can see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.instances import Data, Family, Spec
from wcnfgen.instances._grid import BARE, draws, within

FAMILY = Family(
    title="Smallest decision trees of parity functions among irrelevant bits",
    domain=(
        "Given rows of bits, each with the parity of some of them, find a smallest decision tree that "
        "classifies all rows. With n relevant bits and all inputs listed the smallest tree is complete "
        "and has 2^(n+1) - 1 nodes. It is easy to find, and hard to prove smallest: all features look "
        "alike, and every test halves the rows without telling anything.\n\n"
        "With rows that are drawn and irrelevant bits the tree of the parity function still fits, but a "
        "greedy tree takes the irrelevant bits for relevant ones and comes out much larger; with few "
        "rows, smaller trees fit that have nothing to do with parity. The instances are unweighted and "
        "scale without limit."
    ),
    papers=("alos2023", "olson2017"),
    naming=(
        "parity-{relevant}.{irrelevant}-rows{rows}-s{seed}-ub{ub}: relevant bits, irrelevant bits, "
        "rows, the seed by which they were drawn (0 where all inputs are listed), and the upper bound "
        "on the number of nodes; such as parity-3.0-rows8-s0-ub15"
    ),
    parameters={
        "data": "the parity function, as relevant+irrelevant bits",
        "relevant": "number of bits whose parity is the class",
        "irrelevant": "number of further bits",
        "rows": "number of rows",
    },
    crafted=True,
)


def specs(
    *,
    relevant: Sequence[int] = (3, 4, 5),
    irrelevant: Sequence[int] = (0, 2, 5),
    rows: Sequence[int] = (32, 64, 128),
    seeds: int = 5,
) -> Iterator[Spec]:
    """Smallest pure trees of parity functions, of all inputs and of some that are drawn.

    relevant: numbers of bits whose parity is the class
    irrelevant: numbers of further bits
    rows: numbers of rows; where there are no more inputs, all of them are listed
    seeds: number of draws
    """
    within("--relevant", relevant, 1, 500)
    within("--irrelevant", irrelevant, 0, 500)
    for n in relevant:
        for more in irrelevant:
            for draw in draws(n + more, rows, seeds):
                options = {"relevant": n, "irrelevant": more, **draw.options}
                yield Spec(
                    name=f"parity-{n}.{more}-{draw.tag}-ub{{ub}}",
                    data=Data(f"parity{n}+{more}-{draw.tag}", "rule", "parity", options),
                    encoding="size",
                    options=BARE,
                    parameters={
                        "data": f"parity{n}+{more}",
                        "relevant": n,
                        "irrelevant": more,
                        "rows": draw.rows,
                    },
                )
