"""What a notebook shows of results, and what a line or a print says of them."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from tests import chromium
from tests.optional import needs
from tests.strategies import trees, ugly_names
from wcnfgen import cli, notebook
from wcnfgen.commands.data import data
from wcnfgen.commands.decode import Decoded
from wcnfgen.render import Names, as_svg, as_text
from wcnfgen.tree import Leaf, Node, Tree, size

any_tree = trees(4, 3, max_leaves=40)
HOSTILE = ("<script>alert(1)</script>", "</svg></pre></div><img src=x onerror=alert(2)>", "$x^2$ &amp; \"'`")
PAGE = "<!doctype html><meta charset=utf-8>{}<script>document.documentElement.dataset.ready = ''</script>"


class Tags(HTMLParser):
    """The elements of a page with their attributes, and all its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def drawn_at_random(tests: int, rng: np.random.Generator) -> Tree:
    if not tests:
        return Leaf(int(rng.integers(3)))
    left = int(rng.integers(tests))
    return Node(int(rng.integers(3)), drawn_at_random(left, rng), drawn_at_random(tests - 1 - left, rng))


# ---------------------------------------------------------------------------- the HTML


@given(any_tree, ugly_names(4, 3))
def test_it_is_a_part_of_a_page_and_touches_nothing_else(tree: Tree, names: Names) -> None:
    """Whatever the names: closed elements of few kinds, without id, script, address or handler."""
    tags = Tags(Decoded(tree, names, None)._repr_html_())
    assert tags.open == []
    assert {tag for tag, _ in tags.found} <= {"div", "pre", "svg", "title", "rect", "g", "text", "path"}
    for _, attributes in tags.found:
        assert not {key for key in attributes if key in ("id", "href", "src") or key.startswith("on")}
    assert tags.found[0][0] == "div"
    assert set((tags.found[0][1]["class"] or "").split()) == {"tex2jax_ignore", "mathjax_ignore"}


@given(any_tree, ugly_names(4, 3))
def test_small_trees_are_drawn_as_the_file_is(tree: Tree, names: Names) -> None:
    decoded = Decoded(tree, names, None)
    svg = decoded._repr_svg_()
    assert svg == as_svg(tree, names) == decoded.render("svg")
    assert svg.partition(" ")[2] in decoded._repr_html_()


@pytest.mark.parametrize("number", [10, 100, 199, 200, 3000])
def test_a_large_tree_takes_no_time_and_little_space(number: int) -> None:
    """Up to DRAWN nodes it is drawn; a wide drawing has the text below it, a larger tree the text alone."""
    tree = drawn_at_random(number, np.random.default_rng(number))
    names = Names(("a", "b", "c"), ("not a", "not b", "not c"), ("x", "y", "z"), "t")
    began = time.monotonic()
    page = Decoded(tree, names, None)._repr_html_()
    assert time.monotonic() - began < 2 and len(page) < 500_000
    tags = Tags(page)
    boxes = sum(attributes.get("class") == "box" for _, attributes in tags.found)
    assert boxes == (size(tree) if size(tree) <= notebook.DRAWN else 0)
    lines = as_text(tree, names).splitlines()
    shown = "pre" in dict(tags.found)
    assert shown == (number >= 100)
    if shown:
        assert all(line in tags.text for line in lines[: notebook.LINES])
        more = f"and {len(lines) - notebook.LINES} more lines"
        assert (more in tags.text) == (len(lines) > notebook.LINES)


@given(st.integers(0, 30))
def test_of_many_trees_the_first_are_shown(count: int) -> None:
    shown = list(notebook.some((f"figure {i}" for i in range(count)), count))
    assert shown[: notebook.TREES] == [f"figure {i}" for i in range(min(count, notebook.TREES))]
    assert [f"and {count - notebook.TREES} more" in each for each in shown[notebook.TREES :]] == (
        [True] if count > notebook.TREES else []
    )


def test_text_is_escaped_and_stays_on_its_line() -> None:
    page = notebook.text([*HOSTILE, "a\nb\x1b[31m"])
    assert Tags(page).text.splitlines() == [*HOSTILE, "a\\nb\\x1b[31m"]


