"""Engines: where the runs of a campaign are made.

An engine is a module of this folder with a function ``run`` of the form `Engine`, or, if it is a queue that
makes runs when nobody waits any more, ``submit`` of the form `Queue`; and with a function ``unavailable``
that says why it cannot be used on this machine, or None.  Its file name is its name.  A leading underscore
hides a module.

All that an engine does is to have `working.perform` called, on some machine that sees the campaign's folder,
once for each run that the course hands out: in a process that does nothing else meanwhile, on cores that
nothing else uses.  ``wcnfgen campaign work FOLDER --runs KEY`` is that process, where nothing better is at
hand.  What was found is in files; an engine only tells the course how it went.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import Protocol, cast

from wcnfgen.campaign.course import Course
from wcnfgen.campaign.engines._submission import Options, Submitted
from wcnfgen.campaign.planning import Common
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


class Queue(Protocol):
    """The function ``submit`` of a queue.

    It gives the runs that are missing, and that it has not been given yet, to something that calls
    ``wcnfgen campaign work`` for them and ``wcnfgen campaign collect`` afterwards; with dry_run it only says
    how.  Raises UsageError where that cannot be, on this machine or with these options.
    """

    def __call__(self, common: Common, options: Options, *, dry_run: bool) -> Submitted:
        """Submit."""
        ...


def names() -> tuple[str, ...]:
    """The engines of this folder.

    >>> "local" in names()
    True
    """
    return tuple(sorted(name for _, name, _ in pkgutil.iter_modules(__path__) if not name.startswith("_")))


def is_queue(name: str) -> bool:
    """Whether runs are submitted to it.  Raises UsageError if there is no such engine."""
    return hasattr(_module(name), "submit")


def get(name: str) -> Engine:
    """What makes runs.  Raises UsageError if there is no such engine, or if it cannot be used here."""
    module = _module(name)
    if is_queue(name):
        raise UsageError(f"{name} makes runs later: wcnfgen campaign submit CAMPAIGN --engine {name}")
    if (reason := module.unavailable()) is not None:
        raise UsageError(f"the engine {name} cannot be used here: {reason}")
    return cast(Engine, module.run)


def queue(name: str) -> Queue:
    """What takes runs.  Raises UsageError if there is no such engine, or if it is no queue."""
    module = _module(name)
    if not is_queue(name):
        raise UsageError(f"{name} is no queue: wcnfgen campaign run CAMPAIGN --engine {name}")
    return cast(Queue, module.submit)


def _module(name: str) -> ModuleType:
    if name not in names():
        raise UsageError(f"no engine {name!r}; there is {', '.join(names())}")
    return import_module(f"{__name__}.{name}")
