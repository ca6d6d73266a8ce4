"""``wcnfgen encodings``: which formulas there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from wcnfgen.encodings import Encoding


def encodings() -> list[type[Encoding]]:
    """List the encodings: what each finds, and its source."""
    from wcnfgen import encodings

    return [encodings.get(name) for name in encodings.names()]


def present(result: list[type[Encoding]], out: TextIO) -> int:
    """Print the list."""
    for encoding in result:
        out.write(f"{encoding.name}\n    {encoding.title}\n    {encoding.source}\n")
    return 0
