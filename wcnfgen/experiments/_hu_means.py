"""Table 1 of Hu et al. 2020: trees of folds, their means, and what the paper claims of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from wcnfgen.experiments._hu import CLOSE, Cases, cases, points, verdict
from wcnfgen.experiments.findings import Claim, Held, mean

METHODS = ("CART", "DL8.5", "DT(max)", "DT(exact)")
EVEN = 1.0  # points: what we call close
DEEP, OUT = 5, 6  # the depth within which DL8.5 runs out of memory in the paper, on so many data sets


@dataclass(frozen=True, slots=True)
class Result:
    """One tree, of a method on a fold.

    right     training rows; training, test: accuracies in percent
    seconds   of wall time: of the search for CART and DL8.5, of the whole command for ours
    peak_mib  of the process of DL8.5; None for ours
    """

    name: str
    depth: int
    method: str
    fold: tuple[int, int]
    right: int
    training: float
    test: float
    optimal: bool
    by_solver: bool
    seconds: float
    peak_mib: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the folds of a method on a data set within a depth.

    optimal   share of the trees that are proved, in percent; seconds: mean of these
    greedy    number of trees that no solver found; peak_mib: the largest
    """

    name: str
    depth: int
    method: str
    trees: int
    training: float
    test: float
    optimal: float | None
    seconds: float | None
    greedy: int
    peak_mib: float | None


def rows(results: Sequence[Result]) -> list[Row]:
    """The means of each data set, depth and method, in the order in which they come."""
    places = dict.fromkeys((each.name, each.depth, each.method) for each in results)
    return [_row([x for x in results if (x.name, x.depth, x.method) == place]) for place in places]


def _row(of: Sequence[Result]) -> Row:
    first, proved = of[0], [each for each in of if each.optimal]
    return Row(
        first.name,
        first.depth,
        first.method,
        len(of),
        fmean(each.training for each in of),
        fmean(each.test for each in of),
        None if first.method == "CART" else 100 * len(proved) / len(of),
        mean(each.seconds for each in proved),
        sum(not each.by_solver for each in of),
        max((each.peak_mib for each in of if each.peak_mib is not None), default=None),
    )


def claims(results: Sequence[Result], found: Sequence[Row]) -> Iterator[Claim]:
    """What the paper says of its Table 1, and what ours says."""
    for what in ("training", "testing"):
        yield _competitive(found, what)
    yield _near_optimum(found)
    yield _max_and_exact(found)
    yield _same_optima(results)


def _competitive(found: Sequence[Row], what: str) -> Claim:
    """Whether DT(max) is within three points of the best, and what it lacks where it lacks most."""
    of_max = cases(found, what, "DT(max)")
    lacks = {case: max(of.values()) - of["DT(max)"] for case, of in of_max.items()}
    good = sum(lack <= CLOSE for lack in lacks.values())
    alone = ", ".join(f"of {other} alone in {_within(of_max, other)}" for other in ("CART", "DL8.5"))
    says = f"DT(max) is competitive with CART and DL8.5 in {what} accuracy (within 3 points of the best)"
    return Claim(says, verdict(good, len(lacks)), f"in {good} of {len(lacks)} cases ({alone}){_worst(lacks)}")


def _within(of_max: Cases, other: str) -> int:
    """In how many cases DT(max) lacks no more than three points of another method."""
    both = [of for of in of_max.values() if other in of]
    return sum(of[other] - of["DT(max)"] <= CLOSE for of in both)


def _worst(lacks: dict[tuple[str, int], float]) -> str:
    if not lacks:
        return ""
    (name, depth), most = max(lacks.items(), key=lambda item: item[1])
    middle = f"; {fmean(lacks.values()):.2f} points from the best on average"
    return f"{middle}, {most:.2f} at most ({name}, depth {depth})"


def _near_optimum(found: Sequence[Row]) -> Claim:
    """Training accuracy of DT(max) against DL8.5 where the latter proved all its trees."""
    lacks = {}
    for ours, theirs in _pairs(found, "DT(max)", "DL8.5"):
        if theirs.optimal == 100.0 and theirs.trees == ours.trees:
            lacks[(ours.name, ours.depth)] = theirs.training - ours.training
    good = sum(lack <= EVEN for lack in lacks.values())
    says = "although not always proved, DT(max) is close to the optimal solution obtained by DL8.5"
    measured = f"within 1 point of the optimum in {good} of {len(lacks)} cases{_worst(lacks)}"
    return Claim(says, verdict(good, len(lacks)), measured.replace("the best on", "it on"))


def _pairs(found: Sequence[Row], one: str, other: str) -> Iterator[tuple[Row, Row]]:
    """The rows of two methods on the same data within the same depth."""
    by_place = {(each.name, each.depth, each.method): each for each in found}
    for (name, depth, method), each in by_place.items():
        if method == one and (beside := by_place.get((name, depth, other))):
            yield each, beside


def _max_and_exact(found: Sequence[Row]) -> Claim:
    gains = [of_max.training - exact.training for of_max, exact in _pairs(found, "DT(max)", "DT(exact)")]
    good = sum(gain >= 0 for gain in gains)
    says = "(ours) DT(max) allows all trees that DT(exact) does: its training accuracy is no worse"
    spread = f", from {points(min(gains))} to {points(max(gains))} points" if gains else ""
    return Claim(says, verdict(good, len(gains)), f"in {good} of {len(gains)} cases{spread}")


def _same_optima(results: Sequence[Result]) -> Claim:
    """A law: two proofs of the same optimum agree."""
    proved: dict[str, dict[tuple[str, int, tuple[int, int]], int]] = {method: {} for method in METHODS}
    for each in results:
        if each.optimal:
            proved[each.method][each.name, each.depth, each.fold] = each.right
    theirs = proved["DL8.5"]
    both = [(right, theirs[place]) for place, right in proved["DT(max)"].items() if place in theirs]
    good = sum(one == other for one, other in both)
    says = "(a law) where DL8.5 and DT(max) are both proved optimal they have as many training rows right"
    held = verdict(good, len(both)) if good == len(both) else "no"
    return Claim(says, held, f"on {good} of {len(both)} folds")


def memory(deep: dict[str, dict[str, Any]]) -> Claim:
    """How DL8.5 ended within depth 5, by data set, as `wcnfgen peer` says."""
    out = sum(said["ended"] == "memory" for said in deep.values())
    held: Held = "yes" if out >= OUT else "partly" if out else "open"
    each = "; ".join(
        f"{name}: {said['peak_mib']:.0f} MiB in {said['seconds']:.0f} s ({said['ended']})"
        for name, said in deep.items()
    )
    says = "DL8.5 needs massive memory: within depth 5 it exceeds 50 GB on 6 data sets"
    return Claim(
        says, held, f"out of memory on {out} of {len(deep)}; {each}" if deep else "not run at this scale"
    )
