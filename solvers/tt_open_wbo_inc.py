"""TT-Open-WBO-Inc of 2024, Nadel's anytime solver, with NuWLS inside.

Its program is named after its SAT solver: ``tt-open-wbo-inc-Glucose4_1_static`` is the other one.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="TT-Open-WBO-Inc",
    url="https://github.com/alexander-nadel-academic/tt-open-wbo-inc",
    paper="10.3233/SAT-231504",
    licence="MIT",
    install="compile it from https://github.com/alexander-nadel-academic/tt-open-wbo-inc",
    binary="tt-open-wbo-inc-IntelSATSolver_static",
    compressed=(".gz",),
    values="bits",
    complete=False,
    fails_on=("empty soft",),
    signals="SIGTERM: s, o and v lines, exit 0; killed while it parses; out of memory: exit 50",
    quirks="with weights it says SATISFIABLE of an optimum too; hard is what weighs exactly the top",
    tried="TT-Open-WBO-Inc of October 2024 with IntelSAT, 2026-11-30",
)
