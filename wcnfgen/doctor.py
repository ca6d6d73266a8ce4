"""What a solver can do, found out by trying; and what its descriptor should therefore say.

`examine` is the whole of it, half a minute for most solvers: both formats, weights of all sizes, each thing
that some solver cannot have, SIGTERM in the middle of a search, and whether its lines come as it finds them.
`probe` is the quick part, for a program that has no descriptor: which format it reads, and how it prints
models.  Both judge by what is verified (`wcnfgen.trials`), never by what the solver says or exits with.

A format is *read* if a verified model comes of it, and hard clauses are not taken for soft ones of a large
weight, which only an unsatisfiable formula brings to light.  It is *misread* if the solver, instead of
refusing it, says something that is not so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from wcnfgen.drivers import Limits, LineBuffer
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.examination import Examined, Live
from wcnfgen.output import Model, Values
from wcnfgen.solvers import Format, Solver, Trap
from wcnfgen.trials import (
    OTHERS,
    READING,
    TRAPS,
    UNSAT,
    UNWEIGHTED,
    WEIGHTED,
    WEIGHTS,
    Case,
    Ending,
    Trial,
    attempt,
    stubborn,
)

FIRST_S = 4.0  # to start, and to solve a tiny formula
ENDLESS_S = 1.0  # enough for what never ends by itself
CLOCKED_S = 3.0  # for those with a limit of their own, which they use up
SEARCH_S = 2.0  # before SIGTERM
TOLD_S = 60.0  # the limit of its own that a solver is told there
GRACE_S = 3.0
MOST_WEIGHT = 2**63 - 1
PROBE_S = (1.0, 5.0)  # the second one if the first was too short for anything


def examine(
    solver: Solver, binary: str | None = None, *, told: Callable[[Trial], None] = lambda _: None
) -> Examined:
    """Try everything; told gets each trial when it is over.

    Raises SolverError if the solver cannot be started, UsageError for one that solves only formulas of ours.
    """
    if solver.encoding:
        raise UsageError(f"{solver.title} solves formulas of the encoding {solver.encoding} only")
    benches = [_Bench(solver, binary, format) for format in _formats(solver)]
    for bench in benches:
        for trial in bench.tried():
            told(trial)
    trials = tuple(trial for bench in benches for trial in bench.trials)
    read = [bench for bench in benches if bench.is_read]
    found = replace(solver, formats=tuple(bench.format for bench in read), **_seen(solver, benches))
    if not read:
        return Examined(solver, found, trials, (), (), None, "none")
    best = read[0]
    stopped, line_buffer, live = _stopped(solver, binary, best.format, weighted=found.max_weight > 1)
    told(stopped)
    packed = tuple((ending, best.attempt(best.plain.case, ending=ending)) for ending in get_args(Ending)[1:])
    found = replace(
        found,
        compressed=tuple(ending for ending, trial in packed if trial.has_model),
        line_buffer=line_buffer,
        anytime=stopped.has_model if not stopped.ended else solver.anytime,
        signals=_signals(trials, stopped),
    )
    repaired = tuple(best.attempt(case, found, suited=True) for case in best.repairable(found))
    return Examined(solver, found, trials, packed, repaired, stopped, live)


def _formats(solver: Solver) -> tuple[Format, ...]:
    """Both, the descriptor's best first."""
    return tuple(dict.fromkeys([*solver.formats, *get_args(Format)]))


