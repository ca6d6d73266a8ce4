"""Accuracy over the size of trees: samples, their mean curves, and what Hu et al. 2020 claim of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from wcnfgen.experiments._hu import ALMOST, points, verdict
from wcnfgen.experiments.findings import Claim

LEVEL = 0.5  # points: what still counts as a plateau


class Point(NamedTuple):
    """The tree of so many nodes: accuracies in percent, errors, and whether none has fewer."""

    training: float
    test: float
    errors: int
    optimal: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One sample.

    pure         size of the smallest pure tree; proved: whether it is the smallest
    unavoidable  errors that every tree makes: equal rows of different classes
    trees        by their number of nodes, from 3 to `pure`
    """

    name: str
    share: float
    seed: int
    pure: int
    proved: bool
    unavoidable: int
    trees: dict[int, Point]

    def at(self, nodes: int) -> Point:
        """The tree of that size, or the next smaller one."""
        return self.trees[max(size for size in self.trees if size <= nodes)]


class Mean(NamedTuple):
    """Over the samples of a data set and a share: runs that have trees of this size, and mean accuracies."""

    nodes: int
    runs: int
    training: float
    test: float


Curves = dict[tuple[str, float], list[Mean]]


def averaged(runs: Sequence[Run]) -> Curves:
    """Mean accuracies by data set and share, for each size up to the largest of any sample."""
    curves: Curves = {}
    for place in dict.fromkeys((run.name, run.share) for run in runs):
        mine = [run for run in runs if (run.name, run.share) == place]
        curves[place] = [_mean(mine, nodes) for nodes in range(3, max(max(run.trees) for run in mine) + 1, 2)]
    return curves


def _mean(runs: Sequence[Run], nodes: int) -> Mean:
    at = [run.at(nodes) for run in runs]
    own = sum(nodes in run.trees for run in runs)
    return Mean(nodes, own, fmean(each.training for each in at), fmean(each.test for each in at))


def best_smaller(curve: Sequence[Mean]) -> Mean | None:
    """The size below the largest with the best test accuracy, the smallest of several."""
    return max(curve[:-1], key=lambda each: each.test, default=None)


def claims(runs: Sequence[Run], curves: Curves) -> Iterator[Claim]:
    """What the paper says of its curves, and what ours say."""
    yield _rises(runs)
    yield _same_size(runs)
    yield _overfits(curves)
    yield _plateau(curves)


def _rises(runs: Sequence[Run]) -> Claim:
    known = [run for run in runs if all(each.optimal for each in run.trees.values())]
    good = sum(_never_falls(run) and run.at(run.pure).errors == run.unavoidable for run in known)
    measured = (
        f"in {good} of {len(known)} samples with all trees proved; {len(runs) - len(known)} more samples"
    )
    says = "training accuracy increases with the size of the tree, until reaching a perfect classification"
    return Claim(says, verdict(good, len(known)), measured)


def _never_falls(run: Run) -> bool:
    errors = [run.trees[nodes].errors for nodes in sorted(run.trees)]
    return errors == sorted(errors, reverse=True)


def _same_size(runs: Sequence[Run]) -> Claim:
    known = [run for run in runs if run.proved and all(each.optimal for each in run.trees.values())]
    good = sum(first_perfect(run) == run.pure for run in known)
    says = "the tree that classifies every example has the size of the original SAT approach (MinDT)"
    return Claim(says, verdict(good, len(known)), f"in {good} of {len(known)} samples with both proved")


def first_perfect(run: Run) -> int | None:
    """The least size whose tree makes no error that can be avoided; None: none does."""
    return min((nodes for nodes, each in run.trees.items() if each.errors == run.unavoidable), default=None)


def _overfits(curves: Curves) -> Claim:
    gains = {
        place: best.test - curve[-1].test for place, curve in curves.items() if (best := best_smaller(curve))
    }
    good = sum(gain > 0 for gain in gains.values())
    each = ", ".join(f"{name} {share:g}: {points(gain)}" for (name, share), gain in gains.items())
    says = "the perfect tree overfits: smaller trees test better (not as marked for every dataset)"
    measured = (
        f"in {good} of {len(gains)} curves; points of the best smaller size over the perfect tree: {each}"
    )
    return Claim(says, verdict(good, len(gains), ALMOST), measured)


def _plateau(curves: Curves) -> Claim:
    there = {place: curve for place, curve in curves.items() if len(curve) > 1}
    flat = {place: begin for place, curve in there.items() if (begin := plateau(curve)) is not None}
    each = ", ".join(f"{name} {share:g}: from {nodes} nodes" for (name, share), nodes in flat.items())
    measured = f"in {len(flat)} of {len(there)} curves, within {LEVEL:g} points" + (
        f": {each}" if each else ""
    )
    says = "almost systematically the test accuracy stays constant at best while training accuracy increases"
    return Claim(says, verdict(len(flat), len(there), ALMOST), measured)


def plateau(curve: Sequence[Mean]) -> int | None:
    """The least size beyond which training accuracy rises, and test accuracy by `LEVEL` at most."""
    for at, each in enumerate(curve[:-1]):
        later = curve[at + 1 :]
        if later[-1].training > each.training and max(mean.test for mean in later) <= each.test + LEVEL:
            return each.nodes
    return None
