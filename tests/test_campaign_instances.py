"""The instances that patterns mean: which files, their names, and what is known of them."""

from __future__ import annotations

import logging
import lzma
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests import bundles, planned
from tests.planned import plan, text
from wcnfgen.bundle import manifest, selection
from wcnfgen.campaign import facts, finding, instances, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.store import PLAN
from wcnfgen.errors import FormatError, UsageError

place = pytest.fixture(planned.place)


def named(folder: Path) -> dict[str, Instance]:
    return {each.name: each for each in tables.read(folder / instances.FILE, Instance)}


def test_facts_of_files(place: Path) -> None:
    plan(place, instances=("x3.wcnf",))
    (found,) = named(place).values()
    assert (found.name, found.path, found.family) == ("x3", "x3.wcnf", place.name)
    assert (found.variables, found.hard, found.soft, found.weight_sum, found.weighted) == (2, 1, 2, 4, True)
    assert (found.format, found.least_cost, found.known_cost) == ("wcnf", None, None)


def test_patterns(place: Path) -> None:
    (place / "sub" / "deep").mkdir(parents=True)
    (place / "sub" / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    (place / "sub" / "deep" / "b.wcnf.xz").write_bytes(lzma.compress(text(9).encode()))
    (place / "sub" / "notes.txt").write_text("no instance")
    (place / "odd.name").write_text(text(8))
    for patterns, found in (
        (("x1.wcnf", "x1.wcnf", "./x1.wcnf"), ["x1"]),
        (("x[23].wcnf", "x*.wcnf"), ["x2", "x3", "x1"]),
        (("sub",), ["a"]),
        (("sub/**",), ["a", "b"]),
        (("sub/deep",), ["b"]),
        (("odd.name",), ["odd.name"]),
        ((os.fspath(place / "sub" / "deep" / "b.wcnf.xz"),), ["b"]),
    ):
        plan(place, instances=patterns)
        assert list(named(place)) == found, patterns
    for missing in ("y*.wcnf", "none.wcnf", "bin", "sub/*.txt"):
        with pytest.raises(UsageError, match="no instances at"):
            plan(place, instances=("x1.wcnf", missing))


def test_what_is_no_instance(place: Path) -> None:
    (place / "x4.wcnf").write_text("h 1 2\n")
    with pytest.raises(FormatError, match=r"x4\.wcnf"):
        plan(place)
    assert not (place / PLAN).exists()


def test_equal_names_get_their_folder(place: Path) -> None:
    for name, number in (("a", 1), ("b", 2)):
        (place / name).mkdir()
        (place / name / "x.wcnf").write_text(text(number + 10))
    plan(place, instances=("a", "b", "x1.wcnf"))
    assert list(named(place)) == ["a-x", "b-x", "x1"]
    (place / "a" / "x.cnf").write_text("p cnf 1 1\n1 0\n")
    with pytest.raises(UsageError, match="two instances would be called a-x: rename one of a/x"):
        plan(place, instances=("a", "b"))


def test_equal_bytes_run_once(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "wcnfgen")
    (place / "copy.wcnf").write_text(text(1))
    plan(place)
    assert list(named(place)) == ["copy", "x2", "x3"]
    assert "1 file with the bytes of another one" in caplog.text


def test_a_link_is_its_file(place: Path) -> None:
    (place / "link.wcnf").symlink_to("x1.wcnf")
    plan(place)
    assert set(named(place)) == {"link", "x2", "x3"}


def test_a_family(place: Path, tmp_path: Path) -> None:
    folder = bundles.small(place / "fam")
    rows = {row.name: row for row in manifest.read(folder.manifest)}
    plan(place, instances=("fam",))
    found = named(place)
    assert list(found) == [row.name for row in rows.values() if row.written]
    for name, each in found.items():
        row = rows[name]
        assert each.path == os.path.join("fam", row.file)  # noqa: PTH118 - a text
        assert (each.family, each.parameters, each.data) == ("small", row.parameters, row.data)
        assert (each.sha256, each.formula_sha256) == (row.file_sha256, row.sha256)
        assert (each.variables, each.hard, each.soft) == (row.variables, row.hard, row.soft)
        assert (each.least_cost, each.known_cost) == (row.least_cost, row.best_cost or row.witness_cost)
    plan(place, instances=("fam/instances/weather*",))
    assert next(iter(named(place).values())) == found["weather-ub15"]


def test_best_models_of_a_family_count(place: Path) -> None:
    folder = bundles.small(place / "fam")
    plan(place, instances=("fam",))
    rows = [replace(row, best_cost=2) if row.written else row for row in manifest.read(folder.manifest)]
    manifest.write(rows, folder.manifest)
    plan(place, instances=("fam",))
    assert {each.known_cost for each in named(place).values()} == {2}


def test_the_selection_of_a_family(place: Path) -> None:
    folder = bundles.small(place / "fam")
    with pytest.raises(UsageError, match=r"no selection\.csv"):
        plan(place, instances=("fam",), selected=True)
    names = [row.name for row in manifest.read(folder.manifest) if row.written]
    choices = [selection.Choice(name, name == names[1], "easy", "spread") for name in names]
    selection.write(choices, folder.selection)
    plan(place, instances=("fam",), selected=True)
    assert list(named(place)) == [names[1]]
    plan(place, instances=("fam",))
    assert list(named(place)) == names


def test_a_family_whose_file_is_another(place: Path) -> None:
    folder = bundles.small(place / "fam")
    file = next(folder.instances.iterdir())
    file.write_bytes(lzma.compress(text(1).encode()))
    with pytest.raises(FormatError, match=r"not the file that manifest\.csv lists"):
        plan(place, instances=("fam",))
    file.unlink()
    with pytest.raises(FormatError, match="No such file"):
        plan(place, instances=("fam",))


def test_files_are_read_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = facts.of

    def of(path: Path) -> facts.Facts:
        read.append(path.name)
        return whole(path)

    monkeypatch.setattr(facts, "of", of)
    plan(place)
    plan(place)
    assert sorted(read) == ["x1.wcnf", "x2.wcnf", "x3.wcnf"]
    old = (place / "x2.wcnf").stat()
    (place / "x2.wcnf").write_text(text(2).replace("2", "4"))
    os.utime(place / "x2.wcnf", ns=(old.st_atime_ns, old.st_mtime_ns))  # the same size and the same time
    plan(place)
    assert read[3:] == ["x2.wcnf"]
    (place / finding.FACTS).write_text("nonsense")
    plan(place)
    assert len(read) == 7


def test_names_that_are_patterns_or_no_text(place: Path) -> None:
    """Of the campaign's own folder, and of files."""
    folder = place / "a[1] *"
    folder.mkdir()
    odd = os.fsdecode(b"\xff\nx.wcnf")
    for name in ("i1.wcnf", "[i2].wcnf", odd):
        (folder / name).write_text(f"c {name!r}\n{text(5)}")
    plan(folder, instances=("*.wcnf",))
    assert {each.path for each in named(folder).values()} == {"i1.wcnf", "[i2].wcnf", odd}
    plan(folder, instances=("[i2].wcnf", "i?.wcnf", "../x1.wcnf"))
    assert [each.path for each in named(folder).values()] == ["[i2].wcnf", "i1.wcnf", "../x1.wcnf"]


def test_a_folder_that_is_a_link(place: Path) -> None:
    """Paths are from where it is, and not from where the link is."""
    (place / "far" / "away").mkdir(parents=True)
    (place / "here").symlink_to("far/away")
    plan(place / "here", instances=(os.fspath(place / "x1.wcnf"), "../../x2.wcnf"))
    assert [each.path for each in named(place / "here").values()] == ["../../x1.wcnf", "../../x2.wcnf"]


def test_large_files_are_read_by_several_processes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(place)
    before = (place / instances.FILE).read_bytes()
    (place / finding.FACTS).unlink()
    monkeypatch.setattr(finding, "LARGE_BYTES", 0)
    plan(place)
    assert (place / instances.FILE).read_bytes() == before
    (place / "x4.wcnf").write_text("h 1 2\n")
    (place / "x5.wcnf").write_text(text(5))
    with pytest.raises(FormatError, match=r"x4\.wcnf"):
        plan(place)
