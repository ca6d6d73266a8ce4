"""The formulas for variables and clauses that the README prints are what the encodings write.

The README is where the formulas are; here they are evaluated, over a grid of sizes and options, and held
against the counts of the formulas themselves.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator
from itertools import chain, product, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wcnfgen import encodings
from wcnfgen.constraints.nodes import lr
from wcnfgen.constraints.topology import levels
from wcnfgen.encodings import Encoding
from wcnfgen.rows import Problem
from wcnfgen.writer import count

README = (Path(__file__).parents[1] / "README.md").read_text()
SECTION = README.partition("\n## Sizes\n")[2].partition("\n## ")[0]
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in SECTION.splitlines()]
CODE = re.compile("`(.*?)`")
FORMULAS = {
    row[0]: codes for row in ROWS if len(row) == 4 and any(codes := [CODE.findall(cell) for cell in row[2:]])
}
TERMS = {CODE.findall(row[0])[0]: CODE.findall(row[1])[0] for row in ROWS if len(row) == 3 and "`" in row[1]}

Values = dict[str, int]
OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def value(text: str, names: Values) -> int:
    """An arithmetic expression over integers."""

    def of(node: ast.AST) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return names[name]
            case ast.BinOp(left=left, op=op, right=right):
                return OPERATORS[type(op)](of(left), of(right))
            case ast.Call(func=ast.Name(id="max"), args=args):
                return max(map(of, args))
        raise ValueError(f"not arithmetic: {ast.unparse(node)}")

    return of(ast.parse(text, mode="eval").body)


# ---------------------------------------------------------------------------- what the letters stand for


def letters(problem: Problem, N: int, U: int, *, e: int, b: int = 0, x: int = 0, D: int = 0) -> Values:
    """The numbers that are given, then the terms as the README defines them."""
    K, C = problem.features, problem.classes
    names = {"N": N, "K": K, "C": C, "M": problem.rows, "U": U, "e": e, "b": b, "x": x, "D": D}
    names |= at_most_one(K)
    names |= {"c": C, "g": C, "G": C * (C - 1) // 2 + 1} if C > 2 else {"c": 1, "g": 0, "G": 0}
    h = {i: max(0, min(U, i // 2) - i.bit_length() + 2) for i in range(1, N + 1)}
    names["H"], names["Y"] = sum(h.values()), sum(depths > 1 for depths in h.values())
    names["R"] = sum(2 * len(lr(i, N)) * depths for i, depths in h.items())
    for name, formula in TERMS.items():
        names[name] = value(formula, names)
    return names


def at_most_one(K: int) -> Values:
    """Variables and clauses of at most one of K columns: pairwise up to 50, else the product of s and t."""
    if K <= 50:
        return {"a": 0, "A": K * (K - 1) // 2}
    s = math.isqrt(K - 1) + 1
    t = -(-K // s)
    return {"a": s + t, "A": 2 * K + s * (s - 1) // 2 + t * (t - 1) // 2}


def problem_of(rows: int, K: int, C: int) -> Problem:
    """Distinct vectors, all classes."""
    rng = np.random.default_rng(K)
    numbers = rng.permutation(min(2**K, 1000))[:rows]
    X = (numbers[:, None] >> np.arange(K).clip(max=9) & 1).astype(np.uint8)
    y = np.arange(len(X), dtype=np.int32) % C
    return Problem(X, y, np.ones(len(X), np.int64), C)


# ---------------------------------------------------------------------------- what is written

TREE = "`exact`, `size`"
REACH = "the same, `--reach`"
PAPER = "the same, `--form paper`"
SOFT = "`accuracy`; `--soft-rows`"
DEPTH = "`depth`, `boost`"
PAPER_DEPTH = "`depth`, `boost`, `--form paper`"
HEIGHT = "`mixed`, `--depth-weight`"
COMPLETE = "`complete`"
MIN_SIZE = "`complete --min-size`"
FIXED = "`fixed`"
PATHS = "`paths`"

Case = tuple[tuple[str, ...], Encoding, Values]


def make(name: str, problem: Problem, **options: Any) -> Encoding:
    return encodings.get(name)(problem, **options)


def trees(problem: Problem, N: int, U: int) -> Iterator[Case]:
    """Encodings of a tree of N nodes in both forms."""
    soft = [problem.rows, 0]
    for form, tree, depth in (("core", TREE, DEPTH), ("paper", PAPER, PAPER_DEPTH)):
        exact = letters(problem, N, U, e=0)
        yield (tree,), make("exact", problem, nodes=N, form=form), exact
        yield (tree, SOFT), make("accuracy", problem, nodes=N, form=form, soft_rows=soft), exact
        for lb in (3, N):
            most = letters(problem, N, U, e=1, b=int(lb >= 5))
            yield (tree,), make("size", problem, ub=N, lb=lb, form=form), most
            yield (tree, SOFT), make("size", problem, ub=N, lb=lb, form=form, soft_rows=soft), most
        for name, x in product(("depth", "boost"), (False, True)):
            most = letters(problem, N, U, e=1, x=int(x))
            shape = {"ub": N, "depth": U, "exact_depth": x, "soft_rows": soft, "form": form}
            yield (tree, SOFT, depth), make(name, problem, **shape), most
        exact = letters(problem, N, U, e=0)
        shape = {"nodes": N, "depth": U, "soft_rows": soft, "form": form}
        yield (tree, SOFT, depth), make("depth", problem, **shape), exact


def reaching(problem: Problem, N: int) -> Iterator[Case]:
    """With a variable for each row and node."""
    yield (TREE, REACH), make("exact", problem, nodes=N, reach=True), letters(problem, N, 1, e=0)
    yield (TREE, REACH), make("size", problem, ub=N, reach=True), letters(problem, N, 1, e=1)


def mixtures(problem: Problem, N: int, U: int) -> Iterator[Case]:
    shape = {"ub": N, "depth": U, "soft_rows": [problem.rows, 0], "error_weight": 1, "size_weight": 1}
    most = letters(problem, N, U, e=1)
    yield (TREE, SOFT, DEPTH), make("mixed", problem, **shape, depth_weight=0), most
    yield (TREE, SOFT, DEPTH, HEIGHT), make("mixed", problem, **shape, depth_weight=1), most


def complete_trees(problem: Problem, U: int) -> Iterator[Case]:
    names, soft = letters(problem, 3, U, e=0), [problem.rows, 0]
    yield (COMPLETE,), make("complete", problem, depth=U), names
    yield (COMPLETE, SOFT), make("complete", problem, depth=U, soft_rows=soft), names
    yield (COMPLETE, MIN_SIZE), make("complete", problem, depth=U, min_size=True), names


def shapes(problem: Problem, topology: str) -> Iterator[Case]:
    N, soft = len(topology), [problem.rows, 0]
    outer = outermost_tests(topology, 0) + outermost_tests(topology, -1)
    names = letters(problem, N, 1, e=0, D=N - 1 - outer)
    yield (FIXED,), make("fixed", problem, topology=topology), names
    yield (FIXED, SOFT), make("fixed", problem, topology=topology, soft_rows=soft), names


def outermost_tests(topology: str, end: int) -> int:
    """The tests on the leftmost path (0) or the rightmost one (-1)."""
    return len(list(takewhile(lambda level: level[end] == "1", levels(topology))))


def lists_of_paths(problem: Problem, N: int, U: int) -> Iterator[Case]:
    names = letters(problem, N, U, e=1)
    yield (PATHS,), make("paths", problem, ub=N, depth=U), names
    yield (PATHS, SOFT), make("paths", problem, ub=N, depth=U, soft_rows=[problem.rows, 0]), names


PROBLEMS = [(2, 2, 4), (6, 3, 20), (51, 2, 9), (60, 5, 12)]  # columns, classes, rows
SIZES = [(3, 1), (5, 2), (7, 2), (7, 3), (9, 4), (13, 3), (23, 5)]  # nodes, depth
TOPOLOGIES = ["100", "10100", "11000", "1110000", "1010100", "110100100", "111100110100000"]


def cases(problem: Problem) -> Iterator[Case]:
    for N, U in SIZES:
        yield from chain(trees(problem, N, U), mixtures(problem, N, U), lists_of_paths(problem, N, U))
        yield from reaching(problem, N)
    for U in range(1, 5):
        yield from complete_trees(problem, U)
    for topology in TOPOLOGIES:
        yield from shapes(problem, topology)


def printed(parts: tuple[str, ...], names: Values) -> tuple[int, int]:
    """Variables and hard clauses by the README: the sums over the rows of the table that apply."""
    variables, hard = ([text for part in parts for text in FORMULAS[part][i]] for i in (0, 1))
    return sum(value(text, names) for text in variables), sum(value(text, names) for text in hard)


@pytest.mark.parametrize("shape", PROBLEMS, ids=str)
def test_the_formulas_of_the_readme_are_the_counts(shape: tuple[int, int, int]) -> None:
    columns, classes, rows = shape
    tried = set()
    for parts, encoding, names in cases(problem_of(rows, columns, classes)):
        counts = count(encoding)
        assert (counts.variables, counts.hard) == printed(parts, names), (parts, encoding.options)
        tried.add(encoding.name)
    assert tried == set(encodings.names())


def test_every_formula_is_tried() -> None:
    assert {part for parts, _, _ in cases(problem_of(4, 2, 2)) for part in parts} == set(FORMULAS)
