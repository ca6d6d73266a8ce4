"""A step's process: the command line, which ends with whoever has begun it."""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """``python -m wcnfgen.experiments._child PARENT WORD...``: run ``wcnfgen WORD...``."""
    parent = int(sys.argv.pop(1))
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == parent:  # else it ended before we asked
        runpy.run_module("wcnfgen", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
