"""What is true of a solver's answer.

The answer's claims are one thing and the formula is another: nothing the solver says is used except
the model itself.  The hard clauses and the cost are recomputed from the file, clause by clause; the
tree is read off the model; its cost is counted again from the tree's own definition, and every
training row is classified by it.  Whatever disagrees is a finding, and says whose error it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen import data as tables
from wcnfgen import map as maps
from wcnfgen.data import Table
from wcnfgen.errors import DataError, FormatError
from wcnfgen.files import open_read
from wcnfgen.map import Map
from wcnfgen.output import Answer, Model
from wcnfgen.prepare import Fitted, Prepared, prepare
from wcnfgen.reader import HARD, Reader
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree, depth, predict, size


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many rows a tree classifies rightly; unseen counts, by column, cells that no training row had."""

    rows: int
    right: int
    unseen: dict[str, int]

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.right / self.rows

    def __str__(self) -> str:
        unseen = ", ".join(f"{name} {count}" for name, count in self.unseen.items())
        text = f"{self.right} of {self.rows} rows right ({self.share:.2%})"
        return text + (f"; cells that no training row has: {unseen}" if unseen else "")


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The truth about one answer.

    falsified counts hard clauses that the model falsifies and cost is the weight of the soft ones,
    both None without a model.  rows says whether the training rows were at hand; wrong is how many
    of them the tree misclassifies.  findings are the disagreements, one line each.
    """

    status: str | None
    claimed_cost: int | None
    falsified: int | None
    cost: int | None
    tree: Tree | None
    rows: Literal["checked", "not checked"]
    training: Accuracy | None
    lower_bound: int | None
    findings: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there is a model, everything claimed of it holds, and nothing was left unchecked."""
        return self.cost is not None and not self.findings and (self.tree is None or self.rows == "checked")

    @property
    def size(self) -> int | None:
        """Number of nodes of the tree."""
        return None if self.tree is None else size(self.tree)

    @property
    def depth(self) -> int | None:
        """Number of edges on its longest path."""
        return None if self.tree is None else depth(self.tree)

    @property
    def optimality(self) -> Literal["proved", "claimed", "open"]:
        """Proved by our own bound, claimed by the solver (and not contradicted), or open."""
        if self.cost is None or self.falsified or self.findings:
            return "open"
        if self.lower_bound is not None and self.cost <= self.lower_bound:
            return "proved"
        return "claimed" if self.status == "OPTIMUM FOUND" else "open"


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A verdict with the map that it was reached by; None for a file that is none of ours."""

    verdict: Verdict
    map: Map | None


def judge(
    instance: str | os.PathLike[str],
    answer: Answer,
    *,
    train: Any = None,
    map_file: str | os.PathLike[str] | None = None,
) -> Checked:
    """Check an answer against the file it answers.

    train supplies the training rows where the file does not hold them; map_file the map.  A file
    without a map can be verified too, as far as clauses go.
    """
    with Reader(instance) as reader:
        found = _map(reader, map_file)
        if found is not None and train is not None:
            found = with_rows(found, train)
        checked = None
        if answer.model is not None:
            variables = found.encoding.variables if found else reader.declared or _largest(instance)
            checked = _evaluate(reader, answer.model, variables)
    return Checked(_verdict(answer, checked, found), found)


@dataclass(frozen=True, slots=True, eq=False)
class _Evaluated:
    assignment: NDArray[np.bool_]
    falsified: int
    cost: int


def _map(reader: Reader, map_file: str | os.PathLike[str] | None) -> Map | None:
    if map_file is not None:
        with open_read(map_file) as stream:
            return maps.from_text(stream.read().decode("utf-8", "replace"), os.fspath(map_file))
    if not any(line.startswith("map ") for line in reader.comments):
        return None
    return maps.from_comments(reader.comments, reader.name)


def with_rows(found: Map, source: Any) -> Map:
    """The map with the training rows of a data file; its SHA-256 and the shape must be the same."""
    prepared = source if isinstance(source, Prepared) else prepare(source, **_options(found))
    if prepared.sha256 != found.data["sha256"]:
        raise DataError(
            f"{prepared.name}: SHA-256 {prepared.sha256[:12]}... is not that of the data the instance was "
            f"made from ({found.data['name']}, {found.data['sha256'][:12]}...)"
        )
    problem, shape = prepared.problem, found.fields["shape"]
    if [problem.rows, problem.features, problem.classes] != shape or prepared.kept != found.fitted.kept:
        raise DataError(f"{prepared.name}: prepares to another shape than the instance's {shape}")
    return replace(found, encoding=type(found.encoding)(problem, **found.encoding.options), has_rows=True)


def _options(found: Map) -> dict[str, Any]:
    """The options of `prepare`, with the tuples that JSON made lists."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in found.data["options"].items()}


def _largest(instance: str | os.PathLike[str]) -> int:
    """The largest variable of a file that does not declare it: what a 0/1 model has to be read against."""
    with Reader(instance) as reader:
        for _ in reader.chunks():
            pass
        return reader.variables


