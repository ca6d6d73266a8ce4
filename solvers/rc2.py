"""RC2, the core-guided solver that comes with PySAT.

Exact; it has no model before it has the optimum, and ends without a word at a limit.  Its lower bounds are
in comments, ``c cost: 13``, live thanks to ``-u``.  It ends with exit code 0 whatever it found.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="RC2",
    url="https://pysathq.github.io",
    paper="10.3233/SAT190116",
    licence="MIT",
    install="pip install python-sat",
    module="pysat.examples.rc2",
    package="python-sat",
    argv=("{python}", "-u", "-m", "pysat.examples.rc2", "-vv", "{instance}"),
    compressed=(".gz", ".xz"),
    values="literals",
    anytime=False,
    fails_on=("empty soft",),
    signals="SIGTERM: ends without a word",
    quirks="no solution before the optimum; exit 0 whatever it found",
    tried="python-sat 1.9.dev24, 2026-11-30",
)
