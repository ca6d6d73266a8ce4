"""``wcnfgen solvers``: which solvers there are, and which are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from wcnfgen.solvers import Solver


def solvers() -> list[tuple[str, Solver]]:
    """List the solvers with a descriptor, and whether they are installed."""
    from wcnfgen import solvers

    return [(name, solvers.get(name)) for name in solvers.names()]


def present(result: list[tuple[str, Solver]], out: TextIO) -> int:
    """Print the list."""
    for name, solver in result:
        found = solver.find()
        out.write(f"{name}\n    {solver.title}, {solver.url}\n")
        out.write(f"    {found}\n" if found else f"    not found; {solver.install}\n")
        of = f" of the encoding {solver.encoding}" if solver.encoding else ""
        out.write(f"    reads {', '.join(solver.formats)}{of}; {'anytime' if solver.anytime else 'exact'}\n")
        if solver.quirks:
            out.write(f"    {solver.quirks}\n")
    return 0
