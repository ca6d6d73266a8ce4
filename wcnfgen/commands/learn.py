"""``wcnfgen learn``: from data to a verified tree in one go."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import Shown, remark

if TYPE_CHECKING:
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.instance import Instance
    from wcnfgen.prepare import Prepared
    from wcnfgen.tree import Tree
    from wcnfgen.verdict import Accuracy, Checked

log = logging.getLogger("wcnfgen")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned(Shown):
    """A tree, what is known of it, and where it comes from.

    checked is None where no solver was needed: one class, one leaf.  The tree is the solver's, or
    the greedy one if the solver gave none that holds, or one that costs more; `by_solver` says which.
    bounded says whether the tree meets the lower bound that was proved when the instance was made.
    """

    decoded: Decoded
    prepared: Prepared
    checked: Checked | None
    by_solver: bool
    bounded: bool
    training: Accuracy
    held_out: Accuracy | None
    test: Accuracy | None

    @property
    def optimal(self) -> bool:
        """Whether no tree costs less, by our own bound or by a claim that nothing contradicts."""
        if self.bounded or self.checked is None:
            return True
        return self.by_solver and self.checked.verdict.optimality == "claimed"

    @property
    def held(self) -> bool:
        """Whether the solver gave a tree that holds, where one was asked."""
        return self.checked is None or (self.checked.verdict.ok and self.checked.verdict.tree is not None)

    def __repr__(self) -> str:
        known = (self.prepared.name, repr(self.decoded), f"optimal: {_optimality(self)}", self.training)
        return f"<Learned: {'; '.join(map(str, known))}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the drawing, and what is known of it."""
        from wcnfgen import notebook

        tree = self.decoded
        return notebook.page(notebook.figure(tree.tree, tree.names, tree.counts), notebook.text(about(self)))


def learn(
    data: Any,
    *,
    solver: str = "rc2",
    binary: str | None = None,
    wall: float | None = 300.0,
    memory: float | None = None,
    grace: float = 5.0,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    keep: str | None = None,
    encoding: str = "size",
    **options: Any,
) -> Learned:
    """Encode, solve, decode and verify: print the smallest tree, and what is known of it.

    The exit code is 0 if the solver gave a tree and all claims hold, else 1.

    examples:
      wcnfgen learn data.csv                                    the smallest tree without errors
      wcnfgen learn data.csv --encoding depth --depth 2         fewest errors within a depth
      wcnfgen learn data.csv --sample 0.6 --seed 7 --as rules   held-out rows test the tree
      wcnfgen learn data.csv --solver clingo --wall 60 --keep run

    data: a CSV file (also .gz, .xz), or - for standard input
    solver: a name from `wcnfgen solvers`, or ./PATH of a program
    binary: the solver's program, if it is not where its descriptor looks
    wall: limit on the solver's wall time, in seconds
    memory: limit on its memory, in MiB
    grace: seconds between SIGTERM and SIGKILL
    test: also classify these rows
    as_: how to show the tree
    keep: leave instance, log and record in this folder
    encoding: which formula; `wcnfgen encodings` lists them, and --encoding NAME --help its options
    """
    from wcnfgen import encodings
    from wcnfgen.files import safe
    from wcnfgen.making import build, prepare_for, report, split
    from wcnfgen.prepare import prepare

    must_be_there(solver, binary, test)
    kind = encodings.get(encoding)
    of_data, of_encoding = split(options, prepare, kind.plan)
    prepared = prepare_for(kind, data, of_data, of_encoding)
    if prepared.problem.classes < 2:
        return single_leaf(prepared, test)
    instance = build(prepared, encoding, of_encoding)
    report(instance)
    with folder_for(keep) as folder:
        file = Path(folder) / f"{safe(prepared.name)}.wcnf"
        checked, interrupted = solve_in(instance, file, solver, binary, wall, memory, grace)
    if interrupted:
        raise KeyboardInterrupt
    return conclude(instance, checked, test)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    from wcnfgen.commands import encode

    return encode.forwards(options)


