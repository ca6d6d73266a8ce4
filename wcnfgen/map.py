"""The map: what a file of clauses needs to be read as a tree again, from the file alone.

It is JSON, in pieces of a fixed length behind ``c map``, so that neither long names nor odd
characters matter (everything outside ASCII is escaped).  It holds the encoding and its options,
from which the numbering of variables follows; the fitted binarisation, so that other rows can be
classified later; and, up to a stated size, the distinct training rows with classes and weights,
packed and compressed, so that a tree can be checked against them.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections import ChainMap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import encodings, signatures
from wcnfgen.binarise import Binarisation
from wcnfgen.constraints.softrows import shape_of
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.features import increasing
from wcnfgen.prepare import Fitted, Prepared, fitted
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree, from_list, to_list
from wcnfgen.writer import Counts

VERSION = 2
PIECE = 900  # characters a line
EMBED_UP_TO = 1 << 20  # characters of packed rows that go into the file by default
MOST_CELLS = 1 << 27  # of the rows in a map, a byte each
MOST_CHARACTERS = 1 << 26  # of the names of columns, each as often as it is asked about


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A decoded map.  Without has_rows, `encoding.problem` has the right shape but no data."""

    encoding: Encoding
    fitted: Fitted
    has_rows: bool
    witness: Tree | None
    data: dict[str, Any]
    fields: dict[str, Any]

    def with_problem(self, problem: Problem) -> Map:
        """The map with its rows, in the weights that the formula has."""
        if (packed := self.fields["weights"]) is not None:
            problem = problem.weighted(_integers(packed, problem.rows))
        encoding = type(self.encoding)(problem, **self.encoding.options)
        return replace(self, encoding=encoding, has_rows=True)

    @property
    def least_cost(self) -> int:
        """No tree for the data costs less: proved when the instance was made."""
        return int(self.fields["least_cost"])

    @property
    def assumed_cost(self) -> int | None:
        """The least cost that a bound of the user's allows, where nothing proves that bound."""
        cost: int | None = self.fields["assumed_cost"]
        return cost

    @property
    def hard(self) -> int:
        """The number of hard clauses."""
        return int(self.fields["counts"][0])

    @property
    def soft(self) -> int:
        """The number of soft clauses, whatever the format of the file."""
        return int(self.fields["counts"][1])

    @property
    def witness_cost(self) -> int | None:
        """The cost of the tree that is known to satisfy the hard clauses."""
        cost: int | None = self.fields["witness_cost"]
        return cost


def to_json(plan: Plan, prepared: Prepared, counts: Counts, *, embed_rows: bool | None) -> dict[str, Any]:
    """The map as JSON types.  embed_rows None embeds the rows if they pack into EMBED_UP_TO characters."""
    encoding, problem = plan.encoding, plan.encoding.problem
    fits = embed_rows is not False and problem.rows * problem.features <= MOST_CELLS
    packed = pack(problem) if fits else None
    if packed and embed_rows is None and sum(map(len, packed.values())) > EMBED_UP_TO:
        packed = None
    return {
        "version": VERSION,
        "encoding": encoding.name,
        "options": encoding.options,
        "shape": [problem.rows, problem.features, problem.classes],
        "variables": encoding.variables,
        "cost": encoding.meaning_of_cost,
        "data": {
            "name": prepared.name,
            "sha256": prepared.sha256,
            "read": prepared.read,
            "used": prepared.used,
            "dropped": prepared.dropped,
            "options": prepared.options,
        },
        "target": prepared.target,
        "classes": list(prepared.classes),
        "binarisation": prepared.binarisation.to_json(),
        "columns": list(prepared.kept),
        "removed": [list(each) for each in prepared.removed],
        "witness": to_list(plan.witness) if plan.witness else None,
        "witness_cost": encoding.cost(plan.witness) if plan.witness else None,
        "least_cost": plan.least_cost,
        "assumed_cost": plan.assumed_cost,
        "counts": [counts.hard, counts.soft],
        "rows": packed,
        "weights": None if packed or problem.n is None else _squeeze(problem.w.astype("<i8")),
    }


