"""Tables as files: what is written is read again, line by line, and what is damaged is told."""

from __future__ import annotations

import csv
import string
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import campaigns
from wcnfgen.campaign import instances, results, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.errors import FormatError

texts = st.text(max_size=20)
seconds = st.floats(0, 1e5).map(lambda value: float(f"{value:.6g}"))
costs = st.integers(0, 2**70)
traces = st.lists(st.tuples(seconds, costs), max_size=4).map(tuple)


def of(kind: type, **own: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    by_type: dict[str, st.SearchStrategy[object]] = {
        "str": texts,
        "int": costs,
        "float": seconds,
        "bool": st.booleans(),
        "int | None": st.none() | costs,
        "float | None": st.none() | seconds,
    }
    kinds = {name: str(each.type) for name, each in kind.__dataclass_fields__.items()}  # type: ignore[attr-defined]
    return st.builds(kind, **{name: own[name] if name in own else by_type[kinds[name]] for name in kinds})


result_lines = of(
    Result,
    trace=traces,
    findings=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
    notes=st.lists(texts, max_size=2).map(tuple),
)
instance_lines = of(Instance, parameters=st.dictionaries(texts, st.none() | costs | st.booleans() | texts))


@given(lines=st.lists(result_lines, max_size=5))
def test_results_are_read_as_they_were_written(
    lines: list[Result], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("t") / results.FILE
    assert tables.write(lines, Result, path) == len(lines)
    assert list(tables.read(path, Result)) == lines


@given(lines=st.lists(instance_lines, max_size=5))
def test_instances_are_read_as_they_were_written(
    lines: list[Instance], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("t") / instances.FILE
    tables.write(lines, Instance, path)
    assert list(tables.read(path, Instance)) == lines


@dataclass(frozen=True)
class Small:
    name: str
    number: int | None


@given(name=st.text(alphabet=string.printable))
def test_any_text_is_one_cell(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("t") / "x.csv"
    tables.write([Small(name, None)], Small, path)
    assert list(tables.read(path, Small)) == [Small(name, None)]


def test_long_cells_are_read_and_the_limit_of_others_stays(tmp_path: Path) -> None:
    before, path = csv.field_size_limit(), tmp_path / "x.csv"
    tables.write([Small("x" * 2 * before, 1), Small("y", 2)], Small, path)
    lines = tables.read(path, Small)
    assert len(next(lines).name) == 2 * before
    assert csv.field_size_limit() == before, "also in the middle of a file"
    assert next(lines) == Small("y", 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not the columns of this version"),
        ("name\nx\n", "not the columns of this version"),
        ("name,number\nx,1\ny,z\n", "x.csv:3: invalid literal"),
        ("name,number\nx\n", "x.csv:2: zip"),
    ],
)
def test_damage_is_told_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=said):
        list(tables.read(path, Small))


def test_campaigns_that_nobody_has_run_are_the_same_from_the_same_seed(tmp_path: Path) -> None:
    one, two = campaigns.made(tmp_path / "a", number=5), campaigns.made(tmp_path / "b", number=5)
    for name in (results.FILE, instances.FILE):
        assert (one / name).read_bytes() == (two / name).read_bytes()
