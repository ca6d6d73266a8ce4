"""Classes of difficulty: their names, their limits and what they mean.

They go by the fastest proof of a reference solver within the limit on wall time, which includes the
start of its program; `wcnfgen.calibration` says why by that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Difficulty = Literal["trivial", "easy", "medium", "hard", "untouched"]
CLASSES: tuple[Difficulty, ...] = get_args(Difficulty)  # from light to dark
PROVED: tuple[Difficulty, ...] = ("trivial", "easy", "medium")

TRIVIAL_S = 1.0
EASY_SHARE = 0.1  # of the limit on time: "a tenth" below

MEANING: Mapping[str, str] = {
    "trivial": f"proved within {TRIVIAL_S:g} s, or by our bound",
    "easy": "within a tenth of the limit on time",
    "medium": "within the limit",
    "hard": "not proved; our solution improved",
    "untouched": "not improved either",
}
SOLVED: Mapping[str, str] = {  # where nothing is optimised, nothing is hard
    **MEANING,
    "trivial": f"solved within {TRIVIAL_S:g} s",
    "untouched": "not solved",
}


def of_proof(seconds: float, limit_s: float | None) -> Difficulty:
    """The class of an instance that was proved in so many seconds; without a limit, none is only medium.

    >>> [of_proof(seconds, 60) for seconds in (1, 1.01, 6, 6.01)], of_proof(59, None)
    (['trivial', 'easy', 'easy', 'medium'], 'easy')
    """
    if seconds <= TRIVIAL_S:
        return "trivial"
    return "easy" if limit_s is None or seconds <= EASY_SHARE * limit_s else "medium"
