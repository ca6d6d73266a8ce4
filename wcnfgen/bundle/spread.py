"""Some of many, spread over what varies: data sets first, then all other parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from wcnfgen.instances import Plain


def spread(items: Sequence[Mapping[str, Plain]], n: int) -> list[int]:
    """The places of n items, in order, that differ as much as can be in their parameters.

    One by one the item is taken whose data set was taken least, of these the one whose other
    values were taken least, of these the first.

    >>> spread([{"data": "a", "depth": 2}, {"data": "a", "depth": 3}, {"data": "b", "depth": 2},
    ...         {"data": "b", "depth": 3}], 2)
    [0, 3]
    """
    taken: Counter[tuple[str, Plain]] = Counter()
    left = list(range(len(items)))
    chosen: list[int] = []

    def used(place: int) -> tuple[int, int]:
        item = items[place]
        return taken["data", item.get("data", "")], sum(taken[pair] for pair in item.items())

    while left and len(chosen) < n:
        best = min(left, key=used)
        left.remove(best)
        chosen.append(best)
        taken.update(items[best].items())
    return sorted(chosen)
