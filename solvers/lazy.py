"""LMS that adds rows as trees get them wrong, as `wcnfgen.searches.lazy` has it.

For pure trees in the encodings `size` and `exact`, whose formula it makes from the map in the file; on any
other file it is LMS.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="LMS with lazy rows",
    url="https://ojs.aaai.org/index.php/AAAI/article/view/5717",
    paper="10.1609/aaai.v34i04.5717",
    licence="MIT",
    install="it comes with wcnfgen; pip install python-sat",
    module="wcnfgen.searches.lazy",
    package="python-sat",
    argv=("{python}", "-m", "wcnfgen.searches.lazy", "{instance}"),
    compressed=(".gz", ".xz"),
    values="bits",
    signals="SIGTERM: o, s and v lines, exit 10; else 30, 20 or 0",
    quirks="believes the map in the file, not the clauses; runs CaDiCaL 1.9.5; needs Linux",
    tried="python-sat 1.9.dev24, 2026-11-30",
)
