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
from wcnfgen.claims import Finding, Seen, disagreements
from wcnfgen.data import Table
from wcnfgen.errors import DataError, FormatError, UsageError
from wcnfgen.files import open_read
from wcnfgen.map import Map
from wcnfgen.output import Answer, Values
from wcnfgen.prepare import Fitted, Prepared, prepare
from wcnfgen.reader import HARD, Reader, exact_sum
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree, depth, predict, size

REPORT = "our error, please report it"


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verdict:
    """The truth about one answer.

    falsified counts hard clauses that the model falsifies and cost is the weight of the soft ones,
    both None without a whole model.  rows says whether the training rows were at hand.  findings are
    the disagreements (`wcnfgen.claims`); notes are oddities that contradict nothing.  decision: the file
    asks whether there is a tree, and nothing is optimised.
    """

    status: str | None
    claimed_cost: int | None
    model: Literal["whole", "cut short", "none"]
    falsified: int | None
    cost: int | None
    tree: Tree | None
    rows: Literal["checked", "not checked"]
    training: Accuracy | None
    lower_bound: int | None
    assumed: int | None
    decision: bool
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def claims_hold(self) -> bool:
        """Whether there is a model and nothing that was checked disagrees."""
        return self.cost is not None and not self.findings

    @property
    def ok(self) -> bool:
        """Whether claims hold and nothing was left unchecked: the training rows are classified too."""
        return self.claims_hold and self.rows == "checked"

    @property
    def size(self) -> int | None:
        """Number of nodes of the tree."""
        return None if self.tree is None else size(self.tree)

    @property
    def depth(self) -> int | None:
        """Number of edges on its longest path."""
        return None if self.tree is None else depth(self.tree)

    @property
    def optimality(self) -> Literal["proved", "claimed", "assumed", "open", "none"]:
        """Proved by our own bound, claimed by the solver and not contradicted, or open.

        Assumed: the cost is the least that a bound of the user's allows, so nothing follows.
        None: nothing is optimised.
        """
        if self.decision:
            return "none"
        if self.cost is None or self.findings:
            return "open"
        if self.lower_bound is not None and self.cost <= self.lower_bound:
            return "proved"
        if self.assumed is not None and self.cost <= self.assumed:
            return "assumed"
        return "claimed" if self.status == "OPTIMUM FOUND" else "open"

    def __repr__(self) -> str:
        known = ["ok" if self.ok else "claims hold, rows not checked" if self.claims_hold else "not ok"]
        known += [str(finding) for finding in self.findings]
        known += [] if self.cost is None else [f"cost {self.cost}", f"optimality {self.optimality}"]
        known += [] if self.tree is None else [f"{self.size} nodes, depth {self.depth}"]
        known += [] if self.training is None else [f"{self.training}"]
        return f"<Verdict: {', '.join(known)}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Checked:
    """A verdict with the map that it was reached by; None for a file that is none of ours."""

    verdict: Verdict
    map: Map | None

    def __repr__(self) -> str:
        return f"<Checked: {self.verdict!r}>"


def judge(
    instance: str | os.PathLike[str],
    answer: Answer,
    *,
    train: Any = None,
    map_file: str | os.PathLike[str] | None = None,
    values: Values = "either",
    known: int | None = None,
) -> Checked:
    """Check an answer against the file it answers.

    train supplies the training rows where the file does not hold them; map_file the map.  A file
    without a map can be checked too, as far as clauses go.  values is the form of the solver's models, where
    their text leaves it open; known the cost of another solver's model, verified before.
    """
    with Reader(instance) as reader:
        found = _map(reader, map_file)
        if found is not None and train is not None:
            found = with_rows(found, train)
        seen, assignment, weights = None, None, None
        if answer.model is not None:
            variables = found.encoding.variables if found else reader.declared or _largest(instance)
            try:
                missing = answer.model.missing(variables, values)
                if not (answer.cut and missing):
                    assignment = np.concatenate([[False], answer.model.assignment(variables, values)])
            except FormatError as error:
                answer = replace(answer, model=None, notes=(*answer.notes, str(error)))
            if assignment is not None:
                seen = _evaluate(reader, assignment, missing)
        if seen is None and (answer.costs or answer.lower_bounds) and reader.format != "cnf":
            weights = sum_of_weights(instance)
    return Checked(_verdict(answer, seen, assignment, found, known, weights), found)


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
    return found.with_problem(problem)


