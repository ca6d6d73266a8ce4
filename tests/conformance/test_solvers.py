"""What every descriptor in ``solvers/`` owes, and a real run of those that are installed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import wcnfgen
from tests.optional import needs
from wcnfgen import drivers, solvers
from wcnfgen.drivers import Limits
from wcnfgen.output import parse
from wcnfgen.solvers import Solver

GOLDEN = Path(__file__).parents[1] / "golden"
INSTANCES = {"wcnf": GOLDEN / "tiny.wcnf", "wcnf-old": GOLDEN / "tiny-old.wcnf"}  # one formula
CYCLE = [(1, 2), (2, 3), (3, 4), (4, 5), (1, 5)]  # its hard clauses; the cost is the number of true variables
OPTIMUM = 3
PLACEHOLDERS = {"{python}", "{binary}", "{instance}", "{wall_s}", "{memory_mib}"}


@pytest.fixture(params=solvers.names())
def solver(request: pytest.FixtureRequest) -> Solver:
    return solvers.get(request.param)


def test_says_where_it_comes_from(solver: Solver) -> None:
    assert solver.title
    assert solver.licence
    assert solver.install
    assert solver.url.startswith("https://")
    assert re.fullmatch(r"10\.\d{4,}/\S+", solver.paper)


def test_says_what_to_run(solver: Solver) -> None:
    assert bool(solver.binary) != bool(solver.module)
    assert ("{python}" in solver.argv) == bool(solver.module)
    assert "{instance}" in solver.argv
    assert {place for argument in solver.argv for place in re.findall(r"{.*?}", argument)} <= PLACEHOLDERS


def test_says_what_it_reads(solver: Solver) -> None:
    assert solver.formats
    assert set(solver.formats) <= INSTANCES.keys()
    assert solver.max_weight >= 1
    assert not solver.tried or re.search(r"\d, \d{4}-\d\d-\d\d$", solver.tried)


def test_commands_are_as_recorded() -> None:
    limits = Limits(wall_s=60, memory_mib=4000)
    recorded = dict(line.split(": ", 1) for line in (GOLDEN / "solver-commands.txt").read_text().splitlines())
    assert tuple(recorded) == solvers.names()
    for name, expected in recorded.items():
        if solvers.get(name).find():
            command = solvers.get(name).command(Path("/tiny.wcnf"), limits)
            assert " ".join(command).replace(sys.executable, "PYTHON") == expected


ANY = [name for name in solvers.names() if not solvers.get(name).encoding]
READS = [(name, form) for name in ANY for form in solvers.get(name).formats]


@pytest.mark.parametrize(("name", "form"), READS)
def test_solves_a_tiny_instance(name: str, form: str, tmp_path: Path) -> None:
    solver = solvers.get(name)
    needs(solver.find(), f"{solver.title} ({solver.install})")
    limits = Limits(wall_s=20)
    command = solver.command(INSTANCES[form], limits)
    run = drivers.get("local")(command, limits, stdout=tmp_path / "out", stderr=tmp_path / "err")
    answer = parse((tmp_path / "out").read_bytes().splitlines(keepends=True))
    assert run.limit is None
    assert (answer.status, answer.cost, answer.notes) == ("OPTIMUM FOUND", OPTIMUM, ())
    assert answer.model is not None
    values = answer.model.assignment(5, solver.values)
    assert all(values[a - 1] or values[b - 1] for a, b in CYCLE)
    assert values.sum() == OPTIMUM


@pytest.mark.parametrize("name", sorted(set(solvers.names()) - set(ANY)))
def test_solves_a_formula_of_its_encoding(name: str, tmp_path: Path) -> None:
    """The least tree for a conjunction has five nodes."""
    solver = solvers.get(name)
    needs(solver.find(), f"{solver.title} ({solver.install})")
    (tmp_path / "and.csv").write_text("a,b,class\n0,0,n\n0,1,n\n1,0,n\n1,1,y\n")
    instance = wcnfgen.encode(str(tmp_path / "and.csv"), encoding=solver.encoding)
    for form in solver.formats:
        file, log = tmp_path / f"x.{form}", tmp_path / f"{form}.log"
        instance.write(file, form)
        wcnfgen.solve(str(file), solver=name, wall=20, log=str(log))
        verdict = wcnfgen.verify(str(file), str(log)).verdict
        assert verdict.ok and verdict.status == "OPTIMUM FOUND" and verdict.size == 5