class _Bench:
    """A solver on tiny formulas of one format, and the seconds that one is worth."""

    def __init__(self, solver: Solver, binary: str | None, format: Format):
        self.solver, self.binary, self.format = solver, binary, format
        self.trials: list[Trial] = []
        clocked = any("{wall_s}" in argument or "{own_s}" in argument for argument in solver.argv)
        self.clock = CLOCKED_S if clocked else None
        self.wall_s = FIRST_S if self.clock is None else 4 * self.clock  # it may count CPU time, or be slow

    def attempt(self, case: Case, solver: Solver | None = None, **options: Any) -> Trial:
        """One trial, of another descriptor if one is given."""
        limits = Limits(wall_s=self.wall_s, grace_s=GRACE_S)
        solver = solver or self.solver
        return attempt(solver, case, self.format, limits, binary=self.binary, told_s=self.clock, **options)

    def tried(self) -> Iterator[Trial]:
        """All trials; if the format is not read, only those that show whether it is misread."""
        for case in READING:
            yield self._keep(case)
            if case is UNWEIGHTED and self.clock is None:
                first = self.trials[0]
                self.wall_s = min(10.0, max(2.0, 20 * first.run.wall_s)) if first.ended else ENDLESS_S
        weighted = self.on(WEIGHTED).has_model
        for case in (*(WEIGHTS if weighted else ()), *TRAPS, *OTHERS):
            if self.is_read or case.trap == "no hard":
                yield self._keep(case if weighted else case.flat)

    def _keep(self, case: Case) -> Trial:
        self.trials.append(self.attempt(case))
        return self.trials[-1]

    def on(self, case: Case) -> Trial:
        """The trial of a case."""
        return next(trial for trial in self.trials if trial.case is case)

    @property
    def is_read(self) -> bool:
        """Whether the format is; some print no model where a formula is too easy, or no weights are held."""
        has_model = self.on(UNWEIGHTED).has_model or self.on(WEIGHTED).has_model
        return has_model and _has_hard(self.on(UNSAT))

    @property
    def is_misread(self) -> bool:
        """Whether it is taken for something else."""
        return not self.is_read and any(trial.outcome == "wrong" for trial in self.trials)

    @property
    def plain(self) -> Trial:
        """What comes of a plain formula, with weights if the solver takes weights."""
        return next(each for each in (self.on(WEIGHTED), self.on(UNWEIGHTED)) if each.has_model)

    def is_good(self, trial: Trial) -> bool:
        """Whether a formula is one that the solver can have: it does with it what it does with a plain one.

        At cost 0 it need not come to an end: some search on for a better model.  And where a formula is so
        easy that there is no model of it, it is not the trap that matters.
        """
        if trial.outcome == "no model" and trial.outcome in {self.on(case).outcome for case in READING}:
            return True
        ends = trial.ended or not self.plain.ended or trial.answer.cost == 0
        return trial.has_model and ends and (trial.outcome == "ok" or self.plain.outcome != "ok")

    @property
    def max_weight(self) -> int:
        """The largest weight handled right; the descriptor's own if it lies between that and a failure."""
        passed, failed = 1, math.inf
        for trial in self.trials:
            if trial.case in (WEIGHTED, *WEIGHTS) and failed == math.inf:
                if self.is_good(trial):
                    passed = trial.case.heaviest
                else:
                    failed = trial.case.heaviest
        if passed <= self.solver.max_weight < failed:
            return self.solver.max_weight
        return MOST_WEIGHT if failed == math.inf else passed

    def repairable(self, found: Solver) -> list[Case]:
        """The cases that it cannot have, but for those that no repair helps."""
        hopeless = "optimum 0" in found.fails_on
        return [
            trial.case
            for trial in self.trials
            if trial.case.trap in found.fails_on and not (hopeless and trial.case.optimum == 0)
        ]


def _has_hard(trial: Trial) -> bool:
    """Whether the answer to an unsatisfiable formula is not that of a formula that has soft clauses only.

    Its cost would be that of a hard clause, or more.  Other wrong answers have other reasons.
    """
    cost = trial.answer.cost
    return trial.outcome != "wrong" or (cost is not None and cost < trial.case.top)


def _seen(solver: Solver, benches: list[_Bench]) -> dict[str, Any]:
    """The fields of a descriptor that follow from the tiny formulas."""
    read = [bench for bench in benches if bench.is_read]
    trials = [trial for bench in benches for trial in bench.trials]
    failed = {trial.case.trap for bench in read for trial in bench.trials if not bench.is_good(trial)}
    forms = {form(trial.answer.model) for trial in trials if trial.answer.model} - {"either"}
    return {
        "misreads": tuple(bench.format for bench in benches if bench.is_misread),
        "fails_on": tuple(trap for trap in get_args(Trap) if trap in failed),
        "values": forms.pop() if len(forms) == 1 else "either",
        "complete": any(bench.plain.outcome == "ok" for bench in read),
        "max_weight": read[0].max_weight if read else solver.max_weight,
    }


def form(model: Model) -> Values:
    """How a model is printed, as far as its text tells.

    >>> form(Model((b"0101",))), form(Model((b"1 -2",))), form(Model((b"1",)))
    ('bits', 'literals', 'either')
    """
    text = b" ".join(model.lines)
    if text.translate(None, b"01 "):
        return "literals"
    return "bits" if len(text.translate(None, b" ")) > 2 else "either"


