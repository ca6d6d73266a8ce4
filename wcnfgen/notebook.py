"""Trees in a notebook: the drawing, or the text of a tree that is too large to draw, as HTML.

Jupyter puts the HTML into its own page.  Nothing here has an id, a script, a style sheet or an address, names
are escaped, and MathJax, which would take `$x$` in a name for a formula, is told to keep out.  A drawing that
is wider than the page is made to fit, so that its root is in sight; where that makes its letters too small
the text stands below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice

from wcnfgen.render import Counts, Names, as_svg, as_text
from wcnfgen.tree import Tree, size
from wcnfgen.words import printable

DRAWN = 400  # nodes; of a larger one there is nothing to be seen on a page
WIDE = 1600  # px; of a wider one the letters are too small to read on a usual page
LINES = 200  # of the text
TREES = 10  # of a result that has many

_PAGE = '<div class="tex2jax_ignore mathjax_ignore">{}</div>\n'
_TEXT = '<pre style="overflow: auto; max-height: 40em; white-space: pre">{}</pre>\n'
_FITS = '<svg style="max-width: 100%; height: auto" '


def drawing(tree: Tree, names: Names, counts: Counts) -> str | None:
    """The tree as SVG; None if it is too large."""
    return as_svg(tree, names, counts) if size(tree) <= DRAWN else None


def figure(tree: Tree, names: Names, counts: Counts) -> str:
    """The tree as a part of a page."""
    drawn = drawing(tree, names, counts)
    if drawn is None:
        return _abridged(tree, names, counts)
    fitted = f"<div>{_FITS}{drawn.removeprefix('<svg ')}</div>\n"
    width = re.search(r'width="(\d+)"', drawn)
    is_wide = width is not None and int(width[1]) > WIDE
    return fitted + _abridged(tree, names, counts) * is_wide


def text(lines: Iterable[str]) -> str:
    """Lines as they are."""
    return _TEXT.format(escape("\n".join(map(printable, lines))))


def page(*parts: str) -> str:
    """Figures and texts, one below the other."""
    return _PAGE.format("".join(parts))


def some(figures: Iterable[str], count: int) -> Iterator[str]:
    """The first of so many figures, and how many are left out."""
    yield from islice(figures, TREES)
    if count > TREES:
        yield text([f"and {count - TREES} more trees: .trees has them all"])


def _abridged(tree: Tree, names: Names, counts: Counts) -> str:
    """The first lines of the tree as text."""
    lines = as_text(tree, names, counts).splitlines()
    left = len(lines) - LINES
    more = [f"and {left} more lines: .render('text') has them all"] if left > 0 else []
    return text([*lines[:LINES], *more])
