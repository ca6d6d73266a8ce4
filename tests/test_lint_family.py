"""The rules of `wcnfgen lint` over a family's folder: each is broken in one that is otherwise clean."""

from __future__ import annotations

import hashlib
import io
import lzma
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wcnfgen import checks
from wcnfgen.bundle import description, manifest, models, pack, selection
from wcnfgen.bundle.folder import About, Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.selection import Choice
from wcnfgen.checks import families
from wcnfgen.errors import FormatError
from wcnfgen.instances import Family

TEXTS = {
    "zoo-a": b"1 -1 0\n1 -2 0\nh 1 2 0\n",
    "zoo-b": b"1 -1 0\n1 -2 0\n1 -3 0\nh 1 2 3 0\n",
}
FAMILY = Family(title="t", domain="d", papers=(), naming="n", parameters={"data": "the data set"})
ABOUT = About(name="tiny", family=FAMILY, wcnfgen="0", command="c", authors=("A; B; a@b.org",))


def row(name: str, text: bytes, packed: bytes) -> Row:
    softs = text.count(b" 0\n") - 1
    return Row(
        name=name,
        status="written",
        file=f"instances/{name}.wcnf.xz",
        sha256=hashlib.sha256(text).hexdigest(),
        file_sha256=hashlib.sha256(packed).hexdigest(),
        parameters={"data": "zoo"},
        variables=softs,
        hard=1,
        soft=softs,
        literals=2 * softs,
        bytes=len(text),
        weight_min=1,
        weight_max=1,
        weight_distinct=1,
        weight_sum=softs,
        least_cost=0,
        nonzero="solver",
        witness_cost=1,
        best_cost=1,
        proved=False,
    )


class Tiny:
    """A folder of two instances that can be written with one thing wrong."""

    def __init__(self, path: Path) -> None:
        self.folder = Folder(path)
        self.about = ABOUT
        self.rows: list[Row] = []
        for folder in (self.folder.instances, self.folder.models):
            folder.mkdir(parents=True)
        for name, text in TEXTS.items():
            packed = lzma.compress(text)
            (path / "instances" / f"{name}.wcnf.xz").write_bytes(packed)
            self.rows.append(row(name, text, packed))
            self.model(name, [True] + [False] * text.count(b"\n1"))
        (path / "description.tex").write_text("A description.\n")
        (path / "description.pdf").write_bytes(b"%PDF\n")
        self.save()

    def model(
        self, name: str, values: list[bool], cost: int = 1, sha256: str = "", *, proved: bool = False
    ) -> None:
        target = models.place(self.folder.models, name)
        model = np.array([False, *values])
        sha256 = sha256 or hashlib.sha256(TEXTS[name]).hexdigest()
        models.write(target, model, cost, by="hand", sha256=sha256, proved=proved)

    def save(self) -> None:
        self.about.write(self.folder.about)
        manifest.write(self.rows, self.folder.manifest)

    def change(self, number: int = 0, **fields: Any) -> None:
        self.rows[number] = replace(self.rows[number], **fields)
        self.save()

    def say(self, **fields: Any) -> None:
        self.about = replace(self.about, family=replace(FAMILY, **fields))
        self.save()

    @property
    def first(self) -> Path:
        return self.folder.instances / "zoo-a.wcnf.xz"


def unlist(tiny: Tiny) -> None:
    tiny.rows.pop()
    tiny.save()


def repeat(tiny: Tiny) -> None:
    tiny.rows.append(tiny.rows[0])
    tiny.save()


def empty(tiny: Tiny) -> None:
    for path in tiny.folder.instances.iterdir():
        path.unlink()
    tiny.rows.clear()
    tiny.save()


def unsigned(tiny: Tiny, *authors: str) -> None:
    tiny.about = replace(tiny.about, authors=authors)
    tiny.save()


def choose(tiny: Tiny, *chosen: str, among: Sequence[str] = tuple(TEXTS)) -> None:
    """A selection; among: what it names."""
    choices = [Choice(name, name in chosen, "hard", "x") for name in among]
    selection.write(choices, tiny.folder.selection)


def packed(tiny: Tiny, *, other: bytes = b"", chosen: str = "") -> None:
    """An archive of the folder; of another instance if there is a text; chosen from afterwards."""
    archive = pack.pack(tiny.folder)
    if other:
        with tarfile.open(archive, "w:gz") as out:
            member = tarfile.TarInfo("tiny/instances/other.wcnf")
            member.size = len(other)
            out.addfile(member, io.BytesIO(other))
    if chosen:
        choose(tiny, chosen)


def of_another_formula(tiny: Tiny) -> None:
    tiny.change(sha256="0" * 64)
    tiny.model("zoo-a", [True, False], sha256="0" * 64)


