"""Trees that are planted, with and without noise: the planted tree bounds the optimum from above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wcnfgen.instances import Data, Family, Spec
from wcnfgen.instances._grid import BARE, within

FAMILY = Family(
    title="Decision trees of rows that a hidden tree has classified",
    domain=(
        "Rows of random bits are classified by a random decision tree of a given size, which is not "
        "told. Without noise, find a smallest tree that classifies all of them rightly; the hidden tree "
        "does, so that its size bounds the optimum from above. With noise, some rows have another class "
        "than the tree gives them; find a tree of at most that size with the fewest errors, of which "
        "the hidden tree makes no more than there are such rows.\n\n"
        "This is the situation of learning: something simple is behind the data, and is to be found "
        "among features that have nothing to do with it. Size of the tree, features, rows and noise can "
        "be set, and with them the difficulty. With many rows the hidden tree is the only good answer; "
        "with few rows smaller trees fit by chance. Instances without noise start from the size of a "
        "greedy tree."
    ),
    papers=("alos2023", "hu2020"),
    naming=(
        "hidden-n{nodes}-f{features}-rows{rows}-e0-s{seed}-ub{ub} without noise, with {ub} the upper "
        "bound on the number of nodes, and hidden-n{nodes}-f{features}-rows{rows}-e{noise}-s{seed} with "
        "noise: nodes of the hidden tree, features, rows, rows with a wrong class in percent, and the "
        "seed; such as hidden-n11-f10-rows50-e5-s1"
    ),
    parameters={
        "data": "the kind of tree, by its size and the number of features",
        "nodes": "number of nodes of the hidden tree",
        "features": "number of features",
        "rows": "number of rows",
        "noise": "rows with another class than the hidden tree gives, in percent",
    },
    crafted=True,
    random=(
        "the rows are drawn at random, the tree that classifies them is random and planted, and so is "
        "the noise"
    ),
)


def specs(
    *,
    nodes: Sequence[int] = (11, 15, 19, 23),
    features: Sequence[int] = (10, 20),
    rows: Sequence[int] = (50, 100, 200),
    noise: Sequence[int] = (0, 5, 10),
    seeds: int = 3,
) -> Iterator[Spec]:
    """Smallest trees, or trees with the fewest errors, of rows that a random tree of known size classified.

    nodes: sizes of the hidden tree, odd
    features: numbers of features
    rows: numbers of rows
    noise: shares of rows with a wrong class, in percent; with 0 a smallest tree is asked for, else one of
        at most as many nodes with the fewest errors
    seeds: number of trees of each kind
    """
    within("--noise", noise, 0, 50)
    within("--seeds", [seeds], 1, 10_000)
    grid = ((n, f, m, e) for n in nodes for f in features for m in rows for e in noise)
    for n, f, m, e in grid:
        for seed in range(1, seeds + 1):
            yield _spec({"nodes": n, "features": f, "rows": m}, e, seed)


def _spec(kind: Mapping[str, int], noise: int, seed: int) -> Spec:
    tree = f"hidden-n{kind['nodes']}-f{kind['features']}"
    name = f"{tree}-rows{kind['rows']}-e{noise}-s{seed}"
    options: dict[str, Any] = {"ub": kind["nodes"], "unit_weights": True} if noise else BARE
    return Spec(
        name=name if noise else f"{name}-ub{{ub}}",
        data=Data(name, "rule", "hidden-tree", {**kind, "noise": noise / 100, "seed": seed}),
        encoding="accuracy" if noise else "size",
        options=options,
        parameters={"data": tree, **kind, "noise": noise},
    )
