"""Results in the forms that other programs take."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns import RESULT, made
from tests.optional import needs
from wcnfgen.campaign import exports, results, tables
from wcnfgen.campaign.results import Result
from wcnfgen.errors import UsageError


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(tmp_path_factory.mktemp("many"), number=30)
    odd = replace(
        RESULT,
        seed=7,
        claimed=2**64,
        bound=None,
        cost=2**63 + 1,
        trace=((0.000001, 2**64), (3600.000001, 2**63 + 1)),
        findings=(("cores", 'a "quoted", text'), ("o-mismatch", "ü")),
        notes=("a, b", ""),
        late=True,
    )
    lines = [odd, *tables.read(folder / results.FILE, Result)]
    tables.write(lines, Result, folder / results.FILE)
    return folder / results.FILE


class TestExports:
    def test_json(self, many: Path, tmp_path: Path) -> None:
        exports.writer(tmp_path / "x.json")(many, tmp_path / "x.json")
        found = json.loads((tmp_path / "x.json").read_bytes())
        as_lists = [json.loads(json.dumps(asdict(each))) for each in tables.read(many, Result)]
        assert found == as_lists

    def test_parquet(self, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        needs(find_spec("pyarrow"), "pyarrow")
        from pyarrow import parquet

        monkeypatch.setattr(exports, "ROWS", 7)
        exports.writer(tmp_path / "x.parquet")(many, tmp_path / "x.parquet")
        table = parquet.read_table(tmp_path / "x.parquet")
        first, *rest = (_result(row) for row in table.to_pylist())
        odd, *others = tables.read(many, Result)
        assert rest == others
        assert first == replace(odd, claimed=None, trace=odd.trace[1:])  # 2^64 is beyond
        types = {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types, strict=True)}
        assert types["wall_s"] == "double"
        assert types["cost"] == "uint64"
        assert types["live"] == "bool"
        assert types["trace"].startswith("list<")

    def test_csv_is_the_file(self, many: Path, tmp_path: Path) -> None:
        exports.writer(tmp_path / "x.csv")(many, tmp_path / "x.csv")
        assert (tmp_path / "x.csv").read_bytes() == many.read_bytes()

    def test_of_nothing(self, tmp_path: Path) -> None:
        tables.write([], Result, tmp_path / "empty.csv")
        exports.to_json(tmp_path / "empty.csv", tmp_path / "x.json")
        assert json.loads((tmp_path / "x.json").read_bytes()) == []

    def test_without_pyarrow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(UsageError, match=r"wcnfgen\[parquet\]"):
            exports.writer(Path("x.parquet"))


def _result(row: dict[str, Any]) -> Result:
    row["trace"] = tuple((each["seconds"], each["cost"]) for each in row["trace"])
    row["findings"] = tuple((each["kind"], each["text"]) for each in row["findings"])
    return Result(**row)
