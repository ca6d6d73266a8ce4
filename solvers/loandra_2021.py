"""Loandra up to the Evaluation of 2021, core-boosted linear search; it reads the format before 2022 only.

A file of the format of 2022 that has no hard clause is read as plain clauses, all other ones are refused.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Loandra 2021",
    url="https://github.com/jezberg/loandra",
    paper="10.1007/978-3-030-19212-9_3",
    licence="MIT",
    install="compile it from https://github.com/jezberg/loandra, before 2022",
    binary="loandra",
    formats=("wcnf-old",),
    misreads=("wcnf",),
    compressed=(".gz",),
    values="bits",
    fails_on=("no soft",),
    line_buffer="pty",
    signals="SIGTERM: s, o and v lines, exit 40; killed while it parses; the format of 2022: exit 3",
    quirks="no o line where there is no soft clause; the last cost may be worse than one before",
    tried="Loandra 1.0 of July 2021, 2026-11-30",
)
