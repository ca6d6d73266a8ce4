"""Columns as 0/1 tests, under the names the papers' sizes depend on.

Two steps, the same for all schemes.  A *feature* turns a cell of one column into a small code: the
index of its value, of its bin, or of the interval between thresholds.  A *test* is one binary
column: a feature and the set of codes for which it is 1.

    onehot       one test per value; two values need one test, "is the later one"; constant columns
                 go (Narodytska et al. 2018, and the one-hot sizes of Alòs et al., MPDT)
    onehot-full  one test per value always, constants kept (CP4IM)
    binary       the bits of the value's rank, ceil(log2 v) of them (Alòs et al., MPDT)
    thresholds   numbers: ``x <= t`` at the midpoints where the class changes; else as onehot

Float columns are cut into bins first (as are integer columns that are named); bins without a
training row count as no value.  Cut points are rounded to six digits where that leaves every training
row in its bin, and the rounded number is the one that is used: what a test says is what it does.

A binarisation is fitted once and applied to any rows later.  A category never seen is no value,
so it is 0 in every test; a number beyond the training range belongs to the end bin.
"""

from __future__ import annotations

import logging
import math
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen.cuts import Binning, UniformRule, class_changes, quantile, rounded, uniform
from wcnfgen.data import Column, Table, key, near, number
from wcnfgen.errors import DataError, FormatError, UsageError
from wcnfgen.features import Coding, Feature
from wcnfgen.missing import MISSING, fill

log = logging.getLogger("wcnfgen")

Scheme = Literal["onehot", "onehot-full", "binary", "thresholds"]
MOST_BINS = 10_000
MOST_CELLS = 1 << 30  # of a 0/1 matrix, a byte each
MANY = 64  # binary columns of one feature that are worth a warning


@dataclass(frozen=True, slots=True)
class Predicate:
    """One binary column: 1 where the code of feature number `feature` is in `codes`."""

    feature: int
    codes: Sequence[int]


