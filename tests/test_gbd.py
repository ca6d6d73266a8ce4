"""What gbdc says of our files, held against what we know of them."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import wcnfgen
from tests.optional import needs
from wcnfgen import gbd
from wcnfgen.instance import Instance

CSV = "a,b,c,class\n" + "".join(f"{q & 1},{q >> 1 & 1},{q >> 2},{q % 3}\n" for q in range(8))


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    needs(find_spec("gbdc"), "gbdc")
    file = tmp_path / "d.csv"
    file.write_text(CSV)
    return wcnfgen.encode(str(file), encoding="size", soft_rows=True)


def written(instance: Instance, name: str, tmp_path: Path, **more: Any) -> Path:
    file = tmp_path / name
    instance.write(file, **more)
    return file


def test_counts_are_ours(instance: Instance, tmp_path: Path) -> None:
    found = gbd.features(written(instance, "d.wcnf", tmp_path))
    counts = instance.counts
    weights = [weight for weight, block in instance.encoding.soft() for _ in range(len(block))]
    assert (found["variables"], found["h_clauses"]) == (counts.variables, counts.hard)
    assert (found["s_clauses"], found["s_weight_sum"]) == (counts.soft, counts.weight_sum)
    assert (found["s_weight_min"], found["s_weight_max"]) == (min(weights), max(weights))
    units = sum(block.shape[0] for block in instance.encoding.hard() if block.shape[1] == 1)
    assert found["h_cls1"] == units and isinstance(found["h_cls1"], int)
    assert list(found)[:2] == ["hash", "isohash"] and list(found)[2:] == sorted(list(found)[2:])


def test_the_identity_is_that_of_the_formula(instance: Instance, tmp_path: Path) -> None:
    """Old or new format, packed or not; softs come first in both."""
    plain = gbd.features(written(instance, "d.wcnf", tmp_path))
    packed = gbd.features(written(instance, "d.wcnf.xz", tmp_path))
    old = gbd.features(written(instance, "old.wcnf", tmp_path, format="wcnf-old"))
    assert packed == plain and len(str(plain["hash"])) == 32
    assert [old[name] for name in ("hash", "isohash")] == [plain[name] for name in ("hash", "isohash")]
    assert gbd.features(written(instance, "d.cnf.gz", tmp_path, format="cnf"))["hash"] != plain["hash"]


def test_a_cnf_has_features_of_its_own(instance: Instance, tmp_path: Path) -> None:
    found = gbd.features(written(instance, "d.cnf.xz", tmp_path, format="cnf"))
    assert (found["variables"], found["clauses"]) == (instance.counts.variables, instance.counts.hard)
    assert found == gbd.features(written(instance, "d.cnf", tmp_path, format="cnf")) | {
        "bytes": found["bytes"]
    }


def test_what_goes_wrong_is_a_warning(
    instance: Instance, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is none, and one that takes too long; nothing is raised."""
    with caplog.at_level(logging.WARNING, logger="wcnfgen"):
        assert gbd.features(tmp_path / "none.wcnf") == {}
        assert gbd.features(written(instance, "d.wcnf", tmp_path), wall_s=0.001) == {}
        monkeypatch.setattr("sys.executable", "/bin/echo")
        assert gbd.features(tmp_path / "d.wcnf") == {}
    first, second, third = (record.getMessage() for record in caplog.records)
    assert first.startswith("none.wcnf: no features of GBD: gbdc: ") and len(first) > 50
    assert second.endswith("no answer within 0.001 s")
    assert third.endswith("it said something else")


def test_without_gbdc_there_is_a_note_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gbd, "find_spec", lambda name: None)
    gbd.installed.cache_clear()
    with caplog.at_level(logging.INFO, logger="wcnfgen"):
        assert gbd.features(tmp_path / "d.wcnf") == gbd.features(tmp_path / "e.wcnf") == {}
    gbd.installed.cache_clear()
    assert [record.levelname for record in caplog.records] == ["INFO"]
