"""Exact, a pseudo-Boolean solver with cutting planes, in its MaxSAT form of 2024.

On SIGTERM it says UNKNOWN and yet prints its best model; costs are only in the o lines on the way.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Exact",
    url="https://gitlab.com/JoD/exact",
    paper="",
    licence="AGPL-3.0",
    install="compile it from https://gitlab.com/JoD/exact; the package exact of PyPI is a library",
    binary="Exact",
    argv=("{binary}", "{instance}", "--format=wcnf", "--print-uniform=0", "--print-sol", "--verbosity=0"),
    formats=("wcnf",),
    values="bits",
    signals="SIGTERM: UNKNOWN and a v line, exit 10, or 0 without a model; else 30, 20",
    quirks="that UNKNOWN has a model, without an o line of its own",
    tried="Exact of MSE 2024, 2026-11-30",
)