def comments(fields: dict[str, Any]) -> Iterator[str]:
    """The map as comment lines, without the ``c``."""
    text = json.dumps(fields, separators=(",", ":"))
    for start in range(0, len(text), PIECE):
        yield "map " + text[start : start + PIECE].replace(" ", "\\u0020")


def from_comments(lines: Iterable[str], name: str) -> Map:
    """The map of a file, from its comment lines.  Raises FormatError where there is none."""
    pieces = [line[4:] for line in lines if line.startswith("map ")]
    if not pieces:
        raise FormatError(
            f"{name}: no map in the comments, so a model cannot be read as a tree; "
            "give the map that `wcnfgen encode --map FILE` wrote"
        )
    return from_text("".join(pieces), name)


def encoding_of(lines: Iterable[str]) -> str:
    """The name of the encoding that a file's map is of, from its comment lines; empty where there is none."""
    first = next((line for line in lines if line.startswith("map ")), "")
    found = re.match(r'map \{"version":\d+,"encoding":"([a-z]+)"', first)
    return found[1] if found else ""


def from_text(text: str, name: str) -> Map:
    """A map from its JSON text.  Raises FormatError where it is malformed."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}: this is no map of wcnfgen, or a damaged one") from error
    if not isinstance(fields, dict) or "version" not in fields:
        raise FormatError(f"{name}: this is no map of wcnfgen")
    if fields["version"] != VERSION:
        raise FormatError(f"{name}: a map of version {fields['version']}; this is for {VERSION}")
    try:
        return _decoded(fields)
    except (
        *(ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, MemoryError),
        *(zlib.error, binascii.Error, RecursionError, FormatError, UsageError),
    ) as error:
        raise FormatError(f"{name}: the map is damaged: {error}; encode the data again") from error


def _decoded(fields: dict[str, Any]) -> Map:
    """Build everything that the fields describe; whatever does not fit together raises."""
    rows, features, classes = map(_whole, fields["shape"])
    words = _words(fields, features)
    _require(len(words.names.classes) == classes, "classes and shape differ")
    packed = fields["rows"]
    shape = rows, features, classes
    problem = unpack(packed, *shape) if packed else unknown_rows(*shape)
    encoding = _encoding(fields["encoding"], problem, fields["options"])
    _require(encoding.variables == fields["variables"], "this version numbers other variables")
    settled = fields["options"].get("soft_rows")
    _require(not packed or settled in (None, shape_of(problem)), "other rows have a soft clause")
    witness = _witness(fields["witness"], features, classes)
    _require(not (packed and witness) or encoding.allows(witness), "the witness is none")
    if fields["weights"] is not None:
        _integers(fields["weights"], rows)
    hard, soft = fields["counts"]
    known = [cost for cost in (fields["assumed_cost"], fields["witness_cost"]) if cost is not None]
    for number in (fields["least_cost"], hard, soft, *known):
        _whole(number)
    return Map(encoding, words, bool(packed), witness, fields["data"], fields)


def _encoding(name: str, problem: Problem, options: dict[str, Any]) -> Encoding:
    """The encoding; its options must be those that it would write."""
    kind = encodings.get(name)
    own = [each.__init__ for each in kind.__mro__ if issubclass(each, Encoding) and "__init__" in vars(each)]
    kinds = ChainMap(*map(signatures.types_of, own))
    for option, value in options.items():
        _require(signatures.fits(value, kinds[option]), f"an odd {option}")
    encoding = kind(problem, **options)
    _require(_same(encoding.options, options) and encoding.meaning_of_cost, "options of another version")
    return encoding


def _words(fields: dict[str, Any], features: int) -> Fitted:
    """The columns and what they and the classes are called."""
    binarisation = Binarisation.from_json(fields["binarisation"])
    columns = [_whole(r) for r in fields["columns"]]
    _require(len(columns) == features, "columns and shape differ")
    _require(increasing(-1, columns, len(binarisation.tests)), "columns in disorder")
    asked = (binarisation.features[binarisation.tests[r].feature].name for r in columns)
    _require(sum(map(len, asked)) <= MOST_CHARACTERS, "the names of its columns are too long")
    texts = (
        fields["target"],
        fields["cost"],
        *fields["classes"],
        *(fields["data"][x] for x in ("name", "sha256")),
    )
    _require(all(isinstance(text, str) for text in texts), "a name is no text")
    return fitted(binarisation, columns, fields["classes"], fields["target"], fields["data"]["options"])


def _witness(integers: list[int] | None, features: int, classes: int) -> Tree | None:
    """The tree that is known to be a model, if one is."""
    if not integers:
        return None
    _require(
        all(type(x) is int and -classes <= x < features for x in integers), "the witness is of other columns"
    )
    return from_list(integers)


def _same(a: object, b: object) -> bool:
    """Whether two values are written alike, which 1 and true are not."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _whole(number: Any) -> int:
    """A whole number that is not negative."""
    _require(type(number) is int and number >= 0, f"{str(number)[:40]} is no size")
    return int(number)


