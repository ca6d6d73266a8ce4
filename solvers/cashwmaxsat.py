"""CASHWMaxSAT, made from UWrMaxSat and with its options.

The Evaluations' files have several programs, which are named after what they are linked with.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="CASHWMaxSAT",
    url="https://maxsat-evaluations.github.io/2024/descriptions.html",
    paper="",
    licence="MIT",
    install="it is in the archives of the Evaluations from 2021 to 2024",
    binary="cashwmaxsatcoreplus",
    argv=("{binary}", "{instance}", "-m", "-bm"),
    values="bits",
    fails_on=("empty soft",),
    signals="SIGTERM: as UWrMaxSat, v and s lines",
)
