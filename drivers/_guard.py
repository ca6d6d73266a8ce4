"""A driver that is killed with SIGKILL leaves no solver running: this starts and tells the guardian.

No process can outlive its own SIGKILL to clean up, and what the kernel offers (a signal at the parent's
death) only reaches the first child.  So a small process of its own waits for this one's end:
`_guardian`.  The first run starts it, through a shell that ends at once, so that it is a child of init
and the host's ``wait`` does not find it.  It holds none of our descriptors, ignores signals, has a
process group of its own (who kills ours, with SIGKILL, does not mean it) and ends with us.  It stays in
our session: to a driver around this one it is part of the run, and reaped with it.

All of this is best effort: where it cannot be had, runs go on without.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Mapping, Set
from contextlib import suppress
from pathlib import Path

from wcnfgen.drivers._processes import GUARDIAN, MARK

PROGRAM = Path(__file__).with_name("_guardian.py")
MOST = 400  # sessions to tell of: a line must fit into PIPE_BUF, or a reader may see half of it
PIPE, DRIVER = 3, 4  # the guardian's descriptors

_pipes: dict[int, int] = {}  # by process, since a fork inherits its parent's


class Guard:
    """Tells the guardian of a run, for as long as the context lasts."""

    def __init__(self, mark: str) -> None:
        self._mark = f"{MARK}={mark}"
        self._told: Set[int] | None = None
        self._pipe = _pipe()

    def __enter__(self) -> Guard:
        self.tell(frozenset())
        return self

    def __exit__(self, *_: object) -> None:
        self._write(self._mark, again=False)

    def tell(self, sessions: Set[int]) -> None:
        """These are the sessions of the run now."""
        if sessions != self._told:
            self._told = frozenset(sessions)
            self._write(" ".join([self._mark, "0", *map(str, sorted(sessions)[:MOST])]), again=True)

    def _write(self, line: str, *, again: bool) -> None:
        """Tell a line; again to another guardian if somebody has killed this one."""
        if self._pipe is None:
            return
        try:
            os.write(self._pipe, line.encode() + b"\n")
        except BrokenPipeError:
            _pipes.pop(os.getpid(), None)
            if again:
                self._pipe = _pipe()
                self._write(line, again=False)
        except OSError:
            pass


def _pipe() -> int | None:
    """Where this process tells its guardian, which is started if there is none yet."""
    own = os.getpid()
    if own not in _pipes:
        with suppress(OSError):
            _pipes[own] = _start()
    return _pipes.get(own)


def _start() -> int:
    """Start a guardian for this process."""
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    given = [_high(source), *_own_pidfd()]
    try:
        _spawn(dict(zip((PIPE, DRIVER), given, strict=False)))
    except OSError:
        os.close(sink)
        raise
    finally:
        for fd in given:
            os.close(fd)
    return sink


def _spawn(files: Mapping[int, int]) -> None:
    """Run the program in the background, with these descriptors only, and all signals blocked."""
    library = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    shell = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", '"$@" &', "sh", sys.executable, "-I", "-S", str(PROGRAM)],
        {GUARDIAN: "1", **library},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
            *((os.POSIX_SPAWN_DUP2, 0, fd) for fd in (1, 2)),
            *((os.POSIX_SPAWN_DUP2, fd, theirs) for theirs, fd in files.items()),
        ],
        setpgroup=0,
        setsigmask=signal.valid_signals(),
    )
    with suppress(ChildProcessError):
        os.waitpid(shell, 0)


def _own_pidfd() -> list[int]:
    with suppress(OSError):  # before Linux 5.3
        return [_high(os.pidfd_open(os.getpid()))]
    return []


def _high(fd: int) -> int:
    """The same under a number out of the way of those that the guardian gets."""
    high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return high
