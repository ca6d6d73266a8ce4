"""``wcnfgen reproduce``: a table of the papers again, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from wcnfgen.commands._shown import say
from wcnfgen.errors import UsageError
from wcnfgen.experiments import Scale

if TYPE_CHECKING:
    from wcnfgen.experiments.making import Made


@dataclass(frozen=True, slots=True)
class Known:
    """The experiments there are: name, title and source of each."""

    experiments: tuple[tuple[str, str, str], ...]

    def lines(self) -> Iterator[str]:
        """What is printed."""
        width = max(len(name) for name, _, _ in self.experiments)
        for name, title, source in self.experiments:
            yield f"{name:<{width}}  {title} ({source})"


def reproduce(
    table: str = "",
    *,
    scale: Scale = "small",
    data: Sequence[str] = (),
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    shard: str = "1/1",
    stage: int | None = None,
    output: str | None = None,
) -> Made | Known:
    """Do an experiment of the papers again, and put our figures beside theirs; without a name, list them.

    Leaves in the folder what each command printed, TABLE.md with the tables, which claims held, and what
    explains the deviations, the same as TABLE.json and CSV, and commands.txt, the lines that do it by hand.
    Stopped at any moment, the same command goes on.

    examples:
      wcnfgen reproduce                                         which there are
      wcnfgen reproduce narodytska-4 --scale tiny -o tiny

    table: an experiment, as narodytska-4
    scale: tiny (seconds, on data that is here), small (two cores, up to an hour) or paper (the authors'
        protocol, for a cluster)
    data: a folder with the papers' data sets, as for `wcnfgen family` (repeat for more)
    jobs: steps at a time; default: as many as there are cores
    engine: where steps and the runs of solvers are made: local, dask, or slurm, which returns at once
    address: where the engine is reached, if it is a service
    shard: of N equal parts of the steps the I-th, as I/N: several machines can work in one folder
    stage: stop after this stage
    output: the folder

    Raises UsageError, WcnfgenError where a step fails.
    """
    from wcnfgen import experiments, lock
    from wcnfgen.campaign import engines, running
    from wcnfgen.experiments import making
    from wcnfgen.experiments.work import Work
    from wcnfgen.signatures import check_choices

    if not table:
        return Known(tuple(_line(name) for name in experiments.names()))
    check_choices(reproduce, {"scale": scale})
    recipe = experiments.get(table)
    if output is None:
        raise UsageError("where to? Give -o FOLDER")
    engines.is_queue(engine)  # there is such an engine
    folders = tuple(Path(each) for each in data)
    for each in folders:
        if not each.is_dir():
            raise UsageError(f"--data {each}: no folder")
    part = running.parse_shard(shard)
    is_shared = part[1] > 1 or engine != "local"
    work = Work(table, Path(output), scale, folders, jobs, engine, address, part)
    with lock.held(making.lock(work), f"wcnfgen reproduce {table} -o {output}", shared=is_shared):
        return making.make(recipe, work, stage)


def _line(name: str) -> tuple[str, str, str]:
    from wcnfgen import experiments

    about = experiments.get(name).EXPERIMENT
    return name, about.title, about.source


def present(result: Made | Known, out: TextIO) -> int:
    """Print the tables, or the list."""
    say(out, result.lines())
    return 0
