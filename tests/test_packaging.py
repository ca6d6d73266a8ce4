"""Every way to install gives the same package, and it runs with what it declares, the oldest and the newest.

What is declared stands in pyproject.toml alone, and is tried from there: each lower bound is a release that
is installed here, each Python of the classifiers is used where it is on the PATH.  What is installed runs
in an empty environment, with a home without a file.  Slow, and in need of a package index: in CI and with
--full.  What else was tried, by hand, stands in tests/bench/packaging.md.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.campaigns import made
from tests.optional import needs

ROOT = Path(__file__).parents[1]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = DECLARED["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = [
    each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", each)
]
HERE = f"3.{sys.version_info.minor}"
BOUND = re.compile(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)(?:; .+)?")
TYPES = ("pandas-stubs", "types-psutil")  # of whatever release is there
# what the tests of an extra's own packages are in
TESTS = {
    "completion": ["test_completion.py"],
    "benchexec": ["test_driver_parts.py"],
    "dask": ["test_engine_dask.py"],
    "gbd": ["test_gbd.py"],
    "learn": ["test_estimators.py"],
    "parquet": ["test_campaign_exports.py"],
    "peers": ["test_peers.py"],
    "plots": ["test_plots.py", "test_report_plots.py"],
    "report": ["test_report_page.py", "test_report_statistics.py", "test_campaign_status.py"],
    "solvers": ["test_shims.py", "conformance/test_solvers.py"],
}
PROBE = """
import wcnfgen, wcnfgen.drivers.local, wcnfgen.solvers.rc2
import wcnfgen.instances.rules.mux, wcnfgen.commands.encode
from importlib.resources import files
assert (files("wcnfgen.instances") / "data" / "iris.csv").is_file()
assert (files("wcnfgen") / "py.typed").is_file()
assert (files("wcnfgen.report.page") / "page.html").is_file()
print(wcnfgen.__file__)
"""
JOB = """
wcnfgen data weather -o weather.csv
wcnfgen learn weather.csv --solver rc2 --wall 60 --memory 4000
wcnfgen encode weather.csv --ub 31 > x.wcnf
wcnfgen solve x.wcnf --solver rc2 --wall 60 --memory 4000 > x.log
wcnfgen decode x.wcnf x.log
wcnfgen verify x.wcnf x.log
wcnfgen search weather.csv --method lms
wcnfgen family tic-tac-toe -o ttt --limit 2 --quiet
wcnfgen lint x.wcnf
wcnfgen compare ttt --solver rc2 --wall 1 --memory 2000 -o race
wcnfgen campaign status race
python -c 'import pandas, wcnfgen; wcnfgen.encode(pandas.read_csv("weather.csv"), ub=31).write("y.wcnf")'
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, full: bool) -> Path:
    """A fresh clone, or a copy where there is no git."""
    if not (full or os.environ.get("CI")):
        pytest.skip("builds and installs packages: runs in CI and with --full")
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


@pytest.fixture
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture
def sdist(built: Path) -> Path:
    (found,) = built.glob("*.tar.gz")
    return found


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


