"""``wcnfgen mpdt``: many smallest trees, and of them those that do best on rows they have not seen.

Algorithm 3 of MPDT (Alòs, Ansótegui and Torres 2023, section 7): split the rows, find smallest pure trees
for the one part (Algorithms 1 and 2), and keep those whose accuracy on the other part is at most delta
below the highest.  The variants are those of section 9: one tree, or several, as different from each other
as can be or as they come (``nd``), and with each layout of the first levels by itself (``lay``).
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import Shown, remark
from wcnfgen.errors import UsageError
from wcnfgen.searches import Sat

if TYPE_CHECKING:
    from wcnfgen.commands._selection import Candidate, Selection
    from wcnfgen.commands.learn import Learned
    from wcnfgen.drivers import Limits
    from wcnfgen.tree import Tree

log = logging.getLogger("wcnfgen")

Variant = Literal["mpdt-1", "mpdt-nd", "mpdt", "mpdt-lay-nd", "mpdt-lay"]
TREES, LEVELS = 100, 2
MOST_LINES = 20  # of the table
LEAST_WALL = 0.01  # seconds, where preparing has taken all there were


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mpdt(Shown):
    """All trees that were found and hold, the indices of the best, and of the one of them that was picked.

    learned is about the picked tree.  refuted counts the models of the search that do not hold.
    """

    candidates: tuple[Candidate, ...]
    best: tuple[int, ...]
    picked: int
    learned: Learned
    refuted: int

    def __repr__(self) -> str:
        return f"<Mpdt: {len(self.best)} best of {len(self.candidates)} trees, {self.learned!r}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the picked tree, and how the best ones do."""
        from wcnfgen import notebook

        tree = self.learned.decoded
        return notebook.page(notebook.figure(tree.tree, tree.names, tree.counts), notebook.text(_lines(self)))


