"""Descriptors held against what their solvers once printed.

A recorded line is the second at which it came, O or E for the stream, and the text.  Logs of tiny instances
are called ``SOLVER.INSTANCE.old.log`` or ``.new.log``; the others are of one larger instance that nobody
solves, and of a SIGTERM that ended the run.
"""

from __future__ import annotations

import itertools
import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import wcnfgen
from tests.solving import falsified
from wcnfgen import reader, solvers
from wcnfgen.drivers import Run
from wcnfgen.output import Answer, parse
from wcnfgen.solvers import Format, Solver

LOGS = Path(__file__).parents[2].parent / "shared" / "solver-logs"
INSTANCES = LOGS / "instances"
FORMATS: dict[str, Format] = {"old": "wcnf-old", "new": "wcnf"}
LARGER = "med"
TINY = {  # of descriptor: how its logs begin
    "evalmaxsat": "EvalMaxSAT.",
    "loandra": "loandra22.",
    "loandra-2021": "loandra21-",
    "open-wbo": "open-wbo.",
    "open-wbo-inc": "open-wbo-inc.",
    "tt-open-wbo-inc": "tt-open-wbo-inc-IntelSATSolver_static.",
}
STOPPED = {  # of descriptor: a log that ends by SIGTERM
    "clasp": "clasp_med_TERM",
    "evalmaxsat": "evalmaxsat-med-TERM",
    "loandra": "loandra22-med-TERM",
    "loandra-2021": "loandra21-med",
    "nuwls-c": "nuwls-c-2022-med-TERM",
    "open-wbo": "open-wbo-med-TERM",
    "open-wbo-inc": "open-wbo-inc-med-TERM",
    "sat4j": "sat4j_med_TERM",
    "satlike": "satlike3-hfcrpf-med-TERM",
    "tt-open-wbo-inc": "tt-open-wbo-inc-IntelSATSolver_static-med-TERM",
}
TRAPS = {"empty_soft": "empty soft", "nosoft": "no soft", "onevar": "no hard", "dupsoft": "repeated soft"}

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the recorded logs are not here")


def lines(log: Path) -> list[tuple[float, bytes]]:
    """What came on standard output, and when."""
    pattern = re.compile(rb" *(\d+\.\d+) O (.*\n?)")
    found = map(pattern.fullmatch, log.read_bytes().splitlines(keepends=True))
    return [(float(match[1]), match[2]) for match in found if match]


def tiny(name: str) -> list[tuple[str, Format, Answer]]:
    """The recorded answers of a solver: instance, format, answer."""
    pattern = re.compile(re.escape(TINY[name]) + r"(\w+)\.(old|new)\.log")
    found = [match for log in sorted(LOGS.iterdir()) if (match := pattern.fullmatch(log.name))]
    return [(match[1], FORMATS[match[2]], parse(lines(LOGS / match[0]))) for match in found]


@cache
def formula(instance: str, form: str) -> reader.Whole:
    return reader.read(INSTANCES / f"{instance}.{form}.wcnf")


@cache
def optimum(instance: str) -> int | None:
    """By trying all assignments; None if the hard clauses are unsatisfiable."""
    whole = formula(instance, "new")
    every = np.array(list(itertools.product((False, True), repeat=whole.variables + 1)))
    allowed = every[~np.any([falsifies(every, block) for block in whole.hard()], axis=0)]
    costs = sum(weight * falsifies(allowed, block) for weight, block in whole.soft())
    return int(np.min(costs)) if len(allowed) else None


