"""The table of the papers' data sets against the files, and how a file is found."""

from __future__ import annotations

import functools
import gzip
import hashlib
import io
import logging
import lzma
from pathlib import Path

import pytest

from wcnfgen.data import Table, read
from wcnfgen.errors import UsageError
from wcnfgen.instances import datasets, rules

MONKS = "monks-1-all"  # a rule writes it


@functools.cache
def table(path: Path) -> Table:
    """The file, read once."""
    return read(str(path))


def bytes_of_rule(name: str) -> bytes:
    out = io.StringIO()
    rules.write_csv(out, rules.generate(name))
    return out.getvalue().encode()


@pytest.fixture
def monks() -> bytes:
    """A data set at hand without the data folder."""
    return bytes_of_rule("monks-1")


@pytest.mark.parametrize("name", datasets.names())
class TestEverySet:
    def test_the_file_is_what_the_table_says(self, name: str, shared: Path) -> None:
        wanted = datasets.get(name)
        path = datasets.locate(name, [shared / "data"])
        assert path is not None
        real = table(path)
        assert real.sha256 == wanted.sha256
        found = (real.rows, len(real.features), len(real.target.values))
        assert found == (wanted.rows, wanted.features, wanted.classes)
        assert path.relative_to(shared / "data").as_posix().removesuffix(".gz") == wanted.file

    def test_no_option_is_idle(self, name: str, shared: Path) -> None:
        """Each drops a column that there is, or is about missing cells that there are."""
        wanted = datasets.get(name)
        path = datasets.locate(name, [shared / "data"])
        assert path is not None
        assert set(wanted.options.get("drop", ())) <= {column.name for column in table(path).features}
        assert bool(wanted.options.get("missing")) == bool(table(path).missing)

    def test_licence_and_address_are_given(self, name: str) -> None:
        wanted = datasets.get(name)
        assert wanted.licence
        assert wanted.url.startswith("https://")
        assert " " not in wanted.url
        assert wanted.used
        assert wanted.cite

    def test_a_rule_that_stands_in_writes_the_very_bytes(self, name: str) -> None:
        wanted = datasets.get(name)
        if wanted.rule:
            assert hashlib.sha256(bytes_of_rule(wanted.rule)).hexdigest() == wanted.sha256


def test_where_a_rule_writes_the_bytes_it_stands_in() -> None:
    """No rule that could is forgotten."""
    known = {datasets.get(name).sha256: name for name in datasets.names()}
    for rule in ("weather", "lenses", "balance-scale", "car", "tic-tac-toe", "monks-1", "monks-2", "monks-3"):
        name = known[hashlib.sha256(bytes_of_rule(rule)).hexdigest()]
        assert datasets.get(name).rule == rule


@pytest.mark.parametrize("place", ["uci/monks-1-test.csv", "monks-1-test.csv"])
@pytest.mark.parametrize("packing", ["", ".gz", ".xz"])
def test_found_at_its_place_or_under_its_name_packed_or_not(
    place: str, packing: str, monks: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / f"{place}{packing}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes({"": monks, ".gz": gzip.compress(monks), ".xz": lzma.compress(monks)}[packing])
    assert datasets.locate(MONKS, [tmp_path / "nowhere", tmp_path]) == path
    assert not caplog.records


def test_not_found(tmp_path: Path) -> None:
    assert datasets.locate(MONKS, [tmp_path]) is None
    assert datasets.locate(MONKS, []) is None
    line = datasets.missing_line(MONKS)
    assert line.startswith("monks-1-all: no file uci/monks-1-test.csv; published at https://archive.ics")
    assert "\n" not in line


def test_the_right_file_comes_before_one_that_is_like_it(
    monks: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, text in ((first, monks.replace(b"\n", b"\r\n")), (second, monks)):
        folder.mkdir()
        (folder / "monks-1-test.csv").write_bytes(text)
    assert datasets.locate(MONKS, [first, second]) == second / "monks-1-test.csv"
    assert not caplog.records


def test_a_file_with_other_bytes_but_the_same_shape_is_taken_with_one_warning(
    monks: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "monks-1-test.csv"
    path.write_bytes(monks.replace(b"\n", b"\r\n"))
    with caplog.at_level(logging.WARNING):
        assert datasets.locate(MONKS, [tmp_path]) == path
        assert datasets.locate(MONKS, [tmp_path]) == path
    (record,) = caplog.records
    assert "has other bytes than the data set monks-1-all" in record.getMessage()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a,class\n1,0\n2,1\n", "it has 2 rows, 1 features and 2 classes, not 432, 6 and 2"),
        (b"a,b,c,d,e,f,class\n" + b"1,2,3,4,5,6,x\n1,2,3,4,5,7,y\n1,2,3,4,5,7,z\n" * 144, "and 3 classes"),
        (b"a,b,c,d,e,class\n" + b"1,2,3,4,5,x\n1,2,3,4,5,y\n" * 216, "5 features"),
        (b"", "is not the data set monks-1-all"),
    ],
)
def test_another_data_set_of_that_name_is_not_taken(
    text: bytes, message: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "monks-1-test.csv").write_bytes(text)
    with caplog.at_level(logging.WARNING):
        assert datasets.locate(MONKS, [tmp_path]) is None
    assert message in caplog.text


def test_a_file_that_changes_is_looked_at_again(monks: bytes, tmp_path: Path) -> None:
    path = tmp_path / "monks-1-test.csv"
    path.write_bytes(b"a,class\n1,0\n2,1\n")
    assert datasets.locate(MONKS, [tmp_path]) is None
    path.write_bytes(monks)
    assert datasets.locate(MONKS, [tmp_path]) == path


def test_an_unknown_name_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="'mushrom'; did you mean mushroom"):
        datasets.get("mushrom")
    with pytest.raises(UsageError, match="there are: append, audio"):
        datasets.locate("qqqq", [])


def test_names_are_fit_for_file_names_and_each_is_there_once() -> None:
    names = datasets.names()
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and " " not in name for name in names)
    lines = (Path(datasets.__file__).parent / "data" / "datasets.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == names
