"""What was measured of a family: sizes, difficulty for reference solvers, best solutions known."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from wcnfgen.bundle import models
from wcnfgen.bundle.difficulty import CLASSES, MEANING, SOLVED
from wcnfgen.bundle.facts import Facts, tally
from wcnfgen.bundle.manifest import Row
from wcnfgen.tex import escape, figure, floating, span
from wcnfgen.words import count, shorten

MB = 1 << 20  # bytes, as in --max-mb
WIDTH = 18  # characters of a name in a table
UNTRIED, UNANSWERED = "not tried", "no answer"
PLOTS = {
    "size": "Variables and clauses of each instance",
    "difficulty": "Classes of difficulty",
    "proofs": "Instances that reference solvers proved, by time; in brackets, how many in all",
}


def standing(facts: Facts) -> str:
    """What is known of optima or answers, in a sentence; empty where nothing is."""
    rows = facts.submitted
    if _sat(facts):
        return _answers(rows)
    known = [row for row in rows if row.best_cost is not None]
    if not known:
        return ""
    proved = sum(bool(row.proved) for row in known)
    which = "each" if len(known) == len(rows) else f"{len(known)} of them"
    optimal = "all" if proved == len(known) else str(proved or "none")
    verb = "is" if optimal == "1" else "are"
    return f"A verified solution of {which} is given; {optimal} of these {verb} known to be optimal."


def sizes(facts: Facts) -> str:
    """A table of sizes by the first parameter that varies, and the plot where there is one."""
    if not facts.submitted:
        return "No instance was written."
    fields = ("variables", "hard") if _sat(facts) else ("variables", "hard", "soft")
    rows = [_size(name, each, fields) for name, each in facts.groups(facts.submitted)]
    if len(rows) > 1:
        rows += [(), _size("all", facts.submitted, fields)]
    clauses = ("clauses",) if _sat(facts) else ("hard", "soft")
    header = (escape(shorten(facts.key, WIDTH)), "$n$", "variables", *clauses, "MB")
    text = [
        "Table~\\ref{sizes} has the least and the largest numbers of variables, of clauses, and of MB "
        "($2^{20}$ bytes of text, unpacked), of $n$ instances each.",
        *_weights(facts.submitted),
        *_see(facts, "size"),
    ]
    return "\n".join(
        [
            " ".join(text),
            floating("Sizes", "sizes", header, rows, "l" + "r" * (len(header) - 1)),
            *_plots(facts, "size"),
        ]
    )


def _sat(facts: Facts) -> bool:
    return facts.about.family.track == "sat"


def _some_chosen(facts: Facts) -> bool:
    return len(facts.submitted) < len(facts.written)


def _drawn(facts: Facts, *names: str) -> list[str]:
    return [name for name in names if (facts.folder.plots / f"{name}.pdf").is_file()]


def _plots(facts: Facts, *names: str) -> list[str]:
    captions = {name: PLOTS[name] for name in _drawn(facts, *names)}
    if "size" in captions and _some_chosen(facts):
        captions["size"] += "; those with hollow marks are not submitted"
    return [figure(f"plots/{name}.pdf", caption, f"{name}-plot") for name, caption in captions.items()]


def _see(facts: Facts, *names: str) -> list[str]:
    """Where the plots are, all of which show the whole family."""
    there = " and ".join(f"Fig.~\\ref{{{name}-plot}}" for name in _drawn(facts, *names))
    what = "all instances, submitted or not" if _some_chosen(facts) else "all instances"
    return [f"{there} {'show' if ' and ' in there else 'shows'} {what}."] if there else []


def _weights(rows: Sequence[Row]) -> list[str]:
    """Whether there are weights, and which."""
    least, largest = ([getattr(row, f"weight_{end}") for row in rows] for end in ("min", "max"))
    known = [weight for weight in (*least, *largest) if weight is not None]
    if not known:
        return []
    if max(known) == 1:
        return ["All soft clauses have weight 1."]
    weighted = sum((row.weight_max or 1) > 1 for row in rows)
    return [f"Soft clauses of {_of(weighted, rows)} are weighted, from {min(known)} to {max(known)}."]


def _size(name: str, rows: Sequence[Row], fields: Sequence[str]) -> tuple[str, ...]:
    counts = [[getattr(row, field) for row in rows] for field in fields]
    megabytes = [row.bytes / MB if row.bytes is not None else None for row in rows]
    shown = escape(shorten(name, WIDTH))
    return (shown, str(len(rows)), *map(span, counts), span(megabytes, _decimal))


def _decimal(value: float) -> str:
    """Two digits or so.

    >>> [_decimal(x) for x in (0.004, 0.25, 7.12, 480.2)]
    ['0.00', '0.25', '7.1', '480']
    """
    return f"{value:.2f}" if value < 0.995 else f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def difficulty(facts: Facts) -> str:
    """How many of each class, and what each reference solver proved; or that nobody has tried."""
    if not (facts.calibrated or any(row.tried for row in facts.written)):
        return "No reference solver has been run on these instances yet."
    solvers = count(len(facts.solvers), "reference solver")
    text = [
        f"{solvers} ran on {_tried(facts)}{_limits(facts)}. Table~\\ref{{classes}} has the classes of "
        "difficulty, by the fastest proof."
    ]
    if facts.solvers:
        text.append("Table~\\ref{solvers} has what each solver proved, and the seconds that it took.")
        text += _versions(facts)
    text += _see(facts, "difficulty", "proofs")
    tables = [_classes(facts), *([_solvers(facts)] if facts.solvers else [])]
    return "\n".join([" ".join(text), *tables, *_plots(facts, "difficulty", "proofs")])


def _tried(facts: Facts) -> str:
    tried = sum(row.tried for row in facts.written)
    return _of(tried, facts.written)


def _limits(facts: Facts) -> str:
    """Limits and machine of their runs, where the records are there to say."""
    runs = [run for solver in facts.solvers if (run := facts.run(solver))]
    limits = dict.fromkeys(_limit(run.limits.wall_s, run.limits.memory_mib) for run in runs)
    machines = dict.fromkeys(run.machine.cpu for run in runs)
    within = [f"within {' or '.join(filter(None, limits))}"] if any(limits) else []
    on = [f"on {escape(' or '.join(machines))}"] if runs else []
    return "".join(f", {each}" for each in (*within, *on))


def _limit(wall_s: float | None, memory_mib: float | None) -> str:
    wall = [f"{wall_s:g}~s of wall time"] if wall_s else []
    memory = [f"{memory_mib:g}~MiB of memory"] if memory_mib else []
    return " and ".join([*wall, *memory])


def _versions(facts: Facts) -> list[str]:
    """What the solvers say of themselves."""
    runs = {solver: run for solver in facts.solvers if (run := facts.run(solver))}
    said = [
        f"{escape(name)} ({escape(shorten(run.version, 40))})" for name, run in runs.items() if run.version
    ]
    return [f"Versions: {', '.join(said)}."] if said else []


def _classes(facts: Facts) -> str:
    written, submitted = (
        tally(rows, lambda row: row.difficulty or (UNANSWERED if row.tried else UNTRIED))
        for rows in (facts.written, facts.submitted)
    )
    meaning = {**(SOLVED if _sat(facts) else MEANING), UNANSWERED: "no solver gave a valid one"}
    chosen = _some_chosen(facts)
    header = ["class", "", "all", *(["submitted"] if chosen else [])]
    rows = [
        (name, meaning.get(name, ""), str(written[name]), *([str(submitted.get(name, 0))] if chosen else []))
        for name in (*CLASSES, UNANSWERED, UNTRIED)
        if name in written
    ]
    return floating("Classes of difficulty", "classes", header, rows, "llrr" if chosen else "llr")


def _solvers(facts: Facts) -> str:
    rows = [_solver(name, [row for row in facts.written if name in row.ended]) for name in facts.solvers]
    header = ("solver", "tried", "proved", "median s", "longest s")
    return floating("Reference solvers", "solvers", header, rows, "lrrrr")


def _solver(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    seconds = [each for row in rows if (each := row.seconds.get(name)) is not None]
    times = [f"{median(seconds):.1f}", f"{max(seconds):.1f}"] if seconds else ["--", "--"]
    return (escape(shorten(name, WIDTH)), str(len(rows)), str(len(seconds)), *times)


def best(facts: Facts) -> str:
    """How many solutions are given, who found them, what is proved, and what shows that optima are not 0."""
    what = "a satisfying assignment" if _sat(facts) else "the best solution known"
    counted = "" if _sat(facts) else ", and counted its cost"
    rows = facts.submitted
    given = [row for row in rows if models.place(facts.folder.models, row.name).is_file()]
    if not given:
        return " ".join(filter(None, ["No solutions are given.", *_claims(facts)]))
    text = [
        f"\\texttt{{models/}} has {what} of {_of(len(given), rows)}, in the format of a solver's output. "
        f"wcnfgen checked each against the file of its instance, clause by clause{counted}."
    ]
    if finders := tally([row for row in given if row.best_by], lambda row: row.best_by):
        text.append(f"Found by: {_listed(finders)}.")
    return " ".join([*text, *_claims(facts), *_nonzero(rows)])


def _claims(facts: Facts) -> list[str]:
    """What is proved, and who says so."""
    rows = facts.submitted
    if _sat(facts):
        return list(filter(None, [_answers(rows)]))
    proofs = tally([row for row in rows if row.proved], lambda row: row.proved_by or "a solver")
    return [f"Proved to be optimal: {sum(proofs.values())}, by {_listed(proofs)}."] if proofs else []


def _answers(rows: Sequence[Row]) -> str:
    """How many formulas are satisfiable, unsatisfiable and open; empty where all are open."""
    models = sum(row.answer == "SAT" for row in rows)
    claims = tally([row for row in rows if row.answer == "UNSAT"], lambda row: row.proved_by or "a solver")
    none = sum(claims.values())
    if not models + none:
        return ""
    by = f", as claimed by {_listed(claims)}" if none else ""
    return (
        f"{models} of {count(len(rows), 'instance')} are known to be satisfiable, by a model that is given; "
        f"{none} are unsatisfiable{by}; of {len(rows) - models - none} the answer is not known."
    )


def _of(part: int, rows: Sequence[Row]) -> str:
    return "every instance" if part == len(rows) else f"{part} of {count(len(rows), 'instance')}"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{escape(name)} ({n})" for name, n in counts.items())


def _nonzero(rows: Sequence[Row]) -> list[str]:
    """What shows that optima are not 0."""
    shown = tally([row for row in rows if row.nonzero], lambda row: row.nonzero)
    words = {"bound": "a lower bound ({})", "solver": "a solver ({})", "open": "nothing yet ({})"}
    by = ", ".join(words[how].format(n) for how, n in shown.items())
    return [f"That the optimum is not 0 is shown by {by}."] if shown else []
