"""The instances that a campaign's patterns mean, each with a name of its own.

What is known of an instance is in the manifest of its family, and else in the file itself, which is read
once: facts are kept in ``facts.csv`` for as long as the file has the same size and times.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NoReturn

from wcnfgen.campaign import facts, tables
from wcnfgen.campaign.facts import Facts
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.places import NAME_LENGTH, Finder, Place
from wcnfgen.errors import FormatError, UsageError, WcnfgenError
from wcnfgen.files import real, safe, sha256
from wcnfgen.words import count
from wcnfgen.workers import cores, functions

log = logging.getLogger("wcnfgen")

FACTS = "facts.csv"
EVERY_S = 30.0  # between two notes on how far it is
LARGE_BYTES = 1 << 24  # as they are packed: then processes are started that read


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Facts):
    """The facts of a file as it was; stamp is what changes when it changes."""

    path: str
    stamp: str


# ---------------------------------------------------------------------------- facts


class Memory:
    """The facts of files that were read before, as long as they are the same."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FACTS
        self._seen: dict[str, Seen] = {}
        self._used: dict[str, Seen] = {}
        with contextlib.suppress(WcnfgenError):  # it is but a short cut
            self._seen = {each.path: each for each in tables.read(self._file, Seen)}

    def of(self, places: Sequence[Place]) -> Iterator[tuple[Place, Facts]]:
        """The facts of files, of which those are read that are new.  Raises FormatError where one is none."""
        asked = {os.path.realpath(place.file): (place, _stamp(place.file)) for place in places}
        old = {path for path, seen in self._seen.items() if path in asked and asked[path][1] == seen.stamp}
        for place, found in _all_read([place for path, (place, _) in asked.items() if path not in old]):
            path = os.path.realpath(place.file)
            known = {each.name: getattr(found, each.name) for each in fields(Facts)}
            self._seen[path] = Seen(path=path, stamp=asked[path][1], **known)
        for path, (place, _) in asked.items():
            self._used[path] = self._seen[path]
            yield place, self._used[path]

    def write(self) -> None:
        """Keep what was used."""
        tables.write(self._used.values(), Seen, self._file)


def _stamp(file: Path) -> str:
    try:
        found = file.stat()
    except OSError as error:
        raise FormatError(
            f"{file}: {error.strerror or error}; where it is of a family, make that again"
        ) from None
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def _all_read(places: Sequence[Place]) -> Iterator[tuple[Place, Facts]]:
    """Read files, several at a time if they are large, and say now and then how far that is."""
    large = sum(place.file.stat().st_size for place in places) > LARGE_BYTES
    noted = time.monotonic()
    read = functions.each(places, _read, len(cores.usable()) if large else 1, killed=_killed)
    for number, each in enumerate(read, 1):
        yield each
        if time.monotonic() - noted >= EVERY_S:
            noted = time.monotonic()
            log.info("%d of %d instances read", number, len(places))


def _killed(place: Place) -> NoReturn:
    raise WcnfgenError(f"{place.file}: the process that read it was killed, as for want of memory")


def _read(place: Place) -> Facts:
    """From the manifest if the file is the one that it lists, else from the file."""
    row = place.row
    if row is None or not row.file_sha256:
        return facts.of(place.file)
    digest = sha256(place.file)
    if digest != row.file_sha256:
        return facts.of(place.file)
    return Facts(
        sha256=digest,
        formula_sha256=row.sha256,
        format=row.format,
        variables=row.variables or 0,
        hard=row.hard or 0,
        soft=row.soft or 0,
        weight_sum=row.weight_sum or 0,
        weighted=(row.weight_distinct or 0) > 1,
        encoding=row.encoding,
        data=row.data,
    )


def _instance(place: Place, found: Facts, folder: Path) -> Instance:
    """All that is known of a file; what the family knows comes first."""
    row = place.row
    if row is not None and row.file_sha256 not in ("", found.sha256):
        raise FormatError(
            f"{place.file}: not the file that manifest.csv lists; `wcnfgen family` with the same options "
            "makes it again"
        )
    known: dict[str, Any] = {each.name: getattr(found, each.name) for each in fields(Facts)}
    if row is not None:
        best = row.witness_cost if row.best_cost is None else row.best_cost
        known |= {"least_cost": row.least_cost, "known_cost": best}
    return Instance(
        name=place.name,
        path=_path(place.file, folder),
        family=place.family,
        parameters=row.parameters if row else {},
        **known,
    )


def _path(file: Path, folder: Path) -> str:
    """Relative to the campaign's folder, of which each may be reached through links."""
    return os.path.relpath(real(file.parent) / file.name, real(folder))


# ---------------------------------------------------------------------------- instances


def instances(patterns: Iterable[str], folder: Path, *, selected: bool) -> tuple[list[Instance], Memory]:
    """The instances in the order of the patterns, and the facts to be kept.

    Raises UsageError where a pattern means nothing or two instances cannot be told apart by name, FormatError
    where a file is no instance.
    """
    memory = Memory(folder)
    found: dict[str, tuple[Place, Instance]] = {}
    twice = 0
    for place, known in memory.of(Finder(folder, selected=selected).places(patterns)):
        each = _instance(place, known, folder)
        if each.sha256 in found:
            twice += 1
        else:
            found[each.sha256] = place, each
    if twice:
        log.info("%s with the bytes of another one: each instance runs once", count(twice, "file"))
    return _named(list(found.values())), memory


def _named(found: list[tuple[Place, Instance]]) -> list[Instance]:
    """Those whose name others have, too, get the name of their folder before it."""
    names = Counter(each.name for _, each in found)
    named = [
        replace(each, name=f"{_folder(place)}-{each.name}"[-NAME_LENGTH:]) if names[each.name] > 1 else each
        for place, each in found
    ]
    taken: dict[str, Instance] = {}
    for each in named:
        if (other := taken.setdefault(each.name, each)) is not each:
            raise UsageError(
                f"two instances would be called {each.name}: rename one of {other.path} and {each.path}"
            )
    return named


def _folder(place: Place) -> str:
    """What tells it from another: its family, or its folder."""
    return place.family if place.row else safe(Path(os.path.realpath(place.file)).parent.name)
