"""What a result looks like: `print` writes what its command prints, and a line says what it is."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterable
from typing import TextIO

from wcnfgen.words import printable

log = logging.getLogger("wcnfgen")


class Shown:
    """A result of the command in whose file its class is."""

    __slots__ = ()

    def __str__(self) -> str:
        """What the command prints of it."""
        out = io.StringIO()
        sys.modules[type(self).__module__].present(self, out)
        return out.getvalue().rstrip("\n")


def say(out: TextIO, lines: Iterable[object]) -> None:
    """Print lines, none of which speaks to the terminal: names in them are a stranger's."""
    out.writelines(f"{printable(str(line))}\n" for line in lines)


def remark(out: TextIO, lines: Iterable[str], as_: str) -> None:
    """Print what is known of a tree below it, or note it where the output is for a program."""
    if as_ == "text":
        say(out, lines)
    else:
        for line in lines:
            log.info("%s", line)
