"""Any answer, printed in any solver's style with any noise, is read back."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass
from typing import get_args

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.errors import FormatError
from wcnfgen.output import NOTES, Answer, Status, parse

Bits = tuple[bool, ...]


@dataclass(frozen=True)
class Style:
    """How a solver prints: as the solvers named do."""

    bits: bool  # NuWLS-c; else literals, as Open-WBO
    spaced: bool  # 0 1 1
    zero: bool  # clasp, LSU; else as RC2
    width: int  # values in a line: clasp wraps, UWrMaxSat cuts
    end: bytes
    stamp: bytes
    tail: bytes  # after the cost
    order: tuple[str, ...]  # UWrMaxSat: v, o, s

    def line(self, text: bytes) -> bytes:
        return self.stamp + text + self.end

    def model(self, model: Bits) -> list[bytes]:
        if self.bits:
            values = [b"%d" % value for value in model]
            separator = b" " if self.spaced else b""
        else:
            values = [b"%d" % (v if value else -v) for v, value in enumerate(model, 1)]
            values += [b"0"] if self.zero else []
            separator = b" "
        width = len(values) if self.bits and self.spaced else self.width
        lines = [separator.join(values[at : at + width]) for at in range(0, len(values), width)]
        return [self.line(b"v " + line) for line in lines]

    def cost(self, cost: int) -> bytes:
        return self.line(b"o %d" % cost + self.tail)


def styles() -> st.SearchStrategy[Style]:
    return st.builds(
        Style,
        bits=st.booleans(),
        spaced=st.booleans(),
        zero=st.booleans(),
        width=st.integers(2, 50),
        end=st.sampled_from([b"\n", b"\r\n", b" \n"]),
        stamp=st.sampled_from([b"", b"", b"0.03/1.50\t"]),
        tail=st.sampled_from([b"", b" ", b" tries:7", b" 0.69", b" 19470 1 0"]),
        order=st.permutations(["s", "o", "v"]).map(tuple),
    )


def noise() -> st.SearchStrategy[bytes]:
    """Lines that say nothing: comments, blanks, text, bytes that are no text."""
    usual = st.sampled_from(
        [b"c o 1", b"c s OPTIMUM FOUND", b"", b"not partial!", b"optimum", b"verbose 1", b"solved"]
    )
    odd = st.binary(max_size=30).map(lambda junk: b"c " + junk.replace(b"\n", b""))
    return (usual | odd).map(lambda text: text + b"\n")


def models(size: int) -> st.SearchStrategy[Bits]:
    return st.tuples(*[st.booleans()] * size)


SIZES = st.integers(1, 120)
COSTS = st.integers(0, 2**66).filter(lambda cost: cost != 2**64 - 1)


def same(answer: Answer, model: Bits) -> bool:
    assert answer.model is not None
    return bool(np.array_equal(answer.model.assignment(len(model)), model))


@given(st.data(), styles(), st.sampled_from(get_args(Status)), st.lists(COSTS, min_size=1, max_size=5))
def test_the_last_model_and_all_costs(
    data: st.DataObject, style: Style, status: Status, costs: list[int]
) -> None:
    size = data.draw(SIZES)
    lines: list[bytes] = []
    for cost in costs[:-1]:  # TT-Open-WBO-Inc prints every model
        lines += [style.cost(cost), *style.model(data.draw(models(size)))]
    last = data.draw(models(size))
    parts = {"s": [style.line(b"s " + status.encode())], "o": [style.cost(costs[-1])], "v": style.model(last)}
    if not style.zero or style.bits:  # then only an o or s line tells two models apart
        parts["v"] = [style.cost(costs[-1]), *parts["v"]]
    for part in style.order:
        lines += parts[part]
    noisy = [piece for line in lines for piece in (*data.draw(st.lists(noise(), max_size=1)), line)]
    answer = parse(noisy)
    assert answer.status == status
    distinct = [cost for at, cost in enumerate(costs) if at == 0 or costs[at - 1] != cost]
    assert [cost for _, cost in answer.costs] == distinct
    assert same(answer, last)
    assert all(seconds == (1.5 if style.stamp else None) for seconds, _ in answer.costs)


@given(st.data(), styles(), SIZES)
def test_a_cut_never_makes_a_new_model(data: st.DataObject, style: Style, size: int) -> None:
    first, second = data.draw(models(size)), data.draw(models(size))
    head = b"".join([style.cost(2), *style.model(first), style.cost(1)])
    tail = b"".join(style.model(second))
    cut = head + tail[: data.draw(st.integers(0, len(tail)) | st.integers(max(0, len(tail) - 9), len(tail)))]
    answer = parse(io.BytesIO(cut))
    assert same(answer, first) or same(answer, second)
    assert answer.cost == 1


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"v ", b"o ", b"s ", b"1/1\t", b"\n", b"0 1 -2"])))
def test_any_bytes_are_read_without_an_error(pieces: list[bytes]) -> None:
    answer = parse(io.BytesIO(b"".join(pieces)))
    assert len(answer.notes) <= NOTES
    if answer.model:
        with suppress(FormatError):
            assert len(answer.model.assignment(3)) == 3
