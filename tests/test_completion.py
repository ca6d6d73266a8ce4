"""Shell completion, tried in the shells themselves."""

from __future__ import annotations

import shutil
import subprocess
import typing
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.optional import needs
from wcnfgen import commands, completion, encodings, options, signatures, solvers
from wcnfgen.commands import completion as completions
from wcnfgen.errors import UsageError

TAB = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_shtab_wcnfgen 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
Tab = Callable[..., set[str]]


@pytest.fixture(scope="module", autouse=True)
def shtab_is_there() -> None:
    needs(find_spec("shtab"), "shtab")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Tab:
    """What bash offers when TAB is pressed after these words, the last of which is not complete."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "wcnfgen.bash").write_text(completion("bash"))
    (folder / "here").mkdir()
    for name in ("data.csv", "run.sh"):
        (folder / "here" / name).touch()

    def press(*words: str) -> set[str]:
        done = subprocess.run(
            ["bash", "--norc", "-c", TAB, "tab", str(folder / "wcnfgen.bash"), "wcnfgen", *words],
            cwd=folder / "here",
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return set(done.stdout.split())

    return press


def test_commands(tab: Tab) -> None:
    assert tab("enc") == {"encode", "encodings"}
    assert tab("") >= set(commands.names())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["solve", "--sol"], {"--solver"}),
        (["solve", "x.wcnf", "--solver", "r"], {"rc2"}),
        (["solve", "x.wcnf", "--solver", "./r"], {"./run.sh"}),
        (["compare", "a", "b", "--solver", "rc"], {"rc2"}),
        (["search", "x", "--method", "des"], {"descent"}),
        (["learn", "d"], {"data.csv"}),
        (["learn", "data.csv", "--encoding", "s"], {"size"}),
        (["learn", "data.csv", "--as", "r"], {"rules"}),
        (["learn", "data.csv", "--test", "d"], {"data.csv"}),
        (["learn", "data.csv", "--wall", ""], set()),
        (["encode", "data.csv", "--min-"], {"--min-size"}),
        (["encode", "data.csv", "--no-min"], {"--no-min-size"}),
        (["family", "tic"], {"tic-tac-toe"}),
        (["family", "sub"], {"submission"}),
        (["campaign", "col"], {"collect"}),
        (["campaign", "run", "d"], {"data.csv"}),
        (["campaign", "submit", "x", "--part"], {"--partition"}),
        (["report", "di"], {"diff"}),
        (["report", "diff", "a", "b", "--ag"], {"--against"}),
        (["data", "wea"], {"weather"}),
        (["reproduce", "narodytska-4"], {"narodytska-4"}),
        (["reproduce", "x", "--scale", "t"], {"tiny"}),
        (["solvers", "--check", "rc"], {"rc2"}),
        (["completion", "z"], {"zsh"}),
        (["learn", "--qu"], {"--quiet"}),
    ],
)
def test_what_is_offered(tab: Tab, words: list[str], offered: set[str]) -> None:
    assert tab(*words) == offered


def test_all_names_of_solvers_and_encodings(tab: Tab) -> None:
    assert tab("learn", "x", "--solver", "") == set(solvers.names())
    assert tab("learn", "x", "--encoding", "") == set(encodings.names())


@pytest.mark.parametrize("name", ["encode", "search", "bag", "boost", "mpdt"])
def test_options_of_every_encoding_are_offered(tab: Tab, name: str) -> None:
    """Each that the parser knows for some --encoding, and no other."""
    module, function = commands.get(name)
    known: set[str] = set()
    for encoding in encodings.names():
        others = options.forwarded(module, ["data.csv", "--encoding", encoding])
        parser = options.parser(name, function, others)
        known |= {text for action in parser._actions for text in action.option_strings}
    assert tab(name, "data.csv", "-") == known


def test_every_option_of_every_command_is_in_the_script() -> None:
    script = completion("bash")
    for name in commands.names():
        (line,) = (x for x in script.splitlines() if x.startswith(f"_shtab_wcnfgen_{name}_option_strings="))
        for parameter in signatures.parameters(commands.get(name)[1]):
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert "--" + parameter.name.rstrip("_").replace("_", "-") in line


def test_another_shell_or_none_of_the_library_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="bash, zsh, tcsh"):
        completion(typing.cast(typing.Any, "csh"))
    monkeypatch.setattr(completions, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"wcnfgen\[completion\]"):
        completion("bash")


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_the_shell_reads_the_script(shell: completions.Shell, tmp_path: Path) -> None:
    script = completion(shell)
    assert all(word in script for word in ("rc2", "--encoding", "tic-tac-toe", "wcnfgen"))
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    file = tmp_path / "_wcnfgen"
    file.write_text(script)
    lines = {
        "bash": f"source {file}; complete -p wcnfgen",
        "zsh": f"fpath=({tmp_path} $fpath); autoload -U compinit; compinit -u -D; autoload +X _wcnfgen && "
        "zsh -n $fpath[1]/_wcnfgen && print $_comps[wcnfgen]",
        "tcsh": f"source {file}; complete wcnfgen",
    }
    done = subprocess.run([shell, "-fc", lines[shell]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout.strip()
