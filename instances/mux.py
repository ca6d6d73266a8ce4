"""Multiplexers, from 3 inputs up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wcnfgen.instances import Data, Family, Spec
from wcnfgen.instances._grid import BARE, draws, within

FAMILY = Family(
    title="Smallest decision trees of multiplexers",
    domain=(
        "Given rows of the truth table of a multiplexer, find a smallest decision tree that classifies "
        "all of them. A multiplexer has k address bits and 2^k data bits; its value is the data bit "
        "that the address selects. The tree that tests the address first has 2^(k+2) - 1 nodes and fits "
        "every set of rows, so that a good solution is known, and it is the smallest where all inputs "
        "are listed.\n\n"
        "Multiplexers are a standard of learning since no single bit tells anything of the value: a "
        "tree that is grown greedily tests data bits first and comes out far too large. An instance "
        "starts from the size of such a tree. With few rows smaller trees fit than that of the "
        "multiplexer; with more rows there are fewer of them, and it is harder to show that there are "
        "no smaller ones. The instances are unweighted and scale without limit."
    ),
    papers=("alos2023", "narodytska2018", "wilson1987"),
    naming=(
        "mux-a{address}-rows{rows}-s{seed}-ub{ub}: address bits, rows, the seed by which they were "
        "drawn (0 where all inputs are listed), and the upper bound on the number of nodes; such as "
        "mux-a2-rows25-s1-ub13"
    ),
    parameters={
        "data": "the multiplexer, by its number of inputs",
        "address": "number of address bits",
        "rows": "number of rows",
    },
    crafted=True,
)


def specs(
    *,
    address: Sequence[int] = (2, 3, 4),
    rows: Sequence[int] = (25, 50, 100, 150, 200, 300),
    seeds: int = 5,
) -> Iterator[Spec]:
    """Smallest pure trees of multiplexers, of all inputs and of some that are drawn.

    address: numbers of address bits; k of them select one of 2^k data bits
    rows: numbers of rows; where there are no more inputs, all of them are listed
    seeds: number of draws
    """
    within("--address", address, 1, 10)
    for k in address:
        for draw in draws(k + 2**k, rows, seeds):
            yield Spec(
                name=f"mux-a{k}-{draw.tag}-ub{{ub}}",
                data=Data(f"mux{k + 2**k}-{draw.tag}", "rule", "mux", {"address": k, **draw.options}),
                encoding="size",
                options=BARE,
                parameters={"data": f"mux{k + 2**k}", "address": k, "rows": draw.rows},
            )
