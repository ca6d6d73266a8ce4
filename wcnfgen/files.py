"""Files that appear whole or not at all.

`atomic` writes to a temporary name in the same folder and renames it when all is well; after any
exception, Ctrl-C included, the temporary file is gone and what was there before is untouched.
Names that end in ``.gz`` or ``.xz`` are compressed, with no time stamp inside; ``-`` is the
standard output.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gzip
import hashlib
import io
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from wcnfgen.errors import UsageError, WcnfgenError

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
    named = Path(path)
    with _named(named):
        is_device = named.exists() and not named.is_file()
    if is_device:  # or a pipe: there is nothing to rename
        with _named(named), _compressed(named.name, named.open("wb")) as out:
            yield out
        return
    target = real(path)  # a link stays a link
    with _named(target):
        if target.is_symlink():  # in a circle
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    temporary = target.with_name(f".{_short(target.name)}.{secrets.token_hex(8)}.tmp")
    try:
        with _named(target):
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _mode(target))
            with _compressed(target.name, os.fdopen(handle, "wb")) as out:
                yield out
            temporary.replace(target)
    finally:
        with contextlib.suppress(OSError):  # it may not have come to be
            temporary.unlink()


def _short(name: str) -> str:
    """A name to which 30 bytes can be added."""
    return os.fsdecode(os.fsencode(name)[:220])


def safe(name: str, most: int = 80) -> str:
    """A file name that no shell and no solver's script trips over, of so many characters at most.

    >>> safe("a b;c.csv"), safe("")
    ('a_b_c.csv', 'data')
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)[:most] or "data"


def unused(stem: str, ending: str) -> Path:
    """Create an empty file of that name, numbered if there is one already."""
    numbers = chain([""], (f".{number}" for number in count(2)))
    return next(path for path in (Path(stem + number + ending) for number in numbers) if created(path))


def created(path: Path) -> bool:
    """Create an empty file; False if there is one.  Raises WcnfgenError where none can be written."""
    try:
        path.open("x").close()
    except FileExistsError:
        return False
    except OSError as error:
        raise WcnfgenError(f"{path}: cannot write: {error.strerror}; name another place") from error
    return True


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new one."""
    return stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666


def distinct(output: str | os.PathLike[str] | None, *others: str | os.PathLike[str] | None) -> None:
    """Refuse to write a file that is read, or written, at the same time.  Raises UsageError."""
    if output is None or os.fspath(output) == "-":
        return
    for other in others:
        if other is not None and os.path.realpath(output) == os.path.realpath(other):
            raise UsageError(f"{output} would be overwritten while it is in use; name another file")


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
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as out:
                yield cast(BinaryIO, out)
        elif name.endswith(".xz"):
            import lzma

            with lzma.open(raw, "wb", preset=2) as out:
                yield cast(BinaryIO, out)
        else:
            yield raw


class Torn(io.RawIOBase):
    """A gzip stream that may have lost its end, as the log of a driver that was killed: what there is."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._unpacker = zlib.decompressobj(wbits=31)

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a part of the buffer; 0 at the end."""
        while True:
            if self._unpacker.eof:  # another member may follow
                rest, self._unpacker = self._unpacker.unused_data, zlib.decompressobj(wbits=31)
            else:
                rest = self._unpacker.unconsumed_tail
            piece = rest or self._packed.read(1 << 16)
            data = self._unpacker.decompress(piece, len(target))
            if data or not piece:
                target[: len(data)] = data
                return len(data)


class _Unpacked(io.BufferedReader):
    """What a compressed file holds; to close it closes the file."""

    def __init__(self, unpacked: Any, packed: BinaryIO) -> None:
        super().__init__(unpacked, BUFFER)
        self._packed = packed

    def close(self) -> None:
        """Close the file, too."""
        super().close()
        self._packed.close()


def real(path: str | os.PathLike[str]) -> Path:
    """The path without links.  One in a circle stays, so that it is the system that refuses to open it."""
    return Path(os.path.realpath(path))


def sha256(path: Path) -> str:
    """The SHA-256 of a file as it is on disk.  Raises WcnfgenError where it cannot be read."""
    try:
        with open_raw(path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise WcnfgenError(f"{path}: cannot read: {error.strerror or error}") from error


def packing(head: bytes) -> Literal["", ".gz", ".xz"]:
    """How a file is compressed that begins with these bytes, six or more."""
    if head.startswith(b"\x1f\x8b"):
        return ".gz"
    return ".xz" if head.startswith(b"\xfd7zXZ\x00") else ""


def open_read(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes, decompressed by what it begins with; ``-`` is the standard input.

    It is opened once, so that it may be a pipe.  Raises WcnfgenError where it cannot be opened.
    """
    return _open(path, lambda packed: gzip.GzipFile(fileobj=packed))


def open_log(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a solver's output for reading bytes, as `open_read`; a .gz need not be whole.

    Raises WcnfgenError where it cannot be opened.
    """
    return _open(path, Torn)


def check_read(path: str | os.PathLike[str]) -> None:
    """Fail now where a file cannot be read later; a pipe is left alone, as it can be read but once.

    Raises WcnfgenError.
    """
    with contextlib.suppress(OSError):
        if os.fspath(path) == "-" or Path(path).is_fifo():
            return
    open_read(path).close()


def open_raw(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file for reading its bytes as they are.  Raises OSError; WcnfgenError where it has no end."""
    if "\0" in os.fspath(path):
        raise WcnfgenError(f"{path}: cannot read: no file's name holds a NUL")
    raw = Path(path).open("rb")  # noqa: SIM115 - for the caller
    if _is_endless(raw):
        raw.close()
        raise WcnfgenError(f"{path}: cannot read: it is a device; name a file")
    return raw


def _is_endless(raw: BinaryIO) -> bool:
    """Whether it is a device that is neither a terminal nor the empty one."""
    found = os.fstat(raw.fileno())
    if stat.S_ISCHR(found.st_mode):
        return found.st_rdev != Path(os.devnull).stat().st_rdev and not raw.isatty()
    return stat.S_ISBLK(found.st_mode)


def _open(path: str | os.PathLike[str], gunzip: Callable[[BinaryIO], Any]) -> BinaryIO:
    if os.fspath(path) == "-":
        return sys.stdin.buffer
    try:
        raw = open_raw(path)
        try:
            packed = packing(raw.peek(6))
        except BaseException:
            raw.close()
            raise
    except OSError as error:
        raise WcnfgenError(f"{path}: cannot read: {error.strerror or error}") from error
    if packed == ".gz":
        return _Unpacked(gunzip(raw), raw)
    if packed == ".xz":
        import lzma

        return _Unpacked(lzma.LZMAFile(raw), raw)
    return raw
