"""Any answer, printed as any solver prints, with noise and cut into any pieces, is read back.

A style is a function from an answer to lines, named after a solver that prints so.  What it prints is the
answer's; how it is cut and what else stands between the lines is hypothesis' to choose.
"""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, groupby, pairwise
from typing import TypeVar, get_args

import numpy as np
import pytest
from hypothesis import example, given, note
from hypothesis import strategies as st

from wcnfgen import model
from wcnfgen.drivers._streams import Lines
from wcnfgen.errors import FormatError
from wcnfgen.output import NOTES, Answer, Parser, Status, parse, pieces

T = TypeVar("T", bytes, list[bytes])
Bits = tuple[bool, ...]


@dataclass(frozen=True)
class Found:
    """What a solver is to say: its improvements, each a cost and a model, and the status."""

    improvements: tuple[tuple[int, Bits], ...]
    status: Status

    @property
    def last(self) -> Bits:
        return self.improvements[-1][1]

    @property
    def costs(self) -> list[int]:
        return [cost for cost, _ in self.improvements]

    @property
    def s(self) -> bytes:
        return b"s " + self.status.encode()

    @property
    def o(self) -> bytes:
        return b"o %d" % self.costs[-1]


Style = Callable[[Found], Iterator[bytes]]
Form = Callable[[Bits], bytes]
STYLES: dict[str, Style] = {}


def style(function: Style) -> Style:
    STYLES[function.__name__] = function
    return function


# --- how values are printed ------------------------------------------------------------------------------


def bits(values: Bits) -> bytes:
    return b"".join(b"%d" % value for value in values)


def literals(values: Bits) -> bytes:
    return b" ".join(b"%d" % (v if value else -v) for v, value in enumerate(values, 1))


def closed(values: Bits) -> bytes:
    return literals(values) + b" 0"


def wrapped(text: bytes, width: int) -> Iterator[bytes]:
    """Lines of at most so many characters, as long as they can be."""
    line = b"v"
    for word in text.split():
        if len(line) + 1 + len(word) > width:
            yield line
            line = b"v"
        line += b" " + word
    yield line


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(text), size):
        yield b"v " + text[at : at + size]


# --- styles ----------------------------------------------------------------------------------------------


@style
def tt_open_wbo_inc_2020(found: Found) -> Iterator[bytes]:
    """Every model, the status first."""
    yield found.s
    for cost, values in found.improvements:
        yield b"o %d " % cost
        yield b"v " + bits(values)


@style
def nuwls_c(found: Found) -> Iterator[bytes]:
    for cost in found.costs:
        yield b"o %d" % cost
        yield b"c timeo 0.01 %d" % cost
    yield found.s
    yield found.o + b" "
    yield b"v " + bits(found.last)


@style
def loandra(found: Found) -> Iterator[bytes]:
    for cost in found.costs:
        yield b"o %d" % cost
    yield b"c Predicted size is 2147483647 vs"
    yield found.s
    yield b"v " + bits(found.last)


@style
def open_wbo(found: Found) -> Iterator[bytes]:
    for cost in found.costs:
        yield b"o %d" % cost
    yield found.s
    yield found.o + b" "
    yield b"v " + literals(found.last) + b" "


@style
def uwrmaxsat(found: Found) -> Iterator[bytes]:
    """Chunks, of 50 000 characters in truth; the model comes before its cost."""
    for cost in found.costs[:-1]:
        yield b"o %d" % cost
    yield from wrapped(literals(found.last), 50)
    yield found.o
    yield found.s


@style
def uwrmaxsat_bm(found: Found) -> Iterator[bytes]:
    for cost in found.costs[:-1]:
        yield b"o %d" % cost
    yield from chunks(bits(found.last), 16)
    yield found.o
    yield found.s


@style
def clasp(found: Found) -> Iterator[bytes]:
    """Every model, wrapped and closed, before its cost."""
    for number, (cost, values) in enumerate(found.improvements, 1):
        yield b"c Answer: %d" % number
        yield from wrapped(closed(values), 40)
        yield b"o %d" % cost
    yield found.s


