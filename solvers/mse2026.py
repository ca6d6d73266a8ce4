"""Any binary of the Evaluation of 2026, in its calling form: ``./solver FILE SECONDS``.

Name the binary with ``--binary``; it learns the limit of wall time, and gets SIGTERM at it.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="a solver of MSE 2026",
    url="https://maxsat-evaluations.github.io/2026/rules.html",
    paper="",
    licence="its own",
    install="name it with --binary PATH",
    argv=("{binary}", "{instance}", "{wall_s}"),
    formats=("wcnf",),
    values="bits",
    signals="by the rules: a model on SIGTERM; exit 30 optimum, 10 a model, 20 unsatisfiable, 0 unknown",
    quirks="needs --wall, which it gets as its second argument",
)
