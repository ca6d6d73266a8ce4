"""The v lines of a solver's output: where one model ends and the next begins, and what a model says.

Nothing marks the models in a log.  A solver prints one line or thousands, each model on its own or only
the last, and may be killed within any of them.  So:

* The v lines between two o or s lines are a group.  A group of nothing but 0, 1 and blanks is one text:
  a string of bits, one a variable (2022 and later), whole or in pieces, once or several times; which of
  these depends on the number of variables, so `Model.assignment` decides it.
* All other groups are signed literals, in any order, and variables may be missing.  A model of these ends
  with a literal 0, or where a line begins with the variable that it began with itself.
* The last model counts, unless it is only the beginning of one.  That is seen by the one before it: no 0
  at its end, and fewer values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wcnfgen.errors import FormatError
from wcnfgen.reader import LINE_OVERHEAD

Values = Literal["bits", "literals", "either"]

MOST = 1 << 27  # the largest variable: a byte each, however short the file that declares it
MODEL_BYTES = 1 << 27  # of one model, as of eight million literals; older lines are dropped beyond
_BITS = b"01 \r"


@dataclass(frozen=True, slots=True)
class Model:
    """The v lines of one model as printed, without their v."""

    lines: tuple[bytes, ...]

    def assignment(self, n: int, values: Values = "either") -> NDArray[np.bool_]:
        """The truth values of variables 1..n, that of variable v in entry v-1.

        Variables that the model leaves out are false, those beyond n are ignored.  Where the text could be
        bits or literals, values decides; with "either", bits, unless it ends in a 0 after a blank.

        Raises FormatError if a literal is no number, or n is beyond MOST.

        >>> Model((b"1 -2", b"3 0")).assignment(4).tolist()
        [True, False, True, False]
        >>> Model((b"0110",)).assignment(4).tolist()
        [False, True, True, False]
        >>> Model((b"10",)).assignment(10, "literals").tolist().index(True)
        9
        """
        return self._read(n, values)[0]

    def missing(self, n: int, values: Values = "either") -> int:
        """How many of the variables 1..n it says nothing of.

        >>> Model((b"1 -2", b"4")).missing(4), Model((b"011",)).missing(4)
        (1, 1)
        """
        return n - int(self._read(n, values)[1].sum())

    def _read(self, n: int, values: Values) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The truth values, and which variables have one."""
        if n > MOST:
            raise FormatError(f"{n} variables are more than a model is read for, {MOST}")
        true, given = np.zeros((2, n), np.bool_)
        if self._are_literals(values):
            literals = self._literals()
            literals = literals[(literals != 0) & (-n <= literals) & (literals <= n)]
            true[np.abs(literals) - 1] = literals > 0  # of a variable that comes twice, the last one
            given[np.abs(literals) - 1] = True
        else:
            bits = np.frombuffer(self._bits(n), np.uint8)[:n]
            true[: len(bits)] = bits == ord("1")
            given[: len(bits)] = True
        return true, given

    def _are_literals(self, values: Values) -> bool:
        if b"".join(self.lines).translate(None, _BITS):
            return True
        if values != "either":
            return values == "literals"
        if not any(b" " in line for line in self.lines):
            return False  # pieces of a string of bits, the last of which may be a 0
        *literals, last = b" ".join(self.lines).split()
        return last == b"0" and b"0" not in literals and len(set(literals)) == len(literals)

    def _literals(self) -> NDArray[np.int64]:
        try:
            return np.fromiter(map(int, b" ".join(self.lines).split()), np.int64)
        except (ValueError, OverflowError) as error:
            raise FormatError("a v line holds something that is no literal") from error

    def _bits(self, n: int) -> bytes:
        """The last whole string of n bits, or what there is of one."""
        lines = [line.translate(None, b" ") for line in self.lines]
        for line in reversed(lines):
            if len(line) >= n:
                return line
        sizes = {*map(len, lines)}
        if len(sizes) == 1 and sum(map(len, lines)) > n and _lacks_less(len(lines[0]), n):
            return lines[-1]  # again and again, without the last variables
        whole, pieces, so_far = b"", list[bytes](), 0
        for line in lines:
            pieces.append(line)
            so_far += len(line)
            if so_far >= n:
                whole, pieces, so_far = b"".join(pieces), [], 0
        return whole or b"".join(pieces)


@dataclass(slots=True)
class Block:
    """The text of one model, or of the beginning of one, in the form of `Models.take`.

    closed: by a literal 0.  cost: the last one claimed before it.
    """

    text: bytes
    literals: bool
    closed: bool
    cost: int | None
    _size: int | None = None

    @property
    def size(self) -> int:
        """Values in it; bits that are printed again and again count once."""
        if self._size is None:
            self._size = self._counted()
        return self._size

    def _counted(self) -> int:
        if self.literals:
            return len(self.text.split()) - self.text.count(b"v") - self.closed
        sizes = {len(line) for line in self.text.translate(None, b"v \r").split(b"\n")[1:]}
        return sizes.pop() if len(sizes) == 1 else len(self.text.translate(None, b"v \r\n"))

    def is_shorter(self, other: Block) -> bool:
        """Whether this is only the beginning of a model, judged by one before it."""
        return not self.closed and self.size < other.size

    def ends_like(self, other: Block) -> bool:
        """Whether this, although cut, is as much as the other."""
        alike = not self.literals or _last_variables(self.text)[0] == _last_variables(other.text)[0]
        return alike and self.size == other.size

    def model(self) -> Model:
        """The lines without their v."""
        return Model(tuple(map(bytes.strip, self.text.split(b"\nv")[1:])))


