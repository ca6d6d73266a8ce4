"""Cores that are nobody else's, where no pool shares them out.

Tasks of Dask, or of a queue that pins nothing, come to a machine without knowing of each other.  Each claims
cores before it runs and waits while there are none.  A claim is the name of an abstract socket: a machine has
one of each name, for all its users, and the kernel takes it back when its holder dies, however that happens.
"""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

POLL_S = 0.1


@contextmanager
def claimed(choices: Sequence[frozenset[int]]) -> Iterator[frozenset[int]]:
    """One of these sets of cores, of which nobody else claims any; waits until there is one."""
    with ExitStack() as held:
        yield _wait(choices, held)


def _wait(choices: Sequence[frozenset[int]], held: ExitStack) -> frozenset[int]:
    while True:
        for cores in choices:
            with ExitStack() as mine:
                if all(_claim(core, mine) for core in sorted(cores)):
                    held.push(mine.pop_all())
                    return cores
        time.sleep(POLL_S)


def _claim(core: int, held: ExitStack) -> bool:
    """Claim a core, unless it is claimed."""
    name = held.enter_context(socket.socket(socket.AF_UNIX))
    try:
        name.bind(f"\0wcnfgen core {core}")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True
