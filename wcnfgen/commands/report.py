"""``wcnfgen report``: what the results of campaigns say."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import Shown
from wcnfgen.errors import UsageError, WcnfgenError

if TYPE_CHECKING:
    from wcnfgen.report.comparison import Comparison
    from wcnfgen.report.standings import Standings
    from wcnfgen.report.summary import Summary
    from wcnfgen.report.tables import Format

log = logging.getLogger("wcnfgen")

DIFF = "diff"


@dataclass(frozen=True, slots=True)
class Reported(Shown):
    """A report: its tables, in which format and which of them to print, and the files that were written."""

    summary: Summary
    format: Format
    table: str | None
    files: tuple[Path, ...]


def report(
    *folders: str,
    html: str | None = None,
    plots: str | None = None,
    output: str | None = None,
    format: Literal["text", "markdown", "latex", "csv", "json", "parquet"] | None = None,
    table: str | None = None,
    times: str | None = None,
    best: str | None = None,
    by: Sequence[str] = (),
    family: Sequence[str] = (),
    **options: Any,
) -> Reported:
    """Say what the results of campaigns say: scores, solved instances, pairs of solvers, contradictions.

    `wcnfgen report diff A B` says what is different in B, another campaign or another version of a solver;
    `wcnfgen report diff --help` has its options.  All figures come from results.csv, which `wcnfgen campaign
    collect` writes; results of several campaigns are put together.

    examples:
      wcnfgen report race
      wcnfgen report race --times 1,2 --format markdown -o race.md
      wcnfgen report race --html race.html --plots plots
      wcnfgen report diff race --solver rc2 --against lsu

    folders: of campaigns
    html: write one HTML file to look at, with plots (extra: report)
    plots: write the plots as SVG and PDF into this folder (extra: plots)
    output: write the tables to this file; of CSV or Parquet a folder has all
    format: of the tables; default: as the file's ending says, else text
    table: only this one, as "scores" or "pairs"; CSV has one, by default the first
    times: seconds at which anytime scores are taken, as 60,300; default: usual ones, and the limit
    best: a folder of the best models known, which is read and, where a run has a better one, written
    by: a table by this parameter of the instances, as "percent" (repeat for more)
    family: only instances of this family (repeat for more)

    Raises UsageError, WcnfgenError where a file is damaged or cannot be written.
    """
    from wcnfgen.report import tables
    from wcnfgen.signatures import check_choices

    check_choices(report, {"format": format})
    chosen = tables.known(format, output)
    if chosen == "parquet" and output is None:
        raise UsageError("--format parquet is not for a terminal: give -o FILE or -o FOLDER")
    if folders[:1] == (DIFF,):
        _none_of(html=html, plots=plots, best=best, by=by, times=times)
        summary, written = _different(folders[1:], family, **options), list[Path]()
    else:
        if options:
            raise UsageError(f"--{', --'.join(options)}: only for `wcnfgen report diff`")
        summary, written = _reported(folders, html, plots, _seconds(times), best, by, family)
    if output is not None:
        written += tables.write(summary, chosen, Path(output), table)
    return Reported(summary, chosen, table, tuple(written))


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The options of `report diff`."""
    return (diff,) if options.get("first") == DIFF else ()


def diff(*, solver: str | None = None, against: str | None = None) -> None:
    """What is different in B: by default for each solver that both have.

    solver: of A
    against: of B; by default the same one
    """


def _none_of(**options: Any) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(f"--{', --'.join(given)}: not for `wcnfgen report diff`")


def _seconds(text: str | None) -> list[float]:
    """Times as they are written: 60,300."""
    try:
        times = [float(each) for each in text.split(",")] if text else []
    except ValueError:
        times = [-1.0]
    if any(not 0 < each < float("inf") for each in times):
        raise UsageError(f"--times {text}: give seconds above 0, as 60,300")
    return times


def _loaded(folders: Sequence[str], family: Sequence[str]) -> Comparison:
    from wcnfgen.report import comparison

    if not folders:
        raise UsageError("no campaign; `wcnfgen report FOLDER...`")
    found = comparison.load(Path(each) for each in folders)
    return _only(found, family) if family else found


def _only(found: Comparison, family: Sequence[str]) -> Comparison:
    there = {each.family for each in found.instances}
    for name in family:
        if name not in there:
            raise UsageError(f"--family {name}: there is none; there are: {', '.join(sorted(there))}")
    kept = tuple(each for each in found.instances if each.family in family)
    names = {each.name for each in kept}
    return replace(
        found, instances=kept, runs={at: runs for at, runs in found.runs.items() if at[0] in names}
    )


def _reported(
    folders: Sequence[str],
    html: str | None,
    plots: str | None,
    times: Sequence[float],
    best: str | None,
    by: Sequence[str],
    family: Sequence[str],
) -> tuple[Summary, list[Path]]:
    from wcnfgen.report import summarising

    comparison = _loaded(folders, family)
    standings = _standings(comparison, best)
    summary = summarising.of(comparison, standings, times, by)
    written: list[Path] = []
    if html is not None:
        from wcnfgen.report import page

        page.write(comparison, standings, summary, Path(html))
        written.append(Path(html))
    if plots is not None:
        from wcnfgen.report import plots as drawings

        written += drawings.write(comparison, standings, Path(plots))
    return summary, written


def _standings(comparison: Comparison, best: str | None) -> Standings:
    """What counts, with the store of best models as it was before; then the store is lowered."""
    from wcnfgen.report import best as store
    from wcnfgen.report import standings
    from wcnfgen.words import count

    if best is None:
        return standings.of(comparison)
    found = standings.of(comparison, store.read(Path(best), comparison))
    try:
        lowered = store.lower(Path(best), comparison, found)
    except WcnfgenError as error:  # a store that others own can be read, too
        log.warning("--best: %s; it stays as it was", error)
    else:
        log.info("%s: %s", best, count(len(lowered), "better model"))
    return found


def _different(
    folders: Sequence[str],
    family: Sequence[str],
    solver: str | None = None,
    against: str | None = None,
) -> Summary:
    from wcnfgen.report import diff as differences

    if len(folders) not in (1, 2) or (len(folders) == 1 and not (solver and against)):
        raise UsageError(
            "`wcnfgen report diff A B` compares two campaigns, "
            "`wcnfgen report diff A --solver X --against Y` two solvers of one"
        )
    before, after = _loaded(folders[:1], family), _loaded(folders[-1:], family)
    return differences.of(before, after, solver, against)


def present(result: Reported, out: TextIO, *, output: str | None = None) -> int:
    """Print the tables, or say which files there are."""
    from wcnfgen.report import tables

    if output is None:
        out.write(tables.lines(result.summary, result.format, result.table))
    for each in result.files:
        log.info("written: %s", os.fspath(each))
    return 0
