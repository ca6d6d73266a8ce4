"""What every descriptor in ``solvers/`` owes, and real runs of those that are installed."""

from __future__ import annotations

import ast
import io
import lzma
import re
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import wcnfgen
from tests.optional import needs
from tests.solving import falsified
from wcnfgen import reader, solvers
from wcnfgen.drivers import Limits, LineBuffer, Run
from wcnfgen.output import Answer, parse
from wcnfgen.solvers import Solver, Trap

GOLDEN = Path(__file__).parents[1] / "golden"
INSTANCES = {"wcnf": GOLDEN / "tiny.wcnf", "wcnf-old": GOLDEN / "tiny-old.wcnf"}  # one formula
OPTIMUM = 3
ALL_TRAPS = b"1 0\n1 1 0\n1 -1 0\n1 1 2 0\n1 -2 0\n"  # soft: empty, repeated, long; nothing hard
COST_OF_TRAPS = 2  # of the empty one and of 1 or -1
PLACEHOLDERS = {"{python}", "{binary}", "{instance}", "{wall_s}", "{own_s}", "{memory_mib}"}


@pytest.fixture(params=solvers.names())
def solver(request: pytest.FixtureRequest) -> Solver:
    return solvers.get(request.param)


# ---------------------------------------------------------------------------- the data


def test_says_where_it_comes_from(solver: Solver) -> None:
    assert solver.title and solver.licence and solver.install
    assert solver.url.startswith("https://")
    assert not solver.paper or re.fullmatch(r"10\.\d{4,}/\S+", solver.paper)


def test_titles_tell_solvers_apart() -> None:
    titles = [solvers.get(name).title for name in solvers.names()]
    assert len(set(titles)) == len(titles)


def test_says_what_to_run(solver: Solver) -> None:
    assert not (solver.binary and solver.module)
    if not (solver.binary or solver.module):
        assert "--binary" in solver.install
    assert bool(solver.package) == bool(solver.module)
    assert solver.module or not solver.needs
    assert not (solver.module and solver.asks)


def test_says_how_to_call_it(solver: Solver) -> None:
    """A program by its path, perhaps through a filter in Python; a module by its name."""
    assert ("{binary}" in solver.argv) == (not solver.module)
    if solver.module:
        assert solver.argv[0] == "{python}" and solver.module in solver.argv
    assert "{instance}" in solver.argv
    assert {place for argument in solver.argv for place in re.findall(r"{.*?}", argument)} <= PLACEHOLDERS


def test_says_what_it_reads(solver: Solver) -> None:
    assert solver.formats
    assert set(solver.formats) | set(solver.misreads) <= INSTANCES.keys()
    assert not set(solver.formats) & set(solver.misreads)
    assert set(solver.compressed) <= {".gz", ".xz", ".bz2"}
    assert 1 <= solver.max_weight < 2**63
    assert set(solver.fails_on) <= set(get_args(Trap))


def test_says_how_it_prints(solver: Solver) -> None:
    assert solver.line_buffer in get_args(LineBuffer)
    assert solver.line_buffer == "none" or not solver.module, "a module is run with python -u instead"


def test_texts_are_one_line(solver: Solver) -> None:
    for text in (solver.signals, solver.quirks, solver.install, solver.tried):
        assert text == text.strip() and "\n" not in text and not text.endswith(".")
    assert not solver.tried or re.fullmatch(r"\S.*\d.*, \d{4}-\d\d-\d\d", solver.tried)


def test_a_descriptor_is_data(solver: Solver) -> None:
    """A docstring, an import and one call whose arguments are constants or arithmetic on them."""
    name = next(name for name in solvers.names() if solvers.get(name) is solver)
    source = Path(solvers.__path__[0]) / f"{name.replace('-', '_')}.py"
    docstring, imported, assigned = ast.parse(source.read_text()).body
    assert isinstance(docstring, ast.Expr) and len(ast.unparse(docstring).splitlines()) <= 7
    assert ast.unparse(imported) == "from wcnfgen.solvers import Solver"
    assert isinstance(assigned, ast.Assign) and isinstance(assigned.value, ast.Call)
    for keyword in assigned.value.keywords:
        assert all(
            isinstance(node, (ast.Constant, ast.Tuple, ast.BinOp, ast.operator, ast.Load))
            for node in ast.walk(keyword.value)
        )


def test_commands_are_as_recorded() -> None:
    limits = Limits(wall_s=60, memory_mib=4000)
    recorded = dict(line.split(": ", 1) for line in (GOLDEN / "solver-commands.txt").read_text().splitlines())
    assert tuple(recorded) == solvers.names()
    for name, expected in recorded.items():
        solver = solvers.get(name)
        binary = None if solver.module else "/bin/sh"
        if solver.find(binary):
            command = " ".join(solver.command(Path("/tiny.wcnf"), limits, binary))
            assert command.replace(sys.executable, "PYTHON").replace("/bin/sh", "BINARY") == expected


