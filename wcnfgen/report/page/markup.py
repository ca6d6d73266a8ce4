"""The part of the page that needs no script: facts, warnings, faults and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from wcnfgen import __version__
from wcnfgen.contradictions import BLAMELESS, Lie
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.standings import Standings, all_runs
from wcnfgen.report.summary import Cell, Column, Summary, Table
from wcnfgen.report.tables import MOST, show, unlike
from wcnfgen.words import count, printable

MAIN = 1  # tables that are read first
NONE = '<p class="fine">No contradictions: every claim that was checked holds.</p>'
REGULAR = frozenset({"exit 0", "exit 10", "exit 20", "exit 30", "wall limit", "cpu limit"})


def text(value: object) -> str:
    """For a place between tags or in an attribute."""
    return escape(printable(str(value)))


def summary(found: Summary, solvers: Sequence[str]) -> str:
    """What was compared, what to know first, and of the main tables what is of all instances."""
    facts = "".join(f"<dt>{text(what)}</dt><dd>{text(value)}</dd>" for what, value in found.facts)
    warnings = "".join(f"<li>{text(each)}</li>" for each in found.warnings)
    main = "".join(table(_first(each), solvers) for each in found.tables[:MAIN])
    return (
        f'<dl class="facts">{facts}</dl>'
        + (f'<ul class="warnings">{warnings}</ul>' if warnings else "")
        + f'<div class="main">{main}</div>'
    )


def _first(found: Table) -> Table:
    """The first group of a table, without the columns that say so."""
    if not found.groups or found.groups >= found.labels or not found.rows:
        return found
    rows = [row for row in found.rows if row[: found.groups] == found.rows[0][: found.groups]]
    return replace(
        found,
        name=f"main-{found.name}",
        title=f"{found.title}: {', '.join(map(str, rows[0][: found.groups]))}",
        columns=found.columns[found.groups :],
        rows=tuple(row[found.groups :] for row in rows),
        labels=found.labels - found.groups,
        groups=0,
    )


def others(found: Summary, solvers: Sequence[str]) -> str:
    """All tables; contradictions are shown as a list."""
    return "".join(table(each, solvers) for each in found.tables if each.name != "lies")


def table(shown: Table, solvers: Sequence[str]) -> str:
    """A table with its title and its note."""
    best = shown.best()
    head = "".join(_heading(column, at < shown.labels) for at, column in enumerate(shown.columns))
    body = "".join(
        f"<tr{_kind(place in shown.apart, new and shown.groups > 0)}>"
        + "".join(
            _label(cell if new or at >= shown.groups else "", solvers)
            if at < shown.labels
            else _value(cell, column, (place, at) in best)
            for at, (cell, column) in enumerate(zip(row, shown.columns, strict=True))
        )
        + "</tr>"
        for place, (row, new) in enumerate(unlike(shown.rows[:MOST], shown.groups))
    )
    rest = len(shown.rows) - MOST
    more = f"and {rest} more: wcnfgen report --format csv has all. " if rest > 0 else ""
    note = f"<figcaption>{text(more + shown.note)}</figcaption>" if more or shown.note else ""
    return (
        f'<figure class="table" id="table-{text(shown.name)}"><h3>{text(shown.title)}</h3>'
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        f"{note}</figure>"
    )


def _kind(apart: bool, new: bool) -> str:
    kinds = ["apart"] * apart + ["group"] * new
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _heading(column: Column, label: bool) -> str:
    unit = f' <span class="unit">{text(column.unit)}</span>' if column.unit else ""
    about = f' title="{text(column.about)}"' if column.about else ""
    return f"<th scope=col{about}{' class=label' if label else ''}>{text(column.name)}{unit}</th>"


def _label(cell: Cell, solvers: Sequence[str]) -> str:
    """A solver has the dot of its lines."""
    dot = f'<i class="dot" data-solver="{solvers.index(str(cell))}"></i>' if cell in solvers else ""
    return f"<th scope=row>{dot}{text('' if cell is None else cell)}</th>"


def _value(cell: Cell, column: Column, best: bool) -> str:
    kind = "best" if best else "none" if cell is None else "words" if isinstance(cell, str) else ""
    return f"<td{f' class={kind}' if kind else ''}>{text(show(cell, column))}</td>"


def faults(comparison: Comparison, standings: Standings) -> str:
    """Claims that are not so, findings that accuse no solver, and how runs went wrong."""
    wrong = [lie for lie in standings.lies if lie.kind not in BLAMELESS]
    others = [lie for lie in standings.lies if lie.kind in BLAMELESS]
    return (
        (_wrong(comparison, standings, wrong) if wrong else NONE)
        + (_listed("Other findings", others, comparison) if others else "")
        + _ends(comparison)
    )


def _wrong(comparison: Comparison, standings: Standings, wrong: Sequence[Lie]) -> str:
    distrusted = ", ".join(f"<b>{text(each)}</b>" for each in sorted(standings.distrusted))
    consequence = f"<p>Nothing counts that {distrusted} says is proved; models do, as they were checked.</p>"
    return _listed("Contradictions", wrong, comparison, consequence if distrusted else "")


def _listed(title: str, found: Sequence[Lie], comparison: Comparison, first: str = "") -> str:
    places = {each.name: place for place, each in enumerate(comparison.instances)}
    items = "".join(
        f"<li><b>{text(lie.solver)}</b> on {_link(lie.name, places[lie.name])}: {text(lie.text)}</li>"
        for lie in found[:MOST]
    )
    more = f"<p>and {len(found) - MOST} more, in the table of runs</p>" if len(found) > MOST else ""
    heading = f'<h3>{title} <span class="count bad">{len(found)}</span></h3>'
    return f'{heading}{first}<ul class="wrong">{items}</ul>{more}'


def _link(instance: str, place: int) -> str:
    return f'<a href="#instance={place}">{text(instance)}</a>'


def _ends(comparison: Comparison) -> str:
    """How many runs of which solver ended as they should not."""
    odd = Counter((run.solver, run.ended) for run in all_runs(comparison) if run.ended not in REGULAR)
    if not odd:
        return '<p class="fine">No faults: every run ended by itself or at its time limit.</p>'
    ends = sorted({ended for _, ended in odd})
    rows = tuple(
        (solver, *(odd[solver, ended] or None for ended in ends))
        for solver in comparison.solvers
        if any(odd[solver, ended] for ended in ends)
    )
    columns = (Column("solver"), *map(Column, ends))
    return table(Table("faults", f"Faults: {count(odd.total(), 'run')}", columns, rows), comparison.solvers)


def footer() -> str:
    """Who made it."""
    return f"Made by wcnfgen {text(__version__)}. All costs are recomputed from the solvers' models."
