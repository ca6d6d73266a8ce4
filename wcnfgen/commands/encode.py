"""``wcnfgen encode``: a data file becomes a formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.errors import UsageError
from wcnfgen.signatures import check_choices

if TYPE_CHECKING:
    from wcnfgen.instance import Instance


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
    from wcnfgen.files import distinct
    from wcnfgen.making import make, report

    distinct(output, data if isinstance(data, str) else None, map)
    distinct(map, data if isinstance(data, str) else None)
    if map == "-":
        raise UsageError("--map - would mix the map with the formula: name a file")
    check_choices(encode, {"format": format})
    instance = make(data, encoding, options, format=format, embed_rows=embed_rows)
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
