"""Engines: where the runs of a campaign are made.

An engine is a module of this folder with a function ``run`` of the form `Engine` and a function
``unavailable`` that says why it cannot be used on this machine, or None; its file name is its name.
A leading underscore hides a module.

All that an engine does is to have `working.perform` called, on some machine that sees the campaign's folder,
once for each run that the course hands out: in a process that does nothing else meanwhile, on cores that
nothing else uses.  ``wcnfgen campaign work FOLDER --runs KEY`` is that process, where nothing better is at
hand.  What was found is in files; an engine only tells the course how it went.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Protocol, cast

from wcnfgen.campaign.course import Course
from wcnfgen.errors import UsageError


class Engine(Protocol):
    """The function ``run`` of an engine.

    It calls ``course.next()`` for a run to make, ``course.begun(run, where)`` when it is being made, and
    ``course.over(run, said)`` with what `working.perform` returned, or a `Failure`: then the course may
    hand the run out again.  It returns when there is no run left, and nothing of it is left running then, nor
    after an exception, KeyboardInterrupt included.  What ``over`` raises it lets through.

    jobs is how many runs are made at a time, None for as many as can be; address is where the engine is
    reached, for those that are a service.
    """

    def __call__(self, course: Course, *, jobs: int | None, address: str | None) -> None:
        """Make all runs."""
        ...


def names() -> tuple[str, ...]:
    """The engines of this folder.

    >>> "local" in names()
    True
    """
    return tuple(sorted(name for _, name, _ in pkgutil.iter_modules(__path__) if not name.startswith("_")))


def get(name: str) -> Engine:
    """The engine of that name.  Raises UsageError if there is none, or if it cannot be used here."""
    if name not in names():
        raise UsageError(f"no engine {name!r}; there is {', '.join(names())}")
    module = import_module(f"{__name__}.{name}")
    if (reason := module.unavailable()) is not None:
        raise UsageError(f"the engine {name} cannot be used here: {reason}")
    return cast(Engine, module.run)
