"""A report as one HTML file: it opens from a disk or an attachment, and asks no network.

What is read first is plain HTML, made here: what was compared, scores, contradictions and faults, and all
tables of the summary; it is there without a script too, and in print.  What is looked into is made by the
script from the data in the page: plots, the table of instances and of runs, and a panel with all that is kept
of a run.

    markup   the plain part
    data     figures for the script, by column
    kept     command and machine of a run, from its record in the campaign's folder
    drawn    the best tree of each instance, as SVG
    *.html, *.css, *.js   the page itself

Plots are drawn by plotly.js and the table is DataTables, which the packages `plotly` and `itables` carry.
They and the data are compressed, as text in base64: less than half the size, and nothing in it can end the
element that it is in.  Names are strangers': they go through `markup.text` here, and through `textContent` or
`plain` in the script.  Should that fail, the page's policy lets no script run but its own, and nothing load.

Same input, same bytes: no times, and an order that is the comparison's.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from importlib.resources import files
from pathlib import Path
from string import Template

from wcnfgen.errors import UsageError
from wcnfgen.files import atomic
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.page import data, markup
from wcnfgen.report.standings import Standings
from wcnfgen.report.summary import Summary

SCRIPTS = ("page.js", "plots.js", "tables.js", "panel.js", "start.js")
TREES = 500  # trees that are drawn, at most


def write(
    comparison: Comparison, standings: Standings, summary: Summary, target: Path, *, trees: int = TREES
) -> None:
    """Write the report, whole or not at all.

    trees: so many instances at most have their best tree drawn.

    Raises UsageError without the extra `report`.
    """
    plotly, datatables = _plotly(), _datatables()
    found = data.collect(comparison, standings, trees=trees)
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    script = "\n" + "".join(map(_asset, SCRIPTS))
    page = Template(_asset("page.html")).substitute(
        title=markup.text(summary.title),
        style=_asset("page.css") + _asset("tables.css"),
        summary=markup.summary(summary, comparison.solvers),
        faults=markup.faults(comparison, standings),
        tables=markup.others(summary, comparison.solvers),
        footer=markup.footer(),
        data=_packed(text),
        plotly=_packed(plotly),
        datatables=_packed(datatables),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"),
    )
    with atomic(target) as out:
        out.write(page.encode("utf-8"))


def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 9, mtime=0)).decode("ascii")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError:
        raise _missing("plotly") from None
    return str(get_plotlyjs())


def _datatables() -> str:
    """Its module; the style is ours."""
    try:
        return files("itables").joinpath("html", "dt_bundle.js").read_text("utf-8")
    except ModuleNotFoundError:
        raise _missing("itables") from None


def _missing(package: str) -> UsageError:
    return UsageError(f"an HTML report needs {package}: pip install 'wcnfgen[report]'")
