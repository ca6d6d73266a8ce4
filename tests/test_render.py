"""Trees as text, rules, DOT, SVG and JSON: each style is read back by a small reader of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.optional import needs
from tests.strategies import trees, ugly_names
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.render import (
    STYLES,
    Names,
    Style,
    as_dot,
    as_json,
    as_rules,
    as_text,
    from_json,
    leaf_counts,
    render,
)
from wcnfgen.tree import Leaf, Node, Tree, depth, predict, reached, size

GOLDEN = Path(__file__).parent / "golden"
FEATURES, CLASSES = 4, 3
EVERY_ROW = np.array(list(product((0, 1), repeat=FEATURES)), np.uint8)
PLAIN = Names(
    tuple(f"x{r} = 1" for r in range(FEATURES)),
    tuple(f"x{r} = 0" for r in range(FEATURES)),
    tuple(f"class {c}" for c in range(CLASSES)),
    "goal",
)
IRIS = Names(
    ("petal_length <= 2.45", "petal_width <= 1.75"),
    ("petal_length > 2.45", "petal_width > 1.75"),
    ("setosa", "versicolor", "virginica"),
    "species",
)
IRIS_TREE = Node(0, Node(1, Leaf(2), Leaf(1)), Leaf(0))
IRIS_COUNTS = ((0, 1, 45), (0, 49, 5), (50, 0, 0))

any_tree = trees(FEATURES, CLASSES)
any_names = ugly_names(FEATURES, CLASSES)


def chain(edges: int) -> Tree:
    tree: Tree = Leaf(0)
    for i in range(edges):
        tree = Node(i % FEATURES, Leaf(1), tree) if i % 2 else Node(i % FEATURES, tree, Leaf(1))
    return tree


# --- all styles


@pytest.mark.parametrize("style", STYLES)
@given(tree=any_tree, names=any_names)
def test_no_style_lets_a_control_character_through(style: Style, tree: Tree, names: Names) -> None:
    drawn = render(tree, names, style)
    assert drawn.endswith("\n")
    assert all(c.isprintable() for c in drawn.replace("\n", ""))


@pytest.mark.parametrize("style", STYLES)
def test_a_deep_tree_needs_no_stack(style: Style) -> None:
    deep = chain(1000)
    assert len(render(deep, PLAIN, style, [(1, 2, 3)] * 1001).splitlines()) >= 1001


@pytest.mark.parametrize("style", STYLES)
def test_golden(style: Style) -> None:
    """To renew a file after a wanted change: `wcnfgen.render.render` of IRIS_TREE, looked at by eye."""
    golden = GOLDEN / f"iris-tree.{style}"
    assert render(IRIS_TREE, IRIS, style, IRIS_COUNTS) == golden.read_text(encoding="utf-8")


def test_an_unknown_style_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"'png'.*text, rules, dot, svg, json"):
        render(Leaf(0), PLAIN, "png")  # type: ignore[arg-type]


@pytest.mark.parametrize("style", STYLES)
def test_counts_must_cover_all_leaves(style: Style) -> None:
    with pytest.raises(ValueError, match="counts of 2 leaves for a tree of 3"):
        render(IRIS_TREE, IRIS, style, IRIS_COUNTS[:2])


# --- leaf counts


@given(tree=any_tree, data=st.data())
def test_leaf_counts_hold_each_row_once_and_the_errors_of_the_tree(tree: Tree, data: st.DataObject) -> None:
    rows = len(EVERY_ROW)
    y = np.array(data.draw(st.lists(st.integers(0, CLASSES - 1), min_size=rows, max_size=rows)), np.int32)
    w = np.array(data.draw(st.lists(st.integers(0, 2**40), min_size=rows, max_size=rows)), np.int64)
    counts = leaf_counts(tree, EVERY_ROW, y, w, CLASSES)
    labels = [leaf.label for leaf, _ in reached(tree, EVERY_ROW)]
    right = sum(counts[i][label] for i, label in enumerate(labels))
    assert np.sum(counts, axis=0).tolist() == [w[y == c].sum() for c in range(CLASSES)]
    assert right == w[predict(tree, EVERY_ROW) == y].sum()


@pytest.mark.parametrize(
    ("counts", "note"),
    [
        ((0, 0), "0 rows"),
        ((1, 0), "1 row"),
        ((7, 0), "7 rows"),
        ((0, 1), "1 row, 1 wrong"),
        ((5, 2), "7 rows, 2 wrong"),
    ],
)
def test_the_note_at_a_leaf(counts: tuple[int, int], note: str) -> None:
    assert as_text(Leaf(0), PLAIN, [counts]) == f"goal: class 0 ({note})\n"


# --- text


def tree_of_text(text: str) -> Tree:
    """Reads plain text from its last line up: `waiting` holds subtrees with their level and condition."""
    waiting: list[tuple[int, str, Tree]] = []
    for line in reversed(text.splitlines()):
        head, _, label = line.partition(": class ")
        rails, _, condition = head.rpartition("── ")
        level = (len(rails) + 3) // 4
        node: Tree = Leaf(int(label)) if label else _claimed(waiting, level)
        waiting.append((level, condition, node))
    ((level, condition, tree),) = waiting
    assert (level, condition) == (0, PLAIN.target)
    return tree


def _claimed(waiting: list[tuple[int, str, Tree]], level: int) -> Node:
    (yes_level, question, yes), (no_level, negation, no) = waiting.pop(), waiting.pop()
    test = PLAIN.questions.index(question)
    assert (yes_level, no_level, negation) == (level + 1, level + 1, PLAIN.negations[test])
    return Node(test, no, yes)


@given(any_tree)
def test_text_can_be_read_back(tree: Tree) -> None:
    assert tree_of_text(as_text(tree, PLAIN)) == tree


@given(any_tree, any_names)
def test_text_gives_each_node_one_line(tree: Tree, names: Names) -> None:
    lines = as_text(tree, names).splitlines()
    shown = names.printable()
    labels = [leaf.label for leaf, _ in reached(tree, EVERY_ROW)]
    ends = [f": {shown.classes[label]}" for label in reversed(labels)]
    assert len(lines) == size(tree)
    assert all(any(line.endswith(end) for line in lines) for end in ends)


# --- rules


def firing(rules: str, row: NDArray[np.uint8]) -> list[int]:
    """The classes of the plain rules that fit the row."""
    fits = []
    for rule in rules.splitlines():
        conditions, label = re.fullmatch(r"if (.*) then goal = class (\d)", rule).groups()  # type: ignore[union-attr]
        tests = re.findall(r"x(\d) = ([01])", conditions)
        assert conditions == (" and ".join(f"x{r} = {value}" for r, value in tests) or "true")
        if all(row[int(r)] == int(value) for r, value in tests):
            fits.append(int(label))
    return fits


@given(any_tree)
def test_exactly_one_rule_fits_each_row_and_it_predicts_as_the_tree(tree: Tree) -> None:
    rules = as_rules(tree, PLAIN)
    assert len(rules.splitlines()) == size(tree) // 2 + 1
    assert [firing(rules, row) for row in EVERY_ROW] == [[c] for c in predict(tree, EVERY_ROW).tolist()]


@given(any_tree, any_names)
def test_each_rule_has_one_line(tree: Tree, names: Names) -> None:
    assert len(as_rules(tree, names).splitlines()) == size(tree) // 2 + 1


# --- DOT

STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTE = rf"\w+=(?:{STRING}|[\w.]+)"
STATEMENT = re.compile(rf"  (?:graph|node|edge|n\d+(?: -> n\d+)?) \[{ATTRIBUTE}(?:, {ATTRIBUTE})*\];")


@given(any_tree, any_names)
def test_dot_has_a_statement_for_each_node_and_edge(tree: Tree, names: Names) -> None:
    first, *lines, last = as_dot(tree, names).splitlines()
    assert (first, last) == ("digraph tree {", "}")
    assert [line for line in lines if not STATEMENT.fullmatch(line)] == []
    assert sum(line.startswith("  n") and "->" not in line.split("[")[0] for line in lines) == size(tree) + 1
    assert sum("->" in line.split("[")[0] for line in lines) == size(tree) - 1


def test_graphviz_draws_the_names_as_they_are() -> None:
    needs(shutil.which("dot"), "graphviz")
    names = Names(
        ('say "hi" \\N & &lt; <b>x</b> \\',),
        ("",),
        ("two\nlines {a|b}", "ünïcode 年齢 " + "long_" * 40),
        "x -> y; // z",
    )
    done = subprocess.run(
        ["dot", "-Tsvg"],
        input=as_dot(Node(0, Leaf(0), Leaf(1)), names),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    drawn = "".join(ElementTree.fromstring(done.stdout).itertext())
    shown = names.printable()
    for name in (*shown.questions, *shown.classes, shown.target):
        assert re.sub(r"\s", "", name) in re.sub(r"\s", "", drawn)


# --- JSON


@given(any_tree, any_names)
def test_json_round_trip(tree: Tree, names: Names) -> None:
    assert from_json(as_json(tree, names)) == tree


@given(any_tree, any_names, st.data())
def test_json_says_all_that_is_known(tree: Tree, names: Names, data: st.DataObject) -> None:
    leaves = size(tree) // 2 + 1
    row = st.tuples(*[st.integers(0, 10**12)] * CLASSES)
    counts = data.draw(st.lists(row, min_size=leaves, max_size=leaves))
    document = json.loads(as_json(tree, names, counts))
    assert document.pop("root") == members(tree, names, iter(counts))
    assert document == {
        "size": size(tree),
        "depth": depth(tree),
        "target": names.target,
        "classes": list(names.classes),
    }


def members(tree: Tree, names: Names, counts: Iterator[tuple[int, ...]]) -> dict[str, object]:
    if isinstance(tree, Leaf):
        return {"class": names.classes[tree.label], "label": tree.label, "counts": list(next(counts))}
    no, yes = members(tree.no, names, counts), members(tree.yes, names, counts)
    return {"test": names.questions[tree.test], "column": tree.test, "yes": yes, "no": no}


def test_json_of_a_deep_tree_is_read_back() -> None:
    text = as_json(chain(500), PLAIN)
    assert as_json(from_json(text), PLAIN) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "3",
        "[]",
        "{}",
        '{"root": 3}',
        '{"root": {"label": -1}}',
        '{"root": {"label": true}}',
        '{"root": {"label": 1.0}}',
        '{"root": {"column": 0, "yes": {"label": 1}}}',
        '{"root": {"column": "0", "yes": {"label": 1}, "no": {"label": 0}}}',
        '{"root": {"column": 0, "yes": {"label": 1}, "no": 0}}',
        '{"root": {"label": ' + "1" * 5000 + "}}",
        '{"root": ' + '{"column": 0, "no": {"label": 0}, "yes": ' * 10**5,
    ],
    ids=range(14),
)
def test_what_is_no_tree_is_a_format_error(text: str) -> None:
    with pytest.raises(FormatError, match=r"\A(?:no tree in JSON|the JSON holds no tree)[^\n]*\Z"):
        from_json(text)


def test_alternatives_in_a_rule_stand_in_brackets() -> None:
    names = Names(("x < 1 or x >= 2", "y = 1"), ("1 <= x < 2", "y != 1"), ("n", "p"), "c")
    rules = as_rules(Node(1, Leaf(0), Node(0, Leaf(0), Leaf(1))), names)
    assert "if y = 1 and (x < 1 or x >= 2) then c = p" in rules
