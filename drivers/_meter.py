"""CPU time, memory and threads of a run, sampled.

Memory is resident memory.  Of one process it is exact: the kernel keeps the peak (VmHWM).  Of several,
the sum counts shared pages more than once (four forks of a 300 MB process: 1.2 GB), so the proportional
share (PSS) is measured now and then, which costs 40 ms a gigabyte, and the surplus found is taken off
the sums in between.  Whenever a sum so corrected passes a limit it is measured again: no run is stopped
on an estimate.

Samples are rare while nothing happens (a quiet run costs less than a hundredth of a core) and closer
together the sooner memory would reach its next limit, soft or hard, at its present growth.
"""

from __future__ import annotations

import math
import time

from wcnfgen.drivers import Limits
from wcnfgen.drivers._processes import Process, Tree, read_proc

SLOWEST_S, FASTEST_S = 0.05, 0.002
SAMPLE_SHARE = 0.05  # of the time may go into samples of a large tree
SHARED_MIB = 32.0  # less than this in all but the largest process is not worth a measurement
PSS_SHARE = 0.1  # of the time may go into measuring shared memory


class Meter:
    """Samples a tree; `cpu_s`, `peak_mib` and `threads`, the most at a time, never fall."""

    def __init__(self, tree: Tree, limits: Limits) -> None:
        self.cpu_s = 0.0
        self.mib = 0.0
        self.peak_mib = 0.0
        self.threads = 0
        self._tree = tree
        self._limits_mib = (limits.memory_mib or math.inf, limits.hard_mib)
        self._sampled_s = time.monotonic()
        self._cost_s = 0.0
        self._growth = 0.0  # MiB a second
        self._surplus_mib = 0.0
        self._measured: set[int] = set()
        self._pss_due = 0.0

    def sample(self) -> None:
        """Look at all processes now."""
        began, before = time.monotonic(), self.mib
        live = self._tree.walk()
        self.cpu_s = max(self.cpu_s, self._used_s(live))
        self.threads = max(self.threads, sum(p.threads for p in live))
        self._weigh(live)
        self._growth = (self.mib - before) / max(began - self._sampled_s, FASTEST_S)
        self._sampled_s, self._cost_s = began, time.monotonic() - began

    def next_s(self, elapsed_s: float) -> float:
        """Seconds to the next sample: soon in short runs, and half the way to a memory limit."""
        reached_s = (self._next_mib - self.mib) / self._growth if self._growth > 0 else math.inf
        slowest_s = min(max(SLOWEST_S, self._cost_s / SAMPLE_SHARE), 5 * SLOWEST_S)
        return min(slowest_s, max(FASTEST_S, min(elapsed_s, reached_s) / 2))

    @property
    def _next_mib(self) -> float:
        """The memory limit that has not been reached yet."""
        return next((limit for limit in self._limits_mib if limit > self.peak_mib), math.inf)

    def _used_s(self, live: list[Process]) -> float:
        """CPU time of the run, these being alive."""
        return self._tree.reaped_cpu_s + sum(p.cpu_s for p in live)

    def _weigh(self, live: list[Process]) -> None:
        """Take the memory of these.

        A child between vfork and exec shows its parent's memory a second time, so a sum only counts
        for the peak when the sample before was as high.
        """
        sizes = [_resident_mib(p) for p in live]
        before, self.mib = self.mib, self._shared_once(live, [now for now, _ in sizes])
        peaks = (peak for _, peak in sizes)
        self.peak_mib = max(self.peak_mib, self._tree.reaped_peak_mib, min(before, self.mib), *peaks)

    def _shared_once(self, live: list[Process], sizes: list[float]) -> float:
        """Memory of all, shared pages counted once; less if that is not known yet."""
        total, largest = sum(sizes), max(sizes, default=0.0)
        if total - largest < SHARED_MIB:
            return total
        if time.monotonic() >= self._pss_due or total - self._surplus_mib > self._next_mib:
            self._measure(live, total)
        elif self._measured != {p.pid for p in live}:
            return largest
        return max(largest, total - self._surplus_mib)

    def _measure(self, live: list[Process], total_mib: float) -> None:
        began = time.monotonic()
        self._surplus_mib = max(0.0, total_mib - sum(_proportional_mib(p) for p in live))
        self._measured = {p.pid for p in live}
        ended = time.monotonic()
        self._pss_due = ended + (ended - began) / PSS_SHARE


def _resident_mib(process: Process) -> tuple[float, float]:
    """Resident memory of a process, now and at its peak."""
    status = read_proc(process.pid, "status")
    return _field_mib(status, b"\nVmRSS:"), _field_mib(status, b"\nVmHWM:")


def _proportional_mib(process: Process) -> float:
    return _field_mib(read_proc(process.pid, "smaps_rollup"), b"\nPss:")


def _field_mib(text: bytes, name: bytes) -> float:
    """The field of a /proc table in kB, 0 where it is missing."""
    start = text.find(name) + len(name)
    return int(text[start:].split(None, 1)[0]) / 1024 if start >= len(name) else 0.0
