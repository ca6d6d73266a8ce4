"""What a MaxSAT solver printed, read as claims: o, s and v lines -> `Answer`.  Nothing is believed here.

The Evaluation's protocol has many dialects, and a run that was stopped ends anywhere.  So:

* Lines may come in any order and are recognised by their first character and a blank after it.  All else
  is comment or noise and is skipped.  Bytes, not text: nothing needs to be valid UTF-8.
* ``o 2442 19470 1 0``: the first number is the cost, if it is a natural one; 12.0 is.  2^64-1 is how
  some solvers spell "none yet".  Costs may rise: the last one counts.
* v lines are put together by `wcnfgen.model`.  No s line is needed for a model to count.
* Lines may carry runsolver's time stamp, ``cpu/wall<TAB>``, which is truer than the time of arrival.
* A last line without its line end was cut: it states no cost, and ends no model unless a literal 0 or the
  model before shows that nothing is missing.

A solver may print for hours.  So what is kept is bounded, by the size of two models; and text is taken in
large pieces, in which one regular expression finds the lines that matter: a comment costs nanoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Literal, get_args

from wcnfgen.model import Model as Model
from wcnfgen.model import Models
from wcnfgen.model import Values as Values

Status = Literal["OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN"]
Trace = tuple[tuple[float | None, int], ...]

LINE_BYTES = 1 << 26  # `pieces` drops longer lines, as drivers do
TRACE_LENGTH = 100_000  # improvements; beyond, only the last one is kept up to date
NOTES = 20
NO_COST = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver claims.

    status        of the last s line that says one of the four words of the protocol; None: none did
    costs         the o lines, (seconds or None, cost), without immediate repetitions
    model         the last complete model, else what there is of one; None: no v line
    lower_bounds  the ``c LB`` lines (2026 and later), in the same form as costs
    notes         what was odd, at most NOTES of them
    statuses      all the different statuses that were said, in order
    cut           the model is the beginning of one: the output ends in the middle of it
    no_cost       the last o line, if what it states is no cost; else empty
    superseded    a later cost or the beginning of a later model follows, so the last cost need not be
                  the model's
    model_s       the seconds at which the last line of the model came
    """

    status: Status | None
    costs: Trace
    model: Model | None
    lower_bounds: Trace
    notes: tuple[str, ...]
    statuses: tuple[Status, ...] = ()
    cut: bool = False
    no_cost: str = ""
    superseded: bool = False
    model_s: float | None = None

    @property
    def cost(self) -> int | None:
        """The cost claimed last: the one that is meant to be the model's."""
        return self.costs[-1][1] if self.costs else None


def parse(texts: Iterable[bytes | tuple[float, bytes]]) -> Answer:
    r"""Read a solver's output from texts as `Parser.feed` takes them, such as lines or `pieces`.

    Each may come with the seconds at which it came.

    >>> answer = parse([b"c hello\no 3\n", b"o 2 tries:7\nv 1 -2 0\n", b"s OPTIMUM FOUND\n"])
    >>> answer.status, answer.costs, answer.model
    ('OPTIMUM FOUND', ((None, 3), (None, 2)), Model(lines=(b'1 -2 0',)))
    """
    parser = Parser()
    for text in texts:
        if isinstance(text, tuple):
            parser.feed(*text)
        else:
            parser.feed(None, text)
    return parser.answer()


def pieces(stream: BinaryIO, size: int = 1 << 20) -> Iterator[bytes]:
    r"""A stream of bytes, cut at line ends into pieces of about that size.

    Lines longer than LINE_BYTES are left out, so memory is bounded whatever the stream holds.

    >>> import io
    >>> list(pieces(io.BytesIO(b"o 3\no 2\nv 0"), 5))
    [b'o 3\n', b'o 2\n', b'v 0']
    """
    line = bytearray()  # what has come of an unfinished one
    dropped = False
    while chunk := stream.read(size):
        first, last = chunk.find(b"\n") + 1, chunk.rfind(b"\n") + 1
        dropped = dropped or len(line) + (first or len(chunk)) > LINE_BYTES
        if dropped:
            line.clear()
        if first:
            yield chunk[first:last] if dropped else bytes(line) + chunk[:last]
            line, dropped = bytearray(chunk[last:]), False
        elif not dropped:
            line += chunk
    if line:
        yield bytes(line)


