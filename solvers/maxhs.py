"""MaxHS, implicit hitting sets with CPLEX.

It prints its model only with ``-printSoln``, and on SIGTERM only with ``-printBstSoln`` besides.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="MaxHS",
    url="https://github.com/fbacchus/MaxHS",
    paper="10.1007/978-3-642-23786-7_19",
    licence="MIT",
    install="compile it from https://github.com/fbacchus/MaxHS; it needs CPLEX",
    binary="maxhs",
    asks=("-version",),
    argv=("{binary}", "{instance}", "-printSoln", "-printBstSoln", "-no-printOptions"),
    formats=("wcnf-old",),
    compressed=(".gz",),
    values="bits",
    max_weight=2**53,
    line_buffer="pty",
    signals="SIGTERM: o and v lines with UNKNOWN",
    quirks="that UNKNOWN has a model; version 4 reads the format before 2022 only; weights are doubles",
)
