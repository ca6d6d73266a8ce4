"""Trees of other packages, on the rows and columns that our formulas are made of.

    cart       scikit-learn's CART: greedy                                      Breiman et al. 1984
    dl8.5      pydl8.5: fewest errors within a depth, by dynamic programming    Aglin et al. 2020
    streed     pystreed: the same, also within a number of nodes                van der Linden et al. 2023
    adaboost   scikit-learn's AdaBoost of CART trees                            Freund and Schapire 1997
    bagging    scikit-learn's bootstrap samples, a CART tree of each            Breiman 1996

They see each row as often as it occurs, columns as numbers and classes as indices, and keep their defaults
but for the limits.  Their trees become ours node by node, whatever they count themselves; who wants to know
how good one is asks us.

Each runs in a process of its own (`growing`), under a driver: what is written in C++ stops for nobody else,
and dynamic programming eats memory.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from wcnfgen import leftovers
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree, from_list
from wcnfgen.words import last_line

Method = Literal["cart", "dl8.5", "streed", "adaboost", "bagging"]
Ended = Literal["done", "wall", "memory", "interrupt"]
OPTIMAL: tuple[Method, ...] = ("dl8.5", "streed")
VOTES: tuple[Method, ...] = ("adaboost", "bagging")
DEEPEST = 20  # of STreeD
START_S = 20.0  # Python and scikit-learn, on a machine that has other things to do


class Package(NamedTuple):
    """What a method needs: a module, the package that has it and our extra that installs it."""

    module: str
    name: str
    extra: str


PACKAGES: dict[Method, Package] = {
    "cart": Package("sklearn.tree", "scikit-learn", "learn"),
    "dl8.5": Package("pydl85", "pydl8.5", "peers"),
    "streed": Package("pystreed", "pystreed", "peers"),
    "adaboost": Package("sklearn.ensemble", "scikit-learn", "learn"),
    "bagging": Package("sklearn.ensemble", "scikit-learn", "learn"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked for; None is no limit.

    depth in edges, nodes with leaves, trees of an ensemble, wall_s in seconds.  Each of
    the seeds from `seed` on gives a tree; with all_sizes, one for each number of nodes up to the limit.
    """

    method: Method
    depth: int | None = None
    nodes: int | None = None
    trees: int = 21
    seed: int = 0
    seeds: int = 1
    all_sizes: bool = False
    wall_s: float | None = None
    memory_mib: float | None = None

    def check(self) -> None:
        """Refuse what the method cannot do, or what is not installed.  Raises UsageError."""
        if self.method not in get_args(Method):
            raise UsageError(f"--method {self.method}: choose one of {', '.join(get_args(Method))}")
        if self.depth is not None and self.depth < 1:
            raise UsageError(f"--depth {self.depth}: give a number from 1 on")
        if self.nodes is not None and (self.nodes < 3 or self.nodes % 2 == 0):
            raise UsageError(
                f"--nodes {self.nodes}: a tree with a test has an odd number of nodes, from 3 on"
            )
        if self.trees < 1:
            raise UsageError(f"--trees {self.trees}: give a number from 1 on")
        if self.seeds < 1:
            raise UsageError(f"--seeds {self.seeds}: give a number from 1 on")
        if not 0 <= self.seed <= 2**32 - self.seeds:
            raise UsageError(f"--seed {self.seed}: a number from 0 to 2^32 - 1")
        if self.wall_s is not None and self.wall_s <= 0:
            raise UsageError(f"--wall {self.wall_s}: give a positive number, or none")
        self._check_method()
        package = PACKAGES[self.method]
        if find_spec(package.module.split(".")[0]) is None:
            raise UsageError(f"{package.name} is not installed: pip install 'wcnfgen[{package.extra}]'")

    def _check_method(self) -> None:
        if self.seeds > 1 and self.method != "cart":
            raise UsageError("--seeds goes with --method cart: the others are one answer")
        if self.all_sizes and (self.method != "cart" or self.nodes is None):
            raise UsageError("--all-sizes goes with --method cart and --nodes, the largest of them")
        if self.method == "dl8.5" and self.nodes is not None:
            raise UsageError("--method dl8.5 knows no --nodes; --method streed does")
        if self.method in ("dl8.5", "adaboost") and self.depth is None:
            raise UsageError(f"--method {self.method} needs --depth")
        if self.method == "streed" and self.depth is None and self.nodes is None:
            raise UsageError("--method streed needs --depth or --nodes")
        if self.method == "streed" and self.deepest > DEEPEST:
            raise UsageError(f"--method streed: a depth up to {DEEPEST}; give --depth")

    @property
    def tests(self) -> int | None:
        """Nodes that are no leaves."""
        return None if self.nodes is None else self.nodes // 2

    @property
    def made(self) -> list[Settings]:
        """The settings of each single tree.

        >>> [(each.nodes, each.seed) for each in Settings(method="cart", nodes=5, all_sizes=True).made]
        [(3, 0), (5, 0)]
        """
        smaller = range(3, self.nodes, 2) if self.all_sizes and self.nodes else ()
        seeds = range(self.seed, self.seed + self.seeds)
        return [replace(self, nodes=nodes, seed=seed) for nodes in (*smaller, self.nodes) for seed in seeds]

    @property
    def deepest(self) -> int:
        """The depth that the limits leave: as many tests in a row as there may be.

        >>> Settings(method="streed", depth=3, nodes=5).deepest
        2
        """
        return min(each for each in (self.depth, self.tests) if each is not None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it.

    trees     and alphas, what the vote of each counts; none if a limit came first
    proved    the package says that no tree within the limits has fewer errors
    seconds   wall time of the search alone; peak_mib: memory of its process
    """

    trees: tuple[Tree, ...]
    alphas: tuple[float, ...]
    proved: bool
    ended: Ended
    seconds: float
    peak_mib: float


def named(method: Method) -> str:
    """The package of a method, with its version."""
    name = PACKAGES[method].name
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


# ---------------------------------------------------------------------------- our side


def run(problem: Problem, settings: Settings) -> Answer:
    """Learn trees of the rows in a process of its own.  Raises UsageError, WcnfgenError if it fails."""
    from wcnfgen.drivers import Limits
    from wcnfgen.drivers.local import run as drive

    settings.check()
    wall = None if settings.wall_s is None else settings.wall_s + START_S
    limits = Limits(wall_s=wall, memory_mib=settings.memory_mib, grace_s=0.5)
    with leftovers.folder() as name:
        request, answer, notes = (Path(name) / each for each in ("request.json", "answer.json", "notes"))
        request.write_text(json.dumps(_request(problem, settings)), "utf-8")
        command = (sys.executable, "-m", "wcnfgen.peers.growing", str(request), str(answer))
        ran = drive(command, limits, stdout=None, stderr=notes)
        if ran.limit in ("wall", "memory", "interrupt"):
            return Answer((), (), False, ran.limit, ran.wall_s, ran.peak_mib)
        if ran.exit_code:
            why = last_line(notes.read_text("utf-8", "replace")) or f"ended with exit code {ran.exit_code}"
            raise WcnfgenError(f"{named(settings.method)}: {why}")
        return _read(json.loads(answer.read_text("utf-8")), ran.peak_mib)


def _request(problem: Problem, settings: Settings) -> dict[str, Any]:
    rows = ["".join(map(str, row)) for row in problem.X.tolist()]
    of_rows = {"rows": rows, "classes": problem.y.tolist(), "counts": problem.counts.tolist()}
    return {"settings": asdict(settings), **of_rows}


def _read(said: dict[str, Any], peak_mib: float) -> Answer:
    trees = tuple(map(from_list, said["trees"]))
    late: Ended = "wall" if said["late"] else "done"
    return Answer(trees, tuple(said["alphas"]), said["proved"], late, said["seconds"], peak_mib)
