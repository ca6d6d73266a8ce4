"""Open-WBO-Inc of 2019, the ancestor of TT-Open-WBO-Inc.

It merges weights into clusters and may then claim an optimum that is none: with weights above 2^31 it does.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Open-WBO-Inc",
    url="https://github.com/sbjoshi/Open-WBO-Inc",
    paper="10.1007/978-3-319-98334-9_15",
    licence="MIT",
    install="compile it from https://github.com/sbjoshi/Open-WBO-Inc",
    binary="open-wbo-inc",
    formats=("wcnf-old",),
    misreads=("wcnf",),
    compressed=(".gz",),
    values="literals",
    complete=False,
    max_weight=2**31 - 1,
    fails_on=("empty soft", "no soft"),
    line_buffer="pty",
    signals="SIGTERM: s, o and v lines, exit 40; unsatisfiable hard clauses: UNKNOWN, exit 50",
    quirks="its OPTIMUM FOUND may be wrong",
    tried="Open-WBO-Inc of September 2019, 2026-11-30",
)
