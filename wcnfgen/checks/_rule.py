"""The contract of a rule, and how rules are found.

A rule is a function behind `rule`: its name, with dashes, is its id; its docstring says what is allowed and
who says so; its one parameter is the view that it looks at (a `Name`, a `Text`, a `Formula`, files
`Together`, a `Family`); and it yields a `Hit` for each thing that is wrong. A module of this package whose
name does not begin with an underscore is searched for them: adding a rule is writing the function.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from wcnfgen.words import printable

Severity = Literal["error", "warning", "note"]
Track = Literal["maxsat", "sat"]
BOTH: tuple[Track, ...] = ("maxsat", "sat")


@dataclass(frozen=True, slots=True)
class Place:
    """How often something occurs in a file, and the line where it does first."""

    count: int
    line: int


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule has to say: what is so, what the Evaluation does with it, and what to do.

    file is None for the file that the view is of; place is None where no line is to blame.
    """

    message: str
    place: Place | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A hit with what it is a hit of.  count is how often it occurs in the file, line where it does first."""

    file: str
    line: int | None
    rule: str
    severity: Severity
    message: str
    count: int = 1

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        more = f" ({self.count} times)" if self.count > 1 else ""
        return printable(f"{where}: {self.severity}: {self.message}{more} [{self.rule}]")


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with what is said of it.  of is the class of the views that it looks at.

    error    the Evaluation refuses or disqualifies it, or it means something else to some of the solvers
    warning  accepted and changed, or likely to be trouble
    note     worth knowing
    """

    id: str
    severity: Severity
    text: str
    of: type
    tracks: tuple[Track, ...]
    check: Callable[[Any], Iterable[Hit]]


def rule(of: type, severity: Severity, *tracks: Track) -> Callable[[Callable[[Any], Iterable[Hit]]], Rule]:
    """Make a function a rule over views of a class, on some tracks or on all."""

    def made(check: Callable[[Any], Iterable[Hit]]) -> Rule:
        text = " ".join((check.__doc__ or "").split())
        return Rule(check.__name__.replace("_", "-"), severity, text, of, tracks or BOTH, check)

    return made


@functools.cache
def rules() -> tuple[Rule, ...]:
    """All rules, by module and in the order in which they stand there."""
    package = __package__ or ""
    path = importlib.import_module(package).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(path) if module.name[0] != "_")
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Rule))


def apply(view: Any, name: str, track: Track) -> Iterator[Finding]:
    """What the rules say that look at such a view; name is what its file is called in findings."""
    for each in rules():
        if type(view) is each.of and track in each.tracks:
            for hit in each.check(view):
                line, count = (hit.place.line, hit.place.count) if hit.place else (None, 1)
                yield Finding(hit.file or name, line, each.id, each.severity, hit.message, count)