def commanded(tiny: Tiny) -> None:
    """An instance that says a command, and a line that says another."""
    text = b"c command: wcnfgen encode zoo --ub 5\n" + TEXTS["zoo-a"]
    packed = lzma.compress(text)
    tiny.first.write_bytes(packed)
    tiny.model("zoo-a", [True, False], sha256=hashlib.sha256(text).hexdigest())
    tiny.rows[0] = replace(row("zoo-a", text, packed), command="wcnfgen encode zoo --ub 5")
    tiny.save()
    assert ids(tiny) == set()
    tiny.change(command="wcnfgen encode zoo --ub 7")


def damage(tiny: Tiny) -> None:
    """An archive whose bytes are no deflated stream any more in an instance: zlib says so, not tarfile."""
    noise = np.random.default_rng(1).bytes(1 << 17)
    packed(tiny, other=noise)
    archive = tiny.folder.path / "tiny.tar.gz"
    data = archive.read_bytes()
    archive.write_bytes(data[: 1 << 16] + b"\xff" * (len(data) - (1 << 16)))


# How each rule is broken.
BROKEN: dict[str, list[Callable[[Tiny], object]]] = {
    "family-readable": [
        lambda tiny: tiny.folder.manifest.unlink(),
        lambda tiny: tiny.folder.manifest.write_text("name,status\nzoo,done\n"),
        lambda tiny: tiny.folder.about.write_text("{"),
    ],
    "manifest-missing-file": [lambda tiny: tiny.first.unlink()],
    "manifest-missing-line": [unlist, lambda tiny: tiny.change(status="left out", why="too large")],
    "manifest-names": [repeat],
    "manifest-sums": [
        lambda tiny: tiny.first.write_bytes(lzma.compress(TEXTS["zoo-a"], preset=1) + b""),
        of_another_formula,
        lambda tiny: tiny.change(1, file_sha256="0" * 64),
    ],
    "manifest-size": [
        lambda tiny: tiny.change(hard=2),
        lambda tiny: tiny.change(soft=3),
        lambda tiny: tiny.change(1, literals=1),
        lambda tiny: tiny.change(weight_sum=None),
        lambda tiny: tiny.change(variables=3),
        lambda tiny: tiny.change(bytes=TEXTS["zoo-a"].count(b"\n")),
        lambda tiny: tiny.change(weight_min=None),
        lambda tiny: tiny.change(weight_max=2),
        lambda tiny: tiny.change(weight_distinct=2),
    ],
    "manifest-costs": [
        lambda tiny: tiny.change(least_cost=2),
        lambda tiny: tiny.change(witness_cost=0),
        lambda tiny: tiny.change(least_cost=1),
    ],
    "manifest-command": [commanded],
    "name-of-data": [lambda tiny: tiny.change(parameters={"data": "iris"})],
    "model": [
        lambda tiny: models.place(tiny.folder.models, "zoo-a").unlink(),
        lambda tiny: models.place(tiny.folder.models, "zoo-a").write_text("v 10\n"),
        lambda tiny: tiny.model("zoo-a", [False, False], 0),
        lambda tiny: tiny.model("zoo-a", [True, True], 2),
        lambda tiny: tiny.model("zoo-a", [True, False], 7),
        lambda tiny: tiny.change(best_cost=2, witness_cost=3),
        lambda tiny: tiny.change(best_cost=None),
        lambda tiny: tiny.change(proved=True),
        lambda tiny: tiny.model("zoo-a", [True, False], proved=True),
        lambda tiny: tiny.model("zoo-a", [True, False], sha256="0" * 64),
    ],
    "optimum-unknown": [lambda tiny: tiny.change(nonzero="open")],
    "authors": [unsigned, lambda tiny: unsigned(tiny, "A; B", "C; D")],
    "placeholder": [
        lambda tiny: (tiny.folder.path / "description.tex").write_text(f"x\n[{description.PLACEHOLDER}]\n")
    ],
    "description-text": [lambda tiny: (tiny.folder.path / "description.tex").unlink()],
    "description-pdf": [lambda tiny: (tiny.folder.path / "description.pdf").unlink()],
    "classed-as-random": [lambda tiny: tiny.say(random="planted trees")],
    "crafted": [lambda tiny: tiny.say(crafted=True)],
    "no-instances": [empty],
    "nothing-submitted": [choose],
    "selection-out-of-date": [lambda tiny: choose(tiny, "zoo-a", among=["zoo-a"])],
    "archive": [
        lambda tiny: packed(tiny, other=b"h 1 0\n"),
        lambda tiny: (tiny.folder.path / "tiny.tar.gz").write_bytes(b"nothing of the kind"),
        damage,
        lambda tiny: packed(tiny, chosen="zoo-a"),
    ],
}
ONES = [(rule, number) for rule, ways in BROKEN.items() for number in range(len(ways))]


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    return Tiny(tmp_path / "tiny")


def ids(tiny: Tiny) -> set[str]:
    return {each.rule for each in checks.lint([tiny.folder.path]).findings}


