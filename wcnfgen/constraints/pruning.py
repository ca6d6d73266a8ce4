"""The counters of section 3.3 of Narodytska et al. 2018, with unused nodes as in MPDT (19)-(23).

λ_t,i says that at least t of the nodes 1..i are leaves, τ_t,i that at least t are tests.  How many
leaves stand before a node bounds which children it can have, and with the counters the numbering
is breadth first and nothing else: without them the structure of a 9-node tree has 16 models for 14
trees.  So this is a symmetry breaker, not merely redundant, and it is what makes "unsatisfiable"
cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import clauses
from wcnfgen.variables import Literals, Pool

Used = Callable[[int], tuple[int, ...]]  # the literal that says "node i is used", or () if it always is


def most_leaves(i: int) -> int:
    """How many of the nodes 1..i can be leaves: ⌈i/2⌉."""
    return (i + 1) // 2


class Counters:
    """λ and τ for the nodes 1..N; arrays of shape (N+1, N+1), indexed (t, i)."""

    def __init__(self, N: int, pool: Pool) -> None:
        self.N = N
        t, i = np.indices((N + 1, N + 1))
        self.lam = pool.new((t >= 1) & (t <= (i + 1) // 2))
        self.tau = pool.new((t >= 1) & (t <= i))

    def assign(self, assignment: NDArray[np.bool_], leaf: NDArray[np.bool_], test: NDArray[np.bool_]) -> None:
        """Set all counters; leaf[i] and test[i] say what node i is (neither: unused)."""
        for x, is_one in ((self.lam, leaf), (self.tau, test)):
            t, i = np.nonzero(x)
            assignment[x[t, i]] = np.cumsum(is_one)[i] >= t


def leaves_are_counted(k: Counters, v: Literals, used: Used) -> Iterator[Literals]:
    """(20)  λ_t,i ↔ λ_t,i-1 ∨ (λ_t-1,i-1 ∧ v_i ∧ η(i))     i ∈ N, t ∈ [1, ⌈i/2⌉]."""
    for i in range(1, k.N + 1):
        yield from _counted(k.lam, i, most_leaves(i), most_leaves(i - 1), (v[i], *used(i)))


def tests_are_counted(k: Counters, v: Literals, used: Used) -> Iterator[Literals]:
    """(21)  τ_t,i ↔ τ_t,i-1 ∨ (τ_t-1,i-1 ∧ ¬v_i ∧ η(i))     i ∈ N, t ∈ [1, i]."""
    for i in range(1, k.N + 1):
        yield from _counted(k.tau, i, i, i - 1, (-v[i], *used(i)))


def leaves_bound_the_children(k: Counters, l: Literals) -> Iterator[Literals]:  # noqa: E741 - the paper's letter
    """(22)  λ_t,i → ¬l_i,2(i-t+1)     i ∈ N, t ∈ [1, ⌈i/2⌉]; the same for r_i,2(i-t+1)+1."""
    for i in range(1, k.N + 1):
        t = np.arange(1, most_leaves(i) + 1)
        yield from _no_such_child(k.lam[t, i], l[i], 2 * (i - t + 1))


def tests_bound_the_children(k: Counters, l: Literals) -> Iterator[Literals]:  # noqa: E741 - the paper's letter
    """(23)  τ_t,i → ¬l_i,2(t-1)     i ∈ N, t ∈ [⌈i/2⌉+1, i]; the same for r_i,2t-1."""
    for i in range(1, k.N + 1):
        t = np.arange(most_leaves(i) + 1, i + 1)
        yield from _no_such_child(k.tau[t, i], l[i], 2 * (t - 1))


def _no_such_child(x: Literals, child: Literals, j: NDArray[np.intp]) -> Iterator[Literals]:
    """x → ¬child_j for the j that exist."""
    exists = (j < len(child)) & (child[np.minimum(j, len(child) - 1)] > 0)
    if exists.any():
        yield clauses(-x[exists], -child[j[exists]])


def _counted(x: Literals, i: int, top: int, before: int, one: tuple[int, ...]) -> Iterator[Literals]:
    """x_t,i ↔ x_t,i-1 ∨ (x_t-1,i-1 ∧ one), where x_0,· is true and x_t,i-1 is false for t > before."""
    for first, last in ((1, 1), (2, before), (max(2, before + 1), top)):
        t = np.arange(first, last + 1)
        if len(t):
            keep = (x[t, i - 1],) if last <= before else ()
            add = (*one, x[t - 1, i - 1]) if first > 1 else one
            yield from _defined(x[t, i], keep, add)


def _defined(x: Literals, keep: tuple[Literals, ...], add: tuple[Literals | int, ...]) -> Iterator[Literals]:
    """x ↔ keep ∨ (all of add), each a column of literals."""
    for k in keep:
        yield clauses(x, -k)
    yield clauses(x, *(-a for a in add))
    for a in add:
        yield clauses(-x, *keep, a)
