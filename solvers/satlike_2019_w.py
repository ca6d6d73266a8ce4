"""SATLike(w) of the Evaluation of 2019, in the version with options.

Its model comes with ``-p`` and only when its own time limit, ``-m``, is over; SIGTERM ends it without one.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="SATLike-w 2019",
    url="https://github.com/ShaswataJash/Satlike",
    paper="10.1016/j.artint.2020.103354",
    licence="Apache-2.0",
    install="compile it from https://github.com/ShaswataJash/Satlike",
    binary="satlikew",
    argv=("{binary}", "-p", "-m", "{own_s}", "{instance}"),
    formats=("wcnf-old",),
    misreads=("wcnf",),
    values="literals",
    anytime=False,
    complete=False,
    fails_on=("empty soft", "no soft"),
    signals="SIGTERM: an o line, no model, exit 10",
    quirks="no s line, one cost; its own limit is set from --wall, and counts CPU time",
    tried="SATLike-w of MSE 2019, 2026-11-30",
)
