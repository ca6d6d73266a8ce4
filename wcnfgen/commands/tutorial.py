"""``wcnfgen tutorial``: the commands one after the other on a set that comes with them, each explained.

A step is text, command lines as a user types them, and text on what they have printed.  The lines are run by
the program itself in a process of its own, so that what is shown is what they print.  The tests hold each
text in backquotes, and each number, against what was printed.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from wcnfgen.commands._shown import say
from wcnfgen.errors import UsageError, WcnfgenError

WIDTH = 78


@dataclass(frozen=True, slots=True)
class Step:
    """What is said before, the command lines, what is said after; the exit code of the last line."""

    title: str
    before: str
    lines: tuple[str, ...]
    after: str
    exit_code: int = 0


STEPS = (
    Step(
        "The data",
        "Any CSV file will do: one row a line, the class in the last column or in the one named class. Here "
        "we write a set that comes with wcnfgen, fourteen days and whether there was play.",
        ("wcnfgen data weather -o weather.csv", "wcnfgen data weather"),
        "The question is which few questions about `outlook`, `temperature`, `humidity` and `windy` tell a "
        "`yes` from a `no` on all of these days. They make a decision tree, and we want a smallest one.",
    ),
    Step(
        "The formula",
        "`encode` says in propositional logic what a decision tree is and that it gets every row right: the "
        "hard clauses of a MaxSAT formula. Each soft clause asks to do without one more pair of nodes.",
        ("wcnfgen encode weather.csv -o weather.wcnf", "wcnfgen lint weather.wcnf"),
        "`lint` knows the rules of the MaxSAT Evaluation: `nothing to say` means that it takes the file as "
        "it is. The file's comments hold the data and all that is needed to read a solver's answer.",
    ),
    Step(
        "A solver",
        "`solve` runs a solver of the MaxSAT Evaluation under limits. RC2 comes with wcnfgen; `wcnfgen "
        "solvers` lists the others that it knows, and `--solver ./PATH` takes any program.",
        ("wcnfgen solve weather.wcnf --solver rc2 --wall 60 --log weather.log",),
        "It ended by itself, with `exit 0`, long before the limit. The record is a JSON file that says how "
        "the run went: time, memory, and when each better answer came. What the solver claims is in "
        "weather.log, and so far it is only a claim.",
    ),
    Step(
        "The tree",
        "`decode` reads the solver's model back as a tree, in the words of the data.",
        ("wcnfgen decode weather.wcnf weather.log", "wcnfgen decode weather.wcnf weather.log --as rules"),
        "Each line of the tree is an answer to a question; at a leaf stands the class, and how many `rows` "
        "end there. The rules say the same, one for each leaf.",
    ),
    Step(
        "What of it is true",
        "`verify` takes nobody's word: it evaluates every clause of the file, adds up the cost, and "
        "classifies every row with the tree.",
        ("wcnfgen verify weather.wcnf weather.log",),
        "`hard clauses: all hold`, and the tree gets `14 of 14 rows right`. It has `9 nodes`, and no "
        "smaller one exists: `it meets the proved lower bound`, which wcnfgen has proved without the "
        "solver.",
    ),
    Step(
        "What if a solver errs",
        "Suppose that another solver had found, and we had verified, a model of cost 2. Then this solver's "
        "claim that cost 3 is optimal would be wrong. `--known` says so.",
        ("wcnfgen verify weather.wcnf weather.log --known 2",),
        "The line `MISMATCH` says who is wrong and why, and the verdict is `not ok`, with exit code 1. That "
        "is how wcnfgen compares solvers: by what is true of their answers.",
        exit_code=1,
    ),
    Step(
        "All in one go",
        "`learn` does these steps at once. The iris data have numbers in their columns; `--encoding depth "
        "--depth 2` asks for fewest errors within two questions instead of a tree without errors, and "
        "`--sample 0.7` holds rows back to test the tree on.",
        (
            "wcnfgen data iris -o iris.csv",
            "wcnfgen learn iris.csv --encoding depth --depth 2 --sample 0.7 --seed 1",
        ),
        "No tree of `depth 2` does better on the `training` rows: 86 of 105. The line `held out` is what to "
        "expect of it on flowers that it has not seen.",
    ),
    Step(
        "A picture",
        "Every tree can be drawn, for a page or a paper.",
        ("wcnfgen decode weather.wcnf weather.log --as svg -o tree.svg",),
        "Open tree.svg in a browser. `--as dot` and `--as json` are for other programs.",
    ),
)


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was made, and what each of its lines printed, standard error included."""

    step: Step
    printed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tutorial:
    """The steps, made as they are asked for, in a folder."""

    folder: Path

    def steps(self) -> Iterator[Done]:
        """Make one after the other.  Raises WcnfgenError if one does not end as it should."""
        for step in STEPS:
            yield Done(step, tuple(self._printed(step)))

    def _printed(self, step: Step) -> Iterator[str]:
        *_, last = step.lines
        for line in step.lines:
            done = _run(line, self.folder)
            if done.returncode != (step.exit_code if line == last else 0):
                raise WcnfgenError(f"`{line}` ended with exit code {done.returncode}: {done.stdout.strip()}")
            yield done.stdout


def tutorial(*, step: bool = False, output: str | None = None) -> Tutorial:
    """Show the commands on a small data set, one after the other, and explain what they print.

    It takes some seconds, needs nothing else, and leaves its files in a folder to look at.

    examples:
      wcnfgen tutorial
      wcnfgen tutorial --step -o tutorial                       at your own pace

    step: wait for Enter after each step, where there is a terminal
    output: a folder for the files that is new or empty; default: a temporary one

    Raises UsageError if the folder holds something.
    """
    if output is None:
        return Tutorial(Path(tempfile.mkdtemp(prefix="wcnfgen-tutorial-")))
    folder = Path(output)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{output} is there and not empty: give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return Tutorial(folder)


def present(result: Tutorial, out: TextIO, *, step: bool = False) -> int:
    """Print each step as it is made."""
    for number, done in enumerate(result.steps(), 1):
        say(out, _lines(done, f"{number}/{len(STEPS)}"))
        out.flush()
        if step and number < len(STEPS) and not _goes_on(out):
            break
    out.write(f"The files are in {result.folder}\n`wcnfgen --help` lists all commands, each with --help.\n")
    return 0


def _lines(done: Done, number: str) -> Iterator[str]:
    """A step as it is printed."""
    step = done.step
    yield f"== {number} {step.title} " + "=" * (WIDTH - len(f"== {number} {step.title} "))
    yield from ("", *textwrap.wrap(step.before, WIDTH), "")
    for line, printed in zip(step.lines, done.printed, strict=True):
        yield f"$ {line}"
        yield from printed.splitlines()
        yield ""
    yield from (*textwrap.wrap(step.after, WIDTH), "")


def _goes_on(out: TextIO) -> bool:
    """Wait for Enter; False if the user ends it, or the input."""
    if not (sys.stdin and sys.stdin.isatty()):
        return True
    out.write("[Enter goes on, q ends] ")
    out.flush()
    said = sys.stdin.readline()
    return bool(said) and not said.strip().lower().startswith("q")


def _run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line as its user does, with this Python and this wcnfgen."""
    _, *words = shlex.split(line)
    return subprocess.run(
        [sys.executable, "-m", "wcnfgen", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(_paths())},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _paths() -> Sequence[str]:
    """Where the modules are, in the order in which this process finds them."""
    return [str(Path(each).absolute()) for each in sys.path]
