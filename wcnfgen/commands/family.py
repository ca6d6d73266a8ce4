"""``wcnfgen family``: a benchmark family, ready to be submitted."""

from __future__ import annotations

import logging
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import Shown, say
from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.bundle.folder import About
    from wcnfgen.bundle.manifest import Row
    from wcnfgen.bundle.one import Settings
    from wcnfgen.instances import Family, Source, Spec

log = logging.getLogger("wcnfgen")

SUBMISSION = "submission"


@dataclass(frozen=True, slots=True)
class Made(Shown):
    """A family's lines; folder None: nothing was written, and sizes are estimated."""

    source: Source
    rows: list[Row]
    folder: Path | None


def family(
    name: str = "",
    *,
    output: str | None = None,
    config: str | None = None,
    data: Sequence[str] = (),
    author: Sequence[str] = (),
    limit: int | None = None,
    max_mb: float = 500.0,
    compress: Literal["xz", "gz", "none"] = "xz",
    jobs: int | None = None,
    strict: bool = False,
    prune: bool = False,
    dry_run: bool = False,
    **options: Any,
) -> Made | list[Made] | list[Source]:
    """Make a benchmark family that the MaxSAT Evaluation can take as it is; without a name, list them.

    The folder gets instances, models that satisfy them, a manifest, a description as TeX and PDF, and one
    archive to submit.  What is there already is not made again: a run that was stopped goes on.
    The name comes first; options of the family, shown by NAME --help, come after it.  The name "submission"
    makes all families of the default submission, each in a folder of its own: those of real data.

    examples:
      wcnfgen family                                            which there are
      wcnfgen family tic-tac-toe --dry-run --limit 4            how large it would be
      wcnfgen family tic-tac-toe -o ttt --limit 2 --author "A. Author; Some University; author@example.org"

    name: the family, or submission
    output: the folder
    config: a recipe in TOML for your own data, instead of a name
    data: a folder with the papers' data sets (repeat for more)
    author: "Name; affiliation; e-mail" of an author of the description (repeat for more)
    limit: only so many instances, spread over data sets and parameters
    max_mb: leave out files that would be larger, unpacked, in MiB
    compress: how to pack instances
    jobs: so many at a time; default: one for each core
    strict: stop if a data set is missing, instead of leaving it out
    prune: remove what the folder has of other options, instead of refusing
    dry_run: only say how large everything would be

    Raises UsageError, DataError; WcnfgenError where a file cannot be written: what is whole then stays.
    """
    from wcnfgen import __version__, instances
    from wcnfgen.bundle.folder import About, Folder
    from wcnfgen.bundle.one import Settings
    from wcnfgen.instances import recipe
    from wcnfgen.signatures import check_choices

    check_choices(family, {"compress": compress})
    if not (name or config):
        _nothing_else(output, dry_run, options)
        return [instances.get(each) for each in instances.names()]
    if name == SUBMISSION and not config:
        if options:
            raise UsageError(f"{SUBMISSION} takes no options of single families")
        own = {"data": data, "author": author, "limit": limit, "max_mb": max_mb, "compress": compress}
        own |= {"jobs": jobs, "strict": strict, "prune": prune, "dry_run": dry_run}
        return [_one_of_many(each, output, own) for each in instances.submission()]
    if name and config:
        raise UsageError("give the name of a family or --config RECIPE, not both")
    source = recipe.read(Path(config)) if config else instances.get(name)
    described = source.described(**options)
    everything = list(source.specs(**options))
    specs = _some(everything, limit)
    fewer = len(specs) if len(specs) < len(everything) else None
    workers = _workers(jobs)
    if not 0 < max_mb < math.inf:
        raise UsageError(f"--max-mb {max_mb}: give a number above 0")
    folders = [Path(each) for each in data]
    for each in folders:
        if not each.is_dir():
            raise UsageError(f"--data {each}: there is no such folder")
    if dry_run:
        return Made(source, _predicted(described, specs, folders, max_mb, workers, strict), None)
    if output is None:
        raise UsageError("where to? Give -o FOLDER, or --dry-run to see how large it would be")
    about = About(
        name=source.name,
        family=described,
        wcnfgen=__version__,
        command=_command(source, config, options, fewer, max_mb, compress),
        authors=tuple(author),
    )
    settings = Settings(Folder(Path(output)), described.track, max_mb, compress)
    return _made(source, about, specs, settings, folders, workers, strict, prune)