def mpdt(
    data: Any,
    *,
    variant: Variant = "mpdt",
    trees: int | None = None,
    delta: float = 0.0,
    split: float = 0.8,
    holdout: float = 0.0,
    layout_depth: int | None = None,
    lazy: bool = False,
    sat: Sat = "cadical195",
    wall: float | None = 300.0,
    memory: float | None = None,
    grace: float = 5.0,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    keep: str | None = None,
    **options: Any,
) -> Mpdt:
    """Find many smallest pure trees on a share of the rows, and select those that do best on the others.

    Prints one of the best, picked at random, and how all of the best do; --seed settles what is random.
    The exit code is 0 if the search gave trees and all of them hold, else 1.

    examples:
      wcnfgen mpdt data.csv --trees 5
      wcnfgen mpdt data.csv --variant mpdt-lay --trees 8 --delta 10 --split 0.7 --holdout 0.2

    data: a CSV file (also .gz, .xz), or - for standard input
    variant: mpdt-1 (one tree), mpdt (different ones), mpdt-nd (any), or mpdt-lay and mpdt-lay-nd, where
        the layouts that smallest trees have get equal shares
    trees: look for so many; default: 100
    delta: the best are at most so many per cent below the highest accuracy on the selecting rows
    split: share of the rows to learn from; the others select; with 1 no tree is better than another
    holdout: share of the rows to test on, put aside before the split; 0.2 in the paper
    layout_depth: a layout is the shape of so many levels, 1 to 4; default: 2
    lazy: give the solver only the rows that trees get wrong: less work for a thousand rows and more
    sat: the SAT solver
    wall: limit on the wall time, in seconds
    memory: limit on the memory of the search, in MiB
    grace: seconds between SIGTERM and SIGKILL
    test: test on these rows
    as_: how to show the tree; json shows them all
    keep: leave instance, log and record of the search in this folder, and the log of the picked tree, for
        `wcnfgen decode`, `verify` and `predict`
    """
    from wcnfgen.commands import _trees
    from wcnfgen.commands import learn as learning
    from wcnfgen.commands._selection import divide
    from wcnfgen.commands.search import run
    from wcnfgen.drivers import Limits
    from wcnfgen.encodings.size import Size
    from wcnfgen.files import safe, unused
    from wcnfgen.making import build, prepare_for, report
    from wcnfgen.making import split as deal
    from wcnfgen.runs import OUTPUT_MIB
    from wcnfgen.signatures import check_choices

    began = time.monotonic()
    check_choices(mpdt, {"variant": variant, "sat": sat, "as_": as_})
    asked = _asked(variant, trees)
    words = ["lazy" if lazy else "diverse", "--sat", sat, "--witness", "--trees", str(asked)]
    words += _of_variant(variant, layout_depth)
    _check_shares(split, holdout, delta, test)
    limits = Limits(wall_s=wall, memory_mib=memory, output_mib=OUTPUT_MIB, grace_s=grace)
    of_data, of_encoding = deal(options, *forwards({}))
    prepared = prepare_for(Size, data, {**of_data, "sample": split * (1 - holdout)}, of_encoding)
    prepared, selection = divide(prepared, split, holdout, test, layout_depth or LEVELS)
    if prepared.problem.classes < 2:
        leaf = learning.single_leaf(prepared, None)
        return _selected(leaf, (leaf.decoded.tree,), selection, delta, 0)
    instance = build(prepared, "size", of_encoding, embed_rows=True)
    report(instance)
    with learning.folder_for(keep) as folder:
        file = Path(folder) / f"{safe(prepared.name)}.wcnf"
        instance.write(file, "wcnf")
        ended, into = run(file, words, _what_is_left(limits, began))
        found = _trees.read(file, into, instance.encoding)
        learned = learning.conclude(instance, found.checked, None)
        if not (learned.by_solver and found.trees):
            return _selected(learned, (learned.decoded.tree,), selection, delta, found.refuted)
        _say_how_many(len(found.trees), asked, ended.limit is not None, "lay" in variant)
        result = _selected(learned, found.trees, selection, delta, found.refuted)
        if keep is not None:
            found.write(result.picked, unused(f"{file}.picked", ".log"))
    return result


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too, without those that it settles itself."""
    from wcnfgen.encodings.size import Size
    from wcnfgen.prepare import prepare
    from wcnfgen.signatures import without

    return without(prepare, "sample", "weights"), without(Size.plan, "soft_rows", "layout_depth", "layout")


def present(result: Mpdt, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the picked tree, and how the best ones do; as JSON, all of them."""
    if as_ == "json":
        out.write(json.dumps(_as_json(result), indent=1) + "\n")
    else:
        out.write(result.learned.decoded.render(as_))
    remark(out, _lines(result), as_)
    checked = result.learned.checked
    for finding in checked.verdict.findings if checked else ():
        log.warning("%s", finding)
    if result.refuted:
        log.warning("%d models of the search do not hold and are left out", result.refuted)
    return 0 if result.learned.held and not result.refuted else 1


# ---------------------------------------------------------------------------- options


def _asked(variant: Variant, trees: int | None) -> int:
    """How many trees are looked for.  Raises UsageError."""
    if trees is not None and trees < 1:
        raise UsageError(f"--trees {trees}: give a number from 1 on")
    if variant == "mpdt-1" and trees not in (None, 1):
        raise UsageError("--trees goes with the other variants: mpdt-1 is one tree")
    return 1 if variant == "mpdt-1" else trees or TREES


def _of_variant(variant: Variant, layout_depth: int | None) -> list[str]:
    """The options of the search by which variants differ.  Raises UsageError."""
    from wcnfgen.constraints import topology

    lay = variant.startswith("mpdt-lay")
    if layout_depth is not None and not lay:
        raise UsageError("--layout-depth goes with --variant mpdt-lay or mpdt-lay-nd")
    if layout_depth is not None and not 1 <= layout_depth <= topology.MOST_LEVELS:
        raise UsageError(f"--layout-depth {layout_depth}: layouts have 1 to {topology.MOST_LEVELS} levels")
    layouts = ["--layout-depth", str(layout_depth or LEVELS)] if lay else []
    return ["--no-diverse" if variant.endswith("-nd") else "--diverse", *layouts]


