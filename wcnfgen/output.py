"""What a MaxSAT solver printed, read as claims: o, s and v lines -> `Answer`.  Nothing is believed here.

The Evaluation's protocol has many dialects, and a run that was stopped ends anywhere.  So:

* Lines may come in any order and are recognised by their first character and a blank.  Everything else is
  comment or noise and is skipped: the reader keeps no more than one unfinished and one complete
  model, whatever a solver prints.  Bytes, not text: nothing needs to be valid UTF-8.
* Consecutive v lines form one model (clasp wraps them, UWrMaxSat cuts them at 50 000 characters) until
  a literal 0, an o or s line, or a line that begins again with the same variable.  Several models: the
  last one counts, unless it was cut short.
* A model is a string of bits, one a variable (2022 and later), or signed literals (before), in which
  solvers leave out variables that occur nowhere.  ``v 1`` may be either: see `Model.assignment`.
* ``o 2442 19470 1 0``: the first number is the cost.  2^64-1 is how some solvers spell "none yet".
* Lines may carry runsolver's time stamp, ``cpu/wall<TAB>``, or end in CRLF.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import FormatError

Status = Literal["OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN"]
Values = Literal["bits", "literals", "either"]
Trace = tuple[tuple[float | None, int], ...]

MODEL_BYTES = 1 << 28  # of one model; older lines are dropped beyond
TRACE_LENGTH = 100_000  # improvements; beyond, only the last one is kept up to date
NOTES = 20
NO_COST = 2**64 - 1
_STAMP = re.compile(rb"\d+\.\d+/(\d+\.\d+)\t")
_OF_A_MODEL = b"0123456789-+ "


@dataclass(frozen=True, slots=True)
class Model:
    """The v lines of one model as printed, without their v."""

    lines: tuple[bytes, ...]

    def assignment(self, n: int, values: Values = "either") -> NDArray[np.bool_]:
        """The truth values of variables 1..n, that of variable v in entry v-1.

        Variables that the model leaves out are false, those beyond n are ignored.  Where the text could be
        bits or literals, values decides; with "either", bits, unless it ends in a 0 after a blank.

        Raises FormatError if a literal is no number.

        >>> Model((b"1 -2", b"3 0")).assignment(4).tolist()
        [True, False, True, False]
        >>> Model((b"0110",)).assignment(4).tolist()
        [False, True, True, False]
        >>> Model((b"10",)).assignment(10, "literals").tolist().index(True)
        9
        """
        return self._from_literals(n) if self._are_literals(values) else self._from_bits(n)

    def _are_literals(self, values: Values) -> bool:
        if any(line.translate(None, b"01 ") for line in self.lines):
            return True
        if values != "either":
            return values == "literals"
        if not any(b" " in line for line in self.lines):
            return False  # pieces of a string of bits, the last of which may be a 0
        *literals, last = b" ".join(self.lines).split()
        return last == b"0" and b"0" not in literals and len(set(literals)) == len(literals)

    def _from_bits(self, n: int) -> NDArray[np.bool_]:
        lines = [line.translate(None, b" ") for line in self.lines]
        whole = [line for line in lines if len(line) >= n]  # then the model was printed again and again
        if not whole and sum(map(len, lines)) > n and len({len(line) for line in lines}) == 1:
            whole = lines
        bits = np.frombuffer(whole[-1] if whole else b"".join(lines), np.uint8)[:n]
        result = np.zeros(n, np.bool_)
        result[: len(bits)] = bits == ord("1")
        return result

    def _from_literals(self, n: int) -> NDArray[np.bool_]:
        try:
            literals = np.fromiter(map(int, b" ".join(self.lines).split()), np.int64)
        except (ValueError, OverflowError) as error:
            raise FormatError(f"a v line holds something that is no literal: {error}") from error
        variables = np.abs(literals)
        literals = literals[(variables > 0) & (variables <= n)]
        result = np.zeros(n, np.bool_)
        result[np.abs(literals) - 1] = literals > 0  # of a variable that comes twice, the last one
        return result


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
    superseded    a later model was cut short, so the last cost need not be the model's
    """

    status: Status | None
    costs: Trace
    model: Model | None
    lower_bounds: Trace
    notes: tuple[str, ...]
    statuses: tuple[Status, ...] = ()
    cut: bool = False
    superseded: bool = False

    @property
    def cost(self) -> int | None:
        """The cost claimed last: the one that is meant to be the model's."""
        return self.costs[-1][1] if self.costs else None


def parse(lines: Iterable[bytes | tuple[float, bytes]]) -> Answer:
    r"""Read a solver's output, line by line, each with the seconds at which it came where they are known.

    Lines may have their line ends or not; if the first one has and the last one has not, the last was cut.

    >>> answer = parse([b"c hello", b"o 3", b"o 2 tries:7", b"v 1 -2 0", b"s OPTIMUM FOUND"])
    >>> answer.status, answer.costs, answer.model
    ('OPTIMUM FOUND', ((None, 3), (None, 2)), Model(lines=(b'1 -2 0',)))
    """
    reader = _Reader()
    take = reader.takers.get
    seconds: float | None = None
    for item in lines:
        if isinstance(item, tuple):
            seconds, line = item
        else:
            line = item
        if taker := take(line[:1]):
            taker(seconds, line)
    return reader.answer()


class _Trace:
    """Costs or bounds with their times, without repetitions and bounded in length."""

    def __init__(self) -> None:
        self.entries: list[tuple[float | None, int]] = []

    def add(self, seconds: float | None, value: int) -> None:
        if self.entries and self.entries[-1][1] == value:
            return
        if len(self.entries) >= TRACE_LENGTH:
            self.entries.pop()
        self.entries.append((seconds, value))


