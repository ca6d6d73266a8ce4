"""What an instance is, as far as its file says it: one pass over the text, a chunk of it at a time."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from wcnfgen import map as maps
from wcnfgen.files import open_read, packing, sha256
from wcnfgen.reader import HARD, Chunk, Reader, exact_sum

BUFFER = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The fields of `wcnfgen.campaign.instances.Instance` that follow from the file alone.

    known_cost is the cost of the tree that its map has as a witness; encoding and data are empty, least_cost
    and known_cost None without a map.  The costs are None for a CNF, too.
    """

    sha256: str
    formula_sha256: str
    format: str
    variables: int
    hard: int
    soft: int
    weight_sum: int
    weighted: bool
    encoding: str = ""
    data: str = ""
    least_cost: int | None = None
    known_cost: int | None = None


def of(path: Path) -> Facts:
    """Read a file to its end.  Raises FormatError where it is no instance or its map is damaged."""
    text = _Hashed(open_read(path))
    tally = _Tally()
    with Reader(cast(BinaryIO, io.BufferedReader(text, BUFFER)), str(path)) as reader:
        for chunk in reader.chunks():
            tally.add(chunk)
        formula = text.sha256.hexdigest()
        facts = Facts(
            sha256=sha256(path) if _is_packed(path) else formula,
            formula_sha256=formula,
            format=reader.format,
            variables=reader.variables,
            hard=tally.hard,
            soft=tally.soft,
            weight_sum=tally.weights,
            weighted=tally.weighted,
        )
        return _with_map(facts, reader)


def _with_map(facts: Facts, reader: Reader) -> Facts:
    """The same with what the map says, if there is one."""
    if not any(line.startswith("map ") for line in reader.comments):
        return facts
    found = maps.from_comments(reader.comments, reader.name)
    decision = found.encoding.decision or facts.format == "cnf"
    return replace(
        facts,
        encoding=found.encoding.name,
        data=str(found.data["name"]),
        least_cost=None if decision else found.least_cost,
        known_cost=None if decision else found.witness_cost,
    )


def _is_packed(path: Path) -> bool:
    with path.open("rb") as stream:
        return bool(packing(stream.read(6)))


class _Tally:
    """What is counted of the clauses."""

    def __init__(self) -> None:
        self.hard = self.soft = self.weights = 0
        self._least: int | None = None
        self.weighted = False

    def add(self, chunk: Chunk) -> None:
        """Some more of them."""
        soft = chunk.weights[chunk.weights != HARD]
        self.hard += len(chunk.weights) - len(soft)
        if not len(soft):
            return
        self.soft += len(soft)
        self.weights += exact_sum(soft)
        least, most = int(soft.min()), int(soft.max())
        self.weighted |= not (least == most == (least if self._least is None else self._least))
        self._least = least


class _Hashed(io.RawIOBase):
    """A stream that hashes what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.sha256 = hashlib.sha256()

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a part of the buffer; 0 at the end."""
        data = self._stream.read(len(target))
        target[: len(data)] = data
        self.sha256.update(data)
        return len(data)

    def close(self) -> None:
        """Close the file, too."""
        self._stream.close()
        super().close()
