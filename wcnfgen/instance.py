"""An instance: a formula with the header that explains it.

Everything a reader may ask of a file is in its comments: who wrote it and how, from which data, in
which encoding and within which bounds, how a cost is to be read, how large it is, and the map for
decoding.  No time stamps and no paths: the same input gives the same bytes.  No comment begins with
the words that the Evaluation's normaliser strips.
"""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from wcnfgen import __version__, map, writer
from wcnfgen.encodings import Encoding, Plan
from wcnfgen.files import atomic
from wcnfgen.prepare import Prepared
from wcnfgen.tree import Tree, size
from wcnfgen.writer import Counts, Format

log = logging.getLogger("wcnfgen")


@dataclass(frozen=True, eq=False, repr=False)
class Instance:
    """A planned formula over prepared data; command is what would write it again."""

    plan: Plan
    prepared: Prepared
    command: str = ""
    embed_rows: bool | None = None

    def __repr__(self) -> str:
        rows, kind = self.prepared.used, self.encoding
        least = "" if self.witness is None else f", a greedy tree of {size(self.witness)} nodes is a model"
        return (
            f"<Instance: {self.prepared.name}, {rows} rows, {kind.name}, {kind.variables} variables{least}>"
        )

    def __str__(self) -> str:
        """What a file says of itself in its comments, without the map."""
        return "\n".join(line for line in self.comments() if not line.startswith("map "))

    @property
    def encoding(self) -> Encoding:
        """The formula."""
        return self.plan.encoding

    @property
    def witness(self) -> Tree | None:
        """A tree known to satisfy the hard clauses, None if none is known."""
        return self.plan.witness

    @cached_property
    def counts(self) -> Counts:
        """Variables, clauses, literals and weights."""
        return writer.count(self.encoding)

    @cached_property
    def map(self) -> dict[str, Any]:
        """The map, as JSON types."""
        return map.to_json(self.plan, self.prepared, self.counts, embed_rows=self.embed_rows)

    def comments(self, format: Format = "wcnf") -> Iterator[str]:
        """The header of a file of that format, line by line, without the ``c``."""
        prepared, encoding, counts = self.prepared, self.encoding, self.counts
        yield f"wcnfgen {__version__}: decision trees as MaxSAT"
        yield f"command: {_one_line(self.command)}"
        yield f"data: {_one_line(prepared.name)}, sha256 {prepared.sha256}"
        yield (
            f"rows: {prepared.read} read, {prepared.used} used, {encoding.problem.rows} distinct; "
            f"features: {encoding.problem.features} binary of {len(prepared.binarisation.features)} columns; "
            f"classes: {encoding.problem.classes}"
        )
        if prepared.dropped:
            yield f"conflicts: {conflict_note(prepared)}"
        if prepared.weights:
            yield f"weights: {_one_line(prepared.weights[0])}, sha256 of the numbers {prepared.weights[1]}"
        if prepared.removed:
            yield f"columns left out (constant, duplicate or complementary): {len(prepared.removed)}"
        yield f"encoding: {encoding.name}, {encoding.title}"
        yield "options: " + ", ".join(f"{key} {value}" for key, value in encoding.options.items())
        yield f"source: {_one_line(encoding.source)}"
        cnf = "; this file has the hard clauses alone: is there such a tree?" if format == "cnf" else ""
        yield f"cost: {encoding.meaning_of_cost}{cnf}"
        if prepared.divisor > 1 and not encoding.pure:
            unit = f"a weight of {prepared.divisor}" if prepared.weights else f"{prepared.divisor} rows"
            yield f"unit of errors: {unit}, the greatest common divisor (--unit-weights)"
        yield self._satisfiability()
        yield (
            f"counts: {counts.variables} variables, {counts.hard} hard clauses, "
            f"{0 if format == 'cnf' else counts.soft} soft clauses"
        )
        for note in self.plan.notes:
            yield f"note: {_one_line(note)}"
        yield from map.comments(self.map)

    def _satisfiability(self) -> str:
        if self.witness is None:
            return "hard clauses: not known to be satisfiable"
        return f"hard clauses: satisfiable, a greedy tree of {size(self.witness)} nodes is a model"

    def write(self, target: str | Path | BinaryIO | None, format: Format | None = None) -> Counts:
        """Write to a file (.gz and .xz are compressed; whole or not at all) or to a stream of bytes.

        format None is the encoding's own: wcnf, or cnf where there is no objective.
        """
        form = format or self.encoding.formats[0]
        opened: AbstractContextManager[BinaryIO]
        opened = atomic(target) if target is None or isinstance(target, (str, Path)) else nullcontext(target)
        with opened as out:
            return writer.write(
                self.encoding, out, format=form, comments=self.comments(form), counts=self.counts
            )

    def write_map(self, target: str | Path) -> None:
        """Write the map to a file of its own."""
        with atomic(target) as out:
            out.write(json.dumps(self.map, indent=1).encode("ascii") + b"\n")


def conflict_note(prepared: Prepared) -> str:
    """One line on the rows that the conflict policy dropped."""
    policy = prepared.options["conflicts"]
    return (
        f"{prepared.dropped} of {prepared.read} rows dropped, "
        f"{prepared.conflicting_vectors} vectors had more than one class (--conflicts {policy})"
    )


def command_line(words: list[str], options: dict[str, Any], defaults: dict[str, Any]) -> str:
    """The command that says the same, with what differs from the defaults only.

    >>> command_line(["encode", "a b.csv"], {"ub": 31, "drop": ("id",)}, {"ub": None, "drop": ()})
    "wcnfgen encode 'a b.csv' --ub 31 --drop id"
    """
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value == defaults.get(name) or value is None:
            continue
        if isinstance(value, bool):
            words = [*words, option if value else "--no-" + option[2:]]
        else:
            for each in value if isinstance(value, (tuple, list)) else [value]:
                words = [*words, option, str(each)]
    return shlex.join(["wcnfgen", *words])


def _one_line(text: str) -> str:
    """ASCII without control characters, as JSON escapes them."""
    return json.dumps(text)[1:-1].replace('\\"', '"')
