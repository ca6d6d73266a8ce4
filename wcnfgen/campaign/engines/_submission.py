"""Runs given to a queue: what a user may say of it, and what came of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a user may say of a submission.

    chunk      runs of a task; None: so many that it lasts some minutes
    at_most    tasks that run at a time; None: as many as the queue lets
    partition, account   None: the queue's own choice
    extra      more of its options, such as ``--qos=long``; they come last and win

    Raises UsageError.
    """

    chunk: int | None = None
    at_most: int | None = None
    partition: str | None = None
    account: str | None = None
    extra: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for option, number in (("--chunk", self.chunk), ("--at-most", self.at_most)):
            if number is not None and number < 1:
                raise UsageError(f"{option} {number}: give 1 or more")
        for option, name in (("--partition", self.partition), ("--account", self.account)):
            if name is not None and not re.fullmatch(r"[\w.,@+-]+", name):
                raise UsageError(f"{option} {name!r}: this is not a name")
        for line in self.extra:
            if not re.fullmatch(r"(#\w+\s+)?-.+", line):
                raise UsageError(f"--extra {line!r}: give an option of the queue, as in --extra=--qos=long")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """What was given to a queue.

    folder    of the submission, CAMPAIGN/submit/N; None: there was nothing to submit
    runs      how many, in so many tasks
    queued    runs that are missing and in the queue already
    jobs      the ids of what makes them and of what collects them; empty: nothing was submitted
    commands  as they were given, or have to be
    """

    folder: Path | None
    runs: int
    tasks: int
    queued: int
    jobs: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """Nothing can be wrong with it."""
        return 0

    def lines(self) -> Iterator[str]:
        """What was done, and what to do next."""
        if self.queued:
            yield f"{self.queued} runs are in the queue already"
        if self.folder is None:
            yield "there is nothing to submit"
            return
        yield f"{self.runs} runs in {self.tasks} tasks: {self.folder}"
        if not self.jobs:
            yield "nothing was submitted; to do it by hand:"
            yield from (f"    {command}" for command in self.commands)
            return
        yield f"jobs {', '.join(self.jobs)}; the last one collects what the others make"
        campaign = shlex.quote(str(self.folder.parents[1]))
        yield f"next: wcnfgen campaign status {campaign}; afterwards wcnfgen report {campaign}"
