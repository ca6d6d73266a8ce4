"""A random formula in disjunctive normal form."""

from __future__ import annotations

from math import comb

from wcnfgen.errors import UsageError
from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, check, inputs, numbered, stream

Term = tuple[tuple[int, int], ...]  # (feature, wanted value), by feature


def generate(
    *, features: int = 8, terms: int = 3, length: int = 3, irrelevant: int = 0, rows: int = 0, seed: int = 0
) -> Dataset:
    """Random DNF: whether one of some random terms holds (Pagallo and Haussler 1990).

    class = T1 ∨ ... ∨ Tt, different terms, each a conjunction of `length` literals over different
    features, x or ¬x with equal chance.  Short terms may cover every row, long ones none of a
    few drawn rows: then only one class is left.

    features: number of bits that terms may use, 1 to 1000
    terms: number t of terms, 1 to 10000
    length: number of literals of a term, 1 to features
    irrelevant: number of bits that no term uses, 0 to 1000; they come last
    rows: 0 lists all inputs (up to 20 bits); otherwise so many are drawn
    seed: of the terms and of the drawing
    """
    check("features", features, 1, 1000)
    check("terms", terms, 1, 10000)
    check("length", length, 1, features)
    check("irrelevant", irrelevant, 0, 1000)
    vectors = inputs(features + irrelevant, rows, seed)
    formula = dnf(features, terms, length, seed)

    def holds(x: Bits) -> bool:
        return any(all(x[feature] == value for feature, value in term) for term in formula)

    return boolean(numbered("x", features + irrelevant), vectors, holds)


def dnf(features: int, terms: int, length: int, seed: int) -> list[Term]:
    """So many different terms, in the order in which they were drawn. UsageError if there are too few."""
    if terms > comb(features, length) * 2**length:
        raise UsageError(f"terms={terms}: {features} features have fewer terms of length {length}")
    rng = stream(seed, 1)  # not the stream that draws the rows
    found: dict[Term, None] = {}
    while len(found) < terms:
        chosen = sorted(rng.choice(features, length, replace=False).tolist())
        found[tuple(zip(chosen, rng.randint(0, 2, length).tolist(), strict=True))] = None
    return list(found)
