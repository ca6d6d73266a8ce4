"""The side of a worker: jobs come in as lines, answers go out as lines, and signals stop what is going on."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import NoReturn

from wcnfgen.errors import WcnfgenError
from wcnfgen.workers.failure import Failure
from wcnfgen.workers.orphans import end_with_parent


def serve(do: Callable[[bytes], str], arguments: Sequence[str]) -> int:
    """Do jobs until the input ends or a signal comes; 130 after a signal.

    arguments are those of the program: the number of the process that started it.  do says in a few words
    how it went.
    """
    out = os.dup(1)
    os.dup2(2, 1)  # what else is printed is no answer
    try:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _interrupt)
        end_with_parent(signal.SIGTERM)
        for line in sys.stdin.buffer:
            if os.getppid() != int(arguments[-1]):  # it died before we could be told
                return 130
            os.write(out, json.dumps(_answer(do, line)).encode("ascii") + b"\n")
    except (KeyboardInterrupt, BrokenPipeError):
        return 130
    finally:  # it ends in any case, and is not disturbed while it cleans up
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _ignore)
    return 0


def _ignore(*_: object) -> None:
    """Not SIG_IGN: Python complains of a signal that came just before that was set."""


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _answer(do: Callable[[bytes], str], line: bytes) -> dict[str, str]:
    try:
        return {"done": do(line)}
    except (WcnfgenError, MemoryError, OSError) as error:
        return asdict(Failure.of(error))
