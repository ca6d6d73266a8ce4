"""The laws of `identity`: what does not change it, and what does."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen import encode, identity
from wcnfgen.errors import FormatError
from wcnfgen.reader import HARD, Chunk

Clause = tuple[int, tuple[int, ...]]  # weight, HARD for a hard one, and literals
Formula = list[Clause]


@st.composite
def formulas(draw: st.DrawFn) -> Formula:
    """Any, with empty clauses, tautologies and copies."""
    n = draw(st.integers(1, 8))
    literal = st.integers(1, n).flatmap(lambda x: st.sampled_from([x, -x]))
    clause = st.tuples(st.sampled_from([HARD, 1, 2, 7]), st.lists(literal, max_size=5).map(tuple))
    return draw(st.lists(clause, min_size=1, max_size=12))


def chunks(formula: Formula, size: int) -> Iterator[Chunk]:
    for start in range(0, len(formula), size):
        part = formula[start : start + size]
        literals = [literal for _, clause in part for literal in clause]
        lengths = np.cumsum([0, *(len(clause) for _, clause in part)])
        weights = np.array([weight for weight, _ in part], np.int64)
        yield Chunk(weights, np.array(literals, np.int32), lengths.astype(np.intp))


def name(formula: Formula, size: int = 100) -> str:
    return identity.of_chunks(lambda: chunks(formula, size))


def variables(formula: Formula) -> list[int]:
    return sorted({abs(literal) for _, clause in formula for literal in clause})


def finer(formula: Formula, size: int = 100) -> str:
    return identity.finer_of_chunks(lambda: chunks(formula, size))


def renamed(formula: Formula, random: Any) -> Formula:
    """With other variables, and clauses and literals in another order."""
    old = variables(formula)
    new = dict(zip(old, random.sample(range(1, 50), len(old)), strict=True))
    again = [
        (weight, tuple(new[abs(x)] if x > 0 else -new[abs(x)] for x in random.sample(clause, len(clause))))
        for weight, clause in formula
    ]
    random.shuffle(again)
    return again


@given(formulas(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_renaming_and_reordering_change_nothing(formula: Formula, random: Any, size: int) -> None:
    assert name(renamed(formula, random), size) == name(formula)


@given(formulas(), st.randoms(use_true_random=False), st.sampled_from([0, 3, 64]))
def test_nor_do_they_what_is_finer(formula: Formula, random: Any, tried: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "TRIED", tried)
        assert finer(renamed(formula, random)) == finer(formula)


@given(formulas(), formulas())
def test_what_is_finer_separates_more(one: Formula, two: Formula) -> None:
    assert name(one) == name(two) or finer(one) != finer(two)


@given(formulas(), st.data())
def test_another_weight_is_another_formula(formula: Formula, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, len(formula) - 1))
    weight = data.draw(st.sampled_from([HARD, 1, 2, 5]).filter(lambda weight: weight != formula[k][0]))
    changed = [*formula[:k], (weight, formula[k][1]), *formula[k + 1 :]]
    assert name(changed) != name(formula)


@given(formulas(), st.data())
def test_clauses_count(formula: Formula, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, len(formula) - 1))
    assert name(formula + [formula[k]]) != name(formula)
    assert name(formula[:k] + formula[k + 1 :]) != name(formula)


@given(formulas(), st.data())
def test_another_sign_is_another_formula_unless_positive_literals_are_as_many(
    formula: Formula, data: st.DataObject
) -> None:
    """The number of negative literals is an invariant, so one flip is always seen."""
    places = [(k, at) for k, (_, clause) in enumerate(formula) for at in range(len(clause))]
    if not places:
        return
    k, at = data.draw(st.sampled_from(places))
    weight, clause = formula[k]
    flipped = (weight, (*clause[:at], -clause[at], *clause[at + 1 :]))
    assert name([*formula[:k], flipped, *formula[k + 1 :]]) != name(formula)


def test_polarity_counts() -> None:
    assert name([(HARD, (1, 2)), (1, (-1,))]) != name([(HARD, (-1, 2)), (1, (1,))])


def test_which_clauses_share_a_variable_counts() -> None:
    """As many of each literal and of each length; the graphs differ."""
    path = [(HARD, (1, 2)), (HARD, (2, 3)), (HARD, (3, 4)), (1, (1,)), (1, (4,))]
    other = [(HARD, (1, 2)), (HARD, (2, 3)), (HARD, (3, 4)), (1, (1,)), (1, (2,))]
    assert name(path) != name(other)


def ring(*sizes: int) -> Formula:
    """Rings of variables, each in a clause with the next."""
    found: Formula = []
    for n in sizes:
        start = len(found)
        found += [(HARD, (start + k, start + k % n + 1)) for k in range(1, n + 1)]
    return found


def test_the_limit_of_colour_refinement_and_what_is_finer() -> None:
    """One ring of six or two of three look the same from everywhere: documented, and so pinned."""
    assert name(ring(6)) == name(ring(3, 3))
    assert finer(ring(6)) != finer(ring(3, 3))


def test_what_is_finer_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a class too large to be tried, none is: what is tried must not go by numbers."""
    assert finer(ring(64)) != finer(ring(32, 32))
    assert finer(ring(66)) == finer(ring(33, 33))
    monkeypatch.setattr(identity, "WORK", 2 * 12 * 6 - 1)
    assert finer(ring(6)) != finer(ring(3, 3))
    assert finer(ring(12)) == finer(ring(6, 6))


