"""Every lie has a name, and an honest answer has none."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.claims import Seen, disagreements
from wcnfgen.output import Answer, parse
from wcnfgen.reader import exact_sum
from wcnfgen.verdict import judge

SEEN = Seen(falsified=0, cost=7, hard=3, soft=4, weights=20)


def kinds(text: str, seen: Seen | None = SEEN, known: int | None = None) -> list[str]:
    answer = parse(line + b"\n" for line in text.encode().splitlines())
    return [found.kind for found in disagreements(answer, seen, known)]


@pytest.mark.parametrize(
    "text",
    [
        "o 9\no 7\ns OPTIMUM FOUND",
        "s UNKNOWN\no 7",
        "s SATISFIABLE",
        "o 7",
        "o 5\no 7\ns SATISFIABLE",  # the cost of the last one counts, unless it claims to be the least
        "c LB 7\no 7\ns OPTIMUM FOUND",
        "",
    ],
)
@pytest.mark.parametrize("known", [None, 7, 8])
def test_nothing_is_held_against_the_truth(text: str, known: int | None) -> None:
    assert kinds(text, known=known) == []


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("o 6\ns OPTIMUM FOUND", None, ["o-mismatch", "contradiction"]),
        ("o 8", None, ["o-mismatch"]),
        ("o 7\ns OPTIMUM FOUND", 6, ["contradiction"]),
        ("o 7\ns SATISFIABLE", 6, []),
        ("o 5\no 7\ns OPTIMUM FOUND", None, ["contradiction"]),
        ("c LB 8\no 7", None, ["contradiction"]),
        ("s UNSATISFIABLE", None, ["contradiction"]),
        ("s OPTIMUM FOUND\ns UNSATISFIABLE\no 7", None, ["contradiction"]),
        ("o 21", None, ["o-mismatch"]),  # more than all weigh, but the hard clauses hold
        ("o -7\ns OPTIMUM FOUND", None, ["o-mismatch"]),
        ("o 7\no 7.5", None, ["o-mismatch"]),
        ("o 8\no -1\no 7", None, []),
        ("c LB 7\no 7", 6, ["contradiction"]),
    ],
)
def test_each_lie_has_its_name(text: str, known: int | None, expected: list[str]) -> None:
    assert kinds(text, known=known) == expected


def test_without_a_model_of_its_own() -> None:
    assert kinds("s UNSATISFIABLE", None) == []
    assert kinds("s UNSATISFIABLE", None, known=3) == ["contradiction"]
    assert kinds("o 3\ns OPTIMUM FOUND", None) == []


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("o 5\ns OPTIMUM FOUND", None, []),
        ("o 5\ns OPTIMUM FOUND", 5, []),
        ("o 5\ns OPTIMUM FOUND", 3, ["contradiction"]),
        ("o 5\ns UNKNOWN", 3, []),
        ("c LB 4\ns UNKNOWN", 3, ["contradiction"]),
        ("c LB 3\ns UNKNOWN", 3, []),
        ("o 11\ns OPTIMUM FOUND", None, ["wrong-format-suspected"]),
        ("o 10\ns SATISFIABLE", None, []),
    ],
)
def test_claims_without_a_model(text: str, known: int | None, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1 2 0\n4 -1 0\n6 -2 0\n")
    found = judge(tmp_path / "x.wcnf", answer(text + "\n"), known=known).verdict
    assert [each.kind for each in found.findings] == expected and not found.claims_hold


def test_a_model_that_is_none() -> None:
    """2 hard clauses of weight 21 taken for soft ones: 7 + 42."""
    bad = Seen(falsified=2, cost=7, hard=3, soft=4, weights=20)
    assert kinds("o 7\ns OPTIMUM FOUND", bad, known=3) == ["hard-falsified", "contradiction"]
    assert kinds("o 49\ns OPTIMUM FOUND", bad) == ["hard-falsified", "o-mismatch", "wrong-format-suspected"]
    assert kinds("s UNSATISFIABLE", bad) == ["hard-falsified"]


def test_a_formula_without_objective_has_no_cost() -> None:
    assert kinds("o 99", Seen(0, 0, 3, 0, 0, decision=True)) == []


@given(st.lists(st.integers(1, 2**63 - 1)))
def test_sums_are_exact(weights: list[int]) -> None:
    assert exact_sum(np.array(weights, np.int64)) == sum(weights)


def literals(size: int) -> st.SearchStrategy[list[list[int]]]:
    one = st.integers(-3, 3).filter(bool)
    return st.lists(st.lists(one, min_size=1, max_size=3), min_size=size, max_size=4)


@given(hards=literals(0), softs=literals(1), weights=st.lists(st.integers(1, 9), min_size=4, max_size=4))
def test_brute_force_with_the_wrong_format(
    hards: list[list[int]],
    softs: list[list[int]],
    weights: list[int],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A solver that takes hard clauses for soft ones is told apart from the truth, or it is right."""
    weighted = list(zip(weights, softs, strict=False))
    top = sum(weight for weight, _ in weighted) + 1
    path = Path(tmp_path_factory.getbasetemp()) / "misread.wcnf"
    clause = "{} {} 0\n".format
    path.write_text(
        "".join(clause("h", " ".join(map(str, c))) for c in hards)
        + "".join(clause(w, " ".join(map(str, c))) for w, c in weighted)
    )
    everything = [*weighted, *((top, c) for c in hards)]

    def cost(bits: tuple[int, ...], clauses: list[tuple[int, list[int]]]) -> int:
        return sum(w for w, c in clauses if not any(bits[abs(x) - 1] == (x > 0) for x in c))

    best = min(itertools.product((0, 1), repeat=3), key=lambda bits: cost(bits, everything))
    log = f"o {cost(best, everything)}\ns OPTIMUM FOUND\nv {''.join(map(str, best))}\n"
    found = judge(path, answer(log)).verdict
    if cost(best, everything) < top:  # the hard clauses can be satisfied, and are
        assert found.claims_hold and found.cost == cost(best, weighted)
    else:
        assert "wrong-format-suspected" in [each.kind for each in found.findings]


@pytest.mark.parametrize(
    ("log", "model"),
    [
        ("o 1\nv 10\n", "whole"),
        ("o 1\nv 10", "whole"),  # its line end is missing, and nothing else
        ("o 1\nv 1", "cut short"),
        ("o 1\nv 1 -2", "whole"),
        ("o 1\nv 1 -", "cut short"),
        ("o 1\nv", "cut short"),
        ("o 1\n", "none"),
    ],
)
def test_a_model_of_which_nothing_is_missing_is_whole(log: str, model: str, tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1 2 0\n1 -1 0\n1 -2 0\n")
    found = judge(tmp_path / "x.wcnf", answer(log)).verdict
    assert (found.model, found.claims_hold) == (model, model == "whole")


def test_a_model_that_leaves_variables_out_may_have_lost_them(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1 2 0\nh 3 4 0\n1 -1 0\n")
    (finding,) = judge(tmp_path / "x.wcnf", answer("o 1\nv 1 -2\n")).verdict.findings
    assert finding.kind == "hard-falsified" and "leaves out 2 variables" in finding.text


def test_a_number_that_is_no_literal_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "x.wcnf").write_text("h 1 2 0\n1 -1 0\n")
    found = judge(tmp_path / "x.wcnf", answer("o 0\nv 1 2 99999999999999999999 0\ns OPTIMUM FOUND\n")).verdict
    assert (found.model, found.claims_hold) == ("none", False)
    assert found.notes == ("a v line holds something that is no literal",)


def answer(text: str) -> Answer:
    return parse(io.BytesIO(text.encode()))
