"""What collecting came to, for people: counts, and the first of what they should look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wcnfgen.campaign.results import REFUSED, Result
from wcnfgen.contradictions import BLAMELESS
from wcnfgen.words import count, table

SHOWN = 20  # findings or faults; the rest is counted
STANDINGS = ("proved", "model", "nothing", "wrong", "refused")


@dataclass(slots=True)
class Few:
    """The first of many lines, and how many they are."""

    number: int = 0
    texts: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """One more."""
        self.number += 1
        if len(self.texts) < SHOWN:
            self.texts.append(text)

    def lines(self, where: str) -> Iterator[str]:
        """Those that are kept; where the others can be seen."""
        yield from self.texts
        if self.number > len(self.texts):
            yield f"and {self.number - len(self.texts)} more{where}"


@dataclass(slots=True)
class Tally:
    """What is counted while results are written.

    standings  of each solver's runs: each counts once, as
        wrong    something that it said is not so
        proved   it says that its model is best, or that there is none, or none could be better
        model    it has a verified model
        nothing  none of these
        refused  it does not take the instance
    waiting    runs of the plan that are not there
    findings   what solvers said that is not so, and what went wrong in runs that were made
    faults     runs that are there and of which something cannot be read
    """

    standings: dict[str, Counter[str]] = field(default_factory=dict)
    waiting: int = 0
    findings: Few = field(default_factory=Few)
    faults: Few = field(default_factory=Few)

    def add(self, result: Result) -> None:
        """One more."""
        self.standings.setdefault(result.solver, Counter())[standing(result)] += 1
        for kind, text in result.findings:
            self.findings.add(f"{result.instance}: {result.solver}: {text} ({kind})")


def standing(result: Result) -> str:
    """Which of STANDINGS a run has."""
    if result.ended == REFUSED:
        return "refused"
    if any(kind not in BLAMELESS for kind, _ in result.findings):
        return "wrong"
    if result.cost is None:
        return "proved" if result.status == "UNSATISFIABLE" else "nothing"
    return "proved" if result.status == "OPTIMUM FOUND" or result.cost == 0 else "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What collecting came to.

    files   that were written, results.csv first
    judged  how many runs were judged now; the others had been
    """

    files: tuple[Path, ...]
    tally: Tally
    judged: int

    @property
    def number(self) -> int:
        """How many runs are in it."""
        return sum(sum(counts.values()) for counts in self.tally.standings.values())

    @property
    def exit_code(self) -> int:
        """1 if something that a solver said is not so, or a run cannot be read."""
        return 1 if self.tally.findings.number or self.tally.faults.number else 0

    def lines(self) -> Iterator[str]:
        """All of it."""
        solvers = sorted(self.tally.standings)
        if solvers:
            header = ["solver", "runs", *STANDINGS]
            counts = [(name, self.tally.standings[name]) for name in solvers]
            rows = [[name, each.total(), *(each[kind] for kind in STANDINGS)] for name, each in counts]
            yield from table([header, *rows])
            yield ""
        yield from self.tally.findings.lines(f", see {self.files[0]}")
        yield from self.tally.faults.lines("")
        if self.tally.waiting:
            yield f"{count(self.tally.waiting, 'run')} of the plan to come"
        files = ", ".join(map(str, self.files))
        yield f"{files}: {count(self.number, 'run')}, {self.judged} of them judged now"
