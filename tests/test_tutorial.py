"""The tutorial runs, and what it says of what is printed is so."""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from wcnfgen import commands, options
from wcnfgen.commands import tutorial as tutorials
from wcnfgen.commands.tutorial import STEPS, Done, Step, tutorial
from wcnfgen.errors import UsageError, WcnfgenError

QUOTED = r"`([^`]+)`"
SHORT = (
    Step("One", "`data` lists.", ("wcnfgen data",), "`weather`"),
    Step("Two", "x", ("wcnfgen data",), "y"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tutorial") / "new"


@pytest.fixture(scope="module")
def done(folder: Path) -> list[Done]:
    return list(tutorial(output=str(folder)).steps())


def test_what_is_said_of_what_was_printed_is_so(done: list[Done]) -> None:
    """What is in backquotes was typed or printed in this step, or is a command line; so is each number."""
    for each in done:
        seen = "\n".join((*each.step.lines, *each.printed, f"exit code {each.step.exit_code}"))
        for quoted in re.findall(QUOTED, each.step.after):
            assert quoted in seen or is_command_line(quoted), (each.step.title, quoted)
        for number in re.findall(r"\d+(?:\.\d+)?", each.step.after):
            assert re.search(rf"(?<![\d.]){number}(?![\d.])", seen), (each.step.title, number)


def test_what_is_said_before_is_of_the_lines_that_follow(done: list[Done]) -> None:
    for each in done:
        for quoted in re.findall(QUOTED, each.step.before):
            assert any(quoted in line for line in each.step.lines) or is_command_line(quoted), quoted


def is_command_line(text: str) -> bool:
    """`wcnfgen solvers`, or options of `wcnfgen decode` or `solve`."""
    words = [word for word in shlex.split(text) if word != "wcnfgen"]
    if words[0] in commands.names():
        return len(words) == 1
    name, arguments = ("decode", ["file", "log"]) if words[0] == "--as" else ("solve", ["file"])
    parser = options.parser(name, commands.get(name)[1])
    return bool(parser.parse_args([*arguments, *words]))


def test_files_that_are_named_are_there(done: list[Done], folder: Path) -> None:
    text = " ".join(f"{each.step.before} {each.step.after} {' '.join(each.step.lines)}" for each in done)
    named = set(re.findall(r"\b[a-z]+\.(?:csv|wcnf|log|svg)\b", text))
    assert {"weather.csv", "weather.log", "tree.svg"} <= named
    assert named <= {path.name for path in folder.iterdir()}


def test_it_shows_all_that_was_printed(
    done: list[Done], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tutorials.Tutorial, "steps", lambda _: iter(done))
    out = io.StringIO()
    assert tutorials.present(tutorials.Tutorial(folder), out) == 0
    for each in done:
        for line, printed in zip(each.step.lines, each.printed, strict=True):
            assert f"$ {line}\n{printed}\n" in out.getvalue()
    assert all(len(line) < 110 for line in out.getvalue().splitlines())
    assert f"{len(STEPS)}/{len(STEPS)}" in out.getvalue() and str(folder) in out.getvalue()


def test_a_step_that_does_not_end_as_it_should_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for lines, exit_code in ((("wcnfgen nonsense", "wcnfgen data"), 2), (("wcnfgen data",), 1)):
        monkeypatch.setattr(tutorials, "STEPS", (Step("", "", lines, "", exit_code),))
        with pytest.raises(WcnfgenError, match="exit code"):
            list(tutorials.Tutorial(tmp_path).steps())


def test_where_the_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert tutorial().folder.parent == tmp_path
    assert tutorial(output=str(tmp_path / "a" / "b")).folder.is_dir()
    for taken in (tmp_path, Path(__file__)):
        with pytest.raises(UsageError, match="not empty"):
            tutorial(output=str(taken))


PAUSED = """
import sys
from tests.test_tutorial import SHORT
from wcnfgen import cli
from wcnfgen.commands import tutorial
tutorial.STEPS = SHORT
sys.exit(cli.main(["tutorial", *sys.argv[1:]]))
"""


@pytest.mark.parametrize(
    ("typed", "words", "steps", "pauses"),
    [(b"\n", ["--step"], 2, 1), (b"q\n", ["--step"], 1, 1), (None, ["--step"], 2, 0), (b"", [], 2, 0)],
)
def test_step_waits_where_there_is_a_terminal(
    typed: bytes | None, words: list[str], steps: int, pauses: int, tmp_path: Path
) -> None:
    """Enter goes on, q ends; without a terminal or the option nothing waits."""
    ours, theirs = pty.openpty()
    os.write(ours, typed or b"")
    done = subprocess.run(
        [sys.executable, "-c", PAUSED, *words, "-o", str(tmp_path / "new")],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.DEVNULL if typed is None else theirs,
        capture_output=True,
        text=True,
        timeout=60,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("== ") == steps and done.stdout.count("[Enter") == pauses
