"""What runs a command under limits: our drivers, and programs that others wrote for it.

All are told the same, each in its own words: a limit that a program does not know is not told.  Each runs
either here, as a function that returns when the run is over, or in a process of its own, which can be killed
and whose CPU time is its own plus that of the run.  The peers are run as commands, which is what they are.

What happens to a run is seen from outside, the same for all: every process of a run holds the writing end of
a FIFO, so its first byte says that the run has begun, its end says when the last process was gone, and who
still holds it is a survivor.
"""

from __future__ import annotations

import gzip
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, NoReturn, cast

from wcnfgen import drivers
from wcnfgen.drivers import NO_LIMITS, Limits, LineBuffer
from wcnfgen.output import Answer, Parser, parse, pieces

Skill = Literal["wall", "grace", "cpu", "memory"]


class Runner:
    """Runs a command in a folder; what it prints goes to a file there."""

    name: str
    skills: frozenset[Skill] = frozenset()

    def run(self, command: Sequence[str], limits: Limits, folder: Path, *, buffer: LineBuffer) -> None:
        """Until it is over."""
        raise NotImplementedError

    def become(self, command: Sequence[str], limits: Limits, folder: Path) -> None:
        """The same, and this process need not be the same afterwards."""
        raise NotImplementedError

    def answer(self, folder: Path) -> Answer:
        """What the last run in that folder printed."""
        raise NotImplementedError

    def start(self, command: Sequence[str], limits: Limits, folder: Path) -> int:
        """The number of the process in which the runner works."""
        sys.stdout.flush()
        pid = os.fork()
        return pid or self._child(command, limits, folder)

    def _child(self, command: Sequence[str], limits: Limits, folder: Path) -> NoReturn:
        try:
            self.become(command, limits, folder)
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(0)


class Ours(Runner):
    """A driver, used as `wcnfgen solve --log out.gz` uses it: every line is parsed, all is kept."""

    skills: frozenset[Skill] = frozenset(("wall", "grace", "cpu", "memory"))

    def __init__(self, name: str) -> None:
        self.name = name
        self._driver = drivers.get(name)

    def run(
        self, command: Sequence[str], limits: Limits, folder: Path, *, buffer: LineBuffer = "none"
    ) -> None:
        out, err = folder / "out.gz", folder / "err"
        feed = Parser().feed
        self._driver(command, limits, stdout=out, stderr=err, cwd=folder, line_buffer=buffer, on_text=feed)

    def become(self, command: Sequence[str], limits: Limits, folder: Path) -> None:
        self.run(command, limits, folder)

    def answer(self, folder: Path) -> Answer:
        with gzip.open(folder / "out.gz") as stream:
            return parse(pieces(cast(BinaryIO, stream)))


