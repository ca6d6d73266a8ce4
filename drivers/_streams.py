"""The descriptors of a run: log files, lines, and the signals that this process gets."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from wcnfgen.drivers import LINE_BYTES, OnLine
from wcnfgen.errors import SolverError

Write = Callable[[bytes], None]


@contextmanager
def log(path: Path) -> Iterator[Write]:
    """A function that writes to the file at once; both outputs of a run may go to the same file.

    Raises SolverError if the file cannot be written.
    """

    def write(data: bytes) -> None:
        try:
            while data:
                data = data[os.write(file, data) :]
        except OSError as error:
            raise _unwritable(path, error) from error

    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield write
    finally:
        os.close(file)


def _unwritable(path: Path, error: OSError) -> SolverError:
    return SolverError(f"cannot write the log {path}: {error.strerror}")


class Lines:
    """Cuts pieces of output into lines, keeping at most one unfinished line of LINE_BYTES."""

    def __init__(self, on_line: OnLine) -> None:
        self._on_line = on_line
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, seconds: float, piece: bytes) -> None:
        """Hand over each line that the piece completes."""
        head, newline, tail = piece.partition(b"\n")
        self._keep(head + newline)
        if newline:
            self.end(seconds)
            *lines, rest = tail.split(b"\n")
            for line in lines:
                self._on_line(seconds, line + b"\n")
            self._keep(rest)

    def end(self, seconds: float) -> None:
        """Hand over what was kept, unless it is too long."""
        if 0 < self._size <= LINE_BYTES:
            self._on_line(seconds, b"".join(self._pieces))
        self._pieces, self._size = [], 0

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= LINE_BYTES:
            self._pieces.append(piece)
        else:
            self._pieces.clear()


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
