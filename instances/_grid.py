"""What families have in common: samples of data sets, draws of a rule's inputs, and checks of the numbers.

A family is a grid: every data set with every value of every parameter.  What is part of each name is made
here, so that the families agree: ``zoo-p40-s1`` is a sample of 40 % of the rows, drawn with seed 1, and s0
says that nothing was drawn because all rows are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wcnfgen.errors import UsageError
from wcnfgen.instances import Data, Plain, datasets

# The formula of the papers, without the redundant constraints by which wcnfgen shortens its own proofs.
BARE = {"reach": False, "root_bounds": False}


@dataclass(frozen=True, slots=True)
class Sample:
    """A part of a data set.

    drawn     in names, such as ``p40-s1``
    options   of `wcnfgen.encode`: what the set needs, and the sample
    """

    data: Data
    drawn: str
    options: Mapping[str, Any]
    parameters: Mapping[str, Plain]

    @property
    def name(self) -> str:
        """Of the data set."""
        return self.data.name

    @property
    def tag(self) -> str:
        """In names, such as ``zoo-p40-s1``."""
        return f"{self.name}-{self.drawn}"


def samples(sets: Sequence[str], percents: Sequence[int], seeds: int) -> Iterator[Sample]:
    """So many stratified samples of each share of the rows, in percent; 100 is the whole set, once.

    Raises UsageError for an unknown data set or a number out of range.

    >>> [sample.tag for sample in samples(["zoo"], [40, 100], 2)]
    ['zoo-p40-s1', 'zoo-p40-s2', 'zoo-p100-s0']
    """
    known = {name: datasets.get(name) for name in sets}
    within("--percents", percents, 1, 100)
    within("--seeds", [seeds], 1, 10_000)
    for name, found in known.items():
        for percent in percents:
            for seed in range(1, seeds + 1) if percent < 100 else (0,):
                drawn = {"sample": percent / 100, "seed": seed} if seed else {}
                yield Sample(
                    data=Data(name, "paper", name),
                    drawn=f"p{percent}-s{seed}",
                    options={**found.options, **drawn},
                    parameters={"data": name, "percent": percent},
                )


@dataclass(frozen=True, slots=True)
class Draw:
    """Inputs of a Boolean rule; options are the rule's ``rows`` and ``seed``, none where all are listed."""

    rows: int
    seed: int

    @property
    def tag(self) -> str:
        """In names, such as ``rows50-s1``."""
        return f"rows{self.rows}-s{self.seed}"

    @property
    def options(self) -> dict[str, Plain | tuple[int, ...]]:
        """Of the rule."""
        return {"rows": self.rows, "seed": self.seed} if self.seed else {}


def draws(bits: int, rows: Sequence[int], seeds: int) -> Iterator[Draw]:
    """So many draws of each number of rows; where the bits have no more inputs, all of them, once.

    >>> [draw.tag for draw in draws(5, [20, 50, 99], 2)]
    ['rows20-s1', 'rows20-s2', 'rows32-s0']
    """
    within("--rows", rows, 2, 2**20)
    within("--seeds", [seeds], 1, 10_000)
    for number in sorted({min(number, 2**bits) for number in rows}):
        for seed in (0,) if number == 2**bits else range(1, seeds + 1):
            yield Draw(number, seed)


def within(option: str, values: Sequence[int], low: int, high: int) -> None:
    """Raises UsageError unless all values are from low to high."""
    for value in values:
        if not low <= value <= high:
            raise UsageError(f"{option} {value}: give numbers from {low} to {high}")
