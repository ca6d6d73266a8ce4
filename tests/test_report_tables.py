"""How tables are shown: aligned, marked and rounded for people, whole for programs."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparing import compared, comparisons, instance, run, solved
from tests.optional import needs
from wcnfgen.errors import UsageError
from wcnfgen.report import standings, summarising, tables
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.summary import Column, Summary, Table
from wcnfgen.report.tables import known, show

PERSONS = ("text", "markdown", "latex")
EVIL = "a|b_c*`d`\\e<f>&%$#{}~^[x](y)\n# g\r- h"


pytestmark = pytest.mark.usefixtures("few_samples")


def summed(comparison: Comparison, **options: object) -> Summary:
    return summarising.of(comparison, standings.of(comparison), **options)  # type: ignore[arg-type]


SMALL = Summary(
    "small",
    (("solvers", "a, b"),),
    ("b: be careful",),
    (
        Table(
            "scores",
            "Scores",
            (
                Column("class"),
                Column("solver"),
                Column("score", digits=3, good="high"),
                Column("time", "s", 1, "low"),
            ),
            (
                ("all", "a", 0.5, 2.25),
                ("all", "b", 0.25, None),
                ("all", "virtual best", 0.75, 1.0),
                ("some", "a", 1.0, 3.0),
                ("some", "b", 1.0, 12.5),
            ),
            2,
            1,
            frozenset({2}),
            "a note",
        ),
    ),
)


# ---------------------------------------------------------------------------- for people


def test_text() -> None:
    assert list(tables.text(SMALL)) == [
        "small",
        "  solvers  a, b",
        "  warning: b: be careful",
        "",
        "Scores",
        "  class  solver        score  time [s]",
        "  -----  ------------  -----  --------",
        "  all    a             0.500*      2.2",
        "         b             0.250         –",
        "         virtual best  0.750       1.0",
        "  some   a             1.000       3.0*",
        "         b             1.000      12.5",
        "  a note",
    ]


def test_markdown() -> None:
    assert list(tables.markdown(SMALL)) == [
        "# small",
        "",
        "- solvers: a, b",
        "- **warning**: b: be careful",
        "",
        "## Scores",
        "",
        "| class | solver | score | time \\[s\\] |",
        "| --- | --- | --: | --: |",
        "| all | a | **0.500** | 2.2 |",
        "|  | b | 0.250 | – |",
        "|  | virtual best | 0.750 | 1.0 |",
        "| some | a | 1.000 | **3.0** |",
        "|  | b | 1.000 | 12.5 |",
        "",
        "a note",
    ]


def test_latex() -> None:
    text = "\n".join(tables.latex(SMALL))
    assert "all & a & \\textbf{0.500} & 2.2 \\\\\n & b & 0.250 & \\textendash{} \\\\\n" in text
    assert "1.0 \\\\\n\\midrule\nsome & a" in text
    assert "\\caption{Scores. a note}\\label{tab:scores}" in text
    assert "\\begin{tabular}{@{}llrr@{}}" in text


def test_the_best_is_marked_within_its_group_and_not_where_all_are_equal() -> None:
    table = SMALL.tables[0]
    assert table.best() == {(0, 2), (3, 3)}
    rounded = Table(
        "t", "T", (Column("solver"), Column("score", good="high")), (("a", 0.1 + 0.2), ("b", 0.3), ("c", 0))
    )
    assert rounded.best() == {(0, 1), (1, 1)}
    (alone,) = summed(compared([run("x", "a", 1)])).tables[:1]
    assert not alone.best()


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.12345, 3, "0.123"),
        (0.0, 3, "0.000"),
        (0.0004, 3, "<0.001"),
        (-0.0004, 3, ">-0.001"),
        (0.0006, 3, "0.001"),
        (2, 3, "2"),
        (2.5, 1, "2.5"),
        (1e-300, 4, "<0.0001"),
        (0.3, 0, "<1"),
        (12345.6, 0, "12346"),
        (None, 2, "–"),
        ("text", 2, "text"),
    ],
)
def test_a_value_for_people(value: float | str | None, digits: int, text: str) -> None:
    assert show(value, Column("x", digits=digits)) == text


@given(comparisons(), st.sampled_from(["percent", "family", "weighted", "data"]))
def test_any_results_can_be_shown(comparison: Comparison, name: str) -> None:
    """Numbers are numbers, columns stand below each other, and every row has all cells."""
    summary = summed(comparison, by=[name], times=[1, 60])
    for table in summary.everything:
        for row in table.rows:
            assert len(row) == len(table.columns)
            assert not any(isinstance(cell, float) and not math.isfinite(cell) for cell in row)
    names = [each.name for each in summary.tables]
    assert len(set(names)) == len(names) and {"solved", "families", f"by-{name}", "runs"} <= set(names)
    for table in summary.tables:
        headings = [column.heading for column in table.columns]
        assert len(set(headings)) == len(headings)
    for form in (tables.text, tables.markdown, tables.latex):
        assert not re.search(r"\bnan\b|\binf\b|None", "\n".join(form(summary)))
    assert len({len(row) for row in _grid(summary)}) == 1
    assert json.loads(tables.to_json(summary))["tables"].keys() == {*names, "results"}
    (each,) = summary.details
    assert len(each.rows) == sum(map(len, comparison.runs.values()))


def _grid(summary: Summary) -> Iterator[str]:
    """The rules of the columns of `solved` and the rows below, padded to the end."""
    lines = list(tables.lines(summary, "text", "solved").splitlines())
    rule = next(number for number, line in enumerate(lines) if set(line) <= {" ", "-"} and line.strip())
    width = len(lines[rule])
    for line in lines[rule : rule + 2]:
        yield line[:width].ljust(width)


def test_the_tables_of_a_comparison_by_hand() -> None:
    """As tests/test_report_scores.py has it: a scores (1 + 1/2)/2, b (1/2 + 1)/2, each solved one."""
    runs = [
        solved("x", "a", 4, 8.0, trace=((2.0, 9), (8.0, 4))),
        run("x", "b", 9),
        run("y", "a", 3),
        solved("y", "b", 1, 10.0),
    ]
    both = [instance("x", weighted=True), instance("y", parameters={"percent": 80})]
    summary = summed(compared(runs, both), by=["percent"], times=[5])
    scores = summary.table("scores")
    assert scores is not None
    assert [column.name for column in scores.columns] == [
        "instances", "solver", "score at 5 s", "score", "contributes", "best UB",
    ]  # fmt: skip
    assert scores.rows[:3] == (
        ("all 2", "a", (5 / 10 + 2 / 4) / 2, (1 + 2 / 4) / 2, 0.25, 1),
        ("all 2", "b", (5 / 10 + 0) / 2, (5 / 10 + 1) / 2, 0.25, 1),
        ("all 2", "virtual best", (5 / 10 + 2 / 4) / 2, 1.0, None, 2),
    )
    assert [row[0] for row in scores.rows[3:]] == ["unweighted 1"] * 3 + ["weighted 1"] * 3
    by = summary.table("by-percent")
    assert by is not None
    assert by.rows == (
        (20, "a", 1, 1, 1.0, 1, 8.0, 8.0),
        (20, "b", 1, 0, 0.5, 0, 60.0, 60.0),
        (80, "a", 1, 0, 0.5, 0, 60.0, 60.0),
        (80, "b", 1, 1, 1.0, 1, 10.0, 10.0),
    )
    pairs = summary.table("pairs")
    assert pairs is not None and pairs.rows[0][:6] == ("a", "b", 1, 0, 1, 0.0)


def test_what_a_reader_has_to_know() -> None:
    runs = [
        run("x", "a", 4, threads=3, live=False, findings=(("cores", "9 s of CPU time"),)),
        run("y", "a", 4, late=True),
        run("x", "b", 3, bound=4),
        solved("x", "c", 3, 1.0, wall_limit_s=60.0),
        run("y", "c", ended="refused", trace=()),
    ]
    summary = summed(compared(runs))
    assert list(summary.warnings) == [
        "b: what it claims is contradicted: nothing that it says it has proved counts",
        "instances that were not run count as unsolved: b 1",
        "runs that printed at the end only: scores before it are too low: a 1",
        "runs that printed a model in the grace only: it counts at the limit, not before: a 1",
        "runs that had more threads than cores: a 1",
        "runs that took more CPU time than their cores have: their times are too good: a 1",
        "runs have different limits: each counts at its own",
    ]
    lies = summary.table("lies")
    assert lies is not None
    assert [row[:3] for row in lies.rows] == [("x", "a", "cores"), ("x", "b", "contradiction")]
    accounts = summary.table("runs")
    assert accounts is not None
    assert accounts.rows[0][:10] == ("a", 2, 0, 2, 0, 0, 0, 1, 1, 50.0)
    assert accounts.rows[2][:7] == ("c", 2, 1, 0, 0, 0, 1)


def test_some_seeds_are_missing() -> None:
    runs = [run(name, "a", 1, seed=seed) for name, seed in (("x", 1), ("x", 2), ("y", 2))]
    (warning,) = summed(compared(runs)).warnings
    assert warning == "instances that were run with some seeds only count as these say: a 1"


def test_classes_of_instances() -> None:
    """CNF is neither weighted nor unweighted, in no table."""
    each = [instance("c", format="cnf"), instance("u"), instance("w", weighted=True)]
    runs = [solved(one.name, "a", 0, 2.0) for one in each]
    summary = summed(compared(runs, each), by=["weighted"])
    assert dict(summary.facts)["instances"] == "3 in all, 1 unweighted, 1 weighted, 1 CNF"
    classes = {name: [row[0] for row in table.rows] for name in ("scores", "solved", "by-weighted")
               for table in [summary.table(name)] if table}  # fmt: skip
    assert classes == {
        "scores": ["all 2", "unweighted 1", "weighted 1"],
        "solved": ["all 3", "unweighted 1", "weighted 1", "CNF 1"],
        "by-weighted": ["CNF", "unweighted", "weighted"],
    }


def test_the_largest_families_are_named() -> None:
    each = [instance(f"i{at:02}", family=f"f{at // 2}") for at in range(21)]
    facts = dict(summed(compared([run(one.name, "a", 1) for one in each], each)).facts)
    assert facts["families"].startswith("2 f0, 2 f1, ") and facts["families"].endswith(" f7, and 3 more")


def test_one_solver_contributes_to_nothing() -> None:
    """It would be what it saves against no solver at all."""
    summary = summed(compared([solved("x", "a", 1, 5.0), solved("y", "a", 1, 10.0)]))
    for name in ("scores", "solved"):
        table = summary.table(name)
        assert table is not None
        at = [column.name for column in table.columns].index("contributes")
        assert [row[at] for row in table.rows] == [None]


def test_names_stay_text() -> None:
    """A solver may be called anything."""
    summary = summed(compared([run("x", EVIL, 1), run("x", "b", 2)]))
    lines = list(tables.markdown(summary))
    rows = [line for line in lines if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) >= 3 for row in rows)
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in _piped(lines, "Solved instances")}
    assert len(widths) == 1
    assert sum(line.startswith("#") for line in lines) == 1 + len(summary.tables)
    assert all("\n" not in line and "\r" not in line for line in tables.text(summary))


def _piped(lines: list[str], title: str) -> list[str]:
    start = lines.index(f"## {title}") + 2
    return [line for line in lines[start : start + 5] if line.startswith("|")]


def test_latex_compiles(tmp_path: Path) -> None:
    needs(shutil.which("pdflatex"), "pdflatex")
    runs = [run(f"x{number}", solver, number % 5) for number in range(70) for solver in (EVIL, "b")]
    found = compared(runs, [instance(f"x{number}", data=f"d{number}") for number in range(70)])
    tables.write(summed(found, by=["data"]), "latex", tmp_path / "tables.tex")
    main = tmp_path / "main.tex"
    main.write_text(
        "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\usepackage[T1]{fontenc}\n"
        "\\usepackage{textcomp}\n\\begin{document}\n\\input{tables}\n\\end{document}\n"
    )
    words = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-draftmode", main.name]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]


# ---------------------------------------------------------------------------- for programs


def test_csv_and_json_have_every_digit() -> None:
    summary = summed(compared([run("x", "a", 6), run("y", "a", 2), run("x", "b", 0), run("y", "b", 0)]))
    row = list(csv.reader(io.StringIO(tables.lines(summary, "csv"))))[1]
    value = (1 / 7 + 1 / 3) / 2
    assert [float(cell) for cell in row[2:5]] == [value] * 3
    found = json.loads(tables.lines(summary, "json"))["tables"]["scores"]["rows"]
    assert found[0]["score at 30 s"] == value and found[2]["contributes"] is None


def test_each_run_is_there_for_programs() -> None:
    runs = [solved("x", "a", 4, 8.0, trace=((2.0, 9), (8.0, 4))), run("x", "b", 9, seed=3)]
    table = summed(compared(runs), times=[5]).table("results")
    assert table is not None
    assert table.rows == (
        ("x", "mpdt-samples", "a", None, 4, 4, 0.5, 1.0, 1, 8.0, 8.0),
        ("x", "mpdt-samples", "b", 3, 4, 9, 0.5, 0.5, 0, 30.0, 30.0),
    )
    assert "results" not in tables.lines(summed(compared(runs)), "text")


def test_parquet_has_every_digit(tmp_path: Path) -> None:
    needs(find_spec("pyarrow"), "pyarrow")
    from pyarrow import parquet

    summary = summed(compared([run("x", "a", 6), run("y", "a", 2), run("x", "b", 0), run("y", "b", 0)]))
    files = tables.write(summary, "parquet", tmp_path / "all")
    assert [file.name for file in files] == [f"{each.name}.parquet" for each in summary.everything]
    for file, table in zip(files, summary.everything, strict=True):
        read = parquet.read_table(file).to_pylist()
        assert [tuple(row.values()) for row in read] == [tuple(row) for row in table.rows]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_folder_gets_each_table_a_file_gets_one(form: tables.Format, tmp_path: Path) -> None:
    if form == "parquet":
        needs(find_spec("pyarrow"), "pyarrow")
    files = tables.write(SMALL, form, tmp_path / "all")
    assert files == [tmp_path / "all" / f"scores.{form}"]
    (one,) = tables.write(SMALL, form, tmp_path / f"one.{form}")
    assert one.read_bytes() == files[0].read_bytes()


def test_formats() -> None:
    assert (
        known(None, None) == "text" and known(None, "x.tex") == "latex" and known("json", "x.tex") == "json"
    )
    assert known(None, "x.unknown") == "text"
    with pytest.raises(UsageError, match="choose one of"):
        known("word", None)


def test_a_long_table_is_cut_for_people_only() -> None:
    columns = (Column("name"), Column("value"))
    table = Table("t", "T", columns, tuple((f"n{number}", number) for number in range(500)))
    summary = Summary("s", (), (), (table,))
    assert len(tables.lines(summary, "csv").splitlines()) == 501
    shown = tables.lines(summary, "text").splitlines()
    assert len(shown) < 250 and any("and 300 more" in line for line in shown)
