"""Hostile input: programs that are none, and names that would speak to a terminal, a page or a shell.

What is printed holds no character that does not print, but for the ends of lines; what is written is read
back by a reader that is not ours, and the names are what they were.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.dom import minidom

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import wcnfgen
from tests.optional import needs
from tests.strategies import BREAKERS
from wcnfgen import cli
from wcnfgen.bundle.description import latex
from wcnfgen.drivers._program import fault
from wcnfgen.errors import FormatError
from wcnfgen.files import atomic
from wcnfgen.render import STYLES, Names, as_json, render
from wcnfgen.tree import Leaf, Node, Tree
from wcnfgen.words import printable

CAPTURE = pytest.CaptureFixture[str]
GOOD = "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
NAMES = (
    *("\x1b[2J\x1b]0;title\x07", "\x9b31m\u202egnp.exe", "two\nlines\nh 1 0", "c map {}\r\nh 1 0"),
    *(
        "<script>alert(1)</script>&\"'",
        "]]>--><!--",
        "\\input{/etc/passwd}$%#_{^^41}~",
        "\u2028\u2066x\ufeff",
    ),
    *("%s{}{0}$(x)`x`", "=1+1", "'"),
)
hostile = st.sampled_from(NAMES) | st.text(BREAKERS, min_size=1)


def said(capsys: CAPTURE, *words: str) -> tuple[int, str]:
    """The exit code of a command, and all that it prints, which prints."""
    code = cli.main(words)
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert all(line.isprintable() for line in text.split("\n")), ascii(text)
    return code, text


def listed() -> list[str]:
    """What there is in the folder where we are."""
    return sorted(path.name for path in Path().iterdir())


# ---------------------------------------------------------------------------- programs that are none


def script(text: bytes, mode: int = 0o755) -> Callable[[Path], None]:
    """Makes a file of it."""

    def make(path: Path) -> None:
        path.write_bytes(text)
        path.chmod(mode)

    return make


NONE: dict[str, tuple[Callable[[Path], None], str]] = {
    "folder": (Path.mkdir, "is a folder"),
    "not executable": (script(b"#!/bin/sh\n", 0o644), "may not be executed: chmod"),
    "no first line": (script(b"echo s UNKNOWN\n"), "no #!"),
    "empty": (script(b""), "is empty"),
    "dangling": (lambda path: path.symlink_to("nowhere"), "a link to nowhere"),
    "no interpreter": (script(b"#!/no/such/sh -e\n"), "asks in its first line for /no/such/sh,"),
    "no interpreter, env": (script(b"#!/usr/bin/env no-such-sh\n"), "asks in its first line for no-such-sh,"),
    "carriage return": (script(b"#!/bin/sh\r\necho\r\n"), "CR LF: sed -i"),
    "carriage return, env": (script(b"#!/usr/bin/env sh\r\necho\r\n"), "CR LF: sed -i"),
    "nothing": (script(b"#!\n"), "asks in its first line for no program,"),
    "another machine": (script(b"\x7fELF junk"), "another machine, or damaged"),
}
COMMANDS = {
    "solve": ("solve", "x.wcnf", "--solver", "./s x", "--wall", "5"),
    "learn": ("learn", "x.csv", "--solver", "./s x", "--wall", "5"),
    "check": ("solvers", "--check", "./s x"),
    "compare": ("compare", "x.wcnf", "--solver", "./s x", "-o", "race"),
}


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a data file and its instance."""
    folder = tmp_path_factory.mktemp("instance")
    (folder / "x.csv").write_text(GOOD)
    wcnfgen.encode(str(folder / "x.csv"), ub=7, output=str(folder / "x.wcnf"))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", NONE)
