"""Greedy trees that fit a formula: within its bounds, of its exact size or depth, of its layout.

The leaf is split where it gains most, until there is no room.  Where a formula asks for more than the
rows do, for exactly N nodes, a path of exactly U tests or a given layout, tests that tell nothing are put
where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wcnfgen import bounds
from wcnfgen.constraints.topology import levels
from wcnfgen.encodings import Encoding
from wcnfgen.encodings._core import most_nodes
from wcnfgen.rows import Problem
from wcnfgen.tree import Leaf, Node, Tree, pruned

Floats = NDArray[np.float64]
Score = Callable[[Floats, Floats], Floats]  # as `bounds.gini`


@dataclass(frozen=True, slots=True)
class Room:
    """What a formula leaves: least and most nodes, depth (and whether just that one), the top's layout."""

    least: int
    most: int
    deepest: int
    exact_depth: bool
    layout: str

    @classmethod
    def of(cls, encoding: Encoding) -> Room:
        """The room of an encoding, by its options."""
        options, features = encoding.options, encoding.problem.features
        layout = options.get("topology") or options.get("layout", "")
        deepest = len(levels(layout)) - 1 if "topology" in options else options.get("depth", features)
        most = len(layout) if "topology" in options else options.get("nodes") or options.get("ub")
        most = min(most or most_nodes(deepest), most_nodes(deepest))
        least = options.get("nodes") or options.get("lb", 3)
        return cls(least, most, deepest, options.get("exact_depth", False), layout)


class _Split(NamedTuple):
    """The best test of a leaf, -1 where none tells its rows apart, and what it gains: errors, then purity."""

    gain: tuple[float, float]
    test: int


@dataclass(slots=True, eq=False)
class _Place:
    """A node that is a leaf so far: its rows, the tests above it, and its children once it is split."""

    rows: NDArray[np.intp]
    asked: tuple[int, ...]
    best: _Split
    test: int = -1
    children: tuple[_Place, ...] = ()


class Grower:
    """A tree that grows in a room, by errors that a split saves, then by a score; or by the score alone."""

    def __init__(self, problem: Problem, room: Room, score: Score, *, by_errors: bool = False) -> None:
        self.problem, self.room, self.score, self.by_errors = problem, room, score, by_errors
        self.weights = np.zeros((problem.rows, problem.classes))
        self.weights[np.arange(problem.rows), problem.y] = problem.w
        self.root = self._place(np.arange(problem.rows), ())
        self.open, self.nodes = [self.root], 1

    def grow(self) -> Tree:
        """The tree, as far as there is room; it may be less than what the room asks for."""
        self._lay_out()
        while self.open and self.nodes + 2 <= self.room.most:
            if not (leaf := self._next()):
                break
            self.open.remove(leaf)
            self.open += self._split(leaf)
        return self._built(self.root)

    def _lay_out(self) -> None:
        """Tests and leaves of the layout, level by level; what is below its last tests is open."""
        level = [self.root]
        for bits in levels(self.room.layout or "1"):
            if bits:
                tests = [place for place, bit in zip(level, bits, strict=True) if bit == "1"]
                level = [child for place in tests for child in self._split(place)]
        self.open = level

    def _next(self) -> _Place | None:
        """The leaf that gains most; where the room asks for depth or nodes, one that makes them."""
        leaves = [leaf for leaf in self.open if len(leaf.asked) < self.room.deepest]
        reached = max((len(leaf.asked) for leaf in self.open), default=0)
        missing = 2 * (self.room.deepest - reached) if self.room.exact_depth else 0
        if missing and self.nodes + missing + 2 > self.room.most:
            leaves = [leaf for leaf in leaves if len(leaf.asked) == reached]
        telling = [leaf for leaf in leaves if leaf.best.test >= 0]
        if telling:
            return max(telling, key=lambda leaf: leaf.best.gain)
        wanted = missing or self.nodes < self.room.least
        return max(leaves, key=lambda leaf: len(leaf.asked), default=None) if wanted else None

    def _split(self, place: _Place) -> tuple[_Place, ...]:
        """Give a leaf its best test, or the first one that no node above has."""
        free = (test for test in range(self.problem.features) if test not in place.asked)
        place.test = place.best.test if place.best.test >= 0 else next(free)
        yes = self.problem.X[place.rows, place.test] != 0
        asked = (*place.asked, place.test)
        place.children = tuple(self._place(place.rows[side], asked) for side in (~yes, yes))
        self.nodes += 2
        return place.children

    def _place(self, rows: NDArray[np.intp], asked: tuple[int, ...]) -> _Place:
        return _Place(rows, asked, self._best(rows))

    def _best(self, rows: NDArray[np.intp]) -> _Split:
        weights = self.weights[rows]
        total = weights.sum(axis=0)
        yes = self.problem.X[rows].T.astype(np.float64) @ weights
        purity = bounds.gini(total - yes, yes)
        if not np.isfinite(purity).any():
            return _Split((0, 0), -1)
        saved = np.zeros(len(yes))
        if self.by_errors:
            saved = (total - yes).max(axis=1) + yes.max(axis=1) - total.max()
        score = np.round(self.score(total - yes, yes), 9)
        best = int(np.lexsort((score, np.where(np.isfinite(purity), saved, -1)))[-1])
        purer = purity[best] - (total**2).sum() / total.sum()
        return _Split((float(saved[best]), float(np.round(purer, 9))), best)

    def _built(self, place: _Place) -> Tree:
        if place.children:
            return Node(place.test, *map(self._built, place.children))
        return Leaf(int(np.argmax(self.weights[place.rows].sum(axis=0))))


def trees(encoding: Encoding) -> Iterator[Tree]:
    """Greedy trees that the encoding allows."""
    problem, room = encoding.problem, Room.of(encoding)
    for grower in (
        Grower(problem, room, bounds.gini, by_errors=True),
        Grower(problem, room, bounds.gini),
        Grower(problem, room, bounds.gain_ratio),
    ):
        grown = grower.grow()
        yield from filter(encoding.allows, dict.fromkeys((pruned(grown), grown)))