def test_a_clean_folder_breaks_none(tiny: Tiny) -> None:
    report = checks.lint([tiny.folder.path])
    assert (report.files, report.findings) == (2, ())
    packed(tiny)
    report = checks.lint([tiny.folder.path])
    assert (report.files, report.findings) == (2, ())


@pytest.mark.parametrize(("rule", "number"), ONES)
def test_a_folder_that_breaks_one_rule(tiny: Tiny, rule: str, number: int) -> None:
    BROKEN[rule][number](tiny)
    assert ids(tiny) == {rule}


def test_the_archive_is_a_family_too(tiny: Tiny) -> None:
    packed(tiny)
    report = checks.lint([tiny.folder.path / "tiny.tar.gz"])
    assert (report.files, report.findings) == (2, ())
    unsigned(tiny)
    packed(tiny)
    (each,) = checks.lint([tiny.folder.path / "tiny.tar.gz"]).findings
    assert (each.rule, each.file) == ("authors", f"{tiny.folder.path}/tiny.tar.gz/tiny/family.json")


def test_lines_of_the_manifest(tiny: Tiny) -> None:
    tiny.change(1, parameters={"data": "iris"})
    (each,) = checks.lint([tiny.folder.path]).findings
    assert (each.file, each.line) == (f"{tiny.folder.path}/manifest.csv", 3)


def test_instances_of_a_family_are_linted(tiny: Tiny) -> None:
    text = TEXTS["zoo-a"] + b"c trailing\n"
    tiny.first.write_bytes(lzma.compress(text))
    assert ids(tiny) == {"manifest-sums", "comment-between-clauses"}


def test_a_solver_is_asked_only_what_the_manifest_leaves_open(tiny: Tiny) -> None:
    text = b"1 1 0\n1 -2 0\nh 1 2 0\n"
    packed = lzma.compress(text)
    tiny.first.write_bytes(packed)
    tiny.rows[0] = replace(row("zoo-a", text, packed), nonzero="", best_cost=0, proved=True)
    tiny.model("zoo-a", [True, False], 0, sha256=tiny.rows[0].sha256, proved=True)
    tiny.save()
    assert ids(tiny) == {"optimum-zero"}
    tiny.change(nonzero="bound")
    assert ids(tiny) == set()


def test_an_archive_cannot_lead_out(tmp_path: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.addfile(tarfile.TarInfo("../escaped.wcnf"))
    with pytest.raises(FormatError, match="leads out"):
        checks.lint([archive])
    assert not (tmp_path / "escaped.wcnf").exists()


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_an_archive_of_either_kind(tiny: Tiny, tmp_path: Path, name: str) -> None:
    form = {"a.zip": "zip", "a.tar.gz": "gztar"}[name]
    shutil.make_archive(str(tmp_path / "a"), form, tiny.folder.path.parent, "tiny")
    report = checks.lint([tmp_path / name])
    assert (report.files, report.findings) == (2, ())
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError, match="cannot be unpacked"):
        checks.lint([tmp_path / name])


def test_a_zip_cannot_lead_out_and_has_no_links(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("../escaped.wcnf", TEXTS["zoo-a"])
    with pytest.raises(FormatError, match="leads out"):
        checks.lint([archive])
    assert not (tmp_path / "escaped.wcnf").exists()
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("a.wcnf", TEXTS["zoo-a"])
        link = zipfile.ZipInfo("b.wcnf")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        out.writestr(link, "/etc/hostname")
    assert checks.lint([archive]).files == 1


def test_a_damaged_member_of_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("a.wcnf", TEXTS["zoo-a"])
    archive.write_bytes(archive.read_bytes().replace(b"h 1 2 0", b"h 1 3 0"))
    with pytest.raises(FormatError, match="CRC"):
        checks.lint([archive])


def test_workers_find_the_same(tiny: Tiny, tmp_path: Path) -> None:
    tiny.change(best_cost=2, witness_cost=3, literals=7)
    (tmp_path / "b.wcnf").write_bytes(TEXTS["zoo-b"] + b"h 0\n")
    given = [tmp_path / "b.wcnf", tiny.folder.path]
    report = checks.lint(given, jobs=1)
    assert {each.rule for each in report.findings} == {"empty-hard", "model", "manifest-size"}
    assert checks.lint(given, jobs=2) == report


def test_a_family_says_its_track(tiny: Tiny) -> None:
    """Of decision problems there need not be a model."""
    models.place(tiny.folder.models, "zoo-a").unlink()
    tiny.say(track="sat")
    assert ids(tiny) == {"cnf", "name-ending"}


def test_many_instances_are_a_note(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "LARGEST", 2)
    assert ids(tiny) == set()
    monkeypatch.setattr(families, "LARGEST", 1)
    assert ids(tiny) == {"many-instances"}
