"""clasp, the solver inside clingo, as Debian packages it.

Reads the format before 2022 only, and soft weights below 2^31.  ``-q1,0``: every better cost as it is found,
but only the last model, at the end or when it gets SIGTERM; without it, every model.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="clasp",
    url="https://potassco.org/clasp",
    paper="10.1016/j.artint.2012.04.001",
    licence="MIT",
    install="apt-get install clasp",
    binary="clasp",
    asks=("--version",),
    argv=("{binary}", "-q1,0", "{instance}"),
    formats=("wcnf-old",),
    values="literals",
    max_weight=2**31 - 1,
    fails_on=("no soft",),
    signals="SIGTERM: v, o and s lines, exit 11; else 30, 20, 10, out of memory 43, not read 65 or 128",
    quirks="without soft clauses it answers SATISFIABLE with no cost; wraps its model over many v lines",
    tried="clasp 3.3.5, 2026-11-30",
)
