"""Runs a command under BenchExec's ``runexec``, where that is installed and finds its control groups.

BenchExec is what many evaluations measure with.  CPU time and peak memory (of the whole group, pages of
files included) are its figures, and it enforces the hard limit on memory.  All else it would do in ways
that cost the model: its only answer to the wall limit is SIGKILL, what the command leaves behind dies
at once, and both outputs go to one file.  So it is not asked to: ::

    this process
      +- sh, with our pipes as its outputs until the command has them
      |    +- runexec
      |         +- sh, which starts the command and waits until we say that all is over
      +- the command, an orphan that we adopt (`_processes`), in a session of its own

All that is in runexec's group, but the limits, the stop, the output and the exit code are those of
`local`, to the letter.  ``setsid`` and ``env`` come before the command; the latter undoes what runexec and
shells do to signals and the environment.  Runs are not in a container, where the command would see other
files and other numbers of processes.

A run takes some 0.4 s longer than in `local`, before and after the time that it is measured.  The shell
and what starts the command count, with a few milliseconds and about a megabyte.

The mark of the run is hidden from all but the command, so that a guardian (`_guard`) lets runexec live:
when this process is killed with SIGKILL, the pipe on which the inner shell waits ends, and runexec removes
its groups and ends, too.
"""

from __future__ import annotations

import logging
import math
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from wcnfgen.drivers import NO_LIMITS, Limits, LineBuffer, OnText, Run, ignore, local
from wcnfgen.drivers._cgroups import writable
from wcnfgen.drivers._loop import supervise
from wcnfgen.drivers._processes import Process, Tree, children, send
from wcnfgen.drivers._start import Order, backstops
from wcnfgen.drivers.cgroup import SHELL, exact
from wcnfgen.errors import SolverError

