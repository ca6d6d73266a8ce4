"""The command line is the library's signatures."""

from __future__ import annotations

import importlib
import inspect
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wcnfgen import cli, commands, options, signatures

DATA = "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
WCNFGEN = [sys.executable, "-m", "wcnfgen"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "and.csv"
    path.write_text(DATA)
    return path


def run(*words: str, **more) -> subprocess.CompletedProcess[str]:  # type: ignore[no-untyped-def]
    return subprocess.run([*WCNFGEN, *words], capture_output=True, text=True, timeout=120, **more)


def shown(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    code = cli.main(list(words), out)
    return code, out.getvalue()


@pytest.mark.parametrize("name", commands.names())
def test_each_parameter_has_a_meaning_and_an_option(name: str) -> None:
    """The help is the docstring's; nothing is left out of it."""
    module = importlib.import_module(f"wcnfgen.commands.{name}")
    function = getattr(module, name)
    code, text = shown(name, "--help")
    assert code == 0
    for each in (function, *options.forwarded(module, [])):
        meanings = signatures.meanings(each)
        for parameter in signatures.parameters(each):
            if each is not function and parameter.kind is not parameter.KEYWORD_ONLY:
                continue
            assert meanings.get(parameter.name), f"{name}: {parameter.name} has no meaning"
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert "--" + parameter.name.rstrip("_").replace("_", "-") in text


@pytest.mark.parametrize("name", commands.names())
def test_present_takes_only_what_the_command_takes(name: str) -> None:
    module = importlib.import_module(f"wcnfgen.commands.{name}")
    options = set(inspect.signature(getattr(module, name)).parameters)
    wanted = inspect.signature(module.present).parameters
    assert {p for p in wanted.values() if p.kind is p.KEYWORD_ONLY and p.name not in options} == set()


def test_overview_names_every_command() -> None:
    code, text = shown("--help")
    assert code == 0
    assert all(f"\n  {name} " in text for name in commands.names())
    assert shown()[0] == 2 and shown("--version")[1].startswith("wcnfgen ")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from wcnfgen.cli import main; main(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert not any(f"'{heavy}'" in loaded for heavy in ("numpy", "pandas", "pysat", "psutil"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nonsense"], "no command 'nonsense'"),
        (["--nonsense"], "no option --nonsense"),
        (["encode"], "required: data"),
        (["encode", "x.csv", "--nonsense"], "--nonsense"),
        (["encode", "x.csv", "--ub", "many"], "--ub"),
        (["encode", "x.csv", "--encoding", "nonsense"], "unknown encoding"),
        (["encode", "x.csv", "--format", "dimacs"], "--format"),
        (["solve", "x.wcnf", "--solver", "nonsense"], "no solver 'nonsense'"),
        (["solve", "x.wcnf", "--driver", "nonsense"], "no driver 'nonsense'"),
        (["solve", "x.wcnf", "--wall", "-3"], "positive"),
        (["decode", "x.wcnf", "x.log", "--as", "png"], "--as"),
    ],
)
def test_usage_errors_are_one_line_and_exit_2(words: list[str], says: str, tmp_path: Path) -> None:
    for name in ("x.csv", "x.wcnf", "x.log"):
        (tmp_path / name).write_text(DATA if name == "x.csv" else "h 1 0\n")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr and done.stderr.count("\n") == 1 and done.stderr.startswith("wcnfgen: error: ")
    assert sorted(os.listdir(tmp_path)) == ["x.csv", "x.log", "x.wcnf"]  # noqa: PTH208


def test_a_reader_that_goes_away_is_no_failure(data: Path) -> None:
    command = f"{sys.executable} -m wcnfgen encode {data} --ub 7 --form paper | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("c wcnfgen")
    assert done.returncode == 0


def test_a_large_formula_and_a_reader_that_goes_away(tmp_path: Path) -> None:
    """The pipe fills long before the formula ends."""
    command = (
        f"{sys.executable} -m wcnfgen data mux11 | {sys.executable} -m wcnfgen encode - --ub 63 | head -1"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.startswith("c wcnfgen")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("redirect", ["> /dev/full", "-o /dev/full", "--map /dev/full"])
def test_a_full_disk_is_one_clear_line(data: Path, redirect: str) -> None:
    command = f"{sys.executable} -m wcnfgen encode {data} {redirect}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1


def test_interrupted_while_writing_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C: exit code 130, one line, no part of a file."""
    source = tmp_path / "mux.csv"
    assert run("data", "mux11", "-o", str(source)).returncode == 0
    target = tmp_path / "x.wcnf"
    process = subprocess.Popen(
        [*WCNFGEN, "encode", str(source), "--ub", "301", "-o", str(target)],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".x.wcnf.*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.endswith("wcnfgen: interrupted\n") and "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["mux.csv"]


def test_library_and_command_write_the_same_bytes(data: Path, tmp_path: Path) -> None:
    import wcnfgen

    done = run("encode", str(data), "--ub", "7", "--binarise", "onehot-full")
    assert done.returncode == 0
    wcnfgen.encode(str(data), ub=7, binarise="onehot-full").write(tmp_path / "y.wcnf")
    assert (tmp_path / "y.wcnf").read_text() == done.stdout


def test_options_that_repeat_replace_the_default(data: Path) -> None:
    text = DATA.replace("1,1", "?,-")
    for words in (["--na", "?", "--na", "-"], ["--na", "-", "--na", "?"]):
        done = run("encode", "-", "--missing", "category", *words, input=text)
        assert done.returncode == 0, done.stderr
    assert run("encode", "-", "--missing", "error", "--na", "-", "--na", "?", input=text).returncode == 1


def test_quiet() -> None:
    text = DATA + "0,0,no\n0,0,yes\n"
    loud, quiet = run("encode", "-", input=text), run("encode", "-", "--quiet", input=text)
    assert loud.returncode == quiet.returncode == 0
    assert "1 of 6 rows dropped" in loud.stderr and quiet.stderr == ""


def test_closed_outputs_are_no_fault() -> None:
    command = f"{sys.executable} -m wcnfgen encodings >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=Path(__file__).parents[1], timeout=60).returncode == 0
