"""What follows from a family's manifest, made anew: plots, description, instructions, archive.

`wcnfgen family` and `wcnfgen calibrate` end with it; it reads what is there and can be repeated.
"""

from __future__ import annotations

from pathlib import Path

from wcnfgen.bundle import description, pack, plots, reproduce
from wcnfgen.bundle.folder import Folder


def finish(folder: Folder) -> Path:
    """Make all of it, each whole or not at all; returns the archive.

    Raises UsageError where this is no family's folder, FormatError for a damaged manifest, WcnfgenError
    where LaTeX fails or a file cannot be written.
    """
    plots.write(folder)
    description.write(folder)
    description.compile(folder)
    reproduce.write(folder)
    return pack.pack(folder)
