"""``wcnfgen encode``: a data file becomes a formula."""

from __future__ import annotations

import io
import json
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
    sizes: bool = False,
    **options: Any,
) -> Instance:
    """Encode a data file as a MaxSAT formula in DIMACS form, which goes to standard output.

    The library returns the instance; it writes a file only if it is given a name.

    examples:
      wcnfgen encode data.csv --ub 31 > x.wcnf
      wcnfgen encode data.csv --encoding depth --depth 2 --form paper -o depth.wcnf.gz
      wcnfgen encode data.csv --target outlook --drop temperature -o other.wcnf

    data: a CSV file (also .gz, .xz), or - for standard input
    encoding: which formula; `wcnfgen encodings` lists them, and --encoding NAME --help its options
    output: file to write, compressed if it ends in .gz or .xz; default: standard output
    format: wcnf (2022 and later), wcnf-old (p wcnf) or cnf (the hard clauses alone); default: wcnf,
        or cnf for an encoding without objective
    map: also write the map for decoding to this file
    embed_rows: put the training rows into the file, or not; default: if they pack into 1 MiB
    sizes: print how large it is, as JSON; the formula is then written only with --output

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
    result: Instance,
    out: TextIO,
    *,
    output: str | None = None,
    format: Any = None,
    sizes: bool = False,
    **options: Any,
) -> int:
    """Write the formula to standard output unless it is in a file already, or its sizes."""
    if sizes:
        out.write(json.dumps(sizes_json(result, format), indent=1) + "\n")
    elif output is None:
        result.write(None, format)
    return 0


class _Meter(io.BytesIO):
    """A file that only counts."""

    size = 0

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self.size += size
        return size


def sizes_json(instance: Instance, format: Any = None) -> dict[str, Any]:
    """How large the formula is, as JSON types; bytes are without comments, greedy is the size of a tree."""
    from wcnfgen.tree import size

    encoding, counts, meter = instance.encoding, instance.counts, _Meter()
    form = format or encoding.formats[0]
    instance.write(meter, form)
    comments = sum(len(f"c {line}\n".encode()) for line in instance.comments(form))
    left_out = sum(block.size for _, block in encoding.soft()) if form == "cnf" else 0
    return {
        "encoding": encoding.name,
        "options": encoding.options,
        "rows": {
            "read": instance.prepared.read,
            "used": instance.prepared.used,
            "distinct": encoding.problem.rows,
        },
        "columns": encoding.problem.features,
        "classes": encoding.problem.classes,
        "variables": counts.variables,
        "hard": counts.hard,
        "soft": 0 if form == "cnf" else counts.soft,
        "literals": counts.literals - left_out,
        "bytes": meter.size - comments,
        "comments": comments,
        "greedy": None if instance.witness is None else size(instance.witness),
    }
