"""``wcnfgen peer``: the trees of other packages, on our rows and columns and by our judgement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import remark

if TYPE_CHECKING:
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.peers import Answer, Ended, Settings
    from wcnfgen.prepare import Prepared
    from wcnfgen.verdict import Accuracy


@dataclass(frozen=True, slots=True, eq=False)
class Peered:
    """Another package's trees with the words of the data, and what is true of them.

    package is None where none was needed: one class, one leaf.  optimal: the package says that no tree
    within the limits makes fewer errors; None for a method that does not look for that.  There are no
    trees, and no accuracies, where a limit came first.
    """

    package: str | None
    settings: Settings
    trees: tuple[Decoded, ...]
    alphas: tuple[float, ...]
    ended: Ended
    optimal: bool | None
    seconds: float
    peak_mib: float
    training: Accuracy | None
    held_out: Accuracy | None
    test: Accuracy | None


def peer(
    data: Any,
    *,
    method: Literal["cart", "dl8.5", "streed", "adaboost", "bagging"] = "cart",
    depth: int | None = None,
    nodes: int | None = None,
    trees: int = 21,
    seeds: int = 1,
    all_sizes: bool = False,
    wall: float | None = 300.0,
    memory: float | None = None,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    **options: Any,
) -> Peered:
    """Learn a tree with another package, on the rows and columns that our formulas are made of.

    The package's tree becomes one of ours, and its accuracy is what we count.  dl8.5 (pydl8.5) and streed
    (pystreed) find the fewest errors by dynamic programming; cart, adaboost and bagging are scikit-learn's,
    with its defaults.  The trees of bagging vote, each with its class.  --seed is also that of the method.
    The exit code is 1 if a limit came before a tree.

    examples:
      wcnfgen peer data.csv                                     CART, grown until its leaves are pure
      wcnfgen peer data.csv --method dl8.5 --depth 3 --wall 60 --memory 4000
      wcnfgen peer data.csv --method adaboost --depth 2 --trees 5 --test test.csv --as json

    data: a CSV file (also .gz, .xz), or - for standard input
    method: what learns the tree
    depth: edges on the longest path, at most; default: no limit
    nodes: nodes at most, leaves included (not for dl8.5)
    trees: so many, for adaboost and bagging
    seeds: so many trees of cart, each of the next seed, which vote
    all_sizes: of cart also trees of each smaller number of nodes, from 3 on, which vote
    wall: limit on the wall time of the search, in seconds (whole ones for dl8.5); dl8.5 and streed then give
        the best tree so far
    memory: limit on its memory, in MiB
    test: also classify these rows
    as_: how to show the tree
    """
    from wcnfgen import peers
    from wcnfgen.files import check_read
    from wcnfgen.making import split
    from wcnfgen.prepare import prepare
    from wcnfgen.signatures import check_choices

    check_choices(peer, {"method": method, "as_": as_})
    (of_data,) = split(options, _of_data())
    settings = peers.Settings(
        method=method,
        depth=depth,
        nodes=nodes,
        trees=trees,
        seed=options.get("seed", 0),
        seeds=seeds,
        all_sizes=all_sizes,
        wall_s=wall,
        memory_mib=memory,
    )
    settings.check()
    if test is not None:
        check_read(test)
    prepared = prepare(data, **{**of_data, "conflicts": of_data.get("conflicts") or "keep"})
    if prepared.problem.classes < 2:
        return _judged(prepared, settings, _one_leaf(), None, test)
    answer = peers.run(prepared.problem, settings)
    if answer.ended == "interrupt":
        raise KeyboardInterrupt
    return _judged(prepared, settings, answer, peers.named(method), test)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    return (_of_data(),)


def present(result: Peered, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the trees, and below them, or beside them for other forms than text, what is known of them."""
    if as_ == "json":
        out.write(json.dumps(as_json(result), indent=1) + "\n")
    else:
        _write(result, out, as_)
    remark(out, about(result), as_)
    return 0 if result.trees else 1


