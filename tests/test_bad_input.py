"""Bad input: one clear line on stderr, exit code 1 or 2, no part of a file, no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"


def encode(folder: Path, content: str | bytes | None, *options: str) -> subprocess.CompletedProcess[str]:
    """Encode bad.csv to out.wcnf in an empty folder."""
    if content is not None:
        raw = content.encode() if isinstance(content, str) else content
        (folder / "bad.csv").write_bytes(raw)
    return subprocess.run(
        [sys.executable, "-m", "wcnfgen", "encode", "bad.csv", "-o", "out.wcnf", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


CASES: dict[str, tuple[str | bytes | None, tuple[str, ...], int, str]] = {
    "missing file": (None, (), 1, "bad.csv"),
    "empty file": ("", (), 1, "empty"),
    "blank file": ("\n\n", (), 1, "bad.csv"),
    "header only": ("a,b,class\n", (), 1, "no rows"),
    "one column": ("class\n1\n0\n", (), 1, "no column is left beside the class"),
    "unknown target": (GOOD, ("--target", "klass"), 2, "class"),
    "unknown column to drop": (GOOD, ("--drop", "c"), 2, "--drop c: bad.csv has no such column"),
    "single class": ("a,class\n0,x\n1,x\n", (), 1, "one leaf is optimal"),
    "duplicate names": ("a,a,class\n0,0,x\n1,1,y\n", (), 1, "'a'"),
    "ragged row": ("a,b,class\n0,0,x\n1,y\n", (), 1, "bad.csv:3"),
    "not UTF-8": (b"a,b,class\n0,\xff,x\n1,1,y\n", (), 1, "byte 0xFF at offset 12"),
    "NUL byte": (b"a,b,class\n0,\x00,x\n1,1,y\n", (), 1, "NUL"),
    "infinity": ("a,b,class\n0.5,1,x\ninf,0,y\n", (), 1, "inf"),
    "all columns constant": ("a,b,class\n0,1,x\n0,1,x\n0,1,x\n", (), 1, "constant"),
    "missing cells": ("a,b,class\n0,,x\n1,1,y\n", (), 1, "--missing"),
    "missing class": ("a,b,class\n0,1,\n1,1,y\n", (), 1, "class"),
    "conflicts that are not wanted": (GOOD + "1,1,no\n", ("--conflicts", "error"), 1, "--conflicts"),
    "even bound": (GOOD, ("--ub", "6"), 2, "odd"),
    "bound below 3": (GOOD, ("--ub", "1"), 2, "at least 3"),
    "bound below lb": (GOOD, ("--ub", "5", "--lb", "7"), 2, "below --lb 7"),
    "bound below what is possible": (GOOD, ("--ub", "3"), 2, "at least 5 nodes"),
    "sample of nothing": (GOOD, ("--sample", "0"), 2, "--sample"),
    "no bins": ("a,class\n0.5,x\n1.5,y\n", ("--bins", "0"), 2, "bins"),
    "bin of a word": ("a,class\nu,x\nv,y\n", ("--bin", "a"), 2, "a"),
    "unknown policy": (GOOD, ("--missing", "guess"), 2, "--missing"),
    "delimiter of two characters": (GOOD, ("--delimiter", "::"), 2, "delimiter"),
    "damaged gzip": (b"\x1f\x8b\x08\x00rubbish", (), 1, "bad.csv"),
    "quote never closed": ('a,b,class\n0,"0,x\n1,1,y\n', (), 1, "bad.csv"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_clear_line(case: str, tmp_path: Path) -> None:
    content, options, code, says = CASES[case]
    done = encode(tmp_path, content, *options)
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("wcnfgen: error: ")]
    assert len(errors) == 1, done.stderr
    assert says in errors[0]
    assert done.returncode == code
    assert done.stdout == ""
    assert sorted(os.listdir(tmp_path)) == ([] if content is None else ["bad.csv"])  # noqa: PTH208


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").mkdir()
    done = encode(tmp_path, None)
    assert done.returncode == 1 and "bad.csv" in done.stderr and "Traceback" not in done.stderr


def test_unwritable_output(tmp_path: Path) -> None:
    for target in ("nowhere/out.wcnf", "."):
        done = encode(tmp_path, GOOD, "-o", target)
        assert done.returncode == 1, target
        assert "cannot write" in done.stderr and done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_nothing_already_written_is_lost(tmp_path: Path) -> None:
    (tmp_path / "out.wcnf").write_text("precious\n")
    assert encode(tmp_path, "a,b,class\n0,0,x\n1,y\n").returncode == 1
    assert (tmp_path / "out.wcnf").read_text() == "precious\n"


def test_what_is_no_error(tmp_path: Path) -> None:
    """A bound too large is capped with a note, conflicts are resolved with a note."""
    done = encode(tmp_path, GOOD, "--ub", "31")
    assert done.returncode == 0 and "lowered to 7" in done.stderr
    done = encode(tmp_path, GOOD + "0,0,no\n0,0,yes\n")
    assert done.returncode == 0 and "1 of 6 rows dropped" in done.stderr
    assert "c conflicts: 1 of 6 rows dropped" in (tmp_path / "out.wcnf").read_text()


def test_learn_returns_the_leaf_of_a_single_class(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,class\n0,x\n1,x\n")
    done = subprocess.run(
        [sys.executable, "-m", "wcnfgen", "learn", "one.csv"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "x (2 rows)" in done.stdout and "size:      1 nodes" in done.stdout


def test_learn_of_what_cannot_be_tested(tmp_path: Path) -> None:
    """Two classes and nothing to tell them by."""
    (tmp_path / "same.csv").write_text("a,class\n0,x\n0,y\n0,x\n")
    done = subprocess.run(
        [sys.executable, "-m", "wcnfgen", "learn", "same.csv"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1 and "constant" in done.stderr and "Traceback" not in done.stderr
