"""``wcnfgen compare``: a campaign in one line, from instances to a report."""

from __future__ import annotations

import glob
import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from wcnfgen.commands._shown import Shown, say
from wcnfgen.errors import UsageError, WcnfgenError

if TYPE_CHECKING:
    from wcnfgen.campaign.settings import Entrant, Settings
    from wcnfgen.commands.report import Reported

log = logging.getLogger("wcnfgen")


@dataclass(frozen=True, slots=True, eq=False)
class Compared(Shown):
    """A campaign: its folder, and what each step came to; report None: it still runs elsewhere."""

    folder: Path
    steps: tuple[Any, ...]
    report: Reported | None


def compare(
    *instances: str,
    solver: Sequence[str] = (),
    wall: float | None = 60.0,
    cpu: float | None = None,
    memory: float | None = None,
    grace: float = 5.0,
    cores: int = 1,
    seed: Sequence[int] = (),
    jobs: int | None = None,
    driver: str = "local",
    engine: str = "local",
    address: str | None = None,
    replace: bool = False,
    output: str | None = None,
) -> Compared:
    """Run solvers on the same instances under the same limits, and report.

    The short form of a campaign: writes campaign.toml into a folder, makes the runs that are not there yet,
    judges them and prints the tables; with the extra `report` there is also report.html.  The same command
    goes on where it was stopped; `wcnfgen campaign` has the single steps, and campaign.toml more settings.

    examples:
      wcnfgen compare x.wcnf --solver rc2 --solver lsu --wall 2 -o race
      wcnfgen compare ttt 'x*.wcnf' --solver lms --wall 1 --memory 4000 --jobs 1 -o more

    instances: files, patterns in quotes, folders of families or of files
    solver: a name from `wcnfgen solvers`, or ./PATH of a program; may be repeated
    wall: limit on wall time of each run, in seconds
    cpu: limit on CPU time of each run, in seconds
    memory: limit on the memory of each run, in MiB
    grace: seconds between SIGTERM and SIGKILL
    cores: cores of each run
    seed: a run for each seed; may be repeated
    jobs: runs at a time, each on cores of its own; default: as many as there are
    driver: what runs the solvers
    engine: where: local, dask, or slurm, which returns at once
    address: where the engine is reached, if it is a service
    replace: replace a campaign.toml that says otherwise; the runs that are there stay
    output: the campaign's folder

    Raises UsageError, SolverError if a solver is not installed; then nothing was run.
    """
    from wcnfgen import campaign
    from wcnfgen.campaign import engines
    from wcnfgen.launch import must_be_there

    if output is None:
        raise UsageError("where to? Give -o FOLDER")
    if not all(instances) or not instances or not solver:
        raise UsageError("give instances, and solvers, such as --solver rc2")
    for each in solver:
        must_be_there(each)
    folder, is_queue = Path(output), engines.is_queue(engine)
    settings = _settings(folder, instances, solver, seed, cores, driver, _limits(wall, cpu, memory, grace))
    is_new = not folder.exists()
    _write(settings, folder, replace=replace)
    try:
        steps: list[Any] = [campaign.plan(output)]
    except WcnfgenError:
        if is_new:
            shutil.rmtree(folder)
        raise
    if is_queue:
        return Compared(folder, (*steps, campaign.submit(output, engine=engine)), None)
    steps += [
        campaign.run(output, engine=engine, jobs=jobs, address=address),
        campaign.collect(output, jobs=jobs),
    ]
    return Compared(folder, tuple(steps), _reported(folder))


def _limits(wall: float | None, cpu: float | None, memory: float | None, grace: float) -> Any:
    from wcnfgen.drivers import Limits
    from wcnfgen.runs import OUTPUT_MIB

    return Limits(wall_s=wall, cpu_s=cpu, memory_mib=memory, grace_s=grace, output_mib=OUTPUT_MIB)


def _settings(
    folder: Path,
    instances: Sequence[str],
    called: Sequence[str],
    seeds: Sequence[int],
    cores: int,
    driver: str,
    limits: Any,
) -> Settings:
    from wcnfgen.campaign import settings
    from wcnfgen.campaign.settings import Settings
    from wcnfgen.files import safe

    made = Settings(
        name=safe(folder.absolute().name).lstrip("._-") or "campaign",
        instances=tuple(_from(folder, each) for each in instances),
        solvers=tuple(map(partial(_entrant, folder), called, _names(called))),
        limits=limits,
        seeds=tuple(seeds),
        cores=cores,
        driver=driver,
    )
    return settings.parse(settings.to_fields(made), "")  # with the checks that a file has


def _entrant(folder: Path, called: str, name: str) -> Entrant:
    from wcnfgen.campaign.settings import Entrant

    path = _from(folder, called) if "/" in called else called
    return Entrant(name=name, solver=path if path == called else f"./{path}")


def _names(called: Sequence[str]) -> list[str]:
    """Names for solvers; of those that are called the same, ./old/mine and ./new/mine, with their folders."""
    from wcnfgen.files import safe

    paths = [Path(each).absolute() if "/" in each else Path(each) for each in called]
    plain = [each.name for each in paths]
    long = [f"{each.parent.name}-{each.name}" if each.is_absolute() else each.name for each in paths]
    chosen = (b if plain.count(a) > 1 else a for a, b in zip(plain, long, strict=True))
    return [safe(each).lstrip("._-") for each in chosen]


def _from(folder: Path, path: str) -> str:
    """A path or pattern that the user named, as it is seen from the campaign's folder, wherever that is."""
    from wcnfgen.files import real

    if Path(path).is_absolute():
        return path
    if Path(path).exists() or glob.escape(path) == path:
        return os.path.relpath(path, real(folder))
    here = os.path.relpath(os.curdir, real(folder))
    return str(Path(glob.escape(here)) / path)


def _write(settings: Settings, folder: Path, *, replace: bool) -> None:
    """Write campaign.toml, unless there is another."""
    from wcnfgen.campaign import settings as files

    target = folder / files.FILE
    if target.exists() and files.read(target) == settings:
        return
    if target.exists() and not replace:
        raise UsageError(
            f"{target} says otherwise: edit it and `wcnfgen campaign run {folder}`, "
            "give --replace, or name another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    files.write(settings, target)


def _reported(folder: Path) -> Any:
    """The report, and the page where its library is there."""
    from wcnfgen.commands.report import report

    page = os.fspath(folder / "report.html") if find_spec("plotly") else None
    if page is None:
        log.info("no report.html: plotly is not installed (`pip install 'wcnfgen[report]'`)")
    return report(os.fspath(folder), html=page)


def present(result: Compared, out: TextIO) -> int:
    """Print what each step says, and the report."""
    from wcnfgen.commands import report

    for step in result.steps:
        say(out, step.lines())
    codes = [int(step.exit_code) for step in result.steps]
    if result.report is not None:
        out.write("\n")
        codes.append(report.present(result.report, out))
    return max(codes)