class _Reader:
    """The state between two lines."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._costs, self._bounds = _Trace(), _Trace()
        self._block = _Block()
        self._complete: _Block | None = None
        self._line_ends = False
        self._notes: list[str] = []
        self._statuses: list[Status] = []
        self._superseded = False
        self.takers = {b"c": self._comment, b"o": self._cost, b"s": self._state, b"v": self._values}
        self.takers |= {str(digit).encode(): self._stamped for digit in range(10)}

    def answer(self) -> Answer:
        """The claims, after the last line."""
        self._end_block()
        return Answer(
            self._status,
            tuple(self._costs.entries),
            Model(tuple(self._complete.lines)) if self._complete else None,
            tuple(self._bounds.entries),
            tuple(self._notes),
            tuple(self._statuses),
            bool(self._complete and self._complete.is_cut),
            self._superseded,
        )

    def _note(self, text: str, line: bytes) -> None:
        if len(self._notes) < NOTES:
            self._notes.append(f"{text}: {line[:60].rstrip().decode('ascii', 'backslashreplace')}")

    def _stamped(self, seconds: float | None, line: bytes) -> None:
        if stamp := _STAMP.match(line):
            rest = line[stamp.end() :]
            if (taker := self.takers.get(rest[:1])) and not rest[:1].isdigit():
                taker(float(stamp[1]) if seconds is None else seconds, rest)

    def _comment(self, seconds: float | None, line: bytes) -> None:
        if line.startswith(b"c LB "):
            self._number(self._bounds, seconds, line, line[4:].split(None, 1))

    def _cost(self, seconds: float | None, line: bytes) -> None:
        if line[1:2].isspace():
            if self._block.lines:
                self._end_block()
            self._number(self._costs, seconds, line, line.split(None, 2)[1:])

    def _is_cut(self, line: bytes) -> bool:
        """Whether this is the last line of a stream that ended in the middle of it."""
        if line.endswith(b"\n"):
            self._line_ends = True
            return False
        return self._line_ends

    def _number(self, trace: _Trace, seconds: float | None, line: bytes, words: list[bytes]) -> None:
        if self._is_cut(line):
            self._note("cut short", line)
            return
        try:
            value = int(words[0][:40])
        except (ValueError, IndexError):
            self._note("not an integer", line)
            return
        if value != NO_COST:
            trace.add(seconds, value)

    def _state(self, seconds: float | None, line: bytes) -> None:
        if not line[1:2].isspace():
            return
        self._end_block()
        said = b" ".join(line[:80].split()[1:]).upper().decode("ascii", "replace")
        status = next((known for known in get_args(Status) if said.startswith(known)), None)
        if status is None:
            self._note("unknown status", line)
        elif self._status not in (None, status):
            self._note(f"after s {self._status} another status", line)
        if status is not None and status not in self._statuses:
            self._statuses.append(status)
        self._status = status or self._status

    def _values(self, seconds: float | None, line: bytes) -> None:
        if not line[1:2].isspace() and line.strip() != b"v":
            return
        values = line[1:].strip().replace(b"\t", b" ")
        if values.translate(None, _OF_A_MODEL):
            self._note("not a model", line)
            return
        if self._block.is_over(values):
            self._end_block()
        self._block.add(values)
        if self._is_cut(line):
            self._block.cut_last()

    def _end_block(self) -> None:
        block = self._block
        if not block.lines:
            return
        self._block = _Block()
        if self._complete and block.is_shorter(self._complete):
            self._superseded = True
            self._note("the last model is cut short, the one before is kept", block.lines[-1])
        else:
            self._complete, self._superseded = block, False


class _Block:
    """The v lines of one model, as they come."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._size = 0  # variables
        self._bytes = 0
        self._first = b""
        self._literals = False
        self._closed = False  # by a literal 0
        self._cut = False

    def is_over(self, values: bytes) -> bool:
        """Whether a line with these values is of another model."""
        return self._closed or (b" " in values and self._first == _variable(values))

    def add(self, values: bytes) -> None:
        """Append a line."""
        if not self.lines:
            self._first = _variable(values)
        self._bytes += len(values)
        if self._bytes > MODEL_BYTES:
            self.lines, self._bytes = [], len(values)
        self.lines.append(values)
        self._literals = self._literals or bool(values.translate(None, b"01"))
        self._closed = self._literals and (values == b"0" or values.endswith(b" 0"))
        self._size += values.count(b" ") + bool(values) - self._closed if self._literals else len(values)

    def cut_last(self) -> None:
        """The last line stops in the middle: drop its last literal if it is not larger than the one before.

        Solvers print variables in order; the beginning of a larger number would be another variable.
        """
        self._cut = True
        if not self._literals or self._closed:
            return
        *before, last = b" ".join(self.lines[-2:]).split() or [b""]
        if _number(last) <= (_number(before[-1]) if before else 0):
            self.lines[-1] = self.lines[-1].removesuffix(last).rstrip()
            self._size -= 1

    @property
    def is_cut(self) -> bool:
        """Whether the output ends in the middle of it."""
        return self._cut

    def is_shorter(self, other: _Block) -> bool:
        """Whether this is the beginning of a model, judged by a complete one."""
        unfinished = self._cut or len(self.lines) < len(other.lines) or (other._closed and not self._closed)
        return self._size < other._size and (unfinished or self._size == 0)


def _variable(values: bytes) -> bytes:
    """The first variable of a line."""
    return values[:24].split(None, 1)[0].lstrip(b"-+") if values else b""


def _number(literal: bytes) -> int:
    """Its variable; 0 of a sign alone."""
    return int(_variable(literal) or b"0")
