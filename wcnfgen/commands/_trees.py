"""All the trees of a search's log, each checked: every clause under every model, in one pass of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wcnfgen.commands.decode import Decoded
from wcnfgen.files import open_log
from wcnfgen.output import parse
from wcnfgen.reader import HARD, Chunk, Reader
from wcnfgen.render import leaf_counts
from wcnfgen.verdict import Checked, judge

if TYPE_CHECKING:
    from wcnfgen.encodings import Encoding
    from wcnfgen.prepare import Prepared
    from wcnfgen.tree import Tree

Model = NDArray[np.bool_]
NONE, ALL = np.uint64(0), np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a log holds.

    models are the v lines whose trees hold, each tree once; refuted counts those that do not hold.
    claims are all other lines, and checked is the verdict on them with the last model.
    """

    trees: tuple[Tree, ...]
    models: tuple[bytes, ...]
    claims: tuple[bytes, ...]
    refuted: int
    checked: Checked

    def write(self, number: int, target: Path) -> None:
        """Write a log of one of the models alone, with the claims."""
        target.write_bytes(b"".join((*self.claims, self.models[number])))


def read(file: Path, log: Path, encoding: Encoding) -> Found:
    """Check the log of a search on a formula against the file; encoding has the rows."""
    with open_log(log) as stream:
        lines = [line for line in stream if line.endswith(b"\n")]
    said = [line for line in lines if line.startswith(b"v ")]
    claims = [line for line in lines if not line.startswith(b"v ")]
    models = [_assignment(line) for line in said]
    costs = _costs(file, models, encoding.variables)
    checked = judge(file, parse([*claims, *said[-1:]]))
    trees: dict[Tree, bytes] = {}
    refuted = 0
    for line, model, cost in zip(said, models, costs, strict=True):
        tree = _tree(encoding, model, cost)
        if tree is None or cost != checked.verdict.cost:
            refuted += 1
        else:
            trees.setdefault(tree, line)
    return Found(tuple(trees), tuple(trees.values()), tuple(claims), refuted, checked)


def _assignment(line: bytes) -> Model:
    """The values of a v line of zeros and ones, indexed by variable."""
    return np.asarray(np.frombuffer(b"0" + line[2:].strip(), np.uint8) == ord("1"))


def _costs(file: Path, models: Sequence[Model], variables: int) -> list[int | None]:
    """What each model costs; None for one that falsifies a hard clause or is no model of the formula."""
    whole = [number for number, model in enumerate(models) if len(model) == variables + 1]
    groups = [_Group([models[number] for number in whole[i : i + 64]]) for i in range(0, len(whole), 64)]
    with Reader(file) as reader:
        for chunk in reader.chunks():
            for group in groups:
                group.take(chunk)
    costs: list[int | None] = [None] * len(models)
    for number, cost in zip(whole, (cost for group in groups for cost in group.results()), strict=True):
        costs[number] = cost
    return costs


class _Group:
    """Up to 64 models, one a bit of a machine word: values[x] has the values of variable x in all of them."""

    def __init__(self, models: Sequence[Model]) -> None:
        padded = np.zeros((64, len(models[0])), bool)
        padded[: len(models)] = models
        packed = np.packbits(padded, axis=0, bitorder="little")
        self.values = np.ascontiguousarray(packed.T).view(np.uint64).ravel()
        self.broken = np.uint64(0)
        self.costs = [0] * len(models)

    def take(self, chunk: Chunk) -> None:
        """Evaluate some clauses; an empty one never holds."""
        literals = self.values[np.abs(chunk.literals)] ^ np.where(chunk.literals < 0, ALL, NONE)
        there = np.diff(chunk.starts) > 0
        holds = np.zeros(len(there), np.uint64)
        if there.any():
            holds[there] = np.bitwise_or.reduceat(literals, chunk.starts[:-1][there])
        hard = chunk.weights == HARD
        self.broken |= np.bitwise_or.reduce(~holds[hard], initial=NONE)
        for weight, word in zip(chunk.weights[~hard].tolist(), (~holds[~hard]).tolist(), strict=True):
            for bit in range(len(self.costs)):
                self.costs[bit] += weight * (word >> bit & 1)

    def results(self) -> list[int | None]:
        """The cost of each model, None where a hard clause does not hold."""
        return [None if int(self.broken) >> bit & 1 else cost for bit, cost in enumerate(self.costs)]


def _tree(encoding: Encoding, model: Model, cost: int | None) -> Tree | None:
    """The tree of a model, if the encoding allows it at that cost or less, by its definition."""
    if cost is None:
        return None
    try:
        tree = encoding.tree(model)
    except ValueError:
        return None
    return tree if encoding.allows(tree) and encoding.cost(tree) <= cost else None


def decoded(prepared: Prepared, tree: Tree) -> Decoded:
    """A tree with its words, and how many training rows end in each leaf."""
    problem = prepared.problem
    counts = leaf_counts(tree, problem.X, problem.y, problem.counts, problem.classes)
    return Decoded(tree, prepared.fitted.names, counts)
