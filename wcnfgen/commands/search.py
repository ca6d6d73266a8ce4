"""``wcnfgen search``: the papers' own algorithms, or any solver, from data to verified trees."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import Shown
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.searches import Sat

if TYPE_CHECKING:
    from wcnfgen.commands._trees import Found
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.commands.learn import Learned
    from wcnfgen.drivers import Limits, Run
    from wcnfgen.instance import Instance
    from wcnfgen.runs import Solved, Start
    from wcnfgen.verdict import Checked

log = logging.getLogger("wcnfgen")

SEARCHES = ("lms", "descent", "lazy")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Searched(Shown):
    """The trees that were found and hold, all of one cost, and what is known of them.

    learned is about the last tree; without one, it is about the greedy tree.  refuted counts the models of
    the search that do not hold.
    """

    trees: tuple[Decoded, ...]
    learned: Learned
    refuted: int = 0

    def __repr__(self) -> str:
        from wcnfgen.words import count

        return f"<Searched: {count(len(self.trees), 'tree')}, {self.learned!r}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the drawings, and what is known of the last one."""
        from wcnfgen import notebook
        from wcnfgen.commands.learn import about

        figures = (notebook.figure(each.tree, each.names, each.counts) for each in self.trees)
        return notebook.page(*notebook.some(figures, len(self.trees)), notebook.text(about(self.learned)))


def search(
    data: Any,
    *,
    method: str = "lms",
    sat: Sat | None = None,
    trees: int = 1,
    diverse: bool | None = None,
    wall: float | None = 300.0,
    memory: float | None = None,
    grace: float = 5.0,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    keep: str | None = None,
    encoding: str = "size",
    **options: Any,
) -> Searched:
    """Search for smallest trees: linear MaxSAT or MinDT's descent on a SAT solver, or any MaxSAT solver.

    Each improvement is a note with its time.  The exit code is 0 if there is a tree and all claims hold.

    examples:
      wcnfgen search data.csv
      wcnfgen search data.csv --method descent
      wcnfgen search data.csv --trees 3 --as rules              three that differ as much as can be

    data: a CSV file (also .gz, .xz), or - for standard input
    method: lms (Algorithm 1 of MPDT, any encoding), lazy (LMS that adds rows as trees get them wrong),
        descent (MinDT's, one formula for each size), a name from `wcnfgen solvers`, or ./PATH of a program
    sat: the SAT solver below lms, lazy and descent; default: cadical195
    trees: so many optimal trees (MDSOL, Algorithm 2 of MPDT), or all if there are fewer; lms and lazy only
    diverse: each further tree differs from those before it as much as can be; default: yes
    wall: limit on the wall time of the search, in seconds
    memory: limit on its memory, in MiB
    grace: seconds between SIGTERM and SIGKILL
    test: also classify these rows
    as_: how to show the trees
    keep: leave instance, log and record of the run in this folder
    encoding: which formula; `wcnfgen encodings` lists them
    """
    from wcnfgen import encodings
    from wcnfgen.commands import _trees
    from wcnfgen.commands import learn as learning
    from wcnfgen.drivers import Limits
    from wcnfgen.files import check_read, safe
    from wcnfgen.making import build, prepare_for, report, split
    from wcnfgen.prepare import prepare
    from wcnfgen.runs import OUTPUT_MIB
    from wcnfgen.searches.lazy import suits
    from wcnfgen.signatures import check_choices

    check_choices(search, {"sat": sat, "as_": as_})
    words = _words(method, sat, trees, diverse)
    if method == "descent" and (encoding != "size" or options.get("layout") or options.get("soft_rows")):
        raise UsageError("--method descent is for the encoding size, without --layout or --soft-rows")
    if not words:
        learning.must_be_there(method, None, test)
    elif test is not None:
        check_read(test)
    limits = Limits(wall_s=wall, memory_mib=memory, output_mib=OUTPUT_MIB, grace_s=grace)
    kind = encodings.get(encoding)
    of_data, of_encoding = split(options, prepare, kind.plan)
    prepared = prepare_for(kind, data, of_data, of_encoding)
    if prepared.problem.classes < 2:
        leaf = learning.single_leaf(prepared, test)
        return Searched((leaf.decoded,), leaf)
    instance = build(prepared, encoding, of_encoding, embed_rows=True)
    if method == "lazy" and not suits(instance.encoding):
        raise UsageError("--method lazy is for pure trees, in the encodings size and exact")
    report(instance)
    with learning.folder_for(keep) as folder:
        file = Path(folder) / f"{safe(prepared.name)}.wcnf"
        if not words:
            checked = _solved(instance, file, method, limits)
            learned = learning.conclude(instance, checked, test)
            return Searched((learned.decoded,), learned)
        instance.write(file, "wcnf")
        ended, into = run(file, words, limits)
        found = _trees.read(file, into, instance.encoding)
    learned = learning.conclude(instance, found.checked, test)
    return _result(found, learned, trees, stopped=ended.limit is not None)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    from wcnfgen.commands import encode

    return encode.forwards(options)


