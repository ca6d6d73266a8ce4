"""Members of two clubs."""

from __future__ import annotations

from itertools import product

import numpy as np

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import check, stream


def generate(*, seed: int = 0) -> Dataset:
    """Hayes-Roth: which club a person belongs to (Hayes-Roth and Hayes-Roth 1977; UCI).

    hobby (1..3) does not matter.  If age, education or marital (1..4) is 4, class 3; else 1 or 2,
    whichever occurs more often among the three, and a tie is decided at random.  All 192 inputs;
    UCI's files are samples of them, in which equal rows may differ in class.

    seed: of the ties
    """
    check("seed", seed, 0, 2**63 - 1)
    rng = stream(seed)
    people = product("123", "1234", "1234", "1234")
    columns = ["hobby", "age", "education", "marital", "class"]
    return Dataset(columns, ([*person, _club(person[1:], rng)] for person in people))


def _club(traits: tuple[str, ...], rng: np.random.RandomState) -> str:
    if "4" in traits:
        return "3"
    ones, twos = traits.count("1"), traits.count("2")
    if ones == twos:
        return str(rng.randint(1, 3))
    return "1" if ones > twos else "2"