# ---------------------------------------------------------------------------- the results


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data with a hostile column and class, an instance and its log."""
    path = tmp_path_factory.mktemp("notebook")
    data("weather", output=str(path / "weather.csv"))
    text = (path / "weather.csv").read_text().replace("outlook", '"' + HOSTILE[0] + '"')
    (path / "hostile.csv").write_text(text.replace(",no\n", f',"{HOSTILE[1]}"\n'))
    return path


@pytest.fixture(scope="module")
def results(folder: Path) -> list[Any]:
    """What is made of the hostile data by each function whose result has trees."""
    name = str(folder / "hostile.csv")
    return [
        wcnfgen.learn(name),
        wcnfgen.search(name, trees=3),
        wcnfgen.mpdt(name, trees=2),
        wcnfgen.bag(name, bags=2, depth=1),
        wcnfgen.boost(name, rounds=2, depth=1),
        wcnfgen.learn(name, encoding="exact", nodes=9),
    ]


def figures(result: Any) -> int:
    return len(result.trees) if hasattr(result, "trees") else 1


def test_results_show_their_trees_and_what_is_known_of_them(results: list[Any]) -> None:
    for each in results:
        tags = Tags(each._repr_html_())
        assert [tag for tag, _ in tags.found].count("svg") == figures(each)
        assert "script" not in dict(tags.found) and "img" not in dict(tags.found)
        *_, last = str(each).splitlines()
        assert last in tags.text and HOSTILE[0] in tags.text


def test_a_result_is_one_line_and_its_print_is_the_commands(results: list[Any], folder: Path) -> None:
    for each in results:
        assert repr(each).count("\n") == 0 and len(repr(each)) < 300
        assert "hostile" in repr(each)
    assert "9 nodes, depth 3>; optimal: yes" in repr(results[0]) and "14 of 14 rows right" in repr(results[0])
    assert "nothing is optimised" in repr(results[-1])
    assert repr(results[1]).startswith("<Searched: 3 trees, <Learned: hostile")
    name = str(folder / "weather.csv")
    for words, result in (
        (["learn", name], wcnfgen.learn(name)),
        (["search", name, "--trees", "2"], wcnfgen.search(name, trees=2)),
        (["mpdt", name, "--trees", "2"], wcnfgen.mpdt(name, trees=2)),
    ):
        out = io.StringIO()
        assert cli.main(words, out) == 0
        assert str(result) == out.getvalue().rstrip("\n")


def test_verdicts_and_instances_say_what_they_are(folder: Path) -> None:
    instance = wcnfgen.encode(str(folder / "weather.csv"), ub=31)
    assert repr(instance).startswith("<Instance: weather, 14 rows, size, 2112 variables, a greedy tree of ")
    assert "counts: 2112 variables, 22140 hard clauses, 14 soft clauses" in str(instance).splitlines()
    assert "map {" not in str(instance)
    file, log = str(folder / "x.wcnf"), str(folder / "x.log")
    instance.write(file)
    wcnfgen.solve(file, solver="rc2", log=log)
    verified = wcnfgen.verify(file, log, data=str(folder / "weather.csv"))
    good = "<Verdict: ok, cost 3, optimality proved, 9 nodes, depth 3, 14 of 14 rows right (100.00%)>"
    assert repr(verified.verdict) == good
    assert repr(verified.checked) == f"<Checked: {good}>"
    assert repr(verified) == f"<Verified: {good}, test: 14 of 14 rows right (100.00%)>"
    assert str(verified).splitlines()[-1] == "verdict:      ok"
    wrong = repr(wcnfgen.verify(file, log, known=2).verdict)
    assert wrong.startswith("<Verdict: not ok, the solver says OPTIMUM FOUND, but ") and "cost 3" in wrong
    empty = folder / "empty.log"
    empty.write_text("s UNKNOWN\n")
    assert repr(wcnfgen.verify(file, str(empty)).verdict) == "<Verdict: not ok>"
    tree = wcnfgen.decode(file, log)
    assert repr(tree) == "<Decoded: 'class', 9 nodes, depth 3>" and str(tree) == tree.render().rstrip("\n")


# ---------------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Browser]:
    needs(chromium.PROGRAM, "chromium")
    with chromium.Browser() as found:
        yield found


def test_in_a_browser(browser: chromium.Browser, results: list[Any], tmp_path: Path) -> None:
    """Nothing runs, nothing is asked for, wide drawings fit, and each name is there to read."""
    names = Names(HOSTILE, HOSTILE, HOSTILE, HOSTILE[1])
    wide = Decoded(drawn_at_random(150, np.random.default_rng(1)), names, None)
    parts = [each._repr_html_() for each in (*results, wide)]
    page = tmp_path / "notebook.html"
    page.write_text(PAGE.format("".join(parts)), "utf-8")
    browser.show(page, width=900)
    assert browser.complaints() == [] and browser.requests() == []
    assert browser.script("document.scripts.length") == 1 and browser.script("document.images.length") == 0
    assert browser.script("document.querySelectorAll('[id]').length") == 0
    drawn = sum(map(figures, results)) + 1
    assert browser.script("document.querySelectorAll('svg').length") == drawn
    assert browser.script("document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.script(
        "[...document.querySelectorAll('svg')].every(x => x.getBoundingClientRect().height > 20)"
    )
    said = browser.script("document.body.textContent")
    assert all(each in said for each in HOSTILE)
    assert not re.search(r"undefined|\[object", said)
