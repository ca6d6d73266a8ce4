"""Every rule gives the rows and labels of the real file.

Compared as sets of rows where the file repeats rows, as lists where even the order is the file's.
Headers differ on purpose where the real names say nothing.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from wcnfgen.instances.rules import generate

Row = tuple[str, ...]


def real(shared: Path, file: str) -> list[Row]:
    return with_header(shared, file)[1:]


def with_header(shared: Path, file: str) -> list[Row]:
    with (shared / "data" / f"{file}.csv").open(encoding="utf-8", newline="") as lines:
        return [tuple(row) for row in csv.reader(lines)]


def made(name: str) -> list[Row]:
    return [tuple(row) for row in generate(name).rows]


def rule_labels(name: str) -> dict[Row, str]:
    """The label of each input; a rule never labels one input twice."""
    rows = made(name)
    labels = {row[:-1]: row[-1] for row in rows}
    assert len(labels) == len(rows)
    return labels


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("balance-scale", "uci/balance-scale"),
        ("car", "uci/car"),
        ("tic-tac-toe", "uci/tic-tac-toe"),
        ("monks-1", "uci/monks-1-test"),
        ("monks-2", "uci/monks-2-test"),
        ("monks-3", "uci/monks-3-test"),
        ("weather", "uci/weather"),
        ("lenses", "uci/lenses"),
        ("shuttle-landing-control", "uci/shuttle-landing-control"),
        ("iris", "uci/iris"),
    ],
)
def test_the_file_in_its_own_order_and_with_its_own_header(shared: Path, name: str, file: str) -> None:
    assert [tuple(generate(name).columns), *made(name)] == with_header(shared, file)


@pytest.mark.parametrize(
    ("name", "file", "rows"),
    [
        ("mux6", "pmlb/mux6", 128),
        ("parity5", "pmlb/parity5", 32),
        ("parity5+5", "pmlb/parity5+5", 1124),
        ("threeOf9", "pmlb/threeOf9", 512),
        ("mofn-3-7-10", "pmlb/mofn-3-7-10", 1324),
        ("xd6", "pmlb/xd6", 973),
    ],
)
def test_all_inputs_of_the_file_with_its_labels(shared: Path, name: str, file: str, rows: int) -> None:
    file_rows = real(shared, file)
    assert len(file_rows) == rows
    assert set(file_rows) == set(made(name))


@pytest.mark.parametrize(("problem", "rows", "agreeing"), [(1, 124, 124), (2, 169, 169), (3, 122, 116)])
def test_monks_training_files_agree_but_for_six_noisy_labels(
    shared: Path, problem: int, rows: int, agreeing: int
) -> None:
    labels = rule_labels(f"monks-{problem}")
    train = real(shared, f"uci/monks-{problem}-train")
    assert len(train) == rows
    assert sum(labels[row[:-1]] == row[-1] for row in train) == agreeing


def test_corral_is_the_same_multiset_of_rows(shared: Path) -> None:
    assert Counter(made("corral")) == Counter(real(shared, "pmlb/corral"))
    assert sum(row[-2] == row[-1] for row in made("corral")) == 120


def test_tic_tac_toe_has_958_boards_626_of_them_positive() -> None:
    assert Counter(row[-1] for row in made("tic-tac-toe")) == {"positive": 626, "negative": 332}


@pytest.mark.parametrize("files", [["uci/hayes-roth-train", "uci/hayes-roth-test"], ["pmlb/hayes-roth"]])
def test_hayes_roth_agrees_except_in_ties(shared: Path, files: list[str]) -> None:
    labels = rule_labels("hayes-roth")
    ties: Counter[str] = Counter()
    for *values, label in (row for file in files for row in real(shared, file)):
        person = tuple(value.removesuffix(".0") for value in values)
        traits = person[1:]
        if "4" not in traits and traits.count("1") == traits.count("2"):
            ties[label] += 1
        else:
            assert labels[person] == label
    assert sorted(ties.values()) == [18, 19]


def test_led7_flips_each_segment_about_once_in_ten_rows(shared: Path) -> None:
    digits = {row[-1]: row[:-1] for row in _noiseless_digits()}
    for rows in (real(shared, "pmlb/led7"), made("led7")):
        assert len(rows) == 3200
        for segment in range(7):
            flips = sum(row[segment] != digits[row[-1]][segment] for row in rows)
            assert 0.08 < flips / len(rows) < 0.12


def _noiseless_digits() -> list[Row]:
    rows = {tuple(row) for row in generate("led7", noise=0, rows=500).rows}
    assert len(rows) == 10  # one display per digit
    return sorted(rows)