def falsifies(every: NDArray[np.bool_], block: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of some assignments falsify a clause; assignments are rows, indexed by variable."""
    return np.asarray(~(every[:, np.abs(block[0])] ^ (block[0] < 0)).any(axis=1))


def true_cost(answer: Answer, solver: Solver, instance: str) -> int | None:
    """Of the model; None if there is none, or a hard clause is falsified."""
    if answer.model is None:
        return None
    whole = formula(instance, "new")
    values = np.array((False, *answer.model.assignment(whole.variables, solver.values)))
    hard, cost = falsified(whole, values)
    return None if hard else cost


def is_right(answer: Answer, solver: Solver, instance: str) -> bool:
    """The optimum and a model of it, claimed as such by complete solvers; or unsatisfiable."""
    best = optimum(instance)
    if best is None:
        return answer.status == "UNSATISFIABLE" or not (solver.complete or answer.model)
    claimed = answer.status == "OPTIMUM FOUND" or not solver.complete
    cost = true_cost(answer, solver, instance)
    return claimed and cost == answer.cost and (cost == best if solver.complete else cost is not None)


@pytest.mark.parametrize("name", TINY)
def test_formats(name: str) -> None:
    """Right in the formats it reads, bar its traps; wrong without a word where it misreads; else no claim."""
    solver = solvers.get(name)
    recorded = tiny(name)
    assert recorded
    for instance, form, answer in recorded:
        if form in solver.formats:
            assert TRAPS.get(instance) in solver.fails_on or is_right(answer, solver, instance), instance
        elif form not in solver.misreads:
            assert answer.model is None and answer.status in (None, "UNKNOWN")
    for form in solver.misreads:
        wrong = [
            not is_right(answer, solver, instance) for instance, read, answer in recorded if read == form
        ]
        assert any(wrong)


@pytest.mark.parametrize("name", TINY)
def test_traps(name: str) -> None:
    """What it is said to fail on is what it failed on."""
    solver = solvers.get(name)
    for instance, form, answer in tiny(name):
        if form in solver.formats and TRAPS.get(instance) in solver.fails_on:
            assert answer.status != "OPTIMUM FOUND" or not is_right(answer, solver, instance), instance


@pytest.mark.parametrize("name", STOPPED)
def test_models(name: str) -> None:
    """A model on SIGTERM if it is anytime; in the form that it is said to have; of the cost it says."""
    solver = solvers.get(name)
    answer = parse(lines(LOGS / f"{STOPPED[name]}.log"))
    assert bool(answer.model) == solver.anytime
    if answer.model is not None:
        signs = b"".join(answer.model.lines).translate(None, b"01 ")
        assert solver.values == ("literals" if signs else "bits")
        assert true_cost(answer, solver, LARGER) == answer.cost


@pytest.mark.parametrize("name", sorted(set(STOPPED) - {"clasp"}))  # its log is of another call
def test_lines_come_as_they_are_found(name: str) -> None:
    """Or else the descriptor says how to get them."""
    recorded = lines(LOGS / f"{STOPPED[name]}.log")
    first = next((second for second, text in recorded if text.startswith(b"o ")), None)
    if first is not None:
        assert (recorded[-1][0] - first < 0.05) == (solvers.get(name).line_buffer != "none")


REPLAY = """#!{python}
import signal, sys
if not any(word.endswith(".wcnf") for word in sys.argv):
    sys.exit()  # asked for its version
early, late = {early!r}, {late!r}
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
sys.stdout.buffer.write(early)
sys.stdout.flush()
signal.sigwait([signal.SIGTERM])
sys.stdout.buffer.write(late)
"""


def rerun(name: str, log: str, tmp_path: Path) -> tuple[Run, Answer]:
    """A program that prints what the solver printed, run in its place and stopped like it."""
    recorded = lines(LOGS / f"{log}.log")
    stop = recorded[-1][0] - 0.1
    early = b"".join(text for second, text in recorded if second < stop)
    late = b"".join(text for second, text in recorded if second >= stop)
    binary, out = tmp_path / "replay", tmp_path / "out"
    binary.write_text(REPLAY.format(python=sys.executable, early=early, late=late))
    binary.chmod(0o755)
    run = wcnfgen.solve(
        str(INSTANCES / f"{LARGER}.old.wcnf"),
        solver=name,
        binary=str(binary),
        wall=1.5,
        log=str(out),
        record=str(tmp_path / "record"),
    ).run
    return run, parse([out.read_bytes()])


@pytest.mark.parametrize("name", sorted(set(STOPPED) - {"sat4j"}))  # that is no program but a .jar
def test_a_run_of_the_recorded_solver(name: str, tmp_path: Path) -> None:
    solver = solvers.get(name)
    run, answer = rerun(name, STOPPED[name], tmp_path)
    assert (run.limit, run.exit_code, run.killed) == ("wall", 0, False)
    assert answer.cost == parse(lines(LOGS / f"{STOPPED[name]}.log")).cost
    assert true_cost(answer, solver, LARGER) == (answer.cost if solver.anytime else None)


def test_toulbar2_is_translated(tmp_path: Path) -> None:
    run, answer = rerun("toulbar2", "toulbar2_med_s", tmp_path)
    assert (run.limit, run.exit_code, run.killed) == ("wall", 10, False)
    assert answer.status == "SATISFIABLE" and answer.cost == 2654
    assert true_cost(answer, solvers.get("toulbar2"), LARGER) == answer.cost
