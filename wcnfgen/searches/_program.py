"""A search as a program that speaks the protocol of the MaxSAT Evaluation, and obeys SIGTERM at once.

A SAT solver in the same process cannot be interrupted: PySAT's solvers return to Python only with an
answer, and hold the interpreter lock meanwhile, so that neither a signal handler nor a thread gets its
turn.  So the search runs in a forked child, and this process only listens: it passes a cost on when
its model is there too, keeps the models of the last cost, and prints them when the child has ended or
a signal comes.  It forks before anything is loaded, so the formula is in memory once.

A solver that can be interrupted, and has no model to tell before, is asked for it instead: the signal is
passed on to the child, and this process listens until the child ends.

What the child writes into the pipe is the protocol at its plainest: an ``o`` line, then a ``v`` line
for each model of that cost, and the ``s`` line as soon as there is one.  Comments go straight out.

The time limit that the Evaluation's call of 2026 has on the command line is an alarm, a signal like others.

Exit codes: 30 optimum found, 20 unsatisfiable, 10 satisfiable, 0 unknown; else an error.
"""

from __future__ import annotations

import argparse
import inspect
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

from wcnfgen.errors import WcnfgenError
from wcnfgen.searches import Improvement, Proved
from wcnfgen.workers.orphans import end_with_parent

STOP = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU, signal.SIGALRM)
EXIT = {b"OPTIMUM FOUND": 30, b"UNSATISFIABLE": 20, b"SATISFIABLE": 10, b"UNKNOWN": 0}
CHUNK = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment line, such as ``LB 17``."""

    text: str


Telling = Iterator[Improvement | Proved | Remark]


def main(start: Callable[..., Telling], argv: Sequence[str] | None = None, *, asked: bool = False) -> int:
    """Run a search on the file that the command line names; returns the exit code.

    asked: the search ends when it gets SIGTERM, with its best model; else it is killed.
    """
    options = vars(_parser(start).parse_args(argv))
    seconds = options.pop("seconds")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody listens: end, without a word
    reading, writing = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    child = os.fork()
    if child == 0:
        os.close(reading)
        _search(start, options, writing)
    os.close(writing)
    answer = _Answer()
    signals = _signals()
    signal.setitimer(signal.ITIMER_REAL, seconds or 0)
    _listen(reading, signals, answer, child if asked else None)
    code = 0 if answer.stopped else os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code > 0 and not answer.models:
        return code  # the child has said why
    if code < 0 and -code not in STOP:
        _print(b"c killed by " + signal.Signals(-code).name.encode())
    answer.finish()
    if answer.stopped:  # only now: it takes time to free the memory of a large formula
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return EXIT[answer.status]


def _parser(start: Callable[..., Telling]) -> argparse.ArgumentParser:
    """The keyword parameters of the search are options of the program."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {start.__globals__['__spec__'].name}", description=inspect.getdoc(start)
    )
    parser.add_argument("file", help="WCNF file")
    parser.add_argument("seconds", nargs="?", type=_seconds, help="end after this time; default: never")
    for parameter in inspect.signature(start).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            more: dict[str, Any] = {"type": type(parameter.default)}
            if isinstance(parameter.default, bool):
                more = {"action": argparse.BooleanOptionalAction}
            option = "--" + parameter.name.replace("_", "-")
            parser.add_argument(
                option, default=parameter.default, help=f"default {parameter.default}", **more
            )
    return parser


def _seconds(text: str) -> float:
    """A time limit; the system counts it in 32 bits."""
    seconds = float(text)
    if not 0 < seconds < 2**31:
        raise argparse.ArgumentTypeError(f"{text} is no time limit in seconds")
    return seconds


class _Answer:
    """What is known so far: a cost goes out when its model is here, models go out at the end."""

    def __init__(self) -> None:
        self.status = b""
        self.models: list[bytes] = []
        self.stopped = False
        self._cost: bytes | None = None

    def take(self, line: bytes) -> None:
        """Take one line of the child's."""
        if line.startswith(b"o "):
            self._cost = line
        elif line.startswith(b"s "):
            self.status = line[2:]
        elif line.startswith(b"c "):
            _print(line)
        elif self._cost is None:
            self.models.append(line)
        else:
            _print(self._cost)
            self._cost, self.models = None, [line]

    def finish(self) -> None:
        """Print status and models."""
        self.status = self.status or (b"SATISFIABLE" if self.models else b"UNKNOWN")
        _print(b"s " + self.status, *self.models)


def _print(*lines: bytes) -> None:
    sys.stdout.buffer.write(b"".join(line + b"\n" for line in lines))
    sys.stdout.buffer.flush()


def _signals() -> int:
    """A file descriptor that can be read from once a signal has asked to stop."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for each in STOP:
        signal.signal(each, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)
    return reading


def _listen(reading: int, signals: int, answer: _Answer, asked: int | None) -> None:
    """Read what the child writes until it ends or a signal comes; an unfinished line is nothing.

    asked is the child where it is to end by itself after a signal.
    """
    unfinished = b""
    while not answer.stopped:
        ready, _, _ = select.select([reading, signals], [], [])
        if signals in ready:
            os.read(signals, CHUNK)
            answer.stopped = asked is None
            if asked is not None:
                os.kill(asked, signal.SIGTERM)
        if reading in ready:
            chunk = os.read(reading, CHUNK)
            if not chunk:
                return
            *lines, unfinished = (unfinished + chunk).split(b"\n")
            for line in lines:
                answer.take(line)


def _search(start: Callable[..., Telling], options: dict[str, Any], writing: int) -> NoReturn:
    """The child: it never returns, and does not outlive its parent."""
    code = 1
    try:
        end_with_parent(signal.SIGKILL)
        for each in STOP:
            signal.signal(each, signal.SIG_DFL)
        # PySAT jumps out of its solver on SIGINT, which can deadlock: that one is for the parent alone
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [each for each in STOP if each != signal.SIGINT])
        with os.fdopen(writing, "wb") as out:
            _tell(start(options.pop("file"), **options), out)
        code = 0
    except WcnfgenError as error:
        sys.stderr.write(f"wcnfgen: error: {error}\n")
        code = error.exit_code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)


def _tell(events: Telling, out: BinaryIO) -> None:
    """Write events as lines; each as soon as it is there."""
    cost: int | None = None
    for event in events:
        if isinstance(event, Improvement):
            if event.cost != cost:
                cost = event.cost
                out.write(b"o %d\n" % cost)
            out.write(b"v " + (event.model[1:] + ord("0")).astype("u1").tobytes() + b"\n")
        elif isinstance(event, Proved):
            out.write(b"s %s\n" % event.status.encode())
        else:
            out.write(b"c %s\n" % event.text.encode())
        out.flush()