def _of_data() -> Callable[..., Any]:
    """What prepares the rows; packages take them as often as they occur, not by weight."""
    from wcnfgen.prepare import prepare
    from wcnfgen.signatures import without

    return without(prepare, "weights", "unit_weights")


def _one_leaf() -> Answer:
    """One class needs no test and no package."""
    from wcnfgen.peers import Answer
    from wcnfgen.tree import Leaf

    return Answer((Leaf(0),), (1.0,), True, "done", 0.0, 0.0)


def _judged(
    prepared: Prepared, settings: Settings, answer: Answer, package: str | None, test: str | None
) -> Peered:
    """The trees, and how they do on all the rows there are."""
    from wcnfgen import verdict, voting
    from wcnfgen.boosting import Ensemble
    from wcnfgen.commands._ensemble import decoded
    from wcnfgen.peers import OPTIMAL

    ensemble = Ensemble(answer.trees, answer.alphas, prepared.problem.classes)
    fitted, held_out, there = prepared.fitted, prepared.held_out, bool(answer.trees)
    tables = (held_out, verdict.table_for(fitted, test) if there and test is not None else None)
    others = [voting.accuracy(fitted, ensemble, each) if there and each else None for each in tables]
    return Peered(
        package,
        settings,
        tuple(decoded(prepared, tree, prepared.problem) for tree in answer.trees),
        answer.alphas,
        answer.ended,
        answer.proved if package is None or settings.method in OPTIMAL else None,
        answer.seconds,
        answer.peak_mib,
        voting.training(ensemble, prepared.problem) if there else None,
        *others,
    )


def _write(result: Peered, out: TextIO, as_: Any) -> None:
    from wcnfgen.commands._ensemble import write_trees

    if len(result.trees) == 1:
        out.write(result.trees[0].render(as_))
    else:
        write_trees(result.trees, result.alphas, out, as_)


def as_json(result: Peered) -> dict[str, Any]:
    """A tree as `wcnfgen learn` has it, or a vote as `wcnfgen boost` has it, and how it was found."""
    from wcnfgen.commands._ensemble import voters_json
    from wcnfgen.commands.learn import accuracies_json
    from wcnfgen.peers import VOTES

    known = accuracies_json(training=result.training, held_out=result.held_out, test=result.test)
    how = {
        "method": result.settings.method,
        "package": result.package,
        "ended": result.ended,
        "optimal": result.optimal,
        "seconds": round(result.seconds, 3),
        "peak_mib": round(result.peak_mib, 1),
    }
    if result.settings.method not in VOTES and len(result.settings.made) == 1:
        trees = [json.loads(tree.render("json")) for tree in result.trees]
        return {**(trees[0] if trees else {}), **how, **known}
    voters = voters_json(result.trees, result.alphas)
    return {**how, "made": len(voters), **known, "trees": voters}


def about(result: Peered) -> Iterator[str]:
    """What is known of the trees, line by line."""
    from wcnfgen.commands.learn import accuracies
    from wcnfgen.tree import depth, size

    limit = "" if result.ended == "done" else f"; it was stopped at the {result.ended} limit"
    by = result.package or "none was needed: there is one class"
    if not result.trees:
        yield f"no tree:   {by}{limit}"
        return
    sizes = [size(each.tree) for each in result.trees]
    deepest = max(depth(each.tree) for each in result.trees)
    trees = "" if len(sizes) == 1 else f" in {len(sizes)} trees"
    yield f"size:      {sum(sizes)} nodes{trees}, depth {deepest}"
    yield f"found by:  {by}, in {result.seconds:.2f} s{limit}"
    if result.optimal is not None:
        yield f"optimal:   {'yes, says the package' if result.optimal else 'not proved'}"
    yield from accuracies(training=result.training, held_out=result.held_out, test=result.test)
