"""``wcnfgen lint``: what the MaxSAT Evaluation would say of files."""

from __future__ import annotations

import json as jsons
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from wcnfgen.commands._shown import say

if TYPE_CHECKING:
    from wcnfgen.checks import Report, Rule


WORTH = 4 << 20  # bytes, packed, that a process of its own reads in the time of its start


def lint(
    *files: str,
    track: Literal["maxsat", "sat"] = "maxsat",
    conflicts: int = 2000,
    jobs: int | None = None,
    rules: bool = False,
    json: bool = False,
) -> Report | tuple[Rule, ...]:
    """Check WCNF files, ours or not, by every rule of the MaxSAT Evaluation and of its normaliser.

    Says what would be refused, disqualified, dropped, renumbered or otherwise changed, and what to do.  A
    folder that `wcnfgen family` made is checked as a family.  The exit code is 1 if there is an error.

    examples:
      wcnfgen lint x.wcnf
      wcnfgen lint ttt --json
      wcnfgen lint --rules

    files: instances, families' folders, or archives of either
    track: the rules of the MaxSAT Evaluation, or of the SAT Competition for CNF files
    conflicts: what a SAT solver may spend on whether a small formula has optimum 0; 0 asks none
    jobs: look at so many files at a time; default: one for each core if there is much to read
    rules: list the rules instead
    json: print JSON
    """
    from wcnfgen import checks
    from wcnfgen.errors import UsageError
    from wcnfgen.signatures import check_choices

    check_choices(lint, {"track": track})
    if conflicts < 0:
        raise UsageError(f"--conflicts {conflicts}: give 0 or more")
    if rules:
        return checks.rules()
    if not files:
        raise UsageError("no files; `wcnfgen lint FILE...`, or --rules for the rules")
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: give a number from 1 on")
    return checks.lint(files, track=track, conflicts=conflicts, jobs=jobs or _workers(files))


def _workers(files: Sequence[str]) -> int:
    """One for each core, but none beyond what pays for its start."""
    paths = [Path(each) for each in files]
    below = (each for path in paths for each in ([path] if path.is_file() else path.rglob("*.*cnf*")))
    packed = sum(each.stat().st_size for each in below if each.is_file())
    return max(1, min(len(os.sched_getaffinity(0)), packed // WORTH))


def present(result: Report | tuple[Rule, ...], out: TextIO, *, json: bool = False) -> int:
    """Print the findings, or the rules; 1 if there is an error."""
    if isinstance(result, tuple):
        _rules(result, out, json=json)
        return 0
    if json:
        fields = {"files": result.files, "findings": [asdict(each) for each in result.findings]}
        out.write(jsons.dumps(fields, indent=1) + "\n")
    else:
        say(out, result.findings)
        out.write(f"{summary(result)}\n")
    return 1 if result.errors else 0


def summary(report: Report) -> str:
    """All in one line."""
    from wcnfgen.words import count

    files = count(report.files, "file")
    counts = {
        kind: sum(each.severity == kind for each in report.findings) for kind in ("error", "warning", "note")
    }
    said = ", ".join(count(number, kind) for kind, number in counts.items() if number)
    return f"{files}: {said or 'nothing to say'}"


def _rules(rules: tuple[Rule, ...], out: TextIO, *, json: bool) -> None:
    if json:
        fields = ("id", "severity", "text", "tracks")
        out.write(
            jsons.dumps([{name: getattr(each, name) for name in fields} for each in rules], indent=1) + "\n"
        )
        return
    for each in rules:
        only = f", {each.tracks[0]} only" if len(each.tracks) == 1 else ""
        out.write(f"{each.id} ({each.severity}{only})\n    {each.text}\n")
