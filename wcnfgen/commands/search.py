"""``wcnfgen search``: the papers' own algorithms, from data to verified trees."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.errors import SolverError, UsageError
from wcnfgen.searches import Sat

if TYPE_CHECKING:
    from wcnfgen.commands.decode import Decoded
    from wcnfgen.commands.learn import Learned
    from wcnfgen.drivers import Limits, OnLine
    from wcnfgen.verdict import Checked


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """The trees that were found and hold, all of one cost, and what is known of them.

    learned is about the last tree; without one, it is about the greedy tree.
    """

    trees: tuple[Decoded, ...]
    learned: Learned


def search(
    data: Any,
    *,
    method: Literal["lms", "descent"] = "lms",
    sat: Sat = "cadical195",
    trees: int = 1,
    diverse: bool = True,
    wall: float | None = 300.0,
    memory: float | None = None,
    grace: float = 5.0,
    test: str | None = None,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    keep: str | None = None,
    encoding: str = "size",
    **options: Any,
) -> Searched:
    """Search for smallest trees with a SAT solver: linear MaxSAT, or MinDT's descent.

    Each improvement is a note with its time.  The exit code is 0 if there is a tree and all claims hold.

    data: a CSV file (also .gz, .xz), or - for standard input
    method: lms (Algorithm 1 of MPDT, any encoding) or descent (MinDT's, one formula for each size)
    sat: the SAT solver below
    trees: so many optimal trees (MDSOL, Algorithm 2 of MPDT), or all if there are fewer
    diverse: each further tree differs from those before it as much as can be
    wall: limit on the wall time of the search, in seconds
    memory: limit on its memory, in MiB
    grace: seconds between SIGTERM and SIGKILL
    test: also classify these rows
    as_: how to show the trees
    keep: leave instance and log in this folder
    encoding: which formula; `wcnfgen encodings` lists them
    """
    from wcnfgen import encodings
    from wcnfgen.commands import learn as learning
    from wcnfgen.commands.encode import build, prepare_for, report, split
    from wcnfgen.commands.solve import safe
    from wcnfgen.drivers import Limits
    from wcnfgen.prepare import prepare
    from wcnfgen.signatures import check_choices

    check_choices(search, {"method": method, "sat": sat, "as_": as_})
    words = _words(method, sat, trees, diverse)
    if method == "descent" and (encoding != "size" or options.get("layout") is not None):
        raise UsageError("--method descent is for the encoding size, without --layout")
    limits = Limits(wall_s=wall, memory_mib=memory, grace_s=grace)
    kind = encodings.get(encoding)
    of_data, of_encoding = split(options, prepare, kind.plan)
    prepared = prepare_for(kind, data, of_data, of_encoding)
    if prepared.problem.classes < 2:
        leaf = learning._one_leaf(prepared, test)
        return Searched((leaf.decoded,), leaf)
    instance = build(prepared, encoding, of_encoding, embed_rows=True)
    report(instance)
    with learning._folder(keep) as folder:
        file = Path(folder) / f"{safe(prepared.name)}.wcnf"
        instance.write(file, "wcnf")
        checked = _checked(file, _run(file, words, limits))
    return _result(checked, learning._learned(instance, _worst(checked), test), trees)


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The functions whose options this command has too."""
    from wcnfgen.commands import encode

    return encode.forwards(options)


def present(result: Searched, out: TextIO, *, as_: Any = "text", **options: Any) -> int:
    """Print the trees, one after the other, and what is known of them."""
    from wcnfgen.commands import learn as learning

    for tree in result.trees[:-1]:
        out.write(tree.render(as_) + "\n")
    return learning.present(result.learned, out, as_=as_)


def _words(method: str, sat: str, trees: int, diverse: bool) -> list[str]:
    """The search and its options, as words of a command line.  Raises UsageError."""
    if trees < 1:
        raise UsageError(f"--trees {trees}: give a number from 1 on")
    if method == "descent" and trees > 1:
        raise UsageError("--trees goes with --method lms: the descent ends with one tree")
    if method == "descent":
        return ["descent", "--sat", sat]
    if trees == 1:
        return ["lms", "--sat", sat, "--witness"]
    different = "--diverse" if diverse else "--no-diverse"
    return ["diverse", "--sat", sat, "--witness", "--trees", str(trees), different]


def _run(file: Path, words: list[str], limits: Limits) -> Path:
    """Run the search in a process of its own: a SAT solver cannot be interrupted otherwise."""
    import sys

    from wcnfgen import drivers
    from wcnfgen.commands.solve import _pass_on, unused

    name, *rest = words
    log, errors = (unused(f"{file}.{name}", ending) for ending in (".log", ".err"))
    command = [sys.executable, "-m", f"wcnfgen.searches.{name}", str(file), *rest]
    run = drivers.get("local")(command, limits, stdout=log, stderr=errors, on_line=_tell())
    if run.exit_code in (1, 2):
        (*_, why) = errors.read_text("utf-8", "replace").splitlines() or ["it does not say why"]
        raise SolverError(f"the search failed: {why.removeprefix('wcnfgen: error: ')}")
    _pass_on(errors)
    if run.limit == "interrupt":
        raise KeyboardInterrupt
    if run.limit:
        logging.getLogger("wcnfgen").info("the search stopped at the %s limit", run.limit)
    return log


def _tell() -> OnLine:
    """A note of one line for each improvement."""

    def line(seconds: float, text: bytes) -> None:
        if text.startswith(b"o "):
            logging.getLogger("wcnfgen").info("%.2f s: cost %d", seconds, int(text[2:]))

    return line


def _checked(file: Path, log: Path) -> list[Checked]:
    """A verdict on each model of the log, or on a log without one."""
    from wcnfgen.output import parse
    from wcnfgen.verdict import judge

    lines = log.read_bytes().splitlines(keepends=True)
    models = [line for line in lines if line.startswith(b"v ")]
    claims = [line for line in lines if not line.startswith(b"v ")]
    return [judge(file, parse([*claims, model])) for model in models] or [judge(file, parse(claims))]


def _worst(checked: list[Checked]) -> Checked:
    """The first verdict that is not ok, else the last."""
    return next((each for each in checked if not each.verdict.ok), checked[-1])


def _result(checked: list[Checked], learned: Learned, trees: int) -> Searched:
    """All trees that hold, the learned one last."""
    from wcnfgen.commands.decode import decoded

    good = [each for each in checked if each.verdict.ok and each.verdict.tree is not None]
    if learned.by_solver and len(good) < trees:
        which = "optimal trees" if learned.optimal else "trees before the search ended"
        logging.getLogger("wcnfgen").info("there are %d %s, %d were asked for", len(good), which, trees)
    return Searched((*(decoded(each) for each in good[:-1]), learned.decoded), learned)
