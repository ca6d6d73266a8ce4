"""What `wcnfgen boost` and `wcnfgen bag` share: trees found one after the other, and their vote."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

from wcnfgen.commands._shown import remark
from wcnfgen.errors import WcnfgenError
from wcnfgen.words import count

if TYPE_CHECKING:
    from wcnfgen.boosting import Ensemble
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.commands.learn import Learned
    from wcnfgen.instance import Instance
    from wcnfgen.prepare import Prepared
    from wcnfgen.render import Style
    from wcnfgen.rows import Problem
    from wcnfgen.tree import Tree
    from wcnfgen.verdict import Accuracy

log = logging.getLogger("wcnfgen")

T = TypeVar("T")
Ended = Literal["enough", "perfect", "useless", "stuck", "interrupted", "failed"]
HEADING = {"text": "{}\n", "rules": "{}\n", "dot": "// {}\n", "svg": "<!-- {} -->\n"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Voted:
    """An ensemble, its trees with their words, and what is known of them.

    made has one entry for each tree that was learned, those without a vote included; asked is how many
    there were to be, and ended says why there are no more.
    """

    ensemble: Ensemble
    trees: tuple[Decoded, ...]
    made: tuple[Learned, ...]
    asked: int
    ended: Ended
    prepared: Prepared
    training: Accuracy
    held_out: Accuracy | None
    test: Accuracy | None

    @property
    def optimal(self) -> int:
        """How many of the trees that were learned are optimal on the rows that they were learned from."""
        return sum(each.optimal for each in self.made)

    @property
    def by_solver(self) -> bool:
        """Whether no tree is greedy because the solver gave none, or a worse one."""
        return all(each.by_solver or each.checked is None for each in self.made)

    @property
    def held(self) -> bool:
        """Whether the solver gave a tree that holds each time that it was asked."""
        return all(each.held for each in self.made)

    def __str__(self) -> str:
        out = io.StringIO()
        present(self, out, "text", "trees")
        return out.getvalue().rstrip("\n")

    def __repr__(self) -> str:
        return f"<Voted: {self.prepared.name}, {count(len(self.trees), 'tree')}, {self.training}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the trees with their say, and what is known of them."""
        from wcnfgen import notebook

        figures = (
            notebook.text([heading]) + notebook.figure(tree.tree, tree.names, tree.counts)
            for heading, tree in zip(_headings(self.ensemble.alphas), self.trees, strict=True)
        )
        return notebook.page(*notebook.some(figures, len(self.trees)), notebook.text(_lines(self, "trees")))


@dataclass(frozen=True, slots=True)
class Solving:
    """Which solver learns a tree, and its limits, as in `wcnfgen learn`."""

    solver: str
    binary: str | None
    wall_s: float | None
    memory_mib: float | None
    grace_s: float

    def check(self, test: str | None) -> None:
        """Fail before anything runs.  Raises SolverError, UsageError."""
        from wcnfgen.commands.learn import must_be_there

        must_be_there(self.solver, self.binary, test)

    def learn(self, instance: Instance, file: Path) -> Learned:
        """Write, solve, decode and verify.  Raises KeyboardInterrupt if the user stopped the solver."""
        from wcnfgen.commands import learn

        checked, interrupted = learn.solve_in(
            instance, file, self.solver, self.binary, self.wall_s, self.memory_mib, self.grace_s
        )
        if interrupted:
            raise KeyboardInterrupt
        learned = learn.conclude(instance, checked, None)
        for finding in checked.verdict.findings:
            log.warning("%s: %s", file.name, finding)
        return learned


def folder_for(keep: str | None) -> AbstractContextManager[str]:
    """Where the files go; one that is kept is made by the first tree, when all options were right."""
    from wcnfgen import leftovers

    return nullcontext(keep) if keep else leftovers.folder()


def until_stopped(trees: Iterator[T], done: list[T], tell: Callable[[T], None]) -> Ended:
    """Take all the trees; what was learned stays if the user or an error stops the run."""
    try:
        for each in trees:
            done.append(each)
            tell(each)
    except KeyboardInterrupt:
        if not done:
            raise
        return "interrupted"
    except WcnfgenError as error:
        if not done:
            raise
        log.warning("%s", error)
        return "failed"
    return "enough"


def voted(
    prepared: Prepared,
    ensemble: Ensemble,
    problems: Sequence[Problem],
    made: Sequence[Learned],
    asked: int,
    ended: Ended,
    test: str | None,
) -> Voted:
    """The result; problems are what the trees of the ensemble were learned from, one for each."""
    from wcnfgen import verdict, voting

    fitted, held_out = prepared.fitted, prepared.held_out
    return Voted(
        ensemble,
        tuple(decoded(prepared, *each) for each in zip(ensemble.trees, problems, strict=True)),
        tuple(made),
        asked,
        ended,
        prepared,
        voting.training(ensemble, prepared.problem),
        None if held_out is None else voting.accuracy(fitted, ensemble, held_out),
        None if test is None else voting.accuracy(fitted, ensemble, verdict.table_for(fitted, test)),
    )


