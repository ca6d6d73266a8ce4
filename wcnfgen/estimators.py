"""Optimal trees, boosted and bagged ones, as estimators for scikit-learn; the extra ``wcnfgen[learn]``.

Parameters are the options of `wcnfgen learn`, `boost` and `bag`.  The default of `binarise` is another one:
columns with fractions are cut into `bins` and written in binary, as MPDT does, which keeps formulas small.

Without a `solver` and without limits the search LMS runs in this process, where nothing can stop it; it
ends with a proof.  With a limit, or with a solver's name, each tree is learned in a process of its own and
checked as `wcnfgen verify` checks it; if no tree comes in time the greedy one is taken.

A row of weight 3 is learned from like three rows, and a row of weight 0 is not there.  Weights that are not
whole are divided by the least and rounded (`wcnfgen.boosting.discretise`).
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("the estimators need scikit-learn 1.6: pip install 'wcnfgen[learn]'") from error

from wcnfgen import boosting, encodings, leftovers, signatures
from wcnfgen.boosting import Ensemble, Rounding
from wcnfgen.commands import _ensemble
from wcnfgen.data import from_arrays
from wcnfgen.errors import WcnfgenError
from wcnfgen.making import build, prepare_for, split
from wcnfgen.prepare import prepare
from wcnfgen.render import Names
from wcnfgen.searches import Improvement, lms
from wcnfgen.searches._sat import OutOfConflictsError
from wcnfgen.tree import Leaf, Node, Tree, reached

if TYPE_CHECKING:
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.data import Column, Table
    from wcnfgen.instance import Instance
    from wcnfgen.prepare import Fitted, Prepared
    from wcnfgen.rows import Problem
    from wcnfgen.verdict import Verdict

DEPTH = 2  # where an encoding needs a depth and none is given
CONFLICTS = 10_000  # for each of many trees: a second or so


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """A tree, the rows it is from, whether no better one exists, and the verdict on the solver's answer."""

    tree: Tree
    problem: Problem
    optimal: bool
    verdict: Verdict | None


