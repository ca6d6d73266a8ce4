"""Binarisation: a test does what its words say, on any row; and it survives JSON."""

from __future__ import annotations

import json
import logging
import re
from math import ceil, log2
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.binarise import Binarisation, Scheme
from wcnfgen.data import Table, from_arrays
from wcnfgen.errors import DataError, FormatError, UsageError
from wcnfgen.missing import fill

SCHEMES = st.sampled_from(get_args(Scheme))
NAMES = ["n", "i", "t"]  # floats, integers, texts
ROW = st.tuples(
    st.one_of(st.integers(-40, 40).map(lambda i: i / 8), st.floats(-1e4, 1e4)),
    st.integers(-3, 30),
    st.sampled_from(["red", "green", "blue", "x y"]),
)
GAPS = st.tuples(
    *(st.none() | part for part in (st.floats(-9, 9), st.integers(0, 5), st.sampled_from("uvw")))
)
Row = tuple[float | None, int | None, str | None]


def table_of(rows: list[Row], labels: str = "", names: list[str] = NAMES) -> Table:
    classes = [labels[i % len(labels)] for i in range(len(rows))] if labels else None
    return from_arrays(np.array(rows, object).reshape(len(rows), len(names)), classes, names)


@st.composite
def fitted(draw: st.DrawFn) -> tuple[Table, Binarisation]:
    """A training table and what some options learn from it; missing cells are a category."""
    rows = draw(st.lists(draw(st.sampled_from([ROW, GAPS])), min_size=2, max_size=20))
    rows += [(-1.5, 7, "red"), (2.25, 8, "green")]  # so that some column varies
    table = fill(table_of(rows, draw(st.sampled_from(["p", "pq", "pqr"]))), "category")
    options: dict[str, Any] = {
        "scheme": draw(SCHEMES),
        "bins": draw(st.integers(2, 9)),
        "binning": draw(st.sampled_from(["uniform", "quantile"])),
        "uniform_rule": draw(st.sampled_from(["sklearn-1.0", "sklearn-1.1"])),
        "bin": draw(st.sampled_from([[], ["i"]])),
    }
    if draw(st.booleans()):
        options |= {"binning": "none", "bin": []}
    return table, Binarisation.fit(table, **options)


def holds(phrase: str, cell: str) -> bool:
    """What a question or a negation says about a cell, read from its words alone."""
    return any(piece_holds(piece, cell) for piece in phrase.split(" or "))


def piece_holds(piece: str, cell: str) -> bool:
    if found := re.fullmatch(r"[nit] (=|!=|in|not in) \{?(.*?)\}?", piece):
        listed = any(equal(cell, value) for value in found[2].split(", "))
        return listed == (found[1] in ("=", "in"))
    try:
        x = float(cell)
    except ValueError:
        return piece.endswith("is no number")
    if found := re.fullmatch(r"(\S+) (<=|<) [nit] (<=|<) (\S+)", piece):
        return compare(float(found[1]), found[2], x) and compare(x, found[3], float(found[4]))
    if found := re.fullmatch(r"[nit] (<=|<|>|>=) (\S+)", piece):
        return compare(x, found[1], float(found[2]))
    assert re.fullmatch(r"[nit] is (a|no) number", piece), piece
    return piece.endswith("a number")


def equal(a: str, b: str) -> bool:
    try:
        return float(a) == float(b)
    except ValueError:
        return a == b


def compare(a: float, sign: str, b: float) -> bool:
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]


# --- laws ----------------------------------------------------------------------------------------


@given(fitted(), st.lists(ROW, min_size=1, max_size=8))
def test_the_words_say_what_the_columns_do_on_any_row(
    fit: tuple[Table, Binarisation], rows: list[Row]
) -> None:
    training, binarisation = fit
    for table in (training, table_of(rows), table_of([(1e9, 99, "pink"), (-1e9, -99, "red")])):
        X, _ = binarisation.apply(table)
        assert X.shape == (table.rows, len(binarisation.tests))
        cells = {column.name: column.cells() for column in table.features}
        for r, test in enumerate(binarisation.tests):
            column = cells[binarisation.features[test.feature].name]
            assert [holds(binarisation.question(r), str(cell)) for cell in column] == X[:, r].tolist()
            assert [holds(binarisation.negation(r), str(cell)) for cell in column] == (1 - X[:, r]).tolist()


@given(fitted(), st.lists(ROW | GAPS, min_size=1, max_size=8))
def test_json_loses_nothing(fit: tuple[Table, Binarisation], rows: list[Row]) -> None:
    _, binarisation = fit
    again = Binarisation.from_json(json.loads(json.dumps(binarisation.to_json(), allow_nan=False)))
    assert again == binarisation
    (X, unseen), (Y, unseen_again) = binarisation.apply(table_of(rows)), again.apply(table_of(rows))
    assert (X == Y).all()
    assert unseen == unseen_again


