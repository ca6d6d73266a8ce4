"""Quinlan's fourteen days."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import shipped


def generate() -> Dataset:
    """Weather: whether to play tennis, 14 days (Quinlan 1986, Table 1)."""
    return shipped("weather")
