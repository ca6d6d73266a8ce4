"""Reading: what is written comes back, and whatever could be misread is refused in one line."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import logging
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.data import DEFAULT_NA, Table, from_arrays, from_frame, read
from wcnfgen.errors import DataError, UsageError

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def writer(content: str | bytes, name: str = "d.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


def cells(table: Table) -> dict[str, list[str | None]]:
    return {column.name: column.cells() for column in (*table.features, table.target)}


# --- laws ----------------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
WORDS = st.sampled_from(["a", "b", "red", "x1", "7", "-2", "0.5", "1e3", "?", "", "NA"])


@st.composite
def files(draw: st.DrawFn, content: st.SearchStrategy[str]) -> tuple[list[list[str]], str, bytes]:
    """Rows with a header, the delimiter, and the bytes of a file that holds them."""
    width = draw(st.integers(2, 4))
    row = st.lists(content, min_size=width, max_size=width).filter(any)
    body = draw(st.lists(row, min_size=1, max_size=6).filter(lambda rows: any("".join(rows[-1]).strip())))
    rows = [[f"c{i}" for i in range(width)], *body]
    delimiter = draw(st.sampled_from(",;\t| "))
    ends = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    out = io.StringIO(newline="")
    # between blanks an empty cell needs its quotes; csv.writer quotes no line end but its own
    bare = delimiter != " " and not set("\r\n") & set("".join(map("".join, rows)))
    if bare and draw(st.booleans()):
        csv.writer(out, delimiter=delimiter, lineterminator=ends).writerows(rows)
    else:
        csv.writer(out, delimiter=delimiter, lineterminator=ends, quoting=csv.QUOTE_ALL).writerows(rows)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return rows, delimiter, (mark + out.getvalue() + draw(st.sampled_from(["", ends]))).encode()


def expected(rows: list[list[str]]) -> list[list[str | None]]:
    """Columns of present texts, with blanks cut."""
    stripped = ([cell.strip() for cell in column] for column in zip(*rows[1:], strict=True))
    return [[None if cell in DEFAULT_NA else cell for cell in column] for column in stripped]


def same(found: list[str | None], wanted: list[str | None]) -> bool:
    """Equal as texts, or as numbers (of two spellings one is kept)."""

    def equal(a: str | None, b: str | None) -> bool:
        return a == b or (a is not None and b is not None and float(a) == float(b))

    return all(map(equal, found, wanted))


@given(files(TEXT))
def test_any_text_comes_back_under_its_delimiter(
    tmp_path_factory: pytest.TempPathFactory, file: tuple[list[list[str]], str, bytes]
) -> None:
    rows, delimiter, raw = file
    path = tmp_path_factory.mktemp("d") / "d.csv"
    path.write_bytes(raw)
    table = read(path, delimiter=delimiter)
    found = list(cells(table).values())
    assert all(map(same, found, expected(rows)))
    assert table.sha256 == hashlib.sha256(raw).hexdigest()


@given(files(WORDS))
def test_the_delimiter_is_found_out(
    tmp_path_factory: pytest.TempPathFactory, file: tuple[list[list[str]], str, bytes]
) -> None:
    rows, _, raw = file
    path = tmp_path_factory.mktemp("d") / "d.csv.gz"
    path.write_bytes(gzip.compress(raw))
    assert all(map(same, cells(read(path)).values(), expected(rows)))


@given(st.lists(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_codes_are_numeric_ranks(numbers: list[float]) -> None:
    column = from_arrays(np.array([numbers], object).T, ["a"] * len(numbers)).features[0]
    order = sorted(set(numbers))
    assert column.codes.tolist() == [order.index(x) for x in numbers]


# --- formats and options -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["d.csv.gz", "d.csv.xz", "d.gz", "d.csv", "d.xz"])
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compression_by_content_whatever_the_name(
    write: Write, name: str, compress: Callable[[bytes], bytes]
) -> None:
    raw = b"a,class\n1,x\n2,y\n"
    table = read(write(compress(raw), name))
    assert table.name == "d"
    assert table.sha256 == hashlib.sha256(raw).hexdigest()
    assert cells(table) == {"a": ["1", "2"], "class": ["x", "y"]}


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    table = read("-")
    assert (table.name, table.rows, table.target.name) == ("stdin", 1, "b")


@pytest.mark.parametrize(
    "text, kind, values",
    [
        ("2 10 1", "integer", ("1", "2", "10")),
        ("36.0 36 7", "float", ("7", "36")),
        ("+1 01 1", "integer", ("1",)),
        (".5 1e-3 -2.", "float", ("-2.", "1e-3", ".5")),
        ("1_000 2 3", "category", ("1_000", "2", "3")),
        ("0x10 2 3", "category", ("0x10", "2", "3")),
        ("10 9 b", "category", ("10", "9", "b")),
        ("inf b c", "category", ("b", "c", "inf")),
        ("? NA nan", "category", ()),
        ("9007199254740993 9007199254740992 ?", "integer", ("9007199254740992", "9007199254740993")),
    ],
)
def test_kinds_and_order_of_values(write: Write, text: str, kind: str, values: tuple[str, ...]) -> None:
    column = read(write("a,class\n" + "".join(f"{cell},x\n" for cell in text.split()))).features[0]
    assert (column.kind, column.values) == (kind, values)


def test_target_and_drop(write: Write) -> None:
    path = write("id,class,b\n1,x,0\n2,y,1\n")
    assert read(path).target.name == "class"
    assert read(path, target="b", drop=["id"]).target.name == "b"
    assert [column.name for column in read(path, drop=["id"]).features] == ["b"]


def test_without_target_all_columns_are_features(write: Write) -> None:
    table = read(write("a,class\n1,x\n2,y\n"), target="")
    assert [column.name for column in table.features] == ["a", "class"]
    assert table.target.codes.tolist() == [-1, -1]
    assert table.missing == {}
    assert read(write("a\n1\n"), target="").rows == 1


def test_tokens_for_missing_cells(write: Write) -> None:
    path = write("a,class\n?,x\n-9,y\n-9.0,x\n")
    assert read(path, na=("-9",)).features[0].cells() == ["?", None, "-9.0"]


def test_blank_lines_at_the_end_do_not_count(write: Write) -> None:
    assert read(write("a,class\n1,x\n\n  \n\n")).rows == 1


@pytest.mark.parametrize(
    "delimiter, sign", [("tab", "\t"), (r"\t", "\t"), ("\t", "\t"), ("space", " "), ("#", "#")]
)
def test_names_of_delimiters(write: Write, delimiter: str, sign: str) -> None:
    assert read(write(f"a{sign}class\n1,5{sign}x\n"), delimiter=delimiter).features[0].values == ("1,5",)


def test_a_decimal_comma_does_not_fool_the_delimiter(write: Write) -> None:
    assert read(write("a;b\n1,5;2,5\n")).features[0].values == ("1,5",)


def test_a_long_file_is_judged_by_its_first_lines(write: Write) -> None:
    assert read(write("a;b\n" + f"{'x' * 30_000};y\n" * 9)).rows == 9


def test_take_forgets_values(write: Write) -> None:
    table = read(write("a,class\n1,x\n2,y\n?,y\n")).take(np.array([False, True, True]))
    assert cells(table) == {"a": ["2", None], "class": ["y", "y"]}
    assert (table.features[0].values, table.target.values) == (("2",), ("y",))


# --- the library's ways in -----------------------------------------------------------------------


def test_frames_read_as_files_do(write: Write) -> None:
    path = write("a,b,class\n1,u,x\n2,,y\n3,v,x\n")
    assert cells(from_frame(pd.read_csv(path))) == cells(read(path))


def test_frames_of_other_types() -> None:
    frame = pd.DataFrame({"a": [1.5, None], "b": pd.Categorical(["u", None]), "c": [True, False]})
    assert cells(from_frame(frame)) == {"a": ["1.5", None], "b": ["u", None], "c": ["True", "False"]}


def test_arrays() -> None:
    table = from_arrays(np.array([[1.0, np.nan], [0.5, 2.0]]), ["p", "q"], ["u", "v"])
    assert cells(table) == {"u": ["1.0", "0.5"], "v": [None, "2.0"], "class": ["p", "q"]}
    assert from_arrays([[0, 1]]).target.name == ""


@pytest.mark.parametrize(
    "X, y, names",
    [([1, 2], None, None), ([[1]], [1, 2], None), ([[1]], None, ["a", "b"]), (np.empty((0, 2)), None, None)],
)
def test_arrays_that_do_not_fit(X: object, y: object, names: list[str] | None) -> None:
    with pytest.raises(DataError):
        from_arrays(X, y, names)


def test_frames_with_equal_names() -> None:
    with pytest.raises(DataError, match="same name"):
        from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


# --- bad input -----------------------------------------------------------------------------------

BAD = {
    "empty": (b"", "d.csv: the file is empty"),
    "blank": (b"\n\n", "d.csv: the file is empty"),
    "header only": (b"a,class\n", "d.csv: a header but no rows"),
    "one column": (b"class\n1\n", "d.csv: no column is left beside the class"),
    "two names": (b"a,b,a\n1,2,3\n", "d.csv:1: two columns are called 'a'"),
    "short row": (b"a,b\n1,2\n3\n4,5\n", "d.csv:3: 1 cells where the header has 2"),
    "long row": (b'a,b\n"1\n",2\n3,4,5\n', "d.csv:4: 3 cells where the header has 2"),
    "ragged tab": (b"a\tb\n1\t2\n3\n", "d.csv:3: 1 cells where the header has 2"),
    "short row after a blank line": (b"\na,b\n\n3\n", "d.csv:4: 1 cells where the header has 2"),
    "latin-1": (b"a,b\n1,2\ncaf\xe9,4\n", "d.csv:3: byte 0xE9 at offset 11 is not UTF-8"),
    "latin-1 after mark": (b"\xef\xbb\xbfa,b\r\n1,\xff\r\n", "d.csv:2: byte 0xFF at offset 10 is not UTF-8"),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), "d.csv:1: byte 0xFF at offset 0 is not UTF-8"),
    "nul": (b"a,b\n1,\0\n", "d.csv:2: NUL byte at offset 6"),
    "open quotation": (b'a,b\n1,2\n3,"4\n5,6\n', "d.csv:3: unexpected end of data"),
    "broken quotation": (b'a,b\n1,2\n3,"4"x\n', "d.csv:3: ',' expected after '\"'"),
    "endless quotation": (b'a,b\n1,"' + b"x\n" * 99_999, "d.csv:2: field larger than field limit"),
    "infinity": (b"a,class\n1.5,x\n-Infinity,y\n", "d.csv:3: a is -Infinity, no finite number"),
    "overflow": (b"a,class\n1.5,x\n1e999,y\n", "d.csv:3: a is 1e999, no finite number"),
}


@pytest.mark.parametrize("raw, message", BAD.values(), ids=BAD)
def test_bad_files(write: Write, raw: bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(write(raw))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "; " in str(caught.value) or "?" in str(caught.value)  # the next step


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: No such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(DataError, match="Is a directory; name one file in it"):
        read(tmp_path)


@pytest.mark.parametrize("name, raw", [("d.gz", b"a,b\n1,2\n"), ("d.xz", b"a,b\n1,2\n")])
def test_not_compressed(write: Write, name: str, raw: bytes) -> None:
    with pytest.raises(DataError, match="not a whole compressed file"):
        read(write(raw, name))


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_cut_off_archives(write: Write, compress: Callable[[bytes], bytes]) -> None:
    with pytest.raises(DataError, match="not a whole compressed file"):
        read(write(compress(b"a,b\n1,2\n" * 99)[:-9]))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"target": "clas"}, "--target clas: .* did you mean 'class'"),
        ({"drop": ["size", "colour"]}, "--drop colour: .* the columns are size, age, class"),
        ({"drop": ["class"]}, "--drop class: this is the class column"),
        ({"delimiter": "ab"}, "--delimiter 'ab': give one character"),
        ({"delimiter": '"'}, "give one character"),
    ],
)
def test_bad_options(write: Write, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(write("size,age,class\n1,2,x\n"), **options)


def test_all_features_dropped(write: Write) -> None:
    with pytest.raises(DataError, match="no column is left"):
        read(write("a,class\n1,x\n"), drop=["a"])


def test_what_spreadsheets_and_pandas_write(tmp_path: Path) -> None:
    """An index gets a name, a comma at the ends of lines is no column, blank lines are no rows."""
    path = tmp_path / "d.csv"
    path.write_text(",a,class\n\n0,1,x\n\n1,2,y\n")
    table = read(path)
    assert [column.name for column in table.features] == ["column1", "a"]
    assert table.rows == 2
    path.write_text("a,class,\n1,x,\n2,y,\n")
    assert [column.name for column in read(path).features] == ["a"]


def test_a_column_that_is_nearly_called_class_is_mentioned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "d.csv").write_text("Class,a\nx,1\ny,2\n")
    with caplog.at_level("INFO", "wcnfgen"):
        logging.getLogger("wcnfgen").propagate = True
        assert read(tmp_path / "d.csv").target.name == "a"
    assert "is taken as the class, not Class" in caplog.text