def _one_of_many(name: str, output: str | None, own: dict[str, Any]) -> Made:
    made = family(name, output=None if output is None else str(Path(output) / name), **own)
    if not isinstance(made, Made):
        raise TypeError(f"{name} is one family")
    return made


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The options of the family itself."""
    from wcnfgen import instances

    name = options.get("first", "")
    return (instances.get(name).specs,) if name in instances.names() else ()


def _nothing_else(output: str | None, dry_run: bool, options: dict[str, Any]) -> None:
    if output is not None or dry_run or options:
        raise UsageError("which family? `wcnfgen family` lists them")


def _some(specs: list[Spec], limit: int | None) -> list[Spec]:
    """All, or so many that differ as much as can be."""
    from wcnfgen.bundle.spread import spread

    if limit is None:
        return specs
    if limit < 1:
        raise UsageError(f"--limit {limit}: give a number from 1 on")
    return [specs[place] for place in spread([spec.parameters for spec in specs], limit)]


def _workers(jobs: int | None) -> int:
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: give a number from 1 on")
    return jobs or len(os.sched_getaffinity(0))


def _predicted(
    family: Family, specs: list[Spec], folders: list[Path], max_mb: float, workers: int, strict: bool
) -> list[Row]:
    from wcnfgen import leftovers
    from wcnfgen.bundle import build
    from wcnfgen.bundle.folder import Folder
    from wcnfgen.bundle.one import Settings

    with leftovers.folder() as scratch:
        settings = Settings(Folder(Path(scratch)), family.track, max_mb)
        return build.predict(specs, settings, folders, Path(scratch), jobs=workers, strict=strict)


def _made(
    source: Source,
    about: About,
    specs: list[Spec],
    settings: Settings,
    folders: list[Path],
    workers: int,
    strict: bool,
    prune: bool,
) -> Made:
    from wcnfgen.bundle import build, finish, lock
    from wcnfgen.bundle.folder import read_about

    folder = settings.folder
    before = read_about(folder) if folder.about.is_file() else None
    if before is not None and before.name != about.name:
        raise UsageError(f"{folder.path} holds the family {before.name}: give another folder")
    if before is None and folder.path.is_dir() and any(folder.path.iterdir()):
        raise UsageError(f"{folder.path} is not empty and holds no family: give a new folder")
    authors = about.authors or (before.authors if before else ())
    about = replace(about, authors=authors)
    with _there(folder.path), lock.alone(folder):
        rows = build.build(specs, settings, folders, jobs=workers, strict=strict, prune=prune, about=about)
        if any(row.written for row in rows):  # there is nothing to describe or to submit otherwise
            finish.finish(folder)
    return Made(source, rows, folder.path)


@contextmanager
def _there(folder: Path) -> Iterator[None]:
    """The folder, made if it is not there; where nothing came of it, it is not there again."""
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        if new:
            with suppress(OSError):  # it holds something
                folder.rmdir()
        raise


def _command(
    source: Source,
    config: str | None,
    options: dict[str, Any],
    limit: int | None,
    max_mb: float,
    compress: str,
) -> str:
    """The command that makes the family again, without places of files."""
    from wcnfgen.instance import command_line
    from wcnfgen.signatures import parameters

    defaults: dict[str, Any] = {p.name: p.default for p in parameters(source.specs)}
    own = {"limit": limit, "max_mb": max_mb, "compress": compress}
    defaults |= {"max_mb": 500.0, "compress": "xz"}
    words = ["family", "--config", Path(config).name] if config else ["family", source.name]
    return command_line(words, options | own, defaults)


def present(result: Made | list[Made] | list[Source], out: TextIO, **options: Any) -> int:
    """Print the list of families, the sizes, or what was made; 1 if that is nothing."""
    made = [each for each in result if isinstance(each, Made)] if isinstance(result, list) else [result]
    if isinstance(result, list) and not made:
        say(out, _list([each for each in result if not isinstance(each, Made)]))
        return 0
    for each in made:
        if each.folder is None:
            say(out, _sizes(each.rows))
        say(out, _summary(each))
    return 0 if all(_whole(each.rows) for each in made) else 1


def _whole(rows: Sequence[Row]) -> bool:
    """Whether there is something, and nothing that running it again would add."""
    from wcnfgen.bundle.build import KILLED

    return any(row.written for row in rows) and all(row.why != KILLED for row in rows)


def _list(sources: Sequence[Source]) -> Iterator[str]:
    from wcnfgen import instances

    default = instances.submission()
    for source in sources:
        kind = "crafted" if source.family.crafted else "real data"
        track = "SAT" if source.family.track == "sat" else "MaxSAT"
        mark = ", default submission" if source.name in default else ""
        yield f"{source.name:<18}{source.family.title} ({track}, {kind}{mark})"
    yield ""
    yield "`wcnfgen family NAME --help` shows its options; `wcnfgen family NAME --dry-run` its sizes."


def _sizes(rows: Sequence[Row]) -> Iterator[str]:
    yield f"{'MB':>8}{'variables':>11}{'hard':>11}{'soft':>8}  instance"
    for row in rows:
        if row.written:
            mib = (row.bytes or 0) / 2**20
            yield f"{mib:>8.1f}{row.variables:>11}{row.hard:>11}{row.soft:>8}  {row.name}"


def _summary(made: Made) -> Iterator[str]:
    written = [row for row in made.rows if row.written]
    size = sum(row.bytes or 0 for row in written) / 2**20
    yield f"family:    {made.source.name}"
    yield f"instances: {len(written)}, {size:.0f} MB unpacked" + ("" if made.folder else ", estimated")
    reasons = Counter(row.why for row in made.rows if not row.written)
    yield f"left out:  {sum(reasons.values())}"
    yield from (f"  {number:>5}  {why}" for why, number in reasons.most_common(12))
    if len(reasons) > 12:
        yield f"         and {len(reasons) - 12} more reasons, in the manifest"
    if made.folder is not None and written:
        yield f"folder:    {made.folder}; `wcnfgen lint {made.folder}` checks it"
