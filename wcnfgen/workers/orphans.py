"""A process that ends with the one that started it, however that ends.

The kernel sees to it, so that it holds for kill -9, too.  Whoever was started a moment before its parent died
asks too late, and has to compare its parent's number with the one that it expects.
"""

from __future__ import annotations

import ctypes
import signal

_PR_SET_PDEATHSIG = 1


def end_with_parent(number: signal.Signals) -> None:
    """From now on this process gets the signal when its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
