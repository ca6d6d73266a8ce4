"""A small campaign for tests of engines: runs that take a moment and write down where they were."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.campaigning import until
from wcnfgen import record as records
from wcnfgen.campaign import planning
from wcnfgen.campaign.store import Store
from wcnfgen.cli import main

SOLVER = """\
#!{python} -IS
import json, os, sys, time
name = os.path.basename(sys.argv[-1])
if not name.startswith("i"):  # a trial run
    sys.exit("s UNKNOWN")
begun = time.time()
time.sleep({seconds})
ran = {{"instance": name, "begun": begun, "over": time.time(), "cores": list(os.sched_getaffinity(0))}}
with open({ran!r}, "a") as file:
    file.write(json.dumps(ran) + "\\n")
print("o 0\\ns OPTIMUM FOUND\\nv 1")
sys.exit(30)
"""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Its folder."""

    folder: Path

    def call(self, *words: str) -> int:
        """``wcnfgen campaign ...`` in this process."""
        return main(["campaign", words[0], str(self.folder), *words[1:]])

    @property
    def solver(self) -> Path:
        """Its program."""
        return self.folder.parent / "solver"

    @property
    def keys(self) -> list[str]:
        """Of all runs, in order."""
        return [run.key for run in planning.runs(self.folder)]

    @property
    def there(self) -> list[str]:
        """Of those that are whole."""
        return sorted(Store(self.folder).keys())

    @property
    def ran(self) -> list[dict[str, Any]]:
        """What solvers wrote down at their ends."""
        file = self.folder.parent / "ran.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def assert_complete(self) -> None:
        """Each run is there, whole, and nothing else is; nor was one begun that did not come to its end."""
        assert self.there == sorted(self.keys)
        store = Store(self.folder)
        for key in self.keys:
            assert records.read(store.run(key).record).ended == "exit 30"
        assert not list(store.runs.glob(".*")), "what is left of runs that were not whole"
        assert not list(store.unfinished())

    def assert_apart(self) -> None:
        """No two solvers were on one core at a time."""
        for place, one in enumerate(self.ran):
            for other in self.ran[:place]:
                at_once = one["begun"] < other["over"] and other["begun"] < one["over"]
                assert not (at_once and set(one["cores"]) & set(other["cores"])), (one, other)

    def solvers(self) -> list[psutil.Process]:
        """Those that run."""
        return [each for each in psutil.process_iter() if _runs(each, str(self.solver))]

    def wait_for(self, number: int, by: subprocess.Popen[Any] | None = None) -> None:
        """Until so many runs are there, or who makes them has ended."""
        until(lambda: len(self.there) >= number, unless=lambda: by is not None and by.poll() is not None)


def _runs(process: psutil.Process, program: str) -> bool:
    try:
        return program in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def made(
    base: Path, *, number: int = 12, seconds: float = 1.0, wall: float = 20.0, more: str = ""
) -> Campaign:
    """A campaign of so many runs, planned."""
    folder = base / "campaign"
    (base / "instances").mkdir(parents=True)
    folder.mkdir()
    for place in range(number):
        text = f"c {place}\nh 1 0\n1 1 0\n"
        (base / "instances" / f"i{place:02}.wcnf").write_text(text)
    made = Campaign(folder)
    program = SOLVER.format(python=sys.executable, seconds=seconds, ran=str(base / "ran.jsonl"))
    made.solver.write_text(program)
    made.solver.chmod(made.solver.stat().st_mode | stat.S_IXUSR)
    (folder / "campaign.toml").write_text(
        'instances = ["../instances/*.wcnf"]\n'
        f"{more}\n"
        f"[limits]\nwall = {wall}\nmemory = 500\ngrace = 1\n\n"
        '[[solver]]\nname = "sleeper"\nsolver = "../solver"\n'
    )
    assert made.call("plan") == 0
    return made


def submit(campaign: Campaign, *words: str) -> list[str]:
    """Submit and return the lines that are said."""
    out = io.StringIO()
    assert main(["campaign", "submit", str(campaign.folder), *words], out) == 0
    return out.getvalue().splitlines()
