"""UWrMaxSat, core-guided, with a MIP solver beside it where it was compiled with SCIP.

``-m -bm``: a WCNF file, whatever its name, and a model of bits.  On SIGTERM the v line comes first.
With an empty soft clause it reports a wrong optimum.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="UWrMaxSat",
    url="https://github.com/marekpiotrow/UWrMaxSat",
    paper="10.1109/ICTAI50040.2020.00031",
    licence="MIT",
    install="compile it from https://github.com/marekpiotrow/UWrMaxSat",
    binary="uwrmaxsat",
    asks=("-h",),
    argv=("{binary}", "{instance}", "-m", "-bm"),
    values="bits",
    fails_on=("empty soft",),
    signals="SIGTERM: v and s lines, exit 10, or 0 without a model; while it parses it may hang",
    quirks="the Evaluations ran it with -no-sat, which shows no model before the optimum",
    tried="UWrMaxSat 1.7.4 without SCIP, 2026-11-30",
)
