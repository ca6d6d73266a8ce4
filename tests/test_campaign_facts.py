"""What an instance is, as far as its file says it."""

from __future__ import annotations

import gzip
import hashlib
import lzma
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from wcnfgen import reader
from wcnfgen.campaign import facts
from wcnfgen.errors import FormatError

literals = st.integers(1, 9).flatmap(lambda x: st.sampled_from([x, -x]))
clauses = st.lists(literals, max_size=3)
weights = st.integers(1, 3) | st.integers(1, 2**63 - 1)
PACK: Mapping[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
formulas = st.lists(st.tuples(st.just("h") | weights, clauses), min_size=1, max_size=12)


@given(formula=formulas, packed=st.sampled_from(["", ".gz", ".xz"]))
def test_facts_are_those_of_the_formula(
    tmp_path_factory: pytest.TempPathFactory, formula: list[tuple[Any, list[int]]], packed: str
) -> None:
    text = "".join(f"{weight} {' '.join(map(str, [*clause, 0]))}\n" for weight, clause in formula).encode()
    path = tmp_path_factory.mktemp("facts") / f"x.wcnf{packed}"
    path.write_bytes(PACK[packed](text))
    found, whole = facts.of(path), reader.read(path)
    soft = [weight for weight, _ in whole.softs]
    assert found == facts.Facts(
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        formula_sha256=hashlib.sha256(text).hexdigest(),
        format="wcnf",
        variables=whole.variables,
        hard=len(whole.hards),
        soft=len(soft),
        weight_sum=sum(soft),
        weighted=len(set(soft)) > 1,
    )


def test_facts_that_the_map_says(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,class\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    wcnfgen.encode(str(tmp_path / "x.csv"), ub=7).write(str(tmp_path / "size.out"))
    wcnfgen.encode(str(tmp_path / "x.csv"), encoding="exact", nodes=7).write(str(tmp_path / "exact.out"))
    size, exact = facts.of(tmp_path / "size.out"), facts.of(tmp_path / "exact.out")
    assert (size.encoding, size.data, size.known_cost) == ("size", "x", 2)
    assert size.least_cost is not None
    assert (exact.encoding, exact.format, exact.least_cost, exact.known_cost) == ("exact", "cnf", None, None)


def test_facts_of_a_file_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that differ from one piece to the next, and never within one."""
    monkeypatch.setattr(reader, "CHUNK", 12)
    (tmp_path / "x.wcnf").write_text("2 1 0\n" * 4 + "3 1 0\n" * 3)
    with reader.Reader(tmp_path / "x.wcnf") as pieces:
        assert [each.weights.tolist() for each in pieces.chunks()] == [[2, 2, 2, 2], [3, 3, 3]]
    found = facts.of(tmp_path / "x.wcnf")
    assert (found.soft, found.weight_sum, found.weighted) == (7, 17, True)


@pytest.mark.parametrize("text", ["nonsense\n", "h 1\n", "c map {\nh 1 0\n"])
def test_facts_of_what_is_no_instance(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.wcnf").write_text(text)
    with pytest.raises(FormatError, match=r"x\.wcnf"):
        facts.of(tmp_path / "x.wcnf")