def present(result: Learned, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the tree, and below it, or beside it for other forms than text, what is known of it."""
    if as_ == "json":
        out.write(json.dumps(as_json(result), indent=1) + "\n")
    else:
        out.write(result.decoded.render(as_))
    return said(result, out, as_=as_)


def said(result: Learned, out: TextIO, *, as_: str) -> int:
    """Print what is known of the tree, or note it for other forms than text; returns the exit code."""
    remark(out, about(result), as_)
    for finding in result.checked.verdict.findings if result.checked else ():
        log.warning("%s", finding)
    return 0 if result.held else 1


def as_json(result: Learned) -> dict[str, Any]:
    """The tree, and what is known of it, as JSON types."""
    return {**json.loads(result.decoded.render("json")), **known_json(result)}


def known_json(result: Learned) -> dict[str, Any]:
    """What is known of the tree, as JSON types; optimal null: nothing is optimised."""
    decision = result.checked is not None and result.checked.verdict.decision
    return {
        "optimal": None if decision else result.optimal,
        "by_solver": result.by_solver,
        **accuracies_json(training=result.training, held_out=result.held_out, test=result.test),
    }


def accuracies_json(**known: Accuracy | None) -> dict[str, Any]:
    """Each by its name, as JSON types."""
    from wcnfgen.commands.verify import accuracy_json

    return {name: accuracy_json(accuracy) for name, accuracy in known.items()}


def folder_for(keep: str | None) -> AbstractContextManager[str]:
    """Where the files go: a folder that is kept, or one that is not."""
    from wcnfgen import leftovers

    if keep is None:
        return leftovers.folder()
    Path(keep).mkdir(parents=True, exist_ok=True)
    return nullcontext(keep)


def solve_in(
    instance: Instance,
    file: Path,
    solver: str,
    binary: str | None,
    wall: float | None,
    memory: float | None,
    grace: float,
) -> tuple[Checked, bool]:
    """The four steps, over files as the commands do them; and whether the user interrupted."""
    from wcnfgen import solvers
    from wcnfgen.commands.solve import solve
    from wcnfgen.commands.verify import check
    from wcnfgen.files import safe, unused

    instance.write(file, solvers.get(solver).formats[0])
    log = unused(f"{file}.{safe(Path(solver).name)}", ".log.gz")
    run = solve(
        str(file), solver=solver, binary=binary, wall=wall, memory=memory, grace=grace, log=str(log)
    ).run
    if run.limit not in (None, "interrupt"):
        logging.getLogger("wcnfgen").info("%s stopped at the %s limit", solver, run.limit)
    train = None if instance.map["rows"] else instance.prepared
    values = solvers.get(solver).values
    return check(str(file), str(log), train=train, values=values), run.limit == "interrupt"


def must_be_there(solver: str, binary: str | None, test: str | None) -> None:
    """Fail now rather than after the solver's run."""
    from wcnfgen import launch
    from wcnfgen.files import check_read

    launch.must_be_there(solver, binary)
    if test is not None:
        check_read(test)


def conclude(instance: Instance, checked: Checked, test: str | None) -> Learned:
    """The solver's tree if it holds, unless the greedy one costs less."""
    from wcnfgen.errors import WcnfgenError
    from wcnfgen.verdict import why_none

    cost, decision = instance.encoding.cost, checked.verdict.decision
    given = checked.verdict.tree if checked.verdict.ok else None
    known = [tree for tree in (given, instance.witness) if tree is not None]
    if not known:
        raise WcnfgenError(f"{instance.prepared.name}: no tree: {why_none(checked.verdict)}")
    tree = known[0] if decision else min(known, key=cost)
    by_solver = tree is given
    bounded = not decision and cost(tree) <= instance.plan.least_cost
    return summarise(instance.prepared, tree, checked, by_solver, bounded, test)


def single_leaf(prepared: Prepared, test: str | None) -> Learned:
    """One class needs no test, and no solver."""
    from wcnfgen.tree import Leaf

    log.info("%s: all rows have the class %r: one leaf is optimal", prepared.name, prepared.classes[0])
    return summarise(prepared, Leaf(0), None, False, True, test)


def summarise(
    prepared: Prepared,
    tree: Tree,
    checked: Checked | None,
    by_solver: bool,
    bounded: bool,
    test: str | None,
) -> Learned:
    """A tree and what is known of it."""
    from wcnfgen import verdict
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.render import leaf_counts

    problem, fitted = prepared.problem, prepared.fitted
    counts = leaf_counts(tree, problem.X, problem.y, problem.counts, problem.classes)
    held_out = prepared.held_out
    return Learned(
        Decoded(tree, fitted.names, counts),
        prepared,
        checked,
        by_solver,
        bounded,
        verdict.training(tree, problem),
        None if held_out is None else verdict.accuracy(fitted, tree, held_out),
        None if test is None else verdict.accuracy(fitted, tree, verdict.table_for(fitted, test)),
    )


def about(result: Learned) -> Iterator[str]:
    """What is known of the tree, line by line."""
    from wcnfgen.instance import conflict_note
    from wcnfgen.tree import depth, size

    tree = result.decoded.tree
    yield f"size:      {size(tree)} nodes, depth {depth(tree)}"
    yield f"optimal:   {_optimality(result)}"
    yield from accuracies(training=result.training, held_out=result.held_out, test=result.test)
    if result.prepared.dropped:
        yield f"conflicts: {conflict_note(result.prepared)}"


def accuracies(**known: Accuracy | None) -> Iterator[str]:
    """A line for each that there is, with its name."""
    for name, accuracy in known.items():
        if accuracy is not None:
            yield f"{name.replace('_', ' ') + ':':<11}{accuracy}"


def _optimality(result: Learned) -> str:
    if result.checked is None:
        return "yes, there is one class"
    if result.checked.verdict.decision:
        return "nothing is optimised: the tree is one of those asked for"
    why = "the solver's costs more" if result.held else "the solver gave none that holds"
    greedy = "" if result.by_solver else f"; this is the greedy tree, {why}"
    if result.bounded:
        return "yes, proved: it meets the lower bound" + greedy
    if result.optimal:
        return "yes, says the solver, and nothing contradicts it"
    if result.by_solver and result.checked.verdict.optimality == "assumed":
        return "for this formula only, which --lb or --layout restricts"
    return "not proved" + greedy