@style
def clasp_q1(found: Found) -> Iterator[bytes]:
    for cost in found.costs[:-1]:
        yield b"o %d" % cost
    yield from wrapped(closed(found.last), 40)
    yield found.o
    yield found.s


@style
def rc2(found: Found) -> Iterator[bytes]:
    for cost in found.costs[:-1]:
        yield b"c cost: %d" % cost
    yield found.s
    yield found.o
    yield b"v " + literals(found.last)


@style
def rc2_vnew(found: Found) -> Iterator[bytes]:
    yield found.s
    yield found.o
    yield b"v " + bits(found.last)


@style
def lsu(found: Found) -> Iterator[bytes]:
    for cost in found.costs:
        yield b"o %d" % cost
    yield found.s
    yield b"v " + closed(found.last)


@style
def evalmaxsat(found: Found) -> Iterator[bytes]:
    yield found.o
    yield found.s
    yield b"v " + bits(found.last)
    yield b"c Total time : 6.00893s"


@style
def satlike(found: Found) -> Iterator[bytes]:
    """No status."""
    for tries, cost in enumerate(found.costs, 1):
        yield b"o %d tries:%d" % (cost, tries)
    yield b"v " + literals(found.last)


@style
def nuwls(found: Found) -> Iterator[bytes]:
    """Each cost with its seconds."""
    for cost in found.costs:
        yield b"o %d 0.69" % cost
    yield b"v " + bits(found.last)


@style
def spb_maxsat(found: Found) -> Iterator[bytes]:
    for cost in found.costs:
        yield b"o %d 19470 1 0" % cost
    yield b"v " + bits(found.last)


@style
def runsolver(found: Found) -> Iterator[bytes]:
    """Stamps what a solver prints, in the StarExec scripts."""
    for line in nuwls_c(found):
        yield b"1.39/1.49\t" + line


@style
def runsolver_clasp(found: Found) -> Iterator[bytes]:
    for line in clasp(found):
        yield b"0.00/0.01\t" + line


@style
def sat4j(found: Found) -> Iterator[bytes]:
    """Variables that occur nowhere are left out; here some that are false."""
    for cost in found.costs:
        yield b"o %d" % cost
    yield found.s
    said = [b"%d" % (v if value else -v) for v, value in enumerate(found.last, 1) if value or v % 3]
    yield b"v " + b" ".join([*said, b"0"])


@style
def exact(found: Found) -> Iterator[bytes]:
    """At a limit: a model, and that nothing is known."""
    for cost in found.costs:
        yield b"o %d" % cost
    yield b"s UNKNOWN"
    yield b"v " + bits(found.last)


@style
def mse_2026(found: Found) -> Iterator[bytes]:
    for cost in found.costs:
        yield b"c LB 1"
        yield b"o %d" % cost
    yield found.s
    yield b"v " + bits(found.last)


ONLY_LAST = {"rc2", "rc2_vnew", "evalmaxsat"}
NO_STATUS = {"satlike", "nuwls", "spb_maxsat"}
STAMPS = {"runsolver": 1.49, "runsolver_clasp": 0.01}
SEVERAL_LINES = {"uwrmaxsat", "uwrmaxsat_bm", "clasp", "clasp_q1", "runsolver_clasp"}


def status_of(name: str, found: Found) -> Status | None:
    return "UNKNOWN" if name == "exact" else None if name in NO_STATUS else found.status


def costs_of(name: str, found: Found) -> list[int]:
    costs = found.costs[-1:] if name in ONLY_LAST else found.costs
    return [cost for cost, _ in groupby(costs)]


# --- what hypothesis draws -------------------------------------------------------------------------------

COSTS = st.integers(0, 9) | st.integers(0, 2**66).filter(lambda cost: cost != 2**64 - 1)


@st.composite
def answers(draw: st.DrawFn) -> Found:
    size = draw(st.integers(1, 120))
    models = st.tuples(*[st.booleans()] * size)
    improvements = draw(st.lists(st.tuples(COSTS, models), min_size=1, max_size=4))
    return Found(tuple(improvements), draw(st.sampled_from(get_args(Status))))


