"""A run's key: the SHA-256 of all that may change what comes out.

That is the bytes of the instance; the solver as its program's bytes, version and arguments, and what its
descriptor says that changes what it is given; seed, limits, number of cores and driver.  It is not: the names
of instance and solver, places of files, in which order and by how many workers runs are made.

The text that is hashed is canonical JSON, ASCII with sorted keys and without blanks, and it is kept with each
run: so whoever finds a run knows what it is, and what differs from another.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wcnfgen import __version__
from wcnfgen.campaign.settings import Entrant
from wcnfgen.drivers import Limits
from wcnfgen.errors import SolverError
from wcnfgen.files import sha256
from wcnfgen.solvers import Solver

VERSION = 1  # of what is in a key
GIVEN = ("formats", "misreads", "compressed", "fails_on", "max_weight")  # change what a solver is given
Identity = dict[str, Any]


def identity(
    entrant: Entrant, descriptor: Solver, version: str, program: Path, files: Iterable[Path]
) -> Identity:
    """All of a solver that may change what it finds, as JSON types.

    program is its file, or that of its module; files are others that it runs.  Solvers that are our own also
    have our version.  Raises SolverError where a file cannot be read.
    """
    found = {
        "program": digest(program),
        "files": sorted(digest(file) for file in files),
        "version": version,
        "argv": list(descriptor.argv),
        "options": list(entrant.options),
        "line_buffer": entrant.line_buffer or descriptor.line_buffer,
        "wcnfgen": __version__ if is_ours(descriptor) else "",
        **{name: getattr(descriptor, name) for name in GIVEN},
    }
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}


def digest(file: Path) -> str:
    """The SHA-256 of a file of a solver.  Raises SolverError."""
    if not file.is_file():
        raise SolverError(f"{file}: a file of a solver is not there: see `files` and `binary`")
    return sha256(file)


def is_ours(descriptor: Solver) -> bool:
    """Whether code of wcnfgen takes part in the search, or in what it prints."""
    return any(word.startswith("wcnfgen.") for word in (descriptor.module, *descriptor.argv))


def common(limits: Limits, cores: int, driver: str) -> dict[str, Any]:
    """What runs of a campaign share, as JSON types."""
    hard = limits.hard_mib
    return {
        "version": VERSION,
        "cores": cores,
        "driver": driver,
        "limits": {
            "wall_s": _number(limits.wall_s),
            "cpu_s": _number(limits.cpu_s),
            "memory_mib": _number(limits.memory_mib),
            "memory_hard_mib": hard if hard < math.inf else None,
            "output_mib": _number(limits.output_mib),
            "grace_s": _number(limits.grace_s),
        },
    }


def _number(limit: float | None) -> float | None:
    return None if limit is None else float(limit)


def text(shared: Mapping[str, Any], solver: Identity, instance_sha256: str, seed: int | None) -> str:
    """What the key is the hash of."""
    return canonical({**shared, "solver": solver, "instance": instance_sha256, "seed": seed})


def canonical(value: Any) -> str:
    """JSON that is the same for equal values.

    >>> canonical({"b": 1, "a": [None, "é"]})
    '{"a":[null,"\\\\u00e9"],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def of(text: str) -> str:
    """The key: 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()