@dataclass(frozen=True, slots=True)
class Binarisation:
    """The binary columns of a data set: `tests[r]` is column r of what `apply` returns."""

    scheme: Scheme
    features: tuple[Feature, ...]
    tests: tuple[Predicate, ...]

    @classmethod
    def fit(
        cls,
        table: Table,
        *,
        scheme: Scheme = "onehot",
        bins: int = 8,
        binning: Binning = "uniform",
        uniform_rule: UniformRule = "sklearn-1.1",
        bin: Collection[str] = (),
        ordinal: Collection[str] = (),
    ) -> Binarisation:
        """Learn the binary columns from a table without missing cells (see `wcnfgen.missing`).

        bins, binning, uniform_rule: how float columns, and the integer ones named in `bin`, are cut;
        ``none`` leaves every distinct number a value.  The thresholds scheme cuts all numeric columns
        its own way.  ordinal: orders of values, ``size=S<M<L``; other columns rank by number or text.

        UsageError: an option is wrong.  DataError: missing cells, or no column that varies.
        """
        options = _Options(scheme, bins, binning, uniform_rule, frozenset(bin), _orders(ordinal))
        _check(options, table)
        features = []
        for column in fill(table, "error").features:
            feature = _feature(column, table.target, options)
            if width := len(_SETS[scheme](feature)):
                features.append(feature)
                _warn(feature, width, table.rows, cuttable=binning != "none")
        if not features:
            raise DataError(f"{table.name}: every column is constant; add a column that varies")
        return cls._of(scheme, features)

    @classmethod
    def _of(cls, scheme: Scheme, features: Sequence[Feature]) -> Binarisation:
        sets = (_SETS[scheme](feature) for feature in features)
        tests = tuple(Predicate(i, codes) for i, each in enumerate(sets) for codes in each)
        return cls(scheme, tuple(features), tests)

    def apply(self, table: Table) -> tuple[NDArray[np.uint8], dict[str, int]]:
        """The 0/1 matrix, shape (rows, len(tests)), and per column the number of unseen cells.

        Columns are matched by name, further ones are ignored.  A cell is unseen if no training row
        had its value or a number in its bin, or if it is missing and was never filled.

        DataError: a column is missing.
        """
        columns = {column.name: column for column in table.features}
        absent = [feature.name for feature in self.features if feature.name not in columns]
        if absent:
            raise DataError(f"{table.name}: no column {absent[0]!r}, which the instance tests; add it")
        if table.rows * len(self.tests) > MOST_CELLS:
            widest = max(self.features, key=lambda feature: feature.size)
            raise DataError(
                f"{table.name}: {table.rows} rows of {len(self.tests)} binary columns are too many; "
                f"--bin or --drop wide columns, such as {widest.name!r}, or --sample rows"
            )
        parts: list[NDArray[np.uint8]] = []
        unseen: dict[str, int] = {}
        for feature in self.features:
            codes = feature.codes(columns[feature.name])
            parts.append(_truth(feature, _SETS[self.scheme](feature))[codes])
            if count := int((_truth(feature, [feature.used])[codes] == 0).sum()):
                unseen[feature.name] = count
        return np.hstack(parts), unseen

    def question(self, r: int) -> str:
        """What column r asks, as in ``petal_length <= 2.45``."""
        return self.features[self.tests[r].feature].words(self.tests[r].codes)

    def negation(self, r: int) -> str:
        """What holds where column r is 0, as in ``petal_length > 2.45``."""
        return self.features[self.tests[r].feature].words(self.tests[r].codes, negated=True)

    def to_json(self) -> dict[str, Any]:
        """Strings, numbers and lists only; `from_json` gives back an equal object."""
        return {"scheme": self.scheme, "features": [feature.to_json() for feature in self.features]}

    @classmethod
    def from_json(cls, json: Any) -> Binarisation:
        """What `to_json` wrote.  FormatError: it did not write this."""
        try:
            if json["scheme"] not in _SETS:
                raise ValueError(json["scheme"])
            return cls._of(json["scheme"], [Feature.from_json(each) for each in json["features"]])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise FormatError(f"the map of columns is malformed ({error!r}); write the file again") from error


# --- schemes -------------------------------------------------------------------------------------


def _onehot(feature: Feature) -> list[Sequence[int]]:
    used = feature.used
    return [[code] for code in (used if len(used) > 2 else used[1:])]


def _onehot_full(feature: Feature) -> list[Sequence[int]]:
    return [[code] for code in feature.used]


def _binary(feature: Feature) -> list[Sequence[int]]:
    bits = (len(feature.used) - 1).bit_length()
    ranks = range(len(feature.used))
    return [[feature.used[rank] for rank in ranks if rank >> bit & 1] for bit in reversed(range(bits))]


def _thresholds(feature: Feature) -> list[Sequence[int]]:
    if not feature.intervals:
        return _onehot(feature)
    below: list[Sequence[int]] = [range(code + 1) for code in range(len(feature.cuts))]
    return below + [[feature.missing]] * (feature.missing > len(feature.cuts))


_SETS: dict[str, Callable[[Feature], list[Sequence[int]]]] = {
    "onehot": _onehot,
    "onehot-full": _onehot_full,
    "binary": _binary,
    "thresholds": _thresholds,
}


def _truth(feature: Feature, sets: Sequence[Sequence[int]]) -> NDArray[np.uint8]:
    """Value of each test (column) for each code (row); the last row is that of code -1."""
    truth = np.zeros((feature.size + 1, len(sets)), np.uint8)
    for test, codes in enumerate(sets):
        truth[list(codes), test] = 1
    return truth


# --- fitting -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Options:
    scheme: Scheme
    bins: int
    binning: Binning
    uniform_rule: UniformRule
    bin: frozenset[str]
    orders: dict[str, list[str]]

    def coding(self, column: Column) -> Coding:
        if not column.numeric:
            return "text"
        if self.scheme == "thresholds":
            return "thresholds"
        cut = self.binning != "none" and (column.kind == "float" or column.name in self.bin)
        return "bins" if cut else "numbers"


