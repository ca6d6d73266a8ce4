"""The description of a family: a paper of some two pages in IEEE Proceedings style, from its own facts.

It has the sections that the MaxSAT Evaluation asks for: authors, domain, parameters, naming,
references.  Nothing is claimed that the family's file, its manifest or the files themselves do not say,
and what is not known yet is said to be unknown.  The places for authors that were not named hold
`PLACEHOLDER`, which `wcnfgen lint` takes for an error.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

from wcnfgen.bundle import facts
from wcnfgen.bundle.description import latex, references, sections
from wcnfgen.bundle.facts import Facts
from wcnfgen.bundle.folder import Folder
from wcnfgen.files import atomic, open_read
from wcnfgen.tex import escape

PLACEHOLDER = "TO BE FILLED IN"
PARTS = ("name", "affiliation", "e-mail")

log = logging.getLogger("wcnfgen")


def write(folder: Folder) -> None:
    """Write description.tex and references.bib, each whole or not at all.

    Raises UsageError where this is no family's folder, FormatError for a damaged file.
    """
    found = facts.read(folder)
    body = "\n\n".join(sections.sections(found))
    known = references.known()
    keys = [key for match in re.findall(r"\\cite\{([^}]*)\}", body) for key in match.split(",")]
    _replace(folder, "references.bib", references.cited(keys, known))
    _replace(folder, "description.tex", _document(found, body, bool(keys)))


def _replace(folder: Folder, name: str, text: str) -> None:
    """Write a text; if it is another than before, a PDF of that is none of this family."""
    target, data = folder.path / name, text.encode("utf-8")
    if not target.is_file() or target.read_bytes() != data:
        (folder.path / "description.pdf").unlink(missing_ok=True)
    with atomic(target) as out:
        out.write(data)


def compile(folder: Folder) -> Path | None:
    """Make description.pdf of description.tex: the same text, the same bytes.

    None, and a note, where no LaTeX is installed.  Raises WcnfgenError where there is no such text, or with
    LaTeX's first error.
    """
    if latex.engine() is None:
        log.info("no LaTeX with bibtex is installed: description.tex is there, description.pdf is not")
        return None
    with open_read(folder.path / "description.tex") as stream:
        tex = stream.read().decode("utf-8", "replace")
    names = ["references.bib", *re.findall(r"\\includegraphics\[[^]]*\]\{([^}]*)\}", tex)]
    report, target = folder.path / "description.log", folder.path / "description.pdf"
    made = latex.pdf(tex, {name: folder.path / name for name in names}, report)
    report.unlink(missing_ok=True)
    with atomic(target) as out:
        out.write(made)
    return target


def _document(found: Facts, body: str, cites: bool) -> str:
    parts = (
        f"\\title{{{escape(found.about.family.title)}}}",
        f"\\author{{{_authors(found.about.authors)}}}",
        "\\maketitle",
        body,
        "\\bibliographystyle{IEEEtran}\n\\bibliography{references}" if cites else "",
    )
    return document("\n".join(part for part in parts if part))


def document(body: str) -> str:
    """A document of what goes between its begin and its end."""
    parts = (
        "\\documentclass[conference]{IEEEtran}",
        "\\usepackage[T1]{fontenc}",
        "\\usepackage{amssymb,booktabs,cite,flafter,graphicx,textcomp}",
        latex.REPRODUCIBLE,
        "\\emergencystretch=2em",
        "\\begin{document}",
        body,
        "\\end{document}",
    )
    return "\n".join(parts) + "\n"


def _authors(authors: Sequence[str]) -> str:
    """IEEE's author blocks, with a placeholder for each part that is not there."""
    return "\n\\and\n".join(map(_author, authors or [""]))


def _author(text: str) -> str:
    given = [part.strip() for part in text.split(";", len(PARTS) - 1)]
    given += [""] * (len(PARTS) - len(given))
    shown = [escape(part or f"[{name}: {PLACEHOLDER}]") for name, part in zip(PARTS, given, strict=True)]
    return f"\\IEEEauthorblockN{{{shown[0]}}}\n\\IEEEauthorblockA{{{' '.join(shown[1:2])}\\\\ {shown[2]}}}"
