"""UWrMaxSat as a Python wheel, in hermax, through our own program that speaks the Evaluation's protocol.

Exact, and its best model on SIGTERM; no costs on the way, since the library does not tell them.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="UWrMaxSat (hermax)",
    url="https://pypi.org/project/hermax",
    paper="10.1109/ICTAI50040.2020.00031",
    licence="MIT, in a wrapper under Apache-2.0",
    install="pip install hermax",
    module="wcnfgen.shims.uwrmaxsat",
    package="hermax",
    needs="hermax",
    argv=("{python}", "-m", "wcnfgen.shims.uwrmaxsat", "{instance}"),
    compressed=(".gz", ".xz"),
    values="bits",
    signals="SIGTERM: o, s and v lines, exit 10; else 30, 20 or 0",
    quirks="no costs on the way",
    tried="hermax 1.2.10, 2026-11-30",
)
