"""``wcnfgen predict``: classify rows by the tree in a solver's log."""

from __future__ import annotations

import csv
import logging
from dataclasses import dataclass
from typing import Any, TextIO

from wcnfgen.commands._shown import Shown


@dataclass(frozen=True, slots=True)
class Predicted(Shown):
    """The class of each row, by name, and what the class column is called."""

    target: str
    classes: list[str]


def predict(
    instance: str, log: str, data: str, *, map: str | None = None, output: str | None = None
) -> Predicted:
    """Classify the rows of a CSV file; columns are matched by name, and a class column is not needed.

    examples:
      wcnfgen predict x.wcnf x.log test.csv
      wcnfgen predict x.wcnf x.log test.csv -o classes.csv

    instance: the WCNF file, as `wcnfgen encode` wrote it
    log: the solver's output, or - for standard input
    data: the rows, as CSV
    map: the map, if the instance has lost its comments
    output: file to write; default: standard output

    Raises FormatError if there is no tree, DataError if a column is missing.
    """
    from wcnfgen import verdict
    from wcnfgen.commands.verify import check
    from wcnfgen.files import distinct

    distinct(output, instance, log, data, map)
    found, tree = verdict.require_tree(check(instance, log, map=map), instance)
    fitted = found.fitted
    labels, unseen = verdict.classify(fitted, tree, verdict.table_for(fitted, data, labelled=False))
    for column, count in unseen.items():
        logging.getLogger("wcnfgen").info("%s: %s has %d cells that no training row has", data, column, count)
    result = Predicted(fitted.names.target, [fitted.names.classes[label] for label in labels.tolist()])
    if output is not None:
        _write_file(result, output)
    return result


def present(result: Predicted, out: TextIO, *, output: str | None = None, **options: Any) -> int:
    """Print one class a line below the name of the class column."""
    if output is None:
        _write(result, out)
    return 0


def _write(result: Predicted, out: Any) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([result.target])
    writer.writerows([name] for name in result.classes)


def _write_file(result: Predicted, output: str) -> None:
    import codecs

    from wcnfgen.files import atomic

    with atomic(output) as raw:
        _write(result, codecs.getwriter("utf-8")(raw))
