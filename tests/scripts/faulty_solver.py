"""A MaxSAT solver by brute force, with faults to choose from: ``faulty_solver.py FAULT,FAULT,... INSTANCE``.

On formulas too large for that it takes the first model that a SAT solver finds, and goes on for ever.

old-only, new-only   the other format is an error
misread-old          no header is known: hard clauses are soft ones of a large weight
misread-new          h lines are skipped as if they were comments
literals, no-model   how models are printed; bits if not said
buffered             output comes in blocks, through a pipe
endless              never proves anything, never ends by itself; the model comes on SIGTERM
silent, deaf         SIGTERM ends it without a model; SIGTERM does nothing
double, int32        costs are floating point numbers; larger weights are an error
crash-empty, endless-repeated, wrong-no-soft, wrong-long    on such formulas only
gz                   compressed files are read
"""

from __future__ import annotations

import gzip
import itertools
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

FAULTS = frozenset("".join(sys.argv[1:2]).split(","))
Clauses = list[list[int]]


def say(*lines: str) -> None:
    for line in lines:
        print(line)
    if "buffered" not in FAULTS:
        sys.stdout.flush()


def parse(raw: bytes) -> tuple[int, Clauses, list[tuple[int, list[int]]]]:
    """Number of variables, hard clauses, soft clauses."""
    if raw[:2] == b"\x1f\x8b" and "gz" in FAULTS:
        raw = gzip.decompress(raw)
    lines = [line.split() for line in raw.decode("ascii").splitlines()]
    old = lines[:1] != [] and lines[0][:2] == ["p", "wcnf"]
    if ("old-only" in FAULTS and not old) or ("new-only" in FAULTS and old):
        sys.exit("parse error")
    variables = int(lines[0][2]) if old else 0
    top = "h" if not old else "none" if "misread-old" in FAULTS else lines[0][4]
    clauses = [(words[0], [int(word) for word in words[1:-1]]) for words in lines[old:]]
    hard = [clause for weight, clause in clauses if weight == top]
    soft = [(int(weight), clause) for weight, clause in clauses if weight != top]
    if "misread-new" in FAULTS and not old:
        hard = []
    return max([variables, *(abs(x) for _, c in clauses for x in c)]), hard, soft


def holds(clause: list[int], model: dict[int, bool]) -> bool:
    return any(model[abs(x)] == (x > 0) for x in clause)


def cost(soft: list[tuple[int, list[int]]], model: dict[int, bool]) -> int:
    number = float if "double" in FAULTS else int
    return int(sum(number(weight) for weight, clause in soft if not holds(clause, model)))


def best(n: int, hard: Clauses, soft: list[tuple[int, list[int]]]) -> dict[int, bool] | None:
    used = sorted({abs(x) for clause in [*hard, *(c for _, c in soft)] for x in clause})
    models = (
        dict(zip(used, bits, strict=True)) for bits in itertools.product([False, True], repeat=len(used))
    )
    return min(
        (model for model in models if all(holds(c, model) for c in hard)),
        key=lambda model: cost(soft, model),
        default=None,
    )


def first(hard: Clauses, n: int) -> dict[int, bool]:
    from pysat.solvers import Solver

    with Solver("g4", bootstrap_with=hard) as solver:
        solver.solve()
        found = {abs(x): x > 0 for x in solver.get_model()}
    return {x: found.get(x, False) for x in range(1, n + 1)}


def values(n: int, model: dict[int, bool]) -> str:
    if "literals" in FAULTS:
        return "v " + " ".join(str(x if value else -x) for x, value in model.items())
    return "v " + "".join("01"[model.get(x, False)] for x in range(1, n + 1))


def search(n: int, model: dict[int, bool], price: int) -> None:
    """Some costs, then nothing until SIGTERM."""

    def stop(number: int, frame: FrameType | None) -> None:
        if "silent" not in FAULTS:
            say(f"o {price}", "s SATISFIABLE", values(n, model))
        sys.stdout.flush()
        os._exit(10)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if "deaf" in FAULTS else stop)
    for more in (2, 1, 0):
        say(f"o {price + more}")
        time.sleep(0.02)
    time.sleep(600)


def main() -> int:
    n, hard, soft = parse(Path(sys.argv[2]).read_bytes())
    units = [abs(c[0]) for _, c in soft if len(c) == 1]
    if "int32" in FAULTS and any(weight >= 2**31 for weight, _ in soft):
        sys.exit("weight out of range")
    if "crash-empty" in FAULTS and any(not c for _, c in soft):
        os.kill(os.getpid(), signal.SIGSEGV)
    if "endless-repeated" in FAULTS and len(set(units)) < len(units):
        time.sleep(600)
    if n == 300:
        model = first(hard, n)
        search(n, model, cost(soft, model))
    found = best(n, hard, soft)
    if found is None:
        if "endless" in FAULTS:
            time.sleep(600)
        say("s UNSATISFIABLE")
        return 20
    price = cost(soft, found)
    if ("wrong-no-soft" in FAULTS and not soft) or (
        "wrong-long" in FAULTS and any(len(c) > 1 for _, c in soft)
    ):
        price += 7
    if "endless" in FAULTS:
        search(n, found, price)
    say(f"o {price}", "s OPTIMUM FOUND")
    if "no-model" not in FAULTS:
        say(values(n, found))
    return 30


if __name__ == "__main__":
    sys.exit(main())
