"""The drawing: boxes and edges are read back from the SVG file and their geometry is checked."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.strategies import trees, ugly_names
from wcnfgen import svg
from wcnfgen.render import Names, as_svg, walk
from wcnfgen.tree import Leaf, Node, Tree, breadth_first, size

FEATURES, CLASSES = 4, 3
PLAIN = Names(("long",), ("short",), ("eel", "newt"), "animal")
any_tree = trees(FEATURES, CLASSES, max_leaves=40)
any_names = ugly_names(FEATURES, CLASSES)


def full(levels: int) -> Tree:
    return Node(0, full(levels - 1), full(levels - 1)) if levels else Leaf(0)


SVG = "{http://www.w3.org/2000/svg}"
Rectangle = tuple[int, int, int, int]  # left, top, right, bottom


def rectangles(drawing: str, kind: str) -> list[Rectangle]:
    found = []
    for rect in ElementTree.fromstring(drawing).iter(f"{SVG}rect"):
        if rect.get("class") == kind:
            x, y, width, height = (int(rect.attrib[key]) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


def centre(box: Rectangle) -> int:
    """Twice the x of its middle."""
    return box[0] + box[2]


def apart(a: Rectangle, b: Rectangle) -> bool:
    return a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]


@given(any_tree, any_names)
def test_svg_boxes_lie_apart_within_the_page(tree: Tree, names: Names) -> None:
    drawing = as_svg(tree, names, [(1, 20, 300)] * (size(tree) // 2 + 1))
    boxes = rectangles(drawing, "box")
    ((left, top, right, bottom),) = rectangles(drawing, "page")
    assert len(boxes) == size(tree)
    assert all(apart(a, b) for a, b in combinations(boxes, 2))
    assert all(left < x and top < y and u < right and v < bottom for x, y, u, v in boxes)


@given(any_tree, any_names)
def test_svg_edges_touch_only_the_boxes_they_join(tree: Tree, names: Names) -> None:
    drawing = as_svg(tree, names)
    boxes = rectangles(drawing, "box")
    for edge in ElementTree.fromstring(drawing).iter(f"{SVG}path"):
        match = re.fullmatch(r"M(-?\d+),(-?\d+)V(-?\d+)H(-?\d+)V(-?\d+)", edge.attrib["d"])
        assert match
        x, y, bend, u, v = map(int, match.groups())
        segments = [(x, y, x, bend), (min(x, u), bend, max(x, u), bend), (u, bend, u, v)]
        assert y < bend < v
        assert sum(not all(apart(box, segment) for segment in segments) for box in boxes) == 2


@given(any_tree, any_names)
@example(Node(0, full(3), Node(0, Leaf(0), full(2))), PLAIN)
@example(Node(0, Node(0, full(2), Leaf(0)), full(3)), PLAIN)
def test_sibling_subtrees_stand_as_close_as_they_can(tree: Tree, names: Names) -> None:
    boxes = rectangles(as_svg(tree, names), "box")  # in preorder, `no` first
    for i, visit in enumerate(walk(tree, yes_first=False)):
        if isinstance(visit.node, Node):
            middle = i + 1 + size(visit.node.no)
            left, right = boxes[i + 1 : middle], boxes[middle : middle + size(visit.node.yes)]
            gaps = [b[0] - a[2] for a in left for b in right if a[1] == b[1]]
            assert min(gaps) in (svg.GAP, svg.GAP + 1)
            assert 2 * centre(boxes[i]) == centre(left[0]) + centre(right[0])


@given(any_tree, any_names)
def test_svg_keeps_every_name_whole_in_its_tooltips(tree: Tree, names: Names) -> None:
    titles = [title.text or "" for title in ElementTree.fromstring(as_svg(tree, names)).iter(f"{SVG}title")]
    shown = names.printable()
    expected = [
        shown.classes[node.label] if isinstance(node, Leaf) else shown.questions[node.test]
        for node in breadth_first(tree)
    ]
    assert titles[0] == shown.target
    assert sorted(titles[1:]) == sorted(expected)


def test_svg_refers_to_nothing_outside() -> None:
    drawing = as_svg(Node(0, Leaf(0), Leaf(1)), PLAIN)
    assert drawing.replace('xmlns="http://www.w3.org/2000/svg"', "").count("://") == 0
    assert not re.search(r"<(script|style|image|use|a)\b|href|url\(|\bid=", drawing)


@given(st.text().map(lambda text: " ".join(text.split())), st.integers(40, 300), st.integers(1, 4))
def test_wrapped_lines_fit_and_lose_only_the_middle(text: str, width: int, most: int) -> None:
    lines = svg.wrap(text, width, most)
    assert 1 <= len(lines) <= most
    assert all(svg._width(line) <= width for line in lines)
    squeezed, whole = ("".join(part.split()) for part in ("".join(lines), text))
    if squeezed != whole:
        head, dots, tail = squeezed.rpartition("…")
        assert (len(lines), dots) == (most, "…")
        assert whole.startswith(head)
        assert whole.endswith(tail)


def test_an_operator_stays_with_its_value() -> None:
    assert svg.wrap("age of the driver <= 17.25", width=160) == ["age of the driver", "<= 17.25"]
    assert svg.wrap("x" * 200 + " <= 17")[-1].endswith("xx <= 17")


XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> NDArray[np.float64]:
    """The light of an sRGB colour, IEC 61966-2-1."""
    c = np.array(list(bytes.fromhex(colour[1:]))) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB, white point D65: a distance of 2 is just visible."""
    t = XYZ @ light.clip(0, 1) / XYZ.sum(axis=1)
    x, y, z = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_text_is_legible_on_every_class_colour() -> None:
    """Contrast 4.5, WCAG 2.1 level AA, up to 64 classes, and no colour comes twice."""
    colours = [svg.colour(label) for label in range(64)]
    luminances = [XYZ[1] @ linear(colour) for colour in (*colours, "#222222")]
    assert min(luminances[:-1]) + 0.05 >= 4.5 * (luminances[-1] + 0.05)
    assert len(set(colours)) == len(colours)


@pytest.mark.parametrize(
    "eyes",
    [
        np.eye(3),
        # Machado, Oliveira and Fernandes 2009, severity 1: protanopia, deuteranopia, tritanopia
        np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
        np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
        np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
    ],
    ids=["trichromat", "protanope", "deuteranope", "tritanope"],
)
def test_the_first_eight_classes_differ_to_all_eyes(eyes: NDArray[np.float64]) -> None:
    seen = [lab(eyes @ linear(svg.colour(label))) for label in range(8)]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 10
