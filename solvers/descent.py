"""MinDT's descent, one formula for each size, as `wcnfgen.searches.descent` has it.

For formulas of the encoding `size`, in whose variables it reports trees; it makes its own from their map.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="MinDT's descent",
    url="https://doi.org/10.24963/ijcai.2018/189",
    paper="10.24963/ijcai.2018/189",
    licence="MIT",
    install="it comes with wcnfgen; pip install python-sat",
    module="wcnfgen.searches.descent",
    package="python-sat",
    argv=("{python}", "-m", "wcnfgen.searches.descent", "{instance}"),
    encoding="size",
    compressed=(".gz", ".xz"),
    values="bits",
    signals="SIGTERM: o, s and v lines, exit 10; else 30, 20 or 0",
    quirks="only for formulas of the encoding size that hold their rows; runs CaDiCaL 1.9.5; needs Linux",
    tried="python-sat 1.9.dev24, 2026-11-30",
)
