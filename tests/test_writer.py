"""The writer against the plainest one there is, and the formats it writes."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wcnfgen import writer
from wcnfgen.clauses import Bits, Block, Choice, clauses, layout
from wcnfgen.errors import WcnfgenError


class Plain:
    """A formula made of given blocks."""

    def __init__(self, variables: int, hard: list[Block], soft: list[tuple[int, NDArray[np.int32]]]):
        self.variables, self._hard, self._soft = variables, hard, soft

    def hard(self) -> Iterator[Block]:
        return iter(self._hard)

    def soft(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        return iter(self._soft)


def written(formula: writer.Formula, format: writer.Format = "wcnf", comments: tuple[str, ...] = ()) -> str:
    out = io.BytesIO()
    writer.write(formula, out, format=format, comments=comments)
    return out.getvalue().decode("ascii")


def naive(formula: Plain) -> str:
    lines = [f"{w} " + " ".join(map(str, row)) + " 0\n" for w, b in formula.soft() for row in b.tolist()]
    lines += ["h " + " ".join(map(str, row)) + " 0\n" for b in formula.hard() for row in layout(b).tolist()]
    return "".join(lines)


def random_choice(rng: np.random.Generator, rows: int, columns: int, n: int) -> Choice:
    """Row constraints as encodings yield them: heads in runs, neighbouring variables in pairs."""
    head = np.sort(rng.integers(1, n + 1, (rows, 2), dtype=np.int32), axis=0) * [-1, 1]
    first = rng.integers(1, n - 2 * columns + 1)
    pair = np.arange(first, first + 2 * columns, dtype=np.int32).reshape(columns, 2).T
    return Choice(head.astype(np.int32), pair, Bits(rng.integers(0, 2, (rows, columns), dtype=np.uint8)))


@pytest.mark.parametrize("rows", [1, 511, 512, 700, 5000])
@pytest.mark.parametrize("columns", [1, 7, 8, 9, 16, 45])
@pytest.mark.parametrize("n", [101, 1005, 999_990, 1_000_100])
def test_row_constraints_print_as_plainly_written(rows: int, columns: int, n: int) -> None:
    """Both routes, every remainder of eight columns, and numbers that change their length within a node."""
    rng = np.random.default_rng(rows * columns)
    block = random_choice(rng, rows, columns, n)
    formula = Plain(n, [block], [])
    assert written(formula) == naive(formula)


@pytest.mark.parametrize("first", [5, 95, 96, 97, 995, 9990, 99_991])
def test_literals_of_different_length_in_one_node(first: int) -> None:
    pair = np.arange(first, first + 40, dtype=np.int32).reshape(20, 2).T
    X = np.random.default_rng(first).integers(0, 2, (600, 20), dtype=np.uint8)
    head = np.full((600, 2), -3, np.int32)
    formula = Plain(first + 40, [Choice(head, pair, Bits(X))], [])
    assert written(formula) == naive(formula)


@given(st.data())
def test_any_rectangle_prints_as_plainly_written(data: st.DataObject) -> None:
    n = data.draw(st.sampled_from([1, 9, 10, 99, 1234, 1_000_001]))
    literal = st.integers(1, n).flatmap(lambda x: st.sampled_from([x, -x]))
    width, rows = data.draw(st.integers(1, 5)), data.draw(st.integers(0, 6))
    cells = data.draw(st.lists(literal, min_size=width * rows, max_size=width * rows))
    block = np.array(cells, np.int32).reshape(rows, width)
    weight = data.draw(st.integers(1, 2**40))
    formula = Plain(n, [block], [(weight, block)])
    assert written(formula) == naive(formula)


def test_a_block_larger_than_a_chunk() -> None:
    block = clauses(-np.arange(1, 200_001), np.arange(1, 200_001))
    formula = Plain(200_000, [block], [(2**62, clauses([7]))])
    assert written(formula) == naive(formula)


HARD, SOFT = clauses(1, [-2, 3]), clauses([2, 3])


def test_formats() -> None:
    formula = Plain(3, [HARD], [(4, SOFT)])
    assert written(formula) == "4 2 0\n4 3 0\nh 1 -2 0\nh 1 3 0\n"
    assert written(formula, "wcnf-old") == "p wcnf 3 4 9\n4 2 0\n4 3 0\n9 1 -2 0\n9 1 3 0\n"
    assert written(formula, "cnf") == "p cnf 3 2\n1 -2 0\n1 3 0\n"
    assert written(formula, comments=("one", "two")).startswith("c one\nc two\n4 2 0\n")


def test_counts_come_from_shapes_and_are_right() -> None:
    rng = np.random.default_rng(5)
    formula = Plain(200, [HARD, random_choice(rng, 30, 10, 200)], [(4, SOFT)])
    assert writer.count(formula) == writer.Counts(200, 32, 2, 4 + 30 * 12 + 2, 8)


def test_weights_that_the_formats_cannot_hold_are_refused() -> None:
    with pytest.raises(WcnfgenError, match="2\\^63"):
        written(Plain(3, [], [(2**62, SOFT)]))


def test_clauses_broadcast() -> None:
    assert clauses(1, [[2], [3]], [4, 5]).tolist() == [[1, 2, 4], [1, 2, 5], [1, 3, 4], [1, 3, 5]]