def _orders(ordinal: Collection[str]) -> dict[str, list[str]]:
    orders = {}
    for text in ordinal:
        name, given, order = text.partition("=")
        values = [value.strip() for value in order.split("<")]
        if not given or len(values) < 2 or len(set(values)) < len(values):
            raise UsageError(f"--ordinal {text}: write it as NAME=S<M<L, each value once")
        orders[name.strip()] = values
    return orders


def _check(options: _Options, table: Table) -> None:
    kinds = {column.name: column.kind for column in table.features}
    for option, value, allowed in (
        ("--binarise", options.scheme, get_args(Scheme)),
        ("--binning", options.binning, get_args(Binning)),
        ("--uniform-rule", options.uniform_rule, get_args(UniformRule)),
    ):
        if value not in allowed:
            raise UsageError(f"{option} {value}: choose one of {', '.join(allowed)}")
    if not 2 <= options.bins <= MOST_BINS:
        raise UsageError(f"--bins {options.bins}: from 2 to {MOST_BINS}")
    for option, names in (("--bin", sorted(options.bin)), ("--ordinal", list(options.orders))):
        for name in names:
            if name not in kinds:
                raise UsageError(f"{option} {name}: no such feature column; {near(name, list(kinds))}")
    for name in sorted(options.bin):
        if kinds[name] == "category":
            raise UsageError(f"--bin {name}: not all of its values are numbers; leave it a category")


def _feature(column: Column, target: Column, options: _Options) -> Feature:
    coding = options.coding(column)
    if column.name in options.orders:
        coding = "numbers" if column.numeric else "text"
        feature = Feature(column.name, coding, _ordered(column, options.orders[column.name]))
    elif coding in ("text", "numbers"):
        feature = Feature(column.name, coding, column.values)
    else:
        feature = Feature(column.name, coding, cuts=tuple(_cuts(column, target, options)))
    feature = replace(feature, missing=_missing_code(feature, column))
    return replace(feature, used=tuple(np.flatnonzero(np.bincount(feature.codes(column))).tolist()))


def _ordered(column: Column, order: list[str]) -> tuple[str, ...]:
    """The column's values in the order given; one that missing cells got stays last."""
    values = {key(value, numeric=column.numeric): value for value in column.values}
    keys = [key(value, numeric=column.numeric) for value in order]
    known = [values[each] for each in keys if each in values]
    others = [value for value in column.values if value not in known]
    if others and others != [MISSING]:
        raise UsageError(f"--ordinal {column.name}: {others[0]!r} has no place in the order; add it")
    return (*known, *others)


def _cuts(column: Column, target: Column, options: _Options) -> list[float]:
    values = [number(value) for value in column.values]
    x = np.array([math.nan if value is None else value for value in values], np.float64)[column.codes]
    present = ~np.isnan(x)
    if options.scheme == "thresholds":
        return class_changes(x[present], target.codes[present])
    if options.binning == "quantile":
        return rounded(quantile(x[present], options.bins), x[present])
    return rounded(uniform(x[present], options.bins, options.uniform_rule), x[present])


def _missing_code(feature: Feature, column: Column) -> int:
    """The code of the value that missing cells got, -1 if they got none."""
    if column.fill < 0:
        return -1
    if feature.intervals and number(column.values[column.fill]) is None:
        return len(feature.cuts) + 1
    return int(feature.codes(replace(column, codes=np.array([column.fill], np.int32)))[0])


def _warn(feature: Feature, width: int, rows: int, *, cuttable: bool) -> None:
    everywhere = len(feature.values) == rows > 2
    if width > MANY or everywhere:
        name = shlex.quote(feature.name)
        what = "differs in every row" if everywhere else "is wide"
        cut = f" or cut it with --bin {name}" if cuttable and feature.coding == "numbers" else ""
        log.warning(
            "column %s %s: %d binary columns; leave it out with --drop %s%s", name, what, width, name, cut
        )
