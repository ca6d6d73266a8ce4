"""MPDT as its paper prints it (Alòs, Ansótegui and Torres 2023, section 4), corrected.

The variables are the paper's, p and u included; each function is one numbered constraint.
Conjunctions inside (10), (11) and (14) get Tseitin variables; (7), (9) and (15) use Sinz's sequential
counter, as MinDT does.  What differs from the print is marked with an asterisk, with the reason:

- l_ij → η(j): without it a used test may have an unused, unlabelled child, and every optimum is 3.
- a_rj → η(j): without it the features of unused nodes are free, and each tree has many models.
- (24) speaks of the leaves that do *not* have the class of the row (the print says those that do).
- j starts at 2 where a parent is meant, and p_ji exists only where l_ij or r_ij does.

With exactly N nodes there is no η, and what is left are (1)-(13) of MinDT (Narodytska et al. 2018).
With at most N nodes η_i is the m_i of Hu et al. (2020, section 3.3): their rule, to relax each clause by
its largest node, is unsound, and MPDT's constraints on η, corrected, are what it means.

The core formula says the same in a sixth of the variables; this form is for comparison, and
because its optimal cost is the one that Proposition 1 states.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import Bits, Block, Choice, clause, clauses, when
from wcnfgen.constraints import pruning
from wcnfgen.constraints.core import Usage, assign_nodes, class_literals, decode, kinds, labels, path_excludes
from wcnfgen.constraints.counting import Sequential, pairwise
from wcnfgen.constraints.nodes import left_child_of, left_pairs, lr, nodes, parents
from wcnfgen.tree import Node, Tree, breadth_first
from wcnfgen.variables import Literals, Pool


class PaperTree(Usage):
    """The variables of Table 3: v, l, r, p, eta, a, u, d, c, lambda and tau.

    Arrays over pairs of nodes are indexed (i, j) with i the parent, also p (printed p_ji); eta is
    shared by a right child and the left one before it.  With more than two classes c[k, j] is
    printed c_k,j; with two c[1, j] is c_j and c[0, j] its negation.  eta is 0 if all nodes are used.  The
    Tseitin variables are pd[s, r, i, j] = p_ji ∧ d^s_ri, al[r, i, j] = a_ri ∧ l_ij, ar[r, i, j] = a_ri ∧ r_ij
    and up[r, i, j] = u_ri ∧ p_ji.
    """

    def __init__(self, N: int, K: int, C: int, pool: Pool, *, exact: bool = False, counters: bool = True):
        self.N, self.K, self.C, self.pool = N, K, C, pool
        pool.room(N, N, 4 + 2 * K)
        pool.room(N, C)
        left = left_pairs(N)
        right = np.roll(left, 1, axis=1)
        self.v = pool.new(nodes(N))
        odd = np.arange(N + 1) % 2 == 1
        self.eta = pool.new(odd & (not exact))
        self.eta[2::2] = self.eta[3::2]
        self.l, self.r, self.p = pool.new(left), pool.new(right), pool.new(left | right)
        over_nodes = np.repeat(nodes(N)[:, None], K, axis=1)
        self.a, self.u = pool.new(over_nodes).T, pool.new(over_nodes).T
        self.c = class_literals(N, C, pool)
        self.d = pool.new(np.repeat(nodes(N), 2 * K).reshape(N + 1, K, 2)).transpose(2, 1, 0)
        self.al, self.ar, self.up = (self._over_pairs(mask) for mask in (left, right, left | right))
        self.pd = np.stack([self._over_pairs(left | right) for _ in (0, 1)])
        self.counters = pruning.Counters(N, pool) if counters else None
        self.one_feature = {j: Sequential(self.a[:, j], pool) for j in range(1, N + 1)}
        self.one_child = {i: Sequential(self.l[i, lr(i, N)], pool) for i in range(1, N + 1) if lr(i, N)}
        self.one_parent = {j: Sequential(self.p[parents(j), j], pool) for j in range(2, N + 1)}

    def _over_pairs(self, mask: NDArray[np.bool_]) -> Literals:
        """One variable for each feature and pair of nodes; shape (K, N+1, N+1)."""
        return self.pool.new(np.broadcast_to(mask, (self.K, *mask.shape)))

    @property
    def ends(self) -> range:
        """The nodes at which rows can end: all, as printed."""
        return range(1, self.N + 1)

    def assign(self, tree: Tree, assignment: NDArray[np.bool_]) -> None:
        """Set every variable to what the tree says; unused nodes are nothing at all."""
        order = breadth_first(tree)
        leaf, test = kinds(order, self.N)
        assign_nodes(self.c, self.a, order, assignment)
        assignment[self.v[leaf]] = True
        assignment[self.eta[(leaf | test) & (self.eta > 0)]] = True
        for i, excluded in enumerate(path_excludes(order, self.K), 1):
            assignment[self.d[:, :, i][excluded]] = True
            assignment[self.u[:, i]] = excluded.any(axis=0)
            if isinstance(node := order[i - 1], Node):
                assignment[self.u[node.test, i]] = True
        for i, j in left_child_of(tree):
            self._assign_pair(assignment, i, j)
        if self.counters:
            self.counters.assign(assignment, leaf, test)
        for counter in (*self.one_feature.values(), *self.one_child.values(), *self.one_parent.values()):
            counter.assign(assignment)

    def _assign_pair(self, assignment: NDArray[np.bool_], i: int, j: int) -> None:
        """The variables that say "j and j+1 are the children of i"."""
        assignment[[self.l[i, j], self.r[i, j + 1], self.p[i, j], self.p[i, j + 1]]] = True
        a, u, d = assignment[self.a[:, i]], assignment[self.u[:, i]], assignment[self.d[:, :, i]]
        assignment[self.al[:, i, j]] = a
        assignment[self.ar[:, i, j + 1]] = a
        for child in (j, j + 1):
            assignment[self.up[:, i, child]] = u
            assignment[self.pd[:, :, i, child]] = d

    def decode(self, assignment: NDArray[np.bool_]) -> Tree:
        """The tree of a model.  Raises ValueError where the model describes none."""
        return decode(assignment, self.v, self.l, self.a, labels(self.c, assignment))


# ---------------------------------------------------------------------------- node usage


def nodes_are_used_in_order(t: PaperTree, lb: int) -> Iterator[Block]:
    """(1)-(3)  ¬η_i → ¬v_i ∧ ¬v_i-1;  η_i → η_i-2     i odd, i > 1;  η(lb)."""
    odd = np.arange(3, t.N + 1, 2)
    yield clauses(t.eta[odd], -t.v[odd])
    yield clauses(t.eta[odd], -t.v[odd - 1])
    yield clauses(-t.eta[odd], t.eta[odd - 2])
    yield clauses(t.eta[lb])


# ---------------------------------------------------------------------------- tree layout


def root_is_a_test(t: PaperTree) -> Iterator[Block]:
    """(4)  ¬v_1."""
    yield clauses(-t.v[1])


def leaves_have_no_child(t: PaperTree) -> Iterator[Block]:
    """(5)  v_i → ¬l_ij;  η(i) → v_i where lr(i) is empty."""
    i, j = np.nonzero(t.l)
    yield clauses(-t.v[i], -t.l[i, j])
    for barren in range(1, t.N + 1):
        if not lr(barren, t.N):
            yield clause(*t.unused(barren), t.v[barren])


def right_child_follows_left_child(t: PaperTree) -> Iterator[Block]:
    """(6)  l_ij ↔ r_i,j+1."""
    i, j = np.nonzero(t.l)
    yield from _equal(t.l[i, j], t.r[i, j + 1])


def tests_have_one_left_child(t: PaperTree) -> Iterator[Block]:
    """(7)  ¬v_i ∧ η(i) → Σ_j l_ij = 1     where lr(i) is not empty, else (5) says it."""
    for i, counter in t.one_child.items():
        yield from _exactly_one((-int(t.v[i]), *t.used(i)), counter)


def children_are_used(t: PaperTree) -> Iterator[Block]:
    """(*)  l_ij → η(j)."""
    i, j = np.nonzero((t.l > 0) & (t.eta > 0))
    yield clauses(-t.l[i, j], t.eta[j])


def parent_is_left_or_right(t: PaperTree) -> Iterator[Block]:
    """(8)  p_ji ↔ l_ij     j ∈ lr(i);  p_ji ↔ r_ij     j ∈ rr(i)."""
    for child in (t.l, t.r):
        i, j = np.nonzero(child)
        yield from _equal(t.p[i, j], child[i, j])


def nodes_have_one_parent(t: PaperTree) -> Iterator[Block]:
    """(9)  η(j) → Σ_i p_ji = 1     j > 1."""
    for j, counter in t.one_parent.items():
        yield from _exactly_one(t.used(j), counter)


# ---------------------------------------------------------------------------- features


def conjunctions_are_defined(t: PaperTree) -> Iterator[Block]:
    """The Tseitin variables of (10), (11) and (14)."""
    for j in range(2, t.N + 1):
        i = parents(j)
        goes_right = j % 2 == 1
        test, child = (t.ar, t.r) if goes_right else (t.al, t.l)
        yield from _conjunction(test[:, i, j], t.a[:, i], child[i, j])
        yield from _conjunction(t.up[:, i, j], t.u[:, i], t.p[i, j])
        for s in (0, 1):
            yield from _conjunction(t.pd[s][:, i, j], t.d[s][:, i], t.p[i, j])


def values_are_excluded(t: PaperTree) -> Iterator[Block]:
    """(10), (11)  d⁰_rj ↔ ⋁_i (a_ri ∧ r_ij) ∨ (p_ji ∧ d⁰_ri);  d¹_rj the same with l_ij     j > 1."""
    for j in range(2, t.N + 1):
        i = parents(j)
        for s, test in ((0, t.ar), (1, t.al)):
            terms = [t.pd[s][:, i, j]] + ([test[:, i, j]] if (j % 2 == 1) == (s == 0) else [])
            yield from _disjunction(t.d[s, :, j], np.concatenate(terms, axis=1))


def nothing_is_excluded_at_the_root(t: PaperTree) -> Iterator[Block]:
    """(12)  ¬d⁰_r1 ∧ ¬d¹_r1."""
    yield clauses(-t.d[:, :, 1].ravel())


def no_feature_is_tested_twice_on_a_path(t: PaperTree) -> Iterator[Block]:
    """(13)  u_ri ∧ p_ji → ¬a_rj     j > 1."""
    for j in range(2, t.N + 1):
        i = parents(j)
        yield clauses(-t.u[:, i], -t.p[i, j], -t.a[:, j, None])


def features_are_discriminated(t: PaperTree) -> Iterator[Block]:
    """(14)  u_rj ↔ a_rj ∨ ⋁_i (u_ri ∧ p_ji); at the root u_r1 ↔ a_r1."""
    yield from _equal(t.u[:, 1], t.a[:, 1])
    for j in range(2, t.N + 1):
        terms = np.concatenate([t.a[:, j, None], t.up[:, parents(j), j]], axis=1)
        yield from _disjunction(t.u[:, j], terms)


def tests_have_one_feature(t: PaperTree) -> Iterator[Block]:
    """(15)  ¬v_j ∧ η(j) → Σ_r a_rj = 1."""
    for j, counter in t.one_feature.items():
        yield from _exactly_one((-int(t.v[j]), *t.used(j)), counter)


def leaves_have_no_feature(t: PaperTree) -> Iterator[Block]:
    """(16)  v_j → ¬a_rj;  a_rj → η(j) (*)."""
    yield clauses(-t.v[None, 1:], -t.a[:, 1:])
    later = np.flatnonzero(t.eta)
    yield clauses(-t.a[:, later], t.eta[None, later])


# ---------------------------------------------------------------------------- classes and rows


def rows_are_classified(t: PaperTree, bits: Bits, y: NDArray[np.int32]) -> Iterator[Block]:
    """(17), (18), (24)  v_j ∧ ¬[class of q at j] → ⋁_r d^σ(r,q)_rj     q a row; the ¬ in (24) is (*)."""
    for j in t.ends:
        head = np.empty((len(y), 2), np.int32)
        head[:, 0] = -t.v[j]
        head[:, 1] = t.c[y, j]
        yield Choice(head, t.d[:, :, j], bits)


def leaves_have_one_class(t: PaperTree) -> Iterator[Block]:
    """(25), (26)  ¬v_j → ¬c_kj;  v_j → Σ_k c_kj = 1     with more than two classes."""
    if t.C > 2:
        for j in range(1, t.N + 1):
            yield clauses(t.v[j], -t.c[:, j])
            yield when((int(t.v[j]),), clause(t.c[:, j]))
            yield when((int(t.v[j]),), pairwise(t.c[:, j]))


def counters_prune(t: PaperTree) -> Iterator[Block]:
    """(19)-(23); r_i,j+1 in (22), (23) follows from (6)."""
    if t.counters:
        yield from pruning.leaves_are_counted(t.counters, t.v, t.used)
        yield from pruning.tests_are_counted(t.counters, t.v, t.used)
        yield from pruning.leaves_bound_the_children(t.counters, t.l)
        yield from pruning.tests_bound_the_children(t.counters, t.l)


STRUCTURE = (
    root_is_a_test,
    leaves_have_no_child,
    right_child_follows_left_child,
    tests_have_one_left_child,
    children_are_used,
    parent_is_left_or_right,
    nodes_have_one_parent,
    counters_prune,
)
FEATURES = (
    conjunctions_are_defined,
    values_are_excluded,
    nothing_is_excluded_at_the_root,
    no_feature_is_tested_twice_on_a_path,
    features_are_discriminated,
    tests_have_one_feature,
    leaves_have_no_feature,
    leaves_have_one_class,
)


# ---------------------------------------------------------------------------- building blocks


def _equal(x: Literals, y: Literals) -> Iterator[Block]:
    yield clauses(-x, y)
    yield clauses(x, -y)


def _exactly_one(condition: tuple[int, ...], counter: Sequential) -> Iterator[Block]:
    """condition → Σ x = 1, at most one by the sequential counter."""
    yield when(condition, clause(counter.x))
    for block in counter.blocks():
        yield when(condition, block)


def _conjunction(z: Literals, x: Literals, y: Literals) -> Iterator[Block]:
    """z ↔ x ∧ y."""
    yield clauses(-z, x)
    yield clauses(-z, y)
    yield clauses(z, -x, -y)


def _disjunction(z: Literals, terms: Literals) -> Iterator[Block]:
    """z_r ↔ ⋁ terms_r; terms has shape (features, terms)."""
    yield np.concatenate([-z[:, None], terms], axis=1)
    yield clauses(z[:, None], -terms)
