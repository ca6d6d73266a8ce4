"""A balance with a weight on each side."""

from __future__ import annotations

from itertools import product

from wcnfgen.instances.rules import Dataset


def generate() -> Dataset:
    """Balance scale: to which side it tips (Siegler 1976; UCI).

    class = L, R or B(alanced) by left weight * left distance against right weight * right distance,
    each of the four from 1 to 5: 625 inputs.
    """
    columns = ["left-weight", "left-distance", "right-weight", "right-distance", "class"]
    scales = product(range(1, 6), repeat=4)
    return Dataset(columns, ([*map(str, scale), _side(*scale)] for scale in scales))


def _side(left_weight: int, left_distance: int, right_weight: int, right_distance: int) -> str:
    left, right = left_weight * left_distance, right_weight * right_distance
    return "L" if left > right else "R" if left < right else "B"
