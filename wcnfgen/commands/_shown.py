"""What a result looks like: `print` writes what its command prints, and a line says what it is."""

from __future__ import annotations

import io
import sys


class Shown:
    """A result of the command in whose file its class is."""

    __slots__ = ()

    def __str__(self) -> str:
        """What the command prints of it."""
        out = io.StringIO()
        sys.modules[type(self).__module__].present(self, out)
        return out.getvalue().rstrip("\n")
