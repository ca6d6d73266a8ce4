"""The core formula: one tree of at most (or exactly) N nodes that classifies rows.

It says what the papers say with what they leave implicit substituted away: no p and r (a right
child is its sibling plus one), no u (a tested feature is a d), the definitions of d stated once for
each possible parent, so that no Tseitin variable is needed, and every at-most-one unconditional.
That makes six to seven times fewer variables than the printed form, and faster proofs.  Each
constraint is a function from the variables to blocks of clauses; an encoding picks the
ones it needs.

Numbers in brackets are those of MPDT (Alòs, Ansótegui and Torres 2023), which reprints those of
MinDT (Narodytska et al. 2018) with unused nodes added; an asterisk marks a clause that the print
lacks and without which it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clause, clauses
from wcnfgen.constraints import pruning
from wcnfgen.constraints.counting import at_most_one, pairwise
from wcnfgen.constraints.nodes import left_child_of, left_pairs, lr, nodes, parents
from wcnfgen.tree import Leaf, Node, Tree, breadth_first
from wcnfgen.variables import Literals, Pool


class Usage:
    """Which nodes are used, for a tree of either form: eta[i] is a variable, or 0 where node i always is."""

    eta: Literals

    def used(self, i: int) -> tuple[int, ...]:
        """The literal "node i is used"; none where it always is."""
        return (int(self.eta[i]),) if self.eta[i] else ()

    def unused(self, i: int) -> tuple[int, ...]:
        """Its negation: what relaxes a constraint on node i."""
        return tuple(-x for x in self.used(i))


class CoreTree(Usage):
    """The variables of a tree of N nodes over K features and C classes.

    v[i]        node i is a leaf
    l[i, j]     node j is the left child of node i                    j in LR(i)
    eta[i]      node i is used; 0 where it always is (i <= 3, or exact size)
    a[r, j]     node j tests feature r
    d[s, r, j]  rows with value s of feature r cannot reach node j
    c[k, j]     leaf j has class k; with two classes c[1, j] is one variable and c[0, j] its negation
    """

    def __init__(self, N: int, K: int, C: int, pool: Pool, *, exact: bool = False, counters: bool = True):
        self.N, self.K, self.C, self.pool = N, K, C, pool
        pool.room(N, 4 * N + 3 * K + C)
        self.v = pool.new(nodes(N))
        self.eta = self._usage(exact)
        self.l = pool.new(left_pairs(N))
        self.a = pool.new(np.repeat(nodes(N)[:, None], K, axis=1)).T
        self.c = class_literals(N, C, pool)
        self.d = pool.new(np.repeat(nodes(N), 2 * K).reshape(N + 1, K, 2)).transpose(2, 1, 0)
        self.counters = pruning.Counters(N, pool) if counters else None
        self.amo_features = [at_most_one(self.a[:, j], pool) for j in range(1, N + 1)]

    def _usage(self, exact: bool) -> Literals:
        """η of the odd nodes from 5 on, shared with the even node before."""
        odd = np.arange(self.N + 1)
        eta = self.pool.new((odd % 2 == 1) & (odd >= 5) & (not exact))
        eta[4::2] = eta[5::2]
        return eta

    @property
    def ends(self) -> range:
        """The nodes at which rows can end: node 1 is no leaf."""
        return range(2, self.N + 1)

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """Set every variable to what the tree says; unused nodes are nothing at all."""
        order = breadth_first(tree)
        leaf, test = kinds(order, self.N)
        assign_nodes(self.c, self.a, order, assignment)
        for i, j in left_child_of(tree):
            assignment[self.l[i, j]] = True
        assignment[self.v[leaf]] = True
        assignment[self.eta[(leaf | test) & (self.eta > 0)]] = True
        for i, excluded in enumerate(path_excludes(order, self.K), 1):
            assignment[self.d[:, :, i][excluded]] = True
        if self.counters:
            self.counters.assign(assignment, leaf, test)
        for amo in self.amo_features:
            amo.assign(assignment)

    def decode(self, assignment: NDArray[np.bool_]) -> Tree:
        """The tree of a model.  Raises ValueError where the model describes none."""
        return decode(assignment, self.v, self.l, self.a, labels(self.c, assignment))


def class_literals(N: int, C: int, pool: Pool) -> Literals:
    """c[k, j] of shape (C, N+1): C variables a node, or one with its negation where there are two classes."""
    if C > 2:
        return pool.new(np.repeat(nodes(N)[:, None], C, axis=1)).T
    one = pool.new(nodes(N))
    return np.stack([-one, one])


def assign_nodes(c: Literals, a: Literals, order: list[Tree], assignment: NDArray[np.bool_]) -> None:
    """Give each leaf its class and each test its feature."""
    for i, node in enumerate(order, 1):
        if isinstance(node, Leaf):
            assignment[abs(int(c[node.label, i]))] = c[node.label, i] > 0
        else:
            assignment[a[node.test, i]] = True


def labels(c: Literals, assignment: NDArray[np.bool_]) -> Callable[[int], list[int]]:
    """The classes that a model gives to node j."""
    true = assignment[np.abs(c)] ^ (c < 0)
    return lambda j: [int(k) for k in np.flatnonzero(true[:, j])]


def kinds(order: list[Tree], N: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks over the nodes 0..N: which are leaves, which are tests."""
    leaf, test = np.zeros(N + 1, bool), np.zeros(N + 1, bool)
    for i, node in enumerate(order, 1):
        (leaf if isinstance(node, Leaf) else test)[i] = True
    return leaf, test


