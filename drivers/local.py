"""Runs a command on this machine with nothing but /proc and signals: no cgroups, no root.

`_loop` is what happens, `_start` how the command comes to life, `_processes` how all that it starts is
found and killed, `_meter` what it uses, `_stop` who is told to stop first, `_streams` where its output
goes, and `_guard` what happens when this process itself is killed.

Threads: signals to this process are only noticed by a run in the main thread, and two runs at a time
need two processes, since collecting orphans is a property of the process (`_processes`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from wcnfgen.drivers import NO_LIMITS, Limits, LineBuffer, OnText, Run, ignore


def unavailable() -> str | None:
    """Why this driver cannot be used on this machine; None if it can."""
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    return None if Path("/proc/self/stat").exists() else "/proc is not mounted"


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
    """Run the command to its end or to a limit; the contract is that of `wcnfgen.drivers`."""
    from wcnfgen.drivers._loop import supervise
    from wcnfgen.drivers._start import Order

    return supervise(Order(command, limits, stdout, stderr, cwd, env, line_buffer, on_text))
