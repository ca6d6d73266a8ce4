"""Where instances come from: data sets that a rule generates, and benchmark families made of them.

``rules/`` holds the data sets: one file per rule, found because it is there.  A rule needs no file
of the user, scales with its parameters, and its small solutions are known or easy to bound, so it
serves tests, tours and crafted benchmarks alike.  `wcnfgen.instances.rules` states the contract
and how to add one.  ``data/`` holds the few tables too short to follow a rule.

A *family* turns data sets into MaxSAT instances; it will have its own files and contract in this
folder, beside ``rules/``, and calls `generate` for its data.
"""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset, Option, Rule, generate, get, names, write_csv

__all__ = ["Dataset", "Option", "Rule", "generate", "get", "names", "write_csv"]
