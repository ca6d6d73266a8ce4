"""The examples of every command's help run, in one folder as a user would have it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.optional import needs
from wcnfgen import cli, commands, options, signatures

FIRST = ("encode", "solve", "family", "compare")  # what they make others take
ELSEWHERE = ("reproduce", "tutorial")  # have tests of their own
MANY = ("bag", "boost", "compare", "mpdt", "peer")  # the first example stands for the others
SLOW = (" ttt", "--check", "--html", "--dry-run")  # ttt is a family
# What an example needs that is no part of wcnfgen.
EXTRAS = {
    "split": "sklearn",
    "columns": "sklearn",
    "peer": "sklearn",
    "completion": "shtab",
    "clingo": "clingo",
    "--html": "plotly",
    "--plots": "matplotlib",
}


def lines(name: str) -> list[str]:
    """The command lines of its examples, without what they are for."""
    shown = signatures.examples(commands.get(name)[1]).splitlines()[1:]
    return [re.split(r" {2,}", line.strip())[0] for line in shown]


@pytest.mark.parametrize("name", commands.names())
def test_each_command_has_examples_that_its_parser_reads(name: str) -> None:
    module, function = commands.get(name)
    assert lines(name), f"wcnfgen {name} has no examples"
    for line in lines(name):
        program, command, *words = shlex.split(line.split(" > ")[0])
        assert (program, command) == ("wcnfgen", name)
        parser = options.parser(name, function, options.forwarded(module, words))
        parser.parse_args(words)
        assert parser.format_help().endswith("\n" + signatures.examples(function) + "\n")


def test_all_examples_run(tmp_path: Path, full: bool) -> None:
    """In one folder; some of those that take seconds only with --full."""
    with contextlib.chdir(tmp_path):
        for name in ("data.csv", "test.csv"):
            assert cli.main(["data", "weather", "-o", name]) == 0
        for name in (*FIRST, *(name for name in commands.names() if name not in (*FIRST, *ELSEWHERE))):
            for number, line in enumerate(lines(name)):
                if full or not ((number and name in MANY) or any(each in line for each in SLOW)):
                    run(line)


def run(line: str) -> None:
    """In this process, which takes a tenth of the time."""
    command, _, target = line.partition(" > ")
    words = shlex.split(command)[1:]
    for word, package in EXTRAS.items():
        if word in words:
            needs(find_spec(package), package)
    with (
        Path(target or os.devnull).open("wb") as file,
        io.TextIOWrapper(file) as out,
        contextlib.redirect_stdout(out),
    ):
        assert cli.main(words) == 0, line
