"""REPRODUCE.md: how to make the family again, and how to check what is there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wcnfgen.bundle import facts
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.provenance import OWN, UNKNOWN, DataSet, command, data_sets, recipe
from wcnfgen.files import atomic
from wcnfgen.words import count

UNPACK = {"xz": "xz -dc", "gz": "gzip -dc"}


def write(folder: Folder) -> None:
    """Write REPRODUCE.md, whole or not at all.

    Raises UsageError where this is no family's folder, FormatError for a damaged file.
    """
    with atomic(folder.path / "REPRODUCE.md") as out:
        out.write(text(facts.read(folder)).encode("utf-8"))


def text(found: Facts) -> str:
    """The instructions, as Markdown."""
    parts = (_all(found), _data(found), _chains(found), _one(found), _check(found), _calibrate(found))
    return "\n\n".join(part for part in parts if part) + "\n"


def _all(found: Facts) -> str:
    about, n = found.about, len(found.written)
    chosen = f", of which {len(found.submitted)} are submitted" if len(found.submitted) < n else ""
    return _paragraphs(
        f"# {_plain(about.family.title)}",
        f"{count(n, 'instance')} of the family `{about.name}`{chosen}. wcnfgen {about.wcnfgen} made them, "
        "and makes them again in the folder `DIR`, with the same text in each file:",
        _block(command(found)),
    )


def _data(found: Facts) -> str:
    sets = data_sets(found, found.written)
    if not sets:
        return ""
    parts = [
        _published([each for each in sets if each.file]),
        _own([each for each in sets if each.origin == OWN], recipe(found)),
        _unknown([each for each in sets if each.origin == UNKNOWN]),
    ]
    return _paragraphs(*filter(None, parts)) or "All data are generated; no files are needed."


def _published(sets: Sequence[DataSet]) -> str:
    """What has to be in DATA, if anything."""
    rows = [(each.name, each.file, each.sha256, _where(each)) for each in sets]
    lines = _table(("data set", "file", "SHA-256, unpacked", "published at"), rows)
    return _paragraphs("`DATA` is a folder with these data sets:", lines) if sets else ""


def _where(each: DataSet) -> str:
    return f"{each.url}; here is a copy with other bytes, with the submitters" if each.copy else each.url


def _own(sets: Sequence[DataSet], recipe: str) -> str:
    """What the submitters have, if anything."""
    said = f"The recipe `{recipe}` and its data files are needed. They are the submitters' own. The files are"
    lines = _table(("data set", "SHA-256, unpacked"), [(each.name, each.sha256) for each in sets])
    return _paragraphs(said, lines) if sets else ""


def _unknown(sets: Sequence[DataSet]) -> str:
    names = ", ".join(_plain(each.name) for each in sets)
    return f"It is not recorded where these data sets are from: {names}." if sets else ""


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, cells)) + " |" for cells in lines)


def _chains(found: Facts) -> str:
    if not found.folder.chains.is_dir():
        return ""
    return (
        "Weights of AdaBoost rounds follow from the trees of the rounds before. A solver found these within "
        "a limit on time, and another run of it may find others; so they are stored in `chains/`, and used "
        "where they are: copy that folder and `family.json` to `DIR` first."
    )


def _one(found: Facts) -> str:
    row = next((row for row in found.submitted if row.command), None)
    if row is None:
        return ""
    return _paragraphs(
        "## One instance alone",
        "The column `command` of `manifest.csv` writes an instance to the standard output, where its data "
        f"are (`data/` has what was generated, `chains/` weights). That of `{row.name}` is",
        _block(row.command),
    )


def _check(found: Facts) -> str:
    row = next(iter(found.submitted), None)
    if row is None:
        return ""
    lint = "wcnfgen lint --track sat instances/*" if row.format == "cnf" else "wcnfgen lint instances/*"
    unpack = UNPACK.get(row.file.rpartition(".")[2], "cat")
    return _paragraphs(
        "## Checks",
        "The column `sha256` is of the text of a formula, unpacked; `file_sha256` is of the file as it is. "
        "Versions of liblzma pack the same text into different bytes, so only the text of a file that was "
        "made again has to agree:",
        _block(f"{unpack} {row.file} | sha256sum"),
        "`models/` has the best solutions known. Their hard clauses, cost and rows are checked by",
        _block(f"wcnfgen verify {row.file} models/{row.name}.sol"),
        "and the rules for submissions by",
        _block(lint),
    )


def _calibrate(found: Facts) -> str:
    if not found.solvers:
        return ""
    wall = next((run.limits.wall_s for each in found.solvers if (run := found.run(each))), None)
    solvers = "".join(f" --solver {solver}" for solver in found.solvers)
    return _paragraphs(
        "## Difficulty",
        "Classes of difficulty depend on the machine. They are measured by",
        _block(f"wcnfgen calibrate DIR{solvers}" + (f" --wall {wall:g}" if wall else "")),
    )


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(parts)


def _block(command: str) -> str:
    """A command as a block of code, whose fence is longer than any in it."""
    fence = "`" * max([3, *(len(each) + 1 for each in re.findall(r"`{3,}", command))])
    return f"{fence}sh\n{command}\n{fence}"


def _plain(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    """Text in a cell of a table."""
    return _plain(text).replace("|", "\\|")
