"""Campaigns of solvers that do what an instance tells them, for tests that run them for real."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from wcnfgen import campaign, launch, solvers
from wcnfgen import record as records
from wcnfgen.campaign import planning
from wcnfgen.campaign.store import Store

WCNFGEN = [sys.executable, "-m", "wcnfgen"]
MARK = "WCNFGEN_TEST_CAMPAIGN"
FORMULA = "h 1 2 0\n1 -1 0\n1 -2 0\n"
SAYS = "echo 'o 1'; echo 's OPTIMUM FOUND'; echo 'v 10'"

# The first line of an instance, "c does ...", is what the solver does with it.
SOLVER = """#!/bin/sh
for instance; do :; done
echo "$@" >> {ran}
read -r c does action < "$instance"
eval "$action"
"""


class Campaign:
    """A folder with a campaign, whose solver notes each time that it is called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder)
        self.solver = folder / "solver"
        self.notes = folder.parent / f"{folder.name}.ran"
        self.mark = f"{folder}"

    def plan(self, instances: Mapping[str, str], **options: Any) -> list[str]:
        """Write instances with what the solver is to do, plan, and tell the keys."""
        self.folder.mkdir(exist_ok=True)
        if not self.solver.exists():
            self.solver.write_text(SOLVER.format(ran=self.notes))
            self.solver.chmod(0o755)
        for name, does in instances.items():
            (self.folder / f"{name}.wcnf").write_text(f"c does {does}\nc {name}\n{FORMULA}")
        given = {"wall": 60, "grace": 3, "attempts": 3, "cores": 1, "solvers": ["./solver"], **options}
        (self.folder / "campaign.toml").write_text(toml(given))
        campaign.plan(str(self.folder))
        return [run.key for run in planning.runs(self.folder)]

    def begin(self, *options: str, action: str = "run", **more: Any) -> subprocess.Popen[bytes]:
        """An action in a process of its own."""
        return subprocess.Popen(
            [*WCNFGEN, "campaign", action, str(self.folder), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, MARK: self.mark},
            **more,
        )

    def run(self, *options: str, action: str = "run", seconds: float = 60, **more: Any) -> tuple[int, str]:
        """An action, to its end: its exit code and all that it said."""
        with self.begin(*options, action=action, **more) as process:
            try:
                out, errors = process.communicate(timeout=seconds)
            finally:
                process.kill()
        assert b"Traceback" not in errors, errors.decode()
        return process.returncode, (out + errors).decode()

    def ran(self) -> Counter[str]:
        """How often the solver ran on which instance."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        return Counter(Path(line.split()[-1]).stem for line in lines)

    def processes(self, of: str = "") -> list[psutil.Process]:
        """Those of the campaign that live, with this in their command."""
        found = psutil.process_iter(["environ", "cmdline", "status"])
        return [
            each
            for each in found
            if (each.info["environ"] or {}).get(MARK) == self.mark
            and each.info["status"] != psutil.STATUS_ZOMBIE
            and of in " ".join(each.info["cmdline"] or [])
        ]

    def workers(self) -> list[psutil.Process]:
        """The processes that watch runs."""
        return self.processes("wcnfgen.campaign.worker")

    def state(self) -> dict[str, tuple[int, int]]:
        """What is there, so that it can be seen whether any of it was made again."""
        places = (self.store.run(key).path for key in sorted(self.store.keys()))
        return {each.name: (each.stat().st_ino, each.stat().st_mtime_ns) for each in places}

    def must_be_whole(self, keys: Sequence[str]) -> None:
        """Every planned run is there once, and nothing else is."""
        assert sorted(self.store.keys()) == sorted(keys)
        for key in keys:
            run = self.store.run(key)
            assert run.refused.exists() or (records.read(run.record) and run.log.exists())
        assert list(self.store.unfinished()) == []
        self.must_be_tidy()

    def must_be_tidy(self) -> None:
        """Nothing half made is left, no attempt that counts, and nobody."""
        assert [each.name for each in self.store.runs.glob(".*")] == []
        assert [key for key in self.store.unfinished() if self.store.tried(key)] == []
        assert self.processes() == []


def toml(given: Mapping[str, Any]) -> str:
    """campaign.toml."""
    solver = "".join(f"[[solver]]\nsolver = {name!r}\n{given.get('more', '')}\n" for name in given["solvers"])
    return (
        f"instances = ['*.wcnf']\nattempts = {given['attempts']}\ncores = {given['cores']}\n"
        f"{given.get('top', '')}\n[limits]\nwall = {given['wall']}\ngrace = {given['grace']}\n{solver}"
    )


def until(
    there: Callable[[], object], seconds: float = 60.0, unless: Callable[[], object] = lambda: False
) -> None:
    """Wait until something is so, and not for long."""
    deadline = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < deadline, "it does not come"
        assert not unless(), "it cannot come any more"
        time.sleep(0.01)


def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Campaign]:
    """A fixture: a campaign whose solvers are not tried before, and of which no process outlives the test."""
    monkeypatch.setattr(launch, "known", lambda name, *more: solvers.get(name))
    made = Campaign(tmp_path / "campaign")
    yield made
    for each in made.processes():
        with suppress(psutil.NoSuchProcess):
            each.kill()
