"""Alòs et al. 2023, Table 5: which solver finds the smallest trees of samples, within a time limit.

A campaign on the family `mpdt-samples`: on how many instances each solver's last model is as good as the
best of all, by the share of the rows that a sample has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wcnfgen.experiments import Experiment
from wcnfgen.experiments._mpdt_printed import BEST_UB, INSTANCES, SHAPES
from wcnfgen.experiments.findings import Claim, Findings, Held, judged
from wcnfgen.experiments.work import Step, Work, unpacked
from wcnfgen.report.summary import Cell, Column, Table

EXPERIMENT = Experiment("Solvers on samples", "Alòs et al. 2023, Table 5")

PRINTED = {  # our name of a solver: the paper's
    "satlike-ck": "satlike-ck",
    "satlike-c": "satlike-c",
    "tt-open-wbo-inc": "TT-Open-WBO-Inc-21",
    "lms": "MPDT",
    "descent": "MinDT",
}
SAT = "descent"  # all others are given the MaxSAT formula
RELATED = ("nuwls-c", "tt-open-wbo-inc-2020", "satlike")  # of those that may not be there
PACKAGED = ("clingo", "cpsat", "uwrmaxsat-hermax")
SMALL = (  # without the largest formulas, and without corral, mux6 and monks-3, which have their like here
    *("append", "haber", "hayes-r", "hepa", "iris", "irish", "lympho", "monks-1", "new-thy", "spect"),
    *("h-votes", "zoo"),
)
SHORT, LONG = "race", "long"
SAMPLES = "samples"
UPPER = (
    "The upper bound in each formula is our best greedy tree, and the lower one is proved; the paper has the "
    "tree of ITI, which is not available, and 3."
)
OTHERS = (
    f"The paper's {INSTANCES} instances of each size are of 29 sets, of which it names 19. So figures "
    "compare as shares only; and who shares the best bound depends on who else takes part."
)


@dataclass(frozen=True, slots=True)
class Best:
    """On how many instances of a kind a solver had the best bound, of how many, and how many it solved."""

    best: int
    of: int
    solved: int


Found = Mapping[tuple[int, int], Mapping[str, Best]]  # per cent of the rows and hours (or 0): by solver


def stages(work: Work) -> Iterator[Sequence[Step]]:
    """The family, and the solvers on it."""
    sets = _placed(work, work.pick(["lenses"], SMALL, list(SHAPES)))
    yield [_family(work, sets)] if sets else []
    solvers = entrants(work)
    wall, memory = work.pick((1, 1000), (8, 4000), (3600, 20_000))
    yield [work.compare(SHORT, [SAMPLES], solvers, wall=wall, memory=memory)]
    if work.scale == "paper":
        largest = [f"{SAMPLES}/instances/*-p80-*"]
        yield [work.compare(LONG, largest, solvers, wall=36_000, memory=memory)]


def _placed(work: Work, names: Sequence[str]) -> list[str]:
    """Those of the sets that are there, put where the family looks for them."""
    from wcnfgen.instances import datasets

    found = []
    for name in names:
        wanted, there = datasets.get(name), datasets.locate(name, work.data)
        if there is not None:
            work.write(f"data/{wanted.file}", unpacked(there))
        elif not wanted.rule:
            work.missing[name] = datasets.missing_line(name)
            continue
        found.append(name)
    return found


def _family(work: Work, sets: Sequence[str]) -> Step:
    percents, seeds = work.pick(((60, 80), 1), ((40, 60, 80), 1), ((40, 60, 80), 20))
    words = [word for name in sets for word in ("--sets", name)]
    words += [word for each in percents for word in ("--percents", str(each))]
    folder = ("--data", "data") if (work.folder / "data").is_dir() else ()
    how = ("--seeds", str(seeds), *folder, "-o", SAMPLES)
    return Step(f"{SAMPLES}.txt", ("family", "mpdt-samples", *words, *how))


def entrants(work: Work) -> list[str]:
    """The paper's solvers, those that come as packages, and relatives; of each, those that are there."""
    from wcnfgen import solvers

    wanted: tuple[str, ...] = work.pick(
        ("lms", "descent"), (*PRINTED, *PACKAGED, *RELATED), (*PRINTED, *RELATED)
    )
    return [name for name in wanted if solvers.get(name).find() is not None]


# ---------------------------------------------------------------------------- findings


def findings(work: Work) -> Findings:
    """Shares of instances with the best bound, beside the paper's."""
    hours = 1 if work.scale == "paper" else 0
    lines = work.rows(f"{SHORT}/results.csv")
    found = {(percent, hours): each for percent, each in counted(lines).items()}
    if work.scale == "paper":
        found |= {(percent, 10): each for percent, each in counted(work.rows(f"{LONG}/results.csv")).items()}
    there = work.json(f"{SHORT}/plan.json")["solvers"]
    papers = work.scale != "tiny"  # else nothing that the paper speaks of
    shown = table(found, beside=papers)
    return Findings(
        (shown,), tuple(claims(found if papers else {})), (*_remarks(lines, there), UPPER, OTHERS)
    )


