"""Rules on the weights of soft clauses."""

from __future__ import annotations

from collections.abc import Iterator

from wcnfgen.checks._formula import Formula
from wcnfgen.checks._rule import Hit, rule


@rule(Formula, "error", "maxsat")
def weight_sum(formula: Formula) -> Iterator[Hit]:
    """The weights of all soft clauses sum to less than 2^64 - 1 (rules, 2021 to 2026)."""
    if formula.weights >= 2**64 - 1:
        yield Hit(f"the soft weights sum to {formula.weights}: refused from 2^64 - 1 on; scale them down")


@rule(Formula, "warning", "maxsat")
def weight_sum_signed(formula: Formula) -> Iterator[Hit]:
    """The weights of all soft clauses sum to less than 2^63: std_wcnf and many solvers keep sums with a
    sign in 64 bits."""
    if 2**63 <= formula.weights < 2**64 - 1:
        yield Hit(
            f"the soft weights sum to {formula.weights}: from 2^63 on it overflows signed sums; scale down"
        )


@rule(Formula, "note", "maxsat")
def weight_sum_tested(formula: Formula) -> Iterator[Hit]:
    """The weights of all soft clauses sum to at most 2^60: the regression suite that solvers have to pass
    (tobipaxe/MaxSATRegressionSuite) tries no more."""
    if 2**60 < formula.weights < 2**63:
        yield Hit(f"the soft weights sum to {formula.weights}: solvers are tested up to 2^60 only")


@rule(Formula, "warning", "maxsat")
def uniform_weight(formula: Formula) -> Iterator[Hit]:
    """If all soft clauses weigh the same, they weigh 1: std_wcnf makes it so, and an instance is unweighted
    if its largest weight is 1."""
    if formula.lightest == formula.heaviest and formula.heaviest not in (None, 1):
        yield Hit(
            f"all soft clauses weigh {formula.heaviest}: the normaliser makes it 1 and divides all costs "
            "so; write 1"
        )
