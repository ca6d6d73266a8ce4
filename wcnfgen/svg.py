"""Draws a binary tree of text boxes as one self-contained SVG file, without graphviz.

The caller lists the boxes in preorder, each with its parent's position; this module knows nothing of
decision trees.  Three decisions carry the rest:

- *Layout.*  Each level is a row.  Two sibling subtrees are pushed together until, on the first row
  where they meet, `GAP` is left; the parent stands in the middle (Reingold and Tilford, "Tidier
  drawings of trees", 1981, with boxes of unequal width).  Edges bend between two rows only, so that
  they cross neither boxes nor each other.  Every coordinate is an integer: same tree, same bytes.
- *Text.*  The viewer's font is unknown, so widths are upper estimates (DejaVu Sans, the widest of the
  usual fonts).  Long texts wrap; what needs more than `LINES` lines loses its middle, for its end
  holds the value that is compared, and a tooltip shows all of it.
- *Inlining.*  No style sheet, id, script or link: the file may be pasted into any page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

FONT, SMALL = 13, 11  # font sizes in px, as all lengths here
LINE = 17  # from one base line to the next
TEXT_WIDTH, LINES = 200, 3  # the most that the text of a box may take
PAD, NARROWEST = 10, 56
GAP, RISE = 18, 44  # between two boxes, between two rows
MARGIN = 12

# Okabe and Ito's colours, which the colour-blind tell apart; light grey stands in for black.
PALETTE = ("56b4e9", "e69f00", "009e73", "f0e442", "cc79a7", "d55e00", "0072b2", "cccccc")

# A line may end here, but an operator stays with its value: `a_long_name / <= 2.5`.
_BREAK = re.compile(r"(?<![<>=])[ _/]")


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its texts have one line each and hold no control characters."""

    parent: int  # position of the parent; -1 marks the root
    edge: str  # written on the edge from the parent
    text: str
    note: str = ""  # a second, smaller text
    fill: str = "#ffffff"
    corner: int = 2  # radius