def _require(holds: object, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def pack(problem: Problem) -> dict[str, str]:
    """Rows, classes, weights and, if they differ, counts as base64 text of compressed bits and integers."""
    packed = {
        "X": _squeeze(np.packbits(problem.X, axis=1)),
        "y": _squeeze(problem.y.astype("<i4")),
        "w": _squeeze(problem.w.astype("<i8")),
    }
    return packed if problem.n is None else packed | {"n": _squeeze(problem.n.astype("<i8"))}


def unpack(packed: dict[str, str], rows: int, features: int, classes: int) -> Problem:
    """The rows that `pack` packed.  Raises ValueError where they are not of that shape."""
    _require(rows * max(features, 8) <= MOST_CELLS, f"rows of more than {MOST_CELLS} cells")
    y = np.frombuffer(_expand(packed["y"], 4 * rows), "<i4").astype(np.int32)
    _require(((y >= 0) & (y < classes)).all(), "a row of no class")
    width = -(-features // 8)
    bits = np.frombuffer(_expand(packed["X"], rows * width), np.uint8).reshape(rows, width)
    X = np.unpackbits(bits, axis=1, count=features)
    n = _integers(packed["n"], rows) if "n" in packed else None
    return Problem(X, y, _integers(packed["w"], rows), classes, n)


def _integers(text: str, rows: int) -> NDArray[np.int64]:
    """Packed 64-bit numbers of rows, which are not negative and have a sum of 64 bits.  Raises ValueError."""
    _require(8 * rows <= MOST_CELLS, f"weights of {rows} rows")
    numbers = np.frombuffer(_expand(text, 8 * rows), "<i8").astype(np.int64)
    _require((numbers >= 0).all() and numbers.sum(dtype=float) < 2**63, "weights that are none")
    return numbers


def unknown_rows(rows: int, features: int, classes: int) -> Problem:
    """A problem of the right shape whose rows are not known: enough to number variables.

    Raises ValueError where there are no so many different rows.
    """
    _require(rows <= min(MOST_CELLS, classes << min(features, 40)), f"there are no {rows} different rows")
    X = np.broadcast_to(np.uint8(0), (rows, features))
    return Problem(X, np.broadcast_to(np.int32(0), rows), np.broadcast_to(np.int64(0), rows), classes)


def _squeeze(array: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode("ascii")


def _expand(text: str, size: int) -> bytes:
    """Packed bytes, no more of them than there should be.  Raises ValueError."""
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(base64.b64decode(text, validate=True), size + 1)
    _require(len(raw) == size and unpacker.eof, "the packed rows are of another shape")
    return raw
