"""``wcnfgen split``: rows to learn from and rows to test on, as the papers' protocols draw them.

The rows of each file are those lines of the data file, byte for byte and in its order, below its header, so
that whatever reads the whole reads the parts.  scikit-learn draws them, as its users expect of a seed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from wcnfgen.commands._shown import say
from wcnfgen.errors import DataError, UsageError

if TYPE_CHECKING:
    from wcnfgen.delimited import Delimited


@dataclass(frozen=True, slots=True)
class Part:
    """A file that was written, and how many rows it has."""

    file: Path
    rows: int


def split(
    data: str,
    *,
    folds: int | None = None,
    share: float | None = None,
    stratify: bool = True,
    seed: int = 0,
    target: str | None = None,
    delimiter: str | None = None,
    output: str | None = None,
) -> list[Part]:
    """Split the rows of a data file: one part to learn from and one to test on, or folds.

    Writes NAME.train.csv and NAME.test.csv, or NAME.fold-1.train.csv, NAME.fold-1.test.csv, NAME.fold-2...
    The rows are drawn by scikit-learn's train_test_split, or by its StratifiedKFold with shuffled rows
    (KFold with --no-stratify), and stay as they are and in the order of the file.

    examples:
      wcnfgen split data.csv --share 0.25 -o parts              a quarter of the rows to test on
      wcnfgen split data.csv --folds 5 --seed 3 -o folds

    data: a CSV file (also .gz, .xz), or - for standard input
    folds: each of so many parts of equal size is once the one to test on
    share: this share of the rows, rounded up, is to test on
    stratify: each part has each class in the same share, as nearly as can be
    seed: of the draw
    target: the column to predict; default: the one named class, else the last
    delimiter: one character, tab or space; default: found out
    output: the folder for the files

    Raises UsageError, DataError where there are too few rows of a class; nothing is written then.
    """
    from wcnfgen.delimited import parse

    if (folds is None) == (share is None):
        raise UsageError("give --folds K or --share R")
    _check(folds, share, seed)
    if output is None:
        raise UsageError("where to? Give -o FOLDER")
    if find_spec("sklearn") is None:
        raise UsageError("scikit-learn is not installed: pip install 'wcnfgen[learn]'")
    file = parse(data, delimiter)
    classes = _classes(file, target) if stratify else None
    return _written(file, list(_tests(file, classes, folds, share, seed)), Path(output), folds)


def _check(folds: int | None, share: float | None, seed: int) -> None:
    """Refuse what cannot be.  Raises UsageError."""
    if folds is not None and folds < 2:
        raise UsageError(f"--folds {folds}: give a number from 2 on")
    if share is not None and not 0 < share < 1:
        raise UsageError(f"--share {share}: give a share between 0 and 1")
    if not 0 <= seed < 2**32:
        raise UsageError(f"--seed {seed}: a number from 0 to 2^32 - 1")


def _classes(file: Delimited, target: str | None) -> Any:
    """The class of each row, as a number."""
    from wcnfgen.data import read

    return read(file, target=target).target.codes


def _tests(
    file: Delimited, classes: Any, folds: int | None, share: float | None, seed: int
) -> Iterator[list[int]]:
    """The numbers of the rows to test on, for each split.  Raises DataError where they cannot be drawn."""
    from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

    rows = range(len(file.rows))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer rows of a class than folds: some test on none of it
            if folds is None:
                yield train_test_split(rows, test_size=share, random_state=seed, stratify=classes)[1]
                return
            kind = KFold if classes is None else StratifiedKFold
            drawn = kind(folds, shuffle=True, random_state=seed).split(rows, classes)
            yield from (test.tolist() for _, test in drawn)
    except ValueError as error:
        raise DataError(f"{file.label}: {error}") from error


def _written(file: Delimited, tests: list[list[int]], folder: Path, folds: int | None) -> list[Part]:
    """The files of each split."""
    from wcnfgen.files import atomic, safe

    folder.mkdir(parents=True, exist_ok=True)
    header, *rows = file.lines
    parts = []
    for number, test in enumerate(map(set, tests), 1):
        stem = safe(file.name) if folds is None else f"{safe(file.name)}.fold-{number}"
        for part in ("train", "test"):
            chosen = [row for place, row in enumerate(rows) if (place in test) == (part == "test")]
            with atomic(folder / f"{stem}.{part}.csv") as out:
                out.writelines(map(_ended, (header, *chosen)))
            parts.append(Part(folder / f"{stem}.{part}.csv", len(chosen)))
    return parts


def _ended(line: str) -> bytes:
    """The last line of a file may lack its end."""
    return (line if line.endswith(("\n", "\r")) else f"{line}\n").encode()


def present(result: list[Part], out: TextIO) -> int:
    """Say what was written."""
    from wcnfgen.words import count

    say(out, (f"{part.file}: {count(part.rows, 'row')}" for part in result))
    return 0
