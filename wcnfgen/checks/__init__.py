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
to compare them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.bundle import facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.checks._family import Damaged, Family
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
    files: Sequence[str | os.PathLike[str]], *, track: Track = "maxsat", conflicts: int = CONFLICTS
) -> Report:
    """Check instances, folders and archives.

    conflicts is what a SAT solver may spend on whether a small formula's optimum is 0; 0 asks none.
    Raises UsageError for a file that is not there, and for a folder or an archive without instances.
    """
    with contextlib.ExitStack() as stack:
        findings: list[Finding] = []
        members: list[Member] = []
        for each in [each for path in files for each in inputs(Path(path), stack)]:
            look = _family if isinstance(each, FamilyFolder) else _file
            more, found = look(each, track, conflicts)
            members += more
            findings += found
        findings += apply(Together(tuple(members)), "", track)
    return Report(len(members), tuple(findings))


def _file(file: Input, track: Track, conflicts: int) -> tuple[list[Member], list[Finding]]:
    """What to say of one instance."""
    seen = survey(file.path, file.name, conflicts)
    views = (Name(file.path, track), seen.text, seen.formula)
    found = [finding for view in views if view for finding in apply(view, file.name, track)]
    size = seen.formula.size if seen.formula else None
    member = Member(file.path, file.name, seen.text.sha256, size)
    return [member], sorted(found, key=lambda finding: finding.line or 0)


def _family(family: Input, track: Track, conflicts: int) -> tuple[list[Member], list[Finding]]:
    """What to say of a family's folder, and of each instance in it."""
    try:
        found = facts.read(Folder(family.path))
    except WcnfgenError as error:
        message = str(error).replace(os.fspath(family.path), family.name)
        return [], list(apply(Damaged(message), family.name, track))
    track = found.about.family.track
    shown = {row.file for row in found.written if row.nonzero in ("bound", "solver")}
    members: dict[str, Member] = {}
    findings: list[Finding] = []
    for path in sorted(Folder(family.path).instances.glob("[!.]*")):
        inside = path.relative_to(family.path).as_posix()
        budget = 0 if inside in shown else conflicts
        (members[inside],), more = _file(Input(path, f"{family.name}/{inside}"), track, budget)
        findings += more
    findings += apply(Family(found, family.name, members), family.name, track)
    return list(members.values()), findings
