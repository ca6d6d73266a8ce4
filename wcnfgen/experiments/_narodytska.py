"""What the tables of Narodytska et al. 2018 share: steps that find trees, and how figures compare.

The paper's upper bound is the tree of ITI, a program that is not to be had.  In its place there are two
greedy trees to compare with: that of scikit-learn's CART, grown until its leaves are pure, and the best of
those of `wcnfgen encode`, from which the descent starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wcnfgen.experiments.findings import Held, judged
from wcnfgen.experiments.work import DataSet, Step, Work

Found = TypeVar("Found")  # what is known of a set
POSITIVE = {"new-thy": "1", "shuttle": "1"}  # of several classes, the most frequent one, against the others
TWO_CLASSES = (
    "New-thyroid and Shuttle have several classes, and the paper's trees two: the most frequent one is set "
    "against the others, as in the authors' file of New-thyroid."
)
COLUMNS = ("--binning", "none")  # a column for every value, of numbers too
WALL_S, MEMORY_MIB = 1000, 2048  # the paper's limits
ITI = (
    "ITI, whose tree is the paper's upper bound, is not available. In its place are the pure tree of "
    "scikit-learn's CART and our best greedy tree, from which our descent starts; optima depend on neither."
)
TIMES = (
    "Times of the paper are those of Glucose 3 at 3.5 GHz, from the size of ITI's tree down; ours are wall "
    "seconds of `wcnfgen search --method descent` (CaDiCaL 1.9.5), start of Python and the writing and "
    "checking of files included."
)


@dataclass(frozen=True, slots=True)
class Row:
    """Trees of the same rows: sizes in nodes, seconds of the search, shares of test rows that are right.

    None is what there is none of; smallest is the best that was found, proved says that it is optimal.
    """

    rows: int
    columns: int
    greedy: int | None
    cart: int | None
    smallest: int | None
    proved: bool
    seconds: float
    test: float | None = None
    cart_test: float | None = None


def columns(data: DataSet, output: str, *more: str) -> Step:
    """A set as 0/1 columns and two classes."""
    positive = ("--positive", POSITIVE[data.name]) if data.name in POSITIVE else ()
    return Step(output, ("columns", *data.words, *COLUMNS, *positive, *more))


def steps(stem: str, words: Sequence[str], wall: float, test: str = "") -> list[Step]:
    """The greedy trees and the descent for one data set, given by the words that prepare it."""
    limits = ("--wall", f"{wall:g}", "--memory", f"{MEMORY_MIB}")
    descent = ("search", *words, *COLUMNS, "--method", "descent", *limits, *_on(test), "--as", "json")
    return [
        Step(f"{stem}.greedy.json", ("encode", *words, *COLUMNS, "--sizes")),
        cart(stem, words, test),
        Step(f"{stem}.descent.json", descent, (0, 1)),
    ]


def cart(stem: str, words: Sequence[str], test: str = "") -> Step:
    """The pure tree of scikit-learn's CART."""
    how = ("--conflicts", "majority", "--method", "cart", *_on(test), "--as", "json")
    return Step(f"{stem}.cart.json", ("peer", *words, *COLUMNS, *how))


def _on(test: str) -> tuple[str, ...]:
    return ("--test", test) if test else ()


def row(work: Work, stem: str) -> Row:
    """What these steps found."""
    sizes = work.json(f"{stem}.greedy.json")
    cart, tree = (work.json(f"{stem}.{each}.json") or {} for each in ("cart", "descent"))
    return Row(
        rows=sizes["rows"]["used"],
        columns=sizes["columns"],
        greedy=sizes["greedy"],
        cart=cart.get("size"),
        smallest=tree.get("size"),
        proved=bool(tree.get("optimal")),
        seconds=tree.get("seconds", work.seconds(f"{stem}.descent.json")),
        test=_share(tree.get("test")),
        cart_test=_share(cart.get("test")),
    )


def _share(accuracy: dict[str, int] | None) -> float | None:
    return None if accuracy is None else accuracy["right"] / accuracy["rows"]


def held(found: Iterable[bool | None]) -> Held:
    """Whether something holds of all: None is what nobody has measured.

    >>> held([True, True]), held([True, False]), held([False, None]), held([True, None]), held([])
    ('yes', 'partly', 'no', 'open', 'open')
    """
    flags = list(found)
    known = [each for each in flags if each is not None]
    if all(known) and len(known) < len(flags):
        return "open"
    return judged(sum(known), len(known))


def of_all(
    paper: Iterable[str], found: Mapping[str, Found], is_so: Callable[[str, Found], bool]
) -> list[bool | None]:
    """Of each set of the paper whether it is so; None where there is no such set here."""
    return [is_so(name, found[name]) if name in found else None for name in paper]


def less(before: float | None, after: float | None) -> float | None:
    """By which share something has become less.

    >>> less(20, 15)
    0.25
    """
    return None if before is None or after is None else 1 - after / before


def percent(share: float | None) -> str:
    """A share for people.

    >>> percent(0.297), percent(None)
    ('30 %', 'unknown')
    """
    return "unknown" if share is None else f"{100 * share:.0f} %"
