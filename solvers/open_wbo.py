"""Open-WBO 2.1, the solver that many others are made from; core-guided, with upper bounds on the way.

A file of the format of 2022 that has no hard clause is read as plain clauses, all other ones are refused.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Open-WBO",
    url="https://github.com/sat-group/open-wbo",
    paper="10.1007/978-3-319-09284-3_33",
    licence="MIT",
    install="compile it from https://github.com/sat-group/open-wbo",
    binary="open-wbo",
    formats=("wcnf-old",),
    misreads=("wcnf",),
    compressed=(".gz",),
    values="literals",
    line_buffer="pty",
    signals="SIGTERM: s, o and v lines, exit 40; else 30, 20; the format of 2022: 3",
    tried="Open-WBO 2.1 of June 2019, 2026-11-30",
)
