"""From a data file to the rows an encoding sees, in the order that the papers' sizes need.

    read -> missing cells -> binarise -> conflicting rows -> sample -> merge equal rows -> drop columns

With ``fit_on="train"`` the sample is taken before the binarisation is fitted, so that nothing of
the other rows leaks in; the papers fit on all rows.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen import data as tables
from wcnfgen import rows
from wcnfgen import weights as weigh
from wcnfgen.binarise import Binarisation
from wcnfgen.data import Table
from wcnfgen.errors import DataError, UsageError
from wcnfgen.missing import fill
from wcnfgen.render import Names
from wcnfgen.rows import Problem, Removed

log = logging.getLogger("wcnfgen")


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is encoded, and all that is needed to say later what it meant.

    kept are the binary columns of the binarisation that the problem has, in order; removed the
    others.  held_out are the rows that `sample` left out (None: there are none).  weights names the
    file of weights and says its SHA-256, None without one.  divisor is what `unit_weights` divided by.
    """

    name: str
    sha256: str
    read: int
    used: int
    conflicting_vectors: int
    dropped: int
    target: str
    classes: tuple[str, ...]
    binarisation: Binarisation
    kept: tuple[int, ...]
    removed: tuple[Removed, ...]
    problem: Problem
    held_out: Table | None
    weights: tuple[str, str] | None
    options: dict[str, Any]
    divisor: int = 1

    @property
    def fitted(self) -> Fitted:
        """What classifies other rows."""
        return fitted(self.binarisation, self.kept, self.classes, self.target, self.options)


@dataclass(frozen=True, slots=True)
class Fitted:
    """How the rows of any table become columns of the problem, and what those are called."""

    binarisation: Binarisation
    kept: tuple[int, ...]
    names: Names
    na: tuple[str, ...]
    delimiter: str | None


def fitted(
    binarisation: Binarisation,
    kept: Sequence[int],
    classes: Sequence[str],
    target: str,
    options: dict[str, Any],
) -> Fitted:
    """Put the words to the kept columns."""
    names = Names(
        tuple(binarisation.question(r) for r in kept),
        tuple(binarisation.negation(r) for r in kept),
        tuple(classes),
        target,
    )
    return Fitted(binarisation, tuple(kept), names, tuple(options["na"]), options["delimiter"])


