"""A folder in which an experiment is made: its data, its steps, and what they have left.

All that a step is given are words, with files named from the folder; so the same folder means the same on
another machine.  A step is done if its record says that the same words, on the same files, ended: the record
is written last.  Change a recipe, a file or the version of wcnfgen, and what depends on it is made again,
nothing else.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wcnfgen import __version__
from wcnfgen.errors import WcnfgenError
from wcnfgen.experiments import Scale
from wcnfgen.files import atomic, sha256

DATA = "data"  # the folder of data sets, copied
MADE = ("-o", "--output", "--keep")  # what follows is made by a step


@dataclass(frozen=True, slots=True)
class Step:
    """One line for the command line.

    output  the file, from the folder, that takes standard output; what goes to standard error is in
            `output`.log and how it went in `output`.step
    words   the words after ``wcnfgen``
    codes   exit codes that are a result; 1 where a limit may be reached without a tree
    where   further words that say on which machines, which changes no result
    """

    output: str
    words: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The record of a step: what was run on which files (SHA-256), how it ended, and in which wall time."""

    words: tuple[str, ...]
    inputs: dict[str, str]
    version: str
    code: int
    seconds: float


@dataclass(frozen=True, slots=True)
class DataSet:
    """A paper's data set in the folder: its name, its file and the words that its preparation needs."""

    name: str
    file: str
    options: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """File and options, as a command takes them."""
        return (self.file, *self.options)


@dataclass(frozen=True, slots=True)
class Work:
    """Where an experiment is made, and how.

    name     of the experiment
    data     folders in which data sets are looked for
    jobs     steps at a time; None: as many as there are cores
    engine   what makes the runs of campaigns: local, dask or slurm; address: where it is reached
    shard    of the steps: (I, N) makes each N-th from the I-th on
    missing  data sets that were asked for and are not there: a line for each
    """

    name: str
    folder: Path
    scale: Scale = "small"
    data: tuple[Path, ...] = ()
    jobs: int | None = None
    engine: str = "local"
    address: str | None = None
    shard: tuple[int, int] = (1, 1)
    missing: dict[str, str] = field(default_factory=dict)

    def pick(self, tiny: Any, small: Any, paper: Any) -> Any:
        """The one of three that goes with the scale."""
        return {"tiny": tiny, "small": small, "paper": paper}[self.scale]

    # ------------------------------------------------------------------------ data

    def sets(self, names: Sequence[str]) -> list[DataSet]:
        """Those of these data sets that are there, copied into the folder; `missing` has the others."""
        return [found for name in names if (found := self._set(name)) is not None]

    def _set(self, name: str) -> DataSet | None:
        from wcnfgen.instances import datasets

        wanted = datasets.get(name)
        if (there := datasets.locate(name, self.data)) is not None:
            return self._data(name, unpacked(there), tuple(_words(wanted.options)))
        if wanted.rule:
            return self.ruled(wanted.rule, name)
        self.missing[name] = datasets.missing_line(name)
        return None

    def ruled(self, rule: str, name: str = "", **options: str) -> DataSet:
        """A data set that a rule generates; its name is the rule's unless another is given."""
        from wcnfgen.instances.rules import get, write_csv

        text = io.StringIO()
        write_csv(text, get(rule).generate(**options))
        return self._data(name or rule, text.getvalue().encode(), ())

    def _data(self, name: str, content: bytes, options: tuple[str, ...]) -> DataSet:
        file = f"{DATA}/{name}.csv"
        self.write(file, content)
        return DataSet(name, file, options)

    # ------------------------------------------------------------------------ files

    def write(self, file: str, content: bytes) -> None:
        """Put a file into the folder, unless it is there as it is."""
        path = self.folder / file
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic(path) as out:
            out.write(content)

    def text(self, file: str) -> str:
        """What a step has printed, or made."""
        return (self.folder / file).read_text("utf-8")

    def json(self, file: str) -> Any:
        """The same as JSON; None if it is empty: the step ended without a result."""
        text = self.text(file)
        return json.loads(text) if text.strip() else None

    def rows(self, file: str) -> list[dict[str, str]]:
        """A CSV file, a dictionary for each line."""
        with (self.folder / file).open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    # ------------------------------------------------------------------------ steps

    def record(self, output: str) -> Done | None:
        """How the step with this output ended; None if it has not."""
        try:
            found = json.loads(self.text(f"{output}.step"))
            return Done(**{**found, "words": tuple(found["words"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def seconds(self, output: str) -> float:
        """The wall time of a step that is done, start of Python included."""
        done = self.record(output)
        if done is None:
            raise WcnfgenError(f"{self.folder / output}: this step is not done")
        return done.seconds

    def is_done(self, step: Step) -> bool:
        """Whether its output is there, from the same words and files."""
        done = self.record(step.output)
        return (
            done is not None
            and (self.folder / step.output).is_file()
            and (done.words, done.version) == (step.words, __version__)
            and done.inputs == self.inputs(step)
        )

    def inputs(self, step: Step) -> dict[str, str]:
        """The files that its words name, with their hashes, but what it makes itself."""
        before = ("", *step.words)
        named = [word for word, option in zip(step.words, before, strict=False) if option not in MADE]
        return {word: sha256(self.folder / word) for word in named if _is_file(self.folder, word)}

    def note(self, step: Step, code: int, seconds: float) -> None:
        """Write down that it has ended."""
        done = Done(step.words, self.inputs(step), __version__, code, round(seconds, 3))
        self.write(f"{step.output}.step", (json.dumps(asdict(done), indent=1) + "\n").encode())

    def compare(
        self, output: str, instances: Sequence[str], solvers: Sequence[str], *, wall: float, memory: float
    ) -> Step:
        """A campaign in the folder `output`/, whose results.csv then says what is true of each run."""
        where: tuple[str, ...] = ("--replace", *(("--engine", self.engine) if self.engine != "local" else ()))
        where += ("--address", self.address) if self.address else ()
        jobs = ("--jobs", str(self.jobs)) if self.jobs and self.engine == "local" else ()
        called = [word for name in solvers for word in ("--solver", name)]
        limits = ("--wall", f"{wall:g}", "--memory", f"{memory:g}")
        words = ("compare", *instances, *called, *limits, "-o", output)
        return Step(f"{output}.txt", words, (0, 1), (*where, *jobs))


def _is_file(folder: Path, word: str) -> bool:
    """Whether a word is a file of the folder: one without a name there, as too long a one, is none."""
    try:
        return not word.startswith("-") and (folder / word).is_file()
    except (OSError, ValueError):
        return False


def unpacked(path: Path) -> bytes:
    """What is in a file, packed or not."""
    from wcnfgen.files import open_read

    with open_read(path) as stream:
        return stream.read()


def _words(options: Mapping[str, Any]) -> Iterator[str]:
    """Options of the library as those of the command line."""
    for name, value in options.items():
        for each in value if isinstance(value, list) else [value]:
            yield from (f"--{name.replace('_', '-')}", str(each))
