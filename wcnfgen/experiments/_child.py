"""A step's process: the command line, which ends with whoever has begun it."""

from __future__ import annotations

import os
import runpy
import signal
import sys
import traceback

from wcnfgen.workers.orphans import end_with_parent

CRASH = 70  # Python's own code for an error that nobody foresaw is 1, which may be a result


def main() -> None:
    """``python -m wcnfgen.experiments._child PARENT WORD...``: run ``wcnfgen WORD...``."""
    parent = int(sys.argv.pop(1))
    end_with_parent(signal.SIGTERM)
    if os.getppid() != parent:  # it ended before we asked
        return
    try:
        runpy.run_module("wcnfgen", run_name="__main__", alter_sys=True)
    except Exception:
        traceback.print_exc()
        raise SystemExit(CRASH) from None


if __name__ == "__main__":
    main()
