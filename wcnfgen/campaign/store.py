"""Where runs are: a folder for each, which appears when the run is whole.

    runs/AB/KEY/key.json      what the key is the SHA-256 of
                record.json   how the run ended (`wcnfgen.record`); or refused.json, why it was never begun
                output.gz     what the solver printed
                trace.csv     the costs it claimed and when
                model.sol     the last model it printed, as it claims it; if there is one
                stderr.txt    what it wrote to standard error, its end; if there is anything
                verdict.json  what of it is true (`wcnfgen.judged`); made later, and again whenever it is lost

The folder is made under another name and renamed.  A folder cannot be renamed onto one that is not empty,
so that of two runs of one key the first stays: also on network disks.

    attempts/KEY              a line for each beginning, "+ WHO", and for what became of it: "- WHO", a signal
                              took it back, or "! WHY", it came to nothing

Lines are only ever appended, each with one write, so that no two writers disturb each other.  When the run is
there the file goes.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wcnfgen.errors import WcnfgenError

PLAN, PLANNED = "plan.json", "plan.csv"
LOCK = "campaign.lock"


class HopelessError(WcnfgenError):
    """What would happen to every run: it costs none of them an attempt, and the campaign ends."""


@dataclass(frozen=True, slots=True)
class Run:
    """The folder of one run."""

    path: Path

    @property
    def key(self) -> Path:
        """What its key is the hash of."""
        return self.path / "key.json"

    @property
    def record(self) -> Path:
        """How it ended."""
        return self.path / "record.json"

    @property
    def refused(self) -> Path:
        """Why it was never begun."""
        return self.path / "refused.json"

    @property
    def log(self) -> Path:
        """What the solver printed."""
        return self.path / "output.gz"

    @property
    def trace(self) -> Path:
        """Costs as they were claimed."""
        return self.path / "trace.csv"

    @property
    def model(self) -> Path:
        """The last model."""
        return self.path / "model.sol"

    @property
    def stderr(self) -> Path:
        """What the solver wrote to standard error, its end."""
        return self.path / "stderr.txt"

    @property
    def verdict(self) -> Path:
        """What is true."""
        return self.path / "verdict.json"


@dataclass(frozen=True, slots=True)
class Beginnings:
    """What became of a run that is not there.

    number  of beginnings that were not taken back
    why     what was said why the last one that is known to have failed did so
    open    who began the last one, if nothing is known of its end: it is running, or was killed
    """

    number: int = 0
    why: str = ""
    open: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """The runs in a campaign's folder."""

    folder: Path

    @property
    def runs(self) -> Path:
        """All of them."""
        return self.folder / "runs"

    @property
    def attempts(self) -> Path:
        """Beginnings that came to nothing, or have not come to anything yet."""
        return self.folder / "attempts"

    def run(self, key: str) -> Run:
        """The folder of a key, whether it is there or not."""
        return Run(self.runs / key[:2] / key)

    def has(self, key: str) -> bool:
        """Whether the run is there: then it is whole."""
        return self.run(key).path.is_dir()

    def keys(self) -> Iterator[str]:
        """Those that are there."""
        for shelf in _names(self.runs):
            yield from _names(self.runs / shelf)

    # ------------------------------------------------------------------------ attempts

    def begun(self, key: str, who: str = "") -> None:
        """A run begins.  Raises HopelessError where that cannot be written."""
        self._append(key, f"+ {who or _me()}")

    def taken_back(self, key: str, who: str = "") -> None:
        """It was stopped by a signal, and does not count."""
        self._append(key, f"- {who or _me()}")

    def failed(self, key: str, why: str) -> None:
        """It came to nothing; to be said by who made it, or by who sees that that one died."""
        self._append(key, f"! {' '.join(why.split())}")

    def over(self, key: str) -> bool:
        """The run is there, or is to be tried as if never before; whether there was anything to forget."""
        try:
            (self.attempts / key).unlink()
        except FileNotFoundError:
            return False
        return True

    def beginnings(self, key: str) -> Beginnings:
        """Those of a run that is not there."""
        try:
            lines = (self.attempts / key).read_text("utf-8", "replace").splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return Beginnings()
        begun: Counter[str] = Counter()
        for line in lines:
            begun[line[2:]] += line[:1] == "+"
            begun[line[2:]] -= line[:1] == "-" and begun[line[2:]] > 0  # nobody takes back another's
        whys = [line[2:] for line in lines if line[:1] == "!"]
        still = lines[-1][2:] if lines and lines[-1][:1] == "+" else ""
        return Beginnings(begun.total(), whys[-1] if whys else "", still)

    def tried(self, key: str) -> int:
        """How many beginnings of a run count."""
        return self.beginnings(key).number

    def unfinished(self) -> Iterator[str]:
        """The keys of runs that were begun and are not there."""
        yield from _names(self.attempts)

    def _append(self, key: str, line: str) -> None:
        target = self.attempts / key
        try:
            self.attempts.mkdir(parents=True, exist_ok=True)
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                os.write(handle, f"{line}\n".encode("utf-8", "backslashreplace"))
            finally:
                os.close(handle)
        except OSError as error:
            raise HopelessError(f"{target}: cannot write: {error.strerror}") from error


def _names(folder: Path) -> Iterator[str]:
    """What is in a folder; what has a dot is being made."""
    if folder.is_dir():
        with os.scandir(folder) as found:
            yield from (each.name for each in found if not each.name.startswith("."))


def _me() -> str:
    """This process, wherever it is."""
    return f"process {os.getpid()} on {socket.gethostname()}"
