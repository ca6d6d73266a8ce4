"""What `wcnfgen lint` counts and where, that our own files are clean, and the command."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_lint import CLEAN, OLD, SAT, WCNF, found, ids, written
from wcnfgen import checks, cli, encode
from wcnfgen.checks import _formula, syntax
from wcnfgen.commands.lint import lint
from wcnfgen.errors import FormatError, UsageError
from wcnfgen.reader import Chunk, Reader, Whole
from wcnfgen.writer import write


def test_nothing_is_said_of_lines_behind_one_that_is_refused(tmp_path: Path) -> None:
    assert ids(written(tmp_path, CLEAN + b"h 1\n0 1 0\nH 1 0\n\n")) == {"clause-end"}
    assert ids(written(tmp_path, CLEAN + b"H 1\n0 1 0\n\n")) == {"clause-end", "capital-h"}


def test_a_finding_is_one_line_whatever_a_file_is_called(tmp_path: Path) -> None:
    (each,) = found(written(tmp_path, CLEAN, "a\nb\x1b.wcnf"))
    assert each.rule == "name-characters" and str(each).isprintable() and r"a\nb\x1b" in str(each)


def test_many_occurrences_are_one_finding(tmp_path: Path) -> None:
    (each,) = found(written(tmp_path, CLEAN + b"h 1 -1 0\nh 2 -2 0\nh 1 2 -1 0\n"))
    assert (each.rule, each.line, each.count) == ("tautologies", 4, 3)
    assert str(each).endswith(" (3 times) [tautologies]")


@pytest.mark.parametrize("chunk", [10, 45, 1000])
def test_lines_are_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """With comments, blank lines and clauses of weight 0 between."""
    monkeypatch.setattr("wcnfgen.reader.CHUNK", chunk)
    text = b"c x\n" + CLEAN + b"c y\n\n0 1 0\nh 2 -2 0\nh 1 2 2 0\nH 2 0 5\n"
    seen = {each.rule: each.line for each in found(written(tmp_path, text))}
    assert seen == {
        "comment-between-clauses": 5,
        "blank-lines": 6,
        "zero-weight": 7,
        "tautologies": 8,
        "repeated-literals": 9,
        "capital-h": 10,
        "text-after-clause": 10,
    }


@pytest.mark.parametrize("chunk", [4, 15])
@pytest.mark.parametrize(("rule", "text", "line"), SAT)
def test_chunks_of_a_cnf_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, rule: str, text: bytes, line: int | None
) -> None:
    path = written(tmp_path, text, "a.cnf")
    whole = [each for each in found(path, track="sat") if each.rule == rule]
    monkeypatch.setattr("wcnfgen.reader.CHUNK", chunk)
    assert [each for each in found(path, track="sat") if each.rule == rule] == whole


@pytest.mark.parametrize("chunk", [4, 15])
@pytest.mark.parametrize(("rule", "text", "line"), WCNF)
def test_chunks_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, rule: str, text: bytes, line: int | None
) -> None:
    path = written(tmp_path, text)
    whole = found(path)
    monkeypatch.setattr("wcnfgen.reader.CHUNK", chunk)
    parts = found(path)
    if any(each.rule in ("clause-end", "weight-range", "integers", "variable-range") for each in whole):
        parts = [each for each in parts if each.rule == rule]  # what is behind an error is not always seen
        whole = [each for each in whole if each.rule == rule]
    assert parts == whole


def test_repetitions_are_counted_in_a_sample_of_large_formulas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hards = b"".join(b"h %d %d 0\n" % (k, k + 1) for k in range(1, 4000))
    softs = b"".join(b"1 -%d 0\n" % k for k in range(1, 4001))
    path = written(tmp_path, softs + hards + hards)
    (exact,) = found(path)
    assert "clauses, 3999: " in exact.message
    monkeypatch.setattr(_formula, "HASHES", 1000)
    (sampled,) = found(path)
    least = int(sampled.message.partition("at least ")[2].partition(":")[0])
    assert 100 < least < 1000


@pytest.mark.parametrize("budget", [0, 2000])
def test_conflicts_are_a_budget(tmp_path: Path, budget: int) -> None:
    path = written(tmp_path, b"1 -1 0\n1 2 0\nh 1 2 0\n")
    assert ids(path, conflicts=budget) == ({"optimum-zero"} if budget else set())


def test_a_large_formula_is_given_to_no_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_formula, "SOLVED_UP_TO", 3)
    assert ids(written(tmp_path, b"1 -1 0\n1 2 0\nh 1 2 0\n")) == set()


def test_the_largest_variable_there_can_be(tmp_path: Path) -> None:
    """It takes no solver and no gigabytes that are written to."""
    path = written(tmp_path, b"1 -1 0\n1 -2147483647 0\nh 1 2147483647 0\n")
    (each,) = found(path)
    assert each.message.startswith("2147483645 of 2147483647 variables do not occur, 2 is the first: ")


@given(st.lists(st.frozensets(st.integers(1, 30)), max_size=5), st.sampled_from([1, 5, 12, 64]))
def test_variables_that_occur(parts: list[frozenset[int]], dense: int) -> None:
    used, numbers = _formula.Used(), frozenset[int]().union(*parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_formula, "DENSE", dense)
        used._low = used._low[:2]
        for each in parts:
            used.add(np.array([-x if x % 2 else x for x in each], np.int32))
        gap = next(x for x in range(1, 32) if x not in numbers)
        assert (used.count, used.largest, used.first_gap) == (len(numbers), max(numbers, default=0), gap)


def test_the_first_gap_is_named(tmp_path: Path) -> None:
    (each,) = found(written(tmp_path, b"1 -1 0\n1 -6 0\n1 -3 0\nh 1 6 3 0\n"))
    assert each.message.startswith("3 of 6 variables do not occur, 2 is the first: ")


def test_sums_at_the_limits(tmp_path: Path) -> None:
    assert ids(written(tmp_path, b"%d -1 0\n1 -2 0\nh 1 2 0\n" % (2**60 - 1))) == set()


def test_pigeons_are_given_up(tmp_path: Path) -> None:
    """Nothing is said where the solver gives up: nine pigeons are too many for a few conflicts."""
    holes, pigeons = 8, 9

    def cell(pigeon: int, hole: int) -> int:
        return pigeon * holes + hole + 1

    hard = [[cell(p, h) for h in range(holes)] for p in range(pigeons)]
    hard += [[-cell(p, h), -cell(q, h)] for h in range(holes) for p in range(pigeons) for q in range(p)]
    text = "1 1 0\n" + "".join(f"h {' '.join(map(str, clause))} 0\n" for clause in hard)
    assert found(written(tmp_path, text.encode()), conflicts=20) == []


# ---------------------------------------------------------------------------- our own

DATA = "a,b,c,class\n0,0,1,no\n0,1,0,no\n1,0,1,no\n1,1,1,yes\n1,1,0,yes\n0,0,0,no\n"


@pytest.mark.parametrize(
    ("encoding", "options"), [("size", {"ub": 7}), ("accuracy", {"ub": 3}), ("depth", {"depth": 1})]
)
@pytest.mark.parametrize("format", ["wcnf", "wcnf-old"])
def test_our_own_files_are_clean(tmp_path: Path, encoding: str, options: dict[str, Any], format: Any) -> None:
    data = tmp_path / "and.csv"
    data.write_text(DATA)
    path = tmp_path / "and.wcnf.xz"
    encode(data, encoding=encoding, **options).write(path, format=format)
    assert ids(path) == ({"old-format"} if format == "wcnf-old" else set())


@pytest.mark.parametrize("form", ["core", "paper"])
@pytest.mark.parametrize("depth", [1, 2])
def test_our_own_files_with_a_layout_repeat_nothing(tmp_path: Path, form: str, depth: int) -> None:
    """What holds in every tree is not said of the layout again."""
    data = tmp_path / "and.csv"
    data.write_text(DATA)
    path = tmp_path / "and.wcnf"
    encode(data, encoding="accuracy", ub=7, layout_depth=depth, layout=1, form=form).write(path)
    assert "repeated-hards" not in ids(path)


def test_a_file_of_ours_that_was_changed(tmp_path: Path) -> None:
    data = tmp_path / "and.csv"
    data.write_text(DATA)
    path = tmp_path / "and.wcnf"
    encode(data, ub=7).write(path)
    whole = path.read_bytes()
    path.write_bytes(whole + b"h 1 2 3 -4 5 0\n")
    assert ids(path) == {"stale-map"}
    path.write_bytes(whole + b"h -1 0\nh 1 0\n")
    assert {"stale-map", "unsatisfiable"} <= ids(path)


@st.composite
def formulas(draw: st.DrawFn) -> Whole:
    """Formulas without anything to say of: every variable used, no copies, some soft clause must fail."""
    n = draw(st.integers(2, 8))
    sets = st.frozensets(st.integers(1, n), min_size=2)
    hards = draw(st.sets(sets, min_size=1, max_size=10)) | {frozenset(range(1, n + 1))}
    softs = [(draw(st.integers(1, 5)), np.array([[-x]], np.int32)) for x in range(1, n + 1)]
    if len({weight for weight, _ in softs}) == 1:
        softs = [(1, block) for _, block in softs]
    return Whole(n, [np.array([sorted(each)], np.int32) for each in sorted(hards, key=sorted)], softs, [])


@given(formulas(), st.sampled_from(["wcnf", "wcnf-old"]))
def test_what_the_writer_writes_is_clean(
    tmp_path_factory: pytest.TempPathFactory, formula: Whole, format: Any
) -> None:
    path = tmp_path_factory.mktemp("clean") / "a.wcnf"
    with path.open("wb") as out:
        write(formula, out, format=format, comments=["wcnfgen", "a comment"])
    assert ids(path) == ({"old-format"} if format == "wcnf-old" else set())


@given(st.text("ch01 -\n\r\tpwncf2", max_size=80).map(str.encode) | st.binary(max_size=60))
def test_no_file_makes_it_crash_and_refusals_are_the_readers(
    tmp_path_factory: pytest.TempPathFactory, text: bytes
) -> None:
    path = written(tmp_path_factory.mktemp("any"), text)
    seen = ids(path)
    try:
        with Reader(path) as reader:
            for _ in reader.chunks():
                pass
    except FormatError:
        refusals = {each.replace("_", "-") for each in syntax.REFUSALS} | {"readable"}
        assert len(seen & refusals) == 1
    else:
        assert not seen & {"readable", "whole"}


# ---------------------------------------------------------------------------- the command


def shown(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    return cli.main(["lint", *words], out), out.getvalue()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, CLEAN)
    written(tmp_path, OLD.replace(b"3 1 2", b"3 1 -2"), "b.wcnf")
    assert shown("a.wcnf") == (0, "1 file: nothing to say\n")
    code, text = shown(str(written(tmp_path, OLD, "o.wcnf")))
    assert code == 0 and text.endswith("[old-format]\n1 file: 1 note\n")
    code, text = shown("a.wcnf", "b.wcnf")
    assert code == 1 and text.endswith(" [optimum-zero]\n2 files: 1 error, 1 note\n")
    written(tmp_path, CLEAN + b"h 0\n")
    code, text = shown("a.wcnf")
    assert code == 1
    assert text == (
        "a.wcnf:4: error: an empty clause cannot hold: unsatisfiable at sight, disqualified [empty-hard]\n"
        "1 file: 1 error\n"
    )


def test_machines_read_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, CLEAN + b"h 0\n")
    code, text = shown("a.wcnf", "--json")
    assert code == 1
    (each,) = json.loads(text)["findings"]
    assert (each["file"], each["line"], each["rule"], each["severity"]) == (
        "a.wcnf",
        4,
        "empty-hard",
        "error",
    )
    assert json.loads(text)["files"] == 1


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), max_size=5), st.sampled_from([1, 3, 100]))
def test_weights_are_counted(parts: list[list[int]], most: int) -> None:
    formula, weights = _formula.Formula("a", 0), [weight for part in parts for weight in part]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_formula, "DISTINCT", most)
        for part in parts:
            ones, starts = np.ones(len(part), np.int32), np.arange(len(part) + 1)
            formula.add(Chunk(np.array(part, np.int64), ones, starts), lambda: range(9))
    size, distinct = formula.size, len(set(weights))
    assert (size.soft, size.weight_sum) == (len(weights), sum(weights))
    assert (size.weight_min, size.weight_max) == (min(weights, default=None), max(weights, default=None))
    assert size.weight_distinct == (distinct if distinct <= most else None)


def test_the_rules_can_be_read() -> None:
    code, text = shown("--rules")
    assert code == 0
    assert all(f"{each.id} ({each.severity}" in text and each.text in text for each in checks.rules())
    assert {each["id"] for each in json.loads(shown("--rules", "--json")[1])} == {
        each.id for each in checks.rules()
    }


def test_usage(tmp_path: Path) -> None:
    assert shown()[0] == 2
    assert shown(str(tmp_path / "none.wcnf"))[0] == 2
    assert shown(str(written(tmp_path, CLEAN)), "--conflicts", "-1")[0] == 2
    assert shown(str(tmp_path / "a.wcnf"), "--jobs", "0")[0] == 2
    with pytest.raises(UsageError, match="--track"):
        lint(str(tmp_path / "a.wcnf"), track="pseudo")  # type: ignore[arg-type]
    (tmp_path / "a.wcnf").unlink()
    assert shown(str(tmp_path))[0] == 2
    with pytest.raises(UsageError, match="no instance in it"):
        checks.lint([tmp_path])


def test_a_folder_without_a_family_is_its_instances(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    written(tmp_path / "sub", CLEAN, "a.wcnf")
    written(tmp_path, CLEAN + b"h 0\n", "b.wcnf")
    written(tmp_path, b"not an instance", "readme.txt")
    report = checks.lint([tmp_path])
    assert report.files == 2
    assert [(each.file, each.rule) for each in report.findings] == [(f"{tmp_path}/b.wcnf", "empty-hard")]
