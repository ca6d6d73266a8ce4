"""toulbar2, a solver of cost function networks that reads WCNF but answers in words of its own.

With ``-s`` its program prints ``New solution: 24`` and, in the next line, the values of all variables; at the
end ``Optimum: 24`` or ``No solution``.  Here these lines become those of the Evaluation, as they come.
"""

from __future__ import annotations

import signal
import subprocess

import numpy as np

from wcnfgen.errors import SolverError
from wcnfgen.searches._program import Remark, Telling
from wcnfgen.shims._formula import Best, Formula

UNSATISFIABLE = (b"No solution in", b"No solution found by initial")  # "found in": it was stopped


def start(file: str, *, binary: str = "toulbar2") -> Telling:
    """toulbar2 on a file of the format before 2022, whose name ends in .wcnf."""
    formula = Formula(file)
    best = Best(formula)
    try:
        process = subprocess.Popen([binary, file, "-s"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    except OSError as error:
        raise SolverError(f"{binary}: cannot start: {error.strerror}") from error
    signal.signal(signal.SIGTERM, lambda number, _: process.send_signal(number))
    with process:
        for line in process.stdout or ():
            words = line.split()
            if words and set(words) <= {b"0", b"1"}:
                yield from best.take(np.array(words) == b"1")
            elif line.startswith(b"Optimum:"):
                yield best.optimal(int(words[1]) - formula.constant)
            elif line.startswith(UNSATISFIABLE):
                yield best.unsatisfiable()
            else:
                yield Remark(line.decode("utf-8", "replace").strip())


if __name__ == "__main__":
    from wcnfgen.searches._program import main

    raise SystemExit(main(start, asked=True))
