"""Loandra 2.2, of the Evaluation of 2024, with NuWLS inside.

Without ``-print-model`` it prints no model.  As its predecessor, it misreads the format before 2022.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Loandra 2.2",
    url="https://github.com/jezberg/loandra",
    paper="10.1007/978-3-030-19212-9_3",
    licence="MIT",
    install="compile it from https://github.com/jezberg/loandra",
    binary="loandra",
    argv=("{binary}", "-print-model", "{instance}"),
    formats=("wcnf",),
    misreads=("wcnf-old",),
    compressed=(".gz",),
    values="bits",
    signals="SIGTERM: s, o and v lines, exit 40; killed while it parses",
    quirks="the last cost may be worse than one before, and the first one a bound without a model",
    tried="Loandra 2.2 of February 2025, with another MaxPRE, 2026-11-30",
)
