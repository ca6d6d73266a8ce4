"""MinDT's linear descent: is there a pure tree of N nodes, of N - 2, of N - 4, ...?

Narodytska et al. 2018: each question is a formula of its own (encoding `exact`), for a SAT solver that
starts afresh.  The sizes of the pure trees of consistent rows are contiguous, from the least one to that
of the largest tree that repeats no test on a path, so the first "no" proves the size before it
optimal; no question is asked below the lower bound.

The target is a formula of the encoding `size`: it says what is looked for, between which bounds, and in which
variables a tree is reported, so that the search is a solver of such formulas beside all others.
"""

from __future__ import annotations

from typing import Any

from wcnfgen import searches
from wcnfgen.encodings import Encoding
from wcnfgen.encodings._core import most_nodes
from wcnfgen.encodings.exact import Exact
from wcnfgen.encodings.size import Size
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.map import from_comments
from wcnfgen.reader import Reader
from wcnfgen.rows import Problem
from wcnfgen.searches import Events, Improvement, Proved
from wcnfgen.tree import Tree, size


def search(target: Size, *, sat: str = "cadical195", known: Tree | None = None) -> Events:
    """Search for the smallest tree that the target allows, from a known one where there is one."""
    seconds = searches.clock()
    tree, nodes = known, min(target.N, most_nodes(target.problem.features))
    if known is not None:
        yield Improvement(seconds(), target.cost(known), target.model(known))
        nodes = size(known) - 2
    options = {"form": target.form, "counters": target.with_counters}
    options |= {"reach": target.x is not None, "root_bounds": target.with_root_bounds}
    while nodes >= target.lb:
        found = exact(target.problem, nodes, sat, **options)
        if found is None:
            break
        tree = found
        yield Improvement(seconds(), target.cost(tree), target.model(tree))
        nodes -= 2
    yield Proved(seconds(), "UNSATISFIABLE" if tree is None else "OPTIMUM FOUND")


def exact(problem: Problem, nodes: int, sat: str = "cadical195", **options: Any) -> Tree | None:
    """A pure tree of exactly so many nodes, None if there is none."""
    from wcnfgen.searches.lms import Linear

    encoding = Exact(problem, nodes=nodes, **options)
    linear = Linear(sat)
    linear.take(encoding)
    model = linear.sat.solve()
    linear.sat.close()
    return None if model is None else encoding.tree(model)


def start(file: str, *, sat: str = "cadical195") -> Events:
    """MinDT's descent on a formula that `wcnfgen encode` wrote: encoding `size`, with its rows."""
    with Reader(file) as reader:
        found = from_comments(reader.comments, reader.name)
    target: Encoding = found.encoding
    if not isinstance(target, Size):
        raise UsageError(f"{file}: the descent is for the encoding size, this is {target.name}")
    if not target.pure:
        raise UsageError(f"{file}: the descent is for pure trees, here rows may be wrong")
    if target.layout:
        raise UsageError(f"{file}: the descent is for trees of any layout, this fixes {target.layout}")
    if not found.has_rows:
        raise FormatError(f"{file}: the file does not hold its rows; encode with --embed-rows")
    return search(target, sat=sat, known=found.witness)


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start))
