"""Contact lenses."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import shipped


def generate() -> Dataset:
    """Lenses: which contact lenses fit, all 24 patients (Cendrowska 1987; UCI)."""
    return shipped("lenses")
