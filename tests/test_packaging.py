"""Every way to install gives the same package: sdist, wheel from it, editable, bare checkout.

Slow, and in need of a package index: in CI and with --full.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.campaigns import made
from tests.optional import needs

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "wcnfgen" / "report" / "page"
PROBE = """
import wcnfgen, wcnfgen.drivers.local, wcnfgen.solvers.rc2
import wcnfgen.instances.rules.mux, wcnfgen.commands.encode
from importlib.resources import files
assert (files("wcnfgen.instances") / "data" / "iris.csv").is_file()
assert (files("wcnfgen") / "py.typed").is_file()
assert (files("wcnfgen.report.page") / "page.html").is_file()
print(wcnfgen.__file__)
"""


@pytest.fixture(autouse=True)
def where_it_can_run(full: bool) -> None:
    if not (full or os.environ.get("CI")):
        pytest.skip("builds and installs packages: runs in CI and with --full")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone, or a copy where there is no git."""
    target = tmp_path_factory.mktemp("source") / "wcnfgen"
    if shutil.which("git") and (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "-q", str(ROOT), str(target)], check=True)
    else:
        shutil.copytree(ROOT, target, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".*_cache"))
    return target


@pytest.fixture(scope="module")
def built(checkout: Path) -> Path:
    """The folder with the sdist and the wheel that was built from it."""
    subprocess.run([sys.executable, "-m", "build", "-q", str(checkout)], check=True, capture_output=True)
    return checkout / "dist"


def environment(folder: Path) -> Path:
    """The Python of a new virtual environment, which sees the packages of ours but not our own."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    site = next((folder / "lib").glob("python3*")) / "site-packages"
    ours = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "borrowed.pth").write_text(f"import sys; sys.path.append({ours!r})\n")
    return python


def probe(python: Path, elsewhere: Path) -> str:
    """Import everything from a folder that is not the checkout; where the package lies."""
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), "-c", PROBE], cwd=elsewhere, env=clean, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    script = subprocess.run(
        [str(python.parent / "wcnfgen"), "data", "weather"], capture_output=True, text=True
    )
    assert script.returncode == 0 and script.stdout.startswith("outlook,")
    return done.stdout.strip()


def names_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_through_the_sdist(built: Path, tmp_path: Path) -> None:
    """Linked folders are in it as subpackages, nothing else is at its top."""
    (wheel,) = built.glob("*.whl")
    names = names_in_wheel(wheel)
    for name in (
        "drivers/local.py",
        "solvers/rc2.py",
        "instances/data/iris.csv",
        "encodings/size.py",
        "py.typed",
        *(f"report/page/{file.name}" for file in PAGE.iterdir() if file.suffix in (".html", ".css", ".js")),
    ):
        assert f"wcnfgen/{name}" in names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"wcnfgen"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    python = environment(tmp_path / "venv")
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True)
    assert str(tmp_path / "venv") in probe(python, tmp_path)
    page_is_written(python.parent / "wcnfgen", tmp_path)


def page_is_written(program: Path, folder: Path) -> None:
    """From what is installed."""
    for package in ("itables", "plotly"):
        needs(find_spec(package), package)
    made(folder / "campaign", number=3)
    words = [str(program), "report", "campaign", "--html", "report.html", "--table", "scores"]
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(words, cwd=folder, env=clean, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (folder / "report.html").read_text("utf-8").startswith("<!doctype html>")


def test_sdist_holds_the_folders_once(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    assert sum(name.endswith("drivers/local.py") for name in names) == 1


def test_editable_install_sees_the_checkout(checkout: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv")
    command = [str(python), "-m", "pip", "install", "-q", "--no-deps", "-e", str(checkout)]
    subprocess.run(command, check=True, capture_output=True)
    assert probe(python, tmp_path) == str(checkout / "wcnfgen" / "__init__.py")


def test_bare_checkout_runs(checkout: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"import sys\nsys.path.insert(0, {str(checkout)!r})\n{PROBE}"],
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(checkout / "wcnfgen" / "__init__.py")
