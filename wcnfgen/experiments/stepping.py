"""Makes a step, on whatever machine sees the folder: a process of its own for the command.

Its standard output goes to a temporary name and gets its own when the step has ended with a code that is a
result; then its record is written.  So whatever stops us, nothing half done counts.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from wcnfgen.errors import WcnfgenError
from wcnfgen.experiments.work import Step, Work
from wcnfgen.words import last_line

Process = subprocess.Popen[bytes]


def make(work: Work, step: Step, run: Callable[[Process], int] = Process.wait) -> None:
    """Make it; `run` waits for the process and says its exit code.  Raises WcnfgenError if it fails."""
    target = work.folder / step.output
    target.parent.mkdir(parents=True, exist_ok=True)
    part, notes = Path(f"{target}.part"), Path(f"{target}.log")
    began = time.monotonic()
    try:
        with part.open("wb") as out, notes.open("wb") as err:
            code = run(_started(work, step, out.fileno(), err.fileno()))
        if code not in step.codes:
            line = shlex.join(["wcnfgen", *step.words])
            raise WcnfgenError(f"`{line}` in {work.folder} ended with exit code {code}: {_last(notes)}")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    if not _is_queued(work, step):
        work.note(step, code, time.monotonic() - began)


def _started(work: Work, step: Step, out: int, err: int) -> Process:
    return subprocess.Popen(
        [sys.executable, "-m", "wcnfgen.experiments._child", str(os.getpid()), *step.words, *step.where],
        cwd=work.folder,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    """Python finds this very package, from whatever folder."""
    import wcnfgen

    where = str(Path(wcnfgen.__file__).parents[1])
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{where}{os.pathsep}{before}" if before else where}


def _is_queued(work: Work, step: Step) -> bool:
    """Whether it left runs to a queue, so that it is not over."""
    if step.words[0] != "compare" or work.engine == "local":
        return False
    from wcnfgen.campaign import status

    counts = status(str(work.folder / step.words[-1]))
    return counts.there < counts.total


def _last(notes: Path) -> str:
    """The last line of what a step said."""
    line = last_line(notes.read_text("utf-8", "replace"))
    return f"{line.removeprefix('wcnfgen: error: ')} (all of it: {notes})" if line else f"see {notes}"
