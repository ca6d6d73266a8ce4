"""At most one, over every assignment."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from pysat.solvers import Solver

from wcnfgen.constraints.counting import PAIRWISE_UP_TO, Pairwise, Product, Sequential, at_most_one
from wcnfgen.variables import Pool

Kind = type[Pairwise] | type[Product] | type[Sequential]
KINDS: list[Kind] = [Pairwise, Product, Sequential]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", range(2, 11))
@pytest.mark.parametrize("sign", [1, -1])
def test_at_most_one_over_all_assignments(kind: Kind, n: int, sign: int) -> None:
    """Satisfiable exactly where one literal at most holds; then `assign` gives a model."""
    pool = Pool()
    x = sign * pool.new(np.ones(n, bool))
    amo = kind(x, pool)
    clauses = [row for block in amo.blocks() for row in block.tolist()]
    assert all(clauses) and {abs(y) for row in clauses for y in row} <= set(range(1, pool.count + 1))
    with Solver("glucose4", bootstrap_with=clauses) as solver:
        for values in product((False, True), repeat=n):
            held = [int(y if value else -y) for y, value in zip(x, values, strict=True)]
            assert solver.solve(assumptions=held) == (sum(values) <= 1)
            if sum(values) <= 1:
                assignment = np.zeros(pool.count + 1, bool)
                assignment[[abs(y) for y in held]] = [y > 0 for y in held]
                amo.assign(assignment)
                assert all(any(assignment[abs(y)] ^ (y < 0) for y in row) for row in clauses)


def test_every_auxiliary_variable_is_used() -> None:
    for n in range(2, 60):
        for kind in KINDS:
            pool = Pool()
            amo = kind(pool.new(np.ones(n, bool)), pool)
            used = {abs(y) for block in amo.blocks() for y in block.ravel().tolist()}
            assert used == set(range(1, pool.count + 1)), (kind, n)


def test_few_literals_are_counted_pairwise_and_many_by_product() -> None:
    for n, kind in ((PAIRWISE_UP_TO, Pairwise), (PAIRWISE_UP_TO + 1, Product)):
        pool = Pool()
        assert isinstance(at_most_one(pool.new(np.ones(n, bool)), pool), kind)
