"""Rules on lines: what `std_wcnf`, the Evaluation's normaliser, accepts though not everything else does.

Its source is in https://bitbucket.org/fbacchus/maxsat_benchmarks_code_base; the format's text is
https://maxsat-evaluations.github.io/2022/rules.html and, before 2022,
https://maxsat-evaluations.github.io/2021/rules.html.
"""

from __future__ import annotations

from collections.abc import Iterator

from wcnfgen.checks._rule import Hit, rule
from wcnfgen.checks._text import Text

LARGE = 500 << 20  # bytes unpacked


def _where(text: Text, what: str, message: str) -> Iterator[Hit]:
    if place := text.places.get(what):
        yield Hit(message, place)


@rule(Text, "warning")
def carriage_returns(text: Text) -> Iterator[Hit]:
    """Lines end with a line feed alone; parsers of solvers differ in what they make of CR LF."""
    yield from _where(text, "carriage return", "CR LF: some parsers trip over it; write LF alone")


@rule(Text, "note")
def tabs(text: Text) -> Iterator[Hit]:
    """Numbers are parted by one blank; a tab is read by most parsers, but PySAT 1.8 takes a header with
    tabs for a comment."""
    yield from _where(text, "tab", "a tab parts the numbers: not every parser takes it; use one blank")


@rule(Text, "note")
def indented(text: Text) -> Iterator[Hit]:
    """A line begins with its weight, its h, c or p: parsers that look at the first character alone take an
    indented line for something else."""
    yield from _where(text, "indented", "an indented line: parsers that go by its first character misread it")


@rule(Text, "note")
def blank_lines(text: Text) -> Iterator[Hit]:
    """Blank lines are skipped by std_wcnf, but parsers have taken them for empty clauses (CPMpy, pull
    request 453)."""
    yield from _where(text, "blank line", "a blank line: skipped, but not by every parser; leave it out")


@rule(Text, "warning")
def last_newline(text: Text) -> Iterator[Hit]:
    """The last line ends with a line feed as the others do: without it, parsers that read by lines lose it,
    and nobody can tell it from a file cut short."""
    yield from _where(text, "no newline", "the last line has no end: it may be cut short; end it with LF")


@rule(Text, "note", "maxsat")
def capital_h(text: Text) -> Iterator[Hit]:
    """Hard clauses begin with a small h; std_wcnf takes H as well and changes it, solvers may not."""
    yield from _where(text, "capital", "H instead of h: the normaliser takes it, solvers need not; write h")


@rule(Text, "warning", "maxsat")
def text_after_clause(text: Text) -> Iterator[Hit]:
    """A clause ends with 0 and its line there: what follows is ignored without a word by std_wcnf."""
    yield from _where(text, "text after 0", "text after the clause's 0 is dropped; leave it out")


@rule(Text, "error", "maxsat")
def clauses_in_one_line(text: Text) -> Iterator[Hit]:
    """A line of a WCNF holds one clause, other than in CNF: std_wcnf ignores the others without a word."""
    yield from _where(
        text, "second clause", "several clauses in a line: all but the first are lost; one a line"
    )


@rule(Text, "note", "sat")
def one_clause_a_line(text: Text) -> Iterator[Hit]:
    """DIMACS CNF leaves line ends free, but tools that read by lines expect one clause in each."""
    for what, message in (
        ("several in a line", "several clauses in a line: allowed, but tools expect one a line"),
        ("over lines", "a clause over several lines: allowed, but tools expect one a line"),
    ):
        yield from _where(text, what, message)


@rule(Text, "warning", "maxsat")
def zero_weight(text: Text) -> Iterator[Hit]:
    """Weights are at least 1; std_wcnf warns of a soft clause of weight 0 and drops it, and PySAT makes it
    hard."""
    yield from _where(text, "weight 0", "a soft clause of weight 0 is dropped; leave it out")


@rule(Text, "note")
def comment_blank(text: Text) -> Iterator[Hit]:
    """A comment is a line that begins with c and a blank; std_wcnf and others need no blank, some parsers
    do."""
    yield from _where(text, "comment without blank", "no blank after the c: not every parser takes it")


@rule(Text, "note")
def comment_between_clauses(text: Text) -> Iterator[Hit]:
    """Comments may stand anywhere and are kept in place, but parsers made for the common case expect them
    at the top."""
    yield from _where(text, "comment between clauses", "a comment after the first clause: move it to the top")


@rule(Text, "note", "maxsat")
def normaliser_block(text: Text) -> Iterator[Hit]:
    """Comments from a line `c MaxSat instance` or `c Standarized MaxSat Instance` (its spelling) up to
    `c-----------` are the normaliser's own: std_wcnf drops them and writes new ones."""
    if not text.places.get("open block"):
        yield from _where(
            text,
            "block",
            "a block of the normaliser's own: dropped and written again, with all that is in it",
        )


@rule(Text, "error", "maxsat")
def normaliser_block_open(text: Text) -> Iterator[Hit]:
    """A comment that begins `c MaxSat instance` or `c Standarized MaxSat Instance` opens a block that
    std_wcnf drops up to a line `c-----------`: without such a line there is no telling what is left."""
    yield from _where(
        text,
        "open block",
        "this opens a block of the normaliser's, and no c----------- ends it: "
        "it is dropped with what follows; begin the comment otherwise",
    )


@rule(Text, "warning")
def size(text: Text) -> Iterator[Hit]:
    """There is no rule on size, but the anytime tracks give 60 seconds in all, and in 2022 reading some
    files within them was hard for the solvers, the organisers say; 500 MiB unpacked are about 20 to 60
    seconds of parsing."""
    if text.bytes > LARGE:
        yield Hit(
            f"{text.bytes >> 20} MiB unpacked: reading alone may take a solver the 60 s of the anytime "
            f"track; stay below {LARGE >> 20} MiB"
        )
