"""``wcnfgen columns``: a data file as 0/1 columns, whose best scikit-learn knows."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.optional import needs
from wcnfgen import cli
from wcnfgen.commands.columns import Columns, columns, present
from wcnfgen.data import Table, from_arrays, read
from wcnfgen.errors import UsageError
from wcnfgen.experiments import there
from wcnfgen.prepare import prepare
from wcnfgen.rows import resolve

FRUIT = 'id,colour,weight,"sold, by",class\n' + "".join(
    f"{number},{colour},{weight},{sold},{label}\n"
    for number, (colour, weight, sold, label) in enumerate(
        [
            ("red", 1.5, "piece", "apple"),
            ("green", 1.5, "piece", "apple"),
            ("green", 2.25, '"bunch, or ""more"""', "grape"),
            ("blue", 2.25, "?", "plum"),
            ("red", 1.5, "piece", "plum"),
        ]
    )
)


@pytest.fixture
def fruit(tmp_path: Path) -> str:
    path = tmp_path / "fruit.csv"
    path.write_text(FRUIT)
    return str(path)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows, width = draw(st.integers(4, 14)), draw(st.integers(1, 4))
    cells = st.lists(st.sampled_from(["a", "b", "c"]), min_size=rows, max_size=rows)
    X = [draw(cells) for _ in range(width)]
    X.append(["a", "b"] * (rows // 2) + ["a"] * (rows % 2))  # one that varies
    y = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=rows, max_size=rows))
    y[:2] = "x", "y"
    return from_arrays(np.array(X).T, np.array(y))


def there_and_back(found: Columns) -> Table:
    rows = list(csv.reader(io.StringIO(found.text())))
    return from_arrays(np.array([row[:-1] for row in rows[1:]]), [row[-1] for row in rows[1:]], rows[0][:-1])


@given(tables(), st.sampled_from(["onehot", "onehot-full", "binary"]))
def test_all_columns_are_those_of_the_formulas_and_rows_stay(table: Table, scheme: Any) -> None:
    found = columns(table, binarise=scheme)
    wanted = prepare(table, binarise=scheme, conflicts="keep", reduce=False).binarisation
    assert found.names == tuple(map(wanted.question, range(len(wanted.tests))))
    assert (wanted.apply(table)[0] == found.X).all()
    back = there_and_back(found)
    assert back.target.cells() == table.target.cells()
    assert np.array([each.cells() for each in back.features]).T.tolist() == found.X.astype(str).tolist()


@given(tables(), st.sampled_from(["majority", "first", "drop"]))
def test_rows_that_differ_in_class_alone_can_be_left_out(table: Table, conflicts: Any) -> None:
    """Those that the same policy drops everywhere; the rest stay in their order."""
    whole = columns(table)
    stay = resolve(whole.X, table.target.codes, conflicts).keep
    if not stay.any():
        return
    found = columns(table, conflicts=conflicts)
    assert found.X.tolist() == whole.X[stay].tolist()
    assert list(found.classes) == np.array(whole.classes)[stay].tolist()


@given(tables(), st.sampled_from(["chi2", "f_classif", "mutual_info"]), st.data())
def test_the_best_are_those_that_score_highest(table: Table, score: Any, data: st.DataObject) -> None:
    """As SelectKBest has them: none of the others scores higher; in their order, cells as they were."""
    needs(there("sklearn"), "scikit-learn")
    whole = columns(table)
    best = data.draw(st.integers(1, len(whole.names)))
    found = columns(table, best=best, score=score)
    places = [whole.names.index(name) for name in found.names]
    assert len(places) == best and places == sorted(places)
    assert (whole.X[:, places] == found.X).all() and found.classes == whole.classes
    scores = _scores(score, whole.X, table.target.codes)
    others = np.delete(scores, places)
    assert not len(others) or scores[places].min() >= others.max()


def _scores(score: str, X: Any, y: Any) -> Any:
    from sklearn import feature_selection

    with np.errstate(all="ignore"):
        if score == "mutual_info":
            return feature_selection.mutual_info_classif(X, y, discrete_features=True)
        return np.nan_to_num(getattr(feature_selection, score)(X, y)[0], nan=-1, posinf=1e300)


def test_columns_are_called_what_they_ask_and_rows_that_conflict_stay(fruit: str) -> None:
    found = columns(fruit, drop=["id"], missing="value=piece", binning="none")
    assert found.text() == (
        'colour = blue,colour = green,colour = red,weight = 2.25,"""sold, by"" = piece",class\n'
        "0,0,1,0,1,apple\n0,1,0,0,1,apple\n0,1,0,1,0,grape\n1,0,0,1,1,plum\n0,0,1,0,1,plum\n"
    )


def test_one_class_against_the_others(fruit: str) -> None:
    found = columns(fruit, drop="id", missing="category", positive="plum")
    assert found.classes == ("not plum", "not plum", "not plum", "plum", "plum")
    assert (found.X == columns(fruit, drop="id", missing="category").X).all()


def test_the_best_for_one_class_are_others_than_for_all(tmp_path: Path) -> None:
    """Which class a row has is settled before columns are scored."""
    needs(there("sklearn"), "scikit-learn")
    path = tmp_path / "three.csv"
    path.write_text("p,q,class\n" + "0,0,x\n" * 5 + "1,0,y\n" * 5 + "1,1,z\n" * 1)

    def best(positive: str | None) -> tuple[str, ...]:
        return columns(str(path), best=1, score="mutual_info", positive=positive).names

    assert best(None) == best("x") == ("p = 1",) and best("z") == ("q = 1",)


def test_rows_with_missing_cells_can_be_dropped(fruit: str) -> None:
    found = columns(fruit, drop=("id",), missing="drop-rows")
    assert found.classes == ("apple", "apple", "grape", "plum")


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_file_is_written_and_read_again(ending: str, fruit: str, tmp_path: Path) -> None:
    target = str(tmp_path / f"binary{ending}")
    words = ["columns", fruit, "--drop", "id", "--missing", "mode", "-o", target]
    out = io.StringIO()
    assert cli.main(words, out) == 0 and not out.getvalue()
    found = columns(fruit, drop=["id"], missing="mode")
    content = Path(target).read_bytes()
    assert (gzip.decompress(content) if ending.endswith(".gz") else content).decode() == found.text()
    assert [each.name for each in read(target).features] == list(found.names)
    assert present(found, out) == 0 and out.getvalue() == found.text()


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b"a,class\nu,1\nv,0\n")

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert columns("-").text() == "a = v,class\n0,1\n1,0\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"best": 0}, "--best 0: there are 7 columns; give a number from 1 to that"),
        ({"best": 8}, "--best 8: there are 7 columns"),
        ({"positive": "plumm"}, "--positive plumm: there is no such class; did you mean 'plum'?"),
        ({"score": "gini"}, "--score gini: choose one of chi2, f_classif, mutual_info"),
        ({"sample": 0.5}, "no option sample here"),
    ],
)
def test_usage_errors(options: dict[str, Any], says: str, fruit: str) -> None:
    with pytest.raises(UsageError) as error:
        columns(fruit, drop=["id"], missing="category", **options)
    assert str(error.value).startswith(says)


def test_the_file_that_is_read_is_not_overwritten(fruit: str) -> None:
    with pytest.raises(UsageError, match="would be overwritten"):
        columns(fruit, missing="category", output=fruit)
    assert Path(fruit).read_text() == FRUIT
