"""Every rule of `wcnfgen lint` has a file that breaks it and nothing else; what we write breaks none."""

from __future__ import annotations

import gc
import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest

from tests import test_lint_family
from wcnfgen import checks, identity
from wcnfgen.checks import _inputs, lines
from wcnfgen.checks._formula import Formula

CLEAN = b"1 -1 0\n1 -2 0\nh 1 2 0\n"
OLD = b"p wcnf 2 3 3\n1 -1 0\n1 -2 0\n3 1 2 0\n"
CNF = b"p cnf 2 2\n1 2 0\n-1 2 0\n"
BLOCK = b'c Standarized MaxSat Instance\nc{\nc "ncls": 3\nc}\n'
END = b"c------------------------------------------------------------\n"

# What breaks a rule of a WCNF, and the line to blame.
WCNF: list[tuple[str, bytes, int | None]] = [
    ("gaps", b"1 -1 0\n1 -3 0\nh 1 3 0\n", None),
    ("no-clauses", b"", None),
    ("no-clauses", b"c nothing\n", None),
    ("no-softs", b"h 1 2 0\n", None),
    ("no-hards", b"1 1 0\n1 -1 0\n", None),
    ("empty-hard", CLEAN + b"h 0\n", 4),
    ("empty-soft", b"1 0\n" + CLEAN, 1),
    ("tautologies", CLEAN + b"h 1 2 -1 0\n", 4),
    ("tautologies", b"c x\n\n".replace(b"\n\n", b"\n") + CLEAN + b"h 2 -2 0\n", 5),
    ("repeated-literals", CLEAN + b"h 1 2 1 0\n", 4),
    ("repeated-hards", CLEAN + b"h 2 1 0\n", None),
    ("repeated-softs", b"1 -1 0\n" + CLEAN, None),
    ("softs-first", b"h 1 2 0\n1 -1 0\n1 -2 0\n", 2),
    ("softs-first", b"1 -1 0\nh 1 2 0\n1 -2 0\n", 3),
    ("weight-sum", b"9223372036854775807 -1 0\n9223372036854775806 -2 0\n2 -1 -2 0\nh 1 2 0\n", None),
    ("weight-sum-signed", b"9223372036854775807 -1 0\n1 -2 0\nh 1 2 0\n", None),
    ("weight-sum-signed", b"9223372036854775807 -1 0\n9223372036854775806 -2 0\n1 -1 -2 0\nh 1 2 0\n", None),
    ("weight-sum-tested", b"1152921504606846976 -1 0\n1 -2 0\nh 1 2 0\n", None),
    ("uniform-weight", b"7 -1 0\n7 -2 0\nh 1 2 0\n", None),
    ("unsatisfiable", CLEAN + b"h 1 -2 0\nh -1 2 0\nh -1 -2 0\n", None),
    ("optimum-zero", b"1 -1 0\n1 2 0\nh 1 2 0\n", None),
    ("stale-map", b"c map {}\n" + CLEAN, None),
    ("carriage-returns", CLEAN.replace(b"\n", b"\r\n"), 1),
    ("tabs", CLEAN.replace(b"1 2", b"1\t2"), 3),
    ("indented", CLEAN.replace(b"h", b"  h"), 3),
    ("blank-lines", CLEAN.replace(b"h", b"\nh"), 3),
    ("last-newline", CLEAN[:-1], 3),
    ("capital-h", CLEAN.replace(b"h", b"H"), 3),
    ("text-after-clause", CLEAN.replace(b"2 0\n", b"2 0 and more\n", 1), 2),
    ("clauses-in-one-line", CLEAN.replace(b"h 1 2 0\n", b"h 1 2 0 h 1 -2 0\n"), 3),
    ("zero-weight", CLEAN + b"0 1 0\n", 4),
    ("comment-blank", b"cyes\n" + CLEAN, 1),
    ("comment-between-clauses", CLEAN + b"c here\n", 4),
    ("normaliser-block", BLOCK + END + CLEAN, 1),
    ("normaliser-block-open", b"c MaxSat instance of ours\n" + CLEAN, 1),
    ("one-header", OLD + OLD, 5),
    ("header-form", b"p wcnf 2\n" + CLEAN, 1),
    ("header-form", b"p max 2 3\n" + CLEAN, 1),
    ("header-numbers", b"p wcnf -2 3 3\n" + CLEAN, 1),
    ("clause-end", CLEAN + b"h 1 2\n", 4),
    ("mixed-formats", OLD + b"h 1 2 0\n", 5),
    ("weight-range", b"-1 -1 0\n" + CLEAN, 1),
    ("weight-range", b"9223372036854775808 -1 0\n" + CLEAN, 1),
    ("integers", b"1.5 -1 0\n" + CLEAN, 1),
    ("integers", CLEAN + b"h 1 two 0\n", 4),
    ("variable-range", CLEAN + b"h 2147483648 0\n", 4),
    ("header-variables", OLD.replace(b"3 1 2 0", b"3 1 2 3 0"), 4),
    ("header-clauses", OLD.replace(b"2 3 3", b"2 4 3"), None),
    ("wcnf", CNF, None),
    ("header-blanks", OLD.replace(b"p wcnf", b"p  wcnf"), None),
    ("old-format", OLD, None),
    ("header-top", b"p wcnf 2 3\n1 -1 0\n1 -2 0\n3 1 2 0\n", None),
    ("hard-weight", OLD.replace(b"3 1 2 0", b"4 1 2 0"), 4),
    ("top", OLD.replace(b"2 3 3\n", b"2 3 2\n").replace(b"3 1 2", b"2 1 2"), None),
    ("no-softs", b"p wcnf 2 3 1\n1 -1 0\n1 -2 0\n1 1 2 0\n", None),
    ("unused-variables", OLD.replace(b"2 3 3", b"5 3 3"), None),
]
# What comes with a rule by its nature.
WITH = {
    "no-hards": {"old-format"},
    "header-top": {"no-hards"},
    "no-softs": {"unsatisfiable"},
    "unsatisfiable": {"repeated-hards"},
}
SAT: list[tuple[str, bytes, int | None]] = [
    ("cnf", b"1 2 0\n-1 2 0\n", None),
    ("one-clause-a-line", CNF.replace(b"2 0\n-1", b"2 0 -1"), 2),
    ("one-clause-a-line", CNF.replace(b"1 2 0", b"1\n2 0"), 2),
    ("one-clause-a-line", b"p cnf 2 4\n1 2 0\n1 -2 0\n-1\n2 0\n-1 -2 0\n", 4),
    ("unused-variables", CNF.replace(b"p cnf 2", b"p cnf 3"), None),
    ("gaps", b"p cnf 3 2\n1 3 0\n-1 3 0\n", None),
    ("header-clauses", CNF + b"-2 1 0\n", None),
    ("header-variables", CNF.replace(b"p cnf 2", b"p cnf 1"), 2),
    ("clause-end", CNF.replace(b"-1 2 0", b"-1 2"), 3),
    ("empty-hard", b"p cnf 2 2\n1 2 0\n0\n", 3),
    ("tautologies", b"p cnf 2 3\n1 2 0\n1 -1 0\n-1 2 0\n", 3),
    ("repeated-literals", b"p cnf 2 3\n1 2 0\n-1 2 0 2 2\n0\n", 4),
    ("repeated-hards", b"p cnf 2 3\n1 2 0\n-1 2 0\n2 1 0\n", None),
    ("no-clauses", b"p cnf 0 0\n", None),
]
NAMES = [
    ("name-characters", "a b.wcnf"),
    ("name-characters", "a;b.wcnf"),
    ("name-characters", "größe.wcnf"),
    ("name-start", ".a.wcnf"),
    ("name-start", "-a.wcnf"),
    ("name-ending", "a.cnf"),
    ("name-ending", "a"),
    ("name-ending", "a.wcnf.bz2"),
    ("name-length", "a" * 230 + ".wcnf"),
    ("compression", "a.wcnf.xz"),
    ("compression", "a.wcnf.gz"),
]
ELSEWHERE = {
    "many-instances",
    "readable",
    "whole",
    "size",
    "same-name",
    "same-name-but-for-case",
    "duplicate",
}


