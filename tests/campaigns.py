"""Campaigns for tests that nobody has run: results as `campaign collect` would write them, from a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from wcnfgen.campaign import instances, results, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import Result

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
