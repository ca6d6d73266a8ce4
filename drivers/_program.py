"""Why a file cannot start as a program, where the system's own message leads astray.

The kernel says "No such file or directory" of a script whose interpreter is missing, "Permission denied" of
a folder and "Exec format error" of a script without a first line.  A script for ``env`` does start, and
only fails then, as if it were a solver that does.  The file is looked at, never run.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import suppress
from pathlib import Path

HEAD = 256  # bytes of a first line that the kernel reads
CARRIAGE = b"\r"


def fault(path: Path) -> str:
    """What is wrong with it and what to do, as the end of a sentence about it; empty if nothing is seen.

    >>> fault(Path("/etc"))
    'is a folder: name the program in it'
    """
    if path.is_symlink() and not path.exists():
        return f"is a link to {path.readlink()}, which is not there: make the link anew"
    if path.is_dir():
        return "is a folder: name the program in it"
    if not path.is_file():
        return ""
    if not os.access(path, os.X_OK):
        return f"may not be executed: chmod +x {shlex.quote(str(path))}"
    with suppress(OSError), path.open("rb") as file:  # a program need not be readable
        return _fault_of(file.read(HEAD), path)
    return ""


def _fault_of(head: bytes, path: Path) -> str:
    if not head:
        return "is empty: build or download it again"
    if not head.startswith(b"#!"):
        is_text = b"\0" not in head and not head.startswith(b"\x7fELF")
        return "is a text whose first line is no #!: begin it with a line such as #!/bin/sh" * is_text
    line = head[2:].partition(b"\n")[0]
    missing = _missing(line)
    if missing and line.endswith(CARRIAGE):
        return f"has lines that end in CR LF: sed -i 's/\\r$//' {shlex.quote(str(path))}"
    asks = f"asks in its first line for {missing}, which is not there: install that, or correct the line"
    return asks * bool(missing)


def _missing(line: bytes) -> str:
    """The interpreter that a first line asks for, itself or through env; empty if it is there."""
    words = [os.fsdecode(word) for word in re.split(rb"[ \t]+", line.strip(b" \t"))]
    interpreter, *arguments = words
    if not Path(interpreter).is_file():
        return interpreter or "no program"
    through_env = Path(interpreter).name == "env" and len(arguments) == 1 and "=" not in arguments[0]
    if through_env and not arguments[0].startswith("-") and shutil.which(arguments[0]) is None:
        return arguments[0]
    return ""
