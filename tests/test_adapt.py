"""Instances made to suit a solver: another file, the same problem.

The laws are checked by brute force over all assignments, on what the reader reads back.
"""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import lzma
import tempfile
import time
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from wcnfgen import adapt, reader, solvers
from wcnfgen.adapt import suit
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.reader import HARD, Reader
from wcnfgen.solvers import Format, Solver, Trap

Clauses = list[tuple[int, list[int]]]
N = 4  # variables of the formulas that are tried out

PLAIN = solvers.get("./plain")


def solver(**fields: object) -> Solver:
    return dataclasses.replace(PLAIN, **fields)  # type: ignore[arg-type] # as given


def new(folder: Path) -> Path:
    """A folder of its own inside another."""
    return Path(tempfile.mkdtemp(dir=folder))


def clauses(path: Path) -> Clauses:
    found = []
    with Reader(path) as source:
        for chunk in source.chunks():
            for k, weight in enumerate(chunk.weights.tolist()):
                found.append((weight, chunk.literals[chunk.starts[k] : chunk.starts[k + 1]].tolist()))
    return found


def printed(formula: Clauses, format: str) -> str:
    top = sum(w for w, _ in formula if w != HARD) + 1
    size = f"{variables(formula)} {len(formula)}"
    hard = {"wcnf": "h ", "wcnf-old": f"{top} ", "cnf": ""}[format]
    head = {"wcnf": "", "wcnf-old": f"p wcnf {size} {top}\n", "cnf": f"p cnf {size}\n"}[format]
    lines = ((hard if w == HARD else f"{w} ") + " ".join(map(str, [*c, 0])) + "\n" for w, c in formula)
    return head + "".join(lines)


def cost(formula: Clauses, values: tuple[bool, ...]) -> int | None:
    """What an assignment of the variables 1, 2, ... costs; None if it falsifies a hard clause."""
    false = [w for w, c in formula if not any(values[abs(x) - 1] == (x > 0) for x in c)]
    return None if HARD in false else sum(false)


def variables(formula: Clauses) -> int:
    return max((abs(x) for _, c in formula for x in c), default=0)


def costs(formula: Clauses, n: int) -> dict[tuple[bool, ...], set[int]]:
    """For each assignment of 1..n, the costs of the models that extend it."""
    found: dict[tuple[bool, ...], set[int]] = {}
    for values in itertools.product([False, True], repeat=max(n, variables(formula))):
        price = cost(formula, values)
        found.setdefault(values[:n], set()).update(() if price is None else (price,))
    return found


literal = st.integers(1, N).flatmap(lambda x: st.sampled_from([x, -x]))
weights = st.just(HARD) | st.integers(1, 3) | st.integers(1, 2**58)
formulas = st.lists(st.tuples(weights, st.lists(literal, max_size=3)), max_size=8)
traps = st.sets(st.sampled_from([trap for trap in get_args(Trap) if trap != "optimum 0"])).map(
    lambda found: tuple(sorted(found))
)
formats = st.sampled_from(get_args(Format))


def suited(formula: Clauses, given: str, **fields: object) -> tuple[Clauses, tuple[str, ...], str]:
    """The clauses that the solver gets, what was changed, and the format."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "given.wcnf").write_text(printed(formula, given))
        made = suit(solver(**fields), folder / "given.wcnf", folder)
        with Reader(made.path) as source:
            format = source.format
        return clauses(made.path), made.changes, format


def holds(formula: Clauses, trap: Trap) -> bool:
    softs = [c for w, c in formula if w != HARD]
    units = [abs(c[0]) for c in softs if len(c) == 1]
    return {
        "empty soft": [] in softs,
        "no soft": not softs,
        "no hard": len(softs) == len(formula),
        "long soft": any(len(c) > 1 for c in softs),
        "repeated soft": len(set(units)) < len(units),
        "optimum 0": False,  # nobody knows
    }[trap]


@given(formulas, formats, formats, traps)
def test_every_model_costs_the_same_and_no_trap_is_left(
    formula: Clauses, given: Format, wanted: Format, fails_on: tuple[Trap, ...]
) -> None:
    """Each assignment of the instance's variables is a model as before; all its extensions cost the same."""
    made, changes, format = suited(formula, given, formats=(wanted,), fails_on=fails_on)
    assert format == wanted
    assert not any(holds(made, trap) for trap in fails_on)
    assert bool(changes) == (given != wanted or any(holds(formula, trap) for trap in fails_on))
    n = variables(formula)
    if variables(made) <= N + 6:
        assert costs(made, n) == costs(formula, n)


@given(formulas, formats, formats)
def test_only_the_format_changes(formula: Clauses, given: Format, wanted: Format) -> None:
    made, changes, format = suited(formula, given, formats=(wanted,))
    assert made == formula and format == wanted
    assert changes == (() if given == wanted else (f"converted from {given} to {wanted}",))


