"""The instances of a campaign, one line each in `instances.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wcnfgen.campaign.tables import of_json

FILE = "instances.csv"
KINDS = ("unweighted", "weighted", "CNF")  # the classes of the MaxSAT Evaluation, and what has no objective


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance and what is known of it before anything runs.

    name             unique in the campaign, as its file's without ending
    path             relative to the campaign's folder
    sha256           of the file as it is; formula_sha256 of the unpacked text
    family           the name in the family's family.json, else of the folder that the file is in
    format           wcnf, wcnf-old or cnf
    variables, hard, soft, weight_sum   weight_sum of the soft clauses
    weighted         whether soft clauses differ in weight
    encoding, data   as its map says; empty without one
    parameters       what varies in the family, as its manifest says
    least_cost       a proved lower bound on the cost, as its map says
    known_cost       of the best model that the family or the map has: verified when that was written
    """

    name: str
    path: str
    sha256: str
    formula_sha256: str
    family: str
    format: str
    variables: int
    hard: int
    soft: int
    weight_sum: int
    weighted: bool
    encoding: str
    data: str
    parameters: Mapping[str, Any] = of_json()
    least_cost: int | None
    known_cost: int | None

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return "CNF" if self.format == "cnf" else "weighted" if self.weighted else "unweighted"
