"""Control groups, as the files that they are.

A group holds whatever its members start, and no process can leave it that may not write to another
group.  So it finds and kills what no walk through /proc can, and the kernel itself adds up CPU time and
memory, and enforces the limit on memory.

What there is of it differs from machine to machine, and nothing here changes that: no process of ours is
moved and no controller is enabled.  A run gets a group in each hierarchy that helps:

``unified``  cgroup v2.  Any group there tells its CPU time and can be killed as one; where the controller
             is on, it limits memory, too.  Groups are made in our own group, or in the nearest one above it
             that hands memory on to its children (a group with processes cannot), unless that would get
             round a limit of our own.  ``systemd-run --user --scope`` grants this without root.
``memory``   cgroup v1, in our own group, if v2 does not have the controller.
``cpuacct``  the same for CPU time, if there is no v2.

Memory as the kernel counts it includes the pages of files that were read, which it gives back when there
is need: a solver that reads a gigabyte does not use it.  Of the sum only does the kernel keep the peak.
That less the most that such pages ever took is a lower bound of the peak without them, and exact unless
files are read after it.  What is in use without them at any moment is another; the larger one counts.

A group is named after its driver, so that what a dead one left can be recognised, killed and removed.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import signal
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wcnfgen.drivers._processes import process

NAME = "wcnfgen"
REMOVE_S = 2.0  # a group is busy until the kernel is done with its last process
_MIB = 1 << 20
_serial = itertools.count()


class _Names(NamedTuple):
    """What one version calls its memory files, and the fields of memory.stat."""

    limit: str
    swap: str
    peak: str
    events: str
    resident: str
    files: str  # it counts shared memory, too
    shared: str


_V1 = _Names(
    "memory.limit_in_bytes",
    "memory.memsw.limit_in_bytes",  # of memory and swap together
    "memory.max_usage_in_bytes",
    "memory.oom_control",
    "total_rss",
    "total_cache",
    "total_shmem",
)
_V2 = _Names("memory.max", "memory.swap.max", "memory.peak", "memory.events", "anon", "file", "shmem")


class Group:
    """The groups of one run; leaving the context kills what is in them and removes them.

    Raises OSError if no group can be made.
    """

    def __init__(self, places: Mapping[str, Path], hard_mib: float = math.inf) -> None:
        self.name = f"{_driver()}-{next(_serial)}"
        self._folders = {kind: place / self.name for kind, place in places.items()}
        own = self._folders.get("memory", self._folders.get("unified"))
        self._names = _V1 if "memory" in self._folders else _V2
        self._peak_mib = self._files_mib = 0.0
        try:
            for folder in self._folders.values():
                _make(folder)
            self._memory = own if own is not None and (own / self._names.limit).exists() else None
            if hard_mib < math.inf:
                self._limit(hard_mib)
        except OSError:
            _clear(self._folders.values())
            raise

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *_: object) -> None:
        _clear(self._folders.values())

    @property
    def procs(self) -> list[str]:
        """The files into which a process that joins writes its number."""
        return [str(folder / "cgroup.procs") for folder in self._folders.values()]

    def members(self) -> set[int]:
        """The numbers of the processes in any of the groups."""
        return _members(self._folders.values())

    def kill(self) -> None:
        """SIGKILL to all, at once where the kernel can; who is forked meanwhile may need another call."""
        _kill(self._folders.values())

    def cpu_s(self) -> float | None:
        """User and system time of all that ever were members; None if it is not known."""
        if "unified" in self._folders:
            used = keyed(self._folders["unified"] / "cpu.stat").get("usage_usec")
            return None if used is None else used / 1e6
        if "cpuacct" in self._folders:
            return _number(self._folders["cpuacct"] / "cpuacct.usage") / 1e9
        return None

    @property
    def counts_memory(self) -> bool:
        """Whether the kernel does."""
        return self._memory is not None

    def mib(self) -> float:
        """Memory of the members now, without pages of files."""
        if self._memory is None:
            return 0.0
        peak_mib = _number(self._memory / self._names.peak) / _MIB  # first, so that files_mib is not less
        stat = keyed(self._memory / "memory.stat")
        shared = stat.get(self._names.shared, 0)
        self._files_mib = max(self._files_mib, (stat.get(self._names.files, 0) - shared) / _MIB)
        now_mib = (stat.get(self._names.resident, 0) + shared) / _MIB
        self._peak_mib = max(self._peak_mib, now_mib, peak_mib - self._files_mib)
        return now_mib

    def peak_mib(self) -> float:
        """The most that it ever was."""
        self.mib()
        return self.seen_mib

    @property
    def seen_mib(self) -> float:
        """The most as of the last look at `mib`."""
        return self._peak_mib

    def oom_kills(self) -> int:
        """How many processes the kernel killed for want of memory."""
        return 0 if self._memory is None else keyed(self._memory / self._names.events).get("oom_kill", 0)

    def _limit(self, mib: float) -> None:
        """Let the kernel kill a process when the members need more memory."""
        if self._memory is None:
            return
        size = str(int(mib * _MIB))
        (self._memory / self._names.limit).write_text(size)
        with suppress(OSError):  # kernels without accounting of swap
            (self._memory / self._names.swap).write_text(size if self._names is _V1 else "0")
        with suppress(OSError):
            (self._memory / "memory.oom.group").write_text("1")


def places(proc: Path = Path("/proc/self")) -> dict[str, Path]:
    """The folders in which groups for a run are made, by kind; none if they would be of no use."""
    found = writable(proc)
    kinds = {"unified", "memory"} if "unified" in found else {"memory", "cpuacct"}
    if "unified" in found and _hands_on_memory(found["unified"]):
        kinds.remove("memory")
    chosen = {kind: place for kind, place in found.items() if kind in kinds}
    return chosen if chosen.keys() - {"cpuacct"} else {}


def writable(proc: Path = Path("/proc/self")) -> dict[str, Path]:
    """The folders in which a process may make groups, by hierarchy: unified, or a controller of v1.

    proc is the folder of that process.
    """
    own = dict(_own(proc / "cgroup"))
    found: dict[str, Path] = {}
    for controllers, root, mount in _mounts(proc / "mountinfo"):
        for kind in controllers & own.keys():
            with suppress(ValueError):  # its group is not below this mount
                folder = mount / Path(own[kind]).relative_to(root)
                if place := _delegated(folder, mount) if kind == "unified" else _writable(folder):
                    found[kind] = place
    return found


def sweep(places: Mapping[str, Path]) -> None:
    """Kill and remove what drivers left that are dead."""
    for place in places.values():
        _clear([folder for folder in place.glob(f"{NAME}-*") if _is_stale(folder.name)])


def keyed(path: Path) -> dict[str, int]:
    """A file of lines with a name and a number; what is no such line is left out.

    Empty where the file is missing.
    """
    fields = (line.split() for line in _read(path).splitlines())
    return {field[0]: int(field[1]) for field in fields if len(field) == 2 and field[1].isdigit()}


def _driver() -> str:
    """The first part of the names of our groups; a process that has our number later has another one."""
    own = process(os.getpid())
    return f"{NAME}-{os.getpid()}-{own.started if own else 0}-{_namespace()}"


def _namespace() -> int:
    """In which numbers of processes mean something to us."""
    return Path("/proc/self/ns/pid").stat().st_ino


def _is_stale(name: str) -> bool:
    """Whether the driver that made the group of that name is dead; not if it may just be out of sight."""
    parts = re.fullmatch(rf"{NAME}-(\d+)-(\d+)-(\d+)-\d+", name)
    if parts is None or int(parts[3]) != _namespace():
        return False
    driver = process(int(parts[1]))
    return driver is None or driver.zombie or driver.started != int(parts[2])


def _own(path: Path) -> Iterator[tuple[str, str]]:
    """The group of a process in each hierarchy: of v2 under the name unified, else by controller."""
    for line in _read(path).splitlines():
        _, controllers, group = line.split(":", 2)
        for controller in controllers.split(","):
            yield controller or "unified", group


def _mounts(path: Path) -> Iterator[tuple[set[str], str, Path]]:
    """The hierarchies: controllers (or unified), the group at the root of the mount, where it is mounted."""
    for line in _read(path).splitlines():
        mount, _, source = line.partition(" - ")
        kind, _, options = source.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, folder = mount.split()[3:5]
            yield {"unified"} if kind == "cgroup2" else set(options.split(",")), root, Path(folder)


def _delegated(folder: Path, mount: Path) -> Path | None:
    """Where v2 groups can be made: the first place with memory from here up, or else the first."""
    allowed = []
    while True:
        allowed += [folder] if _writable(folder) else []
        if folder == mount or _read(folder / "memory.max").strip() not in ("", "max"):
            break
        folder = folder.parent
    return next(filter(_hands_on_memory, allowed), next(iter(allowed), None))


def _hands_on_memory(folder: Path) -> bool:
    return "memory" in _read(folder / "cgroup.subtree_control").split()


def _writable(folder: Path) -> Path | None:
    """The folder, if a group can be made in it and a process of our own group moved there."""
    may = os.access(folder, os.W_OK | os.X_OK) and os.access(folder / "cgroup.procs", os.W_OK)
    return folder if may else None


def _below(folders: Iterable[Path]) -> list[str]:
    """These groups and those that the run made in them, the innermost first."""
    return [name for folder in folders for name, _, _ in os.walk(folder, topdown=False)]


def _members(folders: Iterable[Path]) -> set[int]:
    found = (pid for name in _below(folders) for pid in _read(Path(name, "cgroup.procs")).split())
    return {int(pid) for pid in found} - {0}  # which is one in another namespace, but to kill(2) it is us


def _kill(folders: Collection[Path]) -> None:
    for folder in folders:
        if (folder / "cgroup.kill").exists():
            with suppress(OSError):
                (folder / "cgroup.kill").write_text("1")
    for pid in _members(folders):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _clear(folders: Collection[Path]) -> None:
    """Kill and remove groups; one that stays busy is left to `sweep`."""
    deadline = time.monotonic() + REMOVE_S
    while (left := [folder for folder in folders if not _removed(folder)]) and time.monotonic() < deadline:
        _kill(left)
        time.sleep(0.002)


def _make(folder: Path) -> None:
    """Make a group: the kernel fills the folder."""
    folder.mkdir()


def _remove(folder: Path) -> None:
    """Remove a group: the kernel empties the folder."""
    folder.rmdir()


def _removed(folder: Path) -> bool:
    try:
        for name in _below([folder]):
            _remove(Path(name))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _number(path: Path) -> int:
    """A file that holds a number; 0 where it is missing."""
    return int(_read(path) or 0)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
