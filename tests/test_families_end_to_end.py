"""Families from real data and from rules, as an organiser gets them: built, linted, calibrated, packed."""

from __future__ import annotations

import io
import tarfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.optional import needs
from wcnfgen import calibrate, cli
from wcnfgen.bundle import manifest
from wcnfgen.bundle.folder import Folder

AUTHOR = "Ada Author; Some University; ada@example.org"
SMOKE = {
    "mpdt-samples": ["--sets", "monks-1-all", "--percents", "40", "--seeds", "2"],
    "dtmax": ["--sets", "monks-1-all", "--depths", "2", "--depths", "3", "--limit", "2"],
    "dtboost": ["--sets", "monks-1-all", "--depths", "2", "--rounds", "2", "--wall", "1"],
    "mux": ["--address", "2", "--rows", "25", "--seeds", "2"],
    "hidden-tree": ["--limit", "2"],
}


def run(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    return cli.main([*words], out), out.getvalue()


@pytest.mark.parametrize("name", SMOKE)
def test_a_smoke_size(name: str, tmp_path: Path) -> None:
    """Built by the command; lint has nothing to say; then calibrated by three solvers."""
    folder = tmp_path / name
    code, text = run("family", name, *SMOKE[name], "-o", str(folder), "--author", AUTHOR, "--jobs", "1")
    assert code == 0, text
    code, text = run("lint", str(folder))
    said = {line.rsplit("[", 1)[1].rstrip("]") for line in text.splitlines() if line.endswith("]")}
    expected = {"mux": {"crafted"}, "hidden-tree": {"crafted", "classed-as-random"}}.get(name, set())
    assert code == 0 and said == expected, text

    solvers = ("rc2", "clingo", "uwrmaxsat-hermax")
    for module in ("clingo", "hermax"):
        needs(find_spec(module), module)
    found = calibrate(str(folder), solver=solvers, wall=1.0, grace=1.0, select=1, jobs=1)
    assert not found.lies
    rows = [row for row in manifest.read(Folder(folder).manifest) if row.written]
    assert rows
    for row in rows:
        assert set(row.ended) == set(solvers) and row.difficulty is not None
        assert row.best_cost is not None and row.witness_cost is not None
        assert 0 < row.best_cost <= row.witness_cost and (row.least_cost or 0) <= row.best_cost
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        packed = [Path(each).name for each in archive.getnames() if each.endswith(".wcnf.xz")]
    assert sorted(packed) == sorted(choice.name + ".wcnf.xz" for choice in found.chosen)


def test_the_papers_data(shared: Path, tmp_path: Path) -> None:
    """Instances of each kind of real data, where the files are at hand."""
    for name, own in (("mpdt-samples", []), ("dtmax", ["--depths", "2"]), ("mixed", [])):
        words = ["family", name, *own, "-o", str(tmp_path / name), "--data", str(shared / "data")]
        code, text = run(*words, "--author", AUTHOR, "--limit", "2", "--max-mb", "20", "--jobs", "1")
        assert code == 0 and "instances: 2" in text
        assert run("lint", str(tmp_path / name)) == (0, "2 files: nothing to say\n")
