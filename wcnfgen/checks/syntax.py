"""Rules that a file has to obey to be read at all, and those on the header of the older formats.

A file is read up to its first error of this kind, so there is one of them at most.
"""

from __future__ import annotations

from collections.abc import Iterator

from wcnfgen.checks._formula import Formula
from wcnfgen.checks._rule import Hit, Place, rule
from wcnfgen.checks._text import Text

# By rule, what the reader says where it is broken.
REFUSALS = {
    "whole": "cannot read to the end",
    "one_header": "a second header",
    "header_form": "header like",
    "header_numbers": "a negative number in the header",
    "clause_end": "does not end with 0",
    "mixed_formats": "an 'h' line under",
    "weight_range": "weights are from",
    "integers": "is not an integer",
    "variable_range": "is too large",
    "header_variables": ", but the header declares",
    "header_clauses": "clauses, the file has",
}


def _refused(text: Text, rule: str, otherwise: str) -> Iterator[Hit]:
    """The reader's words, where they are about this rule, and what the Evaluation does."""
    if text.refused and REFUSALS[rule] in text.refused[0]:
        message, line = text.refused
        yield Hit(f"{message}; {otherwise}", None if line is None else Place(1, line))


@rule(Text, "error")
def readable(text: Text) -> Iterator[Hit]:
    """A file can be opened and read."""
    if text.refused and not any(words in text.refused[0] for words in REFUSALS.values()):
        message, line = text.refused
        yield Hit(message, None if line is None else Place(1, line))


@rule(Text, "error")
def whole(text: Text) -> Iterator[Hit]:
    """A compressed file can be unpacked to its end."""
    yield from _refused(text, "whole", "it is cut short or damaged: compress the formula again")


@rule(Text, "error")
def one_header(text: Text) -> Iterator[Hit]:
    """The header of a format that has one comes once and before all clauses; std_wcnf stops at another."""
    yield from _refused(text, "one_header", "the normaliser refuses the file; leave it out")


@rule(Text, "error")
def header_form(text: Text) -> Iterator[Hit]:
    """A header is `p wcnf VARIABLES CLAUSES TOP`, or `p cnf VARIABLES CLAUSES` in a CNF; the format since
    2022 has none."""
    yield from _refused(text, "header_form", "the file is refused")


@rule(Text, "error")
def header_numbers(text: Text) -> Iterator[Hit]:
    """The numbers in a header are not negative."""
    yield from _refused(text, "header_numbers", "the file is refused")


@rule(Text, "error")
def clause_end(text: Text) -> Iterator[Hit]:
    """A clause ends with 0, in a WCNF in the line in which it begins."""
    yield from _refused(text, "clause_end", "the file is refused; end it with 0")


@rule(Text, "error", "maxsat")
def mixed_formats(text: Text) -> Iterator[Hit]:
    """Under a `p wcnf` header a hard clause has weight top; h is of the format since 2022, which has no
    header."""
    yield from _refused(text, "mixed_formats", "leave out the header")


@rule(Text, "error", "maxsat")
def weight_range(text: Text) -> Iterator[Hit]:
    """Weights are integers from 1 to 2^63 - 1 (rules, 2021 to 2026)."""
    yield from _refused(text, "weight_range", "the file is refused")


@rule(Text, "error")
def integers(text: Text) -> Iterator[Hit]:
    """Weights and literals are integers without a fraction or a plus sign."""
    yield from _refused(text, "integers", "the file is refused; write integers")


@rule(Text, "error")
def variable_range(text: Text) -> Iterator[Hit]:
    """Variables fit into 32 bits with their sign: solvers keep literals so."""
    yield from _refused(text, "variable_range", "number variables from 1 without gaps")


@rule(Text, "error")
def header_variables(text: Text) -> Iterator[Hit]:
    """No literal is of a variable beyond those that the header declares."""
    yield from _refused(text, "header_variables", "solvers refuse it or crash; correct the header")


@rule(Text, "error")
def header_clauses(text: Text) -> Iterator[Hit]:
    """There are as many clauses as the header declares."""
    yield from _refused(text, "header_clauses", "correct the header or the file")


@rule(Text, "error", "maxsat")
def wcnf(text: Text) -> Iterator[Hit]:
    """A formula for the Evaluation is a WCNF: `p cnf` is of the SAT Competition, and of MaxSAT up to 2016."""
    if text.format == "cnf":
        yield Hit("a CNF, not a WCNF: it has no soft clauses; use --track sat, or write it as WCNF")


@rule(Text, "error", "sat")
def cnf(text: Text) -> Iterator[Hit]:
    """A formula for the SAT Competition is a CNF with a header `p cnf VARIABLES CLAUSES`."""
    opened = text.refused is None or text.refused[1] is not None
    if opened and text.header.split()[1:2] != [b"cnf"]:
        yield Hit("no `p cnf` header: it is refused; write the hard clauses as CNF")


@rule(Text, "note")
def header_blanks(text: Text) -> Iterator[Hit]:
    """The words of a header are parted by one blank: PySAT 1.8 takes `p wcnf` for a comment, and then every
    clause for a hard one."""
    if text.header and text.header.rstrip(b"\r") != b" ".join(text.header.split()):
        yield Hit("several blanks or tabs in the header: some parsers take it for a comment; use single ones")


@rule(Text, "note", "maxsat")
def old_format(text: Text) -> Iterator[Hit]:
    """The format has been one with h lines and without a header since 2022; the older one is taken and
    converted."""
    if text.format == "wcnf-old":
        yield Hit("the format before 2022: taken, and converted to h lines")


@rule(Text, "error", "maxsat")
def header_top(text: Text) -> Iterator[Hit]:
    """A header `p wcnf` states top, the weight of hard clauses; up to 2016 it could be left out, and some
    tools then take the number of clauses for it (PySAT, issue 98)."""
    if text.format == "wcnf-old" and text.top is None:
        yield Hit("no top in the header: tools disagree on which clauses are hard; state it or use h lines")


@rule(Text, "error", "maxsat")
def hard_weight(text: Text) -> Iterator[Hit]:
    """A hard clause weighs exactly top: what weighs more is hard to some solvers (the rules up to 2016) and
    soft to others, such as NuWLS."""
    if place := text.places.get("above top"):
        yield Hit(f"a weight above top, {text.top}: hard to some solvers, soft to others; make it top", place)


@rule(Formula, "error", "maxsat")
def top(formula: Formula) -> Iterator[Hit]:
    """Top is larger than the sum of the weights of soft clauses (rules, up to 2021): else breaking a hard
    clause can be cheaper than keeping it."""
    if formula.top is not None and formula.top <= formula.weights:
        yield Hit(
            f"top is {formula.top} and the soft weights sum to {formula.weights}: solvers may break hard "
            f"clauses; make it {formula.weights + 1}"
        )
