"""How fast a file is linted, and two files compared, by form.

    python -m tests.bench.lint [--mb 100]

CPU seconds and peak memory of fresh processes: of ``wcnfgen lint`` as a whole, and of `identity.of`, on one
random formula in several forms: as we write it, in the old format, as CNF, and with CR LF line ends, which no
fast path takes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from wcnfgen import drivers

SOFT, WIDTHS = 100_000, (2, 2, 3, 3, 20)
IDENTITY = "import sys; from wcnfgen import identity; identity.of(sys.argv[1])"


def clauses(mb: int) -> Iterator[tuple[str, str]]:
    """The weight or h, and the literals, of soft clauses and of hard ones of so many MB."""
    random = np.random.default_rng(1)
    n = 8_000 * mb
    yield from (("1", str(-x)) for x in range(1, min(n, SOFT) + 1))
    size = 0
    while size < mb << 20:
        for width in WIDTHS:
            signs = random.choice([-1, 1], (2_000, width))
            for row in (random.integers(1, n + 1, signs.shape) * signs).tolist():
                text = " ".join(map(str, row))
                size += len(text) + 5
                yield "h", text


def forms(mb: int, folder: Path) -> Iterator[tuple[str, Path, str]]:
    """The formula in several forms: what it is, where, and its track."""
    formula = list(clauses(mb))
    hard = [text for kind, text in formula if kind == "h"]
    n = 8_000 * mb
    top = str(len(formula) - len(hard) + 1)
    texts = {
        "wcnf": (f"{kind} {text} 0\n" for kind, text in formula),
        "wcnf-old": (f"{top if kind == 'h' else kind} {text} 0\n" for kind, text in formula),
        "cnf": (f"{text} 0\n" for text in hard),
        "wcnf, CR LF": (f"{kind} {text} 0\r\n" for kind, text in formula),
    }
    heads = {"wcnf-old": f"p wcnf {n} {len(formula)} {top}\n", "cnf": f"p cnf {n} {len(hard)}\n"}
    for name, lines in texts.items():
        path = folder / ("formula.cnf" if name == "cnf" else "formula.wcnf")
        with path.open("w", newline="") as out:
            out.write(heads.get(name, ""))
            out.writelines(lines)
        yield name, path, "sat" if name == "cnf" else "maxsat"


def measured(*command: str) -> tuple[float, float]:
    """CPU seconds and peak MiB."""
    run = drivers.get("local")([sys.executable, *command], stdout=None, stderr=None)
    assert run.exit_code == 0
    return run.cpu_s, run.peak_mib


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--mb", type=int, default=100)
    mb = parser.parse_args().mb
    print(f"{'':<14}{'lint s':>8}{'MiB':>7}{'identity s':>12}{'MiB':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, path, track in forms(mb, Path(folder)):
            lint = measured("-m", "wcnfgen", "lint", "--quiet", "--track", track, str(path))
            identity = measured("-c", IDENTITY, str(path))
            print(
                f"{name:<14}{lint[0]:>8.1f}{lint[1]:>7.0f}{identity[0]:>12.1f}{identity[1]:>7.0f}", flush=True
            )


if __name__ == "__main__":
    main()
