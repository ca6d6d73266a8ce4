"""The writer against the plainest one there is, and the formats it writes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from inspect import signature
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wcnfgen import encodings, writer
from wcnfgen.clauses import Bits, Block, Choice, clauses, layout
from wcnfgen.errors import WcnfgenError
from wcnfgen.rows import merge, resolve


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


# ---------------------------------------------------------------------------- sizes foretold


@pytest.mark.parametrize("rows", [1, 64, 65, 1000, 5000])
@pytest.mark.parametrize("columns", [1, 9, 45])
@pytest.mark.parametrize("n", [101, 1005, 100_100])
def test_an_estimate_is_close(rows: int, columns: int, n: int) -> None:
    """Exact up to SAMPLE rows a block; beyond, a few per cent."""
    rng = np.random.default_rng(rows + columns)
    signs = rng.choice(np.array([-1, 1], np.int32), (rows, 3))
    block = signs * rng.integers(1, n + 1, (rows, 3), dtype=np.int32)
    formula = Plain(n, [random_choice(rng, rows, columns, n), block], [(37, block[:, :1]), (4, SOFT[:0])])
    formats: tuple[Literal["wcnf", "cnf"], ...] = ("wcnf", "cnf")
    for format in formats:
        size = len(written(formula, format))
        if rows <= writer.SAMPLE:
            header = len(f"p cnf {n} {2 * rows}\n") if format == "cnf" else 0
            assert writer.estimate(formula, format) == size - header
        assert writer.estimate(formula, format) == pytest.approx(size, rel=0.06, abs=30)


def test_an_estimate_meets_no_period() -> None:
    """Every 2nd, 3rd, ... 16th row is long, whatever the number of rows."""
    for period in range(2, 17):
        for rows in (256, 640, 1024, 65 * period):
            block = clauses(np.where(np.arange(rows) % period == 0, 10_000, 1))
            formula = Plain(10_000, [block], [])
            assert writer.estimate(formula) == pytest.approx(len(written(formula)), rel=0.08)


def test_an_estimate_lays_out_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[int] = []
    rows = Choice.rows

    def counted(self: Choice, chosen: Any) -> NDArray[np.int32]:
        found = rows(self, chosen)
        laid_out.append(len(found))
        return found

    monkeypatch.setattr(Choice, "rows", counted)
    block = random_choice(np.random.default_rng(1), 5000, 20, 500)
    writer.estimate(Plain(500, [block, block], []))
    assert laid_out == [writer.SAMPLE] * 2


@pytest.mark.parametrize("name", encodings.names())
def test_estimates_of_all_encodings(name: str) -> None:
    """Within five per cent."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 2, (300, 12), dtype=np.uint8), rng.integers(0, 3, 300).astype(np.int32)
    keep = resolve(X, y).keep
    kind = encodings.get(name)
    options = {"depth": 3} if "depth" in signature(kind.plan).parameters else {}
    options |= {"ub": 13} if name in ("accuracy", "mixed") else {}
    options |= {"depth": 9} if name == "paths" else {}
    encoding = kind.plan(merge(X[keep], y[keep], 3), **options).encoding
    out = io.BytesIO()
    writer.write(encoding, out)
    assert writer.estimate(encoding) == pytest.approx(len(out.getvalue()), rel=0.05)