def _options(found: Map) -> dict[str, Any]:
    """The options of `prepare`, with the tuples that JSON made lists."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in found.data["options"].items()}


def _largest(instance: str | os.PathLike[str]) -> int:
    """The largest variable of a file that does not declare it: what a 0/1 model has to be read against."""
    with Reader(instance) as reader:
        for _ in reader.chunks():
            pass
        return reader.variables


def _evaluate(reader: Reader, assignment: NDArray[np.bool_], missing: int) -> Seen:
    """Evaluate every clause under an assignment indexed by variable."""
    variables = len(assignment) - 1
    falsified = cost = hard = soft = weights = 0
    for chunk in reader.chunks():
        if reader.variables > variables:
            raise FormatError(f"{reader.name}: variable {reader.variables}, but the map has {variables}")
        is_hard = chunk.weights == HARD
        failed = ~chunk.satisfied(assignment)
        hard, soft = hard + int(is_hard.sum()), soft + int((~is_hard).sum())
        falsified += int((failed & is_hard).sum())
        cost += exact_sum(chunk.weights[failed & ~is_hard])
        weights += exact_sum(chunk.weights[~is_hard])
    return Seen(falsified, cost, hard, soft, weights, missing, reader.format == "cnf")


def sum_of_weights(instance: str | os.PathLike[str]) -> int:
    """What all soft clauses of a file weigh together."""
    with Reader(instance) as reader:
        return sum(exact_sum(chunk.weights[chunk.weights != HARD]) for chunk in reader.chunks())


def _verdict(
    answer: Answer,
    seen: Seen | None,
    assignment: NDArray[np.bool_] | None,
    found: Map | None,
    known: int | None,
    weights: int | None,
) -> Verdict:
    tree, no_tree = None, None
    if assignment is not None and found is not None:
        try:
            tree = found.encoding.tree(assignment)
        except (ValueError, IndexError) as error:
            no_tree = str(error)
    decision = bool(seen and seen.decision) or (found is not None and found.encoding.decision)
    trained = training(tree, found.encoding.problem) if tree and found and found.has_rows else None
    models = [cost for cost in (known, found.witness_cost if found else None) if cost is not None]
    findings = [*disagreements(answer, seen, min(models, default=None), weights), *_changes(seen, found)]
    if seen and found and not seen.falsified:
        ours = _our_errors(seen, found, tree, trained) if tree else [str(no_tree)]
        findings += [Finding("our-error", f"all hard clauses hold, but {each}: {REPORT}") for each in ours]
    return Verdict(
        status=answer.status,
        claimed_cost=answer.cost,
        model="none" if answer.model is None else "whole" if seen else "cut short",
        falsified=seen.falsified if seen else None,
        cost=seen.cost if seen else None,
        tree=tree,
        rows="checked" if trained else "not checked",
        training=trained,
        lower_bound=found.least_cost if found and not decision else None,
        assumed=found.assumed_cost if found else None,
        decision=decision,
        findings=tuple(findings),
        notes=(*answer.notes, *_left_out(seen)),
    )


def _left_out(seen: Seen | None) -> Iterator[str]:
    """Some solvers leave out variables that do not matter to them; or the model is one of another file."""
    if seen is not None and seen.missing:
        yield f"the model says nothing of {seen.missing} variables, which count as false"


def _changes(seen: Seen | None, found: Map | None) -> Iterator[Finding]:
    """Whether the file is what its header says."""
    if seen is None or found is None:
        return
    if (seen.hard, seen.soft) != (found.hard, 0 if seen.decision else found.soft):
        yield Finding(
            "changed-instance",
            f"the file has {seen.hard} hard and {seen.soft} soft clauses, its header says {found.hard} and "
            f"{found.soft}: it is cut short or was changed",
        )


def _our_errors(seen: Seen, found: Map, tree: Tree, trained: Accuracy | None) -> Iterator[str]:
    """What cannot be if the formula says what it should.

    A model may cost more than its tree, by soft clauses that it falsifies without need; never less.
    """
    if trained is not None and trained.right < trained.rows and found.encoding.pure:
        yield f"the tree misclassifies {trained.rows - trained.right} training rows"
    if seen.decision:
        return
    if trained is not None and found.encoding.cost(tree) > seen.cost:
        yield f"the tree costs {found.encoding.cost(tree)} and its model {seen.cost}"
    if seen.cost < found.least_cost:
        yield f"the model costs {seen.cost}, less than the proved bound {found.least_cost}"


# ---------------------------------------------------------------------------- other rows


def table_for(fitted: Fitted, source: Any, *, labelled: bool = True) -> Table:
    """Read rows for a fitted instance: its class column, its texts for missing cells, its delimiter.

    Raises DataError where the class column is missing and wanted.
    """
    try:
        return tables.read(
            source,
            target=fitted.names.target if labelled else "",
            na=fitted.na,
            delimiter=fitted.delimiter,
        )
    except UsageError as error:
        raise DataError(
            f"{source}: no class column {fitted.names.target!r} to compare with; `wcnfgen predict` needs none"
        ) from error


def classify(fitted: Fitted, tree: Tree, table: Table) -> tuple[NDArray[np.int32], dict[str, int]]:
    """The class index of each row of a table, and the unseen cells by column."""
    X, unseen = fitted.binarisation.apply(table)
    return predict(tree, X[:, list(fitted.kept)]), unseen


def truth(fitted: Fitted, table: Table) -> NDArray[np.int32]:
    """The class index of each row, shape (rows,); -1 for a class that no training row had."""
    classes = fitted.names.classes
    numeric = all(tables.number(name) is not None for name in classes)
    index = {tables.key(name, numeric=numeric): label for label, name in enumerate(classes)}
    labels = [
        -1 if cell is None else index.get(tables.key(cell, numeric=numeric), -1)
        for cell in table.target.cells()
    ]
    return np.array(labels, np.int32)


def accuracy(fitted: Fitted, tree: Tree, table: Table) -> Accuracy:
    """Classify a labelled table; a class that no training row had is never right."""
    labels, unseen = classify(fitted, tree, table)
    return Accuracy(table.rows, int((labels == truth(fitted, table)).sum()), unseen)


def training(tree: Tree, problem: Problem) -> Accuracy:
    """Classify the rows that were encoded."""
    right = problem.counts[predict(tree, problem.X) == problem.y].sum()
    return Accuracy(problem.total, int(right), {})


def require_tree(checked: Checked, instance: str | Path) -> tuple[Map, Tree]:
    """The map and the tree, or a FormatError that says why there is none."""
    if checked.map is None:
        raise FormatError(f"{instance}: no map in the comments, so a model is no tree; give --map FILE")
    if checked.verdict.tree is None:
        raise FormatError(f"{instance}: no tree: {why_none(checked.verdict)}")
    return checked.map, checked.verdict.tree


def why_none(verdict: Verdict) -> str:
    """Why there is no tree, in a few words."""
    if verdict.model == "none" and verdict.status == "UNSATISFIABLE":
        return "there is no such tree, the solver says (s UNSATISFIABLE)"
    if verdict.model != "whole":
        said = f", the solver says {verdict.status}" if verdict.status else ""
        return ("the log holds no model" if verdict.model == "none" else "the model is cut short") + said
    return str(verdict.findings[0]) if verdict.findings else "the model describes no tree"
