"""One column of the data file as a small code per cell, and sets of codes in the file's own words.

A feature is what a binarisation keeps of a column: enough to give any later cell its code, by equal
text, by equal number, or by the interval that a number falls in.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen import words
from wcnfgen.data import Column, key, number
from wcnfgen.missing import MISSING

Coding = Literal["text", "numbers", "bins", "thresholds"]


@dataclass(frozen=True, slots=True)
class Feature:
    """How a cell of the column `name` becomes a code, by `coding`:

    text, numbers  the index in `values` of the equal text or number
    bins           how many `cuts` are <= the number: bin i is cuts[i-1] <= x < cuts[i]
    thresholds     how many `cuts` are < the number: x <= cuts[i] is code <= i

    `used` are the codes with a training row, in rank order.  `missing` is the code of a missing
    cell, -1 for none; a value of its own beside the intervals has code len(cuts) + 1.
    """

    name: str
    coding: Coding
    values: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()
    used: tuple[int, ...] = ()
    missing: int = -1

    @property
    def intervals(self) -> bool:
        """Whether codes are intervals of numbers."""
        return self.coding in ("bins", "thresholds")

    @property
    def size(self) -> int:
        """Number of codes, those without a training row included."""
        return max(len(self.values), (len(self.cuts) + 1) * self.intervals, self.missing + 1)

    def codes(self, column: Column) -> NDArray[np.int32]:
        """The code of each row, shape (rows,); -1 where nothing matches."""
        of_value = self._interval_codes if self.intervals else self._value_codes
        codes = np.array([*of_value(column.values), self.missing], np.int32)  # the last one is for -1
        return codes[column.codes]

    def _value_codes(self, texts: Sequence[str]) -> list[int]:
        numeric = self.coding == "numbers"
        code = {key(value, numeric=numeric): code for code, value in enumerate(self.values)}
        return [code.get(key(text, numeric=numeric), -1) for text in texts]

    def _interval_codes(self, texts: Sequence[str]) -> list[int]:
        numbers = [number(text) for text in texts]
        side: Literal["left", "right"] = "right" if self.coding == "bins" else "left"
        found = np.searchsorted(self.cuts, [float(x or 0) for x in numbers], side).tolist()
        other = [self.missing if text == MISSING else -1 for text in texts]
        return [b if x is None else a for x, a, b in zip(numbers, found, other, strict=True)]

    def words(self, codes: Collection[int], *, negated: bool = False) -> str:
        """The set of cells whose code is in `codes`, or is not, as a phrase."""
        if not self.intervals:
            return words.membership(self.name, [self.values[code] for code in codes], negated=negated)
        if negated and isinstance(codes, range):  # of many cuts each has two, so that none is walked along
            codes = range(codes.stop, self.size)
        elif negated:
            codes = set(range(self.size)) - set(codes)
        numbers = self._numbers(codes)
        parts = [words.intervals(self.name, numbers, self.cuts, closed=self.coding == "thresholds")]
        if len(numbers) < len(codes):
            parts.append(words.membership(self.name, [MISSING]))
        return " or ".join(filter(None, parts)) or f"{words.word(self.name)} is no number"

    def _numbers(self, codes: Collection[int]) -> Collection[int]:
        """Those of the codes that are intervals."""
        last = len(self.cuts)
        if isinstance(codes, range):
            return range(codes.start, min(codes.stop, last + 1))
        return {code for code in codes if code <= last}

    def to_json(self) -> dict[str, Any]:
        """Strings, numbers and lists only; what is as usual is left out."""
        json: dict[str, Any] = {"name": self.name, self.coding: list(self.cuts or self.values)}
        if self.used != tuple(range(self.size)):
            json["used"] = list(self.used)
        if self.missing >= 0:
            json["missing"] = self.missing
        return json

    @classmethod
    def from_json(cls, json: dict[str, Any]) -> Feature:
        """What `to_json` wrote; KeyError, TypeError or ValueError where it did not."""
        coding: Coding = next((each for each in get_args(Coding) if each in json), "text")
        listed = json[coding]
        numbers = coding in ("bins", "thresholds")
        values = () if numbers else tuple(listed)
        cuts = tuple(map(float, listed)) if numbers else ()
        missing = int(json.get("missing", -1))
        if not (-1 <= missing <= len(listed) + 1 and increasing(-math.inf, cuts, math.inf)):
            raise ValueError("missing or cuts")
        if not all(isinstance(text, str) for text in (json["name"], *values)):
            raise ValueError("a name or value is no text")
        feature = cls(json["name"], coding, values, cuts, (), missing)
        used = tuple(map(int, json.get("used", range(feature.size))))
        if not increasing(-1, used, feature.size):
            raise ValueError("used")
        return replace(feature, used=used)


def increasing(above: float, numbers: Sequence[float], below: float) -> bool:
    """Whether each number is larger than the one before, all within bounds."""
    return all(a < b for a, b in pairwise((above, *numbers, below)))
