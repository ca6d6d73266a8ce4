"""What an experiment found: our figures beside the paper's, and which of its claims held.

Written as Markdown for people, JSON with all digits for programs, and one CSV file for each table.  Figures
of a paper come from its text; where the text that we have lacks them, the table says so and has ours alone.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from wcnfgen import __version__
from wcnfgen.experiments import Experiment
from wcnfgen.experiments.work import Work
from wcnfgen.report import tables
from wcnfgen.report.summary import Column, Summary, Table

Held = Literal["yes", "no", "partly", "open"]
CLAIMS = "claims"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper, in our words with its figures; whether it held here, and by how much.

    open: this scale, or these data, cannot say.
    """

    says: str
    held: Held
    measured: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Tables, claims, and what explains how ours deviate: a sentence or two each."""

    tables: tuple[Table, ...]
    claims: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()


def judged(good: int, of: int, *, enough: float = 1.0, least: float = 0.0) -> Held:
    """Whether something holds that holds in so many cases of so many.

    enough is the share of the cases that makes it hold; partly it does from the share `least` on, but not in
    no case at all.

    >>> judged(3, 3), judged(1, 3), judged(0, 3), judged(0, 0)
    ('yes', 'partly', 'no', 'open')
    >>> judged(9, 10, enough=0.9), judged(1, 4, least=0.5)
    ('yes', 'no')
    """
    if not of:
        return "open"
    if good >= enough * of:
        return "yes"
    return "partly" if good and good >= least * of else "no"


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what there is.

    >>> mean([9, None, 12]), mean([])
    (10.5, None)
    """
    found = [each for each in values if each is not None]
    return fmean(found) if found else None


def summary(experiment: Experiment, work: Work, found: Findings, facts: Sequence[tuple[str, str]]) -> Summary:
    """All of it as tables; the claims are the last one."""
    columns = (Column("the paper says"), Column("held"), Column("here"))
    rows = tuple((each.says, each.held, each.measured) for each in found.claims)
    claims = (Table(CLAIMS, "Claims", columns, rows, labels=3),) if rows else ()
    above = (("source", experiment.source), ("command", command(work)), ("wcnfgen", __version__), *facts)
    left_out = tuple(f"left out: {line}" for _, line in sorted(work.missing.items()))
    return Summary(experiment.title, above, left_out, (*found.tables, *claims))


def command(work: Work) -> str:
    """The line that makes this again, on whatever machine."""
    data = " --data DATA" if work.data else ""
    return f"wcnfgen reproduce {work.name} --scale {work.scale}{data} -o FOLDER"


def markdown(made: Summary, remarks: Sequence[str]) -> str:
    """The page."""
    lines = [*tables.markdown(made)]
    if remarks:
        lines += ["", "## Deviations, and what explains them", ""]
        lines += [f"- {each}" for each in remarks]
    return "\n".join(lines) + "\n"


def document(made: Summary, found: Findings) -> str:
    """The page for programs."""
    claims = [{"says": each.says, "held": each.held, "here": each.measured} for each in found.claims]
    whole = {**json.loads(tables.to_json(made)), "claims": claims, "remarks": list(found.remarks)}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def command_lines(lines: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Steps as somebody would type them in the folder."""
    for output, words in lines:
        yield f"wcnfgen {shlex.join(words)} > {shlex.quote(output)}"