@given(st.lists(st.tuples(st.just(HARD), st.lists(literal, max_size=3)), max_size=6), formats)
def test_cnf_is_hard(formula: Clauses, wanted: Format) -> None:
    made, changes, format = suited(formula, "cnf", formats=(wanted,))
    assert made == formula and format == wanted and changes == (f"converted from cnf to {wanted}",)


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1).filter(bool), max_size=4), st.integers(1, 2**62))
def test_numbers_of_any_length(found: list[int], weight: int) -> None:
    formula = [(weight, found), (HARD, found[:2])]
    for has, wanted in (("wcnf", "wcnf-old"), ("wcnf-old", "wcnf")):
        assert suited(formula, has, formats=(wanted,))[0] == formula


@given(formulas, traps, formats)
def test_where_a_chunk_ends_does_not_matter(
    formula: Clauses, fails_on: tuple[Trap, ...], wanted: Format
) -> None:
    whole = suited(formula, "wcnf", formats=(wanted,), fails_on=fails_on)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "CHUNK", 8)
        patch.setattr(adapt, "TOKENS", 3)
        pieces = suited(formula, "wcnf", formats=(wanted,), fails_on=fails_on)
    assert pieces[1:] == whole[1:]
    assert sorted(map(str, pieces[0])) == sorted(map(str, whole[0]))


