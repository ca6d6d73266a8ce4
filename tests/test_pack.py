"""The archive, the instructions, and all of it in order."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import wcnfgen
from tests import bundles
from tests.optional import needs
from wcnfgen import checks, family
from wcnfgen.bundle import description, facts, finish, manifest, pack, plots, reproduce
from wcnfgen.bundle.description import latex
from wcnfgen.bundle.folder import Folder
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.instances import datasets


def listed(archive: Path) -> list[str]:
    with tarfile.open(archive) as opened:
        return opened.getnames()


def content(archive: Path, name: str) -> bytes:
    with tarfile.open(archive) as opened:
        member = opened.extractfile(name)
        assert member is not None
        return member.read()


# -- the archive


def test_everything_that_was_written(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    reproduce.write(folder)
    description.write(folder)
    (folder.path / "description.pdf").write_bytes(b"%PDF")
    folder.chains.mkdir()
    (folder.chains / "c.json").write_text("{}")
    folder.runs.mkdir()
    (folder.runs / "x.log").write_text("")
    (folder.data / ".half.tmp").write_text("")
    target = pack.pack(folder)
    assert target == folder.path / "small.tar.gz"
    assert sorted(listed(target)) == [
        f"small/{name}"
        for name in (
            *("REPRODUCE.md", "chains/c.json", "data/lenses.csv", "data/weather.csv", "description.pdf"),
            *("description.tex", "family.json", "instances/lenses-ub21.wcnf.xz"),
            *("instances/weather-ub15.wcnf.xz", "manifest.csv", "models/lenses-ub21.sol"),
            *("models/weather-ub15.sol", "references.bib"),
        )
    ]
    assert listed(target)[1:] == sorted(listed(target)[1:])
    packed = content(target, "small/instances/weather-ub15.wcnf.xz")
    assert packed == (folder.instances / "weather-ub15.wcnf.xz").read_bytes()
    with tarfile.open(target) as opened:
        for member in opened:
            assert (member.mtime, member.uid, member.gid, member.uname, member.gname) == (0, 0, 0, "", "")
            assert (member.isfile(), member.mode) == (True, 0o644)


def test_only_what_was_chosen(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    bundles.calibrated(folder, ["weather-ub15"])
    target = pack.pack(folder)
    assert not any("lenses-" in name for name in listed(target))
    (tmp_path / "m.csv").write_bytes(content(target, "small/manifest.csv"))
    assert manifest.read(tmp_path / "m.csv") == manifest.read(folder.manifest)[:1]


def test_a_choice_that_does_not_know_all_instances_is_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was made after it goes in; with a new choice, only what that says."""
    monkeypatch.setattr(latex, "engine", lambda: None)
    folder = bundles.small(tmp_path / "f")
    bundles.choose(folder, ["weather-ub15"], among=["weather-ub15", "gone-ub3"])
    caplog.set_level(logging.WARNING, "wcnfgen")
    target = finish.finish(folder)
    assert caplog.text.count("selection.csv is out of date, it does not name 1 instance: all") == 1
    assert f"{pack.name(facts.read(folder))}/instances/lenses-ub21.wcnf.xz" in listed(target)
    assert "of which" not in (folder.path / "REPRODUCE.md").read_text()
    caplog.clear()
    bundles.choose(folder, ["weather-ub15"], among=["weather-ub15", "lenses-ub21", "gone-ub3"])
    assert not any("lenses-" in name for name in listed(finish.finish(folder)))
    assert caplog.text == ""


def test_the_same_bytes_wherever_and_whenever(tmp_path: Path) -> None:
    one, two = (bundles.small(tmp_path / name) for name in ("one", "two"))
    os.utime(two.instances / "weather-ub15.wcnf.xz", (1, 1))
    (two.models / "weather-ub15.sol").chmod(0o600)
    assert pack.pack(one).read_bytes() == pack.pack(two).read_bytes()
    assert pack.pack(one).read_bytes() == pack.pack(one).read_bytes()  # itself is not in it


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "small"),
        ({"track": "sat"}, "small-sat"),
        ({"crafted": True}, "small-crafted"),
        ({"track": "sat", "crafted": True}, "small-sat-crafted"),
    ],
)
def test_what_a_maxsat_evaluation_does_not_take_is_named_so(
    tmp_path: Path, changes: dict[str, object], name: str
) -> None:
    family = replace(bundles.FAMILY, **changes)  # type: ignore[arg-type]
    folder = bundles.small(tmp_path / "f", replace(bundles.ABOUT, family=family))
    target = pack.pack(folder)
    assert target.name == f"{name}.tar.gz"
    assert {each.partition("/")[0] for each in listed(target)} == {name}


