"""The reader: what the Evaluation's tools accept, it accepts; the rest it refuses with file and line."""

from __future__ import annotations

import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen import reader
from wcnfgen.errors import FormatError, WcnfgenError
from wcnfgen.reader import HARD, Reader

Clauses = list[tuple[int, list[int]]]


def parsed(text: str | bytes) -> Clauses:
    """(weight, literals) of each clause; weight HARD for a hard one."""
    raw = text.encode() if isinstance(text, str) else text
    found = []
    with Reader(io.BytesIO(raw), "x.wcnf") as source:
        for chunk in source.chunks():
            for k, weight in enumerate(chunk.weights.tolist()):
                found.append((weight, chunk.literals[chunk.starts[k] : chunk.starts[k + 1]].tolist()))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("h 1 0\n", [(HARD, [1])]),
        ("h 1 0", [(HARD, [1])]),
        ("H 1 -2 0\n3 2 0\n", [(HARD, [1, -2]), (3, [2])]),
        ("h 0\n", [(HARD, [])]),
        ("3 0\nh 1 0\n", [(3, []), (HARD, [1])]),
        ("h 1 -1 0\n1 1 -1 0\n", [(HARD, [1, -1]), (1, [1, -1])]),
        ("4294967296 1 0\n", [(4294967296, [1])]),
        (f"{2**63 - 1} 1 0\n", [(2**63 - 1, [1])]),
        ("1 1 0\n1 1 0\n", [(1, [1]), (1, [1])]),
        ("0 1 0\nh 2 0\n", [(HARD, [2])]),
        ("c a\ncb\n\n  \nh 1 0\nc d\n2 1 0\n", [(HARD, [1]), (2, [1])]),
        ("h\t1  -2   0 \r\n2 1 0\r\n", [(HARD, [1, -2]), (2, [1])]),
        ("h 1 0 what follows\n2 1 0\n", [(HARD, [1]), (2, [1])]),
        ("p wcnf 3 3 9\n9 1 -2 0\n2 3 0\n12 1 0\n", [(HARD, [1, -2]), (2, [3]), (HARD, [1])]),
        ("c x\np  wcnf\t3 2  9\nc y\n9 1 0\n2 3 0\n", [(HARD, [1]), (2, [3])]),
        ("p wcnf 3 4\n10 1 0\n3 2 0\n8 3 0\n5 1 0\n", [(10, [1]), (3, [2]), (8, [3]), (5, [1])]),
        ("p wcnf 2 2 1\n1 1 0\n1 2 0\n", [(HARD, [1]), (HARD, [2])]),
        (f"p wcnf 1 2 {2**64 - 1}\n{2**64 - 1} 1 0\n1 -1 0\n", [(HARD, [1]), (1, [-1])]),
        ("p cnf 3 2\n1 -2\n3 0 2\n0\n", [(HARD, [1, -2, 3]), (HARD, [2])]),
        ("p cnf 2 2\n1 0\n\n2 0\n", [(HARD, [1]), (HARD, [2])]),
    ],
)
def test_accepted(text: str, expected: Clauses) -> None:
    assert parsed(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("h 1 2\n", "x.wcnf:1: the clause does not end with 0"),
        ("h 1 0\nh 1\n2 0\n", "x.wcnf:2: the clause does not end with 0"),
        ("h 1 0\n-3 1 0\n", "x.wcnf:2: weight -3"),
        (f"{2**63} 1 0\n", "x.wcnf:1: weight"),
        ("h 1 0\nh 1 x 0\n", "x.wcnf:2: 'x' is not an integer"),
        ("1.5 1 0\n", "x.wcnf:1: '1.5' is not an integer"),
        ("c\np wcnf 2 2 9\n9 3 0\n", "x.wcnf:3: variable 3, but the header declares 2"),
        ("p wcnf 2 2 9\nh 1 0\n", "x.wcnf:2: an 'h' line under a 'p wcnf' header"),
        ("h 1 0\np wcnf 2 2 9\n", "x.wcnf:2: a second header, or one after a clause"),
        ("p wcnf 2 2 9\np wcnf 2 2 9\n", "x.wcnf:2: a second header"),
        ("p wncf 2 2 9\n", "x.wcnf:1: not a header"),
        ("p wcnf a 2 9\n", "x.wcnf:1: 'a' is not an integer"),
        ("p wcnf 2 3 9\n9 1 0\n", "x.wcnf: the header declares 3 clauses, the file has 1"),
        ("h 1_0 0\n", "x.wcnf:1: '1_0' is not an integer"),
        ("h +1 0\n", "x.wcnf:1: '+1' is not an integer"),
        ("p cnf 2 2\n1 0\n2\n", "x.wcnf:3: the last clause does not end with 0"),
        ("-1 2 0\n", "x.wcnf:1: weight -1"),
        ("h 4294967296 0\n", "x.wcnf:1: variable 4294967296 is too large"),
    ],
)
def test_refused_with_file_and_line(text: str, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        parsed(text)
    assert str(caught.value).startswith(says)


def test_line_numbers_count_on_through_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "CHUNK", 64)
    text = "c x\n" + "h 1 -2 3 0\n" * 100 + "c y\nh 1 2\n"
    with pytest.raises(FormatError, match=r"x.wcnf:103: the clause"):
        parsed(text)


