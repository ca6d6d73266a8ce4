"""Rules on the name of a file: organisers' scripts and other people's tools go by it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.checks._rule import Hit, Track, rule
from wcnfgen.files import packing

LONGEST = 200  # characters; file systems take 255, and logs are named after instances
ENDINGS = {"maxsat": ".wcnf", "sat": ".cnf"}


@dataclass(frozen=True, slots=True)
class Name:
    """The last part of a path."""

    path: Path
    track: Track

    @property
    def text(self) -> str:
        """As it is."""
        return self.path.name

    @property
    def packed(self) -> str:
        """How its ending says that it is compressed."""
        return next((each for each in (".gz", ".xz") if self.text.endswith(each)), "")


def plain(name: str) -> str:
    """A name without its endings: what it is called whatever becomes of the file.

    >>> plain("zoo-ub7.wcnf.xz")
    'zoo-ub7'
    """
    return re.sub(r"\.w?cnf(\.gz|\.xz)?$", "", name)


@rule(Name, "error")
def name_characters(name: Name) -> Iterator[Hit]:
    """Names are made of letters, digits, dot, underscore and dash: the scripts that take submissions split
    them at blanks and semicolons (maxsat-evaluations/data, scripts/add-submission)."""
    if odd := sorted(set(re.sub(r"[A-Za-z0-9._-]", "", name.text))):
        shown = ", ".join(repr(each) for each in odd)
        yield Hit(
            f"{shown} in the name: the Evaluation's scripts take it apart; use letters, digits, '.', '_', '-'"
        )


@rule(Name, "error")
def name_start(name: Name) -> Iterator[Hit]:
    """A name begins with no dot, as files that do are passed over (maxsat-evaluations/data,
    scripts/add-submission), and with no dash, which programs take for an option."""
    if name.text[:1] in (".", "-"):
        what = "is passed over as hidden" if name.text[0] == "." else "is taken for an option by programs"
        yield Hit(f"a name that begins with {name.text[0]!r} {what}; begin with the domain")


@rule(Name, "error")
def name_ending(name: Name) -> Iterator[Hit]:
    """Names end in .wcnf, .wcnf.gz or .wcnf.xz (maxsat-evaluations/data, scripts/add-submission); for the SAT
    Competition, in .cnf, .cnf.gz or .cnf.xz."""
    ending = ENDINGS[name.track]
    if not name.text.endswith(ending + name.packed):
        yield Hit(f"not taken: the name has to end in {ending}, {ending}.gz or {ending}.xz")


@rule(Name, "warning")
def name_length(name: Name) -> Iterator[Hit]:
    """Names leave room for what others append: file systems take 255 characters, and logs, proofs and
    temporary files of an instance have its name in theirs."""
    if len(name.text) > LONGEST:
        yield Hit(f"a name of {len(name.text)} characters leaves no room for endings; use up to {LONGEST}")


@rule(Name, "error")
def compression(name: Name) -> Iterator[Hit]:
    """A file is compressed as its name says: scripts and solvers choose the program that unpacks it by the
    ending (gunzip in 2021, xz since 2022)."""
    if not name.path.is_file():  # a pipe can be read but once
        return
    try:
        with name.path.open("rb") as stream:
            found = packing(stream.read(6))
    except OSError:
        return
    if found != name.packed:
        says, holds = name.packed or "not compressed", found or "not compressed"
        yield Hit(
            f"the name says {says}, the content is {holds}: nothing can unpack it; rename or compress it"
        )
