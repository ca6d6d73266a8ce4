"""Printing clauses, at memory speed.

Two routes, both without a Python object for each literal.

*Tokens.*  Every literal has a token, its digits and a blank, NUL-padded to eight bytes (sixteen
from a million variables on).  A block becomes one gather from the token table; the NULs are then
dropped by a mask.

*Strings.*  A `Choice`, which is nearly the whole file, prints eight columns at a time: for the
eight pairs of literals of a group there are 256 possible strings, laid out once for each node, and
a row is a gather of strings by the row's bytes.  Nothing is padded as long as the literals of the
node have the same number of digits, which all but a few nodes do; the others go through the mask.

Soft clauses come first: with them in front the old and the new format of one formula have the same
GBD hash.  Nothing is held: the counts of the old header come from the shapes of a first pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from wcnfgen.clauses import GROUP, Block, Choice
from wcnfgen.encodings import Format as Format  # part of this interface
from wcnfgen.errors import WcnfgenError
from wcnfgen.variables import Literals

Bytes = NDArray[np.uint8]

CHUNK = 1 << 16  # literals laid out at a time
STRINGS_FROM = 512  # rows from which laying out 256 strings a group pays
MAX_WEIGHT_SUM = 2**63
SAMPLE = 64  # rows of a block whose length stands for that of all
GOLDEN = (5**0.5 - 1) / 2  # no fraction of small numbers is near it
_POWERS_OF_TEN = 10 ** np.arange(10)


class Formula(Protocol):
    """What can be written: an encoding, or a formula that was read."""

    @property
    def variables(self) -> int:
        """The largest variable."""

    def hard(self) -> Iterator[Block]:
        """The hard clauses."""

    def soft(self) -> Iterator[tuple[int, Literals]]:
        """The soft clauses, as blocks of one weight."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a formula."""

    variables: int
    hard: int
    soft: int
    literals: int
    weight_sum: int


def count(formula: Formula) -> Counts:
    """Count clauses and literals by the shapes of the blocks; no row constraint is laid out."""
    hard = soft = literals = weights = 0
    for rows, width in (block.shape for block in formula.hard()):
        hard, literals = hard + rows, literals + rows * width
    for weight, block in formula.soft():
        soft, literals = soft + len(block), literals + block.size
        weights += weight * len(block)
    return Counts(formula.variables, hard, soft, literals, weights)


def estimate(formula: Formula, format: Literal["wcnf", "cnf"] = "wcnf") -> int:
    """Foretell how many bytes `write` takes without comments, from SAMPLE rows of each block.

    Within a few per cent; exact where no block has more rows.
    """
    prefix = 0 if format == "cnf" else 2
    hard = sum(_bytes(block, prefix) for block in formula.hard())
    if format == "cnf":
        return hard
    return hard + sum(_bytes(block, len(str(weight)) + 1) for weight, block in formula.soft())


def _bytes(block: Block, prefix: int) -> int:
    """The bytes of a block as lines: prefix, literals, each with a blank, and the 0 at the end."""
    rows = int(block.shape[0])
    if not rows:
        return 0
    chosen = _spread(rows)
    literals = block.rows(chosen) if isinstance(block, Choice) else block[chosen]
    digits = np.searchsorted(_POWERS_OF_TEN, np.abs(literals), side="right")
    sampled = int((digits + (literals < 0) + 1).sum())
    return rows * (prefix + 2) + round(sampled * rows / len(chosen))


def _spread(rows: int) -> NDArray[np.intp]:
    """All rows, or one of each of SAMPLE equal stretches, where no period of the rows is met."""
    if rows <= SAMPLE:
        return np.arange(rows)
    step = np.arange(SAMPLE)
    return np.asarray((step + step * GOLDEN % 1) * (rows / SAMPLE), np.intp)


def write(
    formula: Formula,
    out: BinaryIO,
    *,
    format: Format = "wcnf",
    comments: Iterable[str] = (),
    counts: Counts | None = None,
) -> Counts:
    """Write the formula; the comments come first, each as a ``c`` line.

    format: wcnf (2022 and later, ``h`` lines), wcnf-old (``p wcnf``, top = sum of weights + 1) or
    cnf (the hard clauses alone).  Returns the counts.
    """
    counts = counts or count(formula)
    if counts.weight_sum >= MAX_WEIGHT_SUM:
        raise WcnfgenError(f"the soft weights sum to {counts.weight_sum}, the formats allow less than 2^63")
    for comment in comments:
        out.write(b"c " + comment.encode("utf-8") + b"\n")
    hard_prefix = {"wcnf": b"h ", "wcnf-old": b"%d " % (counts.weight_sum + 1), "cnf": b""}[format]
    if format == "cnf":
        out.write(b"p cnf %d %d\n" % (counts.variables, counts.hard))
    elif format == "wcnf-old":
        total = counts.hard + counts.soft
        out.write(b"p wcnf %d %d %s\n" % (counts.variables, total, hard_prefix.strip()))
    printer = Printer(counts.variables, out)
    if format != "cnf":
        for weight, block in formula.soft():
            printer.block(block, b"%d " % weight)
    for hard in formula.hard():
        printer.block(hard, hard_prefix)
    return counts