def path_excludes(order: list[Tree], K: int) -> list[NDArray[np.bool_]]:
    """For each node the (2, K) mask of the values whose rows cannot reach it."""
    excluded = [np.zeros((2, K), bool)]
    for node, own in zip(order, excluded, strict=False):  # grows as the children are met
        if isinstance(node, Node):
            for value in (1, 0):  # the left child excludes value 1, the right one value 0
                child = own.copy()
                child[value, node.test] = True
                excluded.append(child)
    return excluded


def decode(
    assignment: NDArray[np.bool_],
    v: Literals,
    l: Literals,  # noqa: E741 - the paper's letter
    a: Literals,
    classes: Callable[[int], list[int]],
) -> Tree:
    """Read a tree off v, l, a and the classes that `classes(j)` lists for leaf j."""
    N = len(v) - 1
    built: dict[int, Tree] = {}
    for i in range(N, 0, -1):  # children come after their parents
        if assignment[v[i]]:
            built[i] = Leaf(_only(classes(i), f"classes of leaf {i}"))
            continue
        kids = [j for j in lr(i, N) if assignment[l[i, j]]]
        tests = np.flatnonzero(assignment[a[:, i]])
        if len(kids) == 1 and len(tests) == 1 and {kids[0], kids[0] + 1} <= built.keys():
            built[i] = Node(int(tests[0]), built[kids[0]], built[kids[0] + 1])
    if 1 not in built:
        raise ValueError("the model describes no tree: some test has not one feature and two children")
    return built[1]


def _only(found: list[int], what: str) -> int:
    if len(found) != 1:
        raise ValueError(f"the model describes no tree: {what}: {found}")
    return found[0]


# ---------------------------------------------------------------------------- structure


def root_is_a_test(t: CoreTree) -> Iterator[Block]:
    """(4)  ¬v_1."""
    yield clauses(-t.v[1])


def nodes_are_used_in_order(t: CoreTree, lb: int) -> Iterator[Block]:
    """(1)-(3)  v_i → η(i);  η_i+2 → η_i;  η_lb."""
    later = np.flatnonzero(t.eta)
    yield clauses(-t.v[later], t.eta[later])
    yield clauses(-t.eta[7::2], t.eta[5:-2:2])
    if lb >= 5:
        yield clauses(t.eta[lb])


def leaves_have_no_child(t: CoreTree) -> Iterator[Block]:
    """(5)  v_i → ¬l_ij     i ∈ N, j ∈ LR(i)."""
    i, j = np.nonzero(t.l)
    yield clauses(-t.v[i], -t.l[i, j])


def tests_have_one_left_child(t: CoreTree) -> Iterator[Block]:
    """(7)  η(i) → v_i ∨ ⋁_j l_ij;  Σ_j l_ij <= 1     i ∈ N, j ∈ LR(i)."""
    for i in range(1, t.N + 1):
        kids = t.l[i, list(lr(i, t.N))]
        yield clause(*t.unused(i), t.v[i], kids)
        yield pairwise(kids)


def left_nodes_have_one_parent(t: CoreTree) -> Iterator[Block]:
    """(9)  η(j) → ⋁_i l_ij;  Σ_i l_ij <= 1;  l_ij → η(j) (*)     j even, i ∈ parents(j)."""
    for j in range(2, t.N + 1, 2):
        up = t.l[parents(j), j]
        yield clause(*t.unused(j), up)
        yield pairwise(up)
        for used in t.used(j):
            yield clauses(-up, used)


