"""Solvers, as data.

A solver is a module of this folder that holds one `Solver` named ``SOLVER``; its file name, with ``-``
for ``_``, is its name on the command line.  To add one, copy a neighbour; the tests in
``tests/conformance/test_solvers.py`` then run on it.  What a solver prints is read by `wcnfgen.output`,
the same for all; how a run ends is the driver's business.

A binary of one's own needs no file: ``get("./solver")`` is the plain descriptor for it.
"""

from __future__ import annotations

import math
import os
import pkgutil
import shutil
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, cast

from wcnfgen.drivers import NO_LIMITS, Limits
from wcnfgen.errors import SolverError, UsageError

Format = Literal["wcnf", "wcnf-old"]
Values = Literal["bits", "literals", "either"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """What there is to know about a solver in order to run it.

    paper        DOI of the paper to cite
    binary       the program to look for on the PATH (or a path); empty: it is a Python module
    module       that module, run by the Python that runs us
    install      how to get it
    argv         the command; ``{python} {binary} {instance} {wall_s} {memory_mib}`` are filled in
    formats      what it reads, best first; the Evaluation's format of 2022 is wcnf, the one before wcnf-old
    encoding     the one encoding whose formulas it solves, by their map; empty: any formula
    compressed   the endings of compressed files that it reads by itself
    values       the form of its models, where the text leaves it open
    anytime      whether it prints its best model when it gets SIGTERM
    max_weight   the largest soft weight it handles right
    quirks       what a user should know
    tried        version and date of the last trial on the real thing; empty: from documents only
    """

    title: str
    url: str
    paper: str
    licence: str
    install: str
    binary: str = ""
    module: str = ""
    argv: tuple[str, ...] = ("{binary}", "{instance}")
    formats: tuple[Format, ...] = ("wcnf", "wcnf-old")
    encoding: str = ""
    compressed: tuple[str, ...] = ()
    values: Values = "either"
    anytime: bool = True
    max_weight: int = 2**63 - 1
    quirks: str = ""
    tried: str = ""

    def find(self) -> str | None:
        """Where the solver is installed: the path of its program or module; None if it is not."""
        if not self.module:
            return shutil.which(self.binary)
        try:
            spec = find_spec(self.module)
        except ModuleNotFoundError:  # of the package that should hold it
            return None
        return spec.origin if spec else None

    def command(
        self, instance: Path, limits: Limits = NO_LIMITS, binary: str | None = None
    ) -> tuple[str, ...]:
        """The command that solves the instance, with absolute paths; binary overrides where to find it.

        Raises SolverError if the solver is not installed, UsageError if it needs a limit that is not set
        or takes no binary.
        """
        if binary and self.module:
            raise UsageError(f"{self.title} is a Python module and takes no binary: name it as the solver")
        found = shutil.which(binary) if binary else self.find()
        if found is None:
            missing = binary or self.module or self.binary
            raise SolverError(f"{self.title}: {missing} is not installed; {self.install}")
        values = {
            "python": sys.executable,
            "binary": os.path.abspath(found),  # noqa: PTH100 - links stay: some programs act on their name
            "instance": os.path.abspath(instance),  # noqa: PTH100 - as above
            "wall_s": _whole(limits.wall_s),
            "memory_mib": _whole(limits.memory_mib),
        }
        used = {name: value for name, value in values.items() if value}
        try:
            return tuple(argument.format_map(used) for argument in self.argv)
        except KeyError as error:
            raise UsageError(f"{self.title} needs the limit {error.args[0]} on its command line") from error


def _whole(limit: float | None) -> str:
    return "" if limit is None else str(math.ceil(limit))


def names() -> tuple[str, ...]:
    """The solvers of this folder, as on the command line."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return tuple(sorted(name.replace("_", "-") for name in modules if not name.startswith("_")))


def get(name: str) -> Solver:
    """The solver of that name; a name with a slash is the path of a binary that keeps to the protocol.

    Raises UsageError for a name that is none.

    >>> get("./my-solver").argv
    ('{binary}', '{instance}')
    """
    if "/" in name:
        return Solver(
            title=Path(name).name, url="", paper="", licence="", install="check the path", binary=name
        )
    if name not in names():
        raise UsageError(f"no solver {name!r}; there is {', '.join(names())}, or give a path: ./{name}")
    return cast(Solver, import_module(f"{__name__}.{name.replace('-', '_')}").SOLVER)
