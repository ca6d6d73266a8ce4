"""SATLike-c of the Evaluation of 2021: SATLike, then TT-Open-WBO-Inc.

It won the unweighted incomplete tracks; the one of 2020 goes on with Loandra.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="SATLike-c",
    url="https://maxsat-evaluations.github.io/2021/descriptions.html",
    paper="10.1016/j.artint.2020.103354",
    licence="MIT",
    install="compile it from the sources of the Evaluation of 2021",
    binary="satlike-c",
    formats=("wcnf-old",),
    complete=False,
    signals="SIGTERM: s, o and v lines, exit 40, as all solvers made from Open-WBO",
    quirks="hard is what weighs exactly the top",
)
