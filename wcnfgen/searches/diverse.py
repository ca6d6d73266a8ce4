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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import layout
from wcnfgen.constraints import topology
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

Model = NDArray[np.bool_]


def search(
    linear: Linear,
    encoding: Encoding,
    *,
    trees: int = 2,
    diverse: bool = True,
    layout_depth: int = 0,
    known: NDArray[np.bool_] | None = None,
) -> Events:
    """LMS, then further models of the optimal cost until there are `trees` different ones, or no more.

    The first of them is the last improvement of LMS.  With a layout depth, each layout of so many levels
    that leads to an optimal tree has its share of the trees, and is searched by itself (MPDT_lay).
    """
    _targets(encoding)
    yield from linear.events(known)
    if (best := linear.best) is None:
        return
    parts = _layouts(linear, encoding, best, layout_depth) if layout_depth else [(best.model, list[int]())]
    for number, (model, top) in enumerate(parts):
        share = (trees - number - 1) // len(parts) + 1  # the first ones have one more
        for other in _different(linear, encoding, model, share, diverse, top):
            if other is not best.model:  # LMS has told it
                yield Improvement(linear.seconds(), best.cost, other[: len(best.model)])


def _different(
    linear: Linear, encoding: Encoding, model: Model | None, trees: int, diverse: bool, top: list[int]
) -> Iterator[Model]:
    """Models of different trees under the assumptions `top`, the given one first."""
    targets, fixed = _targets(encoding)
    used: Counter[int] = Counter()
    seen = set[Tree]()
    while model is not None and len(seen) < trees:
        if (tree := encoding.tree(model)) not in seen:  # without counters, trees have several numberings
            yield model
            seen.add(tree)
        literals = [x if model[x] else -x for x in targets if model[x] or not fixed]
        linear.sat.add([[-x for x in literals]])
        used.update(literals)
        if len(seen) < trees:
            model = least(linear.sat, _net(used) if diverse else [], top)


def _layouts(
    linear: Linear, encoding: Encoding, best: Improvement, depth: int
) -> list[tuple[Model, list[int]]]:
    """Each layout that optimal trees have: a model and the literals that fix it; that of the best first."""
    t: Any = encoding.t  # type: ignore[attr-defined]  # `_targets` has seen it
    shape = topology.shape(encoding.tree(best.model))
    found = []
    for bits in sorted(topology.layouts(depth), key=lambda bits: not shape.startswith(bits)):
        if topology.least_nodes(bits) <= t.N:
            top = [x for block in topology.shape_is(t, bits) for x in layout(block).ravel().tolist()]
            model = best.model if shape.startswith(bits) else linear.sat.solve(top)
            found += [(model, top)] if model is not None else []
    return found


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


def least(sat: SatSolver, terms: list[Term], top: Iterable[int] = ()) -> NDArray[np.bool_] | None:
    """A model under assumptions in which the sum is least, None if there is none; leaves no bound behind."""
    best = model = sat.solve(top)
    total: Objective | None = None
    while model is not None:
        best = model
        cost = sum(weight for weight, literal in terms if model[abs(literal)] == (literal > 0))
        if cost == 0:
            break
        total = total or objective(terms, cost, sat)
        model = sat.solve([*top, *total.below(cost)])
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


def check(trees: int, layout_depth: int) -> None:
    """Raises UsageError for numbers that make no sense."""
    if trees < 1:
        raise UsageError(f"--trees {trees}: give a number from 1 on")
    if not 0 <= layout_depth <= topology.MOST_LEVELS:
        raise UsageError(f"--layout-depth {layout_depth}: layouts have 1 to {topology.MOST_LEVELS} levels")


def start(
    file: str,
    *,
    sat: str = "cadical195",
    trees: int = 2,
    diverse: bool = True,
    layout_depth: int = 0,
    witness: bool = False,
) -> Events:
    """MDSOL on a formula that `wcnfgen encode` wrote: the optimum, then further trees of the same cost."""
    check(trees, layout_depth)
    with Reader(file) as reader:
        encoding = from_comments(reader.comments, reader.name).encoding
    linear = Linear(sat)
    linear.read(file)
    known = witness_of(file) if witness else None
    return search(linear, encoding, trees=trees, diverse=diverse, layout_depth=layout_depth, known=known)


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start))
