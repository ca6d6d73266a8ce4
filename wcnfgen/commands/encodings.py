"""``wcnfgen encodings``: which formulas there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from wcnfgen.encodings import Encoding


def encodings(*, layout_depth: int | None = None) -> list[type[Encoding]] | list[str]:
    """List the encodings: what each finds, and its source.

    examples:
      wcnfgen encodings
      wcnfgen encodings --layout-depth 2

    layout_depth: list the layouts of so many levels instead, 1 to 4, as --layout numbers them

    Raises UsageError for another number of levels.
    """
    from wcnfgen import encodings
    from wcnfgen.constraints import topology
    from wcnfgen.errors import UsageError

    if layout_depth is None:
        return [encodings.get(name) for name in encodings.names()]
    if not 1 <= layout_depth <= topology.MOST_LEVELS:
        raise UsageError(f"--layout-depth {layout_depth}: layouts have 1 to {topology.MOST_LEVELS} levels")
    return topology.layouts(layout_depth)


def present(result: list[Any], out: TextIO) -> int:
    """Print the list."""
    for number, each in enumerate(result, 1):
        if isinstance(each, str):
            out.write(f"{number} {each}\n")
        else:
            out.write(f"{each.name}\n    {each.title}\n    {each.source}\n")
    return 0
