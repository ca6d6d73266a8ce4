"""One instance of a family: planned, found fit or left out with the reason, written, checked.

Fit is what an organiser keeps: soft clauses, hard clauses that a stored model satisfies, an optimum that is
not 0, and a size that can be read.  What was written is read again: the model is judged by the file's
clauses, not by the encoding.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from wcnfgen import gbd, identity, making, writer
from wcnfgen.bundle import models, nonzero, witness
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row, Satisfiable
from wcnfgen.errors import WcnfgenError
from wcnfgen.files import atomic, safe, sha256
from wcnfgen.instance import Instance
from wcnfgen.instances import Spec, Track
from wcnfgen.tree import size
from wcnfgen.verdict import judge

log = logging.getLogger("wcnfgen")

Packing = Literal["xz", "gz", "none"]
MIB = 1 << 20
_UNKNOWN = re.compile(r"[-.]?[a-z]*\{\w+\}")  # a part of a name that only the plan knows
NAME_LENGTH = 180  # an ending comes behind it


@dataclass(frozen=True, slots=True)
class Settings:
    """Where instances go and what fits; the same for all of a family."""

    folder: Folder
    track: Track
    max_mb: float = 500.0
    packing: Packing = "xz"


class LeftOutError(Exception):
    """The instance is none of the family; the message says why."""


def plain_name(name: str) -> str:
    """A name that every tool of the Evaluation takes."""
    return safe(name.lstrip(".-"), NAME_LENGTH)


def about(spec: Spec) -> Row:
    """What is known of an instance before it is planned."""
    return Row(
        name=plain_name(_UNKNOWN.sub("", spec.name)),
        status="left out",
        encoding=spec.encoding,
        format=spec.format,
        options=dict(spec.options),
        data=spec.data.name,
        source="file" if spec.data.kind == "file" else f"{spec.data.kind}:{spec.data.of}",
        parameters=dict(spec.parameters),
    )


def left_out(spec: Spec, why: str) -> Row:
    """The line of an instance that is not there."""
    return replace(about(spec), why=why)


def plan(spec: Spec, data: Path) -> Instance:
    """The instance of a spec.  Raises WcnfgenError."""
    format = "cnf" if spec.format == "cnf" else None
    with _without_advice():
        return making.make(str(data), spec.encoding, dict(spec.options), format=format)


@contextmanager
def _without_advice() -> Iterator[None]:
    """What is odd about a data set is nothing that one who makes a family of it can change."""
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def predict(spec: Spec, data: Path, settings: Settings) -> Row:
    """What `make` would say of the size, without writing; a chain has the size of its first round."""
    try:
        instance = plan(spec, data)
        row = _sized(instance, spec, settings)
    except (LeftOutError, WcnfgenError) as error:
        return left_out(spec, str(error))
    return row


def make(spec: Spec, data: Path, settings: Settings) -> Row:
    """Plan and write; what cannot be is left out with its reason."""
    try:
        instance = plan(spec, data)
    except WcnfgenError as error:
        return left_out(spec, str(error))
    return write(instance, spec, settings)


def write(instance: Instance, spec: Spec, settings: Settings) -> Row:
    """Write an instance, its model and its line.  Raises WcnfgenError where a file cannot be written."""
    try:
        row = _sized(instance, spec, settings)
        model = _model(instance, settings.track)
        row = _not_zero(row, instance, settings.track)
        row = _written(row, instance, spec, settings)
    except LeftOutError as error:
        return left_out(spec, str(error))
    if model is not None:
        row = _with_model(row, model, settings.folder, instance)
    file = settings.folder.path / row.file
    features = {name: str(value) for name, value in gbd.features(file).items()}
    return replace(row, identity=identity.of(file), gbd=features)


def _sized(instance: Instance, spec: Spec, settings: Settings) -> Row:
    counts = instance.counts
    if settings.track == "maxsat" and not counts.soft:
        raise LeftOutError("no soft clauses: the Evaluation takes none without")
    estimate = writer.estimate(instance.encoding, spec.format)
    if estimate > settings.max_mb * MIB:
        raise LeftOutError(f"about {estimate / MIB:.0f} MB, more than --max-mb {settings.max_mb:g}")
    weights = dict(_weights(instance)) if spec.format != "cnf" else {}
    return replace(
        about(spec),
        name=plain_name(_filled(spec.name, instance)),
        status="written",
        options={**spec.options, **instance.encoding.options},
        data_sha256=instance.prepared.sha256,
        command=instance.command,
        variables=counts.variables,
        hard=counts.hard,
        soft=sum(weights.values()),
        literals=counts.literals,
        bytes=estimate,
        weight_min=min(weights, default=None),
        weight_max=max(weights, default=None),
        weight_distinct=len(weights) or None,
        weight_sum=sum(weight * number for weight, number in weights.items()) if weights else None,
        least_cost=instance.plan.least_cost if weights else None,
    )


def _weights(instance: Instance) -> Iterator[tuple[int, int]]:
    """How many soft clauses have each weight."""
    numbers: dict[int, int] = {}
    for weight, block in instance.encoding.soft():
        if len(block):
            numbers[weight] = numbers.get(weight, 0) + len(block)
    yield from numbers.items()


def _filled(name: str, instance: Instance) -> str:
    """The name with what only the plan knows."""
    known: dict[str, Any] = dict(instance.encoding.options)
    if instance.witness is not None:
        known["nodes"] = known.get("nodes") or size(instance.witness)
    try:
        return name.format(**known)
    except KeyError as error:
        raise LeftOutError(f"its name {name} asks for {error}, which the encoding does not settle") from error


def _model(instance: Instance, track: Track) -> NDArray[np.bool_] | None:
    model = witness.find(instance)
    if model is None and track == "maxsat":
        raise LeftOutError("no model is known: the hard clauses are not shown to be satisfiable")
    return model


def _not_zero(row: Row, instance: Instance, track: Track) -> Row:
    if track == "sat":
        return row
    shown, least, _ = nonzero.shown(instance)
    if shown == "zero":
        raise LeftOutError("the optimum is 0: the Evaluation takes no such instances")
    return replace(row, nonzero=shown, least_cost=max(least, row.least_cost or 0))


def _written(row: Row, instance: Instance, spec: Spec, settings: Settings) -> Row:
    """Write the file; the sums are of the text and of the file."""
    ending = {"xz": ".xz", "gz": ".gz", "none": ""}[settings.packing]
    target = settings.folder.instances / f"{row.name}.{spec.format}{ending}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic(target) as out:
        text = _Measured(out, settings.max_mb)
        instance.write(cast(Any, text), spec.format)
    file = str(target.relative_to(settings.folder.path))
    return replace(
        row, file=file, bytes=text.size, sha256=text.sha256.hexdigest(), file_sha256=sha256(target)
    )


class _Measured:
    """A stream that hashes what is written and stops where it is too much."""

    def __init__(self, out: Any, max_mb: float):
        self._out, self._max_mb = out, max_mb
        self.sha256 = hashlib.sha256()
        self.size = 0

    def write(self, data: Any) -> int:
        """Write it."""
        self.sha256.update(data)
        self.size += memoryview(data).nbytes  # what the writer hands over may have rows, which len counts
        if self.size > self._max_mb * MIB:
            raise LeftOutError(f"more than --max-mb {self._max_mb:g}")
        return int(self._out.write(data))


def _with_model(row: Row, model: NDArray[np.bool_], folder: Folder, instance: Instance) -> Row:
    """Store the model that was known when the formula was planned."""
    cost = judged(row, model, folder, instance)
    return known(replace(row, witness_cost=cost), model, cost, "wcnfgen", "", folder)


def judged(row: Row, model: NDArray[np.bool_], folder: Folder, instance: Instance) -> int | None:
    """What a model costs by the clauses of the file that was written; None for a CNF.

    Raises WcnfgenError where it is none, which is an error of ours.
    """
    train = None if instance.map["rows"] else instance.prepared
    answer = models.answer(model)
    verdict = judge(folder.path / row.file, answer, train=train, values="bits").verdict
    if not verdict.ok:
        wrong = "; ".join(map(str, verdict.findings)) or "the model that was to be stored is none"
        raise WcnfgenError(f"{row.file}: {wrong}")
    return None if verdict.decision else verdict.cost


def known(
    row: Row, model: NDArray[np.bool_], cost: int | None, by: str, proved_by: str, folder: Folder
) -> Row:
    """Write a judged model beside its instance, and its line."""
    if not proved_by and cost is not None and cost <= (row.least_cost or 0):
        proved_by = "bound"
    target = models.place(folder.models, row.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    before = models.read(target) if target.is_file() else None
    if before and before.sha256 == row.sha256 and before.cost is not None and before.cost < (cost or 0):
        cost, by, proved_by = before.cost, before.by, before.by if before.proved else ""
    else:
        models.write(target, model, cost, by=by, sha256=row.sha256, proved=bool(proved_by))
    proved = None if cost is None else bool(proved_by)
    answer: Satisfiable = "SAT" if cost is None else ""
    return replace(row, best_cost=cost, best_by=by, proved=proved, proved_by=proved_by, answer=answer)
