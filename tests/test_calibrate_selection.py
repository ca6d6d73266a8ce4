"""The choice of instances: laws over random manifests, and what the reasons say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.bundle import selection
from wcnfgen.bundle.difficulty import CLASSES, Difficulty
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.selection import Choice
from wcnfgen.calibration.choosing import SHARES, choose
from wcnfgen.errors import FormatError


def row(name: str, difficulty: Difficulty | None, data: str = "zoo", **other: Any) -> Row:
    settings: dict[str, Any] = {
        "name": name,
        "status": "written",
        "parameters": {"data": data, **other.pop("parameters", {})},
        "difficulty": difficulty,
        "best_cost": 5,
        "witness_cost": 7,
        "proved": difficulty in CLASSES[:3],
        "proved_by": "rc2" if difficulty in CLASSES[:3] else "",
        "seconds": {"rc2": 3.0 if difficulty in CLASSES[:3] else None, "lms": None},
    }
    return Row(**settings | other)


@st.composite
def rows(draw: st.DrawFn, classes: tuple[Difficulty | None, ...] = (*CLASSES, None)) -> list[Row]:
    each = st.tuples(
        st.sampled_from(classes),
        st.sampled_from(["zoo", "car", "lenses"]),
        st.sampled_from([40, 60, 80]),
        st.integers(0, 3),
        st.booleans(),
    )
    return [
        row(
            f"x{number}",
            difficulty,
            data,
            parameters={"fraction": fraction},
            bytes=size,
            status="written" if written else "left out",
        )
        for number, (difficulty, data, fraction, size, written) in enumerate(
            draw(st.lists(each, max_size=40))
        )
    ]


def names(choices: list[Choice]) -> list[str]:
    return [each.name for each in choices if each.chosen]


@given(rows=rows(), n=st.integers(1, 30), seed=st.randoms())
def test_laws(rows: list[Row], n: int, seed: Any) -> None:
    choices = choose(rows, n)
    chosen = set(names(choices))
    tried = any(each.difficulty for each in rows)
    can = [
        each
        for each in rows
        if each.written and each.difficulty != "trivial" and (each.difficulty or not tried)
    ]
    assert [each.name for each in choices] == [each.name for each in rows]
    assert len(chosen) == min(n, len(can)) and chosen <= {each.name for each in can}
    assert chosen <= set(names(choose(rows, n + 1))), "fewer are the beginning of more"
    assert all(each.reason for each in choices)
    shuffled = seed.sample(rows, len(rows))
    assert set(names(choose(shuffled, n))) == chosen
    left: Counter[str | None] = Counter(each.difficulty for each in can if each.name not in chosen)
    taken: Counter[str | None] = Counter(each.difficulty for each in can if each.name in chosen)
    if any(left[each] for each in ("easy", "medium", "hard")):
        assert not taken["untouched"]
    for behind in SHARES:
        for ahead in SHARES:
            if left[behind] and taken[ahead]:
                assert taken[ahead] / SHARES[ahead] <= (taken[behind] + 1) / SHARES[behind]


@given(rows=rows(("medium",)), n=st.integers(1, 30))
def test_no_data_set_is_two_ahead_of_one_that_has_some_left(rows: list[Row], n: int) -> None:
    chosen = set(names(choose(rows, n)))
    taken = Counter(each.parameters["data"] for each in rows if each.name in chosen)
    left = {each.parameters["data"] for each in rows if each.written and each.name not in chosen}
    assert all(taken[other] - taken[data] < 2 for data in left for other in taken)


@given(rows=rows((None,)), n=st.integers(1, 30))
def test_without_calibration_all_are_alike(rows: list[Row], n: int) -> None:
    assert len(names(choose(rows, n))) == min(n, sum(each.written for each in rows))


def test_parameters_are_spread_then_small_files_and_names_decide() -> None:
    many = [
        row(f"f{fraction}-{size}-{twin}", "hard", parameters={"fraction": fraction}, bytes=size)
        for fraction in (40, 60, 80)
        for size in (9, 5)
        for twin in "ba"
    ]
    assert sorted(names(choose(many, 3))) == ["f40-5-a", "f60-5-a", "f80-5-a"]
    assert sorted(names(choose(many, 4)))[:2] == ["f40-5-a", "f40-5-b"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "left out", "why": "too large"}, "left out: too large"),
        ({"best_cost": 0}, "its optimum is 0: the Evaluation takes no such instance"),
        ({"best_cost": None}, "no model: rc2 says UNSATISFIABLE; the Evaluation takes no such instance"),
        ({"difficulty": None, "ended": {"lms": "not run: weights"}}, "not calibrated"),
        ({"difficulty": None, "ended": {"lms": "SIGSEGV"}}, "no reference solver gave an answer"),
        ({"difficulty": "trivial"}, "trivial: 5 proved by rc2 in 3 s (1 of 2 solvers)"),
        (
            {"difficulty": "trivial", "proved_by": "bound"},
            "trivial: the model of cost 5 meets the proved bound",
        ),
    ],
)
def test_what_is_never_chosen(changes: dict[str, Any], reason: str) -> None:
    choices = choose([row("a", "medium"), replace(row("b", "medium"), **changes)], 9)
    assert [each.chosen for each in choices] == [True, False] and choices[1].reason == reason


def test_reasons() -> None:
    some = [
        row("a", "medium", parameters={"fraction": 60}),
        row("b", "hard", best_by="lms"),
        row("c", "medium"),
        row("d", "untouched"),
        row("e", "easy", format="cnf", best_cost=None),
        row("f", "easy", seconds={"lms": None}),
    ]
    assert [each.reason for each in choose(some, 3)] == [
        "medium: 5 proved by rc2 in 3 s (1 of 2 solvers); chosen: first of zoo, fraction 60",
        "hard: not proved; lms found 5, the witness costs 7; chosen: second of zoo",
        "medium: 5 proved by rc2 in 3 s (1 of 2 solvers); not needed: 3 are chosen, 3 of them of zoo",
        "untouched: no solver found a better model than the witness; "
        "not needed: 3 are chosen, 3 of them of zoo",
        "easy: solved by rc2 in 3 s (1 of 2 solvers); chosen: third of zoo",
        "easy: 5 proved by rc2, whose run is gone; not needed: 3 are chosen, 3 of them of zoo",
    ]


@given(
    st.lists(
        st.builds(Choice, st.text("ab,\"'", min_size=1), st.booleans(), st.just("hard"), st.text("a;,\n "))
    )
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, choices: list[Choice]
) -> None:
    file = tmp_path_factory.getbasetemp() / "selection.csv"
    selection.write(choices, file)
    assert selection.read(file) == choices


@pytest.mark.parametrize("text", ["name,chosen,difficulty,reason\nx,perhaps,,\n", "name,chosen\nx,yes\n"])
def test_no_selection(tmp_path: Path, text: str) -> None:
    (tmp_path / "selection.csv").write_text(text)
    with pytest.raises(FormatError, match=r"selection\.csv:2"):
        selection.read(tmp_path / "selection.csv")
