"""Where the instances of a family come from: data, seeds, commands, and what was left out on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wcnfgen.bundle.description.references import cite
from wcnfgen.bundle.facts import Facts, tally
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.provenance import DataSet, command, data_sets
from wcnfgen.tex import code, escape, floating, listing
from wcnfgen.words import count, shorten

SHORT = 12  # hexadecimal digits of a SHA-256
MOST_NAMES = 6  # of data sets by one rule
MOST_LISTED = 60  # data sets, beyond which generated ones are not listed


def data(facts: Facts) -> str:
    """Each data set with its checksum, its licence, and where it is published or by which rule it is made."""
    found = data_sets(facts, facts.submitted)
    if not found:
        return ""
    rules = [f"{_names(each)} (``{_said(rule)}'')" for rule, each in _by_rule(found).items()]
    text = [f"Rules of wcnfgen generate {', '.join(rules)}; files are in \\texttt{{data/}}."] if rules else []
    if len(found) > MOST_LISTED:
        found = [each for each in found if not each.rule]
        text.append("The manifest has the SHA-256 of each.")
    if copies := [each for each in found if each.copy]:
        text.append(f"Of {_names(copies)} a copy with other bytes than the published file was used.")
    if not found:
        return " ".join(text)
    text.append(f"Table~\\ref{{data}} names data with {SHORT} digits of the SHA-256 of each file, unpacked.")
    table = _published if any(each.url for each in found) else _plain
    return "\n".join([" ".join(text), table(found)])


def _plain(found: Sequence[DataSet]) -> str:
    """A table of data that nobody has published."""
    rows = [(_name(each, 30), _digits(each), each.origin) for each in found]
    return floating("Data sets", "data", ("data set", "SHA-256", "source"), rows, "lll")


def _published(found: Sequence[DataSet]) -> str:
    """The same, with licences and addresses, over both columns."""
    header = ("data set", "SHA-256", "licence", "published at", "")
    rows = [
        (
            _name(each),
            _digits(each),
            f"\\raggedright {escape(each.licence)}" if each.licence else "--",
            _address(each),
            cite(each.cite).lstrip("~"),
        )
        for each in found
    ]
    return floating("Data sets", "data", header, rows, "llp{1.3in}ll", wide=True)


def _name(each: DataSet, width: int = 22) -> str:
    return escape(shorten(each.name, width))


def _digits(each: DataSet) -> str:
    return f"\\texttt{{{escape(each.sha256[:SHORT])}}}"


def _address(each: DataSet) -> str:
    """Where it is published, or who has it."""
    return escape(each.url.removeprefix("https://").rstrip("/")) if each.url else each.origin


def _by_rule(found: Sequence[DataSet]) -> dict[str, list[DataSet]]:
    rules = dict.fromkeys(each.rule for each in found if each.rule)
    return {rule: [each for each in found if each.rule == rule] for rule in rules}


def _names(found: Sequence[DataSet]) -> str:
    """The names, or the first and how many more."""
    shown = [escape(each.name) for each in found[:MOST_NAMES]]
    more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return ", ".join(shown) + more


def _said(text: str) -> str:
    return escape(text.rstrip("."))


def left_out(facts: Facts) -> str:
    """How many, for each reason, with an example where instances differ in numbers, files or data sets."""
    items = []
    for reason, n in tally(facts.left_out, _kind).items():
        same = [row.why for row in facts.left_out if _kind(row) == reason]
        such = "" if len(set(same)) == 1 else "for example, "
        items.append(f"{count(n, 'instance')}: {such}{escape(same[0] or 'no reason given')}")
    return listing(items)


def _kind(row: Row) -> str:
    """The reason without what is of one instance."""
    return re.sub(r"\S*[/\d]\S*", "#", row.why.replace(row.data, "#") if row.data else row.why)


def again(facts: Facts) -> str:
    """Version, command, seeds and chains."""
    about = facts.about
    text = [
        f"wcnfgen {escape(about.wcnfgen)} writes the same text, byte for byte, by",
        f"\\begin{{quote}}{code(command(facts))}\\end{{quote}}",
        "and \\texttt{manifest.csv} has the command of each instance alone, and the SHA-256 of its text, "
        "unpacked.",
    ]
    if seeds := _seeds(facts.submitted):
        text.append(f"Seeds: {seeds}.")
    if trees := len([path for path in facts.folder.chains.rglob("*") if path.is_file()]):
        text.append(
            "Weights of AdaBoost rounds follow from trees that a solver found; the folder \\texttt{chains} "
            f"holds them ({count(trees, 'file')}), so that no solver has to find them again."
        )
    return "\n".join(text)


def _seeds(rows: Sequence[Row]) -> str:
    found = {
        value
        for row in rows
        for key, value in (*row.parameters.items(), *row.options.items())
        if key == "seed"
    }
    whole = sorted(value for value in found if isinstance(value, int))
    if len(whole) > 3 and whole == list(range(whole[0], whole[-1] + 1)):
        return f"{whole[0]} to {whole[-1]}"
    return ", ".join(map(str, whole))
