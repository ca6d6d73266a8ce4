"""A solver's name and an instance become the command of a run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wcnfgen import adapt, solvers
from wcnfgen.doctor import probe
from wcnfgen.drivers import Limits, LineBuffer
from wcnfgen.runs import Start
from wcnfgen.solvers import Solver

log = logging.getLogger("wcnfgen")


def known(name: str, binary: str | None = None, options: Sequence[str] = ()) -> Solver:
    """The descriptor of a solver; of a path, what trial runs on tiny instances, with these options, tell.

    If they tell nothing that is a warning: the verdict will say what a run was worth.
    """
    solver = solvers.get(name)
    if "/" not in name:
        return solver
    if solver.find(binary) is None:
        return solver
    probed = probe(_with(solver, options), binary)
    if probed.settled:
        log.info("%s %s", name, probed.reason)
    else:
        log.warning("%s %s; it is run all the same", name, probed.reason)
    return replace(probed.solver, argv=solver.argv)


def _with(solver: Solver, options: Sequence[str]) -> Solver:
    """The solver as it is called with options, for trials: any seed will do."""
    more = [each.replace("{seed}", "1").replace("{", "{{").replace("}", "}}") for each in options]
    return replace(solver, argv=(solver.argv[0], *more, *solver.argv[1:]))


def must_be_there(name: str, binary: str | None = None) -> None:
    """Fail now rather than at the first run.  Raises SolverError where it is not installed, UsageError."""
    solvers.get(name).command(Path("instance"), Limits(wall_s=1, memory_mib=1), binary)


def prepared(
    descriptor: Solver,
    name: str,
    instance: Path,
    folder: Path,
    limits: Limits,
    binary: str | None = None,
    line_buffer: LineBuffer | None = None,
    options: Sequence[str] = (),
    seed: int | None = None,
    version: str | None = None,
) -> Start:
    """What to run so that a solver solves an instance; name is what it was called by.

    version is what it says of itself; None: it is asked.
    """
    suited = adapt.suit(descriptor, instance.absolute(), folder)
    return Start(
        descriptor.command(suited.path, limits, binary, options, seed),
        name,
        descriptor.version(binary) if version is None else version,
        suited.changes,
        line_buffer or descriptor.line_buffer,
    )
