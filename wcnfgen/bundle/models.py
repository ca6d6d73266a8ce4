"""The best model known of an instance, as a file that a solver could have printed.

``models/NAME.sol`` has the lines of the Evaluation's protocol, the model as one string of 0 and 1, so that
any verifier takes it, ours too: ``wcnfgen verify instances/NAME.wcnf.xz models/NAME.sol``.  A comment says
who found it and for which formula.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wcnfgen import output, verdict
from wcnfgen.errors import FormatError
from wcnfgen.files import atomic, open_read
from wcnfgen.output import Answer

log = logging.getLogger("wcnfgen")

_HEAD = re.compile(rb"c found by (?P<by>[^\n]*)\nc formula sha256 (?P<sha256>[0-9a-f]{64})\n")


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A model with who found it and the SHA-256 of the formula's text; its cost is None for a CNF."""

    by: str
    sha256: str
    proved: bool
    cost: int | None
    answer: Answer

    def model(self, variables: int) -> NDArray[np.bool_]:
        """The assignment, indexed by variable."""
        assert self.answer.model is not None  # `read` takes no file without one
        return np.concatenate([[False], self.answer.model.assignment(variables, "bits")])


def place(folder: Path, name: str) -> Path:
    """The file of an instance's model in the folder of models."""
    return folder / f"{name}.sol"


def write(
    target: Path, model: NDArray[np.bool_], cost: int | None, *, by: str, sha256: str, proved: bool = False
) -> None:
    """Write a model, indexed by variable, that was verified; cost None: nothing is optimised."""
    with atomic(target) as out:
        out.write(f"c found by {' '.join(by.split())}\nc formula sha256 {sha256}\n".encode())
        out.write(b"" if cost is None else b"o %d\n" % cost)
        out.write(b"s OPTIMUM FOUND\n" if proved else b"s SATISFIABLE\n")
        out.write(b"v " + _bits(model) + b"\n")


def answer(model: NDArray[np.bool_]) -> Answer:
    """A model, indexed by variable, as a solver's answer that claims nothing else."""
    return output.parse([b"v " + _bits(model) + b"\n"])


def _bits(model: NDArray[np.bool_]) -> bytes:
    return (model[1:].astype(np.uint8) + ord("0")).tobytes()


def of_formula(source: Path, sha256: str) -> Known | None:
    """The model that a file has of the formula with this digest; None, with a warning, if it has none."""
    if not source.is_file():
        return None
    try:
        known = read(source)
    except FormatError as error:
        log.warning("%s; it does not count", error)
        return None
    if known.sha256 != sha256:
        log.warning("%s: a model of another formula; it does not count", source)
        return None
    return known


def holds(instance: Path, known: Known) -> bool:
    """Whether the model satisfies the hard clauses of the instance at the cost that its file says."""
    found = verdict.judge(instance, known.answer, values="bits").verdict
    return found.falsified == 0 and known.cost in (None, found.cost)


def read(source: Path) -> Known:
    """Read a model back.  Raises FormatError for any other file."""
    with open_read(source) as stream:
        text = stream.read()
    head = _HEAD.match(text)
    found = output.parse([text])
    if head is None or found.model is None or found.cut:
        raise FormatError(f"{source}: not a model that wcnfgen wrote")
    by, sha256 = head["by"].decode("utf-8", "replace"), head["sha256"].decode()
    return Known(by, sha256, found.status == "OPTIMUM FOUND", found.cost, found)
