"""The papers' experiments, each as a recipe over the commands: `wcnfgen reproduce`.

A module of this folder is one table or figure of one paper.  Its file name, with dashes, is the name of the
experiment, and it has

- ``EXPERIMENT``, an `Experiment`: what it is;
- ``stages(work)``, a generator of stages.  A stage is a sequence of `Step`, each a line for the command line,
  that may be made at the same time.  The generator is asked for the next stage when all files of the one
  before it are there, so that it may read them;
- ``findings(work)``: what the files say, as tables beside the paper's figures, and which of its claims held;
- ``pictures(found)``, if it has any: the end of each one's name, as "iris.svg", with its content.  Called
  where matplotlib is there.

There is no other way into the rest of the project than the commands: whoever types the lines of
``commands.txt`` gets the same files.  A leading underscore hides a module.

Three scales: *tiny* takes seconds, on data that the package has itself, and shows that a recipe works;
*small* is for a machine of two cores, in minutes to an hour; *paper* is the authors' protocol.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Protocol, cast

from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.experiments.findings import Findings
    from wcnfgen.experiments.work import Step, Work

Scale = Literal["tiny", "small", "paper"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an experiment is.

    title   of our table
    source  the paper, and the place in it
    needs   modules that must be there, as "sklearn", beside what every installation has
    """

    title: str
    source: str
    needs: tuple[str, ...] = ()


class Recipe(Protocol):
    """A module of this folder."""

    EXPERIMENT: Experiment

    def stages(self, work: Work) -> Iterator[Sequence[Step]]:
        """What there is to do, in order."""
        ...

    def findings(self, work: Work) -> Findings:
        """What was found; called when every stage is done.  Reads files only."""
        ...


HELPERS = ("farming", "findings", "making", "stepping", "work")


def names() -> list[str]:
    """The experiments there are.

    >>> "narodytska-4" in names()
    True
    """
    found = (name for _, name, _ in pkgutil.iter_modules(__path__) if not name.startswith("_"))
    return sorted(name.replace("_", "-") for name in found if name not in HELPERS)


def there(module: str) -> bool:
    """Whether a module can be imported.

    >>> there("json"), there("no_such_module")
    (True, False)
    """
    return find_spec(module) is not None


def get(name: str) -> Recipe:
    """The recipe of this name.  Raises UsageError where there is none."""
    if name not in names():
        raise UsageError(f"no experiment is named {name!r}; there are: {', '.join(names())}")
    return cast(Recipe, import_module(f"wcnfgen.experiments.{name.replace('-', '_')}"))
