"""What of a run's output is true, as a file beside it.

To judge takes reading the whole formula, so the result is kept, with the digests of what it was made from:
another log, another instance or another version of ours makes it worthless.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wcnfgen import __version__, output, verdict
from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, open_log, sha256
from wcnfgen.output import Answer, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The truth about one run.

    wcnfgen   the version that judged
    instance_sha256, log_sha256   of the files as they are on disk
    values    how its models were read
    status    what the solver says; claimed the cost it says last, bound the largest lower bound it claims
    cost      of its last whole model, recomputed; None: there is none, or it falsifies hard clauses
    size, depth  of the model's tree; None: it is none
    right, rows  training rows that the tree classifies rightly, of so many; None: not checked
    findings  (kind, text) of each disagreement, see `wcnfgen.claims`
    notes     oddities that contradict nothing
    """

    wcnfgen: str
    instance_sha256: str
    log_sha256: str
    values: Values
    status: str | None
    claimed: int | None
    bound: int | None
    cost: int | None
    size: int | None
    depth: int | None
    right: int | None
    rows: int | None
    findings: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def judge(instance: Path, log: Path, values: Values) -> Judged:
    """Judge a log by its instance alone.  Raises FormatError where that is none."""
    answer = parse(log)
    found = verdict.judge(instance, answer, values=values).verdict
    trained = found.training
    return Judged(
        wcnfgen=__version__,
        instance_sha256=digest(instance),
        log_sha256=digest(log),
        values=values,
        status=found.status,
        claimed=found.claimed_cost,
        bound=max((bound for _, bound in answer.lower_bounds), default=None),
        cost=None if found.falsified else found.cost,
        size=found.size,
        depth=found.depth,
        right=trained.right if trained else None,
        rows=trained.rows if trained else None,
        findings=tuple((each.kind, each.text) for each in found.findings),
        notes=found.notes,
    )


def parse(log: Path) -> Answer:
    """What a solver claims."""
    with open_log(log) as stream:
        return output.parse(output.pieces(stream))


def model(log: Path, variables: int, values: Values) -> NDArray[np.bool_]:
    """The last model of a log that was judged to hold one, indexed by variable, so 1 + variables long."""
    found = parse(log).model
    if found is None:
        raise FormatError(f"{log}: no model")
    return np.concatenate([[False], found.assignment(variables, values)])


def digest(file: Path) -> str:
    """The SHA-256 of a file as it is on disk; empty if there is none."""
    return sha256(file) if file.is_file() else ""


def write(judged: Judged, target: Path) -> None:
    """Write it as JSON."""
    with atomic(target) as out:
        out.write(_json(asdict(judged)) + b"\n")


def _json(found: dict[str, Any]) -> bytes:
    return json.dumps(found, indent=1).encode("ascii")


def is_of(source: Path, instance_sha256: str) -> bool:
    """Whether there is a verdict of this version on that instance, as far as its first lines say."""
    head = _json({"wcnfgen": __version__, "instance_sha256": instance_sha256}).removesuffix(b"\n}") + b","
    try:
        with open(source, "rb") as stream:  # noqa: PTH123 - a hundred thousand times
            return stream.read(len(head)) == head
    except OSError:
        return False


def read(source: Path, instance_sha256: str, log_sha256: str | None) -> Judged | None:
    """What was judged before; None if that was not this version on these files.

    log_sha256 None: the log cannot have changed.
    """
    try:
        found: dict[str, Any] = json.loads(source.read_bytes())
        found = {each.name: found[each.name] for each in fields(Judged)}
        findings = tuple((kind, text) for kind, text in found["findings"])
        judged = Judged(**found | {"findings": findings, "notes": tuple(found["notes"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    of = (judged.wcnfgen, judged.instance_sha256, judged.log_sha256)
    return judged if of == (__version__, instance_sha256, log_sha256 or judged.log_sha256) else None