def prepare(
    source: Any,
    *,
    target: str | None = None,
    drop: Sequence[str] = (),
    delimiter: str | None = None,
    na: Sequence[str] = tables.DEFAULT_NA,
    missing: str = "error",
    binarise: Literal["onehot", "onehot-full", "binary", "thresholds"] = "onehot",
    bins: int = 8,
    binning: Literal["uniform", "quantile", "none"] = "uniform",
    uniform_rule: Literal["sklearn-1.0", "sklearn-1.1"] = "sklearn-1.1",
    bin: Sequence[str] = (),
    ordinal: Sequence[str] = (),
    conflicts: Literal["majority", "error", "first", "drop", "keep"] | None = None,
    sample: float | None = None,
    seed: int = 0,
    fit_on: Literal["all", "train"] = "all",
    reduce: bool | None = None,
    weights: Any = None,
    unit_weights: bool = False,
) -> Prepared:
    """Read a data file and make it binary, consistent and merged.

    source: a CSV file (.gz and .xz too), - for standard input, or a pandas DataFrame
    target: the column to predict; default: the one named class, else the last
    drop: leave a column out, such as an identifier (repeat for more)
    delimiter: one character, tab or space; default: found out
    na: a cell text that means "missing" (repeat for more); default: empty ? NA NaN nan
    missing: error, category, drop-rows, mode or value=X
    binarise: onehot, onehot-full (CP4IM), binary (MPDT) or thresholds
    bins: number of bins of a float column
    binning: equal width (uniform), equal counts (quantile) or none
    uniform_rule: how scikit-learn up to 1.0.2, or since, treats a number on a bin edge
    bin: cut this integer column into bins too (repeat for more)
    ordinal: order of a column's values for binary codes, as size=S<M<L (repeat for more)
    conflicts: what to do with equal rows of different class: majority, error, first, drop or keep;
        default: majority where every row must be classified rightly, else keep
    sample: encode this stratified share of the rows, such as 0.4
    seed: of the sample
    fit_on: fit the columns, fill missing cells and resolve conflicts on all rows (then no held-out
        row conflicts with a row of the sample), or on the sample alone
    reduce: leave out constant, duplicate and complementary columns; default: where that changes no
        answer, which is wherever size and depth are bounded but not exact
    weights: a file of what an error on each data row costs, one number >= 0 a line (or, in the library, the
        numbers), for encodings whose rows may be wrong; numbers that are not whole are scaled and rounded
    unit_weights: divide the weights of the merged rows by their greatest common divisor, so that equal ones
        become 1
    """
    drop, na, bin, ordinal = (_many(each) for each in (drop, na, bin, ordinal))
    options = {key: value for key, value in locals().items() if key not in ("source", "weights")}
    if target == "":
        raise UsageError("--target is empty: name the column to predict")
    table = table_of(source, target, drop, delimiter, na)
    if weights is not None:
        table = replace(table, weights=weigh.read(weights, table.rows))
    if sample is not None and fit_on == "train":
        if missing in ("error", "drop-rows"):
            table = fill(table, missing)
        mask = rows.sample(table.target.codes, sample, seed)
        train, held_out = fill(table.take(mask), missing), _rest(table, mask)
    else:
        train = table = fill(table, missing)
        held_out = None
    columns = Binarisation.fit(
        train,
        scheme=binarise,
        bins=bins,
        binning=binning,
        uniform_rule=uniform_rule,
        bin=bin,
        ordinal=ordinal,
    )
    X, _ = columns.apply(train)
    resolved = rows.resolve(X, train.target.codes, conflicts or "majority")
    keep = resolved.keep
    if sample is not None and fit_on == "all":
        chosen = np.zeros(len(keep), bool)
        chosen[np.flatnonzero(keep)[rows.sample(train.target.codes[keep], sample, seed)]] = True
        held_out, keep = _rest(table, chosen | ~keep), chosen
    y, classes = rows.present(train.target.codes[keep], train.target.values)
    X = X[keep]
    reduction = _reduction(X, reduce is not False, table.name)
    used = None if train.weights is None else train.weights[keep]
    problem = rows.merge(X[:, list(reduction.kept)], y, len(classes), used)
    _say_what_weighs_nothing(table.name, used)
    divisor = int(np.gcd.reduce(problem.w)) if unit_weights else 1
    return Prepared(
        name=table.name,
        sha256=table.sha256,
        read=table.rows,
        used=int(keep.sum()),
        conflicting_vectors=resolved.conflicting_vectors,
        dropped=resolved.dropped,
        target=table.target.name,
        classes=classes,
        binarisation=columns,
        kept=reduction.kept,
        removed=reduction.removed,
        problem=problem if divisor == 1 else problem.weighted(problem.w // divisor),
        held_out=held_out,
        weights=None if table.weights is None else (_name(weights), weigh.sha256(table.weights)),
        options=options,
        divisor=divisor,
    )


def _name(weights: Any) -> str:
    """The file's name without folders."""
    return Path(weights).name if isinstance(weights, (str, os.PathLike)) else "weights"


def _say_what_weighs_nothing(name: str, weights: NDArray[np.int64] | None) -> None:
    """Rows of weight 0 are a note; DataError if there are no others."""
    if weights is None or weights.all():
        return
    if not weights.any():
        raise DataError(f"{name}: all rows that are left have the weight 0: there is nothing to learn from")
    nothing = int((weights == 0).sum())
    log.info("%s: %d of %d rows have the weight 0 and no clause", name, nothing, len(weights))


def _many(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a tuple; a single text is one name, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def table_of(
    source: Any, target: str | None, drop: Sequence[str], delimiter: str | None, na: Sequence[str]
) -> Table:
    """The table of a file, a data frame, or a table itself."""
    if isinstance(source, Table):
        if target not in (None, source.target.name) or drop:
            raise UsageError("target and drop are settled in a Table; give them where it is made")
        return source
    if hasattr(source, "iloc"):
        return tables.from_frame(source, target=target, drop=drop)
    return tables.read(source, target=target, drop=drop, delimiter=delimiter, na=na)


def _rest(table: Table, mask: NDArray[np.bool_]) -> Table | None:
    return None if mask.all() else table.take(~mask)


def _reduction(X: NDArray[np.uint8], wanted: bool, name: str) -> rows.Reduction:
    found = rows.reduce(X)
    if not found.kept:
        raise DataError(f"{name}: every column is constant on the rows that are left: nothing to test")
    return found if wanted else replace(found, kept=tuple(range(X.shape[1])), removed=())
