"""The header explains the file, and the map in it decodes it, whatever the names are."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from tests import oracle
from wcnfgen import map as maps
from wcnfgen import reader
from wcnfgen.data import from_arrays
from wcnfgen.errors import FormatError
from wcnfgen.instance import Instance
from wcnfgen.map import pack, unpack
from wcnfgen.rows import Problem

STRIPPED = ("MaxSat instance", "Standarized MaxSat Instance", "{", "-----------")


def written(instance: Instance, format: str = "wcnf") -> bytes:
    out = io.BytesIO()
    instance.write(out, format)  # type: ignore[arg-type]
    return out.getvalue()


def sample(names: list[str], classes: list[str], **options: Any) -> Instance:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return wcnfgen.encode(from_arrays(X, [classes[0]] * 3 + [classes[1]], names, target="t"), **options)


def test_header_says_what_it_must() -> None:
    header = written(sample(["a", "b"], ["no", "yes"], ub=7)).decode("ascii").split("c map ")[0]
    for piece in (
        f"c wcnfgen {wcnfgen.__version__}",
        "c command: wcnfgen encode arrays --ub 7",
        "sha256 ",
        "4 read, 4 used, 4 distinct",
        "classes: 2",
        "c encoding: size",
        "ub 7, lb 5, form core, counters True",
        "c cost: size = 2*cost + 3",
        "greedy tree of 5 nodes",
        "c counts: ",
    ):
        assert piece in header, piece


@pytest.mark.parametrize("format", ["wcnf", "wcnf-old", "cnf"])
def test_counts_in_the_header_are_those_of_the_file(format: str) -> None:
    raw = written(sample(["a", "b"], ["no", "yes"], ub=7), format)
    whole = reader.read(io.BytesIO(raw))
    (line,) = [line for line in whole.comments if line.startswith("counts: ")]
    softs = list(whole.soft())
    assert f"{whole.variables} variables, {len(list(whole.hard()))} hard clauses" in line
    assert format == "cnf" or f"{len(softs)} soft clauses" in line


def test_no_comment_is_one_that_the_normaliser_strips() -> None:
    """MaxSAT Evaluation: blocks that begin with these words are dropped."""
    evil = ["MaxSat instance", "Standarized MaxSat Instance\nh 1 0"]
    for line in written(sample(evil, ["c{", "c-----------"])).decode("ascii").splitlines():
        if line.startswith("c"):
            assert not line[1:].strip().startswith(STRIPPED)


ugly = st.text(min_size=1, max_size=40).map(lambda text: "x" + text + "x")  # no number, not "t"


@given(
    st.lists(ugly, min_size=2, max_size=2, unique=True), st.lists(ugly, min_size=2, max_size=2, unique=True)
)
def test_any_name_survives(names: list[str], classes: list[str]) -> None:
    """Line ends, quotes, a thousand characters, other scripts: one line each, ASCII, and back."""
    instance = sample(names, classes)
    raw = written(instance)
    assert raw.isascii()
    assert all(line[:2] in (b"c ", b"h ") or line[0] in b"123456789" for line in raw.splitlines())
    found = maps.from_comments(reader.read(io.BytesIO(raw)).comments, "x")
    assert found.fitted == instance.prepared.fitted


def test_a_very_long_name() -> None:
    instance = sample(["x" * 5000, "y \\ \" ' é 木"], ["no", "yes"])
    lines = written(instance).splitlines()
    assert max(map(len, lines)) < 2000
    found = maps.from_comments(reader.read(io.BytesIO(b"\n".join(lines))).comments, "x")
    assert found.fitted == instance.prepared.fitted


def test_map_holds_the_rows_and_the_witness() -> None:
    instance = sample(["a", "b"], ["no", "yes"])
    found = maps.from_comments(list(instance.comments()), "x")
    problem = found.encoding.problem
    assert found.has_rows
    for name in ("X", "y", "w"):
        assert np.array_equal(getattr(problem, name), getattr(instance.prepared.problem, name))
    assert found.witness == instance.witness
    assert found.encoding.options == instance.encoding.options


def test_rows_are_left_out_on_request_and_where_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sample(["a", "b"], ["no", "yes"], embed_rows=False).map["rows"] is None
    monkeypatch.setattr(maps, "EMBED_UP_TO", 10)
    assert sample(["a", "b"], ["no", "yes"]).map["rows"] is None
    assert sample(["a", "b"], ["no", "yes"], embed_rows=True).map["rows"] is not None


def test_a_model_decodes_without_the_rows() -> None:
    instance = sample(["a", "b"], ["no", "yes"], embed_rows=False)
    found = maps.from_comments(list(instance.comments()), "x")
    for tree in oracle.all_trees(instance.encoding.problem):
        if instance.encoding.allows(tree):
            assert found.encoding.tree(instance.encoding.model(tree)) == tree


@given(st.integers(1, 40), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_packed_rows_unpack(rows: int, columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, columns), dtype=np.uint8)
    problem = Problem(X, rng.integers(0, 9, rows).astype(np.int32), rng.integers(1, 2**40, rows), 9)
    again = unpack(pack(problem), rows, columns, 9)
    for name in ("X", "y", "w"):
        assert np.array_equal(getattr(problem, name), getattr(again, name))


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-10],
        lambda text: text.replace('"version":2', '"version":99'),
        lambda text: text.replace('"size"', '"nonsense"'),
        lambda text: text.replace('"variables":', '"variables":1'),
        lambda text: text.replace('"rows":{"X":"', '"rows":{"X":"!!'),
        lambda text: "[1, 2]",
    ],
)
def test_a_damaged_map_is_refused(damage) -> None:  # type: ignore[no-untyped-def]
    text = "".join(
        line[4:] for line in sample(["a", "b"], ["no", "yes"]).comments() if line.startswith("map ")
    )
    with pytest.raises((FormatError, wcnfgen.errors.UsageError)):
        maps.from_text(damage(text), "x")


def test_map_file_is_the_map(tmp_path: Path) -> None:
    instance = sample(["a", "b"], ["no", "yes"], map=str(tmp_path / "m.json"))
    assert json.loads((tmp_path / "m.json").read_text()) == json.loads(json.dumps(instance.map))


def test_the_same_input_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.csv").write_text("a,b,class\n0,0,x\n0,1,y\n1,0,y\n")
        wcnfgen.encode(str(tmp_path / folder / "d.csv"), output=str(tmp_path / folder / "d.wcnf.xz"))
    assert (tmp_path / "one" / "d.wcnf.xz").read_bytes() == (tmp_path / "two" / "d.wcnf.xz").read_bytes()


def test_the_command_in_the_header_writes_the_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from shlex import split

    from wcnfgen.cli import main

    monkeypatch.chdir(tmp_path)
    Path("a b.csv").write_text("a,b,id,class\n0,0.25,1,x\n0,1.5,2,y\n1,0,3,y\n,0.5,4,x\n")
    words = [
        "encode",
        "a b.csv",
        "--drop",
        "id",
        "--missing",
        "category",
        "--bins",
        "3",
        "--no-reduce",
        "--ub",
        "7",
    ]
    assert main([*words, "-o", "one.wcnf"]) == 0
    (line,) = [each for each in Path("one.wcnf").read_text().splitlines() if each.startswith("c command: ")]
    assert main([*split(line.removeprefix("c command: wcnfgen ")), "-o", "two.wcnf"]) == 0
    assert Path("one.wcnf").read_bytes() == Path("two.wcnf").read_bytes()
