"""The manifest: what is written is read again, and what earlier versions wrote is, too."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests import bundles
from wcnfgen.bundle import manifest
from wcnfgen.bundle.manifest import Row, Satisfiable
from wcnfgen.errors import FormatError

ANSWERS: tuple[Satisfiable, ...] = ("SAT", "UNSAT", "")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 2, 3)
    rows = manifest.read(folder.manifest)
    assert {row.source for row in rows} == {"file"}
    manifest.write(rows, folder.manifest)
    assert manifest.read(folder.manifest) == rows


def test_answers_are_read_again(tmp_path: Path) -> None:
    rows = [Row(name=str(n), status="written", answer=answer) for n, answer in enumerate(ANSWERS)]
    manifest.write(rows, tmp_path / "manifest.csv")
    assert manifest.read(tmp_path / "manifest.csv") == rows


def test_what_ran_is_told_from_what_could_not() -> None:
    assert Row(name="x", status="written", ended={"a": "not run: weights", "b": "SIGSEGV"}).tried
    assert not Row(name="x", status="written", ended={"a": "not run: weights"}).tried


def test_a_manifest_of_before_there_were_sources_and_answers(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 2, 3)
    rows = manifest.read(folder.manifest)
    without(folder.manifest, "source")
    without(folder.manifest, "answer")
    assert manifest.read(folder.manifest) == [replace(row, source="") for row in rows]
    without(folder.manifest, "data")
    with pytest.raises(FormatError, match=r"manifest\.csv:2: .*'data'"):
        manifest.read(folder.manifest)


def without(file: Path, column: str) -> None:
    """Take a column away."""
    with file.open(newline="") as stream:
        header, *lines = csv.reader(stream)
    place = header.index(column)
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([*line[:place], *line[place + 1 :]] for line in (header, *lines))