def present(result: Searched, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the trees, one after the other, and what is known of them."""
    from wcnfgen.commands import learn as learning

    if as_ == "json" and len(result.trees) > 1:
        out.write(json.dumps(_as_json(result), indent=1) + "\n")
        code = learning.said(result.learned, out, as_=as_)
    else:
        for tree in result.trees[:-1]:
            out.write(tree.render(as_) + "\n")
        code = learning.present(result.learned, out, as_=as_)
    if result.refuted:
        log.warning("%d models of the search do not hold and are left out", result.refuted)
    return 1 if result.refuted else code


def _as_json(result: Searched) -> dict[str, Any]:
    """What is known of the last tree, and all trees, as JSON types."""
    from wcnfgen.commands import learn as learning

    trees = [json.loads(each.render("json")) for each in result.trees]
    return {**learning.known_json(result.learned), "trees": trees}


def _words(method: str, sat: str | None, trees: int, diverse: bool | None) -> list[str]:
    """The search and its options, as words of a command line; none for a solver.  Raises UsageError."""
    if method not in SEARCHES:
        _check_solver(method, sat)
    if trees < 1:
        raise UsageError(f"--trees {trees}: give a number from 1 on")
    if (trees > 1 or diverse is not None) and method not in ("lms", "lazy"):
        raise UsageError("--trees and --diverse go with --method lms or lazy: the others end with one tree")
    if diverse is not None and trees == 1:
        raise UsageError("--diverse goes with --trees 2 or more")
    if method not in SEARCHES:
        return []
    words = ["--sat", sat or "cadical195", *(["--witness"] if method != "descent" else [])]
    if trees > 1:
        words += ["--trees", str(trees), "--no-diverse" if diverse is False else "--diverse"]
    return ["diverse" if method == "lms" and trees > 1 else method, *words]


def _check_solver(method: str, sat: str | None) -> None:
    """Refuse what is no solver, or takes no SAT solver.  Raises UsageError."""
    from wcnfgen import solvers

    if "/" not in method and method not in solvers.names():
        raise UsageError(
            f"--method {method}: there are the searches {', '.join(SEARCHES)}, the solvers "
            f"{', '.join(solvers.names())}, or give the path of a program: ./{method}"
        )
    if sat is not None:
        raise UsageError(f"--sat goes with --method {', '.join(SEARCHES)}, not with a MaxSAT solver")


def _solved(instance: Instance, file: Path, name: str, limits: Limits) -> Checked:
    """Run a solver on the instance, and check its answer."""
    from wcnfgen.commands.verify import check
    from wcnfgen.launch import known, prepared

    solver = known(name)
    instance.write(file, solver.formats[0])
    solved, into = _recorded(file, name, lambda folder: prepared(solver, name, file, folder, limits), limits)
    sys.stderr.write(solved.stderr)
    return check(str(file), str(into), values=solver.values)


def run(file: Path, words: list[str], limits: Limits) -> tuple[Run, Path]:
    """Run a search on an instance, in a process of its own: a SAT solver cannot be interrupted otherwise.

    Returns the run and its log, which is left beside the instance, as is the record.  Raises SolverError
    where the search fails, KeyboardInterrupt where the user stopped it.
    """
    from wcnfgen import __version__
    from wcnfgen.runs import Start

    name, *rest = words
    command = (sys.executable, "-m", f"wcnfgen.searches.{name}", str(file.absolute()), *rest)
    solved, into = _recorded(file, name, lambda _: Start(command, name, f"wcnfgen {__version__}"), limits)
    if solved.run.exit_code in (1, 2):
        (*_, why) = solved.stderr.splitlines() or ["it does not say why"]
        raise SolverError(f"the search failed: {why.removeprefix('wcnfgen: error: ')}")
    sys.stderr.write(solved.stderr)
    return solved.run, into


def _recorded(file: Path, name: str, start: Callable[[Path], Start], limits: Limits) -> tuple[Solved, Path]:
    """Run a command, each improvement a note of one line; returns where its log is, too."""
    from wcnfgen.files import safe, unused
    from wcnfgen.runs import recorded

    def tell(seconds: float, cost: int) -> None:
        log.info("%.2f s: cost %d", seconds, cost)

    into = unused(f"{file}.{safe(Path(name).name)}", ".log.gz")
    solved = recorded(str(file), name, start, limits, log=str(into), on_cost=tell)
    if solved.run.limit == "interrupt":
        raise KeyboardInterrupt
    if solved.run.limit:
        log.info("the search stopped at the %s limit", solved.run.limit)
    return solved, into


def _result(found: Found, learned: Learned, asked: int, *, stopped: bool) -> Searched:
    """All trees that hold, the learned one last; the greedy tree if there is none."""
    from wcnfgen.commands._trees import decoded

    if not learned.by_solver:
        return Searched((learned.decoded,), learned, found.refuted)
    if len(found.trees) < asked:
        which = "trees before the search ended" if stopped else "optimal trees"
        log.info("there are %d %s, %d were asked for", len(found.trees), which, asked)
    others = [tree for tree in found.trees if tree != learned.decoded.tree]
    trees = (*(decoded(learned.prepared, tree) for tree in others), learned.decoded)
    return Searched(trees, learned, found.refuted)
