"""Trials: a solver runs on a tiny formula whose every model is known, and its answer is judged.

Each `Case` is there for one question about a solver.  In those that say whether it reads the format, the
hard clauses forbid what a solver does that skips or misreads them: all variables false, all true, or the
best of the soft clauses alone.  Nothing a solver says is believed: costs are counted here, clause by
clause, and the optimum is found by trying every assignment.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen import adapt, drivers, leftovers, runs
from wcnfgen.drivers import Limits, LineBuffer, Run
from wcnfgen.errors import FormatError
from wcnfgen.output import Answer, Parser
from wcnfgen.reader import HARD
from wcnfgen.words import last_line

if TYPE_CHECKING:
    from wcnfgen.solvers import Format, Solver, Trap

Outcome = Literal["ok", "model", "no model", "wrong", "refused", "crash", "nothing"]
Ending = Literal["", ".gz", ".xz"]
Clause = tuple[int, tuple[int, ...]]

MEMORY_MIB = 4000.0
OUTPUT_MIB = 64.0
CRASHES = {132, 134, 135, 136, 139}  # how a shell says SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV


@dataclass(frozen=True, slots=True)
class Case:
    """A formula, clauses as (weight or HARD, literals); trap is what a solver may not be able to have in it.

    Without known, it is too large to know the optimum.
    """

    name: str
    clauses: tuple[Clause, ...]
    trap: Trap | None = None
    known: bool = True

    @property
    def variables(self) -> int:
        """The largest variable."""
        return max((abs(x) for _, c in self.clauses for x in c), default=0)

    @property
    def heaviest(self) -> int:
        """The largest soft weight."""
        return max((w for w, _ in self.clauses), default=0)

    @property
    def top(self) -> int:
        """The weight of a hard clause in a file of the format before 2022."""
        return 1 + sum(w for w, _ in self.clauses if w != HARD)

    def text(self, format: Format) -> bytes:
        """The file."""
        hard = "h" if format == "wcnf" else str(self.top)
        head = "" if format == "wcnf" else f"p wcnf {self.variables} {len(self.clauses)} {self.top}\n"
        lines = (" ".join(map(str, (hard if w == HARD else w, *c, 0))) for w, c in self.clauses)
        return (head + "".join(f"{line}\n" for line in lines)).encode()

    def cost(self, values: NDArray[np.bool_]) -> tuple[int, int]:
        """The weight that an assignment, indexed from variable 1, falsifies, and how many hard clauses."""
        false = [w for w, c in self.clauses if not any(values[abs(x) - 1] == (x > 0) for x in c)]
        return sum(w for w in false if w != HARD), false.count(HARD)

    @property
    def flat(self) -> Case:
        """The same with all soft weights 1."""
        return replace(self, clauses=tuple((min(w, 1), c) for w, c in self.clauses))

    @property
    def optimum(self) -> float:
        """The least cost of a model; infinite if there is none, 0 if that is not known."""
        return _optimum(self) if self.known else 0


@cache
def _optimum(case: Case) -> float:
    """By trying every assignment of the variables that occur."""
    used = sorted({abs(x) - 1 for _, c in case.clauses for x in c})
    best = math.inf
    values = np.zeros(case.variables, np.bool_)
    for bits in itertools.product([False, True], repeat=len(used)):
        values[used] = bits
        cost, falsified = case.cost(values)
        best = best if falsified else min(best, cost)
    return best


def _hard(*clauses: tuple[int, ...]) -> tuple[Clause, ...]:
    return tuple((HARD, clause) for clause in clauses)


def _units(weights: Iterable[int]) -> tuple[Clause, ...]:
    """Soft unit clauses of these weights, that want the variables 1, 2, ... true, but for each third one."""
    return tuple((w, (-x if x % 3 == 0 else x,)) for x, w in enumerate(weights, 1))


# no two of 1, 2, 4 are true; 3, 5, 6 are not all false; chains between them; neither all true nor all false
_CORE = _hard(
    (-1, -2), (-2, -4), (-1, -4), (1, 2, 4), (3, 5, 6), (-5, 1, 3), (-6, 2, 3), (-3, 7), (-7, -8, 4), (8, 1)
)  # fmt: skip

UNWEIGHTED = Case("unweighted", _CORE + _units([1] * 8))
WEIGHTED = Case("weighted", _CORE + _units([4, 7, 9, 3, 8, 5, 6, 2]))
UNSAT = Case("unsatisfiable", _hard((1, 2), (1, -2), (-1, 2), (-1, -2)) + _units([3, 5]))
READING = (UNWEIGHTED, WEIGHTED, UNSAT)  # whether a format is read

WEIGHTS = (
    Case("weights < 2^31", _CORE + _units([2**31 - k for k in (1, 3, 900, 77, 5, 12345, 2**20, 9)])),
    Case("weights 3e9 to 9e9", _CORE + _units([(3 + k) * 10**9 + 7**k for k in (0, 3, 6, 1, 5, 2, 4, 3)])),
    Case("weights 2^56 to 2^58", _CORE + _units([2**56 * k + 7**k for k in (1, 4, 3, 1, 2, 3, 2, 4)])),
)
TRAPS = (
    Case("no soft clauses", _CORE, "no soft"),
    Case("no hard clauses", ((3, (-1, -2)), (5, (1,)), (4, (2,)), (2, (3, -1)), (6, (-3,))), "no hard"),
    Case("an empty soft clause", (*_CORE, (5, ()), *_units([4, 7, 9, 3])), "empty soft"),
    Case("long soft clauses", (*_CORE, (4, (1, 2)), (7, (2, 4)), (3, (1, 4)), (5, (5, 6, 8))), "long soft"),
    Case("repeated soft clauses", (*_CORE, (3, (1,)), (2, (1,)), (4, (2,)), (4, (2,))), "repeated soft"),
    Case("opposite soft clauses", (*_CORE, (3, (1,)), (2, (-1,)), (4, (2,)), (4, (-2,))), "repeated soft"),
    Case("optimum 0", _hard((1, 2), (-1, 3)) + _units([2, 3]), "optimum 0"),
)
OTHERS = (
    Case("variables left out", (*_hard((-7, -90), (90, 500), (-500, 7)), (2, (7,)), (5, (90,)), (3, (500,)))),
    Case("one variable", (*_hard((1,)), (3, (-1,)))),
    Case("an empty hard clause", (*_hard((), (1, 2)), (3, (-1,)))),
)  # fmt: skip


def stubborn(*, weighted: bool) -> Case:
    """A random formula of 300 variables that solvers improve on for minutes; satisfiable hard clauses."""
    draw = np.random.default_rng(0)
    model = draw.integers(0, 2, 301) == 1
    hard: list[tuple[int, ...]] = []
    while len(hard) < 900:
        clause = draw.choice(300, 3, replace=False) + 1
        signs = draw.integers(0, 2, 3) == 1
        if (model[clause] == signs).any():
            hard.append(tuple(np.where(signs, clause, -clause).tolist()))
    weights = draw.integers(1, 100, 300).tolist() if weighted else [1] * 300
    signs = draw.integers(0, 2, 300) == 1
    soft = tuple((w, (x if sign else -x,)) for x, (w, sign) in enumerate(zip(weights, signs, strict=True), 1))
    return Case("stubborn", _hard(*hard) + soft, known=False)


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a solver on a case, and what came of it.

    outcome  ok: all that was asked for, proved; model: a right model, not proved the best; no model: an
             answer without one; wrong: something it said is not so; refused: it ended with no answer;
             crash; nothing: it was stopped at the limit, and had said nothing
    detail   in a few words, why
    """

    case: Case
    format: Format
    outcome: Outcome
    detail: str
    run: Run
    answer: Answer

    @property
    def ended(self) -> bool:
        """Whether it ended by itself."""
        return self.run.limit is None

    @property
    def has_model(self) -> bool:
        """Whether it printed a right model."""
        return self.outcome in ("ok", "model") and self.answer.model is not None


