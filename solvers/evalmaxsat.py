"""EvalMaxSAT, core-guided on CaDiCaL; no solution before the optimum."""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="EvalMaxSAT",
    url="https://github.com/FlorentAvellaneda/EvalMaxSAT",
    paper="",
    licence="GPL-3.0",
    install="compile it from https://github.com/FlorentAvellaneda/EvalMaxSAT",
    binary="EvalMaxSAT_bin",
    compressed=(".gz",),
    values="bits",
    anytime=False,
    signals="SIGTERM: UNKNOWN, exit 0; exit -6 while it parses",
    quirks="one cost, at the end; versions before 2022 begin with the cost 2^64-1, which means none",
    tried="EvalMaxSAT of August 2025, 2026-11-30",
)
