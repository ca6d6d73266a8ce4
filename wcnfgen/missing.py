"""What becomes of missing cells: the five policies of ``--missing``.

A filled column remembers the code that its missing cells got (`Column.fill`), so that a binarisation
fitted on it treats the missing cells of later rows the same way; those need no filling.
"""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np

from wcnfgen.data import Column, Table, factorise, key, number
from wcnfgen.errors import DataError, UsageError

log = logging.getLogger("wcnfgen")

MISSING = "missing"  # the value that the policy `category` gives to missing cells
POLICIES = "error, category, drop-rows, mode or value=X"


def fill(table: Table, policy: str = "error") -> Table:
    """What becomes of missing cells.

    error      DataError with the counts per column
    category   they become one more value, `MISSING`, which ranks last.  A numeric column stays
               numeric: its numbers are binned as ever, and `MISSING` is a value beside the bins
    drop-rows  rows with a missing cell are left out, with a note of how many
    mode       the most frequent value of the column, the smallest of several
    value=X    X; a column of numbers takes only a number

    A missing class is an error unless rows are dropped: no policy can know a class.
    """
    rule, given, value = policy.partition("=")
    if rule not in ("error", "category", "drop-rows", "mode", "value") or (rule == "value") != bool(given):
        raise UsageError(f"--missing {policy}: choose one of {POLICIES}")
    if rule == "drop-rows":
        return _without_missing(table)
    counts = table.missing
    if rule == "error" and counts:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        others = POLICIES.removeprefix("error, ")
        raise DataError(f"{table.name}: missing cells: {listed}; choose --missing {others}")
    if table.target.name in counts:
        raise DataError(
            f"{table.name}: {table.target.missing} rows have no class ({table.target.name});"
            " use --missing drop-rows"
        )
    if rule == "error":
        return table
    return replace(table, features=tuple(_filled(column, rule, value) for column in table.features))


def _without_missing(table: Table) -> Table:
    columns = table.features + ((table.target,) if table.target.name else ())
    whole = np.all([column.codes >= 0 for column in columns], axis=0)
    if whole.all():
        return table
    if not whole.any():
        raise DataError(
            f"{table.name}: every row has a missing cell; use another --missing or --drop a column"
        )
    log.info("%s: %d of %d rows dropped: missing cells", table.name, (~whole).sum(), table.rows)
    return table.take(whole)


def _filled(column: Column, rule: str, value: str) -> Column:
    if rule == "mode":
        return _with_mode(column)
    if rule == "value":
        return _with_value(column, value)
    return _with_category(column)


def _with_code(column: Column, code: int) -> Column:
    return replace(column, codes=np.where(column.codes < 0, np.int32(code), column.codes), fill=code)


def _with_category(column: Column) -> Column:
    if not column.missing:
        return column
    label = MISSING
    while label in column.values:
        label += "?"
    return _with_code(replace(column, values=(*column.values, label)), len(column.values))


def _with_mode(column: Column) -> Column:
    if not column.values:
        raise DataError(f"column {column.name} has missing cells only; --drop {column.name}")
    present = column.codes[column.codes >= 0]
    return _with_code(column, int(np.bincount(present).argmax()))


def _with_value(column: Column, value: str) -> Column:
    if column.missing:
        if column.numeric and number(value) is None:
            raise UsageError(
                f"--missing value={value}: {column.name} holds numbers; give one or use another policy"
            )
        texts = [value if text is None else text for text in column.cells()]
        column = factorise(column.name, texts, (), lambda row: f"--missing value={value}")
    code = {key(text, numeric=column.numeric): code for code, text in enumerate(column.values)}
    return replace(column, fill=code.get(key(value, numeric=column.numeric), -1))
