"""``wcnfgen bag``: bagging with MaxSAT trees, each from a bootstrap sample of the rows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wcnfgen.commands._ensemble import Solving, Voted
    from wcnfgen.commands.learn import Learned
    from wcnfgen.prepare import Prepared
    from wcnfgen.rows import Problem
    from wcnfgen.tree import Tree

log = logging.getLogger("wcnfgen")


def bag(
    data: Any,
    *,
    bags: int = 21,
    solver: str = "lms",
    binary: str | None = None,
    wall: float | None = 60.0,
    memory: float | None = None,
    grace: float = 5.0,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    keep: str | None = None,
    encoding: str = "depth",
    **options: Any,
) -> Voted:
    """Bagging: each tree is the best for rows drawn with replacement, and they vote.

    Each bag has as many rows as there are, and --seed settles them all.  Between classes with as many
    votes the first one wins.  A row of weight 3 (--weights) is drawn from like three rows.  Exit codes are
    those of `wcnfgen boost`.

    examples:
      wcnfgen bag data.csv --depth 2 --bags 3
      wcnfgen bag data.csv --depth 2 --bags 3 --test test.csv --as json

    data: a CSV file (also .gz, .xz), or - for standard input
    bags: so many trees
    solver: a name from `wcnfgen solvers`, or ./PATH of a program
    binary: the solver's program, if it is not where its descriptor looks
    wall: limit on the solver's wall time for each tree, in seconds
    memory: limit on its memory, in MiB
    grace: seconds between SIGTERM and SIGKILL
    test: also classify these rows
    as_: how to show the trees
    keep: leave instance, log and record of each tree in this folder
    encoding: which formula; `wcnfgen encodings` lists them, and --encoding NAME --help its options
    """
    from wcnfgen import boosting, encodings
    from wcnfgen.boosting import Ensemble
    from wcnfgen.commands import _ensemble
    from wcnfgen.making import prepare_for, split
    from wcnfgen.prepare import prepare
    from wcnfgen.signatures import check_choices

    check_choices(bag, {"as_": as_})
    kind = encodings.get(encoding)
    of_data, of_encoding = split(options, prepare, kind.plan)
    solving = _ensemble.Solving(solver, binary, wall, memory, grace)
    solving.check(test)
    prepared = prepare_for(kind, data, of_data, of_encoding)
    if prepared.problem.classes < 2:
        return _ensemble.one_leaf(prepared, bags, test)
    samples = boosting.bootstrap(prepared.problem.w, bags, prepared.options["seed"])
    done: list[tuple[Tree, Problem]] = []
    with _ensemble.folder_for(keep) as folder:
        bagger = _Bags(prepared, encoding, of_encoding, solving, Path(folder))
        ended = _ensemble.until_stopped(bagger.learn(samples), done, lambda _: bagger.tell(bags))
    trees = tuple(tree for tree, _ in done)
    ensemble = Ensemble(trees, (1.0,) * len(trees), prepared.problem.classes)
    problems = [problem for _, problem in done]
    return _ensemble.voted(prepared, ensemble, problems, bagger.made, bags, ended, test)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    from wcnfgen.commands import encode

    return encode.forwards({"encoding": "depth", **options})


def present(result: Voted, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the trees and what is known of them."""
    from wcnfgen.commands import _ensemble

    return _ensemble.present(result, out, as_, "bags")


@dataclass(eq=False)
class _Bags:
    """The trees of one run: each has an instance in the folder, solved there."""

    prepared: Prepared
    encoding: str
    of_encoding: dict[str, Any]
    solving: Solving
    folder: Path
    made: list[Learned] = field(default_factory=list)

    def learn(self, samples: Iterator[NDArray[np.int64]]) -> Iterator[tuple[Tree, Problem]]:
        """The tree of each sample, and the rows that were drawn."""
        for number, drawn in enumerate(samples, 1):
            problem = replace(self.prepared.problem, w=drawn, n=None)
            yield self._tree(number, problem), problem

    def _tree(self, number: int, problem: Problem) -> Tree:
        """Learn from the rows that were drawn."""
        from wcnfgen.commands import _ensemble
        from wcnfgen.commands.learn import single_leaf
        from wcnfgen.files import safe
        from wcnfgen.making import build, report

        sample, labels = _ensemble.sampled(self.prepared, problem)
        if len(labels) < 2:
            learned = single_leaf(sample, None)
        else:
            instance = build(sample, self.encoding, self.of_encoding)
            if number == 1:
                report(instance)
            self.folder.mkdir(parents=True, exist_ok=True)
            file = self.folder / f"{safe(self.prepared.name)}.bag-{number:02}.wcnf"
            learned = self.solving.learn(instance, file)
        self.made.append(learned)
        return _ensemble.relabelled(learned.decoded.tree, labels)

    def tell(self, bags: int) -> None:
        """One line on the tree that is done."""
        from wcnfgen.commands._ensemble import how_good

        learned = self.made[-1]
        log.info("bag %d of %d: %s, %s", len(self.made), bags, learned.training, how_good(learned))
