"""An encoding turns rows into clauses, and models back into trees.  One file each, found by its name.

To add one, write `wcnfgen/encodings/NAME.py` with a subclass of `Encoding` called as the file is,
in capitals (`size.py` holds `Size`).  Its keyword-only parameters become options of
``wcnfgen encode --encoding NAME``, and the conformance tests and the oracle run over it.

The objective stands in an encoding twice: as soft clauses, and as `cost(tree)` in plain Python.
The tests hold one against the other, with brute force as the judge.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen import tree as trees
from wcnfgen.clauses import Block
from wcnfgen.errors import UsageError
from wcnfgen.tree import Tree
from wcnfgen.variables import Literals, Pool

if TYPE_CHECKING:
    from wcnfgen.rows import Problem


Format = Literal["wcnf", "wcnf-old", "cnf"]


class Encoding(ABC):
    """The formula of one problem under given options; constructing it numbers all variables.

    Numbering depends on the options, the number of features, classes and rows only, never on the
    cells, so that a model can be decoded without the data.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]

    def __init__(self, problem: Problem):
        self.problem = problem
        self.pool = Pool()

    @classmethod
    @abstractmethod
    def plan(cls, problem: Problem, **options: Any) -> Plan:
        """Fill in what the user left open (bounds) and check what the user gave."""

    @classmethod
    def may_err(cls, options: dict[str, Any]) -> bool:
        """Whether rows may be wrong under these options of `plan`: then conflicting rows can stay."""
        return bool(options.get("soft_rows"))

    @classmethod
    def reducible(cls, options: dict[str, Any]) -> bool:
        """Whether columns that say nothing new can be left out under these options of `plan`."""
        return True

    @property
    @abstractmethod
    def pure(self) -> bool:
        """Whether every row must be classified rightly."""

    @property
    @abstractmethod
    def decision(self) -> bool:
        """Whether nothing is optimised: there are no soft clauses."""

    @property
    def formats(self) -> tuple[Format, ...]:
        """How it can be written, the default first."""
        return ("cnf", "wcnf", "wcnf-old") if self.decision else ("wcnf", "wcnf-old", "cnf")

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """What the constructor needs to build the same formula again; JSON types only."""

    @property
    @abstractmethod
    def meaning_of_cost(self) -> str:
        """One line that says how a cost is to be read, such as ``size = 2*cost + 3``."""

    @abstractmethod
    def hard(self) -> Iterator[Block]:
        """The hard clauses."""

    @abstractmethod
    def soft(self) -> Iterator[tuple[int, Literals]]:
        """The soft clauses, as blocks of one weight."""

    @abstractmethod
    def tree(self, assignment: NDArray[np.bool_]) -> Tree:
        """The tree of a model, which is indexed by variable.  Raises ValueError if there is none."""

    @abstractmethod
    def cost(self, tree: Tree) -> int:
        """What the soft clauses charge for the tree, from its definition."""

    @abstractmethod
    def allows(self, tree: Tree) -> bool:
        """Whether the hard clauses admit the tree, from their definition."""

    @abstractmethod
    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """Set every variable, auxiliary ones included, to what the tree makes it; all are False before."""

    def model(self, tree: Tree) -> NDArray[np.bool_]:
        """A full assignment, indexed by variable, that means the tree: a model without a solver.

        Raises ValueError if the formula allows no such tree.
        """
        if not self.allows(tree):
            raise ValueError(f"{self.options} allows no such tree, of size {trees.size(tree)}")
        assignment = np.zeros(self.variables + 1, bool)
        self.assign(tree, assignment)
        return assignment

    @property
    def variables(self) -> int:
        """The number of variables; each is used, and there are no gaps."""
        return self.pool.count


@dataclass(frozen=True, slots=True)
class Plan:
    """An encoding with everything decided, and what is known before any solver is asked.

    witness is a tree that satisfies the hard clauses, None if none is known; no tree that fits the
    data costs less than least_cost, which is proved.  assumed_cost is the least cost that a bound of
    the user's allows where nothing proves it: at that cost an optimum of the formula is none of the data.
    """

    encoding: Encoding
    witness: Tree | None
    least_cost: int = 0
    assumed_cost: int | None = None
    notes: list[str] = field(default_factory=list)


def names() -> list[str]:
    """The encodings there are, in alphabetical order.

    >>> "size" in names()
    True
    """
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in modules if not name.startswith("_"))


def get(name: str) -> type[Encoding]:
    """The class of an encoding.  Raises UsageError for an unknown name."""
    if name not in names():
        raise UsageError(f"unknown encoding {name!r}; there are: {', '.join(names())}")
    found: type[Encoding] = getattr(importlib.import_module(f"{__name__}.{name}"), name.title())
    return found