def noise() -> st.SearchStrategy[bytes]:
    """Lines that say nothing: comments, blanks, text, bytes that are no text."""
    usual = [b"c o 1", b"c s OPTIMUM FOUND", b"c v 1 -2 0", b"c", b"", b"not partial!", b"optimum 3", b"o3"]
    usual += [b"verbose 1", b"solved", b"sat", b"This is Satlike3.0 solver", b" v 1", b"1.0/2.0\tc o 1"]
    odd = st.binary(max_size=30).map(lambda junk: b"c \xff\0" + junk.replace(b"\n", b""))
    return st.sampled_from(usual) | odd


@dataclass(frozen=True)
class Surroundings:
    """What stands between the lines, how these end, and where the text is cut, as shares of its length."""

    between: tuple[bytes | None, ...]
    end: bytes
    cuts: tuple[float, ...]

    def around(self, lines: Iterable[bytes]) -> list[bytes]:
        """The lines with their ends, and others between them."""
        both = zip(cycle(self.between), lines, strict=False)
        return [line + self.end for pair in both for line in pair if line is not None]

    def positions(self, length: int) -> list[int]:
        return [int(cut * length) for cut in sorted(self.cuts)]

    def pieces(self, sequence: T) -> list[T]:
        """The sequence in pieces, some of which may be empty."""
        at = [0, *self.positions(len(sequence)), len(sequence)]
        return [sequence[begin:end] for begin, end in pairwise(at)]


def surroundings() -> st.SearchStrategy[Surroundings]:
    return st.builds(
        Surroundings,
        st.lists(st.none() | noise(), min_size=1, max_size=7).map(tuple),
        st.sampled_from([b"\n", b"\r\n"]),
        st.lists(st.floats(0, 1), max_size=8).map(tuple),
    )


def same(answer: Answer, values: Bits) -> bool:
    return answer.model is not None and np.array_equal(answer.model.assignment(len(values)), values)


# --- laws ------------------------------------------------------------------------------------------------


@given(answers(), surroundings())
def test_it_is_read_back(found: Found, scene: Surroundings) -> None:
    for name, lines in STYLES.items():
        note(name)
        answer = parse((7.0, b"".join(text)) for text in scene.pieces(scene.around(lines(found))))
        assert answer.status == status_of(name, found)
        assert [cost for _, cost in answer.costs] == costs_of(name, found)
        assert {seconds for seconds, _ in answer.costs} == {STAMPS.get(name, 7.0)}
        assert same(answer, found.last)
        assert not answer.cut
        assert not answer.notes


@given(answers(), surroundings(), st.integers(1, 200))
def test_neither_driver_nor_file_matters(found: Found, scene: Surroundings, size: int) -> None:
    """The driver cuts what it reads anywhere, a file is read in blocks: the answer is the same."""
    for name, lines in STYLES.items():
        note(name)
        text = b"".join(scene.around(lines(found)))
        parser = Parser()
        driver = Lines(parser.feed)
        for piece in scene.pieces(text):
            driver.feed(7.0, piece)
        driver.end(7.0)
        answer = parser.answer()
        assert same(answer, found.last)
        assert parse((7.0, piece) for piece in pieces(io.BytesIO(text), size)) == answer


