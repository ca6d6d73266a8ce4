"""LSU, the linear search from above that comes with PySAT; for unweighted instances only.

It prints each better cost, but no model before the optimum.  With weights it can fail, or print the same cost
for ever.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="LSU",
    url="https://pysathq.github.io",
    paper="10.1007/978-3-319-94144-8_26",
    licence="MIT",
    install="pip install python-sat",
    module="pysat.examples.lsu",
    package="python-sat",
    argv=("{python}", "-m", "pysat.examples.lsu", "-m", "-v", "{instance}"),
    compressed=(".gz", ".xz"),
    values="literals",
    anytime=False,
    max_weight=1,
    signals="SIGTERM: ends without a word",
    quirks="no model before the optimum",
    tried="python-sat 1.9.dev24, 2026-11-30",
)
