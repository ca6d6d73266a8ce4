"""How fast `wcnfgen encode` is, beside what one would write otherwise.

    python tests/bench/encode.py DATA.csv          (the published table: cp4im mushroom)

One run measures everything, so that the ratios are of one machine in one state.  All figures but
those marked "alone" are whole commands, start-up, reading, bounds and witness included, wall time;
the peers are run as commands of their own.  Nothing is asserted: this is a table, run by hand.

The peers: the same formula from a plain PySAT generator (Python loops, `append`, `to_file`), PySAT's
`append` + `to_file` and plain ``' '.join`` on clauses that are already there, and ``cat FILE | cat``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from math import isqrt
from pathlib import Path
from typing import cast

WCNFGEN = (sys.executable, "-m", "wcnfgen")


def timed(action: Callable[[], object]) -> float:
    """Wall seconds."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def command(*words: str, out: Path) -> tuple[float, float]:
    """Wall seconds and peak MiB of a command whose output goes to a file."""
    with out.open("wb") as stream:
        began = time.perf_counter()
        process = subprocess.Popen(words, stdout=stream, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
    if status:
        raise SystemExit(f"{' '.join(words)} failed")
    return seconds, usage.ru_maxrss / 1024


def piped(*words: str) -> float:
    """Wall seconds of a command piped into ``cat``."""

    def run() -> None:
        first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        subprocess.run(("cat",), stdin=first.stdout, stdout=subprocess.DEVNULL, check=True)
        first.wait()

    return timed(run)


# ---------------------------------------------------------------------------- the plain generator


def plain_rows(path: str) -> tuple[list[list[int]], list[int]]:
    """A 0/1 CSV file, with the columns that say something new."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt") as stream:
        table = [[int(cell) for cell in row] for row in list(csv.reader(stream))[1:]]
    columns = list(zip(*table, strict=True))
    kept: dict[tuple[int, ...], tuple[int, ...]] = {}
    for column in columns[:-1]:
        key = column if column[0] == 0 else tuple(1 - x for x in column)
        if any(key):
            kept.setdefault(key, column)
    X = list(map(list, zip(*kept.values(), strict=True)))
    return X, list(columns[-1])


def plain_core(X: list[list[int]], y: list[int], N: int, lb: int) -> Iterator[tuple[list[int], bool]]:
    """The clauses of the core formula for two classes, by loops; (clause, hard)."""
    from pysat.formula import IDPool

    K, V = len(X[0]), cast(Callable[[object], int], IDPool().id)

    def lr(i: int) -> list[int]:
        return [j for j in range(i + 1, min(2 * i, N - 1) + 1) if j % 2 == 0]

    def used(i: int) -> list[int]:
        return [V(("eta", i + (i % 2 == 0)))] if i > 3 else []

    def unused(i: int) -> list[int]:
        return [-x for x in used(i)]

    hard: list[list[int]] = []
    for i in range(5, N + 1, 2):
        yield [-V(("eta", i))], False
        yield [-V(("v", i)), *used(i)], True
        yield [-V(("v", i - 1)), *used(i)], True
        if i > 5:
            yield [-V(("eta", i)), V(("eta", i - 2))], True
    yield [V(("eta", lb))], True
    yield [-V(("v", 1))], True
    for i in range(1, N + 1):
        kids = [V(("l", i, j)) for j in lr(i)]
        yield [*unused(i), V(("v", i)), *kids], True
        for x in kids:
            yield [-V(("v", i)), -x], True
        for a, b in combinations(kids, 2):
            yield [-a, -b], True
    for j in range(2, N + 1, 2):
        up = [V(("l", i, j)) for i in range(j // 2, j)]
        yield [*unused(j), *up], True
        for a, b in combinations(up, 2):
            yield [-a, -b], True
        for x in up if j > 3 else []:
            yield [-x, *used(j)], True
    hard += plain_counters(V, N, lr, used)
    for clause in hard:
        yield clause, True
    side = isqrt(K - 1) + 1
    for j in range(1, N + 1):
        tests = [V(("a", r, j)) for r in range(K)]
        yield [*unused(j), V(("v", j)), *tests], True
        for r, x in enumerate(tests):
            yield [-x, V(("row", r // side, j))], True
            yield [-x, V(("column", r % side, j))], True
            yield [-V(("v", j)), -x], True
            if j > 3:
                yield [-x, *used(j)], True
        for what, count in (("row", -(-K // side)), ("column", side)):
            for a, b in combinations(range(count), 2):
                yield [-V((what, a, j)), -V((what, b, j))], True
        yield [-V(("c", j)), V(("v", j))], True
    for r in range(K):
        yield [-V(("d0", r, 1))], True
        yield [-V(("d1", r, 1))], True
        for j in range(2, N + 1):
            yield [-V(("d0", r, j)), -V(("a", r, j))], True
            yield [-V(("d1", r, j)), -V(("a", r, j))], True
    for j in range(2, N + 1, 2):
        for i in range(j // 2, j):
            g = -V(("l", i, j))
            for r in range(K):
                a = V(("a", r, i))
                for child, goes in ((j, 0), (j + 1, 1)):
                    same, other = V((f"d{goes}", r, child)), V((f"d{1 - goes}", r, child))
                    up_same, up_other = V((f"d{goes}", r, i)), V((f"d{1 - goes}", r, i))
                    yield [g, -same, up_same], True
                    yield [g, same, -up_same], True
                    yield [g, -other, up_other, a], True
                    yield [g, other, -up_other], True
                    yield [g, other, -a], True
    for j in range(2, N + 1):
        for row, label in zip(X, y, strict=True):
            c = V(("c", j))
            body = [V((f"d{value}", r, j)) for r, value in enumerate(row)]
            yield [-V(("v", j)), c if label else -c, *body], True


def plain_counters(
    V: Callable[[object], int], N: int, lr: Callable[[int], list[int]], used: Callable[[int], list[int]]
) -> list[list[int]]:
    """Constraints (19)-(23), by loops."""
    found: list[list[int]] = []
    for name, half, sign in (("lam", 2, 1), ("tau", 1, -1)):
        for i in range(1, N + 1):
            for t in range(1, -(-i // half) + 1):
                x = V((name, t, i))
                keep = [V((name, t, i - 1))] if t <= -(-(i - 1) // half) else []
                add = [sign * V(("v", i))] + (used(i) if name == "tau" else [])
                add += [V((name, t - 1, i - 1))] if t > 1 else []
                found += [[x, -k] for k in keep]
                found.append([x, *(-a for a in add)])
                found += [[-x, *keep, a] for a in add]
                j = 2 * (i - t + 1) if name == "lam" else 2 * (t - 1)
                if j in lr(i) and (name == "lam" or t > (i + 1) // 2):
                    found.append([-x, -V(("l", i, j))])
    return found


def run_plain(path: str, ub: int, lb: int) -> None:
    """The peer as a command: data file to WCNF file."""
    from pysat.formula import WCNF

    X, y = plain_rows(path)
    formula = WCNF()
    for clause, hard in plain_core(X, y, ub, lb):
        formula.append(clause) if hard else formula.append(clause, weight=1)
    formula.to_file("/dev/stdout")
    print(f"{len(formula.hard)} hard clauses", file=sys.stderr)


def run_alone(path: str, ub: int) -> None:
    """The peers that start from clauses in memory: seconds of each, and the number of clauses."""
    from pysat.formula import WCNF

    from wcnfgen import encode
    from wcnfgen.clauses import layout

    instance = encode(path, ub=ub)
    clauses = [row for block in instance.encoding.hard() for row in layout(block).tolist()]

    def pysat() -> None:
        formula = WCNF()
        for clause in clauses:
            formula.append(clause)
        formula.to_file("/dev/null")

    def join() -> None:
        with Path("/dev/null").open("w") as out:
            for clause in clauses:
                out.write("h " + " ".join(map(str, clause)) + " 0\n")

    print(timed(pysat), timed(join), len(clauses))


def run_writer(path: str, ub: int) -> None:
    """Our writer alone: the planned instance is written to nowhere; seconds."""
    from wcnfgen import encode, writer

    instance = encode(path, ub=ub)
    counts = instance.counts
    with Path("/dev/null").open("wb") as out:
        print(timed(lambda: writer.write(instance.encoding, out, counts=counts)))


# ---------------------------------------------------------------------------- the tables


def child(*words: str) -> list[str]:
    """The words that this file prints when it is run for one peer."""
    done = subprocess.run((sys.executable, __file__, *words), check=True, capture_output=True, text=True)
    return done.stdout.split()


def row(name: str, seconds: float, megabytes: float, literals: float, ours: float, extra: str = "") -> None:
    """One line of a table."""
    cells = (
        f"{seconds:8.2f}",
        f"{megabytes / seconds:8.1f}",
        f"{literals / seconds:8.1f}",
        f"{seconds / ours:7.2f}",
    )
    print(f"| {name:<46} | {' | '.join(cells)} | {extra:<14} |")


def heading(title: str) -> None:
    """Names and units of the columns."""
    print(f"\n{title}\n")
    print(f"| {'':<46} |  seconds |     MB/s |  Mlit/s  |   ratio | {'':<14} |")
    print(f"|{'-' * 48}|---------:|---------:|---------:|--------:|{'-' * 16}|")


def literals_of(path: Path) -> float:
    """Million literals, as the header of the file says."""
    with path.open(errors="replace") as lines:
        return sum(len(line.split()) - 2 for line in lines if line[0] != "c") / 1e6


def mushroom(data: str, ub: int, folder: Path) -> None:
    """Against PySAT and plain Python."""
    ours = folder / "ours.wcnf"
    seconds = min(command(*WCNFGEN, "encode", data, "--ub", str(ub), out=ours)[0] for _ in range(3))
    size, literals = ours.stat().st_size / 1e6, literals_of(ours)
    with ours.open(errors="replace") as lines:
        options = next(line for line in lines if line.startswith("c options:"))
    lb = options.split("lb ")[1].split(",")[0]
    heading(
        f"{Path(data).name} --ub {ub}: {size:.0f} MB, {literals:.1f} million literals; ratio = peer / ours"
    )
    row("wcnfgen encode (whole command)", seconds, size, literals, seconds)
    plain, _ = command(sys.executable, __file__, "--plain", data, str(ub), lb, out=folder / "plain.wcnf")
    row("plain PySAT generator (whole command)", plain, size, literals, seconds)
    pysat, join, _ = map(float, child("--alone", data, str(ub)))
    row("PySAT append + to_file alone", pysat, size, literals, seconds)
    row("plain ' '.join alone", join, size, literals, seconds)


def gigabyte(data: Path, ub: int, small_ub: int, folder: Path) -> None:
    """Against the speed of a pipe, and flat in memory."""
    big, small = folder / "big.wcnf", folder / "small.wcnf"
    _, small_peak = command(*WCNFGEN, "encode", str(data), "--ub", str(small_ub), out=small)
    to_file, peak = command(*WCNFGEN, "encode", str(data), "--ub", str(ub), out=big)
    size, literals = big.stat().st_size / 1e6, literals_of(big)
    os.sync()  # the file is in the page cache, and nothing is being written
    cat = min(
        timed(lambda: subprocess.run(f"cat '{big}' | cat > /dev/null", shell=True, check=True))
        for _ in range(5)
    )
    whole = min(piped(*WCNFGEN, "encode", str(data), "--ub", str(ub)) for _ in range(5))
    alone = min(float(child("--writer", str(data), str(ub))[0]) for _ in range(3))
    heading(
        f"{data.name} --ub {ub}: {size:.0f} MB, {literals:.0f} million literals; ratio = seconds / cat | cat"
    )
    row("cat FILE | cat", cat, size, literals, cat)
    row("wcnfgen encode | cat (whole command)", whole, size, literals, cat, f"speed {cat / whole:.2f}")
    row("wcnfgen encode > FILE (whole command)", to_file, size, literals, cat, f"peak {peak:.0f} MiB")
    row("writer alone", alone, size, literals, cat, f"speed {cat / alone:.2f}")
    print(f"\npeak memory: {peak:.0f} MiB for {size:.0f} MB, {small_peak:.0f} MiB for "
          f"{small.stat().st_size / 1e6:.0f} MB: {peak / small_peak:.2f} times")  # fmt: skip


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="a 0/1 CSV file, the class last")
    parser.add_argument("--ub", type=int, default=31)
    parser.add_argument("--skip-plain", action="store_true", help="only the second table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if not options.skip_plain:
            mushroom(options.data, options.ub, folder)
        big = folder / "hidden-tree.csv"
        settings = ("features=112", "nodes=31", "rows=12000")
        words = [word for setting in settings for word in ("--set", setting)]
        subprocess.run((*WCNFGEN, "data", "hidden-tree", *words, "-o", str(big)), check=True)
        gigabyte(big, 127, 15, folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plain"]:
        run_plain(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1:2] == ["--alone"]:
        run_alone(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] == ["--writer"]:
        run_writer(sys.argv[2], int(sys.argv[3]))
    else:
        main()