def files_of(archive: Path) -> dict[str, bytes]:
    """What a wheel holds, but what is said of the wheel itself."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist() if ".dist-info/" not in name}


def test_a_wheel_holds_the_package_and_nothing_else(checkout: Path, wheel: Path) -> None:
    """Through the sdist: each file of wcnfgen/ and of the folders linked there, but README.md and results."""
    names = subprocess.run(
        ["find", "-L", "wcnfgen", "-type", "f"], cwd=checkout, capture_output=True, text=True
    )
    expected = {
        name for name in names.stdout.splitlines() if not re.search(r"\.pyc$|/README\.md$|/reproduced/", name)
    }
    assert {"wcnfgen/py.typed", "wcnfgen/drivers/local.py", "wcnfgen/report/page/page.html"} < expected
    assert set(files_of(wheel)) == expected
    with zipfile.ZipFile(wheel) as archive:
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())


def test_a_wheel_without_the_sdist_is_the_same(checkout: Path, wheel: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "build", "-q", "--wheel", "-o", str(tmp_path), str(checkout)]
    subprocess.run(words, check=True, capture_output=True)
    (direct,) = tmp_path.glob("*.whl")
    assert files_of(direct) == files_of(wheel)


def test_a_wheel_runs(wheel: Path, tmp_path: Path) -> None:
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


def test_sdist_holds_the_folders_once(sdist: Path) -> None:
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


def lowest(requirements: list[str]) -> list[str]:
    """The release that each lower bound names."""
    matches = [BOUND.fullmatch(each) for each in requirements if each not in TYPES]
    return [f"{match[1]}=={match[2]}" for match in matches if match]


def test_each_bound_is_one_release_and_said_once() -> None:
    """A name has the same lower bound everywhere and no other; what is tried here is all there is."""
    everything = [DECLARED["build-system"]["requires"], PROJECT["dependencies"], *EXTRAS.values()]
    pins = [pin for group in everything for pin in lowest(group)]
    assert len(pins) == sum(each not in TYPES for group in everything for each in group)
    assert len({pin.split("==")[0] for pin in pins}) == len(set(pins))
    assert set(TESTS) == set(EXTRAS) - {"test"}
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


def bare(python: str, folder: Path, *install: str, **options: str) -> Path:
    """The programs of a new environment that holds what was installed, and nothing of ours."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True, capture_output=True)
    words = [str(folder / "bin" / "pip"), "install", "-q", "--prefer-binary", *install]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | options
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def run(programs: Path, folder: Path, script: str, *, warnings: str = "error") -> None:
    """In an empty environment, with an empty home."""
    (folder / "home").mkdir(exist_ok=True)
    env = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "LC_ALL": "C.UTF-8",
        "PYTHONWARNINGS": warnings,
    }
    done = subprocess.run(["sh", "-euc", script], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_lowest_releases_run_from_the_sdist(sdist: Path, tmp_path: Path) -> None:
    if PYTHONS[0] != HERE:
        pytest.skip(f"the lowest releases are those for Python {PYTHONS[0]}, and this is {HERE}")
    builder = tmp_path / "build.txt"
    builder.write_text("\n".join(lowest(DECLARED["build-system"]["requires"])))
    constraints = {
        "PIP_CONSTRAINT": str(builder),
        "PIP_BUILD_CONSTRAINT": str(builder),
    }  # before pip 25.3, and since
    pins = lowest(PROJECT["dependencies"])
    run(bare(sys.executable, tmp_path / "venv", str(sdist), *pins, **constraints), tmp_path, JOB)
    assert not any((tmp_path / "home").iterdir())


def works(version: str) -> str:
    """A Python on the PATH that starts and makes environments; a skip with its reason otherwise."""
    program = sys.executable if version == HERE else shutil.which(f"python{version}")
    check = [str(program), "-c", "import ensurepip, venv"]
    if not program or subprocess.run(check, capture_output=True).returncode:
        pytest.skip(f"no python{version} with venv on the PATH")
    return program


@pytest.mark.parametrize("version", PYTHONS)
def test_the_newest_releases_run_from_the_wheel(
    version: str, wheel: Path, tmp_path: Path, full: bool
) -> None:
    if not full:
        pytest.skip("the tests themselves run with the newest releases; other Pythons: --full")
    run(bare(works(version), tmp_path / "venv", str(wheel)), tmp_path, JOB)


@pytest.mark.heavy
@pytest.mark.parametrize("extra", sorted(TESTS))
def test_the_lowest_releases_of_an_extra_pass_its_tests(
    extra: str, wheel: Path, checkout: Path, tmp_path: Path, full: bool
) -> None:
    """Beside the lowest of the rest, where pip may: what the extra's packages ask for is newer at times."""
    if not full or PYTHONS[0] != HERE:
        pytest.skip(f"a minute or more for each extra: --full, with Python {PYTHONS[0]}")
    tools = [pin for pin in lowest(EXTRAS["test"]) if pin.startswith(("pytest=", "hypothesis=", "clingo="))]
    programs = bare(sys.executable, tmp_path / "venv", str(wheel), *lowest(PROJECT["dependencies"]))
    pip = [str(programs / "pip"), "install", "-q", "--prefer-binary", *tools, *lowest(EXTRAS[extra])]
    subprocess.run(pip, check=True, capture_output=True)
    shutil.copytree(checkout / "tests", tmp_path / "tests")
    shutil.copy(checkout / "pyproject.toml", tmp_path)
    files = " ".join(f"tests/{name}" for name in TESTS[extra])
    run(programs, tmp_path, f"python -P -m pytest -q -o filterwarnings=default {files}", warnings="default")
