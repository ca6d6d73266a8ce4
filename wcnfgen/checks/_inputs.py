"""What a user may name: an instance, a folder of them, a family's folder, or an archive of either."""

from __future__ import annotations

import contextlib
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from lzma import LZMAError
from pathlib import Path
from typing import IO

from wcnfgen import leftovers
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.files import real

ARCHIVES = (".tar.gz", ".tgz", ".tar.xz", ".tar", ".zip")
DAMAGES = (  # what reading an archive comes to where it is none, cut short, or packed in a way of its own
    tarfile.TarError,
    zipfile.BadZipFile,
    EOFError,
    OSError,
    LZMAError,
    zlib.error,
    NotImplementedError,
    RuntimeError,
)
INSTANCES = tuple(f"{kind}{packed}" for kind in (".wcnf", ".cnf") for packed in ("", ".gz", ".xz"))


@dataclass(frozen=True, slots=True)
class Input:
    """An instance, and what it is called in findings."""

    path: Path
    name: str


class FamilyFolder(Input):
    """A family's folder."""


def inputs(path: Path, stack: contextlib.ExitStack, name: str = "") -> Iterator[Input]:
    """What there is to look at; archives are unpacked until the stack is closed.

    Raises UsageError where there is no such file or nothing to look at, FormatError for a damaged archive.
    """
    name = name or str(path)
    if not path.exists():
        raise UsageError(f"{name}: no such file")
    if not path.is_dir() and not path.name.endswith(ARCHIVES):
        yield Input(path, name)
        return
    root = path if path.is_dir() else _unpacked(path, stack)
    found = list(_inside(root, name))
    if not found:
        raise UsageError(f"{name}: no instance in it, no {', '.join(INSTANCES)}")
    yield from found


def _inside(root: Path, name: str) -> Iterator[Input]:
    """Families below a folder, itself included, and the instances that are in none."""
    families = [about.parent for about in sorted(root.rglob("family.json"))]
    for each in families:
        yield FamilyFolder(each, _below(name, each, root))
    for each in sorted(root.rglob("*")):
        if each.name.endswith(INSTANCES) and each.is_file() and not set(families) & set(each.parents):
            yield Input(each, _below(name, each, root))


def _below(name: str, path: Path, root: Path) -> str:
    return name.rstrip("/") if path == root else f"{name.rstrip('/')}/{path.relative_to(root).as_posix()}"


def _unpacked(archive: Path, stack: contextlib.ExitStack) -> Path:
    """The regular files of an archive, in a folder that goes away with the stack."""
    root = real(stack.enter_context(leftovers.folder()))
    held = _zipped if archive.name.endswith(".zip") else _tarred
    try:
        for name, stream in held(archive):
            target = real(root / name)
            if not target.is_relative_to(root):
                raise FormatError(f"{archive}: {name!r} leads out of the archive")
            if stream is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as out:
                    shutil.copyfileobj(stream, out, 1 << 20)
    except DAMAGES as error:
        raise FormatError(f"{archive}: cannot be unpacked: {error}") from error
    return root


def _tarred(archive: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    """The names in a tar archive and what is in those that are regular files."""
    with tarfile.open(archive) as packed:
        for member in packed:
            yield member.name, packed.extractfile(member) if member.isfile() else None


def _zipped(archive: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    """The same of a zip archive, in which a link is a file that holds where it leads."""
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            mode = member.external_attr >> 16
            regular = not member.is_dir() and stat.S_IFMT(mode) in (0, stat.S_IFREG)
            yield member.filename, packed.open(member) if regular else None