def test_names_are_safe(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f", replace(bundles.ABOUT, name="../a b;c"))
    assert pack.pack(folder) == folder.path / "_a_b_c.tar.gz"
    (folder.data / "a b;c.csv").write_text("")
    with pytest.raises(FormatError, match=r"'data/a b;c\.csv' cannot go into an archive"):
        pack.pack(folder)


@pytest.mark.parametrize(
    "file", ["../weather.wcnf", "/etc/hostname", "instances/-x", "instances/a b", "", "."]
)
def test_no_path_leads_out_of_the_folder(tmp_path: Path, file: str) -> None:
    folder = bundles.small(tmp_path / "f")
    first, *rest = manifest.read(folder.manifest)
    manifest.write([replace(first, file=file), *rest], folder.manifest)
    with pytest.raises(FormatError, match="cannot go into an archive"):
        pack.pack(folder)


def test_an_instance_that_is_not_what_the_manifest_says(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    old = pack.pack(folder).read_bytes()
    file = folder.instances / "weather-ub15.wcnf.xz"
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(FormatError, match=r"weather-ub15\.wcnf\.xz: has another SHA-256"):
        pack.pack(folder)
    file.unlink()
    with pytest.raises(FormatError, match=r"weather-ub15\.wcnf\.xz is not there"):
        pack.pack(folder)
    assert (folder.path / "small.tar.gz").read_bytes() == old
    assert not list(folder.path.glob(".*"))


def test_memory_does_not_grow_with_the_instances(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    file, size = folder.instances / "weather-ub15.wcnf.xz", 64 << 20
    with file.open("wb") as out:
        out.truncate(size)
    first, *rest = manifest.read(folder.manifest)
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    manifest.write([replace(first, file_sha256=digest), *rest], folder.manifest)
    tracemalloc.start()
    try:
        pack.pack(folder)
        assert tracemalloc.get_traced_memory()[1] < size / 8
    finally:
        tracemalloc.stop()


# -- the instructions


def test_instructions(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    reproduce.write(folder)
    text = (folder.path / "REPRODUCE.md").read_text()
    for words in (
        "# Smallest decision trees of small tables",
        "2 instances of the family `small`. wcnfgen 1.2.3 made them",
        "```sh\nwcnfgen family small --seed 3 -o DIR\n```",
        "All data are generated",
        "```sh\nwcnfgen encode weather --ub 15\n```",
        "xz -dc instances/weather-ub15.wcnf.xz | sha256sum",
        "wcnfgen verify instances/weather-ub15.wcnf.xz models/weather-ub15.sol",
        "wcnfgen lint instances/*",
    ):
        assert words in text, words
    assert "calibrate" not in text
    assert "AdaBoost" not in text


def test_instructions_after_calibration_with_data_and_chains(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 2, 2)
    folder.chains.mkdir()
    bundles.record(folder, "rc2", "x", wall_s=60)
    bundles.choose(folder, ["data-set-number-1-p40-ub3"])
    text = reproduce.text(facts.read(folder))
    assert "4 instances of the family `small`, of which 1 are submitted." in text
    digest = hashlib.sha256(b"data-set-number-1").hexdigest()
    assert f"| data-set-number-1 | {digest} |" in text
    assert "wcnfgen calibrate DIR --solver rc2 --solver clasp --solver uwrmaxsat_hermax --wall 60\n" in text
    assert "copy that folder and `family.json` to `DIR` first" in text


def test_a_fence_is_longer_than_those_in_a_command() -> None:
    assert reproduce._block("a ``` b").startswith("````sh\n")


def told(folder: Folder, command: str, **changes: object) -> str:
    """The instructions where all instances say that."""
    replace(bundles.ABOUT, command=command).write(folder.about)
    rows = [replace(row, **changes) for row in manifest.read(folder.manifest)]  # type: ignore[arg-type]
    manifest.write(rows, folder.manifest)
    return reproduce.text(facts.read(folder))


def test_whose_data_are_needed(tmp_path: Path) -> None:
    """A user's zoo.csv is the user's, even if it has the bytes of the papers' data set."""
    folder, zoo = bundles.many(tmp_path / "f", 1, 1), datasets.get("zoo")
    recipe = "wcnfgen family --config 'my recipe.toml' --max-mb 20"
    text = told(folder, recipe, data="zoo", source="file", data_sha256=zoo.sha256)
    assert f"```sh\n{recipe} -o DIR\n```" in text
    assert "The recipe `my recipe.toml` and its data files are needed. They are the submitters' own." in text
    assert f"| zoo | {zoo.sha256} |" in text and zoo.url not in text and "DATA" not in text
    text = told(folder, "wcnfgen family dtmax", source="paper:zoo")
    assert "```sh\nwcnfgen family dtmax --data DATA -o DIR\n```" in text
    assert f"| zoo | {zoo.file} | {zoo.sha256} | {zoo.url} |" in text and "recipe" not in text
    text = told(folder, "wcnfgen family dtmax", data_sha256="0" * 64)
    assert f"| {zoo.url}; here is a copy with other bytes, with the submitters |" in text
    text = told(folder, "wcnfgen family mux", source="rule:mux6")
    assert "All data are generated; no files are needed." in text and "--data" not in text
    empty = told(folder, "wcnfgen family mux", status="left out")
    assert "data" not in empty.partition("DIR")[2]
    text = told(folder, "wcnfgen family zoo", source="", status="written")
    assert "It is not recorded where these data sets are from: zoo." in text


def shell(place: Path) -> Callable[..., str]:
    """Runs commands of the instructions; programs that they do not name, such as LaTeX, are not there."""
    place.mkdir()
    (place / "wcnfgen").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m wcnfgen "$@"\n')
    (place / "wcnfgen").chmod(0o755)
    for name in ("xz", "sha256sum"):
        program = shutil.which(name)
        needs(program, name)
        (place / name).symlink_to(str(program))
    env = os.environ | {"PATH": str(place), "PYTHONPATH": str(Path(wcnfgen.__file__).parents[1])}

    def run(command: str, cwd: Path) -> str:
        made = subprocess.run(
            ["/bin/sh", "-ec", command], cwd=cwd, env=env, capture_output=True, timeout=300, check=False
        )
        assert made.returncode == 0, made.stderr.decode()
        return made.stdout.decode()

    return run


def test_what_the_instructions_say_is_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All their commands are run: the family and an instance are made again, sums, models and rules hold."""
    monkeypatch.setattr(latex, "engine", lambda: None)
    family("mux", limit=1, address=(2,), rows=(25,), output=str(tmp_path / "f"), author=["A; B; a@b.org"])
    folder, run = Folder(tmp_path / "f"), shell(tmp_path / "bin")
    text = (folder.path / "REPRODUCE.md").read_text()
    again, alone, sums, verify, lint = re.findall(r"```sh\n(.*)\n```", text)
    rows = {row.name: row for row in manifest.read(folder.manifest)}
    (chosen,) = (row for row in rows.values() if f"`{row.name}`" in text)
    run(again.replace("DIR", "again"), tmp_path)
    made = manifest.read(tmp_path / "again" / "manifest.csv")
    assert [row.sha256 for row in made] == [chosen.sha256]
    formula = run(alone, folder.data)
    assert hashlib.sha256(formula.encode()).hexdigest() == chosen.sha256
    assert run(sums, folder.path).split()[0] == chosen.sha256
    assert "verdict:      ok" in run(verify, folder.path)
    assert run(lint, folder.path) == "1 file: nothing to say\n"


# -- all of it


def test_all_in_order(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = bundles.small(tmp_path / "f")
    with caplog.at_level(logging.INFO, "wcnfgen"):
        target = finish.finish(folder)
    names = {name.partition("/")[2] for name in listed(target)}
    assert {"description.tex", "REPRODUCE.md", "instances/weather-ub15.wcnf.xz"} <= names
    assert ("plots/size.pdf" in names) == (importlib.util.find_spec("matplotlib") is not None)
    assert ("description.pdf" in names) == (latex.engine() is not None)
    assert ("plots/size.pdf" in names) == (
        "plots/size.pdf" in content(target, "small/description.tex").decode()
    )
    again = target.read_bytes()
    assert finish.finish(folder).read_bytes() == again
    bundles.calibrated(folder, ["lenses-ub21"])
    after = finish.finish(folder)
    assert after.read_bytes() != again
    assert "rc2 & 2 & 1" in content(after, "small/description.tex").decode()


def test_a_failure_of_latex_takes_nothing_else_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = bundles.small(tmp_path / "f")
    for name, script in {"pdflatex": f'echo "{MISSING}"; exit 1', "bibtex": "true"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with caplog.at_level(logging.WARNING, "wcnfgen"):
        names = listed(finish.finish(folder))
    (warning,) = caplog.messages
    assert warning.startswith("no description.pdf: pdflatex: LaTeX Error: File `IEEEtran.cls' not found.")
    assert {"small/REPRODUCE.md", "small/description.tex"} <= set(names)
    assert (folder.path / "REPRODUCE.md").is_file()
    assert {each.rule for each in checks.lint([folder.path]).findings} >= {"description-pdf"}


MISSING = "! LaTeX Error: File \\`IEEEtran.cls' not found."


@pytest.mark.parametrize("step", [plots.write, description.write, reproduce.write, pack.pack, finish.finish])
def test_no_folder_of_a_family(tmp_path: Path, step: object) -> None:
    assert callable(step)
    with pytest.raises(UsageError, match=r"no family\.json"):
        step(Folder(tmp_path))
    assert not list(tmp_path.iterdir())
