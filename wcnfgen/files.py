"""Files that appear whole or not at all.

`atomic` writes to a temporary name in the same folder and renames it when all is well; after any
exception, Ctrl-C included, the temporary file is gone and what was there before is untouched.
Names that end in ``.gz`` or ``.xz`` are compressed, with no time stamp inside; ``-`` is the
standard output.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from wcnfgen.errors import WcnfgenError

BUFFER = 1 << 20


@contextlib.contextmanager
def atomic(path: str | os.PathLike[str] | None) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; None and ``-`` mean the standard output.

    Raises WcnfgenError, with the name of the file, where it cannot be written.
    """
    if path is None or os.fspath(path) == "-":
        widen(sys.stdout.buffer)
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():  # a device or a pipe: there is nothing to rename
        with _named(target), _compressed(target.name, open(target, "wb")) as out:  # noqa: PTH123
            yield out
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with _named(target):
            with _compressed(target.name, open(temporary, "wb")) as out:  # noqa: PTH123
                yield out
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def widen(out: BinaryIO) -> None:
    """Let a pipe hold a megabyte, where the system allows: a fast writer then waits for its reader less."""
    with contextlib.suppress(OSError, ValueError):
        if stat.S_ISFIFO(os.fstat(out.fileno()).st_mode):
            fcntl.fcntl(out.fileno(), fcntl.F_SETPIPE_SZ, BUFFER)


@contextlib.contextmanager
def _named(target: Path) -> Iterator[None]:
    """Turn the system's complaint about the file into ours."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WcnfgenError(f"{target}: cannot write: {error.strerror or error}") from error


@contextlib.contextmanager
def _compressed(name: str, raw: BinaryIO) -> Iterator[BinaryIO]:
    with raw:
        if name.endswith(".gz"):
            import gzip

            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as out:
                yield cast(BinaryIO, out)
        elif name.endswith(".xz"):
            import lzma

            with lzma.open(raw, "wb", preset=2) as out:
                yield cast(BinaryIO, out)
        else:
            yield raw


def open_read(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes, decompressed by what it begins with; ``-`` is the standard input.

    Raises WcnfgenError where it cannot be opened.
    """
    if os.fspath(path) == "-":
        return sys.stdin.buffer
    try:
        magic = b""
        if Path(path).is_file():  # a pipe can be read but once
            with Path(path).open("rb") as raw:
                magic = raw.read(6)
        if magic[:2] == b"\x1f\x8b":
            import gzip

            return cast(BinaryIO, gzip.open(path, "rb"))
        if magic == b"\xfd7zXZ\x00":
            import lzma

            return cast(BinaryIO, lzma.open(path, "rb"))
        return Path(path).open("rb")
    except OSError as error:
        raise WcnfgenError(f"{path}: cannot read: {error.strerror or error}") from error