def test_variables_that_only_the_header_knows_stay_free(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("p wcnf 9 1 3\n2 0\n")
    made = suit(solver(fails_on=("empty soft",)), tmp_path / "x.wcnf", tmp_path)
    assert made.path.read_text() == "p wcnf 10 2 3\n2 -10 0\n3 10 0\n"
    assert made.changes == ("1 empty soft clause given a variable",)


def test_repairs_in_words(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("c map\n3 1 0\n1 -1 0\n2 1 2 0\n5 0\n4 0\n")
    made = suit(solver(fails_on=("empty soft", "long soft", "repeated soft")), tmp_path / "x.wcnf", tmp_path)
    assert made.changes == (
        "2 empty soft clauses given a variable",
        "1 repeated soft clause given a variable",
        "1 long soft clause given a variable",
    )
    assert made.path.read_text().startswith("c map\n3 1 0\n1 -3 0\n2 -4 0\n5 -5 0\n4 -6 0\nh -1 3 0\n")


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gz", "xz"])
@pytest.mark.parametrize("reads", [(), (".gz", ".xz")])
def test_packed(tmp_path: Path, compress, reads: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    text = b"c a comment\nh 1 2 0\n3 -1 0\n"
    packed = compress(text)
    ending = ".gz" if packed[:2] == b"\x1f\x8b" else ".xz"
    for name in (f"x.wcnf{ending}", "x"):
        path = tmp_path / name
        path.write_bytes(packed)
        made = suit(solver(compressed=reads), path, new(tmp_path))
        assert made.path.read_bytes() == (packed if reads else text)
        assert made.path.name.endswith(f".wcnf{ending}" if reads else ".wcnf")
        assert made.changes == (("unpacked",) if not reads else () if name != "x" else made.changes)
        old = suit(solver(compressed=reads, formats=("wcnf-old",)), path, new(tmp_path))
        assert old.path.read_bytes() == b"c a comment\np wcnf 2 2 4\n4 1 2 0\n3 -1 0\n"


def test_the_file_itself(tmp_path: Path) -> None:
    """Untouched where nothing is wrong with it; under another name where its own says nothing."""
    for name, changes in (("x.wcnf", 0), ("x.cnf", 1), ("x", 1), ("x y.wcnf", 1)):
        path = tmp_path / name
        path.write_text("h 1 0\n2 -1 0\n")
        made = suit(solver(), path, new(tmp_path))
        assert len(made.changes) == changes
        assert made.path.resolve() == path and made.path.suffix == ".wcnf"


def test_a_format_that_is_misread_is_never_given(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1 0\n2 -1 0\n")
    picky = solver(formats=("wcnf", "wcnf-old"), misreads=("wcnf",))
    assert suit(picky, tmp_path / "x.wcnf", tmp_path).path.read_text() == "p wcnf 1 2 3\n3 1 0\n2 -1 0\n"
    with pytest.raises(UsageError, match="no format"):
        suit(dataclasses.replace(picky, formats=("wcnf",)), tmp_path / "x.wcnf", tmp_path)


@pytest.mark.parametrize("head", ["p wcnf 1 2", f"p wcnf 1 2 {2**64 - 1}"])
def test_a_top_that_solvers_misread_is_made_anew(tmp_path: Path, head: str) -> None:
    hard = str(2**64 - 1) if head.endswith(str(2**64 - 1)) else "7"
    (tmp_path / "x.wcnf").write_text(f"{head}\n{hard} 1 0\n2 -1 0\n")
    made = suit(solver(), tmp_path / "x.wcnf", tmp_path)
    assert made.path.read_text().splitlines()[0] == f"p wcnf 1 2 {10 if hard == '7' else 3}"
    assert clauses(made.path) == clauses(tmp_path / "x.wcnf")
    assert len(made.changes) == 1


def test_weights_that_are_too_large(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text(f"h 1 0\n{2**62} -1 0\n{2**62 - 1} 2 0\n")
    with pytest.raises(UsageError, match=f"up to 5, not {2**62}"):
        suit(solver(max_weight=5), tmp_path / "x.wcnf", tmp_path)
    with pytest.raises(UsageError, match=f"sum to {2**63 - 1}"):
        suit(solver(formats=("wcnf-old",)), tmp_path / "x.wcnf", tmp_path)
    assert suit(solver(), tmp_path / "x.wcnf", tmp_path).changes == ()


def test_a_solver_of_one_encoding_gets_no_other(tmp_path: Path) -> None:
    """Also packed, and of whatever format; a file without a map is of none."""
    (tmp_path / "d.csv").write_text("a,class\n0,x\n1,y\n2,x\n")
    for encoding in ("size", "accuracy"):
        instance = wcnfgen.encode(str(tmp_path / "d.csv"), encoding=encoding, ub=5)
        instance.write(str(tmp_path / f"{encoding}.wcnf.xz"), format="wcnf-old")
    own = solver(encoding="size")
    assert suit(own, tmp_path / "size.wcnf.xz", new(tmp_path)).path
    (tmp_path / "bare.wcnf").write_text("h 1 0\n1 -1 0\n")
    for name in ("accuracy.wcnf.xz", "bare.wcnf"):
        with pytest.raises(UsageError, match="only formulas of the encoding size"):
            suit(own, tmp_path / name, new(tmp_path))


def test_no_repair_makes_an_optimum_other_than_0(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1 0\n")
    with pytest.raises(UsageError, match="optimum is 0"):
        suit(solver(fails_on=("no soft", "optimum 0")), tmp_path / "x.wcnf", tmp_path)
    (tmp_path / "x.wcnf").write_text("h 1 0\n2 1 0\n")
    assert suit(solver(fails_on=("no soft", "optimum 0")), tmp_path / "x.wcnf", tmp_path).changes == ()


def test_what_is_no_instance(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("a,b,class\n")
    with pytest.raises(FormatError, match=r"x\.wcnf:1"):
        suit(solver(), tmp_path / "x.wcnf", tmp_path)


def test_the_beginning_is_enough_where_nothing_is_to_be_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "CHUNK", 64)
    (tmp_path / "x.wcnf").write_text("h 1 0\n" * 100 + "no clause\n")
    assert suit(solver(), tmp_path / "x.wcnf", tmp_path).changes == ()
    with pytest.raises(FormatError):
        suit(solver(fails_on=("no hard",)), tmp_path / "x.wcnf", tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "optimum"),
    [("rc2", "h 1 2 0\n5 0\n3 -1 0\n2 -2 0\n", 7), ("clingo", "h 1 2 0\nh -1 3 0\n", 0)],
)
def test_real_solvers_solve_what_they_could_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, optimum: int
) -> None:
    """An empty soft clause, and the format and no soft clause: the cost that is claimed is the true one."""
    pytest.importorskip("clingo" if name == "clingo" else "pysat")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.wcnf").write_text(text)
    wcnfgen.solve("x.wcnf", solver=name, log="l")
    found = wcnfgen.verify("x.wcnf", "l").verdict
    assert found.claims_hold and found.status == "OPTIMUM FOUND"
    assert found.cost == found.claimed_cost == optimum


def test_large_files_take_seconds_and_little_memory(tmp_path: Path, full: bool) -> None:
    """About a second for 10 MB; the full profile does 90."""
    import tracemalloc

    times = 90 if full else 10
    part = [f"h -{x} {x + 500_000} -{x + 1_000_000} {1_234_567 - x} 0\n" for x in range(10_000, 33_000)]
    with (tmp_path / "x.wcnf").open("w") as out:
        out.writelines(itertools.repeat("".join(part), times))
        out.write("7 1 2 0\n")
    tracemalloc.start()
    begin = time.perf_counter()
    made = suit(solver(formats=("wcnf-old",), fails_on=("long soft",)), tmp_path / "x.wcnf", tmp_path)
    assert time.perf_counter() - begin < times  # traced, and on a busy machine
    assert tracemalloc.get_traced_memory()[1] < 200e6
    tracemalloc.stop()
    with made.path.open() as text:
        assert text.readline() == f"p wcnf 1224568 {23_000 * times + 4} 8\n"
