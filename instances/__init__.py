"""A benchmark family: the contract, and how a family is found.

One file ``instances/x_y.py`` is the family ``x-y``.  It holds a `Family`, which says what a submission
has to say of it, and a generator that yields its instances::

    FAMILY = Family(title="...", domain="...", papers=("narodytska2018",), naming="...", parameters={...})

    def specs(*, depths: Sequence[int] = (2, 3)) -> Iterator[Spec]:
        '''First line: what it is.

        depths: what it means
        '''

The keyword-only parameters of `specs` become options of ``wcnfgen family x-y``; each has a default and a line
``name: meaning`` in the docstring.  A `Spec` settles the bytes of one instance; the same options yield
the same specs in the same order.  Where options change what the family says of itself, a function
``family(**options)`` with the same options returns its `Family`.

Nothing is read or encoded here: `wcnfgen.bundle` does that, and `recipe` makes a family of a user's own
files from a TOML file.

``rules/`` holds data sets that a rule generates, ``datasets`` knows the papers' data sets, and ``data/`` has
the tables too short to follow a rule.  What begins with an underscore is no family.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from wcnfgen.errors import UsageError

Plain = int | float | str  # what a parameter of an instance may be
Track = Literal["maxsat", "sat"]
NO_FAMILIES = ("datasets", "recipe", "rules")


@dataclass(frozen=True, slots=True)
class Data:
    """Where the rows of an instance come from; name is its part in file names.

    rule    of is a rule of `wcnfgen.instances.rules`, by any of its names, and options are what it takes
    paper   of is a data set of `wcnfgen.instances.datasets`
    file    of is the path of a user's own file
    """

    name: str
    kind: Literal["rule", "paper", "file"]
    of: str
    options: Mapping[str, Plain | tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chain:
    """A round of AdaBoost: its weights follow from the trees of the rounds before.

    Rounds of one chain have the same name, data and options; round counts from 1.  Trees come from the
    solver within wall_s seconds each, and are stored, so that no solver is asked again.
    """

    name: str
    round: int
    solver: str
    wall_s: float


@dataclass(frozen=True, slots=True)
class Spec:
    """One instance: all that settles its bytes, but for the version of wcnfgen.

    name        file name without its ending; in braces what is known only when the formula is planned,
                such as ``zoo-ub{ub}``: any of the encoding's options, and {nodes}, the size of the witness
    options     of `wcnfgen.encode` with this encoding, of the data and of the encoding alike; JSON types
    parameters  what varies in the family, by which instances are tabulated, plotted and spread; the
                first is always ``data``
    """

    name: str
    data: Data
    encoding: str
    options: Mapping[str, Any]
    parameters: Mapping[str, Plain]
    format: Literal["wcnf", "cnf"] = "wcnf"
    chain: Chain | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What a submission says of a family; texts are plain, without TeX commands.

    title       a few words
    domain      what is asked of a solver and where such instances come up: a paragraph or two
    papers      keys of ``instances/data/references.bib``
    naming      the file-name convention, with an example
    parameters  each key of the specs' parameters and its meaning
    crafted     made by rules rather than from real data: packed apart
    random      why organisers may class it as random, empty if there is no reason
    track       maxsat, or sat for formulas without soft clauses, which no MaxSAT Evaluation takes
    """

    title: str
    domain: str
    papers: tuple[str, ...]
    naming: str
    parameters: Mapping[str, str]
    crafted: bool = False
    random: str = ""
    track: Track = "maxsat"


@dataclass(frozen=True, slots=True)
class Source:
    """A family under its name, what yields its specs, and, if options change what it is, what says so."""

    name: str
    family: Family
    specs: Callable[..., Iterator[Spec]]
    variant: Callable[..., Family] | None = None

    def described(self, **options: Any) -> Family:
        """What it says of itself under options of `specs`."""
        return self.family if self.variant is None else self.variant(**options)


def names() -> list[str]:
    """The families there are, in alphabetical order.

    >>> "mpdt-samples" in names()
    True
    """
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in found if name[0] != "_" and name not in NO_FAMILIES)


def get(name: str) -> Source:
    """The family of this name.  Raises UsageError where there is none."""
    if name not in names():
        close = difflib.get_close_matches(name, names(), n=2)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(names())}"
        raise UsageError(f"no family {name!r}; {hint}")
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return Source(name, module.FAMILY, module.specs, getattr(module, "family", None))


def submission() -> list[str]:
    """The families of the default submission: real data, MaxSAT, nothing planted or random."""
    families = ((name, get(name).family) for name in names())
    return [
        name for name, each in families if not each.crafted and not each.random and each.track == "maxsat"
    ]
