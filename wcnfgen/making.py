"""Options become an instance: what `wcnfgen encode` does before it writes.

Options of one flat set are dealt out to the functions that take them, `wcnfgen.prepare.prepare` and the
encoding's `plan`; the data are prepared, the formula is planned, and the instance is told the command
that would write it again.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from wcnfgen import encodings
from wcnfgen.encodings import Encoding
from wcnfgen.errors import DataError, UsageError
from wcnfgen.instance import Instance, command_line, conflict_note
from wcnfgen.prepare import Prepared, prepare
from wcnfgen.signatures import check_choices

log = logging.getLogger("wcnfgen")

LARGEST_SUM = 2**63 - 2  # top is one more, and a signed 64-bit integer in solvers


def make(
    data: Any,
    encoding: str = "size",
    options: dict[str, Any] | None = None,
    *,
    format: str | None = None,
    embed_rows: bool | None = None,
) -> Instance:
    """The instance of a data file under options of `prepare` and of the encoding.

    Raises UsageError, DataError.
    """
    kind = encodings.get(encoding)
    of_data, of_encoding = split(options or {}, prepare, kind.plan)
    prepared = prepare_for(kind, data, of_data, of_encoding)
    instance = build(prepared, encoding, of_encoding, embed_rows)
    own = {"encoding": encoding, "format": format, "embed_rows": embed_rows}
    return with_command(instance, data, own, (of_data, prepare), (of_encoding, kind.plan))


def split(options: dict[str, Any], *functions: Callable[..., Any]) -> list[dict[str, Any]]:
    """Deal the options out to the functions that take them.  Raises UsageError for one nobody takes."""
    shares: list[dict[str, Any]] = []
    left = dict(options)
    for function in functions:
        takes = inspect.signature(function).parameters
        shares.append({name: left.pop(name) for name in list(left) if name in takes})
        check_choices(function, shares[-1])
    if left:
        raise UsageError(f"no option {', '.join(map(str, left))} here")
    return shares


def prepare_for(
    encoding: type[Encoding], data: Any, options: dict[str, Any], of_encoding: dict[str, Any]
) -> Prepared:
    """Prepare data as the encoding wants it, where the user left conflicts and reduction open."""
    if options.get("weights") is not None and not encoding.may_err(of_encoding):
        raise UsageError(
            f"--weights: in the encoding {encoding.name} every row must be classified rightly, and weighs "
            "nothing; give --soft-rows, or an encoding whose rows may be wrong"
        )
    conflicts = options.get("conflicts") or ("keep" if encoding.may_err(of_encoding) else "majority")
    reduce = options.get("reduce")
    reduce = encoding.reducible(of_encoding) if reduce is None else reduce
    return prepare(data, **{**options, "conflicts": conflicts, "reduce": reduce})


def build(prepared: Any, encoding: str, options: dict[str, Any], embed_rows: bool | None = None) -> Instance:
    """Plan the encoding of prepared data."""
    if prepared.problem.classes < 2:
        raise DataError(
            f"{prepared.name}: all rows have the class {prepared.classes[0]!r}: "
            "a tree of one leaf is optimal, there is nothing to encode"
        )
    plan = encodings.get(encoding).plan(prepared.problem, **options)
    instance = Instance(plan, prepared, embed_rows=embed_rows)
    if instance.counts.weight_sum > LARGEST_SUM:
        raise UsageError(
            f"the weights of the soft clauses sum up to {instance.counts.weight_sum}, solvers hold 2^63 - 2: "
            "give smaller weights"
        )
    return instance


def with_command(
    instance: Instance,
    data: Any,
    own: dict[str, Any],
    *shares: tuple[dict[str, Any], Callable[..., Any]],
) -> Instance:
    """The instance, told what command would write it again: without paths, and without outputs."""
    source = PurePath(data).name if isinstance(data, str) else instance.prepared.name
    weights = {"weights": instance.prepared.weights[0]} if instance.prepared.weights else {}
    defaults: dict[str, Any] = {"encoding": "size", "format": None, "embed_rows": None}
    for options, function in shares:
        parameters = inspect.signature(function).parameters
        named = options | {name: file for name, file in weights.items() if name in parameters}
        own = {name: named[name] for name in parameters if name in named} | own  # in order, however given
        defaults |= {p.name: p.default for p in parameters.values()}
    return replace(instance, command=command_line(["encode", source], own, defaults))


def report(instance: Instance) -> None:
    """Say in one line each what the user should know about the instance."""
    if instance.prepared.dropped:
        log.info("%s: %s", instance.prepared.name, conflict_note(instance.prepared))
    if not instance.counts.soft and not instance.encoding.decision:
        log.warning("%s: the formula has no soft clause, which no Evaluation takes", instance.prepared.name)
    for note in instance.plan.notes:
        log.info("%s: %s", instance.prepared.name, note)
