"""LaTeX to PDF, the same bytes each time, in a folder of its own.

The engine may run no programs, and neither read nor write elsewhere, LaTeX's own files aside; its clock
stands at 1970.  That the file has no
identifier and no names of its own making is up to the text: see `REPRODUCIBLE`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from wcnfgen import drivers, leftovers
from wcnfgen.drivers import Limit, Limits
from wcnfgen.errors import SolverError, WcnfgenError

ENGINES = ("pdflatex", "lualatex")  # the first that there is
WALL_S = 120.0  # of each pass; fonts may have to be made
OUTPUT_MIB = 64.0
STOPPED = {
    "openin_any": "p",
    "openout_any": "p",
    "max_print_line": "1000",
    "SOURCE_DATE_EPOCH": "0",
    "FORCE_SOURCE_DATE": "1",
}
REPRODUCIBLE = (
    "\\ifdefined\\pdfinfoomitdate\\pdfinfoomitdate=1 \\pdfsuppressptexinfo=-1 \\fi\n"
    "\\ifdefined\\directlua\\directlua{pdf.settrailerid('') pdf.setsuppressoptionalinfo(1023)}\\fi"
)


def engine() -> str | None:
    """The program that makes PDF of LaTeX, None where there is none, or no bibtex."""
    found = next(filter(None, map(shutil.which, ENGINES)), None)
    return found if shutil.which("bibtex") else None


def pdf(tex: str, files: Mapping[str, Path], log: Path) -> bytes:
    """The PDF of a text and the files that it names, by their names in it.

    Raises WcnfgenError where none is installed, or with the first error of LaTeX or BibTeX; what they said is
    then in the file log.
    """
    program = engine()
    if program is None:
        raise WcnfgenError(f"none of {', '.join(ENGINES)} and bibtex is installed, so there is no PDF")
    with leftovers.folder() as place:
        folder = Path(place)
        for name, path in files.items():
            if not path.is_file():
                continue  # LaTeX says where it is asked for
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
        (folder / "text.tex").write_text(tex, encoding="utf-8")
        latex = [program, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "text.tex"]
        bibtex = ["bibtex", "text"] if "\\bibliography{" in tex else []
        for command in (latex, bibtex, latex, latex):
            if command:
                _run(command, folder, log)
        if not (folder / "text.pdf").is_file():
            raise WcnfgenError(f"{Path(program).name}: it says that all is well, and makes no PDF")
        return (folder / "text.pdf").read_bytes()


def _run(command: list[str], folder: Path, log: Path) -> None:
    """One program; on failure its output is kept, and the error says what it complains of first."""
    out, name = folder / "output", Path(command[0]).name
    limits = Limits(wall_s=WALL_S, grace_s=1.0, output_mib=OUTPUT_MIB)
    env, errors = os.environ | STOPPED, out.with_suffix(".err")
    try:
        run = drivers.get("local")(command, limits, stdout=out, stderr=errors, cwd=folder, env=env)
    except SolverError as error:  # it is none
        raise WcnfgenError(f"{name}: {error}") from error
    if run.limit == "interrupt":
        raise KeyboardInterrupt
    if run.exit_code == 0 and run.limit is None:
        return
    shutil.copyfile(out, log)
    said = _stopped(run.limit) if run.limit else _complaint(out.read_text("utf-8", "replace"))
    raise WcnfgenError(f"{name}: {said}; its output is in {log}")


def _stopped(limit: Limit) -> str:
    """What a program did that was stopped at a limit."""
    if limit == "wall":
        return f"not done within {WALL_S:g} s"
    return f"more than {OUTPUT_MIB:g} MiB of output" if limit == "output" else f"stopped at the {limit} limit"


def _complaint(text: str) -> str:
    """The first error in what LaTeX or BibTeX printed, with its line.

    >>> _complaint("This is TeX\\n! Undefined control sequence.\\nl.7 \\\\nonsense\\n")
    'Undefined control sequence. l.7 \\\\nonsense'
    >>> _complaint("This is BibTeX\\nI was expecting a `,' or a `}'---line 3 of file a.bib\\n")
    "I was expecting a `,' or a `}'---line 3 of file a.bib"
    """
    error = re.search(r"^! (.*)", text, re.MULTILINE) or re.search(r"^(.*---line \d+ of file.*)", text, re.M)
    line = re.search(r"^(l\.\d+.*)", text, re.MULTILINE)
    return " ".join(each[1].strip() for each in (error, line) if each) or "it failed"