def one_leaf(prepared: Prepared, asked: int, test: str | None) -> Voted:
    """One class needs no test, no solver and no vote."""
    from wcnfgen.boosting import Ensemble
    from wcnfgen.commands.learn import single_leaf
    from wcnfgen.tree import Leaf

    leaf = single_leaf(prepared, None)
    ensemble = Ensemble((Leaf(0),), (1.0,), 1)
    return voted(prepared, ensemble, [prepared.problem], [leaf], asked, "perfect", test)


def decoded(prepared: Prepared, tree: Tree, problem: Problem) -> Decoded:
    """A tree with its words, and how many of the rows it was learned from end in each leaf."""
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.render import leaf_counts

    counts = leaf_counts(tree, problem.X, problem.y, problem.counts, len(prepared.classes))
    return Decoded(tree, prepared.fitted.names, counts)


def sampled(prepared: Prepared, drawn: Problem) -> tuple[Prepared, list[int]]:
    """The rows of positive weight alone, with their classes renumbered, and what those were before."""
    import numpy as np

    there = drawn.w > 0
    labels, y = np.unique(drawn.y[there], return_inverse=True)
    w = drawn.w[there]
    problem = replace(drawn, X=drawn.X[there], y=y.astype(np.int32), w=w, n=None, classes=len(labels))
    classes = tuple(prepared.classes[label] for label in labels)
    return replace(prepared, problem=problem, classes=classes, held_out=None), labels.tolist()


def relabelled(tree: Tree, labels: Sequence[int]) -> Tree:
    """The tree with class k as labels[k].

    >>> from wcnfgen.tree import Leaf
    >>> relabelled(Leaf(1), [4, 7])
    Leaf(label=7)
    """
    from wcnfgen.tree import from_list, to_list

    return from_list([x if x >= 0 else -1 - labels[-1 - x] for x in to_list(tree)])


def how_good(learned: Learned) -> str:
    """What is known of one tree, in a word or three."""
    if learned.optimal:
        return "optimal"
    return "not proved optimal" if learned.by_solver or learned.checked is None else "greedy"


def present(result: Voted, out: TextIO, as_: Style, noun: str) -> int:
    """Print the trees with their say, and below them, or beside them for other forms than text, the rest."""
    if as_ == "json":
        out.write(_json(result) + "\n")
    else:
        write_trees(result.trees, result.ensemble.alphas, out, as_)
    remark(out, _lines(result, noun), as_)
    if result.ended == "interrupted":
        return 130
    return 0 if result.held and result.ended != "failed" else 1


def write_trees(trees: Sequence[Decoded], alphas: Sequence[float], out: TextIO, as_: Style) -> None:
    """Trees with their say."""
    for heading, tree in zip(_headings(alphas), trees, strict=True):
        out.write(HEADING[as_].format(heading) + tree.render(as_) + "\n" * (as_ in ("text", "rules")))


def _headings(alphas: Sequence[float]) -> Iterator[str]:
    """A line on each tree."""
    for number, alpha in enumerate(alphas, 1):
        yield f"tree {number} of {len(alphas)}, alpha {alpha:.4f}"


def voters_json(trees: Sequence[Decoded], alphas: Sequence[float]) -> list[dict[str, Any]]:
    """Trees with their say, as JSON types."""
    return [
        {"alpha": alpha, **json.loads(tree.render("json"))} for tree, alpha in zip(trees, alphas, strict=True)
    ]


def _json(result: Voted) -> str:
    from wcnfgen.commands.learn import accuracies_json

    trees = voters_json(result.trees, result.ensemble.alphas)
    known = accuracies_json(training=result.training, held_out=result.held_out, test=result.test)
    made = {"ended": result.ended, "made": len(result.made), "optimal": result.optimal}
    return json.dumps({**made, **known, "trees": trees}, indent=1)


def _lines(result: Voted, noun: str) -> Iterator[str]:
    from wcnfgen.commands.learn import accuracies

    why = {
        "enough": "as asked for",
        "perfect": "the last one makes no error and stands alone",
        "useless": "the last one is no better than a guess and has no vote",
        "stuck": "rounding leaves the weights as they were; --rounding real goes on",
        "interrupted": "interrupted",
        "failed": "the next one failed",
    }
    yield f"{noun + ':':<11}{len(result.made)} of {result.asked}, {why[result.ended]}"
    reason = "the solver's cost more" if result.held else "the solver gave none that holds"
    greedy = "" if result.by_solver else f"; some are greedy, {reason}"
    yield f"optimal:   {result.optimal} of {len(result.made)} trees{greedy}"
    yield from accuracies(training=result.training, held_out=result.held_out, test=result.test)
