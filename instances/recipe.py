"""A family of a user's own data, from a file in TOML.

The file says what the family is, which data it takes, and under which options each is encoded::

    name = "credit"
    title = "Decision trees for granting credit"
    domain = '''
    Given applications for credit and how they ended, find a tree within a depth with the fewest errors.

    Such trees are what a bank can explain to its customers.
    '''
    encoding = "depth"
    data = ["north.csv", "south.csv"]
    seeds = 2

    [options]
    depth = [2, 3]
    sample = [0.4, 0.8]
    unit_weights = true

Data files are looked for beside the recipe.  Under ``[options]`` stand those of ``wcnfgen encode`` with that
encoding; each value of a list makes instances of its own, with each value of the others, and is part of
their names: ``credit-north-depth2-p40-s1``.  With ``sample``, so many ``seeds`` are drawn.  An option that is
a list by itself, such as ``drop``, is taken as it is; a list of lists makes instances for each.

A data set that needs options of its own, or another name than its file has, stands in a table::

    [[data]]
    file = "customers 2019.csv"
    name = "customers"
    drop = ["id"]

Optional are ``papers`` (keys of wcnfgen's references), ``track`` ("sat" for formulas without soft clauses),
``crafted`` (true if a rule made the data) and ``random`` (why it may be classed as random).
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from wcnfgen.errors import UsageError
from wcnfgen.files import open_raw, safe
from wcnfgen.instances import Data, Family, Source, Spec
from wcnfgen.instances._recipe_options import Options, known, said

TEXTS = ("name", "title", "domain", "encoding")  # all are needed
OPTIONAL = {"papers": list, "track": str, "crafted": bool, "random": str, "seeds": int, "options": dict}
OF_DATA = ("file", "name")
ENDINGS = (".gz", ".xz", ".csv", ".tsv", ".txt", ".data")
SUFFIXES = {"size": ("ub", "-ub{ub}"), "mixed": ("ub", "-ub{ub}"), "exact": ("nodes", "-n{nodes}")}


def read(path: Path) -> Source:
    """The family that a recipe describes.

    Raises UsageError for a file that cannot be read or is no TOML, an unknown key or option, a value of
    another type, a data file that is not there, and two data sets of one name.
    """
    recipe = _parsed(path)
    wrong = f"{path}: "
    known(recipe, (*TEXTS, "data", *OPTIONAL), wrong)
    _typed(recipe, wrong)
    options = Options(recipe["encoding"], wrong)
    grid = options.grid(recipe.get("options", {}))
    sets = list(_data(recipe["data"], path.parent, options, wrong))
    _distinct(sets, grid, wrong)
    seeds = _seeds(recipe.get("seeds"), grid, wrong)
    name = _in_file_names(recipe["name"], f"{wrong}name")
    maker = _Maker(name, options, sets, grid, seeds, recipe.get("track", "maxsat"))
    return Source(maker.name, _family(recipe, maker, wrong), maker.specs)


# ---------------------------------------------------------------------------- the file


def _parsed(path: Path) -> dict[str, Any]:
    try:
        with open_raw(path) as stream:
            return tomllib.loads(stream.read().decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}: give a recipe in TOML") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: no TOML: {error}") from None


def _typed(recipe: Mapping[str, Any], where: str) -> None:
    for key in (*TEXTS, "data"):
        if key not in recipe:
            raise UsageError(f"{where}{key} is missing")
    for key, kind in {**dict.fromkeys(TEXTS, str), "data": list, **OPTIONAL}.items():
        if key in recipe and type(recipe[key]) is not kind:
            raise UsageError(f"{where}{key}: give {said(kind)}")
    for key in (*TEXTS, "data"):
        if not recipe[key]:
            raise UsageError(f"{where}{key} is empty")
    if recipe.get("track", "maxsat") not in ("maxsat", "sat"):
        raise UsageError(f"{where}track: give maxsat or sat")


# ---------------------------------------------------------------------------- data


@dataclass(frozen=True, slots=True)
class _Set:
    """A data set of the recipe and the options that are its own."""

    data: Data
    options: Mapping[str, Any]


def _data(given: Sequence[Any], folder: Path, options: Options, where: str) -> Iterator[_Set]:
    for each in given:
        entry = {"file": each} if isinstance(each, str) else each
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            raise UsageError(f"{where}data: give names of files, or tables [[data]] with file = ...")
        own = options.single(
            {key: each for key, each in entry.items() if key not in OF_DATA}, f"{where}data: "
        )
        file = folder / entry["file"]
        if not file.is_file():
            raise UsageError(f"{where}no data file {file}: file names are relative to the recipe's folder")
        name = entry.get("name", _stem(file.name))
        if not isinstance(name, str) or not name:
            raise UsageError(f"{where}the name of {entry['file']} is no text")
        plain = _in_file_names(name, f"{where}the name of {entry['file']}")
        yield _Set(Data(plain, "file", str(file)), own)


def _in_file_names(name: str, what: str) -> str:
    """A name as file names have it.  Raises UsageError if nothing sensible is left of it."""
    plain = safe(name).lower()
    if not plain[0].isalnum():
        raise UsageError(
            f"{what}, {name!r}, has to begin with a letter or a digit of ASCII: files are called so"
        )
    return plain


def _stem(name: str) -> str:
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name


def _distinct(sets: Sequence[_Set], grid: Mapping[str, list[Any]], where: str) -> None:
    """Raises UsageError where names would say the same of different instances."""
    owners: dict[str, _Set] = {}
    for each in sets:
        for name in each.options:
            if len(grid.get(name, ())) > 1 or (name == "sample" and name in grid):
                file = Path(each.data.of).name
                raise UsageError(f"{where}{name} varies under [options], and {file} has one of its own")
        other = owners.setdefault(each.data.name, each)
        if other is not each:
            files = f"{Path(other.data.of).name!r} and {Path(each.data.of).name!r}"
            raise UsageError(
                f"{where}both {files} would be called {each.data.name}: give one another name in [[data]]"
            )


def _seeds(given: Any, grid: Mapping[str, list[Any]], where: str) -> int:
    if given is None:
        return 1
    if given < 1:
        raise UsageError(f"{where}seeds = {given}: give 1 or more")
    if "sample" not in grid:
        raise UsageError(
            f"{where}seeds count samples: give sample under [options], such as sample = [0.4, 0.8]"
        )
    return int(given)


# ---------------------------------------------------------------------------- specs


@dataclass(frozen=True, slots=True)
class _Maker:
    name: str
    options: Options
    sets: Sequence[_Set]
    grid: Mapping[str, list[Any]]
    seeds: int
    track: Literal["maxsat", "sat"]

    @property
    def varied(self) -> list[str]:
        """The options with several values, and the share of a sample."""
        return [name for name, values in self.grid.items() if len(values) > 1 or name == "sample"]

    @property
    def naming(self) -> str:
        """The name of an instance with what varies in braces."""
        parts = "".join(f"-{_template(name, self.grid[name])}" for name in self.varied)
        seed = "-s{seed}" if "sample" in self.grid else ""
        return f"{self.name}-{{data}}{parts}{seed}{self.suffix}"

    @property
    def suffix(self) -> str:
        """A bound that is left to the encoding, and known when the formula is planned."""
        option, suffix = SUFFIXES.get(self.options.encoding, ("", ""))
        return suffix if option and option not in self.grid else ""

    def specs(self) -> Iterator[Spec]:
        """Each data set with each combination of values, and each seed."""
        for each in self.sets:
            for values in itertools.product(*self.grid.values()):
                chosen = {**dict(zip(self.grid, values, strict=True)), **each.options}
                for seed in range(1, self.seeds + 1):
                    yield self._spec(each, chosen, seed)

    def _spec(self, each: _Set, chosen: dict[str, Any], seed: int) -> Spec:
        shown = {name: _shown(name, chosen[name]) for name in self.varied}
        parts = [self.name, each.data.name, *shown.values()]
        if "sample" in self.grid:
            parts.append(f"s{seed}")
            chosen = {**chosen, "seed": seed}
        return Spec(
            name="-".join(parts) + self.suffix,
            data=each.data,
            encoding=self.options.encoding,
            options=chosen,
            parameters={"data": each.data.name, **{name: _plain(chosen[name]) for name in self.varied}},
            format="cnf" if self.track == "sat" else "wcnf",
        )


def _template(name: str, values: Sequence[Any]) -> str:
    """How `_shown` writes the values of an option, with the value in braces."""
    if name == "sample":
        return "p{percent}"
    return f"{_dashed(name)}{'' if all(map(_is_number, values)) else '-'}{{{name}}}"


def _shown(name: str, value: Any) -> str:
    """A value in a file name.

    >>> _shown("depth", 3), _shown("sample", 0.4), _shown("exact", True), _shown("binarise", "binary")
    ('depth3', 'p40', 'exact-true', 'binarise-binary')
    """
    if name == "sample":
        return f"p{100 * value:.10g}"
    text = safe(f"{value}".lower() if not isinstance(value, list) else "+".join(value))
    return f"{_dashed(name)}{'' if _is_number(value) else '-'}{text}"


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any) -> int | float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return str(value).lower() if isinstance(value, bool) else ", ".join(map(str, value))
    return value


def _family(recipe: Mapping[str, Any], maker: _Maker, where: str) -> Family:
    papers = tuple(recipe.get("papers", ()))
    if not all(isinstance(each, str) for each in papers):
        raise UsageError(f"{where}papers: give a list of texts")
    known(papers, _references(), f"{where}papers: ")
    example = next(maker.specs()).name.replace("{ub}", "31").replace("{nodes}", "31")
    meanings = {name: maker.options.meanings[name] for name in maker.varied}
    return Family(
        title=recipe["title"],
        domain=recipe["domain"].strip(),
        papers=papers,
        naming=f"{maker.naming}, such as {example}",
        parameters={"data": "the data set", **meanings},
        crafted=recipe.get("crafted", False),
        random=recipe.get("random", ""),
        track=maker.track,
    )


def _references() -> list[str]:
    """The keys of the papers that wcnfgen knows."""
    import re
    from importlib import resources

    text = resources.files("wcnfgen.instances").joinpath("data", "references.bib").read_text("utf-8")
    return re.findall(r"^@\w+\{([^,]+),", text, re.MULTILINE)
