"""Recorded output of real solvers on tiny formulas: every lie in it is found, and nothing else called one."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import pytest

from wcnfgen import reader, verdict
from wcnfgen.output import Answer, parse
from wcnfgen.variables import Literals

LOGS = Path(__file__).parents[2].parent / "shared" / "solver-logs"
INSTANCES = LOGS / "instances"
MOST = 12  # variables that brute force takes

LIARS = {
    "loandra22.empty_hard.old": {"hard-falsified", "o-mismatch", "wrong-format-suspected"},
    "loandra22.unsat.old": {"hard-falsified", "o-mismatch", "wrong-format-suspected"},
    "open-wbo-inc.big.old": {"contradiction"},  # it approximates weights
    "open-wbo-inc.huge.old": {"contradiction"},
    "open-wbo-inc.onevar.new": {"o-mismatch", "contradiction"},  # new, without an h line: read as old
    "open-wbo.onevar.new": {"o-mismatch", "contradiction"},
}


def tiny(log: Path) -> Path:
    """The instance that a log is of, SOLVER.INSTANCE.FORMAT.log."""
    _, name, form = log.stem.rsplit(".", 2)
    return INSTANCES / f"{name}.{form}.wcnf"


CASES = [log for log in sorted(LOGS.glob("*.*.*.log")) if log.stem.count(".") >= 2 and tiny(log).exists()]


def answer(log: Path) -> Answer:
    """Each line of a recording is `seconds O text`; E is standard error."""
    lines = (line for line in log.read_bytes().splitlines() if line[10:12] == b"O ")
    return parse((float(line[:9]), line[12:] + b"\n") for line in lines)


@cache
def optimum(path: Path) -> int | None:
    """By trying every assignment; None if no model satisfies the hard clauses."""
    whole = reader.read(path)
    assert whole.variables <= MOST

    def holds(clause: Literals, bits: tuple[bool, ...]) -> bool:
        return any(bits[abs(literal) - 1] == (literal > 0) for literal in clause.ravel().tolist())

    costs = [
        sum(weight for weight, clause in whole.softs if not holds(clause, bits))
        for bits in itertools.product((False, True), repeat=whole.variables)
        if all(holds(clause, bits) for clause in whole.hards)
    ]
    return min(costs, default=None)


@pytest.mark.skipif(not CASES, reason="no ../shared with solver logs beside this checkout")
class TestRecordedVerdicts:
    @pytest.mark.parametrize("log", CASES, ids=lambda path: path.stem)
    def test_only_liars_are_caught(self, log: Path) -> None:
        found = verdict.judge(tiny(log), answer(log), known=optimum(tiny(log))).verdict
        assert {finding.kind for finding in found.findings} == LIARS.get(log.stem, set())
        if found.claims_hold and found.status == "OPTIMUM FOUND":
            assert found.cost == optimum(tiny(log))

    def test_all_liars_are_there(self) -> None:
        assert {log.stem for log in CASES} >= LIARS.keys()
        assert len(CASES) > 100
