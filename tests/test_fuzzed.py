"""The laws of `tests.fuzz.laws` on bytes that are made here, and on the smallest of what fuzzing found.

Nothing of atheris is needed; `tests/bench/fuzz.md` tells what was found.  Time and memory are held because
much of it was not wrong but slow or large.
"""

from __future__ import annotations

import base64
import json
import random
import resource
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import laws, seeds
from wcnfgen import map as maps
from wcnfgen.errors import FormatError
from wcnfgen.output import parse
from wcnfgen.reader import read

FUZZ = Path(__file__).parent / "fuzz"
SECONDS = 3  # of the processor; the slowest takes a tenth of it
MEGABYTES = 300

Place = tuple[str | int, ...]


@contextmanager
def bounded() -> Iterator[None]:
    """It takes neither long nor much memory."""
    began, before = time.process_time(), _peak()
    yield
    assert time.process_time() - began < SECONDS
    assert _peak() - before < MEGABYTES


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def tokens(law: str) -> list[bytes]:
    """Those of a dictionary of libFuzzer's."""
    lines = (FUZZ / f"{law}.dict").read_text().splitlines()
    return [line[1:-1].encode().decode("unicode_escape").encode("latin-1") for line in lines]


def texts(law: str) -> st.SearchStrategy[bytes]:
    """Bytes made of a law's tokens and of what is between them."""
    pieces = st.sampled_from([*tokens(law), b" ", b"\n", b"1", b"2", b"-3", b"0"]) | st.binary(max_size=3)
    return st.lists(pieces, max_size=40).map(b"".join)


# --- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", laws.LAWS)
@given(data=st.data())
def test_any_bytes_keep_the_law_or_are_an_error(law: str, data: st.DataObject) -> None:
    laws.LAWS[law](data.draw(texts(law)))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(range(len(seeds.OPTIONS))), st.integers(0, 2**32), st.integers(1, 3))
def test_a_changed_map_is_a_map_or_an_error(which: int, seed: int, changes: int) -> None:
    fields, choose = json.loads(seeds.maps()[which]), random.Random(seed)
    for _ in range(changes):
        seeds._change(fields, choose)
    with bounded():
        laws.header(json.dumps(fields).encode())


@pytest.mark.parametrize("raw", seeds.maps(), ids=[name for name, *_ in seeds.OPTIONS])
def test_every_map_of_ours_is_accepted(raw: bytes) -> None:
    assert laws.header(raw)


@pytest.mark.parametrize(
    ("law", "raw"),
    [
        ("csv", b"a,class\n1,x\n2,y\n"),
        ("wcnf", b"h 1 -2 0\n3 2 0\n"),
        ("wcnf", b"p wcnf 2 2 9\n9 1 -2 0\n3 2 0\n"),
        ("output", b"o 3\nv 1 -2 0\ns OPTIMUM FOUND\n"),
    ],
)
def test_a_law_says_what_is_accepted(law: str, raw: bytes) -> None:
    assert laws.LAWS[law](raw)
    assert not laws.LAWS[law](b"\x00")


# --- maps ----------------------------------------------------------------------------------------


def packed(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 9)).decode()


HUGE = 10**12
BOMB = packed(bytes(1 << 28))

# the seed's number, and what stands where in its map
MAPS: dict[str, tuple[int, dict[Place, Any]]] = {
    "more nodes than there is memory": (0, {("options", "ub"): HUGE}),
    "more nodes than 64 bits count": (0, {("options", "ub"): 10**40}),
    "a depth of as many leaves": (9, {("options", "depth"): 60}),
    "many rows": (2, {("shape", 0): HUGE}),
    "many columns": (2, {("shape", 1): HUGE}),
    "many classes": (2, {("shape", 2): HUGE}),
    "rows that unpack to gigabytes": (0, {("rows", "X"): BOMB}),
    "classes that unpack to gigabytes": (0, {("rows", "y"): BOMB}),
    "weights that unpack to gigabytes": (0, {("rows", "w"): BOMB}),
    "a row of a class below 0": (0, {("rows", "y"): packed(b"\xff" * 20)}),
    "weights below 0": (0, {("rows", "w"): packed(b"\xff" * 40)}),
    "an option that is no number": (0, {("options", "ub"): "7"}),
    "an option that is true": (0, {("options", "lb"): True}),
    "a class that is a list": (0, {("classes", 0): ["yes"]}),
    "a witness of a column that is not there": (0, {("witness",): [99, -1, -2]}),
    "such a witness without rows": (2, {("witness",): [99, -1, -2]}),
    "a witness of odd numbers": (0, {("witness",): [0.5, -1, -2]}),
    "cuts that fall": (13, {("binarisation", "features", 0, "thresholds"): [3.0, 1.0]}),
    "cuts without end": (13, {("binarisation", "features", 0, "thresholds"): [1e999]}),
    "a constant that the rows have not": (5, {("options", "soft_rows", 1): 3}),
    "one count": (0, {("counts",): [1]}),
    "counts by names": (0, {("counts",): {}}),
    "classes of fewer rows": (0, {("rows", "y"): packed(bytes(4))}),
    "rows of more bytes than they have": (0, {("rows", "X"): packed(bytes(1000))}),
    "a cost that is true": (0, {("witness_cost",): True}),
    "a cost below 0": (0, {("witness_cost",): -1}),
    "a column's name that is a number": (0, {("binarisation", "features", 0, "name"): 5}),
    "a value that is a list": (0, {("binarisation", "features", 0, "numbers", 0): []}),
    "nothing of the binarisation": (0, {("binarisation",): {}}),
    "a column that is a list": (0, {("columns", 0): []}),
}


