"""Fisher's flowers."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import shipped


def generate() -> Dataset:
    """Iris: three species by four lengths in cm, 150 flowers (Fisher 1936; UCI)."""
    return shipped("iris")