def test_a_solver_that_is_none(
    instance: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: CAPTURE, kind: str, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x.csv", "x.wcnf"):
        shutil.copyfile(instance / name, name)
    make, hint = NONE[kind]
    make(Path("s x"))
    before = listed()
    code, text = said(capsys, *COMMANDS[command])
    error = text.splitlines()[-1]
    assert (code, error.startswith("wcnfgen: error: ")) == (1, True)
    assert hint in error and "s x" in error
    if (kind, command) != ("another machine", "compare"):  # only the kernel knows
        assert listed() == before


@pytest.mark.parametrize(
    "text",
    [b"#!/bin/sh\n", b"#! /bin/sh -e\n", b"#!/usr/bin/env sh\n", b"#!/usr/bin/env -S sh -e\n", b"#!/bin/sh"],
)
def test_a_program_that_starts_has_no_fault(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "program"
    script(text)(path)
    assert subprocess.run([path], check=False).returncode == 0
    assert fault(path) == ""
    assert fault(Path(sys.executable)) == ""


def test_a_program_that_may_not_be_read_has_no_fault(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert fault(tmp_path / "pipe") == ""
    assert fault(tmp_path / "nothing") == ""


# ---------------------------------------------------------------------------- names of columns and classes


def table(columns: list[str], classes: list[str]) -> str:
    """A CSV file with these columns, the last one the class; rows need all others."""
    width = len(columns) - 1
    rows = [[str(row >> at & 1) for at in range(width)] for row in range(2**width)]
    path_label = [[*row, classes[row.count("1") % len(classes)]] for row in rows]
    return "".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n"
        for row in [columns, *path_label]
    )


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Names of columns and of classes, as a CSV reader hands them on."""
    columns = draw(st.lists(hostile, min_size=3, max_size=3, unique_by=str.strip))
    classes = draw(st.lists(hostile, min_size=2, max_size=3, unique_by=str.strip))
    assume(all(map(str.strip, columns)) and not {"?", ""} & set(map(str.strip, classes)))
    return columns, classes


@given(tables())
@settings(max_examples=15)
def test_names_come_through_the_instance(
    tmp_path_factory: pytest.TempPathFactory, named: tuple[list[str], list[str]]
) -> None:
    columns, classes = named
    folder = tmp_path_factory.mktemp("t")
    (folder / "x.csv").write_bytes(table(columns, classes).encode())
    read = [name.strip() for name in columns]
    made = wcnfgen.encode(
        str(folder / "x.csv"), target=read[-1], ub=7, delimiter=",", output=str(folder / "x.wcnf")
    )
    text = (folder / "x.wcnf").read_text("utf-8")
    assert all(line.isprintable() for line in text.split("\n"))
    lines = [line for line in text.splitlines() if not line.startswith("c ")]
    counts = made.counts
    assert len(lines) == counts.hard + counts.soft
    kept = json.loads("".join(line[6:] for line in text.splitlines() if line.startswith("c map ")))
    assert kept["target"] == read[-1]
    assert set(kept["classes"]) <= set(map(str.strip, classes))
    assert {each["name"] for each in kept["binarisation"]["features"]} <= set(read[:-1])


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data of all the hostile names, the instance and a solver's log."""
    folder = tmp_path_factory.mktemp("everything")
    (folder / "x.csv").write_bytes(table([*NAMES[:4], NAMES[4], NAMES[6]], [*NAMES[:2], NAMES[4]]).encode())
    wcnfgen.encode(
        str(folder / "x.csv"), target=NAMES[6], encoding="depth", depth=2, output=str(folder / "x.wcnf")
    )
    wcnfgen.solve(str(folder / "x.wcnf"), log=str(folder / "x.log"), record=str(folder / "x.run.json"))
    return folder


@pytest.mark.parametrize("style", STYLES)
def test_a_tree_prints(
    everything: Path, capsys: CAPTURE, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    monkeypatch.chdir(everything)
    code, text = said(capsys, "decode", "x.wcnf", "x.log", "--as", style)
    assert code == 0
    if style == "json":
        found = json.loads(text)
        assert found["target"] == NAMES[6] and set(found["classes"]) == {*NAMES[:2], NAMES[4]}
    if style == "svg":
        drawn = minidom.parseString(text)
        assert {node.tagName for node in drawn.getElementsByTagName("*")} <= {
            "svg",
            "title",
            "rect",
            "g",
            "path",
            "text",
        }
    if style == "dot" and shutil.which("dot"):
        plain = subprocess.run(
            ["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True
        ).stdout
        nodes = sum(line.startswith("node ") for line in plain.splitlines())
        assert nodes == 1 + sum(line.startswith("edge ") for line in plain.splitlines()) > 1


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "x.wcnf", "x.log", "--data", "x.csv"),
        ("encode", "x.csv", "--target", "no\x1bsuch"),
        ("encode", "x.csv", "--drop", "no\x9bsuch"),
        ("encode", "x.csv", "--target", NAMES[6], "--sizes", "--encoding", "depth", "--depth", "1"),
        ("predict", "x.wcnf", "x.log", "../no\x1b\u202esuch"),
        ("lint", "x.wcnf", "no\x1bsuch.wcnf"),
        ("no\x1bsuch",),
        ("solvers", "no\x1bsuch"),
        ("bag", "x.csv", "--target", NAMES[6], "--depth", "1", "--bags", "2", "--as", "rules"),
    ],
    ids=lambda words: printable(" ".join(words[:1])),
)
def test_what_is_said_prints(
    everything: Path, capsys: CAPTURE, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(everything)
    assert said(capsys, *words)[0] in (0, 1, 2)


def test_classes_are_predicted_by_their_names(everything: Path, tmp_path: Path) -> None:
    target = tmp_path / "classes.csv"
    wcnfgen.predict(
        str(everything / "x.wcnf"), str(everything / "x.log"), str(everything / "x.csv"), output=str(target)
    )
    with target.open(newline="", encoding="utf-8") as file:
        heading, *cells = csv.reader(file)
    assert heading == [NAMES[6]] and {cell for (cell,) in cells} <= {*NAMES[:2], NAMES[4]}


def test_the_cost_of_a_map_is_a_strangers_text(
    everything: Path, tmp_path: Path, capsys: CAPTURE, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (everything / "x.wcnf").read_text()
    fields = json.loads("".join(line[6:] for line in text.splitlines() if line.startswith("c map ")))
    (tmp_path / "x.map").write_text(json.dumps(fields | {"cost": NAMES[0]}))
    monkeypatch.chdir(tmp_path)
    code, said_text = said(
        capsys, "verify", str(everything / "x.wcnf"), str(everything / "x.log"), "--map", "x.map"
    )
    assert code == 0 and printable(NAMES[0]) in said_text


@given(hostile, hostile)
def test_json_holds_the_names_as_they_are(question: str, label: str) -> None:
    names = Names((question,), ("not",), (label, "b"), question)
    found = json.loads(as_json(Node(0, Leaf(0), Leaf(1)), names))
    assert (found["root"]["test"], found["classes"][0], found["target"]) == (question, label, question)
    for style in STYLES:
        text = render(Node(0, Leaf(0), Leaf(1)), names, style)
        assert all(line.isprintable() for line in text.split("\n"))


def test_a_name_in_each_of_many_nodes_is_refused() -> None:
    leaf = Leaf(0)
    tree: Tree = leaf
    for _ in range(1000):
        tree = Node(0, leaf, tree)
    render(tree, Names(("a",), ("b",), ("c",), "d"), "rules")
    with pytest.raises(FormatError, match="characters, more than"):
        render(tree, Names(("a" * 1_000,), ("b",), ("c",), "d"), "text")
    with pytest.raises(FormatError, match="characters, more than"):
        render(tree, Names(("a",), ("b",), ("c" * 300_000,), "d"), "json")


@pytest.mark.parametrize("sign", ["a", " ", "_/", "\u0301", "\u4e2d"])
def test_a_long_name_is_drawn_in_a_moment(sign: str) -> None:
    tree, names = Node(0, Leaf(0), Leaf(1)), Names((sign * 100_000,), ("no",), (sign * 300_000, "b"), "c")
    began = time.process_time()
    for style in STYLES:
        render(tree, names, style)
    assert time.process_time() - began < 5  # a tenth of it here; it was ten seconds for one name


def test_an_error_with_a_long_name_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: CAPTURE
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(f"{'a' * 100_000},class\n1,x\n2,y\n")
    code, text = said(capsys, "encode", "x.csv", "--target", "b" * 100_000)
    assert code in (1, 2) and len(text) < 5000 and "characters]" in text


# ---------------------------------------------------------------------------- names of files

FILES = (
    *(
        "with space",
        "new\nline",
        "-dash",
        "--output",
        "quo'te\"",
        "$(touch pwned)",
        "`touch pwned`;touch pwned;",
    ),
    *("*", "[a-z]?", "{x}", "\x1b[31m", "\u202e", "back\\slash", "%d%s", "~", "|cat", "&<b>"),
)


@pytest.mark.parametrize("name", FILES, ids=ascii)
def test_a_file_is_called_as_it_is(
    instance: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: CAPTURE,
    name: str,
    everything: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(everything / "x.csv", f"{name}.csv")
    shutil.copyfile(everything / "x.log", f"{name}.log")
    target = ("--target", NAMES[6], "--encoding", "depth", "--depth", "2")
    steps = [
        ("encode", *target, f"--output={name}.wcnf", f"--map={name}.map", "--", f"{name}.csv"),
        ("decode", f"--output={name}.txt", "--", f"{name}.wcnf", f"{name}.log"),
        ("verify", f"--map={name}.map", f"--data={name}.csv", "--", f"{name}.wcnf", f"{name}.log"),
        ("predict", f"--output={name}.out", "--", f"{name}.wcnf", f"{name}.log", f"{name}.csv"),
    ]
    for step in steps:
        code, text = said(capsys, *step)
        assert code == 0, (step, text)
    endings = ("csv", "log", "wcnf", "map", "txt", "out")
    assert listed() == sorted(f"{name}.{ending}" for ending in endings)


@pytest.mark.parametrize("name", ["-o $(touch pwned)\n*'\"[q]", "\x1b{solver}\u202e"], ids=ascii)
def test_runs_of_such_files(
    instance: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: CAPTURE, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(instance / "x.csv", f"{name}.csv")
    shutil.copyfile(instance / "x.wcnf", f"{name}.wcnf")
    steps = [
        ("solve", f"--log={name}.log", f"--record={name}.rec", "--", f"{name}.wcnf"),
        ("learn", f"--keep={name}.kept", "--", f"{name}.csv"),
        ("split", "--folds=2", f"--output={name}.parts", "--", f"{name}.csv"),
    ]
    for step in steps:
        code, text = said(capsys, *step)
        assert code == 0, (step, text)
    endings = ("csv", "wcnf", "log", "rec", "kept", "parts")
    assert listed() == sorted(f"{name}.{ending}" for ending in endings)


def test_a_name_that_is_no_text(instance: Path, tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfe")  # in processes of their own: what holds it cannot be sent to pytest-xdist
    shutil.copyfile(instance / "x.csv", tmp_path / f"{name}.csv")
    for words in (["encode", f"{name}.csv", "-o", f"{name}.wcnf"], ["decode", f"{name}.wcnf", f"{name}.log"]):
        run = subprocess.run(
            [sys.executable, "-m", "wcnfgen", *words],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=60,
        )
        text = (run.stdout + run.stderr).decode("utf-8")
        assert all(line.isprintable() for line in text.split("\n"))
        assert run.returncode == (words[0] == "decode")  # there is no log
    assert sorted(os.listdir(os.fsencode(tmp_path))) == [b"\xff\xfe.csv", b"\xff\xfe.wcnf"]  # noqa: PTH208


def test_a_comparison_in_such_a_folder(
    instance: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: CAPTURE
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("*", "-\n\x1b[31m$(touch pwned)"):
        shutil.copyfile(instance / "x.wcnf", "[x]*'.wcnf")
        words = ("compare", f"--output={folder}", "--solver=rc2", "--wall=5", "--jobs=1", "--", "[x]*'.wcnf")
        code, text = said(capsys, *words)
        assert code == 0, text
        assert (Path(folder) / "results.csv").is_file()
    assert not Path("pwned").exists()


@given(st.integers(1, 255))
def test_as_long_as_the_system_allows(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    folder = tmp_path_factory.mktemp("long")
    with atomic(folder / ("x" * length)) as out:
        out.write(b"text")
    assert [each.name for each in folder.iterdir()] == ["x" * length]


def test_longer_than_the_system_allows(
    instance: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: CAPTURE
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = said(capsys, "encode", str(instance / "x.csv"), "-o", "x" * 300)
    assert code == 1 and "cannot write: File name too long" in text
    assert not listed()


# ---------------------------------------------------------------------------- LaTeX

LATEX = "\\input{/etc/passwd} \\write18{touch pwned} $x_$ % ^^41 ~# & {"


def test_a_description_says_what_a_recipe_says(instance: Path, tmp_path: Path, capsys: CAPTURE) -> None:
    needs(latex.engine(), "LaTeX with bibtex")
    lines = [f"title = '{LATEX}'", f"domain = '{LATEX}'", f"random = '{LATEX}'", 'encoding = "depth"']
    lines += ['name = "hostile"', "[options]", "depth = [1]", "[[data]]", f"file = '{LATEX[-9:]}.csv'"]
    (tmp_path / "x.toml").write_text("\n".join([*lines, 'name = "x"']))
    (tmp_path / f"{LATEX[-9:]}.csv").write_bytes((instance / "x.csv").read_bytes())
    words = ("family", "--config", str(tmp_path / "x.toml"), "--author", f"{LATEX}; A; a@b")
    code, text = said(capsys, *words, "-o", str(tmp_path / "x"))
    assert code == 0, text
    written = (tmp_path / "x" / "description.tex").read_text()
    assert (
        "\\textbackslash{}input\\{/etc/passwd\\}" in written and (tmp_path / "x" / "description.pdf").exists()
    )
    assert not any("\\input{" in line or "\\write18" in line for line in written.splitlines())
    assert "pwned" not in listed()