def _stopped(
    solver: Solver, binary: str | None, format: Format, *, weighted: bool
) -> tuple[Trial, LineBuffer, Live]:
    """Stop a search; where no cost came before, see whether it does without buffers."""
    case, limits = stubborn(weighted=weighted), Limits(wall_s=SEARCH_S, grace_s=GRACE_S)
    first = attempt(solver, case, format, limits, binary=binary, told_s=TOLD_S)
    if first.ended or is_live(first) == "live":
        return first, "none", is_live(first)
    for line_buffer in sorted(get_args(LineBuffer)[1:], key=lambda each: each != solver.line_buffer):
        try:
            trial = attempt(
                solver, case, format, limits, binary=binary, line_buffer=line_buffer, told_s=TOLD_S
            )
        except (SolverError, UsageError):  # no stdbuf here
            continue
        if is_live(trial) == "live":
            return trial, line_buffer, "live"
    return first, "none", is_live(first)


def is_live(trial: Trial) -> Live:
    """When the costs of a run came."""
    times = [seconds or 0.0 for seconds, _ in trial.answer.costs]
    if not times:
        return "none"
    end = trial.run.wall_s if trial.run.signalled_s is None else trial.run.signalled_s
    return "live" if times[0] < end - 0.1 else "at the end"


def _signals(trials: Sequence[Trial], stopped: Trial) -> str:
    """What it does on SIGTERM, and its exit codes, in words."""
    run = stopped.run
    if run.killed:
        on_sigterm = "SIGTERM: has to be killed"
    elif stopped.ended:
        on_sigterm = f"ends by itself: {stopped.detail}"
    else:
        what = "best model" if stopped.has_model else "no model"
        on_sigterm = f"SIGTERM: {what}, exit code {run.exit_code}"
    names = {"OPTIMUM FOUND": "optimum", "UNSATISFIABLE": "unsatisfiable", "SATISFIABLE": "not proved"}
    codes: dict[int, set[str]] = {}
    for trial in trials:
        if trial.ended and trial.answer.status in names and trial.outcome in ("ok", "model"):
            codes.setdefault(trial.run.exit_code, set()).add(names[trial.answer.status])
    return "; ".join([on_sigterm, *(f"{code} {', '.join(sorted(codes[code]))}" for code in sorted(codes))])


# ---------------------------------------------------------------------------- without a descriptor


@dataclass(frozen=True, slots=True)
class Probed:
    """The descriptor with the format that is read, and why, in a line; settled if a model shows it."""

    solver: Solver
    reason: str
    settled: bool


def probe(solver: Solver, binary: str | None = None) -> Probed:
    """Find out which format a solver reads, and the form of its models.

    Without any model there may still be a format that it refuses, or in which it takes hard for soft clauses.

    Raises SolverError if it cannot be started.
    """
    seen: dict[Format, Trial] = {}
    for wall_s in PROBE_S:
        limits = Limits(wall_s=wall_s, grace_s=GRACE_S)
        for format in get_args(Format):
            trial = seen[format] = attempt(solver, WEIGHTED, format, limits, binary=binary)
            if trial.has_model and _has_hard(_unsat(solver, binary, trial)):
                values = form(trial.answer.model) if trial.answer.model else "either"
                return Probed(
                    replace(solver, formats=(format,), values=values), _reason(seen, values), settled=True
                )
        if not any(trial.outcome == "nothing" for trial in seen.values()):
            break
    said = "; ".join(f"{format}: {trial.detail}" for format, trial in seen.items())
    hint = ""
    if any(trial.outcome == "no model" for trial in seen.values()):
        hint = "; it prints no model: is there an option such as -print-model? A script may add it"
    answered = [trial for trial in seen.values() if trial.outcome == "no model"]
    formats = tuple(trial.format for trial in answered if _has_hard(_unsat(solver, binary, trial)))
    return Probed(
        replace(solver, formats=formats or solver.formats),
        f"gave no model of a tiny formula that holds ({said}){hint}",
        settled=False,
    )


def _unsat(solver: Solver, binary: str | None, trial: Trial) -> Trial:
    """The same solver on a formula without a model."""
    wall_s = max(ENDLESS_S, 10 * trial.run.wall_s) if trial.ended else ENDLESS_S
    limits = Limits(wall_s=wall_s, grace_s=GRACE_S)
    return attempt(solver, UNSAT, trial.format, limits, binary=binary)


def _reason(seen: dict[Format, Trial], values: Values) -> str:
    *others, (format, trial) = seen.items()
    before = "".join(f"; {other}: {failed.detail}" for other, failed in others)
    return f"reads {format} ({trial.detail}{before}), prints {'models' if values == 'either' else values}"
