"""Every command that the README shows runs, and everything there is is in the README."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wcnfgen import commands, encodings, instances

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"(?:<!-- (\w+) -->\n)?```(\w+)\n(.*?)```", README, re.DOTALL)


def blocks(language: str) -> list[str]:
    return [text for mark, name, text in BLOCKS if name == language and not mark]


def marked(mark: str) -> str:
    (text,) = [str(text) for found, _, text in BLOCKS if found == mark]
    return text.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tour is made, with `wcnfgen` on the PATH as this Python runs it."""
    path = tmp_path_factory.mktemp("tour")
    (path / "bin").mkdir()
    script = path / "bin" / "wcnfgen"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m wcnfgen "$@"\n')
    script.chmod(0o755)
    return path


def run(command: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def test_the_tour_runs(folder: Path) -> None:
    """All its lines in order; each starts where the ones before it ended."""
    for name, text in zip(("recipe.toml", "seeds/campaign.toml"), blocks("toml"), strict=True):
        assert f"`{name}`" in README
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    lines = [line for text in blocks("sh") for line in text.splitlines() if line.strip()]
    assert len(lines) > 10
    printed = {line: run(line, folder) for line in lines}
    shown = blocks("text")
    verified = printed["wcnfgen verify x.wcnf x.log"]
    assert shown[1] == verified
    assert shown[0] == printed["wcnfgen decode x.wcnf x.log"]


def test_the_python_example_runs(folder: Path) -> None:
    run("wcnfgen data weather -o weather.csv", folder)
    for text in (text for text in blocks("python") if text.startswith("import wcnfgen")):
        (folder / "example.py").write_text(text)
        run(f"{sys.executable} example.py", folder)


def test_every_command_is_shown() -> None:
    for name in commands.names():
        assert re.search(rf"^.*wcnfgen {name}\b", README, re.MULTILINE), f"the README does not show {name}"


def test_every_encoding_is_in_the_table() -> None:
    for name in encodings.names():
        assert f"\n| `{name}` |" in README


def test_every_family_is_in_its_table_with_its_number() -> None:
    text = (ROOT / "instances" / "README.md").read_text()
    found = dict(re.findall(r"^\| `([\w-]+)` \| (\d+) \|", text, re.MULTILINE))
    assert found == {name: str(sum(1 for _ in instances.get(name).specs())) for name in instances.names()}


def test_ci_runs_the_line_that_the_readme_shows() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "<!-- tests -->" in script and "README.md" in script
    assert "\n" not in marked("tests") and "pytest" in marked("tests")


def test_the_main_command_on_a_fresh_clone(tmp_path: Path, full: bool) -> None:
    """The README's first line, as it stands, where nothing is set up."""
    if not (full or os.environ.get("CI")):
        pytest.skip("installs packages: runs in CI and with --full")
    clone = tmp_path / "clone"
    if shutil.which("git") and (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    else:
        shutil.copytree(
            ROOT, clone, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".git", ".*_cache")
        )
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH")}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", marked("main")],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert "petal" in done.stdout and "size:      15 nodes" in done.stdout
    assert "150 of 150 rows right" in done.stdout