def attempt(
    solver: Solver,
    case: Case,
    format: Format,
    limits: Limits,
    *,
    binary: str | None = None,
    ending: Ending = "",
    line_buffer: LineBuffer = "none",
    told_s: float | None = None,
    suited: bool = False,
) -> Trial:
    """Run the solver on the case and judge what it says; ending compresses the file.

    told_s is the limit on wall time that the solver is told, if it wants to know; else it is ours.
    suited: the solver gets what `wcnfgen.adapt` makes of the file.

    Raises SolverError where it cannot be started.
    """
    parser, last = Parser(), b""

    def read(seconds: float, text: bytes) -> None:
        nonlocal last
        parser.feed(seconds, text)
        last = text[-500:]

    with leftovers.folder() as name:
        folder = Path(name)
        for inner in ("cwd", "tmp"):
            (folder / inner).mkdir()
        instance = folder / f"tiny.wcnf{ending}"
        instance.write_bytes(_packed(case.text(format), ending))
        instance = adapt.suit(solver, instance, folder).path if suited else instance
        limits = replace(limits, memory_mib=MEMORY_MIB, output_mib=OUTPUT_MIB)
        told = replace(limits, wall_s=told_s or limits.wall_s)
        run = drivers.get("local")(
            solver.command(instance, told, binary),
            limits,
            stdout=None,
            stderr=folder / "stderr",
            cwd=folder / "cwd",
            env=runs.environment(told, folder / "tmp"),
            line_buffer=line_buffer,
            on_text=read,
        )
        stderr = (folder / "stderr").read_bytes()[-10_000:]
    if run.limit == "interrupt":
        raise KeyboardInterrupt
    answer = parser.answer()
    outcome, detail = judge(case, answer)
    if outcome == "refused":
        outcome, detail = _unanswered(run, stderr, _line(stderr) or _line(last))
    return Trial(case, format, outcome, detail, run, answer)