@dataclass(frozen=True)
class Peer(Runner):
    """A program that executes its last arguments, after words of its own.

    writes: it puts what the command prints into the file ``out`` by itself.
    """

    name: str
    words: Callable[[Limits], list[str]]
    skills: frozenset[Skill] = frozenset()
    writes: bool = False

    def run(
        self, command: Sequence[str], limits: Limits, folder: Path, *, buffer: LineBuffer = "none"
    ) -> None:
        with self._sink(folder).open("wb") as sink:
            subprocess.run(
                [*self.words(limits), *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.DEVNULL,
                check=False,
            )

    def become(self, command: Sequence[str], limits: Limits, folder: Path) -> None:
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        for fd, target in enumerate((null, os.open(self._sink(folder), os.O_WRONLY | os.O_CREAT), null)):
            os.dup2(target, fd)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        words = [*self.words(limits), *command]
        os.execvp(words[0], words)

    def answer(self, folder: Path) -> Answer:
        with (folder / "out").open("rb") as stream:
            return parse(pieces(stream))

    def _sink(self, folder: Path) -> Path:
        return Path(os.devnull) if self.writes else folder / "out"


def _told(option: str, value: float | None, unit: str = "") -> list[str]:
    """An option with a whole number; nothing where there is no limit."""
    return [] if value is None or value == math.inf else [option, f"{math.ceil(value)}{unit}"]


def _timeout(limits: Limits) -> list[str]:
    return ["timeout", f"--kill-after={limits.grace_s}", str(limits.wall_s or 0)]


def _runsolver(limits: Limits) -> list[str]:
    """Its limits are whole numbers; it stops by SIGTERM, then SIGKILL after a delay."""
    time = [*_told("-W", limits.wall_s), *_told("-C", limits.cpu_s), *_told("-d", limits.grace_s)]
    return ["runsolver", "-w", os.devnull, "-o", "out", *time, *_told("--rss-swap-limit", limits.hard_mib)]


def _runexec(limits: Limits) -> list[str]:
    """It stops by SIGKILL but at the CPU limit; containers cannot be had everywhere."""
    cpu = [*_told("--softtimelimit", limits.cpu_s)]
    if limits.cpu_s is not None:
        cpu += _told("--timelimit", limits.cpu_s + limits.grace_s)
    rest = [*_told("--walltimelimit", limits.wall_s), *_told("--memlimit", limits.hard_mib * 2**20, "B")]
    return ["runexec", "--quiet", "--no-container", "--output", "out", *cpu, *rest, "--"]


BARE = Peer("bare", lambda _: [])
NULL = Peer("null", lambda _: ["sh", "-c", 'exec "$@" > /dev/null', "sh"])
CAT = Peer("cat", lambda _: ["sh", "-c", '"$@" | cat > /dev/null', "sh"])
PEERS = (
    Peer("timeout", _timeout, frozenset(("wall", "grace"))),
    Peer("runsolver", _runsolver, frozenset(("wall", "grace", "cpu", "memory")), writes=True),
    Peer("runexec itself", _runexec, frozenset(("wall", "cpu", "memory")), writes=True),
)


def ours() -> list[Runner]:
    """The drivers that can be used on this machine, `local` first."""
    return [Ours(name) for name in sorted(drivers.available(), key=lambda name: name != "local")]


def peers() -> list[Runner]:
    """The programs that are installed."""
    return [peer for peer in PEERS if shutil.which(peer.words(NO_LIMITS)[0])]


# ---------------------------------------------------------------------------- what is run

OBEYS = ["sh", "-c", 'exec 9> "$0"; echo >&9; exec sleep 1000']
DEAF = ["sh", "-c", 'trap "" TERM; exec 9> "$0"; echo >&9; exec sleep 1000']
# a plain child, one in a session of its own, an orphan, a daemon, and one without environment
FAMILY = [
    "sh",
    "-c",
    """
trap "" TERM; exec 9> "$0"
sleep 1000 & setsid sleep 1000 & (sleep 1000 &); (setsid sleep 1000 &); env -i setsid sleep 1000 &
echo >&9; exec sleep 1000
""",
]
MEMBERS = 6
PROLOGUE = "import os, signal, sys, time; fifo = os.dup2(os.open(sys.argv[-1], os.O_WRONLY), 9)\n"
BURN = """
def stop(*_):
    os.write(fifo, b"%f" % time.process_time())
    os._exit(0)

signal.signal(signal.SIGTERM, stop)
while True:
    pass
"""
# a MiB each, told by a byte each
EAT = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
block, held = b"x" * 2**20, []
with open("/proc/self/statm") as sizes:
    os.write(fifo, b"." * (int(sizes.read().split()[1]) * 4096 >> 20))
began = time.monotonic()
while len(held) < 5000:
    if len(held) * 2**20 < 1e9 * (time.monotonic() - began):
        held.append(bytearray(block))
        os.write(fifo, b".")
    else:
        time.sleep(0.001)
"""
# each line in a write of its own, as solvers do that flush; in the end, how long it took, wall and CPU
FLOOD = """
lines, rate = int(sys.argv[1]), float(sys.argv[2])
said, began = [b"o %d\\n" % i for i in range(lines, 0, -1)], time.monotonic()
for first in range(0, lines, 300):
    time.sleep(max(0, first / rate - (time.monotonic() - began)))
    for line in said[first : first + 300]:
        os.write(1, line)
os.write(fifo, b"%f %f" % (time.monotonic() - began, time.process_time()))
"""


def python(code: str, *arguments: float) -> list[str]:
    """A program that gets these arguments, and the FIFO as the last one."""
    return [sys.executable, "-S", "-c", PROLOGUE + code, *map(str, arguments)]


# ---------------------------------------------------------------------------- one run, seen from outside


@dataclass
class Trial:
    """One run.

    signs is what came through the FIFO and when, closed_s when it closed; left holds it a second after the
    end of the runner, which used cpu_s together with all that it has waited for.
    """

    signs: list[tuple[float, bytes]] = field(default_factory=list)
    closed_s: float | None = None
    cpu_s: float | None = None
    left: list[int] = field(default_factory=list)

    @property
    def lasted_s(self) -> float:
        """From the first sign to the end of the last process."""
        return (self.closed_s or time.monotonic()) - self.signs[0][0]

    @property
    def text(self) -> bytes:
        """All that came."""
        return b"".join(data for _, data in self.signs)


def trial(
    runner: Runner,
    program: Sequence[str],
    limits: Limits = NO_LIMITS,
    then: Callable[[int, Path], object] = lambda pid, fifo: None,
) -> Trial:
    """Let a runner run a program; `then` is called at the first sign of it."""
    with tempfile.TemporaryDirectory() as name:
        fifo = Path(name) / "fifo"
        os.mkfifo(fifo)
        source = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        pid = runner.start([*program, str(fifo)], limits, Path(name))
        seen = _watch(source, pid, partial(then, pid, fifo))
        seen.left = holders(fifo, pid)
        for left in seen.left:
            os.kill(left, signal.SIGKILL)
        os.close(source)
    if not seen.signs:
        raise SystemExit(f"{runner.name} did not run {' '.join(program)}")
    return seen


def _watch(source: int, pid: int, then: Callable[[], object]) -> Trial:
    """Until the FIFO is closed and the runner has ended, or a second after that."""
    seen, deadline = Trial(), float("inf")
    end = os.pidfd_open(pid)
    events = select.poll()
    events.register(source, select.POLLIN)
    events.register(end, select.POLLIN)
    while (seen.closed_s is None or seen.cpu_s is None) and time.monotonic() < deadline:
        for fd, _ in events.poll(50):
            now = time.monotonic()
            if fd == end:
                usage = os.wait4(pid, 0)[2]
                seen.cpu_s, deadline = usage.ru_utime + usage.ru_stime, now + 1
            elif data := os.read(source, 1 << 16):
                seen.signs.append((now, data))
                if len(seen.signs) == 1:
                    then()
                continue
            else:
                seen.closed_s = now
            events.unregister(fd)
    os.close(end)
    return seen


def holders(fifo: Path, runner: int) -> list[int]:
    """The processes of a run, which hold the FIFO as descriptor 9; the runner and we may do so, too."""
    links = Path("/proc").glob("[0-9]*/fd/9")
    found = {int(link.parts[2]) for link in links if _target(link) == str(fifo)}
    return sorted(found - {runner, os.getpid()})


def _target(link: Path) -> str:
    """Where a link leads; empty if it is gone."""
    try:
        return os.readlink(link)  # noqa: PTH115 - a deleted file has another name
    except OSError:
        return ""
