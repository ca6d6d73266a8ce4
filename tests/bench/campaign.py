"""How long a campaign of many runs takes around the runs, and in how much memory.

    python -m tests.bench.campaign [--runs 100000]

Seconds of wall and CPU time and peak memory of fresh processes, for a tenth of the runs and for all: to plan
them, to plan them again, before and after they are there, to count them, and to collect them when all are
judged, as CSV and with JSON and Parquet.
Nobody makes the runs: one is made and judged, and every run gets a copy of it under its own key.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import wcnfgen
from wcnfgen import drivers, judged
from wcnfgen import record as records
from wcnfgen.campaign import planning
from wcnfgen.campaign.store import Store
from wcnfgen.record import Record

INSTANCES, SOLVERS = 200, 5
ROWS = "a,b,class\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"
SOLVER = """
[[solver]]
name = "rc2-{number}"
solver = "rc2"
options = ["--option={number}", "--seed={{seed}}"]
"""


def campaign(folder: Path, runs: int) -> None:
    """Settings and instances: small ones, that differ in a comment."""
    instances = folder / "instances"
    instances.mkdir(parents=True)
    (folder / "xor.csv").write_text(ROWS)
    wcnfgen.encode(str(folder / "xor.csv"), ub=7).write(str(folder / "xor.wcnf"))
    text = (folder / "xor.wcnf").read_bytes()
    for number in range(INSTANCES):
        (instances / f"xor-{number:04}.wcnf").write_bytes(b"c %d\n" % number + text)
    seeds = list(range(runs // INSTANCES // SOLVERS))
    solvers = (SOLVER.format(number=number) for number in range(SOLVERS))
    settings = f'instances = ["instances/*.wcnf"]\nseeds = {seeds}\n\n[limits]\nwall = 60\n'
    (folder / "campaign.toml").write_text(settings + "".join(solvers))


def fill(folder: Path) -> None:
    """Runs that are there and judged."""
    log = folder / "output.gz"
    wcnfgen.solve(
        str(folder / "xor.wcnf"), solver="rc2", wall=60, log=str(log), record=str(folder / "xor.json")
    )
    record = records.read(folder / "xor.json")
    verdict = judged.judge(folder / "xor.wcnf", log, "literals")
    common, store = planning.read(folder), Store(folder)
    texts = {name: texts_of(each.sha256, record, verdict, folder) for name, each in common.instances.items()}
    for run in planning.runs(folder):
        place = store.run(run.key)
        place.path.mkdir(parents=True)
        place.key.write_text(common.text(run))
        place.record.write_bytes(texts[run.instance][0])
        place.verdict.write_bytes(texts[run.instance][1])
        shutil.copyfile(log, place.log)


def texts_of(sha256: str, record: Record, verdict: judged.Judged, scratch: Path) -> tuple[bytes, bytes]:
    """The same run and its verdict, as if on another instance."""
    target = scratch / "text.json"
    records.write(replace(record, instance_sha256=sha256), target)
    text = target.read_bytes()
    judged.write(replace(verdict, instance_sha256=sha256), target)
    return text, target.read_bytes()


def measured(*command: str) -> str:
    """Seconds of wall and of CPU, and peak MiB."""
    words = [sys.executable, "-m", "wcnfgen", *command]
    run = drivers.get("local")(words, stdout=None, stderr=None)
    assert run.exit_code == 0, command
    return f"{run.wall_s:>8.1f}{run.cpu_s:>8.1f}{run.peak_mib:>7.0f}"


def figures(folder: Path, runs: int) -> Iterator[tuple[str, str]]:
    """What is measured, and what comes out."""
    campaign(folder, runs)
    plan = ("campaign", "plan", str(folder), "--quiet")
    yield "plan", measured(*plan)
    yield "plan again", measured(*plan)
    fill(folder)
    yield "plan, all there", measured(*plan)
    yield "status", measured("campaign", "status", str(folder))
    collect = ("campaign", "collect", str(folder), "--quiet")
    yield "collect", measured(*collect)
    yield "collect, JSON", measured(*collect, "-o", str(folder / "results.json"))
    yield "collect, Parquet", measured(*collect, "-o", str(folder / "results.parquet"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=100_000)
    most = parser.parse_args().runs
    print(f"{'':<18}{'runs':>9}{'wall s':>8}{'CPU s':>8}{'MiB':>7}")
    for runs in (most // 10, most):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in figures(Path(folder), runs):
                print(f"{name:<18}{runs:>9}{text}", flush=True)


if __name__ == "__main__":
    main()
