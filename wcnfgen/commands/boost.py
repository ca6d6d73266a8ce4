"""``wcnfgen boost``: AdaBoost with MaxSAT trees, each round an instance of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wcnfgen.boosting import Round
    from wcnfgen.commands._ensemble import Solving, Voted
    from wcnfgen.commands.learn import Learned
    from wcnfgen.instance import Instance
    from wcnfgen.prepare import Prepared
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
        chain = _Chain(prepared, data, of_data, of_encoding, solving, Path(folder), rows)
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

    prepared: Prepared
    data: Any
    of_data: dict[str, Any]
    of_encoding: dict[str, Any]
    solving: Solving
    folder: Path
    rows: _Rows | None
    made: list[Learned] = field(default_factory=list)

    def learn(self, number: int, problem: Problem) -> Tree:
        """Learn the tree of a round."""
        from wcnfgen.files import atomic, safe
        from wcnfgen.making import report

        file = self.folder / f"{safe(self.prepared.name)}.round-{number:02}.weights"
        rows = None if self.rows is None else self.rows.weights(number, problem)
        instance = self._instance(number, problem, file.name, rows)
        if number == 1:
            report(instance)
        self.folder.mkdir(parents=True, exist_ok=True)
        if rows is not None:
            with atomic(file) as out:
                out.write("".join(f"{weight}\n" for weight in rows.tolist()).encode("ascii"))
        self.made.append(self.solving.learn(instance, file.with_suffix(".wcnf")))
        return self.made[-1].decoded.tree

    def _instance(self, number: int, problem: Problem, name: str, rows: NDArray[np.int64] | None) -> Instance:
        """The formula of a round, as `wcnfgen encode --weights` writes it too."""
        from wcnfgen import encodings
        from wcnfgen.making import build, with_command
        from wcnfgen.prepare import prepare
        from wcnfgen.weights import sha256

        weights = self.prepared.weights
        if number > 1:
            weights = None if rows is None else (name, sha256(rows))
        prepared = replace(self.prepared, problem=problem, weights=weights, held_out=None)
        instance = build(prepared, "boost", self.of_encoding)
        shares = ((self.of_data, prepare), (self.of_encoding, encodings.get("boost").plan))
        return with_command(instance, self.data, {"encoding": "boost"}, *shares)

    def tell(self, done: Sequence[Round], rounds: int) -> None:
        """One line on the round that is done, and on the vote so far."""
        from wcnfgen import boosting, voting
        from wcnfgen.commands import _ensemble

        last, learned = done[-1], self.made[-1]
        share = voting.training(boosting.ensemble(done), self.prepared.problem).share
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


class _Rows:
    """Which row of the problem each row of the data is: weights are written for the latter."""

    def __init__(self, prepared: Prepared, data: Any, first: Any) -> None:
        from wcnfgen import voting, weights
        from wcnfgen.prepare import table_of

        options = (prepared.options[name] for name in ("target", "drop", "delimiter", "na"))
        table = table_of(data, *options)
        self._first = None if first is None else weights.read(first, table.rows)
        self._groups = voting.groups(prepared.fitted, prepared.problem, table)

    def weights(self, number: int, problem: Problem) -> NDArray[np.int64]:
        """A whole number for each row of the data in that round; 1 for rows that are not learned from."""
        import numpy as np

        if number == 1 and self._first is not None:
            return self._first
        each = problem.w // problem.counts
        return np.where(self._groups < 0, 1, each[self._groups])


def _rows(prepared: Prepared, data: Any, first: Any) -> _Rows | None:
    """Nothing for the standard input, which cannot be read again."""
    if isinstance(data, str) and data == "-":
        log.info("no weights are kept: the data came from standard input")
        return None
    return _Rows(prepared, data, first)
