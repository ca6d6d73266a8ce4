"""Searches: the papers' algorithms around a SAT solver, one file each.

A search is a generator: an `Improvement` for each better model as it is found, and `Proved` when
there is nothing left to find.  Improvements of equal cost may follow a proof: more models of the
optimum.  Whoever consumes it may stop at any time and has the best model so far.

The file `NAME.py` has a function ``start(file, *, sat=..., ...)`` that begins the search on a WCNF
file, and is a program, ``python -m wcnfgen.searches.NAME FILE``, that speaks the protocol of the MaxSAT
Evaluation (`wcnfgen.searches._program`): a search is a solver to be run, limited and compared like
any other.  The keyword parameters of ``start`` are the program's options.

SAT solvers are those of PySAT, incremental, by name; CaDiCaL 1.9.5 unless another is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Sat = Literal["cadical195", "cadical153", "glucose3", "glucose4", "glucose42", "maplechrono", "minisat22"]


@dataclass(frozen=True, slots=True, eq=False)
class Improvement:
    """A model, indexed by variable (entry 0 is unused), and what it costs; seconds since the search began."""

    seconds: float
    cost: int
    model: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Proved:
    """The last improvement is optimal, or, without one, the formula is unsatisfiable."""

    seconds: float
    status: Literal["OPTIMUM FOUND", "UNSATISFIABLE"]


Events = Iterator[Improvement | Proved]


def clock() -> Callable[[], float]:
    """Seconds since this call."""
    began = time.monotonic()
    return lambda: time.monotonic() - began
