"""SATLike 3.x, the local search that many anytime solvers have inside.

It prints each better cost and, on SIGTERM, its model, but never an s line.  Left alone it ends after 300 s
without a model, and at cost 0 it crashes.  The format of 2022 it reads as rubbish.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="SATLike 3",
    url="https://maxsat-evaluations.github.io/2019/descriptions.html",
    paper="10.1016/j.artint.2020.103354",
    licence="GPL-3.0",
    install="3.0 is in https://github.com/AcademicSubmission/IJCAI2024-p3562, under SMAC",
    binary="SATLike3.0",
    formats=("wcnf-old",),
    misreads=("wcnf",),
    values="literals",
    complete=False,
    fails_on=("empty soft", "no soft", "no hard", "optimum 0"),
    signals="SIGTERM: v line, exit 10; exit -6 while it parses",
    quirks="no s line; ends after 300 s without a model, so set --wall below; SIGFPE at cost 0",
    tried="SATLike 3.0 and 3.3.1, 2026-11-30",
)
