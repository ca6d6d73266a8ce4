"""MDSOL: several optimal trees, as different from each other as can be.

Algorithm 2 of MPDT (Alòs, Ansótegui and Torres 2023, section 6) goes on where LMS ends, with the
solver that holds the formula of all optimal models.  A tree that was found is forbidden, and the next
one should share as few values of the target variables, those that say which node tests which
feature, as possible with all trees found so far: a MaxSAT problem again.  Without diversity, any
other tree will do: plain enumeration.

At a fixed size both the clause that forbids a tree and the soft clauses may leave out the target
variables that are false: the true ones, one for each test, say everything about a pure tree of least
size, and two trees differ in as many false ones as in true ones.  That makes clauses of (N - 1)/2
literals instead of K*N, and the same trees.  Where the size is not fixed, all target variables
count, as printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.encodings import Encoding
from wcnfgen.errors import UsageError
from wcnfgen.map import from_comments
from wcnfgen.reader import Reader
from wcnfgen.searches import Events, Improvement
from wcnfgen.searches._objective import Objective, Term, objective
from wcnfgen.searches._sat import SatSolver
from wcnfgen.searches.lms import Linear, witness_of
from wcnfgen.tree import Tree
from wcnfgen.variables import Literals


def search(
    linear: Linear,
    encoding: Encoding,
    *,
    trees: int = 2,
    diverse: bool = True,
    known: NDArray[np.bool_] | None = None,
) -> Events:
    """LMS, then further models of the optimal cost until there are `trees` different ones, or no more.

    The first of them is the last improvement of LMS.
    """
    targets, fixed = _targets(encoding)
    yield from linear.events(known)
    best = linear.best
    used: Counter[int] = Counter()
    seen = set[Tree]()
    while best is not None:
        if (tree := encoding.tree(best.model)) not in seen:  # without counters, trees have several numberings
            if seen:
                yield best
            seen.add(tree)
        if len(seen) >= trees:
            return
        literals = [x if best.model[x] else -x for x in targets if best.model[x] or not fixed]
        linear.sat.add([[-x for x in literals]])
        used.update(literals)
        model = least(linear.sat, _net(used) if diverse else [])
        best = None if model is None else Improvement(linear.seconds(), best.cost, model[: len(best.model)])


def optimal_trees(
    encoding: Encoding, *, trees: int, diverse: bool = True, sat: str = "cadical195"
) -> Iterator[Tree]:
    """Optimal trees of an encoding, each once; fewer than asked for if there are no more."""
    linear = Linear(sat)
    linear.take(encoding)
    events = [e for e in search(linear, encoding, trees=trees, diverse=diverse) if isinstance(e, Improvement)]
    for event in events:
        if event.cost == events[-1].cost:
            yield encoding.tree(event.model)


def least(sat: SatSolver, terms: list[Term]) -> NDArray[np.bool_] | None:
    """A model in which the sum is least, None if there is no model; leaves no bound behind."""
    best = model = sat.solve()
    total: Objective | None = None
    while model is not None:
        best = model
        cost = sum(weight for weight, literal in terms if model[abs(literal)] == (literal > 0))
        if cost == 0:
            break
        total = total or objective(terms, cost, sat)
        model = sat.solve(total.below(cost))
    return best


def _targets(encoding: Encoding) -> tuple[list[int], bool]:
    """The variables a_rj, and whether all optimal trees are of one size.  Raises UsageError."""
    a: Literals | None = getattr(getattr(encoding, "t", None), "a", None)
    if a is None:
        raise UsageError(f"several trees need nodes that choose a feature; in {encoding.name} they do not")
    return a[a > 0].tolist(), encoding.name == "size"


def _net(used: Counter[int]) -> list[Term]:
    """How often each value was seen; of opposite ones, by how much the one was seen more often."""
    variables: Iterable[int] = dict.fromkeys(map(abs, used))
    more = [(used[x] - used[-x], x) for x in variables]
    return [(abs(count), x if count > 0 else -x) for count, x in more if count]


def start(
    file: str, *, sat: str = "cadical195", trees: int = 2, diverse: bool = True, witness: bool = False
) -> Events:
    """MDSOL on a formula that `wcnfgen encode` wrote: the optimum, then further trees of the same cost."""
    if trees < 1:
        raise UsageError(f"--trees {trees}: give a number from 1 on")
    with Reader(file) as reader:
        encoding = from_comments(reader.comments, reader.name).encoding
    linear = Linear(sat)
    linear.read(file)
    known = witness_of(file) if witness else None
    return search(linear, encoding, trees=trees, diverse=diverse, known=known)


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start))
