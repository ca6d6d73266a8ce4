"""The shims against brute force, and as programs: costs, signals, limits, exit codes, what is missing."""

from __future__ import annotations

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.optional import needs
from wcnfgen.output import Answer, parse
from wcnfgen.searches import Improvement, Proved
from wcnfgen.searches._program import Remark
from wcnfgen.verdict import judge

ROOT = Path(__file__).parents[1]
PACKAGES = {"uwrmaxsat": "hermax", "cpsat": "ortools"}


@pytest.fixture(params=PACKAGES)
def shim(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of each shim whose package is there; signal handlers are as before afterwards."""
    name: str = request.param
    needs(find_spec(PACKAGES[name]), PACKAGES[name])
    before = signal.getsignal(signal.SIGTERM)
    yield name
    signal.signal(signal.SIGTERM, before)


@dataclass(frozen=True)
class Small:
    """A formula of a few variables, as lists."""

    variables: int
    hards: list[list[int]]
    softs: list[tuple[int, list[int]]]

    def text(self, *, old: bool) -> str:
        top = 2**63 - 1
        weighted = [(top if old else "h", clause) for clause in self.hards] + self.softs
        head = f"p wcnf {self.variables} {len(weighted)} {top}\n" if old else ""
        return head + "".join(f"{w} {' '.join(map(str, [*clause, 0]))}\n" for w, clause in weighted)

    def cost(self, model: tuple[bool, ...]) -> int | None:
        """None if a hard clause is false."""

        def holds(clause: list[int]) -> bool:
            return any(model[abs(x) - 1] == (x > 0) for x in clause)

        if not all(map(holds, self.hards)):
            return None
        return sum(weight for weight, clause in self.softs if not holds(clause))

    def optimum(self) -> int | None:
        costs = map(self.cost, product((False, True), repeat=self.variables))
        return min((cost for cost in costs if cost is not None), default=None)


def random_formula(rng: np.random.Generator, most: int) -> Small:
    """Unit, empty, repeated and opposite clauses; literals may come twice, variables not at all."""
    n = int(rng.integers(1, 8))

    def clause(least: int, widest: int) -> list[int]:
        size = rng.integers(least, widest + 1)
        return [int(x) for x in rng.integers(1, n + 1, size) * rng.choice([-1, 1], size)]

    hards = [clause(int(rng.random() > 0.01), 3) for _ in range(rng.integers(0, 2 * n))]
    softs = [(int(rng.integers(1, most)), clause(0, 3)) for _ in range(rng.choice([0, 3, 11]))]
    softs += softs[: rng.integers(0, 3)]
    return Small(n, hards, softs)


def run_inside(shim: str, file: Path) -> tuple[list[Improvement], list[Proved], list[str]]:
    """What the shim tells: improvements, proofs, remarks."""
    events = list(import_module(f"wcnfgen.shims.{shim}").start(str(file)))
    return (
        [each for each in events if isinstance(each, Improvement)],
        [each for each in events if isinstance(each, Proved)],
        [each.text for each in events if isinstance(each, Remark)],
    )


@pytest.mark.parametrize("most", [2, 20, 2**58])
def test_the_optimum_is_that_of_brute_force(shim: str, most: int, full: bool, tmp_path: Path) -> None:
    """Each improvement is a model, costs what it says and less than the one before; bounds are bounds."""
    rng = np.random.default_rng(most)
    seen = set()
    for number in range(400 if full else 60):
        formula = random_formula(rng, most)
        file = tmp_path / f"{number}.wcnf"
        file.write_text(formula.text(old=number % 2 == 1))
        improvements, proofs, remarks = run_inside(shim, file)
        optimum = formula.optimum()
        status = "UNSATISFIABLE" if optimum is None else "OPTIMUM FOUND"
        assert [each.status for each in proofs] == [status], (file.read_text(), remarks)
        costs = [each.cost for each in improvements]
        assert costs[-1:] == ([] if optimum is None else [optimum])
        assert costs == sorted(set(costs), reverse=True)
        for each in improvements:
            model = (each.model.tolist() + [False] * formula.variables)[1 : formula.variables + 1]
            assert formula.cost(tuple(model)) == each.cost
        for bound in (int(text[3:]) for text in remarks if text.startswith("LB ")):
            assert optimum is None or bound <= optimum
        seen.add((status, bool(formula.softs), bool(formula.hards)))
    assert len(seen) >= 5


# ---------------------------------------------------------------------------- programs


def program(shim: str, *words: str) -> list[str]:
    return [sys.executable, "-m", f"wcnfgen.shims.{shim}", *words]


def run(shim: str, *words: str, env: dict[str, str] | None = None) -> tuple[int, Answer, str]:
    """Exit code, what stdout claims, and stderr."""
    done = subprocess.run(program(shim, *words), capture_output=True, cwd=ROOT, env=env, timeout=60)
    return done.returncode, parse(done.stdout.splitlines(keepends=True)), done.stderr.decode()


def hard_instance(folder: Path) -> Path:
    """Models come at once, the proof never: 300 variables, 900 hard and 300 soft clauses."""
    rng = np.random.default_rng(1)

    def clause(width: int) -> str:
        chosen = rng.choice(300, width, replace=False) + 1
        return " ".join(map(str, [*(chosen * rng.choice([-1, 1], width)), 0]))

    hards = [f"h {clause(3)}\n" for _ in range(900)]
    softs = [f"{rng.integers(1, 20)} {clause(2)}\n" for _ in range(300)]
    file = folder / "hard.wcnf"
    file.write_text("".join(hards + softs))
    return file


@pytest.mark.parametrize(
    ("text", "code", "status", "cost", "model"),
    [
        ("h 1 0\n1 -1 0\n1 2 0\n", 30, "OPTIMUM FOUND", 1, b"11"),
        ("p wcnf 3 3 9\n9 1 2 0\n9 -1 0\n4 0\n", 30, "OPTIMUM FOUND", 4, b"01."),
        ("p cnf 2 2\n1 -2 0\n-1 0\n", 30, "OPTIMUM FOUND", 0, b"00"),
        ("", 30, "OPTIMUM FOUND", 0, b""),
        ("h 0\n1 1 0\n", 20, "UNSATISFIABLE", None, None),
        ("h 1 0\nh -1 0\n", 20, "UNSATISFIABLE", None, None),
        ("9223372036854775807 1 0\n2 2 0\n", 0, "UNKNOWN", None, None),
    ],
)
def test_exit_codes(
    shim: str, text: str, code: int, status: str, cost: int | None, model: bytes | None, tmp_path: Path
) -> None:
    file = tmp_path / "x.wcnf.gz"
    file.write_bytes(gzip.compress(text.encode()))
    exit_code, answer, stderr = run(shim, str(file))
    assert (exit_code, answer.status, answer.cost, stderr) == (code, status, cost, "")
    printed = None if answer.model is None else b"".join(answer.model.lines)
    assert printed == model if printed is None or model is None else re.fullmatch(model, printed)


def test_a_damaged_file(shim: str, tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1\n")
    code, answer, stderr = run(shim, str(tmp_path / "x.wcnf"))
    assert code == 1 and answer.status is None
    assert "x.wcnf:1: the clause does not end with 0" in stderr and stderr.count("\n") == 1


@pytest.mark.parametrize("name", PACKAGES)
def test_without_its_package(name: str, tmp_path: Path) -> None:
    """One line that says what to install."""
    (tmp_path / PACKAGES[name]).mkdir()
    (tmp_path / PACKAGES[name] / "__init__.py").write_text("raise ImportError('it is not there')")
    (tmp_path / "x.wcnf").write_text("h 1 0\n")
    code, answer, stderr = run(
        name, str(tmp_path / "x.wcnf"), env={**os.environ, "PYTHONPATH": str(tmp_path)}
    )
    assert code == 1 and answer.status is None and answer.model is None
    assert stderr == f"wcnfgen: error: it is not there; pip install {PACKAGES[name]}\n"


@pytest.mark.parametrize("whom", ["program", "child"])
def test_sigterm_brings_the_best_model_out(shim: str, whom: str, tmp_path: Path) -> None:
    """The driver tells the leaves of the process tree first, a shell the parent."""
    import psutil

    file = hard_instance(tmp_path)
    process = subprocess.Popen(program(shim, str(file)), stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    begun: list[bytes] = []
    while not begun or (shim == "cpsat" and not begun[-1].startswith(b"o ")):
        begun.append(process.stdout.readline())
    time.sleep(1.5)  # the other one does not tell when it has a model
    (child,) = psutil.Process(process.pid).children()
    told = time.monotonic()
    os.kill(child.pid if whom == "child" else process.pid, signal.SIGTERM)
    rest = process.communicate(timeout=20)[0]
    assert time.monotonic() - told < 3
    assert process.returncode == 10 and not child.is_running()
    answer = parse([*begun, *rest.splitlines(keepends=True)])
    verdict = judge(file, answer).verdict
    assert verdict.claims_hold and verdict.status == "SATISFIABLE" and verdict.cost == answer.cost


def test_a_limit_on_the_command_line(shim: str, tmp_path: Path) -> None:
    """As the Evaluation calls a solver from 2026 on."""
    file = hard_instance(tmp_path)
    began = time.monotonic()
    code, answer, _ = run(shim, str(file), "4")
    assert 4 <= time.monotonic() - began < 30  # a loaded machine
    assert code == 10 and judge(file, answer).verdict.claims_hold
    assert run(shim, str(file), "0")[0] == 2


def test_cpsat_tells_costs_as_they_are_found(tmp_path: Path) -> None:
    needs(find_spec("ortools"), "ortools")
    process = subprocess.Popen(
        program("cpsat", str(hard_instance(tmp_path))), stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    costs: list[int] = []
    while len(costs) < 5:  # the solver is not to end by itself
        line = process.stdout.readline()
        assert line
        if line.startswith(b"o "):
            costs.append(int(line[2:]))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert costs == sorted(set(costs), reverse=True)


@pytest.mark.parametrize(
    ("number", "whom", "says"),
    [
        (signal.SIGTERM, "program", b""),
        (signal.SIGTERM, "child", b""),
        (signal.SIGSEGV, "child", b"c killed by SIGSEGV\n"),
    ],
)
def test_an_end_before_there_is_a_model(number: int, whom: str, says: bytes, tmp_path: Path) -> None:
    """While it reads the file there is nothing to wait for: it ends at once and says so."""
    import psutil

    needs(find_spec("hermax"), "hermax")
    os.mkfifo(tmp_path / "endless")
    command = program("uwrmaxsat", str(tmp_path / "endless"))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None and process.stdout.readline().startswith(b"c UWrMaxSat")
    (child,) = psutil.Process(process.pid).children()
    os.kill(child.pid if whom == "child" else process.pid, number)
    assert process.communicate(timeout=20)[0] == says + b"s UNKNOWN\n" and process.returncode == 0


class Liar:
    """A solver of hermax's make that says what it is told to say."""

    def __init__(self, status: int, cost: int) -> None:
        self.status, self.cost = status, cost

    def signature(self) -> str:
        return "Liar"

    def addClause(self, clause: list[int], weight: int | None = None) -> None: ...  # noqa: N802

    def set_terminate(self, ask: object) -> None: ...

    def solve(self) -> int:
        return self.status

    def getValue(self, variable: int) -> bool:  # noqa: N802
        return True

    def getCost(self) -> int:  # noqa: N802
        return self.cost


@pytest.mark.parametrize(
    ("text", "status", "cost", "told"),
    [
        ("h 1 0\n3 -2 0\n", 30, 3, ["3", "OPTIMUM FOUND"]),
        ("h 1 0\n3 -2 0\n", 30, 2, ["3", "an optimum of 2 is claimed, the model costs 3"]),
        ("h 1 0\n3 -2 0\n", 10, 0, ["3"]),
        ("h -1 0\n3 -2 0\n", 30, 3, ["an optimum of 3 is claimed, the model costs None"]),
        ("h -1 0\n3 -2 0\n", 0, 3, []),
    ],
)
def test_the_solver_is_not_believed(
    text: str, status: int, cost: int, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that is none, a cost that is not the model's."""
    needs(find_spec("hermax"), "hermax")
    monkeypatch.setattr("hermax.core.urmaxsat_py.UWrMaxSAT", lambda: Liar(status, cost))
    before = signal.getsignal(signal.SIGTERM)
    (tmp_path / "x.wcnf").write_text(text)
    improvements, proofs, remarks = run_inside("uwrmaxsat", tmp_path / "x.wcnf")
    signal.signal(signal.SIGTERM, before)
    assert [str(e.cost) for e in improvements] + [e.status for e in proofs] + remarks[1:] == told
