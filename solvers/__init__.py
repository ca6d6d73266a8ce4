"""Solvers, as data.

A solver is a module of this folder that holds one `Solver` named ``SOLVER``; its file name, with ``-``
for ``_``, is its name on the command line.  To add one, copy a neighbour; the tests in
``tests/conformance/test_solvers.py`` then run on it.  What a solver prints is read by `wcnfgen.output`,
the same for all; how a run ends is the driver's business.

A binary of one's own needs no file: ``get("./solver")`` is the plain descriptor for it, and
`wcnfgen.doctor` finds out by trial which format it reads and how it prints models.
"""

from __future__ import annotations

import math
import os
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, cast

from wcnfgen.drivers import NO_LIMITS, Limits, LineBuffer
from wcnfgen.drivers._program import fault
from wcnfgen.errors import SolverError, UsageError

Format = Literal["wcnf", "wcnf-old"]
Values = Literal["bits", "literals", "either"]
Trap = Literal["empty soft", "no soft", "no hard", "long soft", "repeated soft", "optimum 0"]


PATIENCE_S = 5.0  # with a program that is asked for its version


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """What there is to know about a solver in order to run it.

    paper        DOI of the paper to cite; empty: none is known to us
    install      how to get it
    binary       the program to look for on the PATH, or the path of a .jar
    module       instead of a program: a Python module, run by the Python that runs us
    package      the distribution that the module comes with
    needs        another module without which that one does not run
    asks         the arguments that make the program print its version
    argv         the command; ``{python} {binary} {instance} {wall_s} {memory_mib}`` are filled in, and
                 ``{own_s}``, a limit for a clock of its own, which is over before ours
    formats      what it reads right, best first: wcnf is the Evaluation's since 2022, wcnf-old the one before
    misreads     what it reads wrongly without saying so
    encoding     the one encoding whose formulas it solves, by their map; empty: any formula
    compressed   the endings of compressed files that it reads by itself
    values       the form of its models, where the text leaves it open
    anytime      whether it prints its best model when it gets SIGTERM
    complete     whether it proves optima, in general: some that do not, do so without weights
    max_weight   the largest soft weight it handles right
    fails_on     what it cannot have in a formula: it crashes, never ends or is wrong
    line_buffer  how to get its lines as they come, where it buffers its output; see `wcnfgen.drivers`
    signals      what it does on SIGTERM, and its exit codes
    quirks       what else a user should know
    tried        version and date of the last trial on the real thing; empty: from documents only
    """

    title: str
    url: str
    paper: str
    licence: str
    install: str
    binary: str = ""
    module: str = ""
    package: str = ""
    needs: str = ""
    asks: tuple[str, ...] = ()
    argv: tuple[str, ...] = ("{binary}", "{instance}")
    formats: tuple[Format, ...] = ("wcnf", "wcnf-old")
    misreads: tuple[Format, ...] = ()
    encoding: str = ""
    compressed: tuple[str, ...] = ()
    values: Values = "either"
    anytime: bool = True
    complete: bool = True
    max_weight: int = 2**63 - 1
    fails_on: tuple[Trap, ...] = ()
    line_buffer: LineBuffer = "none"
    signals: str = ""
    quirks: str = ""
    tried: str = ""

    def find(self, binary: str | None = None) -> str | None:
        """Where the solver is installed: the path of its program or module; None if it is not."""
        if not self.module:
            return _located(binary or self.binary)
        return _origin(self.module) if not self.needs or _origin(self.needs) else None

    def command(
        self,
        instance: Path,
        limits: Limits = NO_LIMITS,
        binary: str | None = None,
        options: Sequence[str] = (),
        seed: int | None = None,
    ) -> tuple[str, ...]:
        """The command that solves the instance, with absolute paths; binary overrides where to find it.

        options are further arguments, which come before the instance; ``{seed}`` in them is filled in.

        Raises SolverError if the solver is not installed, UsageError if it needs a limit or a seed that is
        not set, or takes no binary.
        """
        if binary and self.module:
            raise UsageError(f"{self.title} is a Python module and takes no binary: name it as the solver")
        found = self.find(binary)
        if found is None:
            missing = binary or self.needs or self.module or self.binary or "it"
            if seen := "/" in missing and fault(Path(missing)):
                raise SolverError(f"{missing} {seen}")
            raise SolverError(f"{self.title}: {missing} is not installed; {self.install}")
        if not self.module and self.argv[0] == "{binary}" and (seen := fault(Path(found))):
            raise SolverError(f"{found} {seen}")
        values = {
            "python": sys.executable,
            "binary": os.path.abspath(found),  # noqa: PTH100 - links stay: some programs act on their name
            "instance": os.path.abspath(instance),  # noqa: PTH100 - as above
            "wall_s": _whole(limits.wall_s),
            "own_s": _own(limits.wall_s),
            "memory_mib": _whole(limits.memory_mib),
        }
        used = {name: value for name, value in values.items() if value}
        more = [option.replace("{seed}", _seed(option, seed)) for option in options]
        place = next((at for at, each in enumerate(self.argv) if "{instance}" in each), len(self.argv))
        try:
            own = [argument.format_map(used) for argument in self.argv]
            return (*own[:place], *more, *own[place:])
        except KeyError as error:
            raise UsageError(f"{self.title} needs the limit {error.args[0]} on its command line") from error

    def version(self, binary: str | None = None) -> str:
        """What the package or the program says its version is; empty where it says nothing."""
        if self.module:
            return _packaged(self.package)
        found = self.find(binary)
        return _asked([found, *self.asks]) if found and self.asks else ""


def _located(binary: str) -> str | None:
    """The path of a program, or of a .jar, which need not be executable."""
    if binary.endswith(".jar") and Path(binary).is_file():
        return binary
    return shutil.which(binary) if binary else None


def _origin(module: str) -> str | None:
    """The file of a module, None if it is not installed."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # of the package that should hold it
        return None
    return spec.origin if spec else None


def _packaged(package: str) -> str:
    from importlib import metadata

    try:
        return f"{package} {metadata.version(package)}"
    except (metadata.PackageNotFoundError, ValueError):
        return ""


def _asked(command: list[str]) -> str:
    """The first line with a digit in it that a program prints within a few seconds."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout + done.stderr)[:4096].decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in lines if any(c.isdigit() for c in line)), "")


def _seed(option: str, seed: int | None) -> str:
    if seed is None and "{seed}" in option:
        raise UsageError(f"the option {option} needs a seed")
    return str(seed)


def _whole(limit: float | None) -> str:
    return "" if limit is None else str(math.ceil(limit))


def _own(limit: float | None) -> str:
    """A second before ours, of long runs a fiftieth: so that a solver that needs no SIGTERM gets none.

    >>> _own(60), _own(600), _own(0.5), _own(None)
    ('58', '588', '1', '')
    """
    return "" if limit is None else str(max(1, math.floor(limit - max(1.0, 0.02 * limit))))


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
