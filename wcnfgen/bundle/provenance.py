"""Where the data of a family come from: a rule of ours, a data set of the papers, or a user's own file.

Each line of the manifest says which, in its column ``source``.  A file counts as the published one if its
bytes do; one with other bytes that the papers' table took for it is a copy, and is described as such.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from wcnfgen.bundle.facts import Facts, natural
from wcnfgen.bundle.manifest import Row
from wcnfgen.errors import UsageError
from wcnfgen.instances import datasets, rules

GENERATED, OWN, UNKNOWN = "generated", "the submitters' own", "not recorded"


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set, with the SHA-256 of its file, unpacked.

    origin  GENERATED, OWN, UNKNOWN, or empty where it is published
    rule    what the rule says of itself; empty where the data were not generated
    file    its place in a folder of the papers' data sets, where one is needed; else empty
    copy    its bytes are not those that were published
    licence, url, cite   as published; empty for other data
    """

    name: str
    sha256: str
    origin: str = ""
    rule: str = ""
    file: str = ""
    copy: bool = False
    licence: str = ""
    url: str = ""
    cite: tuple[str, ...] = ()


def data_sets(facts: Facts, rows: Sequence[Row]) -> list[DataSet]:
    """The data sets of these instances, each once, in order of their names."""
    found = dict.fromkeys((row.data, row.data_sha256, row.source) for row in rows if row.data)
    return [_data_set(*each) for each in sorted(found, key=lambda each: natural(each[0]))]


def _data_set(name: str, sha256: str, source: str) -> DataSet:
    kind, _, of = source.partition(":")
    if kind == "rule":
        return DataSet(name, sha256, GENERATED, rule=_summary(of))
    if kind == "paper" and of in datasets.names():
        return _published(name, sha256, datasets.get(of))
    return DataSet(name, sha256, OWN if kind == "file" else UNKNOWN)


def _published(name: str, sha256: str, known: datasets.PaperSet) -> DataSet:
    copy = sha256 != known.sha256
    needed = copy or not known.rule  # where there is no file, its rule writes the very same bytes
    return DataSet(
        name=name,
        sha256=sha256,
        file=known.file if needed else "",
        copy=copy,
        licence=known.licence,
        url=known.url,
        cite=known.cite,
    )


def _summary(rule: str) -> str:
    """What a rule says of itself, if this version has it."""
    try:
        return rules.get(rule).summary
    except UsageError:
        return "a rule of wcnfgen"


def command(facts: Facts) -> str:
    """The command that makes the family again: in DIR, with published data from DATA."""
    given = any(each.file for each in data_sets(facts, facts.written))
    return f"{facts.about.command}{' --data DATA' * given} -o DIR"


def recipe(facts: Facts) -> str:
    """The name of the recipe that the family was made by; empty where it was made by a name."""
    words = shlex.split(facts.about.command)
    return PurePath(words[words.index("--config") + 1]).name if "--config" in words[:-1] else ""
