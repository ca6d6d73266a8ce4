"""WMaxCDCL, branch and bound with clause learning; part of the portfolio that won the weighted track of 2023.

In the Evaluations it ran behind SCIP and MaxHS, in a script; this is the program alone.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="WMaxCDCL",
    url="https://github.com/jordicollcaballero/WMaxCDCL_Paper",
    paper="10.1016/j.cor.2025.107195",
    licence="MIT",
    install="compile it from https://github.com/jordicollcaballero/WMaxCDCL_Paper",
    binary="wmaxcdcl_static",
    compressed=(".gz",),
    values="bits",
    anytime=False,
    line_buffer="pty",
    signals="SIGTERM: ends without a word; SIGINT: exit 1",
    quirks="no model before the optimum; exit 0 whatever it found",
    tried="WMaxCDCL of MSE 2023, 2026-11-30",
)