@given(fitted())
def test_training_cells_are_seen_and_told_apart(fit: tuple[Table, Binarisation]) -> None:
    table, binarisation = fit
    X, unseen = binarisation.apply(table)
    assert unseen == {}
    columns = {column.name: column for column in table.features}
    codes = np.array([feature.codes(columns[feature.name]) for feature in binarisation.features]).T
    assert len(np.unique(np.hstack([codes, X]), axis=0)) == len(np.unique(X, axis=0))


@given(fitted())
def test_sizes(fit: tuple[Table, Binarisation]) -> None:
    _, binarisation = fit
    for i, feature in enumerate(binarisation.features):
        v = len(feature.used)
        expected = {
            "onehot": v if v > 2 else v - 1,
            "onehot-full": v,
            "binary": ceil(log2(v)),
            "thresholds": v - 1 if feature.intervals or v == 2 else v,
        }
        width = sum(test.feature == i for test in binarisation.tests)
        assert width == expected[binarisation.scheme]


@given(fitted(), st.lists(ROW, min_size=1, max_size=5), st.permutations(range(4)))
def test_columns_are_matched_by_name(
    fit: tuple[Table, Binarisation], rows: list[Row], order: list[int]
) -> None:
    _, binarisation = fit
    wide = [[(*row, "extra")[i] for i in order] for row in rows]
    names = [[*NAMES, "other"][i] for i in order]
    X, unseen = binarisation.apply(table_of(rows))
    Y, unseen_again = binarisation.apply(from_arrays(np.array(wide, object), None, names))
    assert (X == Y).all()
    assert unseen == unseen_again


# --- examples ------------------------------------------------------------------------------------


def questions(table: Table, **options: Any) -> list[str]:
    binarisation = Binarisation.fit(table, **options)
    return [binarisation.question(r) for r in range(len(binarisation.tests))]


def column(values: list[Any], labels: str = "p", name: str = "x") -> Table:
    return table_of([(value,) for value in values], labels, [name])  # type: ignore[misc]


def test_questions_of_categories() -> None:
    colours = column(["red", "green", "blue", "red"])
    assert questions(colours) == ["x = blue", "x = green", "x = red"]
    assert questions(colours, scheme="binary") == ["x = red", "x = green"]
    assert questions(column(["u", "v"])) == ["x = v"]
    assert questions(column(["u", "v"]), scheme="onehot-full") == ["x = u", "x = v"]
    assert questions(column(list("abcd")), scheme="binary") == ["x in {c, d}", "x in {b, d}"]
    assert questions(column(["a, b", "c"]), scheme="onehot-full") == ['x = "a, b"', "x = c"]
    assert questions(column(["u", "v"], name="a\nb")) == ['"a\\nb" = v']


def test_questions_of_numbers() -> None:
    x = column([1.5, 2.5, 3.5, 9.5], "pq")
    assert questions(x, bins=4) == ["x < 3.5", "3.5 <= x < 5.5", "x >= 7.5"]
    assert questions(x, binning="quantile", bins=2) == ["x >= 3"]
    assert questions(x, binning="none", scheme="binary") == ["x in {3.5, 9.5}", "x in {2.5, 9.5}"]
    assert questions(x, scheme="thresholds") == ["x <= 2", "x <= 3", "x <= 6.5"]
    assert questions(column([1, 2, 3]), bin=["x"], bins=2) == ["x >= 2"]
    assert questions(column([1, 2, 3])) == ["x = 1", "x = 2", "x = 3"]


def test_negations() -> None:
    binarisation = Binarisation.fit(column([1.5, 2.5, 3.5, 9.5], "pq"), bins=4)
    assert [binarisation.negation(r) for r in range(3)] == ["x >= 3.5", "x < 3.5 or x >= 5.5", "x < 7.5"]
    binarisation = Binarisation.fit(column(list("abcd")), scheme="binary")
    assert binarisation.negation(0) == "x not in {c, d}"
    gaps = Binarisation.fit(fill(column([1.5, 2.5, None], "pq"), "category"), scheme="thresholds")
    assert [gaps.question(r) for r in range(2)] == ["x <= 2", "x = missing"]
    assert [gaps.negation(r) for r in range(2)] == ["x > 2 or x = missing", "x is a number"]


