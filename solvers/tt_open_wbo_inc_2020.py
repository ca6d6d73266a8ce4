"""TT-Open-WBO-Inc of the Evaluation of 2020, which prints every model that it finds.

Its only s line comes first and is ``s SATISFIABLE``, also where it goes on to prove the optimum; then come
pairs of an o line and a v line.  With ``-print_every_model=0`` it prints as its successors do.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="TT-Open-WBO-Inc 2020",
    url="https://maxsat-evaluations.github.io/2020/descriptions.html",
    paper="10.3233/SAT-231504",
    licence="MIT",
    install="it is in the archive of the Evaluation of 2020",
    binary="tt-open-wbo-inc",
    compressed=(".gz",),
    values="bits",
    complete=False,
    fails_on=("empty soft", "no soft"),
    signals="SIGTERM: nothing more, exit 40; only exit code 30 tells an optimum",
    quirks="never says OPTIMUM FOUND; its output has all models, and gets long",
    tried="TT-Open-WBO-Inc of MSE 2020, 2026-11-30",
)
