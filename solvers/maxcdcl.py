"""MaxCDCL, branch and bound with clause learning, for soft clauses that all weigh the same.

In the Evaluations it ran behind other solvers, in a script; this is the program alone.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="MaxCDCL",
    url="https://maxsat-evaluations.github.io/2024/descriptions.html",
    paper="10.4230/LIPIcs.CP.2021.38",
    licence="MIT",
    install="it is in the archives of the Evaluations from 2022 to 2024",
    binary="maxcdcl_static",
    compressed=(".gz",),
    values="bits",
    anytime=False,
    max_weight=1,
    line_buffer="pty",
    signals="SIGTERM: ends without a word",
    quirks="no model before the optimum; exit 0 whatever it found",
)