def test_unseen_cells_are_counted() -> None:
    table = table_of([(0.5, 1, "u"), (8.5, 2, "v"), (8.0, 3, "w")], "pq")
    binarisation = Binarisation.fit(table)
    X, unseen = binarisation.apply(table_of([(99.0, 7, "z"), (4.0, 1, "u"), (None, 3, None)]))
    assert unseen == {"n": 2, "i": 1, "t": 2}  # 4.0 is in a bin without training rows
    assert X.tolist() == [[1, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0, 0]]


def test_numbers_match_as_numbers() -> None:
    binarisation = Binarisation.fit(column([1, 2, 3]))
    X, unseen = binarisation.apply(from_arrays(np.array([["2.0"], ["+3"], ["x"]]), None, ["x"]))
    assert X.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert unseen == {"x": 1}


def test_ordinal_orders_ranks() -> None:
    sizes = column(["S", "L", "M", "S"])
    assert questions(sizes, scheme="binary", ordinal=["x=S<M<L<XL"]) == ["x = L", "x = M"]
    assert questions(column(["L", "S"]), ordinal=["x=S<L"]) == ["x = L"]
    with_gap = fill(column(["S", "L", "M", None]), "category")
    assert questions(with_gap, scheme="binary", ordinal=["x=S<M<L"]) == [
        "x in {L, missing}",
        "x in {M, missing}",
    ]
    levels = Binarisation.fit(column([10, 20, 30]), scheme="binary", ordinal=["x=30<10<20"])
    assert levels.question(0) == "x = 20"
    assert levels.apply(from_arrays([[20.0]], None, ["x"]))[0].tolist() == [[1, 0]]
    assert questions(column([10, 20, 30]), scheme="binary", ordinal=["x=30.0<10<20"]) == ["x = 20", "x = 10"]


def test_constant_columns_need_not_be_there_later() -> None:
    binarisation = Binarisation.fit(table_of([(1.0, 1, "u"), (1.0, 2, "u")], "p"))
    assert binarisation.apply(from_arrays([[2]], None, ["i"]))[0].tolist() == [[1]]
    with pytest.raises(DataError, match="arrays: no column 'i', which the instance tests"):
        binarisation.apply(from_arrays([[2]], None, ["n"]))


# --- warnings and errors -------------------------------------------------------------------------


def test_wide_and_unique_columns_are_named_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "wcnfgen")
    rows: list[Row] = [(i / 7, i % 80, f"t{i}") for i in range(160)]
    Binarisation.fit(table_of(rows, "pq"))
    assert caplog.messages == [
        "column i is wide: 80 binary columns; leave it out with --drop i or cut it with --bin i",
        "column t differs in every row: 160 binary columns; leave it out with --drop t",
    ]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"scheme": "one"}, "--binarise one: choose one of onehot, onehot-full, binary, thresholds"),
        ({"binning": "kmeans"}, "--binning kmeans: choose one of uniform, quantile, none"),
        ({"uniform_rule": "new"}, "--uniform-rule new"),
        ({"bins": 1}, "--bins 1: from 2 to 10000"),
        (
            {"bin": ["ii"]},
            "--bin ii: no such feature column; did|--bin ii: no such feature column; the columns",
        ),
        ({"bin": ["t"]}, "--bin t: not all of its values are numbers"),
        ({"ordinal": ["t"]}, "--ordinal t: write it as"),
        ({"ordinal": ["t=u"]}, "--ordinal t=u: write it as"),
        ({"ordinal": ["t=u<u"]}, "--ordinal t=u<u: write it as"),
        ({"ordinal": ["q=u<v"]}, "--ordinal q: no such feature column"),
        ({"ordinal": ["t=u<w"]}, "--ordinal t: 'v' has no place in the order"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Binarisation.fit(table_of([(1.0, 1, "u"), (2.0, 2, "v")], "p"), **options)


def test_all_columns_constant() -> None:
    with pytest.raises(DataError, match="arrays: every column is constant"):
        Binarisation.fit(table_of([(1.0, 1, "u"), (1.0, 1, "u")], "pq"))


def test_missing_cells_must_be_filled_first() -> None:
    with pytest.raises(DataError, match="missing cells: t 1; choose --missing"):
        Binarisation.fit(table_of([(1.0, 1, None), (2.0, 2, "v")], "p"))


@pytest.mark.parametrize(
    "json",
    [
        None,
        {},
        {"scheme": "new", "features": []},
        {"scheme": "onehot", "features": 3},
        {"scheme": "onehot", "features": [{"name": "x"}]},
        {"scheme": "onehot", "features": [{"name": "x", "bins": ["a"]}]},
        {"scheme": "onehot", "features": [{"name": "x", "text": ["a", "b"], "used": [0, 5]}]},
    ],
)
def test_malformed_json(json: Any) -> None:
    with pytest.raises(FormatError, match="map of columns is malformed"):
        Binarisation.from_json(json)
