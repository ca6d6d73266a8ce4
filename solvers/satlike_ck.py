"""SATLike-ck, a variant of SATLike-c that won the weighted incomplete track of 60 s in 2021."""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="SATLike-ck",
    url="https://maxsat-evaluations.github.io/2021/descriptions.html",
    paper="10.1016/j.artint.2020.103354",
    licence="MIT",
    install="compile it from the sources of the Evaluation of 2021",
    binary="satlike-ck",
    formats=("wcnf-old",),
    complete=False,
    signals="SIGTERM: s, o and v lines, exit 40, as all solvers made from Open-WBO",
    quirks="hard is what weighs exactly the top",
)
