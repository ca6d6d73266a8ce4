"""What the Global Benchmark Database says of a formula: its hashes and base features, from gbdc.

The MaxSAT Evaluation knows its instances by the hash of GBD and selects by its base features.  gbdc, which
computes both, is an extension module in C++ that holds the whole formula, and what goes wrong in one
ends the process: it runs in a child, ``python -m wcnfgen.gbd FILE``, within a time limit.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

log = logging.getLogger("wcnfgen")

Features = dict[str, int | float | str]
WALL_S = 600.0  # far more than 500 MB take


def features(file: Path, *, wall_s: float = WALL_S) -> Features:
    """Hashes and base features of a file (.cnf, else WCNF; also .gz, .xz), {} without gbdc.

    ``hash`` is the identity that the Evaluation uses, ``isohash`` does not change with the names of
    variables; the others are called as gbdc calls them.  {} and a warning where gbdc fails.
    """
    if not installed():
        return {}
    command = [sys.executable, "-m", "wcnfgen.gbd", str(file)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=wall_s, check=True)
        found: Features = json.loads(_last_line(done.stdout))
        return found
    except subprocess.TimeoutExpired:
        why = f"no answer within {wall_s:g} s"
    except subprocess.CalledProcessError as error:
        why = _last_line(error.stderr) or f"it ended with {error.returncode}"
    except ValueError:
        why = "it said something else"
    log.warning("%s: no features of GBD: gbdc: %s", file.name, why)
    return {}


@cache
def installed() -> bool:
    """Whether gbdc is there; a note, once, if not."""
    found = find_spec("gbdc") is not None
    if not found:
        log.info("gbdc is not installed (extra: gbd): no hashes and features of GBD")
    return found


def _last_line(text: bytes) -> str:
    return text.decode("utf-8", "replace").strip().rpartition("\n")[2]


def extract(file: str) -> Features:
    """Ask gbdc in this process."""
    import gbdc

    decision = Path(file.removesuffix(".gz").removesuffix(".xz")).suffix == ".cnf"
    if decision:
        hashes = {"hash": gbdc.gbdhash(file), "isohash": gbdc.isohash(file)}
        found: dict[str, Any] = gbdc.extract_base_features(file)
    else:
        hashes = {"hash": gbdc.wcnfhash(file), "isohash": gbdc.wcnfisohash(file)}
        found = gbdc.extract_wcnf_base_features(file)
    return hashes | {name: _number(found[name]) for name in sorted(found)}


def _number(value: int | float | str) -> int | float | str:
    """Whole numbers as such: gbdc counts clauses in floating point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


if __name__ == "__main__":
    sys.stdout.write(json.dumps(extract(sys.argv[1])))
