"""How fast a model of a million variables is checked; beside it, PySAT that only reads the instance.

    python -m tests.bench.verify [--variables 1000000]

CPU seconds and peak memory of fresh processes: of the command ``wcnfgen verify`` as a whole, on an instance
of one soft and three hard clauses for each variable, with the model as bits, as literals and as clasp wraps
them.  PySAT only loads the instance and evaluates nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from wcnfgen import drivers

WIDTH = 12  # literals a line, of clasp
PYSAT = "import sys; from pysat.formula import WCNF; WCNF(from_file=sys.argv[1])"


def instance(n: int, path: Path) -> None:
    """Weighted units, and hard clauses that the model of all ones satisfies."""
    random = np.random.default_rng(1)
    with path.open("w") as out:
        for variable, weight in enumerate(random.integers(1, 100, n).tolist(), 1):
            out.write(f"{weight} -{variable} 0\n")
        for first, second, third in random.integers(1, n + 1, (3 * n, 3)).tolist():
            out.write(f"h {first} {second} {third} 0\n")


def wrapped(n: int) -> str:
    """Lines of a few literals."""
    lines = (range(at, min(at + WIDTH, n + 1)) for at in range(1, n + 1, WIDTH))
    return "\nv ".join(" ".join(map(str, line)) for line in lines) + "\nv 0"


MODELS: dict[str, Callable[[int], str]] = {
    "bits": lambda n: "1" * n,
    "literals": lambda n: " ".join(map(str, range(1, n + 1))) + " 0",
    "literals, wrapped": wrapped,
}


def measured(*command: str) -> tuple[float, float]:
    """CPU seconds and peak MiB."""
    run = drivers.get("local")([sys.executable, *command], stdout=None, stderr=None)
    assert run.exit_code == 0
    return run.cpu_s, run.peak_mib


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--variables", type=int, default=1_000_000)
    n = parser.parse_args().variables
    with tempfile.TemporaryDirectory() as folder:
        file, log = Path(folder) / "x.wcnf", Path(folder) / "x.log"
        instance(n, file)
        print(f"{n:,} variables, {file.stat().st_size / 1e6:.0f} MB\n")
        print("| model | s | peak MiB | PySAT, s | MiB | ratio |\n|---|---:|---:|---:|---:|---:|")
        peer, peer_mib = measured("-c", PYSAT, str(file))
        for name, model in MODELS.items():
            log.write_text(f"s SATISFIABLE\nv {model(n)}\n")
            cpu_s, peak_mib = measured("-m", "wcnfgen", "verify", str(file), str(log))
            cells = [
                f"{cpu_s:.1f}",
                f"{peak_mib:.0f}",
                f"{peer:.1f}",
                f"{peer_mib:.0f}",
                f"{peer / cpu_s:.1f}",
            ]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