def found(path: Path | str, **options: Any) -> list[checks.Finding]:
    return list(checks.lint([path], **options).findings)


def ids(path: Path | str, **options: Any) -> set[str]:
    return {each.rule for each in found(path, **options)}


def written(folder: Path, text: bytes, name: str = "a.wcnf") -> Path:
    path = folder / name
    path.write_bytes(text)
    return path


@pytest.mark.parametrize(
    ("rule", "text", "line"), WCNF, ids=[f"{k}-{each[0]}" for k, each in enumerate(WCNF)]
)
def test_a_wcnf_that_breaks_one_rule(tmp_path: Path, rule: str, text: bytes, line: int | None) -> None:
    seen = found(written(tmp_path, text))
    assert rule in {each.rule for each in seen}
    companions = WITH.get(rule, set()) | ({"old-format"} if text.startswith(b"p ") else set())
    companions |= {"normaliser-block"} if rule == "normaliser-block-open" else set()
    assert {each.rule for each in seen} <= {rule} | companions
    assert next(each.line for each in seen if each.rule == rule) == line


@pytest.mark.parametrize(("rule", "text", "line"), SAT, ids=[f"{k}-{each[0]}" for k, each in enumerate(SAT)])
def test_a_cnf_that_breaks_one_rule(tmp_path: Path, rule: str, text: bytes, line: int | None) -> None:
    seen = found(written(tmp_path, text, "a.cnf"), track="sat")
    others = {"one-clause-a-line"} if rule == "repeated-literals" else set()
    others |= {"clause-end": {"one-clause-a-line"}, "cnf": {"weight-range"}}.get(rule, set())
    assert {each.rule for each in seen} - others == {rule}
    assert next(each.line for each in seen if each.rule == rule) == line


