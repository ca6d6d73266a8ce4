"""toulbar2, an exact solver of cost function networks that reads the WCNF of before 2022.

It does not speak the Evaluation's protocol: our filter, `wcnfgen.shims.toulbar2`, translates what it says.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="toulbar2",
    url="https://toulbar2.github.io/toulbar2",
    paper="10.1007/s10601-016-9245-y",
    licence="MIT",
    install="apt-get install toulbar2",
    binary="toulbar2",
    asks=("--help",),
    argv=("{python}", "-m", "wcnfgen.shims.toulbar2", "{instance}", "--binary", "{binary}"),
    formats=("wcnf-old",),
    compressed=(".gz", ".xz"),
    values="bits",
    max_weight=2**33,
    signals="SIGTERM: o, s and v lines, exit 10; else 30, 20 or 0",
    quirks="with weights of 2^56 and more it may find no solution where there is one",
    tried="toulbar2 1.1.1, 2026-11-30",
)
