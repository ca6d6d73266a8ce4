"""NuWLS-c, winner of the incomplete tracks of 2022 and 2023: local search, then TT-Open-WBO-Inc.

At cost 0 it does not stop, and prints comments without end, or it crashes.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="NuWLS-c",
    url="https://github.com/shaowei-cai-group/NuWLS-c",
    paper="10.1609/aaai.v37i4.25505",
    licence="MIT",
    install="compile it from https://github.com/shaowei-cai-group/NuWLS-c",
    binary="nuwls-c_static",
    compressed=(".gz",),
    values="bits",
    complete=False,
    fails_on=("empty soft", "no soft", "optimum 0"),
    signals="SIGTERM: s, o and v lines, exit 40; killed while it parses",
    quirks="endless comments or SIGFPE at cost 0; with weights it says SATISFIABLE of an optimum too",
    tried="NuWLS-c of MSE 2022 and 2023, 2026-11-30",
)
