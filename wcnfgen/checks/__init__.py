"""The rules of the MaxSAT Evaluation, and of its normaliser, as one check each.

`lint` reads files, ours or not, and says what would be refused, disqualified, dropped, renumbered or
otherwise changed. Each rule is a function of a few lines with the rule's text and its source (`_rule`), in
the module of what it looks at:

    names       the name of a file, and that it is compressed as the name says
    syntax      what a file has to obey to be read at all; headers
    lines       lines that are accepted, but not by everything
    clauses     variables and clauses
    weights     weights of soft clauses
    optimum     satisfiable, and with an optimum other than 0
    together    files given together: no two alike
    families    a family's folder: manifest, models, description, archive

A file is read once, in chunks, in bounded memory (`_survey`); only formulas of equal size are read again,
to compare them, unless they are what a family's manifest was written for, which says their identity.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wcnfgen.bundle import facts
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.checks._family import Damaged, Family, wrong_model
from wcnfgen.checks._inputs import FamilyFolder, Input, inputs
from wcnfgen.checks._rule import Finding as Finding
from wcnfgen.checks._rule import Rule as Rule
from wcnfgen.checks._rule import Severity as Severity
from wcnfgen.checks._rule import Track, apply
from wcnfgen.checks._rule import rules as rules
from wcnfgen.checks._survey import survey
from wcnfgen.checks.names import Name
from wcnfgen.checks.together import Member, Together
from wcnfgen.errors import WcnfgenError
from wcnfgen.workers import functions

CONFLICTS = 2_000


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say of some files.  files is how many instances were looked at."""

    files: int
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(each.severity == "error" for each in self.findings)


def lint(
    files: Sequence[str | os.PathLike[str]],
    *,
    track: Track = "maxsat",
    conflicts: int = CONFLICTS,
    jobs: int = 1,
) -> Report:
    """Check instances, folders and archives, so many at a time.

    conflicts is what a SAT solver may spend on whether a small formula's optimum is 0; 0 asks none.
    Raises UsageError for a file that is not there, and for a folder or an archive without instances.
    """
    with contextlib.ExitStack() as stack:
        given = [each for path in files for each in inputs(Path(path), stack)]
        groups = [
            _family(each) if isinstance(each, FamilyFolder) else _Group([Look(each, track)]) for each in given
        ]
        looks = [look for group in groups for look in group.looks]
        seen = dict(functions.each(looks, partial(_looked, conflicts), jobs, killed=_killed))
        findings = [finding for group in groups for finding in group.findings(seen, track)]
        members = tuple(seen[look].member for look in looks)
        findings += apply(Together(members), "", track)
    return Report(len(members), tuple(findings))


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """An instance to look at; in a family, with its folder, the path there and the line of the manifest."""

    file: Input
    track: Track
    family: Folder | None = None
    inside: str = ""
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    """What there is to say of one instance."""

    member: Member
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Instances that belong together: one alone, or those of a family; damaged: it cannot be read."""

    looks: list[Look]
    name: str = ""
    facts: Facts | None = None
    damaged: str = ""

    def findings(self, seen: Mapping[Look, Looked], track: Track) -> Iterator[Finding]:
        """Those of each instance, then those of the family."""
        for look in self.looks:
            yield from seen[look].findings
        if self.damaged:
            yield from apply(Damaged(self.damaged), self.name, track)
        if self.facts is not None:
            members = {look.inside: seen[look].member for look in self.looks}
            yield from apply(Family(self.facts, self.name, members), self.name, self.facts.about.family.track)


def _family(family: Input) -> _Group:
    """A family's folder and what is in it."""
    try:
        found = facts.read(Folder(family.path))
    except WcnfgenError as error:
        return _Group([], family.name, None, str(error).replace(os.fspath(family.path), family.name))
    rows = {row.file: row for row in reversed(found.written)}
    looks = []
    for path in sorted(found.folder.instances.glob("[!.]*")):
        inside = path.relative_to(family.path).as_posix()
        file = Input(path, f"{family.name}/{inside}")
        looks.append(Look(file, found.about.family.track, found.folder, inside, rows.get(inside)))
    return _Group(looks, family.name, found)


def _looked(conflicts: int, look: Look) -> Looked:
    """Look at one instance, and in a family at its model."""
    file, track, row = look.file, look.track, look.row
    if row is not None and row.nonzero in ("bound", "solver"):
        conflicts = 0
    seen = survey(file.path, file.name, conflicts)
    views = (Name(file.path, track), seen.text, seen.formula)
    said = [finding for view in views if view for finding in apply(view, file.name, track)]
    formula = seen.formula
    member = Member(
        file.path,
        file.name,
        seen.text.sha256,
        formula.size if formula else None,
        seen.text.bytes,
        formula.variables if formula else 0,
        formula.command if formula else "",
        row.identity if row is not None and row.sha256 == seen.text.sha256 else "",
        "" if row is None or look.family is None else wrong_model(look.family, row, file.path, track),
    )
    return Looked(member, tuple(sorted(said, key=lambda finding: finding.line or 0)))


def _killed(look: Look) -> Looked:
    raise WcnfgenError(f"{look.file.name}: what looked at it was killed, perhaps for want of memory")
