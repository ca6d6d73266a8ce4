"""``wcnfgen boost``: AdaBoost with MaxSAT trees, each round an instance of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    from wcnfgen.boosting import Round
    from wcnfgen.commands._ensemble import Solving, Voted
    from wcnfgen.commands.learn import Learned
    from wcnfgen.prepare import Prepared
    from wcnfgen.rounds import Rounds, Rows
    from wcnfgen.rows import Problem
    from wcnfgen.tree import Tree

log = logging.getLogger("wcnfgen")


def boost(
    data: Any,
    *,
    rounds: int = 21,
    rounding: Literal["paper", "real"] = "paper",
    cap: int | None = 1_000_000,
    solver: str = "lms",
    binary: str | None = None,
    wall: float | None = 60.0,
    memory: float | None = None,
    grace: float = 5.0,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    keep: str | None = None,
    **options: Any,
) -> Voted:
    """AdaBoost: each round finds the best tree for rows that weigh more where the last one erred.

    The exit code is 0 if the solver gave each tree and all claims hold, else 1; 130 if it was interrupted,
    in which case the rounds before that count.

    examples:
      wcnfgen boost data.csv --depth 2 --rounds 3
      wcnfgen boost data.csv --depth 1 --rounds 5 --rounding real --test test.csv

    data: a CSV file (also .gz, .xz), or - for standard input
    rounds: so many trees, unless one makes no error or is no better than a guess
    rounding: paper updates the rounded weights, real updates a distribution that stays real
    cap: largest weight of a row that rounding makes, or none
    solver: a name from `wcnfgen solvers`, or ./PATH of a program
    binary: the solver's program, if it is not where its descriptor looks
    wall: limit on the solver's wall time in each round, in seconds
    memory: limit on its memory, in MiB
    grace: seconds between SIGTERM and SIGKILL
    test: also classify these rows
    as_: how to show the trees
    keep: leave instance, log, record and weights of each round in this folder
    """
    from wcnfgen import boosting, encodings
    from wcnfgen.commands import _ensemble
    from wcnfgen.making import prepare_for, split
    from wcnfgen.prepare import prepare
    from wcnfgen.rounds import Rounds
    from wcnfgen.signatures import check_choices

    boosting.check(rounds, rounding, cap)
    check_choices(boost, {"as_": as_})
    of_data, of_encoding = split(options, prepare, _tree_options())
    solving = _ensemble.Solving(solver, binary, wall, memory, grace)
    solving.check(test)
    prepared = prepare_for(encodings.get("boost"), data, of_data, of_encoding)
    if prepared.problem.classes < 2:
        return _ensemble.one_leaf(prepared, rounds, test)
    done: list[Round] = []
    with _ensemble.folder_for(keep) as folder:
        rows = _rows(prepared, data, of_data.get("weights")) if keep else None
        chain = _Chain(Rounds(prepared, data, of_data, of_encoding, rows), solving, Path(folder))
        trees = boosting.boost(prepared.problem, chain.learn, rounds=rounds, rounding=rounding, cap=cap)
        ended = _ensemble.until_stopped(trees, done, lambda each: chain.tell(done, rounds))
    if ended == "enough":
        ended = boosting.end(done, rounds)
    problems = [each.problem for each in boosting.voters(done)]
    return _ensemble.voted(prepared, boosting.ensemble(done), problems, chain.made, rounds, ended, test)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    from wcnfgen.prepare import prepare

    return (prepare, _tree_options())


def present(result: Voted, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the trees and what is known of them."""
    from wcnfgen.commands import _ensemble

    return _ensemble.present(result, out, as_, "rounds")


def _tree_options() -> Callable[..., Any]:
    """The encoding's `plan` without what the command itself has an option for."""
    from wcnfgen import encodings
    from wcnfgen.signatures import without

    return without(encodings.get("boost").plan, "round", "rounding", "cap")


@dataclass(eq=False)
class _Chain:
    """The rounds of one run: each is an instance in the folder, solved there."""

    rounds: Rounds
    solving: Solving
    folder: Path
    made: list[Learned] = field(default_factory=list)

    def learn(self, number: int, problem: Problem) -> Tree:
        """Learn the tree of a round."""
        from wcnfgen.files import safe
        from wcnfgen.making import report

        file = self.folder / f"{safe(self.rounds.prepared.name)}.round-{number:02}.weights"
        instance = self.rounds.instance(number, problem, file)
        if number == 1:
            report(instance)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.made.append(self.solving.learn(instance, file.with_suffix(".wcnf")))
        return self.made[-1].decoded.tree

    def tell(self, done: Sequence[Round], rounds: int) -> None:
        """One line on the round that is done, and on the vote so far."""
        from wcnfgen import boosting, voting
        from wcnfgen.commands import _ensemble

        last, learned = done[-1], self.made[-1]
        share = voting.training(boosting.ensemble(done), self.rounds.prepared.problem).share
        log.info(
            "round %d of %d: error %.4f (%d of %d), alpha %.4f, %s; the vote so far has %.2f%% right",
            last.number,
            rounds,
            last.error,
            last.errors,
            last.weight,
            last.alpha,
            _ensemble.how_good(learned),
            100 * share,
        )


def _rows(prepared: Prepared, data: Any, first: Any) -> Rows | None:
    """Nothing for the standard input, which cannot be read again."""
    if isinstance(data, str) and data == "-":
        log.info("no weights are kept: the data came from standard input")
        return None
    from wcnfgen.rounds import Rows

    return Rows(prepared, data, first)