def draw(boxes: Sequence[Box], heading: str) -> str:
    """The SVG document; `boxes` in preorder, each inner one with two children, left before right."""
    frames = _frames(boxes)
    title = wrap(heading)
    left = min(f.x - f.width // 2 for f in frames)
    right = max(f.x + f.width // 2 for f in frames)
    half = max(_width(line) for line in title) * 9 // 16  # bold is wider
    left, right = min(left, -half) - MARGIN, max(right, half) + MARGIN
    top = -LINE * len(title) - 2 * MARGIN
    bottom = max(f.y + f.height for f in frames) + MARGIN
    area = f"{right - left}", f"{bottom - top}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{area[0]}" height="{area[1]}"'
        f' viewBox="{left} {top} {area[0]} {area[1]}" text-anchor="middle" fill="#222222"'
        f' font-family="Helvetica, Arial, DejaVu Sans, sans-serif" font-size="{FONT}">',
        f"<title>{escape(heading)}</title>",
        f'<rect class="page" x="{left}" y="{top}" width="{area[0]}" height="{area[1]}" fill="#ffffff"/>',
        '<g font-weight="bold">',
        *_text(title, 0, top + MARGIN),
        "</g>",
        '<g fill="none" stroke="#888888" shape-rendering="crispEdges">',
        *(_edge(frames[f.box.parent], f) for f in frames[1:]),
        "</g>",
        f'<g font-size="{SMALL}" fill="#555555">',
        *(_edge_label(frames[f.box.parent], f) for f in frames[1:]),
        "</g>",
        *(line for f in frames for line in _box(f)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def colour(label: int) -> str:
    """The fill of class `label`: the palette, then ever finer tints of it; dark text is legible on each.

    >>> colour(0), colour(8)
    ('#80c7ee', '#b3ddf5')
    """
    turn, hue = divmod(label, len(PALETTE))
    white = 0.25 + 0.6 * _van_der_corput(turn)
    channels = bytes.fromhex(PALETTE[hue])
    return "#" + "".join(f"{round(c + (255 - c) * white):02x}" for c in channels)


def wrap(text: str, width: int = TEXT_WIDTH, most: int = LINES) -> list[str]:
    """At most `most` lines of at most `width` px; what does not fit is lost from the middle.

    >>> wrap("mean_radius_of_the_nucleus <= 13.25")
    ['mean_radius_of_the_', 'nucleus <= 13.25']
    """
    lines, start = [""], 0
    while start < len(text) and len(lines) <= most:
        fits = _fit(text[start : start + width], width)
        cut = start + fits
        if cut < len(text):
            cut = max((m.end() for m in _BREAK.finditer(text, start + fits // 2, cut)), default=cut)
        lines.append(text[start:cut])
        start = cut
    if start < len(text):
        lines[-1] = "…" + text[-_fit(text[-width:][::-1], width - _width("…")) :]
    return [line.strip() for line in lines[1:]] or lines


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a box stands: `x` is its middle and `y` its top; the root has x = y = 0."""

    box: Box
    lines: list[str]
    x: int
    y: int
    width: int
    height: int


def _frames(boxes: Sequence[Box]) -> list[_Frame]:
    lines = [wrap(box.text) for box in boxes]
    widths = [_box_width(box, rows) for box, rows in zip(boxes, lines, strict=True)]
    heights = [LINE * (len(rows) + bool(box.note)) + PAD for box, rows in zip(boxes, lines, strict=True)]
    levels = _levels(boxes)
    tops = _tops(levels, heights)
    return [
        _Frame(box, rows, x, tops[level], width, height)
        for box, rows, x, level, width, height in zip(
            boxes, lines, _middles(boxes, widths), levels, widths, heights, strict=True
        )
    ]


def _box_width(box: Box, lines: Sequence[str]) -> int:
    """Even, so that the middle is an integer."""
    text = max(_width(line) for line in lines)
    note = _width(box.note) * SMALL // FONT + 1
    return (max(text, note, NARROWEST - 2 * PAD) + 1) // 2 * 2 + 2 * PAD


def _levels(boxes: Sequence[Box]) -> list[int]:
    levels: list[int] = []
    for box in boxes:
        levels.append(levels[box.parent] + 1 if levels else 0)
    return levels


def _tops(levels: Sequence[int], heights: Sequence[int]) -> list[int]:
    """The y of each row: a row is as high as its highest box."""
    highest = [0] * (max(levels) + 1)
    for level, height in zip(levels, heights, strict=True):
        highest[level] = max(highest[level], height)
    tops = [0]
    for height in highest[:-1]:
        tops.append(tops[-1] + height + RISE)
    return tops


def _middles(boxes: Sequence[Box], widths: Sequence[int]) -> list[int]:
    """The x of each box: children before parents for the distances, then parents before children."""
    children: list[list[int]] = [[] for _ in boxes]
    for i, box in enumerate(boxes[1:], 1):
        children[box.parent].append(i)
    outlines: dict[int, _Outline] = {}
    shift = [0] * len(boxes)
    for i in reversed(range(len(boxes))):
        outline: _Outline = []
        if children[i]:
            left, right = children[i]
            a, b = outlines.pop(left), outlines.pop(right)
            shift[right] = _half_distance(a, b)
            shift[left] = -shift[right]
            outline = list(_beside(a, b, shift[right]))
        outlines[i] = [*outline, (-widths[i] // 2, widths[i] // 2)]
    x = [0] * len(boxes)
    for i, box in enumerate(boxes[1:], 1):
        x[i] = x[box.parent] + shift[i]
    return x


# The leftmost and rightmost x of each row of a subtree, relative to its root; the root's row is last.
_Outline = list[tuple[int, int]]


def _half_distance(a: _Outline, b: _Outline) -> int:
    """How far left `a` and right `b` must move from a common root."""
    closest = max(
        a_right - b_left for (_, a_right), (b_left, _) in zip(reversed(a), reversed(b), strict=False)
    )
    return (closest + GAP + 1) // 2


def _beside(a: _Outline, b: _Outline, half: int) -> list[tuple[int, int]]:
    """The outline of both together."""
    rows = []
    for row_a, row_b in zip_longest(reversed(a), reversed(b)):
        left = row_a[0] - half if row_a else row_b[0] + half
        right = row_b[1] + half if row_b else row_a[1] - half
        rows.append((left, right))
    return rows[::-1]


def _edge(parent: _Frame, child: _Frame) -> str:
    bend = child.y - RISE // 2
    return f'<path d="M{parent.x},{parent.y + parent.height}V{bend}H{child.x}V{child.y}"/>'


def _edge_label(parent: _Frame, child: _Frame) -> str:
    """Below the bend, on the outer side of the edge."""
    side, anchor = (-5, "end") if child.x < parent.x else (5, "start")
    y = child.y - RISE // 2 + SMALL + 2
    return f'<text x="{child.x + side}" y="{y}" text-anchor="{anchor}">{escape(child.box.edge)}</text>'


def _box(frame: _Frame) -> Iterator[str]:
    box = frame.box
    yield f"<g><title>{escape(' · '.join(filter(None, (box.text, box.note))))}</title>"
    yield (
        f'<rect class="box" x="{frame.x - frame.width // 2}" y="{frame.y}" width="{frame.width}"'
        f' height="{frame.height}" rx="{box.corner}" fill="{box.fill}" stroke="#555555"/>'
    )
    yield from _text(frame.lines, frame.x, frame.y + PAD // 2)
    if box.note:
        y = frame.y + PAD // 2 + LINE * len(frame.lines)
        yield f'<g font-size="{SMALL}">{"".join(_text([box.note], frame.x, y))}</g>'
    yield "</g>"


def _text(lines: Sequence[str], x: int, top: int) -> Iterator[str]:
    for i, line in enumerate(lines):
        yield f'<text x="{x}" y="{top + LINE * i + FONT}">{escape(line)}</text>'


def _fit(text: str, width: int) -> int:
    """How many leading characters (at least one) fit in `width` px."""
    room = width * 100
    for i, char in enumerate(text):
        room -= FONT * _advance(char)
        if room < 0:
            return max(i, 1)
    return len(text)


def _width(text: str) -> int:
    """An upper estimate in px at `FONT`."""
    return -(-sum(map(_advance, text)) * FONT // 100)


def _advance(char: str) -> int:
    """An upper estimate of a character's width in hundredths of the font size."""
    if unicodedata.combining(char):
        return 0
    if not char.isascii():
        return 140 if unicodedata.category(char) == "So" else 112  # emoji; the other scripts
    if char in " !'(),-./:;I[\\]fijlrt|":
        return 42
    if char in "#%&+<=>@MW^mw~":
        return 102
    return 79 if char.isupper() else 64


def _van_der_corput(n: int) -> float:
    """The n-th point of the sequence 0, 1/2, 1/4, 3/4, 1/8, ...: each new one falls into a gap."""
    point, scale = 0.0, 1.0
    while n:
        scale /= 2
        point += n % 2 * scale
        n //= 2
    return point
