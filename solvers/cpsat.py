"""CP-SAT of OR-tools, through our own program that speaks the Evaluation's protocol; one thread."""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="CP-SAT",
    url="https://developers.google.com/optimization",
    paper="10.4230/LIPIcs.CP.2023.3",
    licence="Apache-2.0",
    install="pip install ortools",
    module="wcnfgen.shims.cpsat",
    package="ortools",
    needs="ortools",
    argv=("{python}", "-m", "wcnfgen.shims.cpsat", "{instance}"),
    compressed=(".gz", ".xz"),
    values="bits",
    max_weight=2**62 - 1,
    signals="SIGTERM: o, s and v lines, exit 10; else 30, 20 or 0",
    tried="ortools 9.15.6755, 2026-11-30",
)
