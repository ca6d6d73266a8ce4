"""How fast a saved log is read, and in how much memory; beside it, Python that only splits its lines.

    python -m tests.bench.output [--lines 10000000] [--repeats 3]

Seconds are CPU seconds of a fresh process for each log and reader, the best of the repeats, from opening the
file to the answer; imports are not in them.  Peak is the resident memory of that process, interpreter and
numpy included.  Peers: ``for line in file: line.split()``, which knows nothing of the protocol, and the
parser of hermax where it is installed, which takes the log as one string: it gets the first million lines.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain, cycle, islice
from pathlib import Path

from wcnfgen.output import parse, pieces

BLOCK = 1_000_000  # lines of a log that are made; a longer one repeats them
HERMAX_LINES = 1_000_000
VARIABLES = 20_000


# --- logs: endless lines without their ends ----------------------------------------------------------------


def comments() -> Iterator[str]:
    return (f"c timeo 1.49 {flips} steps, nothing new" for flips in cycle(range(BLOCK)))


def costs() -> Iterator[str]:
    return (f"o {cost}" for cost in cycle(range(2 * BLOCK, BLOCK, -1)))


def wrapped() -> Iterator[str]:
    """Every model, as clasp prints them: wrapped at 80 characters, each with its cost."""
    while True:
        line = "v"
        for variable in range(1, VARIABLES + 1):
            literal = str(variable if variable * 7919 % 11 < 5 else -variable)
            if len(line) + 1 + len(literal) > 78:
                yield line
                line = "v"
            line += f" {literal}"
        yield f"{line} 0"
        yield "o 2442"


def stamped(lines: Iterator[str]) -> Iterator[str]:
    return (f"{at / 1000:.2f}/{at / 990:.2f}\t{line}" for at, line in enumerate(lines))


def mixed() -> Iterator[str]:
    """Of a hundred lines, 80 comments, 10 costs, 10 of a model in 300 variables, half of all stamped."""
    model = [f"v {' '.join(str(-v if v % 3 else v) for v in range(at, at + 30))}" for at in range(1, 300, 30)]
    for number in cycle(range(BLOCK)):
        lines = chain(islice(comments(), 80), [f"o {number * 10 + k}" for k in range(10, 0, -1)], model)
        yield from stamped(lines) if number % 2 else lines


def turns() -> Iterator[str]:
    """A cost and a model, as TT-Open-WBO-Inc 2020 prints them."""
    return (line for cost in costs() for line in (cost, "v " + "01100" * 60))


LOGS: dict[str, Callable[[], Iterator[str]]] = {
    "comments": comments,
    "`o` lines": costs,
    "`v` lines, wrapped": wrapped,
    "comments, stamped": lambda: stamped(comments()),
    "`o` lines, stamped": lambda: stamped(costs()),
    "`v` lines, stamped": lambda: stamped(wrapped()),
    "mix": mixed,
    "`o`, `v`, `o`, `v`": turns,
}


def write(log: str, lines: int, path: Path) -> None:
    """The log, its first BLOCK lines again and again."""
    block = "".join(f"{line}\n" for line in islice(LOGS[log](), min(BLOCK, lines))).encode()
    with path.open("wb") as out:
        for _ in range(max(1, lines // BLOCK)):
            out.write(block)


# --- readers -----------------------------------------------------------------------------------------------


def ours(path: Path) -> None:
    with path.open("rb") as stream:
        parse(pieces(stream))


def split(path: Path) -> None:
    with path.open("rb") as stream:
        for line in stream:
            line.split()


def hermax(path: Path) -> None:
    from hermax.internal.maxsat_cli_parse import parse_maxsat_cli_output

    parse_maxsat_cli_output(path.read_text(), num_vars=VARIABLES)


READERS = {reader.__name__: reader for reader in (ours, split, hermax)}


def measured(reader: str, path: Path) -> tuple[float, float]:
    """CPU seconds and peak MiB, in this process."""
    if reader == "hermax":
        import hermax.internal.maxsat_cli_parse  # noqa: F401
    began = time.process_time()
    READERS[reader](path)
    seconds = time.process_time() - began
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return seconds, int(peak[1]) / 1024 if peak else float("nan")


def best(reader: str, path: Path, repeats: int) -> tuple[float, float] | None:
    """The least of each of several processes; None if the reader fails on the log."""
    found = []
    for _ in range(repeats):
        command = [sys.executable, "-m", "tests.bench.output", "--reader", reader, "--file", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{reader}: {done.stderr.splitlines()[-1]}", file=sys.stderr)
            return None
        found.append(tuple(json.loads(done.stdout)))
    return min(seconds for seconds, _ in found), min(peak for _, peak in found)


def row(log: str, lines: int, repeats: int, folder: Path) -> list[str]:
    """The cells of a log."""
    path, short = folder / "log", folder / "short"
    write(log, lines, path)
    write(log, min(lines, HERMAX_LINES), short)
    size = path.stat().st_size / 1e6
    we, peer = best("ours", path, repeats), best("split", path, 1)
    other = best("hermax", short, 1)
    assert we and peer
    cells = [log, f"{size:.0f}", f"{lines / we[0] / 1e6:.2f}", f"{size / we[0]:.0f}", f"{we[1]:.0f}"]
    cells += [f"{lines / peer[0] / 1e6:.2f}", f"{peer[0] / we[0]:.1f}"]
    return [*cells, f"{min(lines, HERMAX_LINES) / other[0] / 1e6:.2f}" if other else "fails"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--lines", type=int, default=10_000_000, help="of each log")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--reader", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reader:
        print(json.dumps(measured(options.reader, options.file)))
        return
    heads = ["log", "MB", "Mlines/s", "MB/s", "peak MiB", "`split`, Mlines/s", "ratio", "hermax, Mlines/s"]
    print(f"{options.lines:,} lines\n\n| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 1)}")
    with tempfile.TemporaryDirectory() as folder:
        for log in LOGS:
            print(f"| {' | '.join(row(log, options.lines, options.repeats, Path(folder)))} |", flush=True)


if __name__ == "__main__":
    main()