def counters_prune(t: CoreTree) -> Iterator[Block]:
    """(19)-(23); η(i) is left out of (20), where v_i implies it."""
    if t.counters:
        yield from pruning.leaves_are_counted(t.counters, t.v, lambda i: ())
        yield from pruning.tests_are_counted(t.counters, t.v, t.used)
        yield from pruning.leaves_bound_the_children(t.counters, t.l)
        yield from pruning.tests_bound_the_children(t.counters, t.l)


# ---------------------------------------------------------------------------- features and paths


def tests_have_one_feature(t: CoreTree) -> Iterator[Block]:
    """(15), (16)  η(j) → v_j ∨ ⋁_r a_rj;  Σ_r a_rj <= 1;  v_j → ¬a_rj;  a_rj → η(j) (*)."""
    for j in range(1, t.N + 1):
        yield clause(*t.unused(j), t.v[j], t.a[:, j])
        yield from t.amo_features[j - 1].blocks()
        yield clauses(-t.v[j], -t.a[:, j])
        for used in t.used(j):
            yield clauses(-t.a[:, j], used)


def nothing_is_excluded_at_the_root(t: CoreTree) -> Iterator[Block]:
    """(12)  ¬d⁰_r1 ∧ ¬d¹_r1."""
    yield clauses(-t.d[:, :, 1].ravel())


def children_exclude_what_their_parent_sends_elsewhere(t: CoreTree) -> Iterator[Block]:
    """(10), (11) under the parent i of j, j even:

    l_ij → (d⁰_rj ↔ d⁰_ri) ∧ (d¹_rj ↔ d¹_ri ∨ a_ri) ∧ (d¹_r,j+1 ↔ d¹_ri) ∧ (d⁰_r,j+1 ↔ d⁰_ri ∨ a_ri).
    """
    for j in range(2, t.N + 1, 2):
        i = parents(j)
        no = -t.l[i, j]  # shape (parents,), against (features, parents)
        a, d = t.a[:, i], t.d[:, :, i]
        for child, goes in ((j, 0), (j + 1, 1)):
            same, other = t.d[goes, :, child, None], t.d[1 - goes, :, child, None]
            yield clauses(no, -same, d[goes])
            yield clauses(no, same, -d[goes])
            yield clauses(no, -other, d[1 - goes], a)
            yield clauses(no, other, -d[1 - goes])
            yield clauses(no, other, -a)


def no_feature_is_tested_twice_on_a_path(t: CoreTree) -> Iterator[Block]:
    """(13), (14)  d⁰_rj → ¬a_rj;  d¹_rj → ¬a_rj     j >= 2."""
    for j in range(2, t.N + 1):
        yield clauses(-t.d[:, :, j], -t.a[None, :, j])


# ---------------------------------------------------------------------------- classes and rows


def leaves_have_one_class(t: CoreTree) -> Iterator[Block]:
    """(25), (26)  c_kj → v_j;  v_j → ⋁_k c_kj;  Σ_k c_kj <= 1; two classes need only c_j → v_j."""
    for j in range(1, t.N + 1):
        positive = t.c[t.c[:, j] > 0, j]
        yield clauses(-positive, t.v[j])
        if t.C > 2:
            yield clause(-t.v[j], positive)
            yield pairwise(positive)


def rows_are_classified(t: CoreTree, bits: Bits, y: NDArray[np.int32]) -> Iterator[Block]:
    """(17), (18), (24)  v_j → [class of q at j] ∨ ⋁_r d^σ(r,q)_rj     q a row.

    The data matrix itself is σ.
    """
    for j in t.ends:
        head = np.empty((len(y), 2), np.int32)
        head[:, 0] = -t.v[j]
        head[:, 1] = t.c[y, j]
        yield Choice(head, t.d[:, :, j], bits)


def root_tests_need_nodes(t: CoreTree, needed: NDArray[np.int64]) -> Iterator[Block]:
    """a_r1 → η(n), or ¬a_r1 if there are not so many nodes     n = needed[r], of `bounds.root_bounds`.

    Redundant for pure trees; it rules out most features at the root of a small tree without a search.
    """
    yield clauses(-t.a[needed > t.N, 1])
    few = np.flatnonzero((needed <= t.N) & (t.eta[np.minimum(needed, t.N)] > 0))
    yield clauses(-t.a[few, 1], t.eta[needed[few]])


STRUCTURE = (
    root_is_a_test,
    leaves_have_no_child,
    tests_have_one_left_child,
    left_nodes_have_one_parent,
    counters_prune,
)
FEATURES = (
    tests_have_one_feature,
    nothing_is_excluded_at_the_root,
    children_exclude_what_their_parent_sends_elsewhere,
    no_feature_is_tested_twice_on_a_path,
    leaves_have_one_class,
)
