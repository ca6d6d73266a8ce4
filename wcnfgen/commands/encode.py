"""``wcnfgen encode``: a data file becomes a formula."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.errors import UsageError
from wcnfgen.signatures import check_choices

LARGEST_SUM = 2**63 - 2  # top is one more, and a signed 64-bit integer in solvers

if TYPE_CHECKING:
    from wcnfgen.encodings import Encoding
    from wcnfgen.instance import Instance
    from wcnfgen.prepare import Prepared


def encode(
    data: Any,
    *,
    encoding: str = "size",
    output: str | None = None,
    format: Literal["wcnf", "wcnf-old", "cnf"] | None = None,
    map: str | None = None,
    embed_rows: bool | None = None,
    **options: Any,
) -> Instance:
    """Encode a data file as a MaxSAT formula in DIMACS form, which goes to standard output.

    The library returns the instance; it writes a file only if it is given a name.

    data: a CSV file (also .gz, .xz), or - for standard input
    encoding: which formula; `wcnfgen encodings` lists them, and --encoding NAME --help its options
    output: file to write, compressed if it ends in .gz or .xz; default: standard output
    format: wcnf (2022 and later), wcnf-old (p wcnf) or cnf (the hard clauses alone); default: wcnf,
        or cnf for an encoding without objective
    map: also write the map for decoding to this file
    embed_rows: put the training rows into the file, or not; default: if they pack into 1 MiB

    Raises UsageError, DataError; nothing is written then.
    """
    from wcnfgen import encodings
    from wcnfgen.files import distinct
    from wcnfgen.prepare import prepare

    kind = encodings.get(encoding)
    distinct(output, data if isinstance(data, str) else None, map)
    distinct(map, data if isinstance(data, str) else None)
    if map == "-":
        raise UsageError("--map - would mix the map with the formula: name a file")
    check_choices(encode, {"format": format})
    of_data, of_encoding = split(options, prepare, kind.plan)
    prepared = prepare_for(kind, data, of_data, of_encoding)
    instance = build(prepared, encoding, of_encoding, embed_rows)
    own = {"encoding": encoding, "format": format, "embed_rows": embed_rows}
    instance = with_command(instance, data, own, (of_data, prepare), (of_encoding, kind.plan))
    report(instance)
    if map is not None:
        instance.write_map(map)
    if output is not None:
        instance.write(output, format)
    return instance


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    from wcnfgen import encodings
    from wcnfgen.prepare import prepare

    return (prepare, encodings.get(options.get("encoding", "size")).plan)


def present(
    result: Instance, out: TextIO, *, output: str | None = None, format: Any = None, **options: Any
) -> int:
    """Write the formula to standard output unless it is in a file already."""
    if output is None:
        result.write(None, format)
    return 0


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
    from wcnfgen.prepare import prepare

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
    from wcnfgen import encodings
    from wcnfgen.errors import DataError
    from wcnfgen.instance import Instance

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
    from dataclasses import replace
    from pathlib import PurePath

    from wcnfgen.instance import command_line

    source = PurePath(data).name if isinstance(data, str) else instance.prepared.name
    if instance.prepared.weights:
        own = own | {"weights": instance.prepared.weights[0]}
    defaults: dict[str, Any] = {"encoding": "size", "format": None, "embed_rows": None}
    for options, function in shares:
        own = options | own
        defaults |= {p.name: p.default for p in inspect.signature(function).parameters.values()}
    return replace(instance, command=command_line(["encode", source], own, defaults))


def report(instance: Instance) -> None:
    """Say in one line each what the user should know about the instance."""
    import logging

    from wcnfgen.instance import conflict_note

    log = logging.getLogger("wcnfgen")
    if instance.prepared.dropped:
        log.info("%s: %s", instance.prepared.name, conflict_note(instance.prepared))
    if not instance.counts.soft and not instance.encoding.decision:
        log.warning("%s: the formula has no soft clause, which no Evaluation takes", instance.prepared.name)
    for note in instance.plan.notes:
        log.info("%s: %s", instance.prepared.name, note)
