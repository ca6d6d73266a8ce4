"""Rules on files that are given, and so submitted, together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wcnfgen import identity
from wcnfgen.checks._formula import Size
from wcnfgen.checks._rule import Hit, rule
from wcnfgen.checks.names import plain
from wcnfgen.errors import FormatError


@dataclass(frozen=True, slots=True)
class Member:
    """A file that was looked at: its name in findings, and the SHA-256 and the bytes of its text, unpacked.

    size is None if it could not be read, variables then 0.  command is what its comments say that it was
    written by, identity that of `wcnfgen.identity` if it is known, and wrong_model what is wrong with the
    model that a family has for it; else empty.
    """

    path: Path
    name: str
    sha256: str
    size: Size | None
    bytes: int = 0
    variables: int = 0
    command: str = ""
    identity: str = ""
    wrong_model: str = ""


@dataclass(frozen=True, slots=True)
class Together:
    """Files of one submission."""

    members: tuple[Member, ...]


def _classes(members: Sequence[Member], key: Callable[[Member], Hashable]) -> Iterator[list[Member]]:
    """Groups of several with an equal key; None is equal to nothing."""
    groups = defaultdict(list)
    for each in members:
        if (value := key(each)) is not None:
            groups[value].append(each)
    yield from (group for group in groups.values() if len(group) > 1)


@rule(Together, "error")
def same_name(together: Together) -> Iterator[Hit]:
    """Names are unique over a submission, whatever folders the files are in and however they are
    compressed: only the name survives in the Evaluation's tables (as `...adaboost_3.wcnf.gz.1.gz` did in
    2021)."""
    for group in _classes(together.members, lambda member: plain(member.path.name)):
        for each in group[1:]:
            yield Hit(
                f"the name of {group[0].name} as well: one of them is lost or renamed; "
                "put the data set and every parameter into it",
                file=each.name,
            )


@rule(Together, "warning")
def same_name_but_for_case(together: Together) -> Iterator[Hit]:
    """Names differ in more than capitals: some file systems do not tell them apart."""
    for group in _classes(together.members, lambda member: plain(member.path.name).casefold()):
        names = {plain(each.path.name): each for each in reversed(group)}
        first, *others = reversed(names.values())
        for each in others:
            yield Hit(
                f"the name of {first.name} but for capitals: some file systems mix them up", file=each.name
            )


@rule(Together, "error")
def duplicate(together: Together) -> Iterator[Hit]:
    """No two instances are the same formula up to renaming of variables and the order of clauses and
    literals."""
    for alike in _classes(together.members, lambda member: member.size):
        equal = (group for similar in _classes(alike, _identity) for group in _classes(similar, _finer))
        for group in equal:
            for each in group[1:]:
                yield Hit(
                    f"the formula of {group[0].name}, up to names and order; submit one of them",
                    file=each.name,
                )


def _identity(member: Member) -> str | None:
    try:
        return member.identity or identity.of(member.path)
    except FormatError:
        return None


def _finer(member: Member) -> str:
    return identity.finer(member.path)