@pytest.mark.parametrize(("rule", "name"), NAMES)
def test_a_name_that_breaks_one_rule(tmp_path: Path, rule: str, name: str) -> None:
    assert ids(written(tmp_path, CLEAN, name)) == {rule}


def test_formulas_are_not_kept_beyond_the_run(tmp_path: Path) -> None:
    """They hold their clauses, and a submission has hundreds."""
    file = tmp_path / "a.wcnf"
    file.write_text("1 -1 0\n1 -2 0\nh 1 2 0\n")
    gc.collect()
    before = sum(type(each) is Formula for each in gc.get_objects())
    checks.lint([file])
    gc.collect()
    assert sum(type(each) is Formula for each in gc.get_objects()) == before


def test_every_rule_is_broken_by_a_test() -> None:
    tried = {each[0] for each in (*WCNF, *SAT, *NAMES)} | ELSEWHERE | set(test_lint_family.BROKEN)
    assert tried == {each.id for each in checks.rules()}
    assert len(checks.rules()) == len({each.id for each in checks.rules()})
    assert all(each.text.endswith(".") and len(each.text) > 20 for each in checks.rules())


@pytest.mark.parametrize("name", ["a.wcnf", "a.wcnf.gz", "a.wcnf.xz", "zoo_v1.2-ub7.wcnf"])
def test_a_clean_file_breaks_none(tmp_path: Path, name: str) -> None:
    packed = {"gz": gzip.compress(CLEAN), "xz": lzma.compress(CLEAN)}
    assert found(written(tmp_path, packed.get(name.rpartition(".")[2], CLEAN), name)) == []


def test_a_clean_cnf_breaks_none(tmp_path: Path) -> None:
    assert found(written(tmp_path, CNF, "a.cnf"), track="sat") == []


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_file_cut_short_is_a_finding(tmp_path: Path, pack: Any) -> None:
    text = b"".join(b"h %d %d 0\n" % (k, k + 1) for k in range(1, 5000))
    name = "a.wcnf.gz" if pack is gzip.compress else "a.wcnf.xz"
    seen = found(written(tmp_path, pack(text)[:-300], name))
    assert {each.rule for each in seen} <= {"whole", "last-newline"} and seen[0].rule == "whole"


def test_a_file_that_cannot_be_opened_is_a_finding(tmp_path: Path) -> None:
    """A folder of that name stands for a file without permissions, which root would read."""
    (tmp_path / "a.wcnf.xz").mkdir()
    look = checks.Look(_inputs.Input(tmp_path / "a.wcnf.xz", "a.wcnf.xz"), "maxsat")
    assert [each.rule for each in checks._looked(0, look).findings] == ["readable"]


def test_size_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, CLEAN)
    monkeypatch.setattr(lines, "LARGE", len(CLEAN))
    assert ids(path) == set()
    monkeypatch.setattr(lines, "LARGE", len(CLEAN) - 1)
    assert ids(path) == {"size"}


# ---------------------------------------------------------------------------- several files


def together(*paths: Path) -> list[tuple[str, str]]:
    return [(each.rule, Path(each.file).name) for each in checks.lint(paths).findings]


OTHER = CLEAN.replace(b"h 1 2 0", b"h 1 -2 0\nh -1 2 0\nh 1 2 0")


def test_names_are_unique_over_folders_and_compression(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one = written(tmp_path / "a", CLEAN, "x.wcnf")
    two = written(tmp_path / "b", lzma.compress(OTHER), "x.wcnf.xz")
    assert together(one, two) == [("same-name", "x.wcnf.xz")]


def test_names_differ_in_more_than_capitals(tmp_path: Path) -> None:
    one, two = written(tmp_path, CLEAN, "x.wcnf"), written(tmp_path, OTHER, "X.wcnf")
    assert together(one, two) == [("same-name-but-for-case", "X.wcnf")]


def test_a_renamed_formula_is_a_duplicate(tmp_path: Path) -> None:
    one = written(tmp_path, CLEAN, "x.wcnf")
    two = written(tmp_path, b"1 -2 0\n1 -1 0\nh 2 1 0\n", "y.wcnf")
    three = written(tmp_path, CLEAN.replace(b"h 1 2", b"h 1 -2"), "z.wcnf")
    assert together(one, two) == [("duplicate", "y.wcnf")]
    assert ("duplicate", "z.wcnf") not in together(one, two, three)


def test_formulas_of_one_identity_are_compared_closer(tmp_path: Path) -> None:
    """A ring of six and two of three are no duplicates; another ring of six is one."""

    def rings(name: str, *pairs: tuple[int, int]) -> Path:
        softs = "".join(f"1 -{k} 0\n" for k in range(1, 7))
        return written(tmp_path, (softs + "".join(f"h {a} {b} 0\n" for a, b in pairs)).encode(), name)

    one = rings("one.wcnf", (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 1))
    two = rings("two.wcnf", (1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4))
    again = rings("again.wcnf", (1, 3), (3, 5), (5, 2), (2, 4), (4, 6), (6, 1))
    assert identity.of(one) == identity.of(two)
    assert together(one, two, again) == [("duplicate", "again.wcnf")]
