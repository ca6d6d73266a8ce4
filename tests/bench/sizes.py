"""The sizes of our formulas beside Table 3 of Narodytska et al. (2018), as a table for the README.

    python tests/bench/sizes.py ../shared/data

The data are theirs (one-hot, two classes) but for Income: a sample of 977 rows of it, every value of
every column a binary one.  Equal rows are merged, and no column is left out.  A cell says variables,
clauses, literals and bytes.  Table 3 names no unit and no number of nodes; in bytes, and
with 17 nodes, our paper form comes closest to DT1.  DT2 is the formula of Bessiere et al. (2009).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from wcnfgen import encodings, writer
from wcnfgen.encodings import Encoding
from wcnfgen.prepare import prepare
from wcnfgen.rows import Problem

FILES: dict[str, tuple[str, dict[str, Any]]] = {
    "Weather": ("narodytska/weather.csv", {}),
    "Mouse": ("narodytska/mouse.csv", {}),
    "Cancer": ("narodytska/cancer.csv", {}),
    "Car": ("narodytska/car.csv", {}),
    "Income": ("uci/adult-sample.csv", {"missing": "category", "binning": "none"}),
}
PRINTED = {
    "DT2, depth 4, as printed": ("27K", "3.5M", "92G", "842M", "354G"),
    "DT1, depth 4, as printed": ("190K", "1.2M", "5.2M", "4.1M", "1.2G"),
}
DEPTH, NODES = 4, 31
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "`exact --form paper`, 17 nodes": ("exact", {"nodes": 17, "form": "paper"}),
    "`exact`, 17 nodes": ("exact", {"nodes": 17}),
    "`exact --form paper`, 31 nodes": ("exact", {"nodes": NODES, "form": "paper"}),
    "`exact`, 31 nodes": ("exact", {"nodes": NODES}),
    "`fixed`, the complete tree": ("fixed", {"topology": "1" * (NODES // 2) + "0" * (NODES // 2 + 1)}),
    "`complete`": ("complete", {"depth": DEPTH}),
    "`paths`, 31 nodes": ("paths", {"ub": NODES, "depth": DEPTH}),
}


class Meter:
    """A file that only counts."""

    bytes = 0

    def write(self, text: Any) -> int:
        size = memoryview(text).nbytes
        self.bytes += size
        return size


def short(number: int) -> str:
    """Two or three digits and a letter."""
    for unit in ("", "K", "M"):
        if number < 999.5:
            return f"{number:.0f}{unit}" if number >= 10 or not unit else f"{number:.1f}{unit}"
        number /= 1000  # type: ignore[assignment]
    return f"{number:.1f}G"


def cell(encoding: Encoding) -> str:
    counts, meter = writer.count(encoding), Meter()
    writer.write(encoding, meter, format="cnf" if encoding.decision else "wcnf", counts=counts)  # type: ignore[arg-type]
    return ", ".join(map(short, (counts.variables, counts.hard + counts.soft, counts.literals, meter.bytes)))


def problems(folder: Path) -> dict[str, Problem]:
    """One for each file."""
    return {
        name: prepare(str(folder / file), reduce=False, **options).problem
        for name, (file, options) in FILES.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the data files are")
    found = problems(parser.parse_args().folder)
    lines = [("", *found), ("---",) * (len(found) + 1)]
    lines.append(("rows merged, columns", *(f"{p.rows} of {p.weight}, {p.features}" for p in found.values())))
    lines += [(label, *sizes) for label, sizes in PRINTED.items()]
    for label, (name, options) in OURS.items():
        lines.append((label, *(cell(encodings.get(name)(p, **options)) for p in found.values())))
    for line in lines:
        print("|", " | ".join(line), "|")


if __name__ == "__main__":
    main()