class Printer:
    """Prints blocks of literals of the variables 1..n."""

    def __init__(self, variables: int, out: BinaryIO):
        self.out = out
        self.text = token_table(variables)
        self.items = self.text.view(np.uint64 if self.text.shape[1] == 8 else np.complex128).ravel()
        self.length = np.count_nonzero(self.text, axis=1)

    def block(self, block: Block, prefix: bytes) -> None:
        """Print one clause a line, each after the prefix."""
        if not block.shape[0]:
            return
        if not isinstance(block, Choice):
            self._tokens(block, prefix)
        elif len(block.head) < STRINGS_FROM or block.pair.shape[1] < GROUP:
            self._laid_out(block, prefix)
        else:
            self._strings(block, prefix)

    def _laid_out(self, block: Choice, prefix: bytes) -> None:
        step = max(1, CHUNK // block.shape[1])
        for start in range(0, len(block.head), step):
            self._tokens(block.array(start, start + step), prefix)

    def _tokens(self, block: Literals, prefix: bytes) -> None:
        """Lines of NUL-padded tokens, with the NULs dropped."""
        rows, width = block.shape
        item = self.items.itemsize
        front = -(-len(prefix) // item)  # the prefix may need more than one token
        step = max(1, CHUNK // (width + front + 1))
        line = np.zeros((min(step, rows), front + width + 1), self.items.dtype)
        text = line.view(np.uint8)
        text[:, : len(prefix)] = np.frombuffer(prefix, np.uint8)
        text[:, -item : 2 - item] = np.frombuffer(b"0\n", np.uint8)
        for start in range(0, rows, step):
            part = block[start : start + step]
            line[: len(part), front:-1] = self.items.take(part)
            self._drop_padding(text[: len(part)])

    def _drop_padding(self, padded: Bytes) -> None:
        flat = padded.ravel()
        self.out.write(flat[flat != 0].data)

    def _strings(self, block: Choice, prefix: bytes) -> None:
        """Lines put together from strings of eight literals."""
        groups, padded = self._group_strings(block.pair)
        rest = self._rest_strings(block.pair)
        for start, stop in runs(self.length[block.head]):
            self._run(block, slice(start, stop), prefix, groups, rest, padded)

    def _run(
        self, block: Choice, rows: slice, prefix: bytes, groups: Bytes, rest: Bytes, padded: bool
    ) -> None:
        """Rows whose heads are equally long: prefix, head, full groups, columns that are left over, end."""
        patterns, X = block.bits.patterns, block.bits.X
        lengths = self.length[block.head[rows.start]].tolist()
        full = patterns.shape[1]
        begin = len(prefix) + sum(lengths)
        end = begin + full * groups.itemsize
        step = max(1, CHUNK // block.shape[1])
        line = np.empty(
            (min(step, rows.stop - rows.start), end + rest.shape[1] * rest.shape[2] + 2), np.uint8
        )
        line[:, : len(prefix)] = np.frombuffer(prefix, np.uint8)
        line[:, -2:] = np.frombuffer(b"0\n", np.uint8)
        for start in range(rows.start, rows.stop, step):
            part = slice(start, min(start + step, rows.stop))
            n = part.stop - part.start
            at = len(prefix)
            for column, length in enumerate(lengths):
                line[:n, at : at + length] = self.text[block.head[part, column], :length]
                at += length
            line[:n, begin:end] = groups.take(patterns[part]).view(np.uint8).reshape(n, -1)
            if rest.shape[1]:
                tail = rest[X[part, full * GROUP :], np.arange(rest.shape[1])]
                line[:n, end:-2] = tail.reshape(n, -1)
            if padded:
                self._drop_padding(line[:n])
            else:
                self.out.write(line[:n].data)

    def _group_strings(self, pair: Literals) -> tuple[Bytes, bool]:
        """For each full group its 256 strings, as one flat array of fixed-length items; are some padded?"""
        full = pair.shape[1] // GROUP
        width = int(self.length[pair].max())
        padded = bool((self.length[pair] != width).any())
        tokens = self.text[pair[:, : full * GROUP], :width].reshape(2, full, GROUP, width)
        strings = np.empty((full, 2**GROUP, GROUP, width), np.uint8)
        pattern = np.arange(2**GROUP)
        for k in range(GROUP):
            bit = pattern >> (GROUP - 1 - k) & 1
            strings[:, :, k] = tokens[bit, :, k].transpose(1, 0, 2)
        return strings.reshape(-1).view(f"V{GROUP * width}"), padded

    def _rest_strings(self, pair: Literals) -> Bytes:
        """The tokens of the columns after the last full group; shape (2, columns, width)."""
        left = pair[:, pair.shape[1] // GROUP * GROUP :]
        width = int(self.length[pair].max())
        return self.text[left, :width]


def runs(head: NDArray[Any]) -> list[tuple[int, int]]:
    """The stretches of equal rows, as (start, stop).

    >>> runs(np.array([[1, 2], [1, 2], [1, 3]]))
    [(0, 2), (2, 3)]
    """
    changes = np.flatnonzero((head[1:] != head[:-1]).any(axis=1)) + 1
    edges = [0, *changes.tolist(), len(head)]
    return list(pairwise(edges))


def token_table(n: int) -> Bytes:
    """The token of literal x at index x, counted from the end if negative; NUL-padded to 8 or 16 bytes.

    >>> token_table(12).view("S8")[[-1, 0, 12]].ravel().tolist()
    [b'-1 ', b'', b'12 ']
    """
    item = 8 if n < 10**6 else 16
    table = np.zeros((2 * n + 1, item), np.uint8)
    first = 1
    while first <= n:
        digits = len(str(first))
        x = np.arange(first, min(10 * first, n + 1))
        for sign, rows in ((b"", x), (b"-", -x)):
            table[rows, : len(sign)] = np.frombuffer(sign, np.uint8)
            for k in range(digits):
                table[rows, len(sign) + k] = 48 + x // 10 ** (digits - 1 - k) % 10
            table[rows, len(sign) + digits] = 32
        first *= 10
    return table
