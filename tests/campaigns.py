"""Campaigns for tests that nobody has run.

What a solver would have printed and when becomes a record, a log and a verdict; or results come from a
seed, as `campaign collect` would write them.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from wcnfgen import judged, record
from wcnfgen.campaign import instances, results, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result
from wcnfgen.drivers import Limits, Run
from wcnfgen.files import sha256
from wcnfgen.judged import Judged
from wcnfgen.output import Parser
from wcnfgen.record import Record

INSTANCE = Instance(
    name="mpdt-zoo-p20-s1",
    path="../instances/mpdt-zoo-p20-s1.wcnf.xz",
    sha256="0" * 64,
    formula_sha256="1" * 64,
    family="mpdt-samples",
    format="wcnf",
    variables=100,
    hard=1000,
    soft=10,
    weight_sum=10,
    weighted=False,
    encoding="size",
    data="zoo",
    parameters={"percent": 20, "sample": 1},
    least_cost=1,
    known_cost=9,
)
RESULT = Result(
    key="2" * 64,
    instance="mpdt-zoo-p20-s1",
    solver="rc2",
    version="python-sat 1.9",
    seed=None,
    ended="exit 0",
    wall_s=2.5,
    cpu_s=2.4,
    peak_mib=50.0,
    threads=1,
    cores=1,
    wall_limit_s=30.0,
    cpu_limit_s=None,
    memory_limit_mib=4000.0,
    status="OPTIMUM FOUND",
    claimed=4,
    bound=4,
    cost=4,
    model_s=2.4,
    late=False,
    trace=((0.5, 8), (1.0, 6), (2.4, 4)),
    live=True,
    size=11,
    depth=4,
    right=20,
    rows=20,
    findings=(),
    notes=(),
)


def made(
    folder: Path, *, number: int = 40, solvers: tuple[str, ...] = ("exact", "anytime", "weak"), seed: int = 1
) -> Path:
    """Write results.csv and instances.csv of so many instances into a folder; they hang together."""
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(seed)
    each = list(_instances(number, random))
    tables.write(each, Instance, folder / instances.FILE)
    tables.write(
        (_result(one, solver, place, random) for one in each for place, solver in enumerate(solvers)),
        Result,
        folder / results.FILE,
    )
    return folder


def digest(text: str) -> str:
    """Something that looks like a hash."""
    return hashlib.sha256(text.encode()).hexdigest()


def _instances(number: int, random: Random) -> Iterator[Instance]:
    for place in range(number):
        family = ("mpdt-samples", "dtmax")[place % 2]
        data = random.choice(["zoo", "iris", "haberman", "mux6"])
        percent = random.choice([20, 40, 60, 80])
        name = f"{family}-{data}-p{percent}-n{place:05}"
        yield replace(
            INSTANCE,
            name=name,
            path=f"../{family}/instances/{name}.wcnf.xz",
            sha256=digest(name),
            formula_sha256=digest(name + "f"),
            family=family,
            weighted=family == "dtmax",
            encoding={"mpdt-samples": "size", "dtmax": "depth"}[family],
            data=data,
            parameters={"percent": percent, "sample": place},
            weight_sum=random.randrange(20, 200),
            least_cost=random.choice([None, 1, 2]),
            known_cost=random.choice([None, 25, 30]),
        )


def _result(instance: Instance, solver: str, strength: int, random: Random) -> Result:
    """Strong solvers come first: they get lower, and sooner."""
    optimum = 3 + int(instance.sha256[:2], 16) % 10
    base = replace(
        RESULT,
        instance=instance.name,
        solver=solver,
        key=digest(instance.name + solver),
        version=f"{solver} 1.0",
    )
    luck = random.random()
    if luck < 0.1:
        return replace(
            base,
            ended=random.choice(["SIGSEGV", "memory limit"]),
            wall_s=random.uniform(0.1, 30),
            status="",
            claimed=None,
            bound=None,
            cost=None,
            model_s=None,
            size=None,
            depth=None,
            right=None,
            rows=None,
            trace=(),
        )
    gap = 0 if luck > 0.3 + 0.2 * strength else random.randrange(1, 6)
    last = optimum + gap
    count = random.randrange(1, 6)
    times = sorted(random.uniform(0.01, 29) for _ in range(count))
    trace = tuple((at, last + count - 1 - place) for place, at in enumerate(times))
    proved = gap == 0 and random.random() < 0.7
    wall = times[-1] + random.uniform(0, 0.9) if proved else 30.01
    return replace(
        base,
        ended="exit 30" if proved else "wall limit",
        status="OPTIMUM FOUND" if proved else "SATISFIABLE",
        claimed=last,
        bound=optimum if proved else None,
        cost=last,
        model_s=times[-1],
        trace=trace,
        wall_s=wall,
        cpu_s=wall * 0.98,
        size=2 * last + 3,
    )


# ---------------------------------------------------------------------------- runs

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

    @property
    def log(self) -> Path:
        return self.folder / "log.gz"

    def run(self, *printed: tuple[float, str], **how: Any) -> tuple[Record, Judged]:
        """The record of a run, and the truth about it."""
        if not self.instance.exists():
            self.instance.write_text(COSTLY)
        write_log(self.log, printed)
        return recorded(self.instance, printed, **how), judged.judge(self.instance, self.log, "bits")


def write_log(target: Path, printed: Printed) -> None:
    """What a solver printed."""
    target.write_bytes(gzip.compress("".join(text for _, text in printed).encode(), 1))