def changed(seed: int, changes: dict[Place, Any]) -> bytes:
    fields = json.loads(seeds.maps()[seed])
    for (*inside, key), value in changes.items():
        place = fields
        for each in inside:
            place = place[each]
        assert place[key] is not None or key == "witness"  # the place is there
        place[key] = value
    return json.dumps(fields).encode()


@pytest.mark.parametrize(("seed", "changes"), MAPS.values(), ids=MAPS)
def test_a_map_that_lies_is_an_error_at_once(seed: int, changes: dict[Place, Any]) -> None:
    raw = changed(seed, changes)
    with (
        bounded(),
        pytest.raises(FormatError, match=r"^hostile: the map is damaged: "),
    ):
        maps.from_text(raw.decode(), "hostile")
    assert not laws.header(raw)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"version":' * 100_000, b'{"version":2}', b"1", b""])
def test_a_map_that_is_none_is_an_error(raw: bytes) -> None:
    with bounded():
        assert not laws.header(raw)


# --- data files, formulas, outputs ---------------------------------------------------------------

KEPT = {
    "csv": {
        "a long number that is none": b"a,class\n" + b"9" * 100_000 + b"x,y\n1,x\n",
        "a long number": b"a,class\n" + b"9" * 100_000 + b",y\n1,x\n",
        "blanks that are not ASCII": "a,class\n\x1c1,\u2028x\n\x852,y\n".encode(),
        "one column and an empty cell": b'a\n""\n1\n',
        "quotation marks that do not end": b'a,class\n"1,x\n',
    },
    "wcnf": {
        "digits of another script": "h \u0661 0\n".encode(),
        "the largest variable": b"h 2147483647 0\n",
        "a larger one": b"h 2147483648 0\n",
        "the smallest number of 64 bits": b"h -9223372036854775808 0\n1 -9223372036854775808 0\n",
        "weights beyond 64 bits in all": b"9223372036854775807 1 0\n9223372036854775807 2 0\n",
        "a header behind a clause": b"h 1 0\np wcnf 1 1 2\n",
        "a clause over lines": b"p cnf 2 1\n1\n2 0\n",
        "carriage returns alone": b"h 1 0\rh 2 0\r\n",
        "a comment at the end": b"h 1 0\nc",
    },
    "output": {
        "nothing": b"",
        "stamps without lines": b"1.00/1.00\t",
        "a literal beyond 64 bits": b"v 99999999999999999999 0\n",
        "two values of one variable": b"v 1 -1 0\n",
        "signs alone": b"v + - 0\n",
        "a cost that is none yet": b"o 18446744073709551615\nv 1 0\n",
        "bits and literals": b"v 01 10\nv 0110\n",
        "carriage returns": b"o 3\r\nv 1\rv 2\r\ns UNKNOWN\r",
    },
}


@pytest.mark.parametrize(
    ("law", "raw"),
    [pytest.param(law, raw, id=f"{law}: {what}") for law, some in KEPT.items() for what, raw in some.items()],
)
def test_what_is_kept_keeps_the_law(law: str, raw: bytes) -> None:
    with bounded():
        laws.LAWS[law](raw)


def test_a_model_of_too_many_variables_is_an_error() -> None:
    model = parse([b"v 1 0\n"]).model
    assert model is not None
    with bounded(), pytest.raises(FormatError, match="2147483647 variables"):
        model.assignment(2**31 - 1)


def test_a_line_without_end_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "x.wcnf"
    file.write_bytes(b"c" + b" " * (1 << 25))
    with bounded(), pytest.raises(FormatError, match="a line of more than"):
        read(file)
