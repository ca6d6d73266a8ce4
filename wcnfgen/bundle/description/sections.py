"""The sections of a description: functions from facts to TeX, empty where there is nothing to say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from wcnfgen import encodings, tex
from wcnfgen.bundle.description import measured, origins
from wcnfgen.bundle.description.references import cite
from wcnfgen.bundle.facts import Facts, tally
from wcnfgen.bundle.manifest import Row
from wcnfgen.errors import WcnfgenError
from wcnfgen.files import open_read
from wcnfgen.instances import Plain
from wcnfgen.tex import code, escape, span
from wcnfgen.words import count

LISTED = 10  # values of a parameter are listed up to so many
HEADER = 1 << 14  # bytes of a file in which its header's line on costs stands
EVALUATION = {"maxsat": "MaxSAT Evaluation", "sat": "SAT Competition"}


def sections(facts: Facts) -> Iterator[str]:
    """All of them, from the abstract on."""
    yield f"\\begin{{abstract}}\n{abstract(facts)}\n\\end{{abstract}}"
    for title, section in SECTIONS.items():
        if text := section(facts):
            yield f"\\section{{{title}}}\n{text}"


def abstract(facts: Facts) -> str:
    """What there is, how large, and what is known of it."""
    rows, family = facts.submitted, facts.about.family
    kind = "Crafted benchmark" if family.crafted else "Benchmark"
    found = [f"{kind} instances for the {EVALUATION[family.track]}. {escape(family.title)}:"]
    found.append(f"{count(len(rows), 'instance')} from {count(len({row.data for row in rows}), 'data set')}")
    if rows:
        variables, hard = (_to([getattr(row, name) for row in rows]) for name in ("variables", "hard"))
        found.append(f"with {variables} variables and {hard} {'hard ' * (family.track == 'maxsat')}clauses")
    text = " ".join(found) + "."
    if len(rows) < len(facts.written):
        text += (
            f" They were chosen from {len(facts.written)} for spread over data, parameters and difficulty."
        )
    return " ".join(filter(None, [text, measured.standing(facts)]))


def _to(values: Sequence[int | None]) -> str:
    return span(values).replace("--", " to ")


def domain(facts: Facts) -> str:
    """What the family says of it, the papers, and what kind of instances these are."""
    family = facts.about.family
    paragraphs = [escape(each) for each in re.split(r"\n\s*\n", family.domain) if each.strip()]
    if papers := [key for key in family.papers if cite([key])]:
        paragraphs.append(_related(papers, facts.submitted))
    if family.crafted:
        paragraphs.append("The instances are crafted: their data follow from a rule, not from observations.")
    if family.random:
        paragraphs.append(f"What is random in them: {escape(family.random.rstrip('.'))}.")
    return "\n\n".join(paragraphs)


def _related(papers: Sequence[str], rows: Sequence[Row]) -> str:
    """Whose the problem is (the first paper's, if it is one problem), and that the formulas are ours."""
    forms = {str(row.options.get("form", "")) for row in rows}
    if forms == {"paper"}:
        formulas = "the formulas are the printed ones (form paper), with their errors corrected"
    else:
        form = " (form core), with the errors of the printed ones corrected" if "core" in forms else ""
        formulas = f"the formulas are wcnfgen's{form}"
    if len(_by_encoding(rows)) > 1:
        return f"See{cite(papers)} for the problems; {formulas}."
    more = f" See also{others}." if (others := cite(papers[1:])) else ""
    return f"The problem is that of{cite(papers[:1])}; {formulas}.{more}"


def parameters(facts: Facts) -> str:
    """Each with its meaning and the values that occur."""
    items = [
        f"{code(name)}, {escape(meaning)}: {_values(facts.values(name))}"
        for name, meaning in facts.about.family.parameters.items()
    ]
    return tex.listing(items)


def _values(values: Sequence[Plain]) -> str:
    """The values that a parameter takes, or how many and from where to where."""
    if not values:
        return "no values yet."
    shown = [escape(str(value)) for value in values]
    if len(shown) <= LISTED:
        return ", ".join(shown) + "."
    return f"{len(shown)} values, {shown[0]} to {shown[-1]}."


def encoding(facts: Facts) -> str:
    """Each encoding that occurs: what it asks for, whose it is, and how a cost is to be read."""
    found = [_encoding(name, facts, each) for name, each in _by_encoding(facts.submitted).items()]
    witnessed = sum(row.witness_cost is not None for row in facts.submitted)
    if witnessed:
        found.append(
            "Variables are numbered without gaps and all are used. The hard clauses are satisfiable: a model "
            f"of {_of(witnessed, len(facts.submitted))} was known, and checked, when the file was written."
        )
    return "\n\n".join(found)


def _of(part: int, whole: int) -> str:
    return "each instance" if part == whole else f"{part} of {whole} instances"


def _by_encoding(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {
        name: [row for row in rows if row.encoding == name] for name in tally(rows, lambda row: row.encoding)
    }


def _encoding(name: str, facts: Facts, rows: Sequence[Row]) -> str:
    kind = "CNF" if rows[0].format == "cnf" else "WCNF"
    text = f"{count(len(rows), 'instance').capitalize()} ({kind}) in the encoding {code(name)} of wcnfgen"
    if name in encodings.names():
        known = encodings.get(name)
        text += f": {escape(known.title)}. Source: {escape(known.source)}"
    return f"{text}.{_costs(facts, rows)}"


def _costs(facts: Facts, rows: Sequence[Row]) -> str:
    """How the cost is to be read, from the headers of the files; what varies between them is a constant."""
    files = [facts.folder.path / row.file for row in rows if row.format != "cnf"]
    said = dict.fromkeys(filter(None, map(_meaning, files)))
    if len(said) > 1:
        said = dict.fromkeys(re.sub(r"(?<=[+-] )\d+$", "constant", each) for each in said)
    shown = " or ".join(code(each) for each in said)
    constant = " The constant stands in the header of each file." if "constant" in shown else ""
    return f" A cost means: {shown}.{constant}" if said else ""


def _meaning(file: Path) -> str:
    """What the header of a file says of its cost; empty where there is no such file or line."""
    try:
        with open_read(file) as stream:
            head = stream.read(HEADER).decode("utf-8", "replace")
    except (WcnfgenError, OSError, EOFError):
        return ""
    found = re.search(r"^c cost: (.+)$", head, re.MULTILINE)
    return found[1].strip() if found else ""


def naming(facts: Facts) -> str:
    """The file-name convention, and a name."""
    text = escape(facts.about.family.naming)
    example = next((row.file.rpartition("/")[2] for row in facts.submitted), "")
    return f"{text}{'' if text.endswith('.') else '.'}" + (f" One is {code(example)}." if example else "")


SECTIONS: dict[str, Callable[[Facts], str]] = {
    "Domain": domain,
    "Parameters": parameters,
    "Encoding": encoding,
    "File names": naming,
    "Data": origins.data,
    "Sizes": measured.sizes,
    "Difficulty": measured.difficulty,
    "Known solutions": measured.best,
    "Instances left out": origins.left_out,
    "How to make them again": origins.again,
}
