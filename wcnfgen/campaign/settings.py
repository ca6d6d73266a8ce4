"""What is compared: `campaign.toml` as types.

The file is for people to write::

    instances = ["../mpdt-samples", "mine/*.wcnf.xz"]
    seeds = [1, 2, 3]

    [limits]
    wall = 60

    [[solver]]
    solver = "rc2"

    [[solver]]
    solver = "./my-solver"
    options = ["--fast", "--seed={seed}"]

Limits are the options of ``wcnfgen solve``; ``inf`` is none.  What is not understood is an error: nobody
wants to learn of a misspelt limit after days.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from wcnfgen import drivers
from wcnfgen.campaign import toml
from wcnfgen.drivers import Limits, LineBuffer
from wcnfgen.errors import UsageError
from wcnfgen.files import atomic, safe
from wcnfgen.instances._recipe_options import known, said
from wcnfgen.runs import OUTPUT_MIB

FILE = "campaign.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A solver that takes part.

    name         in tables and files; each has its own
    solver       a name from `wcnfgen solvers`, or ./PATH of a program, relative to campaign.toml
    binary       the program, if it is not where the descriptor looks; a path is relative to campaign.toml
    options      further arguments, before the instance; ``{seed}`` is filled in
    files        other files that it runs, as a script does: they are part of its identity
    line_buffer  see `wcnfgen.drivers`; None: as the descriptor says
    """

    name: str
    solver: str
    binary: str | None = None
    options: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    line_buffer: LineBuffer | None = None

    @property
    def seeded(self) -> bool:
        """Whether it is told the seed."""
        return any("{seed}" in option for option in self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A campaign.

    instances   files, patterns, and folders of families or of files; relative to campaign.toml
    selected    of families, only the instances that were chosen to be submitted
    seeds       each run is made once for each; empty: once, without a seed
    limits      of each run; without cores
    cores       of each run
    order       seed of the order in which runs are made
    attempts    so many times a run is begun that something else than the solver ends
    """

    name: str
    instances: tuple[str, ...]
    solvers: tuple[Entrant, ...]
    limits: Limits
    selected: bool = False
    seeds: tuple[int, ...] = ()
    cores: int = 1
    driver: str = "local"
    order: int = 0
    attempts: int = 3


def folder(campaign: str | os.PathLike[str]) -> Path:
    """The folder of a campaign, which is named by it or by its campaign.toml.  Raises UsageError."""
    path = Path(campaign)
    place = path.parent if path.name == FILE and not path.is_dir() else path
    if not (place / FILE).is_file():
        raise UsageError(f"{place}: no {FILE}: write one, or `wcnfgen compare ... -o {place}` does")
    return place


# ---------------------------------------------------------------------------- reading

Kind = type[str] | type[int] | type[float] | type[bool] | type[list[Any]] | type[dict[str, Any]]
TOP: dict[str, Kind] = {
    "name": str,
    "instances": list,
    "selected": bool,
    "seeds": list,
    "cores": int,
    "driver": str,
    "order": int,
    "attempts": int,
    "limits": dict,
    "solver": list,
}
OF_LIMITS = {
    "wall": "wall_s",
    "cpu": "cpu_s",
    "memory": "memory_mib",
    "memory_hard": "memory_hard_mib",
    "output": "output_mib",
    "grace": "grace_s",
}
OF_SOLVER: dict[str, Kind] = {
    "name": str,
    "solver": str,
    "binary": str,
    "options": list,
    "files": list,
    "line_buffer": str,
}


def read(path: Path) -> Settings:
    """Read campaign.toml.  Raises UsageError with the file and the key."""
    try:
        found = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}: give a campaign in TOML") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: no TOML: {error}") from None
    return parse({"name": safe(path.absolute().parent.name), **found}, f"{path}: ")


def parse(found: Mapping[str, Any], where: str) -> Settings:
    """The settings that a file's keys and values say.  Raises UsageError that begins with where."""
    _typed(found, TOP, where)
    entrants = found.get("solver", [])
    if not all(isinstance(each, dict) for each in entrants):
        raise UsageError(f"{where}solver: give tables [[solver]] with solver = ...")
    for key, number in (("cores", 1), ("attempts", 1), ("order", 0)):
        if found.get(key, number) < number:
            raise UsageError(f"{where}{key} = {found[key]}: give {number} or more")
    known([found.get("driver", "local")], drivers.names(), f"{where}driver: ")
    return Settings(
        name=_named(found["name"], f"{where}name"),
        instances=_texts(found, "instances", where, needed=True),
        solvers=_distinct([_entrant(each, f"{where}[[solver]] ") for each in entrants], where),
        limits=_limits(found.get("limits", {}), f"{where}[limits] "),
        seeds=_seeds(found.get("seeds"), where),
        **{key: found[key] for key in ("selected", "cores", "driver", "order", "attempts") if key in found},
    )


def _typed(found: Mapping[str, Any], kinds: Mapping[str, Kind], where: str) -> None:
    known(found, list(kinds), where)
    for key, value in found.items():
        if type(value) is not kinds[key]:
            raise UsageError(f"{where}{key} = {value!r}: give {said(kinds[key])}")


def _named(name: str, what: str) -> str:
    """A name as file names have it."""
    if not name or safe(name) != name or not name[0].isalnum():
        raise UsageError(
            f"{what} = {name!r}: files are called so: begin with a letter or a digit, "
            "and use only those of ASCII and . _ - (up to 80)"
        )
    return name


def _texts(found: Mapping[str, Any], key: str, where: str, *, needed: bool = False) -> tuple[str, ...]:
    texts = found.get(key, [])
    if needed and not texts:
        raise UsageError(f"{where}{key} is {'empty' if key in found else 'missing'}: give a list of texts")
    if not all(isinstance(each, str) and each and "\0" not in each for each in texts):
        raise UsageError(f"{where}{key} = {texts!r}: give a list of texts")
    return tuple(texts)


def _entrant(found: Mapping[str, Any], where: str) -> Entrant:
    _typed(found, OF_SOLVER, where)
    if not found.get("solver"):
        raise UsageError(f"{where}solver is missing: give a name from `wcnfgen solvers`, or ./PATH")
    solver = found["solver"]
    buffer = found.get("line_buffer")
    if buffer is not None:
        known([buffer], get_args(LineBuffer), f"{where}line_buffer: ")
    return Entrant(
        name=_named(found.get("name", safe(Path(solver).name)), f"{where}name"),
        solver=solver,
        binary=found.get("binary"),
        options=_texts(found, "options", where),
        files=_texts(found, "files", where),
        line_buffer=buffer,
    )


def _distinct(entrants: Sequence[Entrant], where: str) -> tuple[Entrant, ...]:
    if not entrants:
        raise UsageError(f"{where}no solver: add a table [[solver]] with solver = ... for each")
    names = [each.name for each in entrants]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{where}[[solver]] name = {name!r}: there are two: give each a name of its own")
    return tuple(entrants)


def _limits(found: Mapping[str, Any], where: str) -> Limits:
    known(found, list(OF_LIMITS), where)
    for key, value in found.items():
        if type(value) not in (int, float) or math.isnan(value):
            raise UsageError(f"{where}{key} = {value!r}: give {said(float)}, or inf for none")
    given = {OF_LIMITS[key]: float(value) if value < math.inf else None for key, value in found.items()}
    if "grace_s" in given and given["grace_s"] is None:
        raise UsageError(f"{where}grace = inf: give a number of seconds")
    try:
        return Limits(**{"output_mib": OUTPUT_MIB, **given})  # type: ignore[arg-type]  # grace_s is no None
    except UsageError as error:
        raise UsageError(f"{where}{error}") from None


def _seeds(found: list[Any] | None, where: str) -> tuple[int, ...]:
    if found is None:
        return ()
    if not found or not all(type(each) is int and each >= 0 for each in found):
        raise UsageError(f"{where}seeds = {found!r}: give whole numbers, as in [1, 2, 3], or leave it out")
    if len(set(found)) < len(found):
        raise UsageError(f"{where}seeds = {found!r}: a number is there twice")
    return tuple(found)


# ---------------------------------------------------------------------------- writing


def to_fields(settings: Settings) -> dict[str, Any]:
    """Keys and values as the file has them; what is as usual is left out."""
    return {
        "name": settings.name,
        "instances": list(settings.instances),
        **({"selected": True} if settings.selected else {}),
        **({"seeds": list(settings.seeds)} if settings.seeds else {}),
        "cores": settings.cores,
        "driver": settings.driver,
        "order": settings.order,
        "attempts": settings.attempts,
        "limits": dict(_of_limits(settings.limits)),
        "solver": [_of_entrant(each) for each in settings.solvers],
    }


def _of_limits(limits: Limits) -> Iterator[tuple[str, float]]:
    for key, name in OF_LIMITS.items():
        value = getattr(limits, name)
        if value is not None:
            yield key, value
        elif key == "output":
            yield key, math.inf


def _of_entrant(entrant: Entrant) -> dict[str, Any]:
    found = {key: getattr(entrant, key) for key in OF_SOLVER}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items() if value}


COMMENTS = {
    "instances": "files, patterns, folders of families or of files; relative to this file",
    "selected": "of families, only the instances chosen to be submitted",
    "seeds": "each run once for each; fills in {seed} in options",
    "cores": "of each run",
    "driver": "what runs the solvers: see `wcnfgen solve --help`",
    "order": "seed of the order of runs",
    "attempts": "for a run that something else than the solver ends",
    "limits": "of each run",
    "wall": "seconds",
    "cpu": "seconds, of all processes",
    "memory": "MiB",
    "memory_hard": "MiB; killed at once",
    "output": "MiB",
    "grace": "seconds between SIGTERM and SIGKILL",
}


def write(settings: Settings, path: Path) -> None:
    """Write campaign.toml; `read` gives the same settings back.  Raises UsageError as `toml.encoded`."""
    head = "# What is compared: `wcnfgen campaign plan` reads this, `wcnfgen campaign run` runs it."
    text = toml.encoded((head, *toml.lines(to_fields(settings), COMMENTS)))
    with atomic(path) as out:
        out.write(text)