literals = st.lists(st.integers(1, 60).flatmap(lambda x: st.sampled_from([x, -x])), max_size=5)
weights = st.just(HARD) | st.integers(1, 9) | st.integers(2**53, 2**63 - 2)


@given(st.lists(st.tuples(weights, literals), max_size=30), st.sampled_from([8, 64, 1 << 22]), st.data())
def test_the_fast_way_and_the_careful_way_agree(clauses: Clauses, size: int, data: st.DataObject) -> None:
    """Noise that changes nothing changes nothing, wherever a chunk ends."""
    noise = st.sampled_from(["", "", "", "c note\n", "c\n", "\n", "c 1 2 0\n"])
    text = ""
    for weight, found in clauses:
        text += data.draw(noise) + ("h" if weight == HARD else str(weight))
        text += "".join(f" {x}" for x in found) + data.draw(
            st.sampled_from([" 0\n"] * 5 + ["  0 \n", " 0\r\n"])
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "CHUNK", size)
        assert parsed(text) == clauses
        patch.setattr(Reader, "_fast", lambda self, data: None)
        assert parsed(text) == clauses


@given(st.binary(max_size=60))
def test_rubbish_is_read_or_refused_but_never_crashes(raw: bytes) -> None:
    try:
        parsed(raw)
    except FormatError as error:
        assert "x.wcnf:" in str(error)


VALID = b"c note\nh 1 -2 3 0\n17 4 0\nh -5 0\nh 0\n3 -1 22 0\n"


def outcome(raw: bytes) -> Clauses | str:
    try:
        return parsed(raw)
    except FormatError as error:
        return str(error)


@given(
    st.lists(
        st.tuples(st.integers(0, len(VALID) - 1), st.sampled_from(b"0123456789hH -+_\n\tp.\r")), max_size=3
    )
)
def test_damaged_files_read_alike_both_ways(changes: list[tuple[int, int]]) -> None:
    """Some bytes of a valid file changed: the fast way accepts nothing that the careful way refuses."""
    raw = bytearray(VALID)
    for position, byte in changes:
        raw[position] = byte
    with pytest.MonkeyPatch.context() as patch:
        quick = outcome(bytes(raw))
        patch.setattr(Reader, "_fast", lambda self, data: None)
        assert quick == outcome(bytes(raw))


@pytest.mark.parametrize(
    "line",
    [
        "1h 2 0", "hh 1 0", "h 1h 0", "h1 2 0", "h - 1 0", " 0 1 0", "-0 1 0", "h 1 0 0\n2 0", "h 1 -0",
        "h 01 0", "07 1 0", "h 1 2\n3 0 4 0", "h -9223372036854775808 0", "h 9223372036854775808 0", "0 1 0",
    ],
)  # fmt: skip
def test_traps_read_alike_both_ways(line: str) -> None:
    raw = f"h 1 0\n{line}\nh 2 0\n".encode()
    with pytest.MonkeyPatch.context() as patch:
        quick = outcome(raw)
        patch.setattr(Reader, "_fast", lambda self, data: None)
        assert quick == outcome(raw)


def test_plain_files_are_read_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "_slow", lambda self, data: pytest.fail("read line by line"))
    assert len(parsed(VALID)) == 5
    assert parsed("p wcnf 9 2 5\n5 1 0\n3 -9 0\n") == [(HARD, [1]), (3, [-9])]


def test_satisfied() -> None:
    with Reader(io.BytesIO(b"h 1 -2 0\nh 0\n3 2 0\n"), "x") as source:
        (chunk,) = source.chunks()
    assert chunk.satisfied(np.array([False, False, True])).tolist() == [False, False, True]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_files_whatever_their_name(tmp_path: Path, compress) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "x.wcnf"
    path.write_bytes(compress(b"c hello\nh 1 0\n"))
    assert reader.read(path).comments == ["hello"]
    path.write_bytes(compress(b"h 1 0\n" * 5000)[:-12])
    with pytest.raises(FormatError, match="cannot read to the end"):
        reader.read(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(WcnfgenError, match="cannot read"):
            reader.read(path)
