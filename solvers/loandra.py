"""Loandra of 2022 and 2023, core-boosted linear search with preprocessing.

Without ``-old-format`` it takes a file of the format before 2022 for one in which all clauses are soft, and
that of 2023 prints a model only with ``-print-model``.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Loandra",
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
    fails_on=("no soft",),
    line_buffer="pty",
    signals="SIGTERM: s, o and v lines, exit 40; killed while it parses; out of memory: exit 50, no model",
    quirks="the last cost may be worse than one before; 2023: no model of what preprocessing solves alone",
    tried="Loandra of August 2023, with another MaxPRE, 2026-11-30",
)
