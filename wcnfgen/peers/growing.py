"""The side of other packages: a request becomes trees, in a process of its own.

    python -m wcnfgen.peers.growing REQUEST ANSWER

Both are JSON files, and what a package prints goes nowhere.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wcnfgen.peers import PACKAGES, Method, Settings
from wcnfgen.tree import Tree, from_list, to_list

Matrix = NDArray[np.int32]
Labels = NDArray[np.int32]
Seen = int | tuple[int, Any, Any]  # the class of a leaf; or the column of a test, its `no` and its `yes`


class Grown(NamedTuple):
    """Trees and their votes; whether they are proved to be optimal, and whether time was up."""

    trees: list[Tree]
    alphas: list[float]
    proved: bool = False
    late: bool = False


def main(request: Path, answer: Path) -> int:
    """Answer a request; the exit code."""
    asked = json.loads(request.read_text("utf-8"))
    counts = np.array(asked["counts"])
    X = np.array([list(map(int, row)) for row in asked["rows"]], np.int32).repeat(counts, axis=0)
    y = np.array(asked["classes"], np.int32).repeat(counts)
    settings = Settings(**asked["settings"])
    import_module(PACKAGES[settings.method].module)  # which takes longer than many a search
    began = time.monotonic()
    grown = GROW[settings.method](X, y, settings)
    said = grown._asdict() | {"seconds": time.monotonic() - began, "trees": [to_list(t) for t in grown.trees]}
    answer.write_text(json.dumps(said), "utf-8")
    return 0


def _cart(X: Matrix, y: Labels, settings: Settings) -> Grown:
    trees = [_of_sklearn(_learner(each).fit(X, y)) for each in settings.made]
    return Grown(trees, [1.0] * len(trees))


def _learner(settings: Settings) -> Any:
    """A CART tree within the limits, without one grown until its leaves are pure."""
    from sklearn.tree import DecisionTreeClassifier

    leaves = None if settings.tests is None else settings.tests + 1
    return DecisionTreeClassifier(max_depth=settings.depth, max_leaf_nodes=leaves, random_state=settings.seed)


def _dl85(X: Matrix, y: Labels, settings: Settings) -> Grown:
    from pydl85 import DL85Classifier

    # 0.1.8 misses optima with its special case of depth two: three in a hundred of small random sets
    model = DL85Classifier(
        max_depth=settings.depth,
        min_sup=1,
        time_limit=0 if settings.wall_s is None else math.ceil(settings.wall_s),  # 0 is none
        depth_two_special_algo=False,
    ).fit(X, y)
    if model.tree_ is None:
        return Grown([], [], late=True)
    return Grown([_of_dl85(model.tree_)], [1.0], not model.timeout_, model.timeout_)


def _streed(X: Matrix, y: Labels, settings: Settings) -> Grown:
    from pystreed import STreeDClassifier

    deepest = settings.deepest
    tests = 2**deepest - 1 if settings.tests is None else min(settings.tests, 2**deepest - 1)
    time_limit = settings.wall_s or 1e9
    model = STreeDClassifier("accuracy", max_depth=deepest, max_num_nodes=tests, time_limit=time_limit)
    model.fit(X, y)
    if not model.is_fitted():
        return Grown([], [], late=True)
    proved = bool(model.fit_result.is_optimal())
    return Grown([_of_streed(model.tree_)], [1.0], proved, not proved)


def _adaboost(X: Matrix, y: Labels, settings: Settings) -> Grown:
    from sklearn.ensemble import AdaBoostClassifier

    model = AdaBoostClassifier(_learner(settings), n_estimators=settings.trees, random_state=settings.seed)
    model.fit(X, y)
    trees = [_of_sklearn(each) for each in model.estimators_]
    return Grown(trees, model.estimator_weights_[: len(trees)].tolist())


def _bagging(X: Matrix, y: Labels, settings: Settings) -> Grown:
    from sklearn.ensemble import BaggingClassifier

    model = BaggingClassifier(_learner(settings), n_estimators=settings.trees, random_state=settings.seed)
    trees = [_of_sklearn(each) for each in model.fit(X, y).estimators_]
    return Grown(trees, [1.0] * len(trees))


GROW: dict[Method, Callable[[Matrix, Labels, Settings], Grown]] = {
    "cart": _cart,
    "dl8.5": _dl85,
    "streed": _streed,
    "adaboost": _adaboost,
    "bagging": _bagging,
}


def _of_sklearn(model: Any) -> Tree:
    """Its arrays; 0 goes to the left, as the threshold is 1/2."""
    found = model.tree_
    labels = model.classes_[found.value[:, 0, :].argmax(axis=1)]

    def look(at: Any) -> Seen:
        children = (found.children_left[at], found.children_right[at])
        return int(labels[at]) if children[0] < 0 else (int(found.feature[at]), *children)

    return _translated(0, look)


def _of_dl85(root: dict[str, Any]) -> Tree:
    """Its dictionaries; 1 goes to the left."""

    def look(at: Any) -> Seen:
        return (int(at["feat"]), at["right"], at["left"]) if "feat" in at else int(at["value"])

    return _translated(root, look)


def _of_streed(root: Any) -> Tree:
    """Its nodes; 0 goes to the left."""

    def look(at: Any) -> Seen:
        return int(at.label) if at.is_leaf_node() else (int(at.feature), at.left_child, at.right_child)

    return _translated(root, look)


def _translated(root: Any, look: Callable[[Any], Seen]) -> Tree:
    """The tree that begins at a node of another package's."""
    nodes, integers = [root], []
    for at in nodes:  # the list grows while it is walked: a queue
        seen = look(at)
        if isinstance(seen, int):
            integers.append(-1 - seen)
        else:
            integers.append(seen[0])
            nodes += seen[1:]
    return from_list(integers)


if __name__ == "__main__":
    raise SystemExit(main(*map(Path, sys.argv[1:])))
