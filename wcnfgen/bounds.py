"""Bounds on the size of a minimum pure tree, before any MaxSAT solver is asked.

Lower: a pure tree tests, somewhere, every feature of a set that separates the classes, so its size
is at least 2s + 1 with s the size of the smallest such set (a support set, or test set); and at
least 2C - 1 with C classes.  The smallest set is a minimum hitting set over the pairs of rows of
different class, found by counting up: is there a set of k features that hits all pairs met so far?
If not, s > k is proved.  If so, and the set leaves some rows of different class alike, those give
new pairs.  The pairs are thus generated lazily; there are far too many of them to list.

The same bound on both sides of a test says what a tree with that test at its root needs: `root_bounds`.

The budget is counted in conflicts and pairs, never in seconds, so that the same input gives the
same bytes on any machine.  Out of budget, the bound proved so far is still a bound.

Upper: a pure tree that is easily had, grown greedily by gain ratio (as ITI does, which MPDT uses)
and by Gini (as CART does); the smaller one wins.  It also witnesses that the formula is satisfiable.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import DataError
from wcnfgen.tree import Leaf, Node, Tree, from_list, size

if TYPE_CHECKING:
    from wcnfgen.rows import Problem

CONFLICTS = 5_000  # 0.02 to 0.2 s; four times as many raise s by one or two on some sets only
CONFLICTS_A_SIDE = 200
CONFLICTS_OF_ROOTS = 20_000  # about a second
PAIRS = 20_000
PAIRS_A_ROUND = 200

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SupportBound:
    """What is known of the smallest separating set: at least s features; exact if it was found."""

    s: int
    exact: bool
    pairs: int
    conflicts: int

    @property
    def size(self) -> int:
        """The least size of a pure tree that follows: 2s + 1."""
        return 2 * self.s + 1


def lower_bound(problem: Problem) -> int:
    """max(2s + 1, 2C - 1), with s as far as the budget allows."""
    return max(support_bound(problem).size, 2 * problem.classes - 1)


def support_bound(problem: Problem, *, conflicts: int = CONFLICTS, pairs: int = PAIRS) -> SupportBound:
    """The size of the smallest set of features that separates the classes.

    Raises DataError for inconsistent rows, which no set separates.
    """
    from pysat.card import ITotalizer
    from pysat.solvers import Solver

    features = list(range(1, problem.features + 1))
    with Solver("glucose4") as solver, ITotalizer(lits=features, ubound=1) as at_most:
        asked = clauses_done = 0
        k, found = 1, np.zeros(0, np.intp)
        while True:
            for pair in _unseparated(problem, found).differ[: pairs - asked]:
                if not pair.any():
                    raise DataError("two rows of different class are equal: no features tell them apart")
                solver.add_clause((np.flatnonzero(pair) + 1).tolist())
                asked += 1
            for clause in at_most.cnf.clauses[clauses_done:]:
                solver.add_clause(clause)
            clauses_done = len(at_most.cnf.clauses)
            solver.conf_budget(max(1, conflicts - solver.accum_stats()["conflicts"]))
            limit = [-at_most.rhs[k]] if k < len(features) else []
            answer = solver.solve_limited(assumptions=limit)
            spent = solver.accum_stats()["conflicts"]
            if answer is False:
                k += 1
                at_most.increase(ubound=k)
                continue
            if answer is None:
                return SupportBound(k, False, asked, spent)
            found = np.array([x - 1 for x in solver.get_model()[: len(features)] if x > 0], np.intp)
            if not len(_unseparated(problem, found).differ):
                return SupportBound(k, True, asked, spent)
            if asked >= pairs:
                return SupportBound(k, False, asked, spent)


class _Pairs(NamedTuple):
    """Rows of different class, by their numbers, and where they differ, shape (pairs, features)."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    differ: NDArray[np.bool_]