@given(answers(), surroundings(), st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_killed_while_printing(found: Found, scene: Surroundings, before_end: list[int]) -> None:
    """What is read is a model that was printed, or known to be cut.

    Between two lines of the first model nothing in the text tells, but what is missing does.
    """
    for name, lines in STYLES.items():
        text = b"".join(scene.around(lines(found)))
        for end in (*scene.positions(len(text)), *(max(0, len(text) - back) for back in before_end)):
            note(f"{name}: {text[:end]!r}")
            answer = parse([text[:end]])
            assert {cost for _, cost in answer.costs} <= set(found.costs)
            assert answer.status in (None, status_of(name, found))
            if answer.model is not None and not answer.cut:
                whole = any(same(answer, values) for _, values in found.improvements)
                assert whole or (name in SEVERAL_LINES and answer.model.missing(len(found.last)) > 0)


@given(answers(), st.sampled_from([bits, literals, closed]), st.integers(0, 9) | st.integers(0, 600))
def test_every_model_but_the_last_is_enough(found: Found, form: Form, missing: int) -> None:
    """Of two models of one form, the second cut anywhere, one is read, and it is whole."""
    first, second = found.improvements[0][1], found.last
    text = b"o 2\nv %b\no 1\nv %b\n" % (form(first), form(second))
    least = text.index(b"o 1\n") + 4
    answer = parse([text[: max(least, len(text) - missing)]])
    assert answer.model is not None
    assert not answer.cut
    assert answer.model.missing(len(first)) == 0
    assert answer.cost == 1
    assert same(answer, second) or (same(answer, first) and answer.superseded)


# --- whatever bytes --------------------------------------------------------------------------------------

WORDS = [b"v", b"o", b"s", b"c LB", b" ", b"  ", b"\t", b"\r", b"0", b"1", b"-1", b"2", b"-", b"+", b"0101"]
WORDS += [b"1/1\t", b"1.0/1.0\t", b"\0", b"\xff", b"OPTIMUM FOUND", b"UNKNOWN", b"9" * 30, b".0", b"x"]
LINES = st.lists(st.sampled_from(WORDS), max_size=8).map(b"".join)
USUAL = [
    b"v 1 2",
    b"v -1 -2 3",
    b"v 3 0",
    b"v 0",
    b"v 0101",
    b"v 01",
    b"v",
    b"v 1 0",
    b"o 3",
    b"o 2",
    b"s UNKNOWN",
]


@given(st.lists(LINES | st.binary(max_size=20), max_size=20).map(b"\n".join))
@example(b"v -")
@example(b"v 1-2")
@example(b"v 2 1\nv 3 0\nv")
@example(b"v 1\nv")
@example(b"o 1\nv 0 0\nv 0\nv")
def test_any_bytes_are_read_without_an_error(text: bytes) -> None:
    answer = parse(pieces(io.BytesIO(text), 16))
    assert len(answer.notes) <= NOTES
    if answer.model:
        with suppress(FormatError):
            assert len(answer.model.assignment(3)) == 3
            assert 0 <= answer.model.missing(3) <= 3


@given(st.lists(LINES.map(lambda line: b"v " + line) | st.sampled_from(USUAL), max_size=20), surroundings())
def test_how_lines_are_grouped_does_not_matter(lines: list[bytes], scene: Surroundings) -> None:
    ended = [line + b"\n" for line in lines]
    texts = [b"".join(text) for text in scene.pieces(ended)]
    assert parse(texts) == parse(ended) == parse([b"".join(ended)])


@pytest.mark.parametrize(
    "line",
    [
        b"v 0110\n",
        b"v 1 -2 3\n",
        b"v 2 3\nv 1 2\n",
        b"v 1 -2 0\n",
        b"o 1\no 2\n",
        b"o x\n",
        b"s UNKNOWN\ns SATISFIABLE\n",
        b"v 01x\n",
        b"c LB 1\nc LB 2\n",
        b"1.0/1.0\tv 1 -2 3\n",
        b"x" * 500,
        b"v 0101010101",
    ],
)
def test_memory_is_bounded(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 800 kB of anything little is kept."""
    monkeypatch.setattr(model, "MODEL_BYTES", 1 << 14)
    monkeypatch.setattr("wcnfgen.output.LINE_BYTES", 1 << 14)
    monkeypatch.setattr("wcnfgen.output.TRACE_LENGTH", 100)
    block = (line * (1 + (1 << 12) // len(line))) if b"\n" in line else line * 10

    class Endless(io.RawIOBase):
        left = 800_000

        def read(self, size: int = -1) -> bytes:
            self.left -= len(block)
            return block if self.left > 0 else b""

    tracemalloc.start()
    try:
        answer = parse(pieces(Endless()))  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 250_000
    assert len(answer.notes) <= NOTES