# ------------------------------------------------------------ real runs, of what registries have

INSTALLED = [name for name in solvers.names() if solvers.get(name).module or solvers.get(name).find()]
HERE = [name for name in INSTALLED if re.match("pip|apt-get|it comes", solvers.get(name).install)]
ANY = [name for name in HERE if not solvers.get(name).encoding]
READS = [(name, form) for name in ANY for form in solvers.get(name).formats]
ANYTIME = [name for name in ANY if solvers.get(name).anytime]


def installed(name: str) -> Solver:
    """The solver; a Python package that is missing is a skip, and in CI a failure."""
    solver = solvers.get(name)
    needs(solver.find(), f"{solver.title} ({solver.install})")
    return solver


def solve(name: str, file: Path, wall: float = 30.0) -> tuple[Run, Answer]:
    log = file.with_name("log")
    run = wcnfgen.solve(str(file), solver=name, wall=wall, log=str(log)).run
    return run, parse([log.read_bytes()])


def holds(answer: Answer, solver: Solver, file: Path) -> None:
    """The model satisfies the hard clauses of the file, and the last cost is its cost."""
    formula = reader.read(file)
    assert answer.model is not None
    values = np.zeros(formula.variables + 1, np.bool_)
    values[1:] = answer.model.assignment(formula.variables, solver.values)
    assert falsified(formula, values) == (0, answer.cost)


@pytest.mark.parametrize(("name", "form"), READS)
def test_solves_a_tiny_instance(name: str, form: str, tmp_path: Path) -> None:
    """In each format that it reads."""
    solver = installed(name)
    file = tmp_path / "tiny.wcnf"
    file.write_bytes(INSTANCES[form].read_bytes())
    run, answer = solve(name, file)
    holds(answer, solver, file)
    assert answer.cost == OPTIMUM
    assert answer.status == "OPTIMUM FOUND" and run.limit is None


@pytest.mark.parametrize("name", ANY)
def test_is_given_what_it_reads(name: str, tmp_path: Path) -> None:
    """An instance in the other format, compressed, is turned into one that the solver reads."""
    solver = installed(name)
    other = next((form for form in INSTANCES if form not in solver.formats), "wcnf-old")
    file = tmp_path / "a name with blanks.wcnf.xz"
    file.write_bytes(lzma.compress(INSTANCES[other].read_bytes()))
    _, answer = solve(name, file)
    holds(answer, solver, file)
    assert answer.cost == OPTIMUM


@pytest.mark.parametrize("name", ANY)
def test_is_kept_from_what_it_fails_on(name: str, tmp_path: Path) -> None:
    solver = installed(name)
    file = tmp_path / "traps.wcnf"
    file.write_bytes(ALL_TRAPS)
    _, answer = solve(name, file)
    holds(answer, solver, file)
    assert answer.cost == COST_OF_TRAPS


@pytest.mark.parametrize("name", ANYTIME)
def test_stops_with_its_best_model(name: str, tmp_path: Path) -> None:
    """At a limit, on an instance that nobody proves in that time."""
    solver = installed(name)
    file = tmp_path / "hard.wcnf"
    file.write_bytes(random_instance(variables=300, clauses=900))
    run, answer = solve(name, file, wall=4)
    assert run.limit == "wall" and not run.killed
    assert answer.status != "OPTIMUM FOUND"
    holds(answer, solver, file)


def random_instance(variables: int, clauses: int) -> bytes:
    """Random clauses of three literals, and a weight on each variable that is true."""
    random = np.random.default_rng(7)
    out = io.StringIO()
    for _ in range(clauses):
        literals = (1 + random.choice(variables, 3, replace=False)) * random.choice([-1, 1], 3)
        print("h", *literals, 0, file=out)
    for variable in range(1, variables + 1):
        print(random.integers(1, 50), -variable, 0, file=out)
    return out.getvalue().encode()


@pytest.mark.parametrize("name", [name for name in HERE if solvers.get(name).encoding])
def test_solves_a_formula_of_its_encoding(name: str, tmp_path: Path) -> None:
    """The least tree for a conjunction has five nodes."""
    solver = installed(name)
    (tmp_path / "and.csv").write_text("a,b,class\n0,0,n\n0,1,n\n1,0,n\n1,1,y\n")
    instance = wcnfgen.encode(str(tmp_path / "and.csv"), encoding=solver.encoding)
    for form in solver.formats:
        file, log = tmp_path / f"x.{form}", tmp_path / f"{form}.log"
        instance.write(file, form)
        wcnfgen.solve(str(file), solver=name, wall=20, log=str(log))
        verdict = wcnfgen.verify(str(file), str(log)).verdict
        assert verdict.ok and verdict.status == "OPTIMUM FOUND" and verdict.size == 5
