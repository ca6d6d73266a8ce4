"""results.csv in the forms that other programs take: typed, and with lists for what a cell of CSV packs.

``.json`` is an array with an object for each run, ``.parquet`` a table with a column for each field, ``.csv``
the file as it is.  All stream.  Costs in Parquet are unsigned and of 64 bits, as the sum of the weights in
the Evaluation is; what a solver claims beyond is null there, and missing in a trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from wcnfgen.campaign import tables
from wcnfgen.campaign.results import Result
from wcnfgen.errors import UsageError
from wcnfgen.files import atomic, open_read

ROWS = 10_000  # of Parquet that are held at a time
LIMIT = 2**64
COSTS = ("claimed", "bound", "cost")


def writer(target: Path) -> Callable[[Path, Path], None]:
    """What writes results.csv as such a file.  Raises UsageError for another ending, or without pyarrow."""
    found = WRITERS.get(target.suffix)
    if found is None:
        raise UsageError(f"{target}: give a name that ends in {', '.join(WRITERS)}")
    if found is to_parquet:
        arrow()
    return found


def to_csv(results: Path, target: Path) -> None:
    """A copy."""
    with open_read(results) as source, atomic(target) as out:
        copyfileobj(source, out)


def to_json(results: Path, target: Path) -> None:
    """An array, one run a line."""
    with atomic(target) as out:
        before = b"[\n"
        for result in tables.read(results, Result):
            out.write(before + json.dumps(asdict(result), ensure_ascii=False).encode())
            before = b",\n"
        out.write(b"[]\n" if before == b"[\n" else b"\n]\n")


def to_parquet(results: Path, target: Path) -> None:
    """A table with typed columns; needs the extra parquet."""
    pyarrow, parquet = arrow()
    schema = _schema(pyarrow)
    with atomic(target) as out, parquet.ParquetWriter(out, schema) as table:
        for rows in _batches(map(_row, tables.read(results, Result)), ROWS):
            table.write_batch(pyarrow.RecordBatch.from_pylist(rows, schema))


WRITERS: dict[str, Callable[[Path, Path], None]] = {".csv": to_csv, ".json": to_json, ".parquet": to_parquet}


def arrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet.  Raises UsageError where they are missing."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError("Parquet needs pyarrow: pip install 'wcnfgen[parquet]'") from error
    return pyarrow, parquet


def _schema(pa: Any) -> Any:
    """The type of each column."""
    plain = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    lists = {
        "trace": pa.list_(pa.struct([("seconds", pa.float64()), ("cost", pa.uint64())])),
        "findings": pa.list_(pa.struct([("kind", pa.string()), ("text", pa.string())])),
        "notes": pa.list_(pa.string()),
    }
    types = {each.name: str(each.type).removesuffix(" | None") for each in fields(Result)}
    known = {**lists, **dict.fromkeys(COSTS, pa.uint64())}
    return pa.schema([(name, known.get(name) or plain[kind]) for name, kind in types.items()])


def _row(result: Result) -> dict[str, Any]:
    """The values of the columns."""
    found = asdict(result)
    for name in COSTS:
        found[name] = found[name] if found[name] is not None and found[name] < LIMIT else None
    found["trace"] = [{"seconds": at, "cost": cost} for at, cost in result.trace if cost < LIMIT]
    found["findings"] = [{"kind": kind, "text": text} for kind, text in result.findings]
    return found


def _batches(rows: Iterable[dict[str, Any]], size: int) -> Iterator[Sequence[dict[str, Any]]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch
