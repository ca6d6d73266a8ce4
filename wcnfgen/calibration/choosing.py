"""A balanced choice of instances, spread over data sets and parameters, with a reason for each.

One by one, greedily, so that fewer are the beginning of more:

1. The class of difficulty that is most behind its share, of those that have instances left.  Shares are
   as 2 for medium and for hard (what a contest is decided by: the exact track by the one, the anytime
   track by the other) to 1 for easy (so that a family says something of weaker solvers, too).  Untouched
   ones come only when nothing else is left; what is trivial, has an optimum of 0 or no model never.
2. In it the instance whose data set was taken least so far,
3. then the one whose other parameters have the values that were taken least,
4. then the smallest file, then the first name.

Where nothing is calibrated all instances are one class.  Where something is, what is not does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.selection import Choice
from wcnfgen.calibration.opinions import BOUND
from wcnfgen.instances import Plain

MOST = 25  # what the Evaluation selects of a family in its first year
SHARES = {"easy": 1, "medium": 2, "hard": 2}
LAST = "untouched"


def choose(rows: Sequence[Row], n: int = MOST) -> list[Choice]:
    """A choice for each row, in their order; n are chosen, or all that can be."""
    against = {row.name: why for row in rows if (why := _against(row, _calibrated(rows)))}
    pools: dict[str, list[Row]] = {}
    for row in rows:
        if row.name not in against:
            pools.setdefault(row.difficulty or "", []).append(row)
    picked = _picked(pools, n)
    used = Counter(_data(row) for row in rows if row.name in picked)
    return [
        Choice(
            row.name,
            row.name in picked,
            row.difficulty or "",
            against.get(row.name) or f"{standing(row)}; {picked.get(row.name) or _enough(row, used)}",
        )
        for row in rows
    ]


def _calibrated(rows: Iterable[Row]) -> bool:
    return any(row.difficulty is not None and row.proved_by != BOUND for row in rows)


def _against(row: Row, calibrated: bool) -> str:
    """Why an instance cannot be chosen; empty if it can."""
    if not row.written:
        return f"left out: {row.why}"
    if row.best_cost == 0:
        return "its optimum is 0: the Evaluation takes no such instance"
    if row.format != "cnf" and row.proved and row.best_cost is None:
        return f"no model: {row.proved_by} says UNSATISFIABLE; the Evaluation takes no such instance"
    if row.difficulty == "trivial":
        return standing(row)
    return standing(row) if calibrated and row.difficulty is None else ""


def standing(row: Row) -> str:
    """The class of an instance and what put it there.

    >>> standing(Row(name="x", status="written", difficulty="easy", proved_by="rc2", best_cost=5,
    ...              seconds={"rc2": 2.5, "lms": None}))
    'easy: 5 proved by rc2 in 2.5 s (1 of 2 solvers)'
    """
    if row.difficulty is None:
        return "no reference solver gave an answer" if row.tried else "not calibrated"
    return f"{row.difficulty}: {_found(row)}"


def _found(row: Row) -> str:
    seconds = {solver: took for solver, took in row.seconds.items() if took is not None}
    if row.proved_by == BOUND:
        return f"the model of cost {row.best_cost} meets the proved bound"
    if row.proved_by in seconds:
        what = "solved" if row.best_cost is None else f"{row.best_cost} proved"
        took, of = seconds[row.proved_by], len(row.seconds)
        return f"{what} by {row.proved_by} in {took:g} s ({len(seconds)} of {of} solvers)"
    if row.proved:
        what = "solved" if row.best_cost is None else f"{row.best_cost} proved"
        return f"{what} by {row.proved_by}, whose run is gone"
    if row.difficulty == "hard":
        than = f", the witness costs {row.witness_cost}" if row.witness_cost is not None else ""
        return f"not proved; {row.best_by} found {row.best_cost}{than}"
    return "no solver solved it" if row.format == "cnf" else "no solver found a better model than the witness"


def _data(row: Row) -> Plain:
    return row.parameters.get("data", row.data)


def _others(row: Row) -> list[tuple[str, Plain]]:
    return [(key, value) for key, value in row.parameters.items() if key != "data"]


def _picked(pools: dict[str, list[Row]], n: int) -> dict[str, str]:
    """What is chosen, by name, each with how it comes in."""
    picked: dict[str, str] = {}
    taken: Counter[str] = Counter()
    data: Counter[Plain] = Counter()
    values: Counter[tuple[str, Plain]] = Counter()

    def order(row: Row) -> tuple[int, int, int, str]:
        return data[_data(row)], sum(values[each] for each in _others(row)), row.bytes or 0, row.name

    while len(picked) < n and any(pools.values()):
        pool = pools[_next_class(pools, taken)]
        row = min(pool, key=order)
        pool.remove(row)
        taken[row.difficulty or ""] += 1
        data[_data(row)] += 1
        values.update(_others(row))
        parts = [f"{ordinal(data[_data(row)])} of {_data(row)}", *(f"{k} {v}" for k, v in _others(row))]
        picked[row.name] = "chosen: " + ", ".join(parts)
    return picked


def _next_class(pools: dict[str, list[Row]], taken: Counter[str]) -> str:
    """The class most behind its share; untouched comes last."""
    there = [name for name in (*SHARES, "", LAST) if pools.get(name)]
    shared = [name for name in there if name in SHARES]
    return min(shared, key=lambda name: (taken[name] + 1) / SHARES[name]) if shared else there[0]


def _enough(row: Row, used: Counter[Plain]) -> str:
    return f"not needed: {used.total()} are chosen, {used[_data(row)]} of them of {_data(row)}"


def ordinal(number: int) -> str:
    """A place in a row.

    >>> ordinal(1), ordinal(4), ordinal(12), ordinal(23)
    ('first', '4th', '12th', '23rd')
    """
    words = {1: "first", 2: "second", 3: "third"}
    endings = {1: "st", 2: "nd", 3: "rd"}
    teen = number % 100 in (11, 12, 13)
    return words.get(number) or f"{number}{'th' if teen else endings.get(number % 10, 'th')}"
