"""A decision tree in the words of its data: as text, rules, Graphviz source, SVG or JSON.

The tree speaks of columns and classes by index; `Names` adds their words.  All styles read one
traversal, `walk`, which hands out each node with the path of answers that leads to it: a line of the
text, a rule, an indentation or an edge are functions of that path.  Nothing recurses, so the depth of
a tree is not limited by Python's stack.

Names come from a stranger's CSV file.  Control characters and whatever else does not print are shown
as escapes (`\\n`, `\\x1b`), so that a node stays on its line and a terminal is not tampered with.

Text and rules read "if, else" and put `yes` first; the drawings keep the papers' order, `no` left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import FormatError, UsageError
from wcnfgen.svg import Box, colour, draw, wrap
from wcnfgen.tree import Leaf, Node, Tree, depth, reached, size
from wcnfgen.words import count, printable

Style = Literal["text", "rules", "dot", "svg", "json"]
Counts = Sequence[Sequence[int]] | None  # per leaf, from left to right: the rows of each class
MOST = 1 << 28  # characters of a tree with its names
Path = tuple[tuple[int, bool], ...]  # tests from the root down, each with its answer (yes = True)


@dataclass(frozen=True, slots=True)
class Names:
    """What each test asks, what its `no` means, and what the classes and the target are called."""

    questions: tuple[str, ...]
    negations: tuple[str, ...]
    classes: tuple[str, ...]
    target: str

    def condition(self, test: int, yes: bool) -> str:
        """What holds after this answer."""
        return self.questions[test] if yes else self.negations[test]

    def printable(self) -> Names:
        """The same names, each on one line and without control characters."""
        questions, negations, classes = (
            tuple(map(printable, names)) for names in (self.questions, self.negations, self.classes)
        )
        return Names(questions, negations, classes, printable(self.target))


@dataclass(frozen=True, slots=True)
class Visit:
    """A node met on a walk, the path to it and, at a leaf, its rows of each class if they are known."""

    path: Path
    node: Tree
    counts: Sequence[int] | None

    @property
    def note(self) -> str:
        """What ends up in the leaf: "50 rows, 2 wrong"; empty if unknown."""
        if self.counts is None or isinstance(self.node, Node):
            return ""
        rows = sum(self.counts)
        wrong = rows - self.counts[self.node.label]
        return count(rows, "row") + (f", {wrong} wrong" if wrong else "")


def render(tree: Tree, names: Names, style: Style, counts: Counts = None) -> str:
    """The tree in one of the styles; ends with a newline.

    Raises UsageError for an unknown style, FormatError if names in all nodes take more than MOST characters.
    """
    if style not in STYLES:
        raise UsageError(f"no style {style!r} of a tree: choose one of {', '.join(get_args(Style))}")
    _check_length(tree, names)
    return STYLES[style](tree, names, counts)


def _check_length(tree: Tree, names: Names) -> None:
    """Refuse what a small file can ask for: a long name in each of many nodes, and longest in rules."""
    asked = [max(map(len, both)) for both in zip(names.questions, names.negations, strict=True)]
    total, todo = 0, [(tree, 0)]
    while todo:
        node, above = todo.pop()
        if isinstance(node, Node):
            todo += [(node.no, above + asked[node.test]), (node.yes, above + asked[node.test])]
        else:
            total += above + len(names.target) + len(names.classes[node.label])
    if total > MOST:
        raise FormatError(f"with its names the tree is a text of {total} characters, more than {MOST}")


def leaf_counts(
    tree: Tree, X: NDArray[np.uint8], y: NDArray[np.int32], w: NDArray[np.int64], classes: int
) -> tuple[tuple[int, ...], ...]:
    """The weight of each class in each leaf, leaves from left to right.

    X has shape (rows, K); y (class indices) and w (multiplicities) have shape (rows,).

    >>> X, y, w = np.array([[0], [1], [1]], np.uint8), np.array([0, 1, 0], np.int32), np.array([5, 7, 1])
    >>> leaf_counts(Node(0, Leaf(0), Leaf(1)), X, y, w, 2)
    ((5, 0), (1, 7))
    """
    table = []
    for _, rows in reached(tree, X):
        totals = np.zeros(classes, np.int64)
        np.add.at(totals, y[rows], w[rows])
        table.append(tuple(totals.tolist()))
    return tuple(table)


def walk(tree: Tree, counts: Counts = None, *, yes_first: bool) -> Iterator[Visit]:
    """All nodes in preorder.  Raises ValueError unless there are counts for each leaf or none at all."""
    if counts is not None and len(counts) != size(tree) // 2 + 1:
        raise ValueError(f"counts of {len(counts)} leaves for a tree of {size(tree) // 2 + 1}")
    leaves: Iterator[Sequence[int] | None] = repeat(None)
    if counts is not None:  # yes first meets the leaves from right to left
        leaves = reversed(counts) if yes_first else iter(counts)
    todo: list[tuple[Path, Tree]] = [((), tree)]
    while todo:
        path, node = todo.pop()
        yield Visit(path, node, next(leaves) if isinstance(node, Leaf) else None)
        if isinstance(node, Node):
            no, yes = ((*path, (node.test, False)), node.no), ((*path, (node.test, True)), node.yes)
            todo += [no, yes] if yes_first else [yes, no]


def as_text(tree: Tree, names: Names, counts: Counts = None) -> str:
    """One line a node: what holds there and, at a leaf, the class.

    >>> names = Names(("width <= 1", "red"), ("width > 1", "not red"), ("iris", "rose"), "flower")
    >>> print(as_text(Node(0, Node(1, Leaf(0), Leaf(1)), Leaf(0)), names, [(9, 2), (0, 7), (30, 0)]), end="")
    flower
    ├── width <= 1: iris (30 rows)
    └── width > 1
        ├── red: rose (7 rows)
        └── not red: iris (11 rows, 2 wrong)
    """
    names = names.printable()
    lines = []
    for visit in walk(tree, counts, yes_first=True):
        line = names.target
        if visit.path:
            *above, last = visit.path
            rails = "".join("│   " if yes else "    " for _, yes in above)
            line = rails + ("├── " if last[1] else "└── ") + names.condition(*last)
        if isinstance(visit.node, Leaf):
            line += f": {names.classes[visit.node.label]}{_bracketed(visit.note)}"
        lines.append(line + "\n")
    return "".join(lines)


def as_rules(tree: Tree, names: Names, counts: Counts = None) -> str:
    """One rule a leaf; exactly one of them fits a row.

    >>> names = Names(("width <= 1",), ("width > 1",), ("iris", "rose"), "flower")
    >>> print(as_rules(Node(0, Leaf(1), Leaf(0)), names), end="")
    if width <= 1 then flower = iris
    if width > 1 then flower = rose
    """
    names = names.printable()
    rules = []
    for visit in walk(tree, counts, yes_first=True):
        if isinstance(visit.node, Leaf):
            conditions = " and ".join(_grouped(names.condition(*step)) for step in visit.path) or "true"
            conclusion = f"{names.target} = {names.classes[visit.node.label]}"
            rules.append(f"if {conditions} then {conclusion}{_bracketed(visit.note)}\n")
    return "".join(rules)


def _grouped(condition: str) -> str:
    """A condition as part of a conjunction: in brackets if it has alternatives."""
    return f"({condition})" if " or " in condition else condition


def as_dot(tree: Tree, names: Names, counts: Counts = None) -> str:
    """Source for Graphviz: `dot -Tpdf`."""
    heading = _dot(names.printable().target)
    lines = [
        "digraph tree {",
        f'  graph [label="{heading}", labelloc=t, ordering=out, fontname="Helvetica"];',
        '  node [shape=box, style=filled, fillcolor="#ffffff", fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=11];',
    ]
    for i, box in enumerate(_boxes(tree, names, counts)):
        style = ', style="filled,rounded"' if box.corner > 2 else ""
        label = "\\n".join(filter(None, (_dot(box.text), box.note)))
        lines.append(f'  n{i} [label="{label}", fillcolor="{box.fill}"{style}];')
        if box.parent >= 0:
            lines.append(f'  n{box.parent} -> n{i} [label="{box.edge}"];')
    return "\n".join(lines) + "\n}\n"


def as_svg(tree: Tree, names: Names, counts: Counts = None) -> str:
    """A drawing that needs no other program, file or font."""
    return draw(_boxes(tree, names, counts), names.printable().target)


def as_json(tree: Tree, names: Names, counts: Counts = None) -> str:
    """The tree for programs; `from_json` reads it back.

    >>> names = Names(("width <= 1",), ("width > 1",), ("iris", "rose"), "flower")
    >>> print(as_json(Node(0, Leaf(1), Leaf(0)), names, [(0, 7), (30, 0)]), end="")
    {
      "size": 3,
      "depth": 1,
      "target": "flower",
      "classes": ["iris", "rose"],
      "root": {"test": "width <= 1", "column": 0,
        "yes": {"class": "iris", "label": 0, "counts": [30, 0]},
        "no": {"class": "rose", "label": 1, "counts": [0, 7]}
      }
    }
    """
    lines = [
        "{",
        f'  "size": {size(tree)},',
        f'  "depth": {depth(tree)},',
        f'  "target": {_json(names.target)},',
        f'  "classes": [{", ".join(map(_json, names.classes))}],',
    ]
    for visit in walk(tree, counts, yes_first=True):
        key = ("yes" if visit.path[-1][1] else "no") if visit.path else "root"
        start = f'{_indent(visit.path)}"{key}": '
        if isinstance(visit.node, Node):
            test = visit.node.test
            lines.append(f'{start}{{"test": {_json(names.questions[test])}, "column": {test},')
        else:
            lines.append(start + _json_leaf(visit.node, names, visit.counts) + _json_end(visit.path))
    return "\n".join(lines) + "\n}\n"


def from_json(text: str) -> Tree:
    """The tree that `as_json` wrote.  Raises FormatError if it is not one.

    >>> from_json('{"root": {"column": 3, "yes": {"label": 1}, "no": {"label": 0}}}')
    Node(test=3, no=Leaf(label=0), yes=Leaf(label=1))
    """
    try:
        document = json.loads(text, object_hook=_tree)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"no tree in JSON: {error}") from None
    root = document.get("root") if isinstance(document, dict) else None
    if not isinstance(root, Leaf | Node):
        raise FormatError('the JSON holds no tree under "root": write it with --as json')
    return root


STYLES: dict[Style, Callable[[Tree, Names, Counts], str]] = {
    "text": as_text,
    "rules": as_rules,
    "dot": as_dot,
    "svg": as_svg,
    "json": as_json,
}


def _bracketed(note: str) -> str:
    return f" ({note})" if note else ""


def _boxes(tree: Tree, names: Names, counts: Counts) -> list[Box]:
    """The nodes as boxes, in preorder, `no` left."""
    names = names.printable()
    boxes: list[Box] = []
    latest: dict[int, int] = {-1: -1}  # level -> the last box on it: the parent of what follows below
    for visit in walk(tree, counts, yes_first=False):
        level = len(visit.path)
        parent, edge = latest[level - 1], "yes" if visit.path and visit.path[-1][1] else "no"
        latest[level] = len(boxes)
        if isinstance(visit.node, Leaf):
            label = visit.node.label
            boxes.append(Box(parent, edge, names.classes[label], visit.note, colour(label), corner=10))
        else:
            boxes.append(Box(parent, edge, names.questions[visit.node.test]))
    return boxes


def _dot(text: str) -> str:
    """A label for Graphviz, wrapped; it reads `\\` as the start of an escape and `&` of an entity."""
    escaped = (
        line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
        for line in wrap(text, most=len(text))
    )
    return "\\n".join(escaped)


def _json(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in quoted)


def _json_leaf(leaf: Leaf, names: Names, counts: Sequence[int] | None) -> str:
    members = f'"class": {_json(names.classes[leaf.label])}, "label": {leaf.label}'
    return f"{{{members}}}" if counts is None else f'{{{members}, "counts": {list(counts)}}}'


def _json_end(path: Path) -> str:
    """What follows a leaf: the end of each node whose last branch it closes."""
    end = ""
    while path and not path[-1][1]:
        path = path[:-1]
        end += f"\n{_indent(path)}}}"
    return end + "," * bool(path)


def _indent(path: Path) -> str:
    return "  " * (len(path) + 1)


def _tree(members: dict[str, Any]) -> Tree | dict[str, Any]:
    """Called by the JSON reader on each object, innermost first."""
    match members:
        case {"label": label} if _is_index(label):
            return Leaf(label)
        case {"column": test, "no": Leaf() | Node() as no, "yes": Leaf() | Node() as yes} if _is_index(test):
            return Node(test, no, yes)
        case _:
            return members


def _is_index(value: object) -> bool:
    return type(value) is int and value >= 0
