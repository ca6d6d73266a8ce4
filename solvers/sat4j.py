"""Sat4j MaxSAT, in Java, as Debian packages it.

It prints each better cost but no model before the optimum; its models leave out variables that occur nowhere.
Its program on the PATH, ``sat4j``, is the SAT solver only.
"""

from wcnfgen.solvers import Solver

SOLVER = Solver(
    title="Sat4j MaxSAT",
    url="https://www.sat4j.org",
    paper="10.3233/SAT190075",
    licence="EPL-1.0 or LGPL-2.1",
    install="apt-get install sat4j default-jre-headless",
    binary="/usr/share/java/org.ow2.sat4j.maxsat.jar",
    argv=("java", "-jar", "{binary}", "{instance}"),
    formats=("wcnf-old",),
    compressed=(".gz",),
    values="literals",
    anytime=False,
    fails_on=("empty soft",),
    signals="SIGTERM: UNKNOWN without a model, although it printed costs; exit 143",
    quirks="no model before the optimum; refuses a file with an empty clause; exit 0 whatever it found",
    tried="sat4j 2.3.5, 2026-11-30",
)
