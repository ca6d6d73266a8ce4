"""``wcnfgen solvers``: which solvers there are, which are installed, and what they really do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from wcnfgen.commands._shown import say

if TYPE_CHECKING:
    from wcnfgen.examination import Examined
    from wcnfgen.solvers import Solver
    from wcnfgen.trials import Trial


@dataclass(frozen=True, slots=True)
class Listed:
    """A solver, where it is installed, and the version it says it is; None and empty if it is not."""

    name: str
    solver: Solver
    found: str | None
    version: str


def solvers(
    name: str = "", *, check: str | None = None, binary: str | None = None
) -> list[Listed] | Listed | Examined:
    """List the solvers with a descriptor, show one, or try one out.

    The trial runs it on tiny formulas in both formats, stops it in the middle of a search, judges every
    answer by recomputing it, and says what the descriptor should say.  The exit code is 1 if the
    descriptor promises what the solver does not keep.

    examples:
      wcnfgen solvers
      wcnfgen solvers rc2
      wcnfgen solvers --check lms

    name: show all about this one, a name of the list
    check: try this one out: a name, or ./PATH of a program
    binary: the solver's program, if it is not where its descriptor looks

    Raises UsageError for a name that is none, SolverError for a solver that cannot be started.
    """
    from wcnfgen import doctor, solvers
    from wcnfgen.errors import UsageError

    if check is not None and name:
        raise UsageError(f"either show {name} or --check {check}")
    if check is not None:
        return doctor.examine(solvers.get(check), binary, told=_tell)
    if name:
        return _listed(name, binary)
    if binary is not None:
        raise UsageError("--binary is for one solver: name it, or --check it")
    return [_listed(each, None) for each in solvers.names()]


def _listed(name: str, binary: str | None) -> Listed:
    from wcnfgen import solvers

    solver = solvers.get(name)
    found = solver.find(binary)
    return Listed(name, solver, found, solver.version(binary) if found else "")


def _tell(trial: Trial) -> None:
    """Say what is going on: a trial may take a second or several."""
    import logging

    logging.getLogger("wcnfgen").info("%s, %s: %s", trial.case.name, trial.format, trial.outcome)


def present(result: list[Listed] | Listed | Examined, out: TextIO) -> int:
    """Print the list, the solver, or what was found out; 1 if the descriptor is wrong about it."""
    if isinstance(result, Listed):
        lines = _details(result)
    elif isinstance(result, list):
        lines = _list(result)
    else:
        lines = _report(result)
    say(out, lines)
    harmful = not isinstance(result, (list, Listed)) and any(each.harmful for each in result.differences)
    return int(harmful or (not isinstance(result, (list, Listed)) and not result.found.formats))


# ---------------------------------------------------------------------------- the list


def _list(listed: Sequence[Listed]) -> Iterator[str]:
    """One line each: those that are there first."""
    rows = [("", "reads", "proves", "tried", "version, path")]
    for each in sorted(listed, key=lambda each: each.found is None):
        solver = each.solver
        rows.append(
            (
                each.name,
                "both" if len(solver.formats) > 1 else "old" if "wcnf-old" in solver.formats else "new",
                "yes" if solver.complete else "no",
                "yes" if solver.tried else "no",
                f"{_short(each.version or 'no version')}, {each.found}" if each.found else "not found",
            )
        )
    yield from _table(rows)
    yield ""
    yield "`wcnfgen solvers NAME` says how to get one, and more; `wcnfgen solvers --check NAME` tries one out"


def _details(listed: Listed) -> Iterator[str]:
    """All that the descriptor says, but what is as usual."""
    solver = listed.solver
    yield f"{listed.name}: {solver.title}"
    rows = [
        ("found", f"{listed.found or 'no'}"),
        ("version", listed.version),
        ("install", "" if listed.found else solver.install),
        ("home", solver.url),
        ("paper", f"https://doi.org/{solver.paper}" if solver.paper else ""),
        ("licence", solver.licence),
        ("command", " ".join(solver.argv)),
        ("reads", ", ".join(solver.formats) + "".join(f", {ending}" for ending in solver.compressed)),
        ("misreads", ", ".join(solver.misreads)),
        ("solves", f"the encoding {solver.encoding} only" if solver.encoding else ""),
        ("proves", "optima" if solver.complete else "nothing"),
        ("at a limit", "prints its best model" if solver.anytime else "has no model"),
        ("models", solver.values if solver.values != "either" else ""),
        ("weights", f"up to {solver.max_weight}" if solver.max_weight < 2**63 - 1 else ""),
        ("fails on", ", ".join(solver.fails_on)),
        ("lines", f"as they come thanks to {solver.line_buffer}" if solver.line_buffer != "none" else ""),
        ("signals", solver.signals),
        ("quirks", solver.quirks),
        ("tried", solver.tried or "no, this is from documents only"),
    ]
    yield from (f"    {label:<11}{text}" for label, text in rows if text)


# ---------------------------------------------------------------------------- the trial


def _report(examined: Examined) -> Iterator[str]:
    """What happened, formula by format, then what follows."""
    yield examined.solver.title
    yield ""
    yield from _happened(examined.trials)
    for ending, trial in examined.packed:
        yield f"compressed, {ending}: {trial.outcome} ({trial.detail})"
    for trial in examined.repaired:
        yield f"{trial.case.name}, made over: {trial.outcome} ({trial.detail})"
    if examined.stopped is not None:
        yield f"SIGTERM after {examined.stopped.run.signalled_s or 0:.1f} s: {_stop(examined)}"
    yield ""
    yield from _descriptor(examined)


def _happened(trials: Sequence[Trial]) -> Iterator[str]:
    formats = list(dict.fromkeys(trial.format for trial in trials))
    cells = {(trial.case.name, trial.format): trial for trial in trials}
    rows = [("", *formats)]
    for name in dict.fromkeys(trial.case.name for trial in trials):
        tried = [cells.get((name, format)) for format in formats]
        rows.append((name, *(f"{each.outcome}{_why(each)}" if each else "-" for each in tried)))
    yield from _table(rows)


def _why(trial: Trial) -> str:
    """What there is to say besides the outcome."""
    if trial.outcome == "ok":
        return ""
    end = "" if trial.ended or trial.outcome == "nothing" else ", does not end"
    return f" ({_short(trial.detail)}{end})"


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _stop(examined: Examined) -> str:
    """What became of the run that was stopped."""
    trial = examined.stopped
    assert trial is not None
    run = trial.run
    ended = "killed" if run.killed else f"exit code {run.exit_code}"
    if run.signalled_s is not None and not run.killed:
        ended += f" after {1000 * (run.wall_s - run.signalled_s):.0f} ms"
    costs = {"live": "costs come live", "at the end": "costs come at the end only", "none": "no costs"}
    through = examined.found.line_buffer
    return f"{trial.outcome} ({trial.detail}), {ended}; {costs[examined.live]}" + (
        f" thanks to {through}" if through != "none" else ""
    )


def _descriptor(examined: Examined) -> Iterator[str]:
    """The lines to write into the descriptor, and where they differ from those it has."""
    from wcnfgen.examination import FIELDS

    if not examined.found.formats:
        yield "reads neither format: nothing more can be said"
    differences = {each.field: each for each in examined.differences}
    for name in (*FIELDS, "signals") if examined.found.formats else ("formats", "misreads"):
        line = f"    {name}={_source(getattr(examined.found, name))},"
        if name in differences:
            each = differences[name]
            line += f"  # {'WRONG' if each.harmful else 'differs'}: it says {_source(each.says)}"
        yield line
    for trial in examined.oddities:
        yield f"    # {trial.case.name}, {trial.format}: {trial.outcome} ({trial.detail})"
    if all(trial.outcome in ("no model", "ok") for trial in examined.trials) and not examined.found.formats:
        yield "it prints answers without a model: is there an option such as -print-model?"


def _source(value: object) -> str:
    """A value as our sources write it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        inner = ", ".join(map(_source, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return next((f"2**{k} - 1" for k in (31, 63) if value == 2**k - 1), str(value))


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
