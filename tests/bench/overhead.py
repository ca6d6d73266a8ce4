"""What a campaign costs beside its runs: N runs of a solver that takes a second, bare and as a campaign.

    python tests/bench/overhead.py [RUNS]

Bare is what a shell does: one process after the other on each core, its output to a file, nothing watched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from wcnfgen.campaign.store import Store

SECONDS = 1.0
SOLVER = f"""#!{sys.executable} -IS
import time
end = time.monotonic() + {SECONDS}
while time.monotonic() < end:
    sum(range(10000))
print("o 7\\no 3\\ns OPTIMUM FOUND\\nv 01101")
"""
CAMPAIGN = """instances = ["*.wcnf"]
[limits]
wall = 60
memory = 4000
[[solver]]
solver = "./solver"
"""


def bare(folder: Path, files: list[Path], cores: list[int]) -> float:
    """Seconds for all of them, shared out over the cores."""

    def runs(core: int, mine: list[Path]) -> None:
        for file in mine:
            command = ["taskset", "-c", str(core), str(folder / "solver"), str(file)]
            with (folder / f"{file.stem}.log").open("wb") as log:
                subprocess.run(command, stdout=log, check=True)

    began = time.monotonic()
    with ThreadPoolExecutor(len(cores)) as threads:
        list(threads.map(runs, cores, [files[place :: len(cores)] for place in range(len(cores))]))
    return time.monotonic() - began


def campaign(folder: Path, jobs: int) -> tuple[float, float]:
    """Seconds for the same as a campaign, and for its runs as they are recorded."""
    wcnfgen = [sys.executable, "-m", "wcnfgen", "campaign"]
    subprocess.run([*wcnfgen, "plan", str(folder), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    began = time.monotonic()
    subprocess.run(
        [*wcnfgen, "run", str(folder), "--jobs", str(jobs), "--quiet"], check=True, stdout=subprocess.DEVNULL
    )
    seconds = time.monotonic() - began
    store = Store(folder)
    records = (json.loads(store.run(key).record.read_text()) for key in sorted(store.keys()))
    return seconds, sum(each["run"]["wall_s"] for each in records) / jobs


def main(number: int) -> None:
    """Print a line for one core and one for two."""
    usable = sorted(os.sched_getaffinity(0))
    for jobs in sorted({1, min(2, len(usable))}):
        with TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / "solver").write_text(SOLVER)
            (folder / "solver").chmod(0o755)
            (folder / "campaign.toml").write_text(CAMPAIGN)
            files = [folder / f"i{place:04}.wcnf" for place in range(number)]
            for place, file in zip(count(), files):
                file.write_text(f"c {place}\nh 1 2 0\n1 -1 0\n1 -2 0\n")
            plain = bare(folder, files, usable[:jobs])
            whole, recorded = campaign(folder, jobs)
        print(
            f"{number} runs of {SECONDS:g} s on {jobs} cores: bare {plain:.2f} s, campaign {whole:.2f} s "
            f"({100 * (whole / plain - 1):+.2f} %), of which runs {recorded:.2f} s"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