def _check_shares(split: float, holdout: float, delta: float, test: str | None) -> None:
    """Refuse shares that leave nothing, and a test file that is not there.  Raises UsageError."""
    from wcnfgen.files import check_read

    if not 0 < split <= 1:
        raise UsageError(f"--split {split}: a share above 0, up to 1; the rows that are left select")
    if not 0 <= holdout < 1:
        raise UsageError(f"--holdout {holdout}: a share from 0 on, below 1")
    if not 0 <= delta <= 100:
        raise UsageError(f"--delta {delta}: per cent, from 0 to 100")
    if holdout and test is not None:
        raise UsageError("give --test FILE or --holdout SHARE, not both")
    if test is not None:
        check_read(test)


def _what_is_left(limits: Limits, began: float) -> Limits:
    """The limits of the search: preparing has taken some of the wall time."""
    if limits.wall_s is None:
        return limits
    return replace(limits, wall_s=max(LEAST_WALL, limits.wall_s - (time.monotonic() - began)))


def _selected(
    learned: Learned, trees: Sequence[Tree], selection: Selection, delta: float, refuted: int
) -> Mpdt:
    """The best, and one of them picked at random."""
    import numpy as np

    from wcnfgen.commands import learn as learning
    from wcnfgen.commands._selection import best_of

    candidates = tuple(map(selection.candidate, trees))
    best = best_of(candidates, delta)
    rng = np.random.default_rng(learned.prepared.options["seed"])
    picked = best[int(rng.integers(len(best)))]
    tree = candidates[picked].tree
    known = (learned.checked, learned.by_solver, learned.bounded)
    summary = learning.summarise(learned.prepared, tree, *known, None)
    return Mpdt(candidates, best, picked, replace(summary, test=candidates[picked].test), refuted)


# ---------------------------------------------------------------------------- what is said


def _say_how_many(found: int, asked: int, stopped: bool, lay: bool) -> None:
    """A note where there are fewer trees than asked for."""
    if found >= asked:
        return
    if stopped:
        log.info("trees before the search ended: %d, %d were asked for", found, asked)
    elif lay:
        log.info("trees: %d, %d were asked for: some layouts have fewer than their share", found, asked)
    else:
        log.info("smallest trees: %d in all, %d were asked for", found, asked)


def _lines(result: Mpdt) -> Iterator[str]:
    """What is known of the picked tree, and a table of the best."""
    from wcnfgen.commands import learn as learning
    from wcnfgen.tree import depth, size

    yield from learning.about(replace(result.learned, held_out=None, test=None))
    chosen = result.candidates[result.picked]
    yield from learning.accuracies(selection=chosen.selection, test=chosen.test)
    yield f"best:      {len(result.best)} of {len(result.candidates)} trees{_range(result.candidates)}"
    yield f"  {'tree':>5}{'size':>6}{'depth':>7}  {'layout':<17}{'selection':>9}{'test':>9}"
    shown = sorted({*result.best[:MOST_LINES], result.picked})
    for number in shown:
        each = result.candidates[number]
        mark = "*" if number == result.picked else ""
        shares = ["-" if a is None else f"{a.share:.2%}" for a in (each.selection, each.test)]
        yield (
            f"  {mark + str(number + 1):>5}{size(each.tree):>6}{depth(each.tree):>7}  {each.layout:<17}"
            f"{shares[0]:>9}{shares[1]:>9}"
        )
    if len(shown) < len(result.best):
        yield f"  and {len(result.best) - len(shown)} more; --as json shows all"


def _range(candidates: Sequence[Candidate]) -> str:
    """How far apart the trees are in selection."""
    shares = [each.selection.share for each in candidates if each.selection]
    return f"; in selection all have {min(shares):.2%} to {max(shares):.2%}" if shares else ""


def _as_json(result: Mpdt) -> dict[str, Any]:
    """The result as JSON types."""
    from wcnfgen.commands.verify import accuracy_json
    from wcnfgen.render import render

    names = result.learned.decoded.names
    trees = [
        {
            "best": number in result.best,
            "layout": each.layout,
            "selection": accuracy_json(each.selection),
            "test": accuracy_json(each.test),
            "tree": json.loads(render(each.tree, names, "json")),
        }
        for number, each in enumerate(result.candidates)
    ]
    return {"optimal": result.learned.optimal, "picked": result.picked, "trees": trees}
