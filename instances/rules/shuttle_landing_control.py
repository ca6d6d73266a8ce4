"""The Space Shuttle's autolander."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import shipped


def generate() -> Dataset:
    """Shuttle landing control: whether to land automatically, 15 rules (Michie 1988; UCI).

    ``?`` in the table means "any value": read it as a value of its own with ``--missing category``.
    """
    return shipped("shuttle-landing-control")
