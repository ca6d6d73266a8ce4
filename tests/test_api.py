"""The library as its user meets it: API.md runs, importing it is light, what it returns has types."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import wcnfgen
from tests.optional import needs
from wcnfgen import campaign, commands, signatures

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "wcnfgen" / "API.md").read_text("utf-8")
BLOCKS = [
    (PAGE[: found.start()].count("\n") + 1, found[1])
    for found in re.finditer(r"```pycon\n(.*?)```", PAGE, re.DOTALL)
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FUNCTIONS = [name for name in wcnfgen.__all__ if name[0].islower()]
PUBLIC = [
    *((f"wcnfgen.{name}", getattr(wcnfgen, name)) for name in FUNCTIONS),
    *((f"campaign.{name}", getattr(campaign, name)) for name in campaign.__all__),
]


# ---------------------------------------------------------------------------- the page


def test_the_page_runs(tmp_path: Path) -> None:
    """From top to bottom, in one folder, and prints what it shows."""
    for package in ("sklearn", "shtab"):
        needs(find_spec(package), package)
    names: dict[str, Any] = {}
    runner, said = doctest.DocTestRunner(optionflags=FLAGS), list[str]()
    with contextlib.chdir(tmp_path):
        for line, block in BLOCKS:
            test = doctest.DocTestParser().get_doctest(block, names, "API.md", "API.md", line)
            runner.run(test, out=said.append, clear_globs=False)
            names = test.globs
    assert not said, "".join(said)
    assert runner.summarize(verbose=False).attempted > 40


def test_the_page_shows_every_public_name() -> None:
    shown = "\n".join(block for _, block in BLOCKS)
    for name, _ in PUBLIC:
        assert f"{name}(" in shown, f"API.md does not show {name}"
    for name in set(wcnfgen.__all__) - set(FUNCTIONS):
        assert f"{name}(" in shown, f"API.md does not show {name}"


def test_every_command_is_public_but_for_names_of_modules() -> None:
    """`wcnfgen.data` is the module that reads data; the page says where its command is."""
    for name in set(commands.names()) - set(FUNCTIONS):
        assert find_spec(f"wcnfgen.{name}"), f"{name} should be in wcnfgen.__all__"
        assert f"`{name}`" in PAGE
    assert set(FUNCTIONS) <= set(commands.names())


# ---------------------------------------------------------------------------- the import


def test_the_import_is_light_and_still_names_everything() -> None:
    """Nothing but the standard library is there, and none of its slow parts."""
    code = "import sys, wcnfgen; print(*dir(wcnfgen)); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, modules = (set(line.split()) for line in done.stdout.splitlines())
    assert names >= set(wcnfgen.__all__)
    foreign = {name.split(".")[0] for name in modules} - set(sys.stdlib_module_names)
    assert {name for name in foreign if not name.startswith("__")} <= site_names() | {"wcnfgen"}
    assert not modules & {"argparse", "asyncio", "inspect", "json", "logging", "subprocess"}


def site_names() -> set[str]:
    """What Python has imported before us, such as an editable install's finder."""
    code = "import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


# ---------------------------------------------------------------------------- types and help


@pytest.mark.parametrize(("name", "function"), PUBLIC)
def test_public_functions_have_types_and_help(name: str, function: Callable[..., Any]) -> None:
    """What an editor shows: a type for each parameter and the result, and the meaning of each."""
    signature = inspect.signature(function)
    assert signature.return_annotation not in ("Any", inspect.Signature.empty, "None")
    for parameter in signature.parameters.values():
        assert parameter.annotation is not parameter.empty
        of_data = parameter.name == "data" and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        if not (of_data or parameter.kind is parameter.VAR_KEYWORD):
            assert parameter.annotation != "Any", f"{name}: {parameter.name}"
            assert signatures.meanings(function).get(parameter.name), f"{name}: {parameter.name}"


def test_results_are_of_classes_that_are_documented() -> None:
    """No result is a dict or a tuple to be guessed at."""
    for name, function in PUBLIC:
        module = importlib.import_module(function.__module__)
        source = inspect.signature(function).return_annotation
        for part in re.findall(r"\w+", source):
            kind = getattr(module, part, getattr(typing, part, None))
            assert part not in ("dict", "object"), name
            assert kind is None or not inspect.isclass(kind) or kind.__doc__, (name, part)


USER = '''"""What a user writes."""

import wcnfgen
from wcnfgen import OptimalTreeClassifier, campaign

learned = wcnfgen.learn("weather.csv", wall=60, depth=2, encoding="depth")
optimal: bool = learned.optimal
share: float = learned.training.share
picture: str = learned.decoded.render("svg")
trees: int = len(wcnfgen.search("weather.csv", trees=3).trees)
instance = wcnfgen.encode("weather.csv", ub=31)
variables: int = instance.counts.variables
ended: str = wcnfgen.solve("x.wcnf", solver="rc2", log="x.log").record.ended
kinds = [finding.kind for finding in wcnfgen.verify("x.wcnf", "x.log").verdict.findings]
first: str = wcnfgen.predict("x.wcnf", "x.log", "weather.csv").classes[0]
rows: int = sum(part.rows for part in wcnfgen.split("weather.csv", folds=5, output="parts"))
shape: tuple[int, ...] = OptimalTreeClassifier(depth=2).fit([[1], [2]], ["a", "b"]).predict([[1]]).shape
left: int = campaign.run("race", jobs=2).left
script: str = wcnfgen.completion("bash")
'''
WRONG = {
    'wcnfgen.learn("weather.csv", wall="long")': "arg-type",
    'wcnfgen.learn("weather.csv").optimum': "attr-defined",
    'wcnfgen.completion("csh")': "arg-type",
    'wcnfgen.decode("x.wcnf")': "call-arg",
    "wcnfgen.nonsense()": "attr-defined",
    "campaign.nonsense()": "attr-defined",
}


def test_a_users_script_passes_mypy(tmp_path: Path) -> None:
    """Strictly, with the package as an installed one: `py.typed` says that it has types."""
    script = tmp_path / "user.py"
    lines = USER + "\n".join(WRONG) + "\n"
    script.write_text(lines)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = dict(re.findall(r"user\.py:(\d+): error: .*\[([\w-]+)\]", done.stdout))
    first = USER.count("\n") + 1
    expected = {str(first + i): code for i, code in enumerate(WRONG.values())}
    assert found == expected, done.stdout