# A stamp is optional, and captured only where the time is wanted.  No quantifier is possessive: the first
# releases of Python 3.11 get these wrong.
_ANY_STAMP = r"(?:\d+\.\d+/\d+\.\d+\t)?"
_STAMP = r"(?:\d+\.\d+/(\d+\.\d+)\t)?"
_NATURAL = r"[^\S\n]+\+?(\d{1,40})(?:\.0*)?(?!\S)"


def _run(name: str, kind: str) -> str:
    """Consecutive lines of a kind, not too many: where it could go back costs memory."""
    line = rf"{kind}(?!\S)[^\n]*"
    return rf"(?P<{name}>{line}(?:\n{_ANY_STAMP}{line}){{0,199}})"


def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


_RUNS = _compiled(
    rf"\n{_ANY_STAMP}(?:{_run('o', 'o')}|{_run('v', 'v')}|{_run('s', 's')}|{_run('bound', 'c LB')})"
)
_STAMPED = _compiled(rf"\n{_ANY_STAMP}")
_COST = _compiled(rf"\n{_STAMP}o{_NATURAL}")
_BOUND = _compiled(rf"\n{_STAMP}c LB{_NATURAL}")
_STATE = _compiled(rf"\n{_ANY_STAMP}s([^\n]*)")
_OF_A_MODEL = b"0123456789-+ \rv\n"


