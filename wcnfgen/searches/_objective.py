"""A weighted sum of literals that a SAT solver can be asked to keep below any number, again and again.

Two encodings, both incremental: the bound is an assumption, nothing is added twice.

`Totaliser` (Bailleux and Boufkhad, CP 2003; with weights the generalised one of Joshi, Martins and
Manquinho, CP 2015) has a variable for each sum that can occur.  It propagates well, and costs as many
clauses as there are pairs of sums, which many different weights or thousands of terms make too many.

`Adder` (Eén and Sörensson, JSAT 2006, section 5.3) adds in binary: a few clauses for each bit, whatever
the weights, but it propagates badly.

`objective` builds the first where it is of reasonable size, else the second.  PySAT's own totaliser knows no
weights, and its pseudo-Boolean encoder needs a library that is not always there.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Protocol

from wcnfgen.searches._sat import SatSolver

LARGEST_TOTALISER = 1_000_000  # clauses; about a second to build

Term = tuple[int, int]  # weight > 0, literal


class Objective(Protocol):
    """The sum of the weights of those terms whose literal holds."""

    def below(self, bound: int) -> list[int]:
        """Assumptions under which the sum is less than the bound, which is at least 1."""


def objective(terms: list[Term], cap: int, sat: SatSolver, largest: int = LARGEST_TOTALISER) -> Objective:
    """A sum that will be kept below bounds of at most cap."""
    counted = _size(terms, cap, largest)
    return Totaliser(terms, cap, sat) if counted <= largest else Adder(terms, sat)


class Totaliser:
    """One variable for each possible sum up to cap: it is true if the sum is as large or larger."""

    def __init__(self, terms: list[Term], cap: int, sat: SatSolver) -> None:
        self._cap, self._sat = cap, sat
        parts = deque({min(weight, cap): literal} for weight, literal in sorted(terms))
        while len(parts) > 1:
            parts.append(self._merge(parts.popleft(), parts.popleft()))
        self.sums = parts[0] if parts else {}

    def _merge(self, left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
        """Σ left >= a and Σ right >= b imply Σ both >= a + b; and each sum implies the next smaller one."""
        sums = {total: self._sat.fresh() for total in sorted(_sums(set(left), set(right), self._cap))}
        self._sat.add([-x, sums[a]] for part in (left, right) for a, x in part.items())
        self._sat.add(
            [-x, -y, sums[min(a + b, self._cap)]] for a, x in left.items() for b, y in right.items()
        )
        variables = list(sums.values())
        self._sat.add([-larger, less] for less, larger in pairwise(variables))
        return sums

    def below(self, bound: int) -> list[int]:
        """The least sum that is too large does not occur; the larger ones then do not either."""
        assert bound <= self._cap
        return [-x for total, x in sorted(self.sums.items()) if total >= bound][:1]


class Adder:
    """The binary digits of the sum, least first."""

    def __init__(self, terms: list[Term], sat: SatSolver) -> None:
        self._sat = sat
        top = sum(weight for weight, _ in terms)
        columns: list[deque[int]] = [deque() for _ in range(top.bit_length() + 1)]
        for weight, literal in terms:
            for place in range(weight.bit_length()):
                if weight >> place & 1:
                    columns[place].append(literal)
        self.digits = [self._digit(columns[i], columns[i + 1]) for i in range(top.bit_length())]

    def _digit(self, column: deque[int], carries: deque[int]) -> int | None:
        """Add up the digits of one place; None is a digit that is always 0."""
        while len(column) > 1:
            operands = [column.popleft() for _ in range(min(3, len(column)))]
            column.append(self._xor(operands))
            carries.append(self._two_of(operands))
        return column[0] if column else None

    def _xor(self, xs: list[int]) -> int:
        out = self._sat.fresh()
        for signs in range(2 ** len(xs)):
            point = [x if signs >> i & 1 else -x for i, x in enumerate(xs)]  # excluded unless out is right
            self._sat.add([[-x for x in point] + [out if signs.bit_count() % 2 else -out]])
        return out

    def _two_of(self, xs: list[int]) -> int:
        out = self._sat.fresh()
        pairs = [(x, y) for i, x in enumerate(xs) for y in xs[:i]]
        self._sat.add([-x, -y, out] for x, y in pairs)
        self._sat.add([x, y, -out] for x, y in pairs)
        if len(xs) == 2:
            self._sat.add([x, -out] for x in xs)
        return out

    def below(self, bound: int) -> list[int]:
        """Wherever bound - 1 has a 0 and the sum a 1, a higher place has it the other way round."""
        if (bound - 1) >> len(self.digits):
            return []
        chosen, largest = self._sat.fresh(), bound - 1
        larger: list[int] = []
        for place in range(len(self.digits) - 1, -1, -1):
            digit = self.digits[place]
            if largest >> place & 1:
                if digit is None:
                    break  # the sum is less from here on
                larger.append(-digit)
            elif digit is not None:
                self._sat.add([[-chosen, -digit, *larger]])
        return [chosen]


def _sums(left: set[int], right: set[int], cap: int) -> set[int]:
    return left | right | {min(a + b, cap) for a in left for b in right}


def _size(terms: list[Term], cap: int, enough: int) -> int:
    """The clauses of a totaliser; counting ends where there are enough."""
    parts = deque({min(weight, cap)} for weight, _ in sorted(terms))
    clauses = 0
    while len(parts) > 1:
        left, right = parts.popleft(), parts.popleft()
        clauses += (len(left) + 1) * (len(right) + 1)
        if clauses > enough:
            break
        parts.append(_sums(left, right, cap))
    return clauses