def _unseparated(problem: Problem, columns: NDArray[np.intp], rows: NDArray[np.intp] | None = None) -> _Pairs:
    """Pairs of rows (None: of all) of different class that agree on the columns; the closest first."""
    rows = np.arange(problem.rows) if rows is None else rows
    bits = np.zeros((len(rows), -(-len(columns) // 64) * 64), np.uint8)
    bits[:, : len(columns)] = problem.X[np.ix_(rows, columns)]
    words = np.packbits(bits, axis=1).view(np.uint64)  # 64 columns a word
    y = problem.y[rows]
    order = np.lexsort((y, *words.T))
    first, second = order[:-1], order[1:]
    clash = (words[first] == words[second]).all(axis=1) & (y[first] != y[second])
    first, second = rows[first[clash]], rows[second[clash]]
    differ = problem.X[first] != problem.X[second]
    closest = np.argsort(differ.sum(axis=1), kind="stable")[:PAIRS_A_ROUND]
    return _Pairs(first[closest], second[closest], differ[closest])


# ---------------------------------------------------------------------------- what each root test needs


def root_bounds(problem: Problem, *, conflicts: int = CONFLICTS_A_SIDE) -> NDArray[np.int64]:
    """For each feature, shape (features,), a lower bound on the size of pure trees whose root tests it.

    Both sides of the test need a pure tree, each of at least 2s + 1 nodes with s the side's own smallest
    separating set.  One solver answers for all sides: a pair counts where its selector is assumed.
    """
    most = support_bound(problem).s
    with closing(_Sides(problem, most, conflicts)) as sides:
        sizes = [1 + sum(sides.least(side == value) for value in (0, 1)) for side in problem.X.T]
    return np.array(sizes, np.int64)


class _Sides:
    """Smallest separating sets of parts of the rows, at most `most` features large, as far as is proved."""

    def __init__(self, problem: Problem, most: int, conflicts: int) -> None:
        from pysat.card import ITotalizer
        from pysat.solvers import Solver

        self.problem, self.most, self.conflicts = problem, most, conflicts
        features = list(range(1, problem.features + 1))
        with ITotalizer(lits=features, ubound=most) as at_most:
            self.rhs, self.selectors = list(at_most.rhs), at_most.top_id + 1
            self.solver = Solver("glucose4", bootstrap_with=at_most.cnf.clauses)
        self.first = self.second = np.zeros(0, np.intp)

    def close(self) -> None:
        """Free the solver's memory at once."""
        self.solver.delete()

    def least(self, part: NDArray[np.bool_]) -> int:
        """The least size of a pure tree of these rows that is proved."""
        classes = len(np.unique(self.problem.y[part]))
        return 1 if classes < 2 else max(2 * self._features(part) + 1, 2 * classes - 1)

    def _features(self, part: NDArray[np.bool_]) -> int:
        rows = np.flatnonzero(part)
        pairs = (np.flatnonzero(part[self.first] & part[self.second]) + self.selectors).tolist()
        end = min(self.solver.accum_stats()["conflicts"] + self.conflicts, CONFLICTS_OF_ROOTS)
        k = 1
        while k < self.most:
            self.solver.conf_budget(max(1, end - self.solver.accum_stats()["conflicts"]))
            answer = self.solver.solve_limited(assumptions=[*pairs, -self.rhs[k]])
            if answer is None:
                break
            if not answer:
                k += 1
                continue
            model = self.solver.get_model()[: self.problem.features]
            found = _unseparated(self.problem, np.array([x - 1 for x in model if x > 0], np.intp), rows)
            if not len(found.first):
                break
            pairs += self._add(found)
        return k

    def _add(self, pairs: _Pairs) -> list[int]:
        """One of the features in which they differ is in the set, if the pair is selected."""
        start = self.selectors + len(self.first)
        for selector, differ in enumerate(pairs.differ, start):
            self.solver.add_clause([-selector, *(np.flatnonzero(differ) + 1).tolist()])
        self.first = np.concatenate([self.first, pairs.first])
        self.second = np.concatenate([self.second, pairs.second])
        return list(range(start, start + len(pairs.first)))


# ---------------------------------------------------------------------------- greedy trees


def greedy(problem: Problem) -> Tree:
    """The smaller of the two greedy trees; a pure tree where the rows are consistent."""
    return min((grow(problem, score) for score in (gain_ratio, gini)), key=size)


def gain_ratio(no: Floats, yes: Floats) -> Floats:
    """Information gain over split information; higher is better (Quinlan 1986).

    no and yes are class weights of shape (features, classes) on either side of each test.
    """
    sides = np.stack([no.sum(axis=1), yes.sum(axis=1)], axis=1)
    total = sides.sum(axis=1)
    inside = (sides[:, 0] * _entropy(no) + sides[:, 1] * _entropy(yes)) / total
    split = _entropy(sides)
    gain = _entropy(no + yes) - inside
    ratio: Floats = np.divide(gain, split, out=np.full(len(gain), -np.inf), where=split > 0)
    return ratio


def gini(no: Floats, yes: Floats) -> Floats:
    """Minus the weighted Gini impurity of the two sides; higher is better (Breiman et al. 1984)."""
    score = np.zeros(len(no))
    for side in (no, yes):
        weight = side.sum(axis=1)
        score += np.divide((side**2).sum(axis=1), weight, out=np.zeros_like(weight), where=weight > 0)
    proper = (no.sum(axis=1) > 0) & (yes.sum(axis=1) > 0)
    return np.where(proper, score, -np.inf)


def _entropy(counts: Floats) -> Floats:
    """In bits, of each row of weights."""
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    p = counts / total
    bits: Floats = -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=1)
    return bits


def grow(problem: Problem, score: Callable[[Floats, Floats], Floats]) -> Tree:
    """Split by the best test until every leaf is pure or no test splits; ties go to the first feature."""
    X = problem.X.astype(np.float64)
    weights = np.zeros((len(problem.y), problem.classes))
    weights[np.arange(len(problem.y)), problem.y] = problem.w
    pending: list[NDArray[np.intp]] = [np.arange(len(X))]
    found: list[int] = []  # breadth first, as `from_list` takes it
    for rows in pending:  # breadth first; the list grows
        here = weights[rows]
        total = here.sum(axis=0)
        feature = _best_test(X[rows].T @ here, total, score) if np.count_nonzero(total) > 1 else -1
        if feature < 0:
            found.append(-1 - int(np.argmax(total)))
        else:
            yes = problem.X[rows, feature] != 0
            found.append(feature)
            pending += [rows[~yes], rows[yes]]
    return from_list(found)


def best_first(problem: Problem, most: int, deepest: int | None = None) -> Tree:
    """Split the leaf where it saves most errors, within a number of nodes and a depth; at least one test."""
    weights = np.zeros((len(problem.y), problem.classes))
    weights[np.arange(len(problem.y)), problem.y] = problem.w
    X = problem.X.astype(np.float64)
    found: dict[int, list[int]] = {}  # a test's number: its column and its children's numbers
    leaves = [_OpenLeaf(0, np.arange(len(X)), 0)]
    made = 1
    while made + 2 <= most:
        open_leaves = [leaf for leaf in leaves if deepest is None or leaf.depth < deepest]
        splits = [(*_saving(X[leaf.rows], weights[leaf.rows]), leaf) for leaf in open_leaves]
        _, column, leaf = max(splits, key=lambda split: split[:1], default=(0.0, -1, leaves[0]))
        if column < 0:
            break
        yes = problem.X[leaf.rows, column] != 0
        leaves.remove(leaf)
        leaves += [_OpenLeaf(made + side, leaf.rows[yes == bool(side)], leaf.depth + 1) for side in (0, 1)]
        found[leaf.number] = [column, made, made + 1]
        made += 2
    built: dict[int, Tree] = {
        leaf.number: Leaf(int(np.argmax(weights[leaf.rows].sum(axis=0)))) for leaf in leaves
    }
    for number in sorted(found, reverse=True):  # children have higher numbers
        column, no, yes = found[number]
        built[number] = Node(column, built[no], built[yes])
    return built[0]


@dataclass(frozen=True, slots=True, eq=False)
class _OpenLeaf:
    number: int
    rows: NDArray[np.intp]
    depth: int


def _saving(X: Floats, weights: Floats) -> tuple[float, int]:
    """The errors that the best split saves, ties by Gini, and its column; (-1, -1) if none splits."""
    total = weights.sum(axis=0)
    yes = X.T @ weights
    no = total - yes
    purity = gini(no, yes)
    right = no.max(axis=1) + yes.max(axis=1)
    column = int(np.argmax(np.round(right + purity / (2 * total.sum() + 1), 9)))  # purity <= total
    return (float(right[column] - total.max()), column) if np.isfinite(purity[column]) else (-1.0, -1)


def _best_test(yes: Floats, total: Floats, score: Callable[[Floats, Floats], Floats]) -> int:
    """The feature of best score, or -1 where none splits the rows; rounded, so that no libm decides a tie."""
    scores = score(total - yes, yes)
    best = int(np.argmax(np.round(scores, 9)))
    return best if np.isfinite(scores[best]) else -1