def test_symmetric_data_sets_are_told_apart(tmp_path: Path) -> None:
    """Class 1 are the six rotations of 000111, or of 001011: tables that look the same from each column."""
    files = []
    for word in ("000111", "001011"):
        rotations = {word[k:] + word[:k] for k in range(6)}
        rows = [f"{','.join(f'{k:06b}')},{int(f'{k:06b}' in rotations)}" for k in range(64)]
        data = tmp_path / f"{word}.csv"
        data.write_text("\n".join(["a,b,c,d,e,f,class", *rows]) + "\n")
        files.append(tmp_path / f"{word}.wcnf")
        encode(data, encoding="accuracy", ub=7).write(files[-1])
    one, other = files
    assert identity.of(one) == identity.of(other)
    assert not identity.same(one, other)
    assert identity.same(one, one)


def test_the_value_stays() -> None:
    """Manifests hold it."""
    assert name([(HARD, (1, -2)), (3, (2,)), (1, ())]) == "822c8324a2c693a4b4807fcf50dd4720"
    assert name([]) == "a90d007c2fc57df6e0f2928df79a54a9"


def test_samples_of_one_data_set_differ(tmp_path: Path) -> None:
    """Formulas of one shape, from tables with the same counts in each column, differ in cells alone."""
    rng = np.random.default_rng(5)
    seen, shapes = set(), set()
    data, path = tmp_path / "t.csv", tmp_path / "t.wcnf"
    for _ in range(20):
        columns = [rng.permutation([0] * 10 + [1] * 10) for _ in range(13)]
        lines = [",".join(map(str, cells)) for cells in zip(*columns, strict=True)]
        data.write_text("a,b,c,d,e,f,g,h,i,j,k,l,class\n" + "\n".join(lines) + "\n")
        instance = encode(data, encoding="accuracy", ub=7)
        instance.write(path)
        seen.add(identity.of(path))
        shapes.add(instance.counts)
    assert len(seen) == 20 and len(shapes) < 5


DATA = "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"


def test_format_and_compression_change_nothing(tmp_path: Path) -> None:
    data = tmp_path / "and.csv"
    data.write_text(DATA)
    instance = encode(data, ub=5)
    new, old, packed = (tmp_path / each for each in ("new.wcnf", "old.wcnf", "packed.wcnf.xz"))
    instance.write(new)
    instance.write(old, format="wcnf-old")
    instance.write(packed)
    messy = tmp_path / "messy.wcnf"
    messy.write_bytes(b"cx\n\n" + new.read_bytes().replace(b"h ", b"H\t") + b"0 1 0\n")
    assert len({identity.of(path) for path in (new, old, packed, messy)}) == 1
    assert lzma.decompress(packed.read_bytes()) == new.read_bytes()


def test_cnf_is_the_hard_clauses_alone(tmp_path: Path) -> None:
    (tmp_path / "a.cnf").write_text("p cnf 3 2\n1 2\n0 -1 3 0\n")
    (tmp_path / "a.wcnf").write_text("h 5 1 0\nh 2 -5 0\n")
    assert identity.of(tmp_path / "a.cnf") == identity.of(tmp_path / "a.wcnf")


def test_a_large_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wcnf"
    path.write_text("".join(f"{k % 3 + 1} {k} -{k + 1} 0\n" for k in range(1, 300)))
    held = identity.of(path)
    monkeypatch.setattr("wcnfgen.reader.CHUNK", 100)
    assert identity.of(path) == held
    monkeypatch.setattr(identity, "HELD", 50)
    assert identity.of(path) == held


def test_what_cannot_be_named_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wcnf"
    path.write_text("1 x 0\n")
    with pytest.raises(FormatError, match=r"a\.wcnf:1"):
        identity.of(path)
    path.write_text("1 101 0\n")
    monkeypatch.setattr(identity, "MOST", 100)
    with pytest.raises(FormatError, match="101 is too large"):
        identity.of(path)