HIDE = 'export WCNFGEN_RUNEXEC=$$ WCNFGEN_MARK="$WCNFGEN_RUN"; unset WCNFGEN_RUN; exec "$@"'
OUTSIDE = """
results=$1 messages=$2 go=$3; shift 3
{ "$@"; echo >"$go"; } >"$results" 2>"$messages" &
read -r _ <"$go"; exec >/dev/null 2>&1; wait
"""
INSIDE = """
exec >"/proc/$WCNFGEN_RUNEXEC/fd/1" 2>"/proc/$WCNFGEN_RUNEXEC/fd/2"
export WCNFGEN_RUN="$WCNFGEN_MARK"; over=$1; shift
("$@" &)
exec >/dev/null 2>&1; read -r _ <"$over"
"""
BEGIN = 'echo $$ >"$1"; read -r _ <"$2" || exit 126; shift 2; exec "$@"'
NEEDS = ("PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "PYTHONPATH", "PYTHONHOME")
CHANGED = (*SHELL, *NEEDS, "HOME", "TMPDIR", "TMP", "TEMPDIR", "TEMP", "LC_CTYPE")  # these by runexec
V2 = Path("/sys/fs/cgroup")  # where it is mounted unless there is v1
START_S, END_S = 30.0, 10.0  # for runexec to start the command, and to end after it

logger = logging.getLogger("wcnfgen")


def unavailable() -> str | None:
    """Why this driver cannot be used on this machine; None if it can."""
    if (reason := local.unavailable()) is not None:
        return reason
    if _program() is None:
        return "runexec is not installed: pip install benchexec"
    if (V2 / "cgroup.controllers").exists():  # it asks systemd for a group, or takes the one made for it
        ways = Path(f"/run/user/{os.getuid()}/bus"), V2 / "benchexec"
        return None if any(way.exists() for way in ways) else "runexec needs a systemd of this user"
    return None if "freezer" in writable() else "runexec needs a freezer group, which this user may not make"


def run(
    command: Sequence[str],
    limits: Limits = NO_LIMITS,
    *,
    stdout: Path | None,
    stderr: Path | None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    line_buffer: LineBuffer = "none",
    on_text: OnText = ignore,
) -> Run:
    """Run the command to its end or to a limit; the contract is that of `wcnfgen.drivers`.

    Raises SolverError if runexec is missing or fails, too.
    """
    order = Order(command, limits, stdout, stderr, cwd, env, line_buffer, on_text)
    with Link() as link:
        prefix = (
            *("/bin/sh", "-c", HIDE, "sh"),
            *("/bin/sh", "-c", OUTSIDE, "sh", link.results, link.messages, link.go),
            *_runexec(limits.hard_mib),
            *("/bin/sh", "-c", INSIDE, "sh", link.over),
            *("/usr/bin/setsid", "/bin/sh", "-c", BEGIN, "sh", link.ready, link.go),
            *exact(env, command[0], "--default-signal=INT,QUIT", changed=CHANGED),
        )
        done = supervise(order, prefix=prefix, tree=lambda root, mark: RunexecTree(root, mark, link, limits))
        results = parse(link.read(link.results))
        if link.command is None or not results:
            problem = _last_line(link.read(link.messages))
            if link.command is None and done.limit is None:
                raise SolverError(f"runexec did not start {command[0]}: {problem}")
            logger.warning("runexec measured nothing, so CPU time and memory are sampled: %s", problem)
        return measured(done, results)


def parse(text: str) -> dict[str, str]:
    """The results that runexec prints, units removed.

    >>> parse("returnvalue=1\\ncputime=0.25s\\nmemory=1024B\\n")
    {'returnvalue': '1', 'cputime': '0.25', 'memory': '1024'}
    """
    pairs = (line.partition("=") for line in text.splitlines())
    return {key: value.rstrip("sBJ") for key, _, value in pairs if value}


def measured(run: Run, results: Mapping[str, str]) -> Run:
    """The run with runexec's figures, as far as there are any.

    Pages of files that others read first are in our samples of memory but not in its peak, what comes
    between two samples only in the latter: the larger of both counts.
    """
    if results.get("terminationreason") == "memory":
        run = replace(run, limit=run.limit or "memory", killed=True)
    return replace(
        run,
        cpu_s=float(results.get("cputime", run.cpu_s)),
        peak_mib=max(run.peak_mib, float(results.get("memory", 0)) / (1 << 20)),
    )


class Link:
    """How we, runexec and the shells talk: names under which all of them can open what is ours."""

    def __init__(self) -> None:
        self.command: int | None = None  # its process, once it has begun
        self._stack = ExitStack()
        self.results, self.messages = self._own(os.memfd_create("results")), self._own(os.memfd_create("log"))
        self.ready, self.go, self.over = self._pipe(), self._pipe(), self._pipe()

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def wait(self, seconds: float) -> None:
        """Wait for what is to be the command."""
        if self.command is None and select.select([_fd(self.ready)], [], [], seconds)[0]:
            self.command = int(os.read(_fd(self.ready), 32))

    def tell(self, pipe: str, readers: int = 1) -> None:
        """Write a line for each reader."""
        with open(pipe, "wb", buffering=0) as file:  # noqa: PTH123 - it is one of our descriptors
            file.write(b"\n" * readers)

    def read(self, file: str) -> str:
        """All that has been written."""
        return Path(file).read_text(errors="replace")

    def _own(self, descriptor: int) -> str:
        self._stack.callback(os.close, descriptor)
        return f"/proc/{os.getpid()}/fd/{descriptor}"

    def _pipe(self) -> str:
        source, sink = os.pipe()
        self._own(sink)  # kept open, so that nobody reads an end before anything is written
        return self._own(source)


class RunexecTree(Tree):
    """The command and what it started, without runexec and the shells.

    Entering the context waits for the command to begin; killing all of it ends runexec.
    """

    def __init__(self, root: int, mark: str, link: Link, limits: Limits) -> None:
        super().__init__(root, mark)
        self._shell, self._link, self._limits = root, link, limits
        self._shell_ended = False

    def __enter__(self) -> Tree:
        deadline = time.monotonic() + START_S
        while not self._is_ready() and not self._shell_ended and time.monotonic() < deadline:
            self._link.wait(0.005)
            super().walk()
        if self._link.command is not None:
            self.root = self._link.command
            backstops(self.root, self._limits)
            self.began = time.monotonic()
            self._link.tell(self._link.go, readers=2)
        return self

    def _is_ready(self) -> bool:
        """Whether what is to be the command waits for us, as a child of ours: else another may reap it."""
        return self._link.command in children(os.getpid())

    def walk(self) -> list[Process]:
        """The live processes, parents before their children; runexec is in the shell's session."""
        found = [p for p in super().walk() if p.session != self._shell]
        self.sessions = {p.session for p in found}
        return found

    def _is_ours(self, child: Process) -> bool:
        return child.pid == self._shell or super()._is_ours(child)

    def _reap(self, pid: int) -> bool:
        """As ever, but what runexec used is not the run's."""
        used = self.reaped_cpu_s, self.reaped_peak_mib
        ended = super()._reap(pid)
        if pid == self._shell:
            self.reaped_cpu_s, self.reaped_peak_mib = used
            self._shell_ended |= ended
        return ended

    def kill(self) -> bool:
        """SIGKILL until nothing is left, and then wait for runexec; whether there was anything."""
        killed = super().kill()
        if not self._shell_ended:
            self._link.tell(self._link.over)
        deadline = time.monotonic() + END_S
        while not self._shell_ended and time.monotonic() < deadline + END_S:
            time.sleep(0.005)
            killed |= bool(self.walk()) and super().kill()
            if time.monotonic() > deadline:
                for one in super().walk():
                    send(one, signal.SIGKILL)
        return killed


def _fd(path: str) -> int:
    return int(path.rpartition("/")[2])


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it said nothing")


def _program() -> str | None:
    return shutil.which("runexec") or shutil.which("runexec", path=str(Path(sys.executable).parent))


def _runexec(hard_mib: float) -> list[str]:
    """runexec with its options, in our environment as far as it matters."""
    program = _program()
    if program is None:
        raise SolverError("runexec is not installed: pip install benchexec")
    options = ["--no-container", "--output", os.devnull]
    memory = [] if hard_mib == math.inf else ["--memlimit", str(int(hard_mib * (1 << 20)))]
    return [*exact(None, program, changed=NEEDS), program, *options, *memory, "--"]
