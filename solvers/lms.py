"""LMS, the linear search from above of the MPDT paper, as `wcnfgen.searches.lms` has it.

Exact and anytime: each better cost as it is found, and the best model at the end or when it gets SIGTERM.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="LMS",
    url="https://arxiv.org/abs/2110.13854",
    paper="10.48550/arXiv.2110.13854",
    licence="MIT",
    install="it comes with wcnfgen; pip install python-sat",
    module="wcnfgen.searches.lms",
    package="python-sat",
    argv=("{python}", "-m", "wcnfgen.searches.lms", "{instance}"),
    compressed=(".gz", ".xz"),
    values="bits",
    signals="SIGTERM: o, s and v lines, exit 10; else 30, 20 or 0",
    quirks="runs CaDiCaL 1.9.5; needs Linux",
    tried="python-sat 1.9.dev24, 2026-11-30",
)
