"""What follows from a family's manifest, made anew: plots, description, instructions, archive.

`wcnfgen family` and `wcnfgen calibrate` end with it; it reads what is there and can be repeated.
"""

from __future__ import annotations

import logging
from pathlib import Path

from wcnfgen.bundle import description, facts, pack, plots, reproduce
from wcnfgen.bundle.folder import Folder
from wcnfgen.errors import WcnfgenError
from wcnfgen.words import count

log = logging.getLogger("wcnfgen")


def finish(folder: Folder) -> Path:
    """Make all of it, each file whole or not at all; returns the archive.

    Where LaTeX fails, all else is made, with a warning: `wcnfgen lint` asks for the PDF.  Raises UsageError
    where this is no family's folder, FormatError for a damaged manifest, WcnfgenError where a file cannot be
    written.
    """
    _say_what_is_not_chosen(folder)
    _say_what_is_not_recorded(folder)
    plots.write(folder)
    description.write(folder)
    try:
        description.compile(folder)
    except WcnfgenError as error:
        log.warning("no description.pdf: %s", error)
    reproduce.write(folder)
    return pack.pack(folder)


def _say_what_is_not_chosen(folder: Folder) -> None:
    if unchosen := facts.read(folder).unchosen:
        log.warning(
            "%s is out of date, it does not name %s: all instances are submitted until "
            "`wcnfgen calibrate` chooses anew",
            *(folder.selection.name, count(unchosen, "instance")),
        )


def _say_what_is_not_recorded(folder: Folder) -> None:
    old = [row for row in facts.read(folder).written if row.data and not row.source]
    if old:
        log.warning(
            "%s does not say where the data of %s come from, it was made by an older version of wcnfgen: "
            "build the family again with `wcnfgen family`",
            *(folder.manifest, count(len(old), "instance")),
        )
