"""Runs that nobody made: what a solver would have printed and when becomes a record and a verdict."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wcnfgen import judged, record
from wcnfgen.drivers import Limits, Run
from wcnfgen.files import sha256
from wcnfgen.judged import Judged
from wcnfgen.output import Parser
from wcnfgen.record import Record

N = 8
COSTLY = "h 1 2 0\n" + "".join(f"1 -{x} 0\n" for x in range(1, N + 1))  # a model costs what is true in it
WALL_S = 10.0
RUN = Run(
    command=("solver", "x.wcnf"),
    exit_code=10,
    limit=None,
    wall_s=9.0,
    cpu_s=8.0,
    peak_mib=12.5,
    signalled_s=None,
    killed=False,
    output_bytes=0,
    stdout=None,
    stderr=None,
    threads=1,
)
AT_THE_LIMIT = {"limit": "wall", "signalled_s": WALL_S, "wall_s": 11.0}
Printed = Iterable[tuple[float, str]]


def v(cost: int) -> str:
    """A line with a model of that cost."""
    return f"v {' '.join(str(x if x <= cost else -x) for x in range(1, N + 1))} 0\n"


def recorded(instance: Path, printed: Printed, limits: Limits | None = None, **run: Any) -> Record:
    """The record of a run that printed these texts at these seconds."""
    parser = Parser()
    for seconds, text in printed:
        parser.feed(seconds, text.encode())
    answer = parser.answer()
    trace = tuple((seconds or 0.0, cost) for seconds, cost in answer.costs)
    how = replace(RUN, **run)
    return Record(
        wcnfgen="1.2.3",
        instance=instance.name,
        instance_sha256=sha256(instance),
        changes=(),
        solver="solver",
        version="solver 1.0",
        driver="local",
        limits=limits or Limits(wall_s=WALL_S, memory_mib=4000.0),
        run=how,
        trace=trace,
        live=record.is_live(trace, how.wall_s),
        machine=record.Machine(cpu="CPU", cores=2, memory_mib=8000, kernel="Linux", python="3.11"),
        model_s=answer.model_s,
    )


@dataclass(frozen=True)
class Desk:
    """An instance, and a place for logs."""

    folder: Path

    @property
    def instance(self) -> Path:
        return self.folder / "costly.wcnf"

    def run(self, *printed: tuple[float, str], **how: Any) -> tuple[Record, Judged]:
        """The record of a run, and the truth about it."""
        if not self.instance.exists():
            self.instance.write_text(COSTLY)
        log = self.folder / "log.gz"
        write_log(log, printed)
        return recorded(self.instance, printed, **how), judged.judge(self.instance, log, "bits")


def write_log(target: Path, printed: Printed) -> None:
    """What a solver printed."""
    target.write_bytes(gzip.compress("".join(text for _, text in printed).encode(), 1))
