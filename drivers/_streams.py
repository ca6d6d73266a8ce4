"""The descriptors of a run: log files, lines, and the signals that this process gets.

A log is written as output comes.  A packed one holds back up to a block; a flush makes all of it
readable, at the price of a few bytes, so it is done when output pauses, or every half second.  Such a
file without its end is what is left after SIGKILL: ``gzip -dc`` prints all that it holds and then
complains.
"""

from __future__ import annotations

import os
import signal
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from wcnfgen.drivers import LINE_BYTES, OnText
from wcnfgen.errors import SolverError

PAUSE_S, FLUSH_S = 0.1, 0.5


class Log:
    """A file to which one or both outputs of a run go; None: nowhere.

    Raises SolverError if the file cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._packer = zlib.compressobj(1, wbits=31) if path and path.suffix == ".gz" else None
        self._written_s = 0.0
        self._unflushed_s: float | None = None  # since when there has been something to flush
        with self._named():
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
            self._file = None if path is None else os.open(path, flags, 0o666)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is None:
            return
        try:
            if self._packer is not None:
                self._put(self._packer.flush())
        finally:
            os.close(self._file)

    def write(self, seconds: float, data: bytes) -> None:
        """Write at once, as far as packing allows."""
        if self._packer is None:
            self._put(data)
            return
        self._put(self._packer.compress(data))
        self._written_s = seconds
        if self._unflushed_s is None:
            self._unflushed_s = seconds

    def flush(self, seconds: float) -> None:
        """Let what has been packed be read, if it is time."""
        if self._unflushed_s is None or self._packer is None:
            return
        if seconds >= min(self._written_s + PAUSE_S, self._unflushed_s + FLUSH_S):
            self._put(self._packer.flush(zlib.Z_SYNC_FLUSH))
            self._unflushed_s = None

    def _put(self, data: bytes) -> None:
        if self._file is None:
            return
        with self._named():
            while data:
                data = data[os.write(self._file, data) :]

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SolverError(f"cannot write the log {self._path}: {error.strerror}") from error


@contextmanager
def logs(stdout: Path | None, stderr: Path | None) -> Iterator[tuple[Log, Log]]:
    """The logs of both outputs, one if it is the same file."""
    with Log(stdout) as out:
        if stdout is not None and stdout == stderr:
            yield out, out
        else:
            with Log(stderr) as err:
                yield out, err


class Lines:
    """Cuts pieces of output at line ends, keeping at most one unfinished line of LINE_BYTES."""

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._unfinished = bytearray()
        self._too_long = False

    def feed(self, seconds: float, piece: bytes) -> None:
        """Hand over the lines that the piece, itself of at most LINE_BYTES, completes."""
        if self._too_long or len(self._unfinished) + len(piece) > LINE_BYTES:
            piece = self._finish_first(seconds, piece)
        end = piece.rfind(b"\n") + 1
        if end:
            text = piece[:end]
            if self._unfinished:
                text = bytes(self._unfinished) + text
                self._unfinished = bytearray()
            self._on_text(seconds, text)
        self._keep(piece[end:])

    def end(self, seconds: float) -> None:
        """Hand over what was kept, unless it is too long."""
        text, self._unfinished = bytes(self._unfinished), bytearray()
        if text and not self._too_long:
            self._on_text(seconds, text)
        self._too_long = False

    def _finish_first(self, seconds: float, piece: bytes) -> bytes:
        """Settle the unfinished line by itself; the rest of the piece, if it ends there."""
        first = piece.find(b"\n") + 1
        self._keep(piece[:first] if first else piece)
        if first:
            self.end(seconds)
        return piece[first:] if first else b""

    def _keep(self, piece: bytes) -> None:
        self._too_long |= len(self._unfinished) + len(piece) > LINE_BYTES
        if self._too_long:
            self._unfinished = bytearray()
        else:
            self._unfinished += piece


@contextmanager
def signals() -> Iterator[int | None]:
    """A descriptor from which each SIGINT, SIGTERM or SIGHUP to this process can be read as a byte.

    Only the main thread can have it, others get None.  A signal that the process ignores stays ignored
    (nohup); one that nobody has read is delivered to the handler before, at the end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    source, sink = os.pipe()
    os.set_blocking(source, False)
    os.set_blocking(sink, False)

    def note(number: int, frame: FrameType | None) -> None:
        with suppress(BlockingIOError):
            os.write(sink, bytes([number]))

    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {s: h for s in wanted if (h := signal.getsignal(s)) not in (signal.SIG_IGN, None)}
    for one in before:
        signal.signal(one, note)
    try:
        yield source
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        unread = b""
        with suppress(BlockingIOError):
            unread = os.read(source, 1)
        os.close(source)
        os.close(sink)
        if unread:
            signal.raise_signal(unread[0])
