"""The five policies for missing cells."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.binarise import Binarisation, Scheme
from wcnfgen.data import Table, from_arrays
from wcnfgen.errors import DataError, UsageError
from wcnfgen.missing import fill

CELL = st.sampled_from([None, 0, 1, 2.5, 7])
WORD = st.sampled_from([None, "u", "v", "w"])
ROWS = st.lists(st.tuples(CELL, WORD, st.sampled_from("xy")), min_size=2, max_size=12)


def table_of(rows: list[tuple[object, object, str]]) -> Table:
    return from_arrays(np.array([row[:2] for row in rows], object), [row[2] for row in rows], ["n", "t"])


TABLE = table_of([(1, "u", "x"), (None, "v", "y"), (1, None, "x"), (2.5, "v", "y")])


def texts(table: Table) -> list[list[str | None]]:
    return [column.cells() for column in table.features]


def test_error_counts_per_column() -> None:
    with pytest.raises(DataError, match="n 1, t 1; choose --missing category, drop-rows, mode or value=X"):
        fill(TABLE)


def test_category_ranks_last_and_leaves_numbers_numbers() -> None:
    filled = fill(TABLE, "category")
    assert texts(filled) == [["1", "missing", "1", "2.5"], ["u", "v", "missing", "v"]]
    assert [column.kind for column in filled.features] == ["float", "category"]
    assert [column.values[-1] for column in filled.features] == ["missing", "missing"]


def test_category_avoids_a_value_of_that_name() -> None:
    table = table_of([(1, "missing", "x"), (1, None, "y")])
    assert texts(fill(table, "category"))[1] == ["missing", "missing?"]


def test_drop_rows_says_how_many(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "wcnfgen")
    assert texts(fill(TABLE, "drop-rows")) == [["1", "2.5"], ["u", "v"]]
    assert caplog.messages == ["arrays: 2 of 4 rows dropped: missing cells"]


@pytest.mark.parametrize("policy", ["error", "category", "drop-rows", "value=9"])
def test_whole_tables_stay_as_they_are(policy: str) -> None:
    whole = table_of([(1, "u", "x"), (2, "v", "y")])
    assert texts(fill(whole, policy)) == texts(whole)


def test_mode() -> None:
    assert texts(fill(TABLE, "mode")) == [["1", "1", "1", "2.5"], ["u", "v", "v", "v"]]


def test_value() -> None:
    assert texts(fill(TABLE, "value=2"))[0] == ["1", "2", "1", "2.5"]
    assert texts(fill(TABLE, "value=1.0"))[0] == ["1", "1", "1", "2.5"]
    assert texts(fill(table_of([(1, None, "x"), (1, "w", "y")]), "value=n"))[1] == ["n", "w"]


def test_a_value_that_is_no_number() -> None:
    with pytest.raises(UsageError, match="--missing value=n: n holds numbers"):
        fill(TABLE, "value=n")


@pytest.mark.parametrize("policy", ["", "median", "value", "mode=3", "drop"])
def test_unknown_policies(policy: str) -> None:
    with pytest.raises(UsageError, match="choose one of"):
        fill(TABLE, policy)


@pytest.mark.parametrize("policy", ["error", "category", "mode", "value=1"])
def test_a_missing_class_is_an_error(policy: str) -> None:
    table = from_arrays([[1], [2]], np.array(["x", None], object))
    with pytest.raises(DataError, match="class"):
        fill(table, policy)
    assert fill(table, "drop-rows").rows == 1


def test_columns_without_any_cell() -> None:
    table = table_of([(1, None, "x"), (2, None, "y")])
    with pytest.raises(DataError, match="column t has missing cells only; --drop t"):
        fill(table, "mode")
    with pytest.raises(DataError, match="every row has a missing cell"):
        fill(table, "drop-rows")
    assert texts(fill(table, "category"))[1] == ["missing", "missing"]


@given(
    ROWS,
    st.sampled_from(["category", "mode", "value=1"]),
    st.sampled_from(["onehot", "binary", "thresholds"]),
)
def test_filling_before_or_when_applied_is_the_same(
    rows: list[tuple[object, object, str]], policy: str, scheme: Scheme
) -> None:
    table = table_of(rows)
    if policy == "value=1" and table.features[1].missing:
        policy = "category"
    try:
        filled = fill(table, policy)
        binarisation = Binarisation.fit(filled, scheme=scheme)
    except DataError as error:
        assert "constant" in str(error) or "missing cells only" in str(error)
        return
    X, unseen = binarisation.apply(filled)
    assert unseen == {}
    assert (binarisation.apply(table)[0] == X).all()
    assert binarisation.apply(table)[1] == {}
