"""SPB-MaxSAT-c of the Evaluation of 2024, whose variants -Band and -FPS won its anytime tracks.

It is NuWLS-c with another local search: its program has the name and the first lines of NuWLS-c.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="SPB-MaxSAT-c",
    url="https://maxsat-evaluations.github.io/2024/descriptions.html",
    paper="10.24963/ijcai.2024/220",
    licence="MIT",
    install="it is in the archive of the Evaluation of 2024",
    binary="NuWLS-c_static",
    compressed=(".gz",),
    values="bits",
    complete=False,
    fails_on=("empty soft",),
    signals="SIGTERM: s, o and v lines, exit 40; killed while it parses",
    quirks="endless comments at cost 0; with weights it says SATISFIABLE of an optimum too",
    tried="SPB-MaxSAT-c of MSE 2024, 2026-11-30",
)
