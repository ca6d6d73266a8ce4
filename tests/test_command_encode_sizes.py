"""``wcnfgen encode --sizes``: what it says is what the file has."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from wcnfgen import cli
from wcnfgen.commands.encode import encode, sizes_json

WAYS: list[dict[str, Any]] = [
    {},
    {"format": "wcnf-old"},
    {"format": "cnf"},
    {"encoding": "exact", "nodes": 9, "form": "paper"},
    {"encoding": "complete", "depth": 3, "reduce": False},
    {"encoding": "depth", "depth": 2},
]


@pytest.fixture
def weather(tmp_path: Path) -> str:
    path = tmp_path / "weather.csv"
    assert cli.main(["data", "weather", "-o", str(path)]) == 0
    return str(path)


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_sizes_are_those_of_the_file(how: dict[str, Any], weather: str, tmp_path: Path) -> None:
    instance = encode(weather, **how)
    form = how.get("format")
    instance.write(tmp_path / "it", form)
    found = sizes_json(instance, form)
    lines = (tmp_path / "it").read_bytes().splitlines(keepends=True)
    comments = [line for line in lines if line.startswith(b"c ")]
    problem = [line for line in lines if line.startswith(b"p ")]
    clauses = [line.split() for line in lines if line not in comments + problem]
    weighted = (form or instance.encoding.formats[0]) != "cnf"
    literals = [int(each) for clause in clauses for each in clause[weighted:-1]]
    assert found["bytes"] == sum(map(len, lines)) - sum(map(len, comments))
    assert found["comments"] == sum(map(len, comments))
    assert found["hard"] + found["soft"] == len(clauses)
    assert bool(found["soft"]) == (weighted and instance.encoding.formats[0] != "cnf")
    assert (found["literals"], found["variables"]) == (len(literals), max(map(abs, literals)))


def test_what_is_printed_is_the_sizes_and_a_file_is_written_only_with_a_name(
    weather: str, tmp_path: Path
) -> None:
    out = io.StringIO()
    assert cli.main(["encode", weather, "--ub", "11", "--sizes"], out) == 0
    found = json.loads(out.getvalue())
    assert found == json.loads(json.dumps(sizes_json(encode(weather, ub=11))))
    assert found["rows"] == {"read": 14, "used": 14, "distinct": 14} and found["columns"] == 8
    assert (found["options"]["ub"], found["options"]["lb"], found["greedy"]) == (11, 9, None)
    file = tmp_path / "x.wcnf"
    assert cli.main(["encode", weather, "--sizes", "-o", str(file)], io.StringIO()) == 0
    assert file.stat().st_size == (sizes := sizes_json(encode(weather)))["bytes"] + len(
        b"".join(line for line in file.read_bytes().splitlines(keepends=True) if line.startswith(b"c "))
    )
    assert sizes["greedy"] == 13
