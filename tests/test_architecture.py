"""The structure that the README describes, held by the code itself."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "wcnfgen"
LINKED = ("drivers", "solvers", "instances")
TOP = {"pyproject.toml", "wcnfgen", "drivers", "solvers", "instances", "tests", "README.md", "LICENSE"}

# Low to high: a module imports only from its own line or from lines above.
LAYERS = [
    ["errors"],
    ["signatures", "options"],
    ["files", "leftovers", "lock", "workers", "variables", "tree"],
    ["delimited", "data"],
    ["missing", "cuts", "words", "features", "binarise", "rows", "svg", "render", "notebook"],
    ["clauses", "boosting", "bounds"],
    ["weights"],
    ["prepare"],
    ["constraints"],
    ["encodings"],
    ["writer", "reader", "model"],
    ["output"],
    ["claims", "map"],
    ["instance", "verdict", "searches", "shims"],
    ["making"],
    ["voting"],
    ["rounds"],
    ["drivers"],
    ["solvers"],
    ["record", "adapt", "peers"],
    ["runs"],
    ["trials"],
    ["examination"],
    ["doctor"],
    ["launch"],
    ["instances"],
    ["identity", "gbd", "drawing", "tex"],
    ["bundle"],
    ["checks"],
    ["judged", "contradictions"],
    ["calibration"],
    ["campaign"],
    ["report"],
    ["experiments"],
    ["commands"],
    ["estimators"],
    ["cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def modules() -> list[Path]:
    """Every source file, once; linked folders at their real place."""
    inside = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in LINKED]
    return inside + [path for folder in LINKED for path in (ROOT / folder).rglob("*.py")]


def layer(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "wcnfgen" else parts[0]


def imports(path: Path) -> set[str]:
    """The layers that a module imports, inside functions too; imports for type checkers do not count."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    ours = {name.split(".")[1] for name in found if name.startswith("wcnfgen.") and name.count(".") >= 1}
    return {name for name in ours if name in LEVEL}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    if path == PACKAGE / "__init__.py":
        return
    own = layer(path)
    assert own in LEVEL, f"{own} has no place in the layers"
    above = {name for name in imports(path) if LEVEL[name] > LEVEL[own]}
    assert not above, f"{own} imports {above}"


def test_the_map_of_the_code_is_whole() -> None:
    """It names every module once, and imports go up it."""
    section = (ROOT / "README.md").read_text().partition("## Map of the code")[2].partition("\n## ")[0]
    cells = [line.split("|")[2] for line in section.splitlines() if line.startswith("| ")]
    row = [(name, number) for number, cell in enumerate(cells) for name in re.findall(r"`(\w+)/?`", cell)][1:]
    paths = [each for each in PACKAGE.iterdir() if each.suffix == ".py" or (each / "__init__.py").exists()]
    assert sorted(name for name, _ in row) == sorted({each.stem for each in paths} - {"__init__", "__main__"})
    row_of = dict(row)
    down = {
        (path, name)
        for path in modules()
        for name in imports(path)
        if layer(path) in row_of and row_of.get(name, 0) > row_of[layer(path)]
    }
    assert not down


def test_top_level_entries() -> None:
    if not (shutil.which("git") and (ROOT / ".git").exists()):
        pytest.skip("git is not installed, or this is no checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {name.split("/")[0] for name in listed.stdout.splitlines()}
    assert {name for name in found if not name.startswith(".")} == TOP


@pytest.mark.parametrize("name", LINKED)
def test_links(name: str) -> None:
    """A checkout without symbolic links would import nothing."""
    assert (PACKAGE / name).is_symlink()
    assert (PACKAGE / name).readlink() == Path("..") / name


HEAVY = r"\b(pandas|sklearn|pysat|rich|matplotlib|plotly|scipy|pyarrow|distributed|dask_jobqueue)\b"


def test_core_does_not_import_what_is_heavy_or_optional() -> None:
    """pandas is for reports, scikit-learn for tests and the estimators, PySAT where it is used."""
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            text = ast.unparse(node) if isinstance(node, (ast.Import, ast.ImportFrom)) else ""
            assert not re.search(HEAVY, text), (path, text)


def test_nothing_dangerous() -> None:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in ("eval", "exec", "os.system", "pickle.load", "pickle.loads"), path
                assert not any(k.arg == "shell" for k in node.keywords), path


def test_only_the_command_line_prints_and_exits() -> None:
    for path in modules():
        if path.name in ("cli.py", "__main__.py"):
            continue
        calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
        names = {ast.unparse(call.func) for call in calls}
        assert not names & {"print", "sys.exit", "exit"}, path


def test_public_names() -> None:
    import wcnfgen

    assert wcnfgen.__all__ == sorted(wcnfgen.__all__)
    for name in wcnfgen.__all__:
        assert callable(getattr(wcnfgen, name))
    with pytest.raises(AttributeError):
        _ = wcnfgen.nonsense  # type: ignore[attr-defined]
