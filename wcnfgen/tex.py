"""Text for LaTeX: nothing that a name, a path or a title holds is a command.

What is written is plain ASCII, so that any engine reads it.  Letters of Latin alphabets become their
base with an accent, a few signs become their commands, what the fonts lack is named by its number in
Unicode, and what cannot be seen is a space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

UNBROKEN = 12
MOST_ROWS = 56  # of a table in a column of the paper

SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "`": "\\textasciigrave{}",
    "[": "{[}",  # a row of a table that began with one would be an argument of the row before
    "*": "{*}",
}
_SIGNS = r"""
ß \ss{}  ø \o{}  Ø \O{}  æ \ae{}  Æ \AE{}  œ \oe{}  Œ \OE{}  ł \l{}  Ł \L{}  đ \dj{}  Đ \DJ{}
ð \dh{}  Ð \DH{}  þ \th{}  Þ \TH{}  \u0131 \i{}  § \S{}  © \textcopyright{}
° \textdegree{}  € \texteuro{}  £ \pounds{}  µ \textmu{}
\u2013 \textendash{}  \u2014 \textemdash{}  \u2018 `{}  \u2019 '{}  \u201c ``{}  \u201d \textquotedblright{}
… \dots{}  × $\times$  ± $\pm$
\u2212 $-$  · $\cdot$  ≤ $\le$  ≥ $\ge$  ≠ $\ne$  → $\to$  ∞ $\infty$
⌈ $\lceil$  ⌉ $\rceil$  ⌊ $\lfloor$  ⌋ $\rfloor$
α $\alpha$  β $\beta$  γ $\gamma$  η $\eta$  λ $\lambda$  ν $\nu$  σ $\sigma$  τ $\tau$  ² $^2$  ³ $^3$
"""
_WORDS = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), _SIGNS).split()
SIGNS = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
_MARKS = (0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x30A, 0x30B, 0x30C, 0x323, 0x327, 0x328)
ACCENTS = dict(zip(map(chr, _MARKS), "`'^~=u.\"rHvdck", strict=True))


def escape(text: str) -> str:
    """Text as text: every character stands for itself, runs of white space are one space.

    >>> escape("50 % of a_b")
    '50 \\\\% of a\\\\_b'
    >>> escape("Torres, José")
    "Torres, Jos\\\\'{e}"
    """
    parts = (_character(c) for c in unicodedata.normalize("NFC", text))
    return _apart(re.sub(r"\s+", " ", "".join(parts)).strip())


def _apart(text: str) -> str:
    """Two hyphens are no dash, two commas or apostrophes no quotation mark."""
    return re.sub(r"([-,'])(?=\1)", r"\1{}", text)


def _character(c: str) -> str:
    if c in SPECIAL:
        return SPECIAL[c]
    if c in SIGNS:
        return SIGNS[c]
    if c.isascii():
        return c if c.isprintable() else " "
    apart = unicodedata.normalize("NFD", c)
    if apart[0].isascii() and apart[0].isalpha() and apart[1] in ACCENTS:  # of two accents, the first
        return f"\\{ACCENTS[apart[1]]}{{{apart[0]}}}"
    plain = unicodedata.normalize("NFKC", c)
    if plain != c and plain.isascii() and plain.isprintable():  # ligatures, full-width letters
        return "".join(map(_character, plain))
    if unicodedata.category(c)[0] in "ZC" and unicodedata.category(c) != "Co":
        return " "
    return f"U+{ord(c):04X}"


def code(text: str) -> str:
    """A name or a command in typewriter, which may break behind a sign, or after `UNBROKEN` letters.

    >>> code("a-b")
    '\\\\texttt{a-\\\\allowbreak{}b}'
    """
    pieces = re.findall(rf"-*[^\W_]{{1,{UNBROKEN}}}[^\w\s]?|_|\W", unicodedata.normalize("NFC", text))
    return "\\texttt{" + "\\allowbreak{}".join(map(_piece, pieces)).strip() + "}"


def _piece(text: str) -> str:
    straight = "".join("\\textquotesingle{}" if c == "'" else _character(c) for c in text)
    return _apart(re.sub(r"\s", " ", straight))


def table(header: Sequence[str], rows: Sequence[Sequence[str]], columns: str) -> str:
    """A tabular of cells that are TeX already; columns as in LaTeX; an empty row is a rule."""
    lines = [" & ".join(cells) + " \\\\" if cells else "\\midrule" for cells in rows]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule",
            " & ".join(header) + " \\\\\n\\midrule",
            *lines,
            "\\bottomrule\n\\end{tabular}",
        ]
    )


def floating(
    caption: str,
    label: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: str,
    *,
    wide: bool = False,
) -> str:
    """A table of one column of the paper; a long one goes on side by side over both, and on further pages.

    A wide one takes both columns from the start.
    """
    if len(rows) <= MOST_ROWS:
        return _float("table*" if wide else "table", caption, label, [table(header, rows, columns)])
    pieces = [rows[start : start + MOST_ROWS] for start in range(0, len(rows), MOST_ROWS)]
    beside = 1 if wide else 2
    pairs = [pieces[start : start + beside] for start in range(0, len(pieces), beside)]
    return "\n".join(
        _float(
            "table*",
            caption if not place else f"{caption} (continued)",
            label if not place else f"{label}-{place}",
            [table(header, piece, columns) for piece in pair],
        )
        for place, pair in enumerate(pairs)
    )


def _float(kind: str, caption: str, label: str, tables: Sequence[str]) -> str:
    inside = "\n\\hfil\n".join(tables)
    place = "!htb" if kind == "table" else "!t"
    size = "\\footnotesize" if kind == "table" else "\\scriptsize"
    return (
        f"\\begin{{{kind}}}[{place}]\n\\caption{{{caption}}}\\label{{{label}}}\n\\centering{size}"
        f"\\setlength{{\\tabcolsep}}{{3pt}}\n{inside}\n\\end{{{kind}}}"
    )


def listing(items: Sequence[str]) -> str:
    """Items as TeX, one below the other; empty where there is none."""
    lines = "\n".join(f"\\item {item}" for item in items)
    return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}" if items else ""


def figure(file: str, caption: str, label: str) -> str:
    """A picture as wide as a column."""
    return (
        f"\\begin{{figure}}[!htb]\n\\centering\n\\includegraphics[width=\\columnwidth]{{{file}}}\n"
        f"\\caption{{{caption}}}\\label{{{label}}}\n\\end{{figure}}"
    )


def number(value: float) -> str:
    """A count in three digits or so, for a table.

    >>> [number(n) for n in (7, 999, 1234, 12345, 1234567, 2_500_000_000)]
    ['7', '999', '1.2k', '12k', '1.2M', '2.5G']
    """
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 0.9995 * size:
            return f"{value / size:.1f}{unit}" if value < 9.95 * size else f"{value / size:.0f}{unit}"
    return f"{value:.0f}"


def span(values: Sequence[float | None], show: Callable[[float], str] = number) -> str:
    """The least and the largest value that are known, as TeX.

    >>> span([3, None, 12000]), span([5, 5]), span([None])
    ('3--12k', '5', '--')
    """
    known = [value for value in values if value is not None]
    if not known:
        return "--"
    ends = dict.fromkeys((show(min(known)), show(max(known))))
    return "--".join(ends)
