"""LSU, the linear search from above that comes with PySAT; for unweighted instances only.

It prints each better cost, but no model before the optimum.  With weights, and also with equal or opposite
unit soft clauses (which amount to weights), it can fail or print the same cost for ever.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="LSU",
    url="https://pysathq.github.io",
    paper="10.1007/978-3-319-94144-8_26",
    licence="MIT",
    install="pip install python-sat",
    module="pysat.examples.lsu",
    argv=("{python}", "-m", "pysat.examples.lsu", "-m", "-v", "{instance}"),
    compressed=(".gz", ".xz"),
    values="literals",
    anytime=False,
    max_weight=1,
    quirks="no model before the optimum; endless on equal or opposite soft clauses",
    tried="python-sat 1.9.dev24, 2026-11-30",
)
