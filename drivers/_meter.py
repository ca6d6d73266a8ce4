"""CPU time and memory of a run, sampled.

Memory is resident memory.  Of one process it is exact: the kernel keeps the peak (VmHWM; the peak that
wait4 reports is inherited from the launcher and useless).  Of several, the sum counts shared pages
more than once (four forks of a 300 MB process: 1.2 GB), so the proportional share (PSS) is measured
now and then, which costs 40 ms a gigabyte, and the surplus found is taken off the sums in between.
Whenever a sum so corrected passes the limit it is measured again: no run is stopped on an estimate.
"""

from __future__ import annotations

import time

from wcnfgen.drivers._processes import Process, Tree, read_proc

SLOWEST_S, FASTEST_S, NEAR_LIMIT_S = 0.05, 0.002, 0.01
SHARED_MIB = 32.0  # less than this in all but the largest process is not worth a measurement
PSS_SHARE = 0.1  # of the time may go into measuring shared memory


class Meter:
    """Samples a tree; `cpu_s` and `peak_mib` never fall."""

    def __init__(self, tree: Tree, limit_mib: float | None) -> None:
        self.cpu_s = 0.0
        self.mib = 0.0
        self.peak_mib = 0.0
        self._tree = tree
        self._limit_mib = limit_mib or float("inf")
        self._surplus_mib = 0.0
        self._measured: set[int] = set()
        self._pss_due = 0.0

    def sample(self) -> None:
        """Look at all processes now.

        A child between vfork and exec shows its parent's memory a second time, so a sum only counts
        for the peak when the sample before was as high.
        """
        live = self._tree.walk()
        self.cpu_s = max(self.cpu_s, self._tree.reaped_cpu_s + sum(p.cpu_s for p in live))
        sizes = [_resident_mib(p) for p in live]
        before, self.mib = self.mib, self._shared_once(live, [now for now, _ in sizes])
        self.peak_mib = max(self.peak_mib, min(before, self.mib), *(peak for _, peak in sizes))

    def next_s(self, elapsed_s: float) -> float:
        """Seconds to the next sample: short runs and runs near their memory limit are sampled more often."""
        slowest = NEAR_LIMIT_S if self.mib > 0.8 * self._limit_mib else SLOWEST_S
        return min(slowest, max(FASTEST_S, elapsed_s / 2))

    def _shared_once(self, live: list[Process], sizes: list[float]) -> float:
        """Memory of all, shared pages counted once; less if that is not known yet."""
        total, largest = sum(sizes), max(sizes, default=0.0)
        if total - largest < SHARED_MIB:
            return total
        if time.monotonic() >= self._pss_due or total - self._surplus_mib > self._limit_mib:
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
