"""The submission: one archive, ``NAME.tar.gz``, with a folder of the same name.

It holds the instances that were chosen, or all that were written where nobody chose, with their models
and lines of the manifest, and the description, instructions, chains and generated data of the family.
The name of a SAT family ends with ``-sat``, since no MaxSAT Evaluation takes it, of a crafted one with
``-crafted``.

What goes in is what the manifest says: each instance is held against its SHA-256 on the way.  The same
files give the same bytes: members are sorted and have neither owner nor time.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wcnfgen.bundle import facts, manifest, models
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, safe

TEXTS = ("description.tex", "description.pdf", "references.bib", "REPRODUCE.md", "family.json")
FOLDERS = ("chains", "data", "plots")  # go in as they are
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._+-]*/)*[A-Za-z0-9][A-Za-z0-9._+-]*")


def pack(folder: Folder) -> Path:
    """Write the archive, whole or not at all; returns its path.

    Raises UsageError where this is no family's folder, FormatError where an instance is missing, is not
    what the manifest says or has an unsafe name, WcnfgenError where the archive cannot be written.
    """
    found = facts.read(folder)
    top = name(found)
    members = sorted(_members(found))
    lines = manifest.text(found.submitted).encode("utf-8")
    target = folder.path / f"{top}.tar.gz"
    with atomic(target) as out, tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, f"{top}/manifest.csv", len(lines), io.BytesIO(lines))
        for inside, path, sha256 in members:
            with path.open("rb") as stream:
                digest = _add(archive, f"{top}/{inside}", path.stat().st_size, stream)
            if sha256 not in ("", digest):
                raise FormatError(f"{path}: has another SHA-256 than manifest.csv says; {_AGAIN}")
    return target


_AGAIN = "`wcnfgen family` with the same options writes it again"


def name(found: Facts) -> str:
    """The name of the archive, without its ending, and of the folder in it."""
    family = found.about.family
    return (
        (safe(found.about.name).lstrip(".-") or "family")
        + "-sat" * (family.track == "sat")
        + "-crafted" * family.crafted
    )


def _members(found: Facts) -> Iterator[tuple[str, Path, str]]:
    """What goes in: its name inside, where it is, and the SHA-256 that it must have, if any."""
    folder = found.folder
    for row in found.submitted:
        yield _there(folder, row.file, row.file_sha256)
        model = models.place(folder.models, row.name)
        if model.is_file():
            yield _there(folder, model.relative_to(folder.path).as_posix())
    for text in TEXTS:
        if (folder.path / text).is_file():
            yield _there(folder, text)
    for path in (path for each in FOLDERS for path in (folder.path / each).rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield _there(folder, path.relative_to(folder.path).as_posix())


def _there(folder: Folder, inside: str, sha256: str = "") -> tuple[str, Path, str]:
    if not _NAME.fullmatch(inside):
        raise FormatError(
            f"{folder.path}: {inside!r} cannot go into an archive; names are of A-Z a-z 0-9 . _ + -"
        )
    if not (folder.path / inside).is_file():
        raise FormatError(f"{folder.manifest}: {inside} is not there; {_AGAIN}")
    return inside, folder.path / inside, sha256


def _add(archive: tarfile.TarFile, inside: str, size: int, stream: BinaryIO) -> str:
    """Add a member that is read once, a piece at a time; returns its SHA-256."""
    member = tarfile.TarInfo(inside)  # no owner, time 0
    member.size, member.mode = size, 0o644
    hashed = _Hashed(stream)
    archive.addfile(member, hashed)
    return hashed.digest.hexdigest()


class _Hashed(io.RawIOBase):
    """A stream that hashes what is read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes."""
        data = self._stream.read(size)
        self.digest.update(data)
        return data
