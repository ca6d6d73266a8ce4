"""Where the data of a family come from: a rule of ours, a data set of the papers, or a user's own file.

The manifest has the name and the SHA-256 of each data set.  What lies in the family's ``data/`` was
generated; a file that the papers' table knows, by its bytes or else by its name, is published; the rest is
the submitters' own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wcnfgen.bundle.facts import Facts, natural
from wcnfgen.bundle.manifest import Row
from wcnfgen.errors import UsageError
from wcnfgen.files import safe
from wcnfgen.instances import datasets, rules
from wcnfgen.instances.datasets import PaperSet


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set, with the SHA-256 of its file, unpacked.

    rule    what the rule says of itself; empty where the data were not generated
    file    its place in a folder of the papers' data sets; empty for other data
    licence, url, cite   as published; empty for generated data, and where we do not know
    """

    name: str
    sha256: str
    rule: str = ""
    file: str = ""
    licence: str = ""
    url: str = ""
    cite: tuple[str, ...] = ()


def data_sets(facts: Facts, rows: Sequence[Row]) -> list[DataSet]:
    """The data sets of these instances, each once, in order of their names."""
    names = dict.fromkeys((row.data, row.data_sha256) for row in rows if row.data)
    return [_data_set(facts, *each) for each in sorted(names, key=lambda each: natural(each[0]))]


def _data_set(facts: Facts, name: str, sha256: str) -> DataSet:
    if (facts.folder.data / f"{safe(name)}.csv").is_file():
        return DataSet(name, sha256, rule=_rule(facts, name))
    known = _published(name, sha256)
    if known is None:
        return DataSet(name, sha256)
    return DataSet(name, sha256, "", known.file, known.licence, known.url, known.cite)


def command(facts: Facts) -> str:
    """The command that makes the family again: in DIR, with published and own data from DATA."""
    given = any(not each.rule for each in data_sets(facts, facts.written))
    return f"{facts.about.command}{' --data DATA' * given} -o DIR"


def _published(name: str, sha256: str) -> PaperSet | None:
    """The papers' data set of these bytes, or else of this name."""
    same = (known for known in map(datasets.get, datasets.names()) if known.sha256 == sha256)
    by_name = datasets.get(name) if name in datasets.names() else None
    return by_name if by_name and by_name.sha256 == sha256 else next(same, by_name)


def _rule(facts: Facts, name: str) -> str:
    """What the rule that made these data says of itself; the family may have its name, or the data set."""
    return next(_summaries(name, facts.about.name), "a rule of wcnfgen")


def _summaries(*names: str) -> Iterator[str]:
    for name in names:
        try:
            rule = datasets.get(name).rule if name in datasets.names() else name
            yield rules.get(rule or name).summary
        except UsageError:
            continue