def _lacks_less(size: int, n: int) -> bool:
    """Whether lines of so many bits are models without a few of n variables, and no pieces of longer ones.

    >>> _lacks_less(9, 10), _lacks_less(50_000, 99_990)
    (True, False)
    """
    return n - size <= -n % size


class Models:
    """Finds the last model; keeps one and the beginning of another, whatever comes."""

    def __init__(self) -> None:
        self.kept: Block | None = None
        self.is_cut = False  # kept is the beginning of a model
        self.superseded = False  # by one that was cut short
        self.costs_first = False  # a cost came before the first model
        self._texts: list[bytes] = []  # of a model that has not ended
        self._bytes = 0
        self._in_literals = False  # the group
        self._cost: int | None = None  # before the group

    def take(self, text: bytes) -> None:
        r"""More lines of the group: each begins with \n and v and has nothing but values and blanks."""
        if not self._in_literals and text.translate(None, b"v\n" + _BITS):
            text = self._pop() + text
            self._in_literals = True
        if self._in_literals:
            self._take_literals(text)
        else:
            self._add(text)

    def _pop(self) -> bytes:
        """The text so far, which is not kept any longer."""
        text = b"".join(self._texts)
        self._texts, self._bytes = [], 0
        return text

    def _take_literals(self, text: bytes) -> None:
        """Of the models that a 0 closes only the last matters."""
        end = _closed_up_to(text, len(text))
        if end:
            begin = _closed_up_to(text, text.rfind(b"\n", 0, end))
            if begin:
                self._pop()
            self._grow(text[begin:end])
            self._end(closed=True)
        self._grow(text[end:])

    def _grow(self, text: bytes) -> None:
        """More literals of the model, or of others after it that begin with the same variable."""
        begin = 0
        for at in _beginnings(text, _first_variable(self._texts[0] if self._texts else text)):
            self._add(text[begin:at])
            self._end()
            begin = at
        self._add(text[begin:])

    def _add(self, text: bytes) -> None:
        self._bytes += len(text) + LINE_OVERHEAD * text.count(b"\n")
        if self._bytes > MODEL_BYTES:
            self._pop()
        if text:
            self._texts.append(text)

    def _end(self, *, closed: bool = False) -> None:
        """What came so far is a model, if it is anything."""
        if not self._texts:
            return
        block = Block(self._pop(), self._in_literals, closed, self._cost)
        if self.kept is None:
            self.costs_first = self._cost is not None
        self.superseded = self.kept is not None and block.is_shorter(self.kept)
        if not self.superseded:
            self.kept = block

    def end_group(self, cost: int | None) -> None:
        """An o or s line has come; cost is the last one claimed."""
        self._end()
        self._in_literals, self._cost = False, cost

    def is_older_than(self, cost: int | None) -> bool:
        """Whether cost, the last one claimed, came after the model that is kept, and costs come first."""
        return self.kept is not None and self.costs_first and self.kept.cost != cost

    def cut(self, text: bytes) -> None:
        """The output ends within this line."""
        self.take(text)
        if not self._texts:
            return
        text = self._pop()
        if self._in_literals:
            text = _without_doubtful(text)
        block = Block(text, self._in_literals, False, self._cost)
        if self.kept is None or self.kept.size < block.size:
            self.kept, self.is_cut = block, True
        elif block.ends_like(self.kept):
            self.kept = block
        else:
            self.superseded = True


def _closed_up_to(text: bytes, end: int) -> int:
    """Where the last line before end that closes with a literal 0 ends; 0 if there is none."""
    while end > 0 and (at := text.rfind(b" 0", 0, end)) >= 0:
        stop = text.find(b"\n", at)
        stop = len(text) if stop < 0 else stop
        if not text[at + 2 : stop].strip():
            return stop
        end = text.rfind(b"\n", 0, at)
    return 0


def _beginnings(text: bytes, variable: bytes) -> list[int]:
    """Where the lines are that begin with a variable."""
    found: list[int] = []
    if not variable:
        return found
    for sign in (b"", b"-", b"+") if b"+" in text else (b"", b"-"):
        line = b"\nv %b%b " % (sign, variable)
        at = text.find(line)
        while at >= 0:
            found.append(at)
            at = text.find(line, at + 1)
    return sorted(found)


def _first_variable(text: bytes) -> bytes:
    """That of the first line."""
    return text[2:80].split(b"\n", 1)[0].strip().split(b" ", 1)[0].lstrip(b"-+")


def _last_variables(text: bytes) -> tuple[int, int]:
    """The last and the one before, a closing 0 aside; 0 where there is none."""
    words = [word.lstrip(b"-+") for word in text[-80:].replace(b"\nv", b" ").split() if word != b"0"]
    before, last = [0, 0, *(int(word) if word.isdigit() else 0 for word in words)][-2:]
    return last, before


def _without_doubtful(text: bytes) -> bytes:
    """A cut text of literals without its last one if its variable is not larger than the one before.

    Solvers print variables in order; the beginning of a larger number would be another variable.
    """
    last, before = _last_variables(text)
    return text if last > before else text.rpartition(b" ")[0]
