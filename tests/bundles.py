"""Small families, made by hand: what `wcnfgen family` and `wcnfgen calibrate` leave in a folder."""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import wcnfgen
from wcnfgen import record as records
from wcnfgen.bundle import manifest, models, selection
from wcnfgen.bundle.folder import About, Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.selection import Choice
from wcnfgen.drivers import Limits, Run
from wcnfgen.instances import Family, rules

FAMILY = Family(
    title="Smallest decision trees of small tables",
    domain="Find a smallest tree that fits every row.\n\nSuch trees explain decisions: 100 % of them, A&B.",
    papers=("alos2023", "narodytska2018"),
    naming="<data set>-ub<upper bound>, such as weather-ub15",
    parameters={"data": "the data set", "ub": "the upper bound on nodes"},
)
ABOUT = About(
    name="small",
    family=FAMILY,
    wcnfgen="1.2.3",
    command="wcnfgen family small --seed 3",
    authors=("Ada Łovelace; Analytical Engines, St James's Square; ada@example.org",),
)


def small(path: Path, about: About = ABOUT) -> Folder:
    """A family of two data sets and three instances, one of them left out; nobody has tried them."""
    folder = Folder(path)
    for each in (folder.instances, folder.models, folder.data):
        each.mkdir(parents=True)
    rows = [instance(folder, "weather", 15), instance(folder, "lenses", 21), too_large("mux11", 4095)]
    about.write(folder.about)
    manifest.write(rows, folder.manifest)
    return folder


def instance(folder: Folder, name: str, ub: int) -> Row:
    """Generate, encode and write one, with the model of its greedy tree."""
    data = folder.data / f"{name}.csv"
    with data.open("w") as out:
        rules.write_csv(out, rules.generate(name))
    made = wcnfgen.encode(data, ub=ub)
    file = folder.instances / f"{name}-ub{ub}.wcnf.xz"
    made.write(file)
    formula = hashlib.sha256(lzma.decompress(file.read_bytes())).hexdigest()
    assert made.witness is not None
    cost, model = made.encoding.cost(made.witness), made.encoding.model(made.witness)
    target = models.place(folder.models, f"{name}-ub{ub}")
    models.write(target, model, cost, by="wcnfgen", sha256=formula, proved=False)
    return Row(
        name=f"{name}-ub{ub}",
        status="written",
        file=f"instances/{file.name}",
        sha256=formula,
        file_sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
        encoding="size",
        format="wcnf",
        options=made.encoding.options,
        data=name,
        source=f"rule:{name}",
        data_sha256=made.prepared.sha256,
        command=made.command,
        parameters={"data": name, "ub": ub},
        variables=made.counts.variables,
        hard=made.counts.hard,
        soft=made.counts.soft,
        bytes=len(lzma.decompress(file.read_bytes())),
        nonzero="bound",
        witness_cost=cost,
        best_cost=cost,
        best_by="wcnfgen",
        proved=False,
    )


def too_large(name: str, ub: int) -> Row:
    """One that was not written."""
    why = f"about {ub} MB, more than --max-mb 500"
    parameters: Mapping[str, str | int] = {"data": name, "ub": ub}
    return Row(name=f"{name}-ub{ub}", status="left out", why=why, data=name, parameters=parameters)


def calibrated(folder: Folder, chosen: Sequence[str] | None = None) -> None:
    """Tried by two solvers: the first row is easy, the second untouched; with or without a choice."""
    first, second, *rest = manifest.read(folder.manifest)
    first = replace(
        first,
        difficulty="easy",
        proved=True,
        proved_by="rc2",
        seconds={"rc2": 1.5, "clasp": None},
        ended={"rc2": "OPTIMUM FOUND", "clasp": "wall"},
    )
    second = replace(
        second,
        difficulty="untouched",
        seconds={"rc2": None, "clasp": None},
        ended={"rc2": "wall", "clasp": "memory"},
    )
    manifest.write([first, second, *rest], folder.manifest)
    if chosen is not None:
        choose(folder, chosen)


def choose(folder: Folder, chosen: Sequence[str], among: Sequence[str] | None = None) -> None:
    """A selection; it names all instances that were written where nothing else is said."""
    rows = manifest.read(folder.manifest)
    names = [row.name for row in rows if row.written] if among is None else among
    choices = [Choice(name, name in chosen, "", "spread") for name in names]
    selection.write(choices, folder.selection)


def record(folder: Folder, solver: str, name: str, **limits: float) -> None:
    """The record of a run, as far as its limits go."""
    run = Run(
        command=("solver",),
        exit_code=0,
        limit=None,
        wall_s=1.5,
        cpu_s=1.5,
        peak_mib=10,
        signalled_s=None,
        killed=False,
        output_bytes=0,
        stdout=None,
        stderr=None,
    )
    kept = records.Record(
        wcnfgen="1.2.3",
        instance=name,
        instance_sha256="",
        changes=(),
        solver=solver,
        version="1.9_dev",
        driver="local",
        limits=Limits(**limits),  # type: ignore[arg-type]
        run=run,
        trace=(),
        live=True,
        machine=records.machine(),
    )
    target = folder.runs / solver / f"{name}.run.json"
    target.parent.mkdir(parents=True)
    records.write(kept, target)


def many(path: Path, sets: int, each: int, about: About = ABOUT) -> Folder:
    """A large family, tried by three solvers, as far as a description looks: there are no files."""
    folder = Folder(path)
    folder.models.mkdir(parents=True)
    classes = ("trivial", "easy", "medium", "hard", "untouched")
    rows = []
    for s in range(sets):
        for n in range(each):
            size = 10 ** (2 + 4 * s / sets) * (n + 1)
            difficulty = classes[(s * 5 // sets + n % 2) % 5]
            found = n + s / 7 if difficulty != "untouched" else None
            name = f"data-set-number-{s}"
            rows.append(
                Row(
                    name=f"{name}-p{40 + n}-ub{2 * n + 3}",
                    status="written",
                    file=f"instances/{name}-p{40 + n}-ub{2 * n + 3}.wcnf.xz",
                    encoding="size",
                    format="wcnf",
                    data=name,
                    source="file",
                    data_sha256=hashlib.sha256(name.encode()).hexdigest(),
                    command=f"wcnfgen encode {name}.csv --sample 0.{n + 1} --ub {2 * n + 3}",
                    parameters={"data": name, "percent": 40 + n, "seed": n},
                    variables=int(size),
                    hard=int(size * 13),
                    soft=n + 3,
                    bytes=int(size * 400),
                    nonzero="bound",
                    witness_cost=9,
                    best_cost=7,
                    best_by="uwrmaxsat",
                    proved=found is not None,
                    proved_by="" if found is None else "rc2",
                    difficulty=difficulty,  # type: ignore[arg-type]
                    seconds={"rc2": found, "clasp": found and found * 3, "uwrmaxsat_hermax": found},
                    ended={"rc2": "OPTIMUM FOUND", "clasp": "wall", "uwrmaxsat_hermax": "OPTIMUM FOUND"},
                )
            )
    about.write(folder.about)
    manifest.write(rows, folder.manifest)
    return folder
