"""The sizes that the papers print, from the raw files: Alòs et al. Table 4, Narodytska et al. Tables 4-6."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from wcnfgen.binarise import Binarisation, Scheme
from wcnfgen.data import DEFAULT_NA, read
from wcnfgen.missing import fill
from wcnfgen.rows import present, resolve

DATA = Path(__file__).parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs the data sets in ../shared/data")


def published(name: str) -> list[dict[str, str]]:
    path = DATA / name
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) if path.exists() else []


def names(rows: list[dict[str, str]]) -> list[str]:
    return [row["name"] for row in rows]


TABLE_4 = published("expected_mpdt_table4.csv")
NARODYTSKA = published("expected_narodytska.csv")


def mpdt_sizes(row: dict[str, str], scheme: Scheme) -> tuple[int, int, int]:
    """Columns (class included), labels and rows under the paper's recipe."""
    token, _, value = row["replace"].partition("=")
    table = read(
        DATA / row["file"],
        drop=row["drop_columns"].split(),
        na=(token,) if token else DEFAULT_NA,
    )
    table = fill(table, f"value={value}" if value else "error")
    # only the old rule leaves all 150 rows of iris; the other 18 sets are the same under both
    binarisation = Binarisation.fit(table, scheme=scheme, uniform_rule="sklearn-1.0")
    X, unseen = binarisation.apply(table)
    assert unseen == {}
    keep = resolve(X, table.target.codes).keep
    _, labels = present(table.target.codes[keep], table.target.values)
    return X.shape[1] + 1, len(labels), int(keep.sum())


def test_all_rows_of_the_table_are_here() -> None:
    assert len(TABLE_4) == 19


@pytest.mark.parametrize("row", TABLE_4, ids=names(TABLE_4))
def test_mpdt_table_4(row: dict[str, str]) -> None:
    columns, labels, rows = mpdt_sizes(row, "binary")
    test = math.ceil(0.2 * rows)
    select = math.ceil(0.2 * (rows - test))
    assert {
        "columns_binary": columns,
        "columns_ohe": mpdt_sizes(row, "onehot")[0],
        "labels": labels,
        "rows": rows,
        "train": rows - test - select,
        "select": select,
        "test": test,
    } == {key: int(row[key]) for key in list(row)[4:]}


@pytest.mark.parametrize("rule, rows", [("sklearn-1.0", 150), ("sklearn-1.1", 149)])
def test_iris_depends_on_the_rule(rule: str, rows: int) -> None:
    table = read(DATA / "pmlb/iris.csv")
    X, _ = Binarisation.fit(table, uniform_rule=rule).apply(table)  # type: ignore[arg-type]
    assert resolve(X, table.target.codes).keep.sum() == rows


def onehot_sizes(file: str, policy: str = "category") -> tuple[int, int]:
    table = fill(read(DATA / file), policy)
    return table.rows, len(Binarisation.fit(table, binning="none").tests)


@pytest.mark.parametrize("row", NARODYTSKA, ids=names(NARODYTSKA))
def test_narodytska_table_4_binarised_files(row: dict[str, str]) -> None:
    assert onehot_sizes(row["file"]) == (int(row["rows"]), int(row["features"]))


RAW = {
    "pmlb/appendicitis.csv": (106, 530),
    "pmlb/australian.csv": (690, 1163),
    "pmlb/backache.csv": (180, 475),
    "pmlb/car.csv": (1728, 21),
    "pmlb/cleve.csv": (303, 395),
    "pmlb/colic.csv": (368, 415),
    "pmlb/corral.csv": (160, 6),
    "pmlb/haberman.csv": (306, 92),
    "pmlb/heart-statlog.csv": (270, 381),
    "pmlb/hepatitis.csv": (155, 361),
    "pmlb/hungarian.csv": (294, 330),
    "pmlb/irish.csv": (500, 112),
    "pmlb/mux6.csv": (128, 6),
    "pmlb/new-thyroid.csv": (215, 334),
    "pmlb/promoters.csv": (106, 334),
    "pmlb/shuttle-test.csv": (14500, 691),
    "pmlb/spect.csv": (267, 22),
    "uci/car.csv": (1728, 21),
    "uci/mouse.csv": (70, 45),
    "uci/weather.csv": (14, 8),
}


@pytest.mark.parametrize("file", RAW)
def test_narodytska_tables_4_to_6_from_raw_files(file: str) -> None:
    assert onehot_sizes(file) == RAW[file]


def test_narodytska_sets_with_missing_cells() -> None:
    assert onehot_sizes("uci/breast-w.csv", "drop-rows") == (683, 89)  # Cancer
    assert onehot_sizes("uci/vote.csv", "value=n") == (435, 16)  # HouseVotes


@pytest.mark.parametrize("name, columns", [("kr-vs-kp", 73), ("tic-tac-toe", 27), ("vote", 48)])
def test_cp4im_onehot_full(name: str, columns: int) -> None:
    table = fill(read(DATA / f"uci/{name}.csv"), "category")
    X, _ = Binarisation.fit(table, scheme="onehot-full").apply(table)
    binarised, _ = Binarisation.fit(theirs := read(DATA / f"cp4im/{name}.csv")).apply(theirs)
    assert X.shape == (table.rows, columns)
    assert len(theirs.features) == columns
    assert {column.tobytes() for column in X.T} == {column.tobytes() for column in binarised.T}
