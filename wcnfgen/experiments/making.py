"""Makes an experiment: each stage's steps that are not done yet, and then what they found.

Here, steps are processes, as many at a time as there are cores; when we are stopped they get SIGTERM, and
stop their solvers.  With Dask they are tasks of its workers, with Slurm those of an array, and campaigns
among them go through the same engine.  Whatever stops us, the same command goes on.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap

from wcnfgen import drawing, record
from wcnfgen.errors import UsageError
from wcnfgen.experiments import Recipe, findings, stepping, there
from wcnfgen.experiments.findings import Findings
from wcnfgen.experiments.stepping import Process
from wcnfgen.experiments.work import Step, Work
from wcnfgen.report import tables
from wcnfgen.report.summary import Summary
from wcnfgen.words import count, span
from wcnfgen.workers.cores import usable

log = logging.getLogger("wcnfgen")

LINES = "commands.txt"
LOCK = ".reproduce.lock"
EVERY_S = 30.0  # between two lines that say how far we are


@dataclass(frozen=True, slots=True)
class Made:
    """What was found, as tables; None where steps are left to others: another shard, or a queue."""

    folder: Path
    summary: Summary | None
    found: Findings | None
    waiting: str = ""

    def lines(self) -> Iterator[str]:
        """What is printed."""
        if self.summary is None or self.found is None:
            yield f"{self.waiting}; when they are done give the same command again"
            return
        yield from tables.text(self.summary)
        for each in self.found.remarks:
            yield from ("", *wrap(each, tables.WIDTH))


def lock(work: Work) -> Path:
    """The file that says that somebody is at work; the folder is made."""
    work.folder.mkdir(parents=True, exist_ok=True)
    return work.folder / LOCK


def make(recipe: Recipe, work: Work, last: int | None = None) -> Made:
    """All that is not done, up to stage number `last`, and the findings.

    Raises UsageError, WcnfgenError where a step fails.
    """
    _check(recipe)
    lines: list[tuple[str, Sequence[str]]] = []
    for number, steps in enumerate(recipe.stages(work), 1):
        _check_outputs(steps)
        lines += [(step.output, step.words) for step in steps]
        _write_lines(work, lines, whole=False)
        todo = {place: step for place, step in enumerate(steps) if not work.is_done(step)}
        said = _stage(work, number, todo, len(steps))
        left = [step for step in todo.values() if not work.is_done(step)]
        if left or number == last:
            said = said or f"{count(len(left), 'step')} left to others"
            return Made(work.folder, None, None, f"stage {number}: {said}")
    _write_lines(work, lines, whole=True)
    found = recipe.findings(work)
    return Made(work.folder, _written(recipe, work, found), found)


def _write_lines(work: Work, lines: Sequence[tuple[str, Sequence[str]]], *, whole: bool) -> None:
    """What is asked for; until that is the whole of it, a file that goes on like this one stays."""
    text = "".join(f"{line}\n" for line in findings.command_lines(lines)).encode()
    there = work.folder / LINES
    if whole or not (there.is_file() and there.read_bytes().startswith(text)):
        work.write(LINES, text)


def _check(recipe: Recipe) -> None:
    """Everything that the experiment needs is there."""
    absent = [name for name in recipe.EXPERIMENT.needs if not there(name)]
    if absent:
        raise UsageError(f"{', '.join(absent)}: not installed; `pip install 'wcnfgen[learn,peers,plots]'`")


def _check_outputs(steps: Sequence[Step]) -> None:
    doubled = len(steps) - len({step.output for step in steps})
    assert not doubled, f"{doubled} steps of a stage have the output of another"


def _written(recipe: Recipe, work: Work, found: Findings) -> Summary:
    """The files that say what was found."""
    made = findings.summary(recipe.EXPERIMENT, work, found, _machine())
    work.write(f"{work.name}.md", findings.markdown(made, found.remarks).encode())
    work.write(f"{work.name}.json", findings.document(made, found).encode())
    for each in made.tables:
        if each.name != findings.CLAIMS:
            work.write(f"{work.name}.{each.name}.csv", tables.to_csv(each).encode())
    if hasattr(recipe, "pictures") and drawing.installed():
        for name, content in recipe.pictures(found):
            work.write(f"{work.name}.{name}", content)
    return made


def _machine() -> tuple[tuple[str, str], ...]:
    """What times depend on."""
    return (("machine", f"{record.machine().cpu}, {count(len(usable()), 'core')}"),)


# ---------------------------------------------------------------------------- a stage


def _stage(work: Work, number: int, todo: Mapping[int, Step], of_all: int) -> str:
    """Make the steps of our shard; what is to be said of those that others make.

    todo has those that are not done, by their place among all of the stage.
    """
    at, of = work.shard
    mine = [step for place, step in todo.items() if place % of == at - 1]
    if not mine:
        return ""
    there = of_all - len(mine)
    log.info("stage %d: %s to make%s", number, count(len(mine), "step"), f", {there} are there" * (there > 0))
    if work.engine == "local" or _is_campaign(mine):
        _here(work, mine)
        return ""
    from wcnfgen.experiments import farming

    return farming.give(work, number, mine)


def _is_campaign(steps: Sequence[Step]) -> bool:
    """Whether the steps see themselves to where they are made."""
    return all(step.words[0] == "compare" for step in steps)


def _here(work: Work, todo: Sequence[Step]) -> None:
    """As processes of this machine."""
    crew = _Crew(work, len(todo))
    with ThreadPoolExecutor(work.jobs or len(usable())) as pool:
        try:
            made = [pool.submit(crew.perform, step) for step in todo]
            for each in wait(made, return_when=FIRST_EXCEPTION).done:
                each.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            crew.stop()
            raise


@dataclass
class _Crew:
    """The processes at work."""

    work: Work
    number: int
    began: float = field(default_factory=time.monotonic)
    said: float = field(default_factory=time.monotonic)
    done: int = 0
    stopping: bool = False
    running: set[Process] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def stop(self) -> None:
        """Have all processes stop."""
        with self.lock:
            self.stopping = True
            for each in self.running:
                each.terminate()

    def perform(self, step: Step) -> None:
        """One step, unless we are stopping."""
        if not self.stopping:
            stepping.make(self.work, step, self._wait)
            self._say()

    def _wait(self, process: Process) -> int:
        """The exit code of one of us."""
        with self.lock:
            self.running.add(process)
            if self.stopping:
                process.terminate()
        code = process.wait()
        with self.lock:
            self.running.remove(process)
        return code

    def _say(self) -> None:
        """How far we are, now and then."""
        with self.lock:
            self.done += 1
            now = time.monotonic()
            if now - self.said < EVERY_S or self.done == self.number:
                return
            self.said = now
            left = (now - self.began) / self.done * (self.number - self.done)
            log.info("%d of %d; about %s left", self.done, self.number, span(left))
