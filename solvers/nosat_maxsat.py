"""noSAT-MaxSAT v3 of the Evaluation of 2024, local search without a SAT solver.

In a file of the format before 2022 it takes hard clauses for soft ones, and a compressed one for an empty
formula, both without a word.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="noSAT-MaxSAT",
    url="https://maxsat-evaluations.github.io/2024/descriptions.html",
    paper="",
    licence="MIT",
    install="it is in the archive of the Evaluation of 2024",
    binary="noSAT-MaxSAT",
    formats=("wcnf",),
    misreads=("wcnf-old",),
    values="bits",
    complete=False,
    fails_on=("empty soft",),
    line_buffer="pty",
    signals="SIGTERM: s, o and v lines; exit 30 at cost 0, else 10, 20 or 0",
    quirks="says OPTIMUM FOUND only at cost 0, and UNSATISFIABLE only of an empty hard clause",
    tried="noSAT-MaxSAT v3 of MSE 2024, 2026-11-30",
)