class _Trees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the estimators share; a subclass has the parameters, and says how its trees are learned."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from X, shape (rows, columns), of numbers or texts, and the classes y, shape (rows,).

        sample_weight has shape (rows,) and says how often each row counts.

        Raises ValueError where data or parameters are wrong, or there is no tree as asked for.
        """
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=self._finite())
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        with _as_value_errors():
            weights = boosting.discretise(np.ones(len(X)) if sample_weight is None else sample_weight)
            there = weights > 0
            self.classes_, labels = np.unique(y[there], return_inverse=True)
            table = from_arrays(X[there], labels, self._names(), target=_unlike(self._names()))
            prepared = self._prepared(table, weights[there])
            if prepared is None:
                self._keep_leaf(labels, weights[there])
            else:
                self._keep(prepared, *self._learn(prepared))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row, shape (rows,): the one of the largest share, the first of several."""
        shares = self.predict_proba(X)
        classes: NDArray[Any] = self.classes_[shares.argmax(axis=1)]
        return classes

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class, shape (rows, classes), in the order of `classes_`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=None, ensure_all_finite=self._finite(), reset=False)
        if self._fitted is None:
            return self._shares(np.zeros((len(X), 0), np.uint8))
        with _as_value_errors():
            columns, _ = self._fitted.binarisation.apply(from_arrays(X, names=self._names()))
        return self._shares(columns[:, list(self._fitted.kept)])

    def _learn(self, prepared: Prepared) -> tuple[Ensemble, list[_Found]]:
        """The ensemble, and what is known of each of its trees."""
        raise NotImplementedError

    def _shares(self, columns: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The share of the vote that each class has."""
        votes = self.ensemble_.votes(columns)
        shares: NDArray[np.float64] = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def _keep(self, prepared: Prepared, ensemble: Ensemble, found: Sequence[_Found]) -> None:
        self._fitted: Fitted | None = prepared.fitted
        self.ensemble_ = ensemble
        self.trees_ = tuple(_ensemble.decoded(prepared, each.tree, each.problem) for each in found)
        self.optimal_ = all(each.optimal for each in found)
        self.verdicts_ = tuple(each.verdict for each in found)

    def _keep_leaf(self, labels: NDArray[Any], weights: NDArray[np.int64]) -> None:
        """Where there is one class, or nothing to test, one leaf of the largest class is optimal."""
        from wcnfgen.commands.decode import Decoded

        counts = np.bincount(labels, weights, len(self.classes_)).astype(int)
        leaf = Leaf(int(counts.argmax()))
        names = Names((), (), tuple(map(str, self.classes_)), "class")
        self._fitted = None
        self.ensemble_ = Ensemble((leaf,), (1.0,), len(self.classes_))
        self.trees_ = (Decoded(leaf, names, (tuple(counts.tolist()),)),)
        self.optimal_, self.verdicts_ = True, (None,)

    def _prepared(self, table: Table, weights: NDArray[np.int64]) -> Prepared | None:
        """The rows as the encoding wants them, None if there is nothing to learn a test from."""
        if not _varies(table.target) or not any(map(_varies, table.features)):
            return None
        of_data = {name: getattr(self, name) for name in ("binarise", "bins", "binning", "missing")}
        if (weights != 1).any():
            of_data["weights"] = weights
        kind = encodings.get(self.encoding)
        of_data, of_encoding = split({**of_data, **self._of_encoding()}, prepare, kind.plan)
        prepared = prepare_for(kind, table, of_data, of_encoding)
        self.classes_ = self.classes_[[int(code) for code in prepared.classes]]
        classes = tuple(map(str, self.classes_))
        return replace(prepared, classes=classes, problem=replace(prepared.problem, n=None))

    def _of_encoding(self) -> dict[str, Any]:
        """The options of the encoding that are given, and a depth if it needs one."""
        given = {name: getattr(self, name) for name in ("depth", "ub", "nodes", "form")}
        options = {name: value for name, value in given.items() if value is not None}
        known = {p.name: p for p in signatures.parameters(encodings.get(self.encoding).plan)}
        if "depth" in known and known["depth"].default is inspect.Parameter.empty:
            options.setdefault("depth", DEPTH)
        if "soft_rows" in known:
            options["soft_rows"] = self.soft_rows
        return options | (self.options or {})

    def _tree(self, prepared: Prepared, problem: Problem) -> _Found:
        """Learn one tree from the rows of positive weight; a class that none of them has does not exist."""
        sample, labels = _ensemble.sampled(prepared, problem)
        if len(labels) < 2:
            return _Found(Leaf(labels[0]), problem, True, None)
        instance = build(sample, self.encoding, self._of_encoding())
        limited = self.wall is not None or self.memory is not None
        if self.solver is None and not limited:
            tree, optimal, verdict = _searched(instance, self.conflicts)
        else:
            tree, optimal, verdict = self._solved(instance)
        return _Found(_ensemble.relabelled(tree, labels), problem, optimal, verdict)

    def _solved(self, instance: Instance) -> tuple[Tree, bool, Verdict | None]:
        """The tree of a solver in a process of its own, under limits."""
        solving = _ensemble.Solving(self.solver or "lms", None, self.wall, self.memory, 5.0)
        solving.check(None)
        with leftovers.folder() as folder:
            learned = solving.learn(instance, Path(folder) / "fit.wcnf")
        verdict = None if learned.checked is None else learned.checked.verdict
        return learned.decoded.tree, learned.optimal, verdict

    def _names(self) -> list[str]:
        """What the columns are called."""
        named = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if named is None else list(named)

    def _finite(self) -> bool | str:
        return True if self.missing == "error" else "allow-nan"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


class OptimalTreeClassifier(_Trees):
    """One optimal tree: of fewest errors within a depth, or of any other encoding.

    encoding: which formula, as in ``wcnfgen learn``; complete with soft rows is the fastest for small depths
    depth, ub, nodes, form: its options; depth None is 2 where there has to be one
    soft_rows: rows may be wrong, where the encoding leaves the choice
    options: further options of the encoding, by name
    binarise, bins, binning, missing: how columns become tests, as in ``wcnfgen learn``
    solver, wall, memory: None, None, None searches in this process; else as in ``wcnfgen learn``
    conflicts: budget of a search in this process, by which it ends the same way on every machine; None: it
        ends with a proof

    After `fit`, tree_ has the tree with its words (``tree_.render("text")``), optimal_ says whether no
    better one exists, and verdict_ what is true of the solver's answer, None if there was no solver.

    >>> OptimalTreeClassifier(depth=1).fit([[1], [2], [8], [9]], ["a", "a", "b", "b"]).predict([[2]])
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        encoding: str = "complete",
        depth: int | None = None,
        ub: int | None = None,
        nodes: int | None = None,
        form: str | None = None,
        soft_rows: bool = True,
        options: dict[str, Any] | None = None,
        binarise: str = "binary",
        bins: int = 8,
        binning: str = "uniform",
        missing: str = "error",
        solver: str | None = None,
        wall: float | None = None,
        memory: float | None = None,
        conflicts: int | None = None,
    ):
        self.encoding = encoding
        self.depth = depth
        self.ub = ub
        self.nodes = nodes
        self.form = form
        self.soft_rows = soft_rows
        self.options = options
        self.binarise = binarise
        self.bins = bins
        self.binning = binning
        self.missing = missing
        self.solver = solver
        self.wall = wall
        self.memory = memory
        self.conflicts = conflicts

    @property
    def tree_(self) -> Decoded:
        """The tree with its words."""
        check_is_fitted(self)
        tree: Decoded = self.trees_[0]
        return tree

    @property
    def verdict_(self) -> Verdict | None:
        """What is true of the solver's answer."""
        check_is_fitted(self)
        verdict: Verdict | None = self.verdicts_[0]
        return verdict

    def _learn(self, prepared: Prepared) -> tuple[Ensemble, list[_Found]]:
        found = self._tree(prepared, prepared.problem)
        counts = _ensemble.decoded(prepared, found.tree, found.problem).counts or ()
        tree = _of_the_majority(found.tree, iter(counts))
        return Ensemble((tree,), (1.0,), len(self.classes_)), [replace(found, tree=tree)]

    def _shares(self, columns: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The share of each class among the training rows of the leaf."""
        shares = np.zeros((len(columns), len(self.classes_)))
        for counts, (leaf, rows) in zip(
            self.tree_.counts or (), reached(self.tree_.tree, columns), strict=True
        ):
            shares[rows] = np.array(counts) / sum(counts) if any(counts) else 0
            shares[rows, leaf.label] += not any(counts)
        return shares


class BoostedTreesClassifier(_Trees):
    """AdaBoost with trees of fewest errors within a depth, as ``wcnfgen boost``.

    rounds, rounding, cap: as there; the other parameters are those of `OptimalTreeClassifier`; conflicts is
    for each tree

    After `fit`, trees_ has the trees with their words, ensemble_ their alphas, and optimal_ says whether each
    is the best for its weights.
    """

    def __init__(
        self,
        *,
        rounds: int = 21,
        rounding: Rounding = "paper",
        cap: int | None = boosting.CAP,
        encoding: str = "complete",
        depth: int | None = None,
        ub: int | None = None,
        nodes: int | None = None,
        form: str | None = None,
        soft_rows: bool = True,
        options: dict[str, Any] | None = None,
        binarise: str = "binary",
        bins: int = 8,
        binning: str = "uniform",
        missing: str = "error",
        solver: str | None = None,
        wall: float | None = None,
        memory: float | None = None,
        conflicts: int | None = CONFLICTS,
    ):
        self.rounds = rounds
        self.rounding = rounding
        self.cap = cap
        self.encoding = encoding
        self.depth = depth
        self.ub = ub
        self.nodes = nodes
        self.form = form
        self.soft_rows = soft_rows
        self.options = options
        self.binarise = binarise
        self.bins = bins
        self.binning = binning
        self.missing = missing
        self.solver = solver
        self.wall = wall
        self.memory = memory
        self.conflicts = conflicts

    def _learn(self, prepared: Prepared) -> tuple[Ensemble, list[_Found]]:
        found: list[_Found] = []

        def learn(_: int, problem: Problem) -> Tree:
            found.append(self._tree(prepared, problem))
            return found[-1].tree

        rounds = list(
            boosting.boost(prepared.problem, learn, rounds=self.rounds, rounding=self.rounding, cap=self.cap)
        )
        kept = {each.number for each in boosting.voters(rounds)}
        return boosting.ensemble(rounds), [each for i, each in enumerate(found, 1) if i in kept]


class BaggedTreesClassifier(_Trees):
    """The majority of optimal trees on bootstrap samples, as ``wcnfgen bag``.

    bags, seed: as there; the other parameters are those of `OptimalTreeClassifier`; conflicts is for each
    tree

    After `fit`, trees_ has the trees with their words, and optimal_ says whether each is best for its bag.
    """

    def __init__(
        self,
        *,
        bags: int = 21,
        seed: int = 0,
        encoding: str = "complete",
        depth: int | None = None,
        ub: int | None = None,
        nodes: int | None = None,
        form: str | None = None,
        soft_rows: bool = True,
        options: dict[str, Any] | None = None,
        binarise: str = "binary",
        bins: int = 8,
        binning: str = "uniform",
        missing: str = "error",
        solver: str | None = None,
        wall: float | None = None,
        memory: float | None = None,
        conflicts: int | None = CONFLICTS,
    ):
        self.bags = bags
        self.seed = seed
        self.encoding = encoding
        self.depth = depth
        self.ub = ub
        self.nodes = nodes
        self.form = form
        self.soft_rows = soft_rows
        self.options = options
        self.binarise = binarise
        self.bins = bins
        self.binning = binning
        self.missing = missing
        self.solver = solver
        self.wall = wall
        self.memory = memory
        self.conflicts = conflicts

    def _learn(self, prepared: Prepared) -> tuple[Ensemble, list[_Found]]:
        samples = boosting.bootstrap(prepared.problem.w, self.bags, self.seed)
        found = [self._tree(prepared, replace(prepared.problem, w=drawn)) for drawn in samples]
        trees = tuple(each.tree for each in found)
        return Ensemble(trees, (1.0,) * len(trees), len(self.classes_)), found


def _searched(instance: Instance, conflicts: int | None) -> tuple[Tree, bool, Verdict | None]:
    """The best tree that LMS finds in this process, and whether that is proved.  WcnfgenError: none."""
    encoding = instance.encoding
    known = None if instance.witness is None else encoding.model(instance.witness)
    sat = "cadical195" if conflicts is None else "glucose4"
    best, proved = None, False
    try:
        for event in lms.search(encoding, sat=sat, known=known, conflicts=conflicts):
            best = event if isinstance(event, Improvement) else best
        proved = True
    except OutOfConflictsError:
        if best is None:
            raise
    if best is None:
        raise WcnfgenError("there is no such tree")
    return encoding.tree(best.model), proved, None


def _of_the_majority(tree: Tree, counts: Iterator[Sequence[int]]) -> Tree:
    """The tree with the largest class of each leaf's rows, the first of several; as it is where none are."""
    if isinstance(tree, Node):
        return Node(tree.test, *(_of_the_majority(child, counts) for child in (tree.no, tree.yes)))
    rows = next(counts)
    return Leaf(int(np.argmax(rows))) if any(rows) else tree


def _varies(column: Column) -> bool:
    """Whether two rows differ in it."""
    return bool((column.codes != column.codes[0]).any())


def _unlike(names: Sequence[str]) -> str:
    """A name for the classes that no column has."""
    name = "class"
    while name in names:
        name += "_"
    return name


@contextlib.contextmanager
def _as_value_errors() -> Iterator[None]:
    """What scikit-learn expects where data or parameters are wrong."""
    try:
        yield
    except WcnfgenError as error:
        raise ValueError(str(error)) from error
