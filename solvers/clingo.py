"""clasp, as it comes with the Python package of clingo.

Reads the format before 2022 only, and soft weights below 2^31.  ``-q1,0``: every better cost as it is found,
but only the last model, at the end or when it gets SIGTERM.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="clasp (clingo)",
    url="https://potassco.org/clasp",
    paper="10.1016/j.artint.2012.04.001",
    licence="MIT",
    install="pip install clingo",
    module="clingo",
    package="clingo",
    argv=("{python}", "-m", "clingo", "--mode=clasp", "-q1,0", "{instance}"),
    formats=("wcnf-old",),
    values="literals",
    max_weight=2**31 - 1,
    fails_on=("no soft",),
    signals="SIGTERM: v, o and s lines, exit 11; else 0 whatever it found, also of a file it cannot read",
    quirks="without soft clauses it answers SATISFIABLE with no cost; wraps its model over many v lines",
    tried="clingo 5.8.3, 2026-11-30",
)
