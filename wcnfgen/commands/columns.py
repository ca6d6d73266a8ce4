"""``wcnfgen columns``: a data file as the 0/1 columns that the formulas are made of, or the best of them.

Narodytska et al. 2018 (Table 6) leave a set only the columns that scikit-learn's SelectKBest scores best.
Here that is a step of its own, from file to file: rows stay in their order, and a column is called what it
asks.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wcnfgen.data import Column

Conflicts = Literal["keep", "majority", "first", "drop", "error"]
Score = Literal["chi2", "f_classif", "mutual_info"]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Names of the columns, their cells of shape (rows, columns), name of the class and each row's."""

    names: tuple[str, ...]
    X: NDArray[np.uint8]
    target: str
    classes: tuple[str, ...]

    def text(self) -> str:
        """The CSV file, the class last."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow((*self.names, self.target))
        writer.writerows([*row, label] for row, label in zip(self.X.tolist(), self.classes, strict=True))
        return out.getvalue()


def columns(
    data: Any,
    *,
    best: int | None = None,
    score: Score = "chi2",
    positive: str | None = None,
    conflicts: Conflicts = "keep",
    output: str | None = None,
    **options: Any,
) -> Columns:
    """Write a data file as 0/1 columns and the class: all of them, or the best.

    Columns are scored on all rows, as scikit-learn's SelectKBest does, and stay in their order.  Rows stay
    as they are, unless --conflicts leaves some out.

    examples:
      wcnfgen columns data.csv -o binary.csv                    all columns
      wcnfgen columns data.csv --binning none --best 8 --positive yes -o best.csv

    data: a CSV file (also .gz, .xz), or - for standard input
    best: keep so many columns; default: all
    score: what makes a column good: scikit-learn's chi2, f_classif or mutual_info_classif (of two values)
    positive: this class against all others together, which become "not" and its name
    conflicts: which rows stay of those that differ in class alone: keep (all), majority, first, drop (none),
        or error
    output: file to write, .csv, .csv.gz or .csv.xz; default: standard output

    Raises UsageError, DataError.
    """
    from wcnfgen import rows
    from wcnfgen.files import distinct
    from wcnfgen.making import split
    from wcnfgen.missing import fill
    from wcnfgen.prepare import prepare, table_of
    from wcnfgen.signatures import check_choices, parameters

    check_choices(columns, {"score": score, "conflicts": conflicts})
    distinct(output, data if isinstance(data, str) else None)
    (given,) = split(options, _of_data())
    of_data = {each.name: each.default for each in parameters(_of_data())[1:]} | given
    target, drop, delimiter, na = (of_data.pop(name) for name in ("target", "drop", "delimiter", "na"))
    table = fill(table_of(data, target, _many(drop), delimiter, _many(na)), of_data.pop("missing"))
    if positive is not None:
        table = replace(table, target=_against(table.target, positive))
    prepared = prepare(table, conflicts="keep", reduce=False, **of_data)
    X, _ = prepared.binarisation.apply(table)
    stay = rows.resolve(X, table.target.codes, conflicts).keep
    X, table = X[stay], table.take(stay)
    kept = list(range(X.shape[1])) if best is None else _best(X, table.target.codes, best, score)
    classes = tuple(map(str, table.target.cells()))
    names = tuple(prepared.binarisation.question(each) for each in kept)
    return Columns(names, X[:, kept], table.target.name, classes)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    return (_of_data(),)


def _of_data() -> Callable[..., Any]:
    """What makes columns; what chooses, weighs or drops rows is left to others."""
    from wcnfgen.prepare import prepare
    from wcnfgen.signatures import without

    of_rows = ("conflicts", "sample", "seed", "fit_on", "reduce", "weights", "unit_weights")
    return without(prepare, *of_rows)


def _many(names: Sequence[str]) -> Sequence[str]:
    """A single text is one name, not its letters."""
    return (names,) if isinstance(names, str) else names


def _against(target: Column, positive: str) -> Column:
    """The class column with two classes."""
    from wcnfgen.data import near

    if positive not in target.values:
        raise UsageError(f"--positive {positive}: there is no such class; {near(positive, target.values)}")
    is_it = target.codes == target.values.index(positive)
    return replace(target, values=(f"not {positive}", positive), codes=is_it.astype(target.codes.dtype))


def _best(X: NDArray[np.uint8], y: NDArray[np.int32], best: int, score: Score) -> list[int]:
    """The columns that SelectKBest keeps, in order."""
    if not 1 <= best <= X.shape[1]:
        raise UsageError(f"--best {best}: there are {X.shape[1]} columns; give a number from 1 to that")
    if find_spec("sklearn") is None:
        raise UsageError("scikit-learn is not installed: pip install 'wcnfgen[learn]'")
    from sklearn import feature_selection as scores

    functions = {
        "chi2": scores.chi2,
        "f_classif": scores.f_classif,
        "mutual_info": partial(scores.mutual_info_classif, discrete_features=True),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a constant column has no score, one that tells all an infinite one
        chosen = scores.SelectKBest(functions[score], k=best).fit(X, y)
    return [int(place) for place in chosen.get_support(indices=True)]


def present(result: Columns, out: TextIO, *, output: str | None = None) -> int:
    """Write the file, or to `out`."""
    from wcnfgen.files import atomic

    if output in (None, "-"):
        out.write(result.text())
    else:
        with atomic(output) as file:
            file.write(result.text().encode())
    return 0
