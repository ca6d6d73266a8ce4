"""What a 0/1 column asks, in the words of the data file.

    colour = red            colour in {green, red}          age = 36
    petal_width < 0.4       0.8 <= petal_width < 1.1        petal_length <= 2.45

A set of intervals is written as its runs, joined by "or".  The words hold for every cell, seen or
not: the negation names the complement, an own value for missing cells included.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

_OPERATOR = re.compile(r"(^|\s)(=|!=|<|<=|>|>=|in|not in|and|or)(\s|$)")


def word(text: str) -> str:
    """A name or value as it stands, in quotes where it could be misread.

    >>> print(word("very high"), word("a, b"), word(""))
    very high "a, b" ""
    """
    plain = text and text.isprintable() and not set(text) & set('",{}') and not _OPERATOR.search(text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def printable(text: str) -> str:
    """The text on one line: what does not print, or turns around what follows, is shown as an escape.

    >>> print(printable("two\\nlines"))
    two\\nlines
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def last_line(text: str) -> str:
    """The last line that is not blank; empty if there is none.

    >>> last_line("one\\n two \\n\\n"), last_line("")
    ('two', '')
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def printable_lines(text: str) -> str:
    """Many lines, each of them printable.

    >>> printable_lines("a\\tb\\n\\x1b[31mc\\n")
    'a       b\\n\\\\x1b[31mc\\n'
    """
    return "\n".join(map(printable, text.expandtabs().split("\n")))


def count(number: int, thing: str) -> str:
    """A number with its noun.

    >>> count(1, "instance"), count(2, "data set")
    ('1 instance', '2 data sets')
    """
    return f"{number} {thing}{'s' * (number != 1)}"


def shortest(number: float) -> str:
    """The shortest text that reads back as the number, without ``.0``.

    >>> shortest(36.0), shortest(2.45)
    ('36', '2.45')
    """
    return repr(number).removesuffix(".0")


def span(seconds: float) -> str:
    """A time for people.

    >>> span(59), span(61), span(7300), span(200000)
    ('59 s', '2 min', '2.0 h', '2.3 days')
    """
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    if seconds < 3600:
        return f"{math.ceil(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h" if seconds < 86400 else f"{seconds / 86400:.1f} days"


def table(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines of columns of equal width, all but the first to the right; the first row is the header.

    >>> print(*table([["solver", "runs"], ["rc2", 12], ["clingo", 3]]), sep="\\n")
    solver  runs
    rc2       12
    clingo     3
    """
    cells = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *rest in cells:
        others = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *others])


def shorten(text: str, most: int, mark: str = "…") -> str:
    """The text without its middle where it has more characters, and the mark in its place.

    >>> shorten("a-very-long-name", 9), shorten("abcdefgh", 7, "[4]"), shorten("abcd", 4)
    ('a-ve…name', 'ab[4]gh', 'abcd')
    """
    if len(text) <= most:
        return text
    kept = most - len(mark)
    half = kept // 2
    return f"{text[: kept - half]}{mark}{text[len(text) - half :]}"


def membership(name: str, values: Sequence[str], *, negated: bool = False) -> str:
    """``name = value`` or ``name in {values}``.

    >>> membership("colour", ["red"], negated=True), membership("colour", ["green", "red"])
    ('colour != red', 'colour in {green, red}')
    """
    if len(values) == 1:
        return f"{word(name)} {'!=' if negated else '='} {word(values[0])}"
    return f"{word(name)} {'not in' if negated else 'in'} {{{', '.join(map(word, values))}}}"


def intervals(name: str, codes: Collection[int], cuts: Sequence[float], *, closed: bool) -> str:
    """The numbers whose interval is in `codes`; interval i lies between cuts[i-1] and cuts[i].

    closed: the upper cut belongs to the interval (thresholds), else the lower one (bins).

    >>> intervals("x", {1, 2, 4}, [1.0, 2.0, 3.0, 4.0], closed=False)
    '1 <= x < 3 or x >= 4'
    """
    ends = ((_end(cuts, a), _end(cuts, b)) for a, b in _runs(codes))
    return " or ".join(_interval(word(name), low, high, closed) for low, high in ends)


def _end(cuts: Sequence[float], i: int) -> str | None:
    """Where interval i begins; None where it has no lower end."""
    return shortest(cuts[i - 1]) if 0 < i <= len(cuts) else None


def _runs(codes: Collection[int]) -> list[tuple[int, int]]:
    """Maximal runs [start, stop) of consecutive codes."""
    if isinstance(codes, range):
        return [(codes.start, codes.stop)] if codes else []
    starts = sorted(code for code in codes if code - 1 not in codes)
    stops = sorted(code + 1 for code in codes if code + 1 not in codes)
    return list(zip(starts, stops, strict=True))


def _interval(name: str, low: str | None, high: str | None, closed: bool) -> str:
    below, above, at_least = ("<=", "<", ">") if closed else ("<", "<=", ">=")
    if low is None and high is None:
        return f"{name} is a number"
    if low is None:
        return f"{name} {below} {high}"
    if high is None:
        return f"{name} {at_least} {low}"
    return f"{low} {above} {name} {below} {high}"
