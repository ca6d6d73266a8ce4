"""Runs a command in a control group of its own, where this process may make one.

Everything is as in `local`, except that the kernel keeps the books:

* Whatever the run starts stays in its group.  Sessions, orphans and scrubbed environments hide nothing,
  and all of it is killed at once.
* CPU time and peak memory are those of the group: no child is too short and no peak too narrow.
* The hard limit on memory is the kernel's, however fast memory grows.  It kills a process, we the rest.
  (The soft one, at which a solver may still print its model, is a matter of looking often enough.)

`_cgroups` says which groups there are and what each can do.  Where none has the memory controller,
memory is measured and limited as in `local`.

A process has to join before it becomes the command, so a shell is put in front of it that writes its
number into the groups and executes the rest.  Shells tidy up the environment; ``env`` comes next and
restores it.  A command that is missing is noticed before all that; what only the kernel finds, such
as that its loader is missing, is exit code 126 or 127 with the reason on stderr.

When the driver is killed with SIGKILL, its guardian (`_guard`) kills what is in its groups, and the next
run of any driver removes them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from wcnfgen.drivers import NO_LIMITS, Limits, LineBuffer, OnText, Run, ignore, local
from wcnfgen.drivers._cgroups import Group, places, sweep
from wcnfgen.drivers._loop import supervise
from wcnfgen.drivers._meter import Meter
from wcnfgen.drivers._processes import Process, Tree, process, read_proc, would_go_on
from wcnfgen.drivers._start import Order
from wcnfgen.errors import SolverError

JOIN = 'until [ "$1" = -- ]; do echo $$ >"$1" || exit 126; shift; done; shift; exec "$@"'
SHELL = ("PWD", "OLDPWD", "SHLVL", "_")  # variables that a shell changes


def unavailable() -> str | None:
    """Why this driver cannot be used on this machine; None if it can."""
    if (reason := local.unavailable()) is not None:
        return reason
    found = places()
    if not found:
        return "this user may make no control group; it may within systemd-run --user --scope"
    try:
        with Group(found):
            return None
    except OSError as error:
        return f"no control group can be made: {error.filename}: {error.strerror}"


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
    order = Order(command, limits, stdout, stderr, cwd, env, line_buffer, on_text)
    found = places()
    sweep(found)
    with _group(found, limits.hard_mib) as group:
        done = supervise(
            order,
            prefix=("/bin/sh", "-c", JOIN, "sh", *group.procs, "--", *exact(env, command[0])),
            tree=lambda root, mark: GroupTree(root, mark, group),
            meter=lambda tree, limits: GroupMeter(tree, limits, group),
        )
        return _counted(done, group, limits)


def exact(
    env: Mapping[str, str] | None, program: str, *options: str, changed: Sequence[str] = SHELL
) -> list[str]:
    """The program to be put between a shell and that program, which gives it the environment as it was.

    It sets or removes what has been changed, and sets what has a name that no shell can hold.
    """
    environment = os.environ if env is None else env
    missing = [word for name in changed if name not in environment for word in ("-u", name)]
    odd = [name for name in environment if name in changed or not name.isidentifier()]
    values = [f"{name}={environment[name]}" for name in odd]
    between = ["/usr/bin/nice", "-n", "0"] if "=" in program else []  # env would take it for a variable
    return ["/usr/bin/env", *options, *missing, "--", *values, *between]


def _group(found: Mapping[str, Path], hard_mib: float) -> Group:
    try:
        return Group(found, hard_mib)
    except OSError as error:
        raise SolverError(f"cannot make a control group: {error.filename}: {error.strerror}") from error


def _counted(run: Run, group: Group, limits: Limits) -> Run:
    """The run with the figures of its group."""
    cpu_s, peak_mib = group.cpu_s(), group.peak_mib()
    if cpu_s == 0 and run.exit_code == 126:  # of the shell
        raise SolverError(f"no process may join the control group {group.name}")
    if group.oom_kills() and limits.hard_mib < math.inf:
        run = replace(run, limit=run.limit or "memory", killed=True)
    return replace(
        run,
        cpu_s=run.cpu_s if cpu_s is None else cpu_s,
        peak_mib=peak_mib if group.counts_memory else run.peak_mib,
    )


class GroupTree(Tree):
    """The processes in a group, besides those that /proc shows to belong to the run."""

    def __init__(self, root: int, mark: str, group: Group) -> None:
        super().__init__(root, mark)
        self._group = group

    def walk(self) -> list[Process]:
        """The live processes, parents before their children as far as they are known."""
        found = super().walk()
        others = self._group.members() - {p.pid for p in found}
        found += [p for pid in sorted(others) if (p := process(pid)) and not p.zombie]
        return found

    def _is_ours(self, child: Process) -> bool:
        return super()._is_ours(child) or self._group.name.encode() in read_proc(child.pid, "cgroup")

    def kill(self) -> bool:
        """SIGKILL to all at once, until nothing is left; whether there was anything."""
        left = [would_go_on(one) for one in self.walk()]
        if left:
            self._group.kill()
        return super().kill() or any(left)


class GroupMeter(Meter):
    """Reads what the kernel counted; `peak_mib` is beyond the hard limit once the kernel had to kill."""

    def __init__(self, tree: Tree, limits: Limits, group: Group) -> None:
        super().__init__(tree, limits)
        self._group, self._hard_mib = group, limits.hard_mib

    def _used_s(self, live: list[Process]) -> float:
        used = self._group.cpu_s()
        return super()._used_s(live) if used is None else used

    def _weigh(self, live: list[Process]) -> None:
        if not self._group.counts_memory:
            super()._weigh(live)
            return
        self.mib = self._group.mib()
        self.peak_mib = max(self.peak_mib, self._group.seen_mib)
        if self._group.oom_kills():
            self.peak_mib = max(self.peak_mib, math.nextafter(self._hard_mib, math.inf))