def _packed(text: bytes, ending: str) -> bytes:
    import gzip
    import lzma

    return gzip.compress(text, mtime=0) if ending == ".gz" else lzma.compress(text) if ending else text


def judge(case: Case, answer: Answer) -> tuple[Outcome, str]:
    """What an answer is worth, and why; without any it is refused, whatever the reason."""
    if contradiction := _contradiction(case, answer):
        return "wrong", contradiction
    proved = answer.status in ("OPTIMUM FOUND", "UNSATISFIABLE")
    cost = f"o {answer.cost}" if answer.cost is not None else "no o line"
    if answer.model is not None and not answer.cut:
        return ("ok", cost) if proved else ("model", f"{cost}, not proved")
    if answer.status == "UNSATISFIABLE":
        return "ok", "s UNSATISFIABLE"
    if answer.status in ("OPTIMUM FOUND", "SATISFIABLE"):
        return "no model", f"s {answer.status}, {cost}, but no model"
    return "refused", ""


def _contradiction(case: Case, answer: Answer) -> str:
    """The first thing said that is not so; empty if there is none."""
    optimum = case.optimum
    if "UNSATISFIABLE" in answer.statuses and optimum < math.inf:
        return "says UNSATISFIABLE, there are models"
    if answer.status in ("OPTIMUM FOUND", "SATISFIABLE") and optimum == math.inf:
        return f"says {answer.status}, there is no model"
    if answer.model is not None and not answer.cut:
        try:
            cost, falsified = case.cost(answer.model.assignment(case.variables))
        except FormatError as error:
            return str(error)
        if falsified:
            return f"its model falsifies {falsified} hard clauses"
        if answer.cost not in (None, cost) and not answer.superseded:
            return f"says o {answer.cost}, its model costs {cost}"
        if answer.status == "OPTIMUM FOUND" and case.known and cost > optimum:
            return f"says OPTIMUM FOUND at {cost}, the optimum is {optimum}"
    if answer.cost is not None and answer.cost < optimum < math.inf:
        return f"says o {answer.cost}, the optimum is {optimum}"
    return ""


def _unanswered(run: Run, stderr: bytes, last: str) -> tuple[Outcome, str]:
    """How it ended that there is no answer."""
    said = f": {last[:60]}" if last else ""
    if run.limit is not None:
        how = "no model, killed" if run.killed else f"no model at the {run.limit} limit"
        return "nothing", how
    if run.exit_code < 0 or run.exit_code in CRASHES or b"Traceback (most recent" in stderr:
        return "crash", f"exit code {run.exit_code}{said}"
    return "refused", f"exit code {run.exit_code}{said}"


def _line(text: bytes) -> str:
    return last_line(text.decode("utf-8", "replace"))