class Parser:
    """Takes a solver's output as it comes."""

    def __init__(self) -> None:
        self._costs, self._bounds = _Trace(), _Trace()
        self._models = Models()
        self._values_s: float | None = None  # when values came last
        self._model_s: float | None = None  # when those of the model that is kept did
        self._status: Status | None = None
        self._statuses: list[Status] = []
        self._notes: list[str] = []
        self._no_cost = b""  # the last o line, if it states none
        self._unfinished: tuple[float | None, bytes] | None = None
        self._line_ends = True  # whether lines come with theirs
        self._takers: dict[str | None, Callable[[float | None, bytes], None]] = {
            "o": self._take_costs,
            "v": self._take_values,
            "s": self._take_states,
            "bound": partial(self._take_numbers, self._bounds, _BOUND),
        }

    @property
    def cost(self) -> int | None:
        """The cost claimed last."""
        return self._costs.last

    def feed(self, seconds: float | None, text: bytes) -> None:
        """Take one or more whole lines with their line ends; only the last of all may lack one."""
        if self._unfinished:
            self._line_ends = False
            self._take(*self._unfinished)
            self._unfinished = None
        end = text.rfind(b"\n") + 1
        self._take(seconds, text[:end])
        if end < len(text):
            self._unfinished = seconds, text[end:]

    def answer(self) -> Answer:
        """The claims; call it once, after the last text."""
        if self._unfinished and self._line_ends:
            self._take_cut(*self._unfinished)
        elif self._unfinished:
            self._take(*self._unfinished)
        self._unfinished = None
        models = self._models
        self._end_group(None)
        if models.superseded:
            self._note("the last model is cut short, the one before is kept")
        return Answer(
            status=self._status,
            costs=tuple(self._costs.entries),
            model=models.kept.model() if models.kept else None,
            lower_bounds=tuple(self._bounds.entries),
            notes=tuple(self._notes),
            statuses=tuple(self._statuses),
            cut=models.is_cut,
            no_cost=_shown(self._no_cost),
            superseded=models.superseded or models.is_older_than(self._costs.last),
            model_s=self._model_s,
        )

    def _take(self, seconds: float | None, lines: bytes) -> None:
        """Whole lines."""
        for run in _RUNS.finditer(b"\n" + lines):
            self._takers[run.lastgroup](seconds, run[0])

    def _take_cut(self, seconds: float | None, line: bytes) -> None:
        """The beginning of a line, at which the output ends."""
        run = _RUNS.match(b"\n" + line)
        kind = run and run.lastgroup
        if run is None or kind == "s":
            self._take(seconds, line)
        elif kind == "v":
            with self._timed(seconds):
                self._models.cut(self._values(run[0]))
        else:
            self._end_group(self._costs.last)
            self._note("cut short", line)

    def _note(self, text: str, line: bytes = b"") -> None:
        if len(self._notes) < NOTES:
            shown = _shown(line)
            self._notes.append(f"{text}: {shown}" if shown else text)

    def _take_costs(self, seconds: float | None, run: bytes) -> None:
        self._take_numbers(self._costs, _COST, seconds, run)
        last = run[run.rindex(b"\n") :]
        self._no_cost = b"" if _COST.match(last) else last
        self._end_group(self._costs.last)

    def _take_numbers(
        self, trace: _Trace, pattern: re.Pattern[bytes], seconds: float | None, run: bytes
    ) -> None:
        found = pattern.findall(run)
        trace.extend(seconds, found)
        if len(found) < run.count(b"\n") and len(self._notes) < NOTES:
            for line in run.split(b"\n")[1:]:
                if not pattern.match(b"\n" + line):
                    self._note("not a natural number", line)

    def _take_states(self, seconds: float | None, run: bytes) -> None:
        self._end_group(self._costs.last)
        for text in _STATE.findall(run):
            said = b" ".join(text[:80].split()).upper().decode("ascii", "replace")
            status = next((known for known in get_args(Status) if said.startswith(known)), None)
            if status is None:
                self._note("unknown status", b"s" + text)
            elif self._status not in (None, status):
                self._note(f"after s {self._status} another status", b"s" + text)
            if status is not None and status not in self._statuses:
                self._statuses.append(status)
            self._status = status or self._status

    def _take_values(self, seconds: float | None, run: bytes) -> None:
        with self._timed(seconds):
            self._models.take(self._values(run))

    def _end_group(self, cost: int | None) -> None:
        with self._timed(self._values_s):
            self._models.end_group(cost)

    @contextmanager
    def _timed(self, seconds: float | None) -> Iterator[None]:
        """If another model is kept after this, that is when it came."""
        before = self._models.kept
        yield
        self._values_s = seconds
        if self._models.kept is not before:
            self._model_s = seconds

    def _values(self, run: bytes) -> bytes:
        """A run in the form of `Models.take`: without stamps, tabs, and lines that are of no model."""
        if _is_of_a_model(run):
            return run
        run = _STAMPED.sub(b"\n", run).replace(b"\t", b" ")
        if _is_of_a_model(run):
            return run
        good = []
        for line in run.split(b"\n")[1:]:
            if _is_of_a_model(b"\n" + line):
                good.append(b"\n" + line)
            else:
                self._note("not a model", line)
        return b"".join(good)


def _is_of_a_model(lines: bytes) -> bool:
    """Whether lines, of which each begins with a v, hold nothing else but values."""
    return not lines.translate(None, _OF_A_MODEL) and lines.count(b"v") == lines.count(b"\n")


def _shown(line: bytes) -> str:
    return line[:60].strip().decode("ascii", "backslashreplace")


class _Trace:
    """Costs or bounds with their times, without repetitions and bounded in length."""

    def __init__(self) -> None:
        self.entries: list[tuple[float | None, int]] = []

    @property
    def last(self) -> int | None:
        """The value of the last one."""
        return self.entries[-1][1] if self.entries else None

    def extend(self, seconds: float | None, found: list[tuple[bytes, bytes]]) -> None:
        """Append numbers, each with its stamp, which may be empty."""
        entries = self.entries
        last = self.last
        if len(entries) >= TRACE_LENGTH:
            found = found[-1:]
        for stamp, digits in found:
            value = int(digits)
            if value not in (last, NO_COST):
                if len(entries) >= TRACE_LENGTH:
                    entries.pop()
                entries.append((float(stamp) if stamp else seconds, value))
                last = value