def _remarks(lines: Sequence[Mapping[str, str]], there: Mapping[str, Any]) -> Iterator[str]:
    absent = [name for name in PRINTED if name not in there]
    if absent:
        yield f"Of the paper's solvers these were not on the PATH here: {', '.join(absent)}."
    sets = {line["instance"].split("-p")[0].removeprefix("mpdt-") for line in lines}
    samples = len({line["instance"] for line in lines})
    yield f"There are {samples} samples of {len(sets)} sets here: {', '.join(sorted(sets))}."
    wall, memory = lines[0]["wall_limit_s"], lines[0]["memory_limit_mib"]
    called = (f"{name} ({each['version'] or 'no version'}, {_program(each)})" for name, each in there.items())
    yield (
        f"Each run has {float(wall):g} s and {float(memory):g} MiB, the paper's 3600 s (and 10 h) and 20 GB. "
        f"Solvers, with the SHA-256 of their programs: {', '.join(called)}. tt-open-wbo-inc is the one of "
        "2024, lms and descent are ours of the paper's MPDT and MinDT, all others are beside the paper."
    )


def _program(planned: Mapping[str, Any]) -> str:
    return str(planned["identity"]["program"])[:12]


def counted(lines: Sequence[Mapping[str, str]]) -> dict[int, dict[str, Best]]:
    """Lines of results.csv: by per cent of the rows, for each solver how often its cost was the least."""
    kinds: dict[int, dict[str, dict[str, Mapping[str, str]]]] = {}
    for line in lines:
        named = re.search(r"-p(\d+)-s\d+", line["instance"])
        assert named is not None, line["instance"]
        kinds.setdefault(int(named[1]), {}).setdefault(line["instance"], {})[line["solver"]] = line
    solvers = list(dict.fromkeys(line["solver"] for line in lines))
    return {
        percent: {name: _best(list(runs.values()), name) for name in solvers}
        for percent, runs in sorted(kinds.items())
    }


def _best(instances: Sequence[Mapping[str, Mapping[str, str]]], solver: str) -> Best:
    best = solved = 0
    for runs in instances:
        costs = [int(run["cost"]) for run in runs.values() if run["cost"]]
        ours = runs.get(solver)
        has_it = bool(ours and ours["cost"] and int(ours["cost"]) == min(costs))
        best += has_it
        solved += bool(has_it and ours and ours["status"] == "OPTIMUM FOUND")
    return Best(best, len(instances), solved)


def table(found: Found, *, beside: bool = True) -> Table:
    """A line for each size and solver, the best of a size marked; beside the paper's figures, or alone."""
    columns = (
        *(Column("sample"), Column("limit"), Column("solver"), Column("encoding")),
        *(Column("paper: best UB", digits=0), Column("paper: best UB", "%", 1)),
        *(Column("ours: best UB"), Column("ours: best UB", "%", 1, "high"), Column("ours: solved")),
    )
    return Table("best-ub", "Instances with the best upper bound", columns, tuple(_rows(found, beside)), 4, 2)


def _rows(found: Found, beside: bool) -> Iterator[tuple[Cell, ...]]:
    for (percent, hours), solvers in found.items():
        for name in sorted(solvers, key=lambda each: (-solvers[each].best, each)):
            paper, ours = printed(percent, hours, name) if beside else None, solvers[name]
            yield (
                *(f"{percent} %", f"{hours} h" if hours else "short", name),
                "SAT" if name == SAT else "MaxSAT",
                *(paper, None if paper is None else 100 * paper / INSTANCES),
                *(ours.best, 100 * ours.best / ours.of, ours.solved),
            )


def printed(percent: int, hours: int, solver: str) -> int | None:
    """The paper's figure, of an hour where ours is shorter."""
    return BEST_UB.get((percent, hours or 1), {}).get(PRINTED.get(solver, ""))


# ---------------------------------------------------------------------------- claims


def claims(found: Found) -> Iterator[Claim]:
    """Who is best, who is worst, and how MaxSAT does beside SAT."""
    yield _extreme(found, "satlike-ck", "satlike-ck has the best bound on the most instances of each size", 1)
    yield _extreme(found, SAT, "Of the paper's solvers MinDT, the SAT descent, has it on the fewest", -1)
    yield _beats(found)


def _extreme(found: Found, solver: str, says: str, sign: int) -> Claim:
    """Whether a solver is first, or with -1 last, of the paper's, on each size."""
    kinds = [{n: each.best for n, each in kind.items() if n in PRINTED} for kind in found.values()]
    there = [kind for kind in kinds if solver in kind and len(kind) > 1]
    is_so = [all(sign * kind[solver] > sign * n for o, n in kind.items() if o != solver) for kind in there]
    counts = "; ".join(", ".join(f"{name} {n}" for name, n in kind.items()) for kind in there)
    return Claim(says, judged(sum(is_so), len(is_so)), counts or f"{solver} is not here")


def _beats(found: Found) -> Claim:
    pairs = {
        kind: (solvers["lms"], solvers[SAT])
        for kind, solvers in found.items()
        if "lms" in solvers and SAT in solvers
    }
    better = sum(lms.best > descent.best for lms, descent in pairs.values())
    held: Held = judged(better, len(pairs))
    said = [f"{percent} %: {a.best} and {b.best} of {a.of}" for (percent, _), (a, b) in pairs.items()]
    return Claim(
        "The linear MaxSAT search has the best bound on more instances than the SAT descent, at each size",
        held,
        "; ".join(said) or "one of them is not here",
    )