def _evaluate(reader: Reader, model: Model, variables: int) -> _Evaluated:
    """Evaluate every clause under the model; variables that it leaves out are false."""
    assignment = np.concatenate([[False], model.assignment(variables)])
    falsified = cost = 0
    for chunk in reader.chunks():
        if reader.variables > variables:
            raise FormatError(f"{reader.name}: variable {reader.variables}, but the map has {variables}")
        failed = chunk.weights[~chunk.satisfied(assignment)]
        falsified += int((failed == HARD).sum())
        cost += sum(failed[failed != HARD].tolist())
    return _Evaluated(assignment, falsified, cost)


def _verdict(answer: Answer, checked: _Evaluated | None, found: Map | None) -> Verdict:
    tree, error = None, None
    if checked is not None and found is not None:
        try:
            tree = found.encoding.tree(checked.assignment)
        except (ValueError, IndexError) as problem:
            error = str(problem)
    rows = None if tree is None or found is None or not found.has_rows else found.encoding.problem
    trained = None if rows is None or tree is None else training(tree, rows)
    claimed = answer.cost
    return Verdict(
        status=answer.status,
        claimed_cost=claimed,
        falsified=checked.falsified if checked else None,
        cost=checked.cost if checked else None,
        tree=tree,
        rows="checked" if trained else "not checked",
        training=trained,
        lower_bound=None if found is None else found.least_cost,
        findings=tuple(_findings(answer, claimed, checked, found, tree, error, trained)),
    )


def _findings(
    answer: Answer,
    claimed: int | None,
    checked: _Evaluated | None,
    found: Map | None,
    tree: Tree | None,
    error: str | None,
    training: Accuracy | None,
) -> Iterator[str]:
    """Each disagreement between what is claimed and what is so."""
    witness = None if found is None else found.witness_cost
    if answer.status == "UNSATISFIABLE" and witness is not None:
        yield "the solver says UNSATISFIABLE, but a model of the hard clauses is known: solver's error"
    if checked is None:
        yield "the log holds no model" + (f" (s {answer.status})" if answer.status else "")
        return
    if answer.status == "UNSATISFIABLE":
        yield "the solver says UNSATISFIABLE and prints a model: solver's error"
    if checked.falsified:
        yield f"the model falsifies {checked.falsified} hard clauses: solver's error, or a misread format"
    if claimed is not None and claimed != checked.cost:
        yield f"the solver says o {claimed}, its model costs {checked.cost}: solver's error"
    if answer.status == "OPTIMUM FOUND" and witness is not None and witness < checked.cost:
        yield f"the solver says OPTIMUM FOUND, but a tree of cost {witness} is known: solver's error"
    if found is not None and not checked.falsified:
        for ours in _our_errors(checked, found, tree, error, training):
            yield f"all hard clauses hold, but {ours}: our error, please report it"


def _our_errors(
    checked: _Evaluated, found: Map, tree: Tree | None, error: str | None, training: Accuracy | None
) -> Iterator[str]:
    """What cannot be if the formula says what it should."""
    if tree is None:
        yield str(error)
        return
    if training is not None and training.right < training.rows and found.encoding.pure:
        yield f"the tree misclassifies {training.rows - training.right} training rows"
    if training is not None and found.encoding.cost(tree) != checked.cost:
        yield f"the tree costs {found.encoding.cost(tree)} and its model {checked.cost}"
    if checked.cost < found.least_cost:
        yield f"the model costs {checked.cost}, less than the proved bound {found.least_cost}"


# ---------------------------------------------------------------------------- other rows


def table_for(fitted: Fitted, source: Any, *, labelled: bool = True) -> Table:
    """Read rows for a fitted instance: its class column, its texts for missing cells."""
    return tables.read(source, target=fitted.names.target if labelled else "", na=fitted.na)


def classify(fitted: Fitted, tree: Tree, table: Table) -> tuple[NDArray[np.int32], dict[str, int]]:
    """The class index of each row of a table, and the unseen cells by column."""
    X, unseen = fitted.binarisation.apply(table)
    return predict(tree, X[:, list(fitted.kept)]), unseen


def accuracy(fitted: Fitted, tree: Tree, table: Table) -> Accuracy:
    """Classify a labelled table; a class that no training row had is never right."""
    labels, unseen = classify(fitted, tree, table)
    names = np.array(fitted.names.classes)[labels]
    truth = np.array([cell or "" for cell in table.target.cells()])
    return Accuracy(table.rows, int((names == truth).sum()), unseen)


def training(tree: Tree, problem: Problem) -> Accuracy:
    """Classify the rows that were encoded."""
    right = problem.w[predict(tree, problem.X) == problem.y].sum()
    return Accuracy(problem.weight, int(right), {})


def require_tree(checked: Checked, instance: str | Path) -> tuple[Map, Tree]:
    """The map and the tree, or a FormatError that says why there is none."""
    if checked.map is None:
        raise FormatError(f"{instance}: no map in the comments, so a model is no tree; give --map FILE")
    if checked.verdict.tree is None:
        why = checked.verdict.findings[0] if checked.verdict.findings else "the model describes no tree"
        raise FormatError(f"{instance}: no tree: {why}")
    return checked.map, checked.verdict.tree
