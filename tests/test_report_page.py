"""The report as its reader has it: in Chromium, with its console, its requests and its clock watched."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from tests import campaigns, chromium
from tests.chromium import Browser
from tests.comparing import UGLY, by_solver, comparisons
from tests.optional import needs
from wcnfgen.errors import UsageError
from wcnfgen.report import comparison, curves, page, standings, statistics, summarising
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.curves import Line
from wcnfgen.report.page import data, kept, markup
from wcnfgen.report.summary import Column, Table
from wcnfgen.report.tables import MOST
from wcnfgen.words import printable

SCRIPT, IMAGE, TAG = "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><b id=evil>'
PLOTS = ("anytime", "cactus", "gaps", "shares")
DARK, LIGHT = "rgb(20, 23, 26)", "rgb(255, 255, 255)"
SELECTS = "[...document.querySelectorAll('#plot-controls select, #scatter-controls select, #filters select')]"
RESET = f"""(() => {{
    const change = select => select.dispatchEvent(new Event('change'));
    if (document.querySelector('#panel').open) document.querySelector('#panel header button').click();
    document.querySelectorAll('#plot-controls .chip[aria-pressed=false]').forEach(each => each.click());
    const search = document.getElementById('search');
    search.value = '';
    search.dispatchEvent(new Event('input'));
    {SELECTS}.forEach((select, at) => {{
        if (select.value === values[at]) return;
        select.value = values[at];
        change(select);
    }});
    change(document.querySelector('#filters select'));
}})()"""  # the table is made anew, unsorted and unfiltered


@pytest.fixture(scope="module", autouse=True)
def little_work() -> Iterator[None]:
    """What is asked here is not how wide intervals are, and the libraries are packed once."""
    for package in ("itables", "plotly", "scipy"):
        needs(find_spec(package), package)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "DRAWN", 1000)
        patch.setattr(statistics, "FEWEST", 50)
        patch.setattr(page, "_packed", functools.cache(page._packed))
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    needs(chromium.PROGRAM, "Chromium")
    with Browser() as found:
        yield found


def write(found: Comparison, target: Path) -> Path:
    counted = standings.of(found)
    page.write(found, counted, summarising.of(found, counted), target)
    return target


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    return comparison.load([campaigns.made(tmp_path_factory.mktemp("forty"), number=40)])


@pytest.fixture(scope="module")
def report(forty: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(forty, tmp_path_factory.mktemp("page") / "report.html")


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Browser]:
    """The report as it opens; nothing that a test does with it may make it complain or ask for anything."""
    if browser.script("window.values ?? null") is None:  # another page is there
        browser.show(report)
        browser.script(f"window.values = {SELECTS}.map(each => each.value)")
    else:
        browser.script(RESET)
    yield browser
    assert browser.complaints() == []
    assert [each for each in browser.requests() if not each.startswith(("blob:", "data:"))] == []


def rows(browser: Browser) -> list[list[str]]:
    """The texts of the rows that are shown."""
    cells = "[...row.cells].map(cell => cell.textContent)"
    found: list[list[str]] = browser.script(
        f"[...document.querySelectorAll('#table tbody tr')].map(row => {cells})"
    )
    return found


def info(browser: Browser) -> str:
    return str(browser.script("document.querySelector('.dt-info').textContent"))


def choose(browser: Browser, label: str, value: str) -> None:
    """In one of the lists above the table."""
    browser.script(f"""(() => {{
        const labels = [...document.querySelectorAll('#filters label')];
        const found = labels.find(each => each.firstChild.textContent === {json.dumps(label)});
        const select = found.querySelector('select');
        select.value = {json.dumps(value)};
        select.dispatchEvent(new Event('change'));
    }})()""")


def search(browser: Browser, text: str) -> None:
    browser.script(f"""(() => {{
        const search = document.getElementById('search');
        search.value = {json.dumps(text)};
        search.dispatchEvent(new Event('input'));
    }})()""")


def click(browser: Browser, selector: str, place: int = 0) -> None:
    browser.script(f"document.querySelectorAll({json.dumps(selector)})[{place}].click()")


# ---------------------------------------------------------------------------- what is read first


def test_what_is_read_first_needs_no_script(report: Path, forty: Comparison) -> None:
    text = re.sub(r"<script.*?</script>", "", report.read_text("utf-8"), flags=re.S)
    summary = summarising.of(forty, standings.of(forty))
    shown = [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", text)]
    for table in summary.tables:
        if table.name != "lies":
            assert table.title in text
            assert {str(cell) for row in table.rows for cell in row if isinstance(cell, int)} <= set(shown)
    assert (
        text.index("Anytime scores") < text.index("Contradictions and faults") < text.index('id="instances"')
    )
    odd = Counter(run.ended for run in standings.all_runs(forty) if run.ended not in markup.REGULAR)
    assert f"Faults: {odd.total()} runs" in text
    assert set(odd) <= set(shown)


def test_same_input_same_bytes(
    report: Path, forty: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 1e9)
    monkeypatch.setattr(page, "_packed", page._packed.__wrapped__)  # type: ignore[attr-defined]
    again = write(forty, tmp_path / "again.html").read_bytes()
    assert again == report.read_bytes()
    assert len(again) < 3e6
    assert b"http:" not in re.sub(rb"http://www.w3.org/\S+", b"", again)


def test_contradictions_are_listed_near_the_top(browser: Browser, tmp_path: Path) -> None:
    lie = {"cost": 9, "status": "OPTIMUM FOUND"}
    found = by_solver(
        {"liar": {"a": [lie], "b": [{}]}, "honest": {"a": [{"cost": 3}], "b": [{"ended": "SIGSEGV"}]}}
    )
    browser.show(write(found, tmp_path / "lies.html"))
    said = browser.script("document.querySelector('#faults').innerText")
    assert "liar on a: it says OPTIMUM FOUND with a cost of 9" in said
    assert "Faults: 1 run" in said and "Other findings" not in said
    click(browser, "#faults a")
    browser.wait("document.querySelector('#panel').open")
    assert browser.script("document.querySelector('#panel h2').textContent") == "a"
    assert browser.complaints() == []


def test_nothing_to_say_is_said(browser: Browser, tmp_path: Path) -> None:
    found = by_solver({"a": {"x": [{"cost": None, "ended": "wall limit"}]}})
    browser.show(write(found, tmp_path / "empty.html"))
    text = browser.script("document.body.textContent")
    for words in ("No contradictions", "No faults", "no model was found", "no instance was solved"):
        assert words in text
    browser.script("location.hash = 'instance=0'")
    browser.wait("document.querySelector('#panel').open")
    assert "No solver found a model" in browser.script("document.querySelector('#panel').textContent")
    assert browser.complaints() == []


# ---------------------------------------------------------------------------- plots


def test_plots_are_drawn(opened: Browser, forty: Comparison) -> None:
    for name in PLOTS:
        assert (
            opened.script(f"document.querySelectorAll('#{name} .scatterlayer .trace path.js-line').length")
            == 3
        )
    assert opened.script("document.querySelectorAll('#scatter .points path').length") == 40
    counted = standings.of(forty)
    for line, solver in zip(curves.cactus(forty, counted), range(3), strict=True):
        assert opened.script(f"Math.max(...document.getElementById('cactus').data[{solver}].y)") == line.y[-1]


def test_time_is_logarithmic_or_linear(opened: Browser) -> None:
    axes = "['anytime', 'cactus'].map(name => document.getElementById(name)._fullLayout.xaxis.type)"
    assert opened.script(axes) == ["log", "log"]
    opened.script("""(() => {
        const select = document.querySelector('#plot-controls label:last-child select');
        select.value = 'linear';
        select.dispatchEvent(new Event('change'));
    })()""")
    assert opened.script(axes) == ["linear", "linear"]
    assert opened.script("document.getElementById('cactus').data[0].x[0]") == 0


def test_no_button_of_a_plot_sends_it_away(opened: Browser) -> None:
    titles = "[...document.querySelectorAll('#cactus .modebar-btn')].map(each => each.dataset.title)"
    assert opened.script(titles) == ["Zoom", "Pan", "Reset axes", "Download plot"]


def test_a_family_and_a_solver_are_chosen_for_plots(opened: Browser, forty: Comparison) -> None:
    counted, families = standings.of(forty), curves.families(forty)
    opened.script("""(() => {
        const select = document.querySelector('#plot-controls select');
        select.value = '1';
        select.dispatchEvent(new Event('change'));
    })()""")
    expected = curves.cactus(forty, counted, families[sorted(families)[0]])
    assert opened.script("Math.max(...document.getElementById('cactus').data[0].y)") == expected[0].y[-1]
    assert opened.script("document.querySelectorAll('#scatter .points path').length") == 20
    click(opened, "#plot-controls .chip", 1)
    opened.wait("document.getElementById('cactus').data[1].visible === false")
    opened.wait("document.querySelectorAll('#cactus .scatterlayer .trace').length === 2")


def test_any_two_solvers_are_set_against_each_other(opened: Browser, forty: Comparison) -> None:
    opened.script("""document.querySelectorAll('#scatter-controls select').forEach((select, place) => {
        select.value = ['2', '0', 'seconds'][place];
        select.dispatchEvent(new Event('change'));
    })""")
    points = curves.scatter(forty, standings.of(forty), "weak", "exact", "seconds")
    edge = opened.script("Math.max(...document.getElementById('scatter').data[0].x)")
    x, y = (np.where(np.isinf(values), edge, values) for values in (points.x, points.y))
    found = opened.script("['x', 'y'].map(axis => document.getElementById('scatter').data[0][axis])")
    np.testing.assert_allclose(found, [x, y], rtol=1e-5)
    assert edge == pytest.approx(points.border, rel=1e-5)


# ---------------------------------------------------------------------------- the table


def test_an_instance_is_a_row(opened: Browser, forty: Comparison) -> None:
    counted = standings.of(forty)
    found = rows(opened)
    assert [row[0] for row in found] == [each.name for each in forty.instances]
    for each, row in zip(forty.instances, found, strict=True):
        scores = [f"{counted.score(forty.of(each.name, solver)[0]):.3f}" for solver in forty.solvers]
        assert row[1:] == [each.family, "weighted" if each.weighted else "unweighted", "100", "10"] + [
            str(counted.best[each.name]),
            *scores,
        ]


def test_sorting_puts_what_is_missing_last_either_way(opened: Browser, forty: Comparison) -> None:
    choose(opened, "show", "cost")
    costs = [forty.of(each.name, "weak")[0].cost for each in forty.instances]
    known = sorted(cost for cost in costs if cost is not None)
    missing = ["–"] * costs.count(None)
    assert missing
    for expected in (known, known[::-1]):
        click(opened, "#table thead th:last-child .dt-column-title")
        opened.wait("document.querySelector('#table thead th:last-child').ariaSort !== null")
        assert [row[-1] for row in rows(opened)] == [*map(str, expected), *missing]


def test_filters_by_text_family_weights_and_number(opened: Browser, forty: Comparison) -> None:
    def names() -> list[str]:
        return sorted(row[0] for row in rows(opened))

    every = forty.instances
    search(opened, "iris")
    assert names() == sorted(each.name for each in every if "iris" in each.name)
    choose(opened, "family", "dtmax")
    assert names() == sorted(each.name for each in every if "iris" in each.name and each.family == "dtmax")
    search(opened, "")
    choose(opened, "family", "")
    choose(opened, "weights", "unweighted")
    assert names() == sorted(each.name for each in every if not each.weighted)
    click(opened, "#table thead th:nth-child(6) .dtcc-button")
    opened.script("""(() => {
        const [select, input] = document.querySelectorAll('.dtcc-dropdown :is(select, input)');
        select.value = 'greaterOrEqual';
        input.value = '8';
        for (const each of [select, input]) each.dispatchEvent(new Event('input', {bubbles: true}));
        select.dispatchEvent(new Event('change', {bubbles: true}));
    })()""")
    best = standings.of(forty).best
    opened.wait("document.querySelectorAll('#table tbody tr').length < 20")
    assert names() == sorted(each.name for each in every if not each.weighted and (best[each.name] or 0) >= 8)
    search(opened, "no such instance")
    assert "nothing fits" in rows(opened)[0][0]


def test_a_run_is_a_row(opened: Browser, forty: Comparison) -> None:
    choose(opened, "rows", "runs")
    assert info(opened).endswith("of 120")
    search(opened, "SIGSEGV")
    crashed = [run for run in standings.all_runs(forty) if run.ended == "SIGSEGV"]
    assert sorted((row[0], row[1]) for row in rows(opened)) == sorted(
        (run.instance, run.solver) for run in crashed
    )
    click(opened, "#filters .chip", 0)
    assert len(rows(opened)) == sum(run.solver != "exact" for run in crashed)


def test_a_solver_switched_off_loses_its_column(opened: Browser) -> None:
    click(opened, "#filters .chip", 1)
    titles = (
        "[...document.querySelectorAll('#table thead th .dt-column-title')].map(each => each.textContent)"
    )
    assert opened.script(titles)[-2:] == ["exact", "weak"]


# ---------------------------------------------------------------------------- the panel


def test_a_row_opens_its_instance_and_a_cell_its_run(opened: Browser, forty: Comparison) -> None:
    first, panel = forty.instances[0], "document.querySelector('#panel')"
    click(opened, "#table tbody tr:first-child td", 1)
    opened.wait(f"{panel}.open")
    assert opened.script(f"{panel}.querySelectorAll('table.runs tbody tr').length") == 3
    drawn = sum(bool(forty.of(first.name, solver)[0].trace) for solver in forty.solvers)
    assert opened.script(f"{panel}.querySelectorAll('#panel-trace path.js-line').length") == drawn
    click(opened, "#panel header button")
    opened.wait(f"!{panel}.open")
    assert opened.script("location.hash") == ""
    click(opened, "#table tbody tr:first-child td:last-child")
    opened.wait(f"{panel}.open")
    run = forty.of(first.name, "weak")[0]
    text = opened.script(f"{panel}.innerText")
    for word in (
        run.ended,
        "30 s wall, 4000 MiB",
        "weak 1.0",
        f"runs/{run.key[:2]}/{run.key[:16]}",
        "not kept",
    ):
        assert word in text
    assert opened.script("location.hash") == f"#run={run.key[:16]}"


def test_an_address_opens_a_run(opened: Browser, forty: Comparison) -> None:
    run, panel = forty.of(forty.instances[3].name, "anytime")[0], "document.querySelector('#panel')"
    opened.script(f"location.hash = 'run={run.key[:16]}'")
    opened.wait(f"{panel}.open")
    assert opened.script(f"{panel}.querySelector('tr.chosen').textContent").startswith("anytime")
    for address in ("", "run=nonsense", "instance=40", "instance=0&solver=9"):
        opened.script(f"history.pushState(null, '', '#{address}'); dispatchEvent(new Event('hashchange'))")
        assert opened.script(f"{panel}.open") == (address == "instance=0&solver=9")


def test_policy_lets_no_other_script_run(opened: Browser) -> None:
    """Should a name ever become markup."""
    opened.script(
        "document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"window.evil = 1\">')"
    )
    opened.script(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.evil = 1'}))"
    )
    opened.wait("performance.now() > 0")
    assert opened.script("window.evil") is None
    assert opened.script("fetch('https://example.org').catch(error => 'refused')") == "refused"
    assert any("Content Security Policy" in each for each in opened.complaints())
    opened.events.clear()


def test_light_and_dark(opened: Browser, report: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    text = "getComputedStyle(document.querySelector('#cactus .xtick text')).fill"
    day = opened.script(text)
    assert opened.script(paper) == LIGHT
    opened.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    opened.wait(f"{text} !== {json.dumps(day)}")
    assert opened.script(paper) == DARK
    night = opened.script(text)
    click(opened, "#theme")
    assert (opened.script(paper), opened.script(text)) == (LIGHT, day)
    opened.show(report, dark=True)
    assert opened.script(paper) == LIGHT, "what was chosen is kept"
    click(opened, "#theme")
    assert (opened.script(paper), opened.script(text)) == (DARK, night)
    opened.script("localStorage.clear()")


def test_a_cell_of_several_seeds_opens_them_all(browser: Browser, tmp_path: Path) -> None:
    fault = {"status": "SATISFIABLE", "findings": (("o-mismatch", "not what it costs"),)}
    seeds: list[dict[str, Any]] = [{"seed": seed, "cost": 12_345_678} for seed in (1, 2, 3)]
    seeds[1] |= fault | {"cost": 12_345_679}
    browser.show(write(by_solver({"a": {"i": seeds}, "b": {"i": [{"cost": None}]}}), tmp_path / "seeds.html"))
    choose(browser, "show", "cost")
    assert rows(browser)[0][-2:] == ["12345678", "–"]
    assert browser.script("document.querySelector('#table td.best').textContent") == "12345678"
    click(browser, "#table tbody td:nth-last-child(2)")
    browser.wait("document.querySelector('#panel').open")
    panel = "[...document.querySelectorAll('#panel {}')].map(each => each.textContent)"
    assert browser.script(panel.format("h3")) == ["a, seed 1", "a, seed 2", "a, seed 3"]
    assert len(browser.script(panel.format("tr.chosen"))) == 3
    assert browser.script(panel.format("ul.wrong li")) == ["not what it costs"]
    assert browser.complaints() == []


def test_many_rows_stay_fluid(browser: Browser, tmp_path: Path, full: bool) -> None:
    """With --full as many rows and as little time as promised; else less of the one and more of the other."""
    number, most_ms = (10_000, 200) if full else (1_000, 1_000)
    found = comparison.load([campaigns.made(tmp_path / "c", number=number, solvers=("exact", "weak"))])
    browser.show(write(found, tmp_path / "many.html"))
    assert info(browser).endswith(f"of {number:,}")
    sort = "document.querySelectorAll('#table thead th .dt-column-title')[6].click()"
    words = "document.getElementById('search')"
    types = f"{words}.value = 'zoo'; {words}.dispatchEvent(new Event('input'))"
    for act in (sort, types):
        took = browser.script(f"""(async () => {{
            const begin = performance.now();
            {act};
            document.body.offsetHeight;
            await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - begin;
        }})()""")
        assert took < most_ms
    assert 0 < len(rows(browser)) <= 50


def test_what_is_kept_of_a_run_and_its_tree(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    instance = tmp_path / "in" / "xor.wcnf"
    (tmp_path / "xor.csv").write_text("red,blue,class\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    wcnfgen.encode(str(tmp_path / "xor.csv")).write(instance)
    folder = tmp_path / "campaign"
    wcnfgen.compare(str(instance), solver=["rc2"], wall=60, output=str(folder))
    found = comparison.load([folder])
    target = write(found, tmp_path / "report.html")
    run = next(standings.all_runs(found))
    browser.show(target, at=f"#run={run.key[:16]}")
    text = browser.script("document.querySelector('#panel').innerText")
    for word in ("OPTIMUM FOUND, cost 2", "a tree of 7 nodes", "4 of 4 rows right", "60 s wall", "cores"):
        assert word in text
    command = kept.of([folder], run.key).command
    assert command
    assert command in text
    assert "red" in browser.script("document.querySelector('#panel .tree svg').textContent")
    assert browser.complaints() == []
    assert not data.collect(found, standings.of(found), trees=0)["trees"]


# ---------------------------------------------------------------------------- who looks at it, and at what


def test_a_phone_shows_all_of_the_width(browser: Browser, report: Path) -> None:
    browser.show(report, width=390, height=844, at="#instance=3")
    assert browser.script("getComputedStyle(document.body).backgroundColor") == LIGHT
    assert browser.script("document.documentElement.scrollWidth") == 390
    assert browser.script("document.querySelector('#panel').scrollWidth") <= 390
    click(browser, "#panel header button")
    assert browser.script("document.documentElement.scrollWidth") == 390
    columns = "getComputedStyle(document.querySelector('.plots.three')).gridTemplateColumns"
    assert len(browser.script(columns).split()) == 1
    assert browser.complaints() == []


def test_names_are_no_markup(browser: Browser, tmp_path: Path) -> None:
    odd: dict[str, Any] = {
        "findings": (("contradiction", SCRIPT + IMAGE),),
        "notes": (IMAGE, UGLY),
        "version": SCRIPT,
    }
    of_image = {"family": TAG, "data": SCRIPT, "parameters": {IMAGE: SCRIPT}}
    instances: dict[str, dict[str, Any]] = {IMAGE: of_image, UGLY: {"family": UGLY}}
    found = by_solver(
        {
            SCRIPT: {IMAGE: [odd], "b": [{"ended": IMAGE, "status": SCRIPT}]},
            TAG: {IMAGE: [{"cost": 3, "ended": SCRIPT}], "b": [{"cost": None}]},
            UGLY: {IMAGE: [{}], UGLY: [{}]},
        },
        **instances,
    )
    browser.show(write(found, tmp_path / "evil.html"), width=390)
    browser.script("document.querySelectorAll('#table .dtcc-button').forEach(each => each.click())")
    for place in range(3):
        browser.script(f"location.hash = 'instance={place}'")
        browser.wait("document.querySelector('#panel').open")
    choose(browser, "rows", "runs")
    for rest in ("ended", "cost"):
        choose(browser, "rows", "instances")
        choose(browser, "show", rest)
    assert browser.complaints() == []
    assert browser.script("document.querySelectorAll('img, #evil, main script').length") == 0
    assert browser.script("document.documentElement.scrollWidth") == 390
    assert browser.script("document.body.innerText").count(SCRIPT) > 10
    texts = browser.script(
        "[...document.querySelectorAll('.js-plotly-plot text')].map(each => each.textContent)"
    )
    assert any(SCRIPT in each for each in texts)


# ---------------------------------------------------------------------------- figures


@given(st.lists(st.sampled_from(["a", "b", UGLY, ""])) | st.lists(st.none() | st.integers() | st.booleans()))
def test_a_column_is_what_it_was(values: list[Any]) -> None:
    packed = data.column(values)
    found = [packed["texts"][place] for place in packed["at"]] if isinstance(packed, dict) else packed
    assert found == [printable(each) if isinstance(each, str) else each for each in values]
    assert len(json.dumps(packed)) <= len(json.dumps(found)) + 30
    assert all(each.isprintable() for each in found if isinstance(each, str))
    assert data.column(["a\u202eb"]) == ["a\\u202eb"]


@given(st.floats() | st.integers(0, 2**64).map(float))
def test_whole_numbers_are_whole_and_others_have_six_digits(value: float) -> None:
    short = data.number(value)
    if short is None:
        assert not np.isfinite(value)
    elif isinstance(short, int):
        assert short == value
    else:
        assert short == pytest.approx(value, rel=1e-5)
        assert len(re.sub(r"e.*|\D", "", repr(short)).strip("0")) <= 6


@given(st.integers(0, 5000), st.integers(0, 2**32))
def test_a_thinned_line_keeps_its_ends(number: int, seed: int) -> None:
    x = np.sort(np.random.default_rng(seed).exponential(size=number))
    places = data.thinned(Line("a", x, x))
    assert len(places) <= data.POINTS
    assert (np.diff(places) > 0).all()
    assert number == 0 or (places[0], places[-1]) == (0, number - 1)


@given(comparisons())
def test_any_comparison_has_its_figures(found: Comparison) -> None:
    counted = standings.of(found)
    collected = data.collect(found, counted, trees=5)
    assert json.loads(json.dumps(collected, allow_nan=False)) == collected
    runs = list(standings.all_runs(found))
    assert len(collected["runs"]["instance"]) == len(runs)
    for place, run in enumerate(runs):
        assert found.instances[collected["runs"]["instance"][place]].name == run.instance
        assert found.solvers[collected["runs"]["solver"][place]] == run.solver
    for measure in collected["cells"].values():
        assert [len(values) for values in measure] == [len(found.instances)] * len(found.solvers)
    lies = markup.faults(found, counted).count("<li>")
    assert lies == min(len(counted.lies), MOST)


def test_findings_that_accuse_nobody_are_no_contradictions() -> None:
    odd = {"findings": (("cores", "9 s of CPU time in 3 s"),)}
    found = by_solver({"a": {"x": [odd]}})
    text = markup.faults(found, standings.of(found))
    assert text.index("No contradictions") < text.index("Other findings") < text.index("9 s of CPU time")


def test_a_long_table_is_cut() -> None:
    table = Table("t", "T", (Column("name"), Column("value")), tuple((f"n{at}", at) for at in range(500)))
    text = markup.table(table, [])
    assert text.count("<tr") == 1 + MOST and f"and {500 - MOST} more" in text


def test_a_table_marks_the_best_and_shows_groups_once() -> None:
    columns = (Column("family"), Column("solver"), Column("score", "s", good="high", about="<why>"))
    rows = (("f", "a", 0.5), ("f", "b", None), ("f", "c", 0.25), ("g", "a", 1), ("g", "b", 2))
    text = markup.table(Table("t", "T & t", columns, rows, 2, 1, frozenset({2}), "a < b"), ["a"])
    assert re.findall(r"<td class=best>([^<]*)", text) == ["2"]
    assert text.count(">f<") == text.count(">g<") == 1
    assert re.findall(r'<tr class="(\w+)"', text) == ["group", "apart", "group"]
    assert text.count('data-solver="0"') == 2
    assert "<td class=none>–" in text
    for escaped in ("T &amp; t", "a &lt; b", "&lt;why&gt;"):
        assert escaped in text


@pytest.mark.parametrize("package", ["plotly", "itables"])
def test_a_missing_package_is_named(
    forty: Comparison, tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=rf"{package}.*wcnfgen\[report\]"):
        write(forty, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_what_is_packed_is_less_than_half(report: Path) -> None:
    text = report.read_text("utf-8")
    (packed,) = re.findall(r'id="plotly">([^<]*)<', text)
    assert len(gzip.decompress(base64.b64decode(packed))) > 2 * len(packed)
