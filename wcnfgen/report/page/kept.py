"""What is kept of a run beside its figures: the command and the machine, from the campaign's folder."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wcnfgen import record
from wcnfgen.campaign.store import Run, Store
from wcnfgen.errors import WcnfgenError


@dataclass(frozen=True, slots=True)
class Kept:
    """Texts, empty where the record is not there."""

    command: str = ""
    machine: str = ""
    driver: str = ""


def folder(folders: Iterable[Path], key: str) -> tuple[Path, Run] | None:
    """The campaign that has a run, and the run."""
    return next(((each, Store(each).run(key)) for each in folders if Store(each).has(key)), None)


def of(folders: Iterable[Path], key: str) -> Kept:
    """What the record of a run says."""
    found = folder(folders, key)
    if found is None or not found[1].record.is_file():
        return Kept()
    try:
        read = record.read(found[1].record)
    except WcnfgenError:
        return Kept()
    host = read.machine
    return Kept(
        command=shlex.join(read.run.command),
        machine=f"{host.cpu}, {host.cores} cores, {host.memory_mib} MiB, {host.kernel}, Python {host.python}",
        driver=f"{read.driver}, wcnfgen {read.wcnfgen}",
    )
