"""Pacose, solution-improving search on the dynamic polynomial watchdog encoding.

It prints costs on the way, but no model before the optimum.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Pacose",
    url="https://github.com/tobipaxe/PacoseMaxSATSolver",
    paper="10.1007/978-3-319-94144-8_3",
    licence="MIT",
    install="compile it from https://github.com/tobipaxe/PacoseMaxSATSolver",
    binary="Pacose",
    formats=("wcnf",),
    compressed=(".gz",),
    values="bits",
    anytime=False,
    signals="SIGTERM: ends without a word; the format before 2022: exit 3",
    quirks="no model before the optimum; exit 0 whatever it found",
    tried="Pacose 2023 of April 2024, 2026-11-30",
)
