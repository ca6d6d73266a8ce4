"""``wcnfgen split``: every row goes to one part, as it stands in the file."""

from __future__ import annotations

import io
import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.optional import needs
from wcnfgen import cli
from wcnfgen.commands.split import Part, present, split
from wcnfgen.data import read
from wcnfgen.errors import DataError, UsageError
from wcnfgen.experiments import there

WEATHER = "outlook,windy,class\n" + "".join(
    f"{outlook},{windy},{'no' if windy == 'true' else 'yes'}\n"
    for outlook in ("sunny", "rainy", "overcast")
    for windy in ("true", "false")
    for _ in range(3)
)


@pytest.fixture(autouse=True)
def learn() -> None:
    needs(there("sklearn"), "scikit-learn")


@pytest.fixture
def weather(tmp_path: Path) -> str:
    path = tmp_path / "weather.csv"
    path.write_text(WEATHER)
    return str(path)


def lines(part: Part) -> list[str]:
    """The rows of a part, below the header."""
    return part.file.read_bytes().decode().splitlines(keepends=True)[1:]


cells = st.sampled_from(["a", "b", '"with, comma"', '"two\nlines"', '" ""quoted"" "', "  blank ", ""])
ends = st.sampled_from(["\n", "\r\n"])


@given(
    st.lists(st.tuples(cells, cells), min_size=8, max_size=30),
    ends,
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
    st.integers(2, 4),
)
def test_parts_hold_each_row_once_as_it_is_and_in_order(
    rows: list[tuple[str, str]], end: str, delimiter: str, ended: bool, folds: int
) -> None:
    """Each row has a number of its own, by which a part says which rows it has."""
    texts = [delimiter.join((*row, str(number), "xy"[number % 2])) for number, row in enumerate(rows)]
    header, *stored = (f"{text}{end}" for text in [delimiter.join(("p", "q", "number", "class")), *texts])
    if not ended:
        stored[-1] = f"{texts[-1]}\n"  # it gets the end that it lacks
    with TemporaryDirectory() as name:
        path = Path(name) / "data.csv"
        path.write_bytes("".join([header, *stored[:-1], texts[-1] + end * ended]).encode())
        made = split(str(path), folds=folds, delimiter=delimiter, output=name)
        tested: list[int] = []
        for train, test in zip(made[::2], made[1::2], strict=True):
            numbers = {part: _numbers(part, delimiter) for part in (train, test)}
            for part, inside in numbers.items():
                assert part.file.read_bytes().decode() == header + "".join(stored[at] for at in inside)
                assert part.rows == len(inside)
            assert sorted(numbers[train] + numbers[test]) == list(range(len(rows)))
            tested += numbers[test]
        assert sorted(tested) == list(range(len(rows))), "each is once to test on"


def _numbers(part: Part, delimiter: str) -> list[int]:
    return [int(cell or "") for cell in read(part.file, delimiter=delimiter).features[-1].cells()]


@given(st.floats(0.2, 0.85), st.integers(0, 2**32 - 1))
def test_the_share_is_that_of_the_test_rows_rounded_up(share: float, seed: int) -> None:
    with TemporaryDirectory() as name:
        path = Path(name) / "weather.csv"
        path.write_text(WEATHER)
        train, test = split(str(path), share=share, seed=seed, output=name)
        again = split(str(path), share=share, seed=seed, output=str(Path(name) / "again"))
        assert [lines(each) for each in again] == [lines(train), lines(test)]
    assert (train.rows, test.rows) == (18 - math.ceil(share * 18), math.ceil(share * 18))


def test_rows_are_those_that_scikit_learn_draws(weather: str, tmp_path: Path) -> None:
    from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

    rows = WEATHER.splitlines(keepends=True)[1:]
    y = [row.rpartition(",")[2] for row in rows]
    _, test = train_test_split(range(len(rows)), test_size=0.25, random_state=7, stratify=y)
    assert lines(split(weather, share=0.25, seed=7, output=str(tmp_path))[1]) == [
        rows[i] for i in sorted(test)
    ]
    for kind, stratify in ((StratifiedKFold, True), (KFold, False)):
        made = split(weather, folds=3, seed=7, stratify=stratify, output=str(tmp_path))
        drawn = list(kind(3, shuffle=True, random_state=7).split(rows, y))
        assert [lines(part) for part in made[1::2]] == [[rows[i] for i in test] for _, test in drawn]
        assert [lines(part) for part in made[::2]] == [[rows[i] for i in train] for train, _ in drawn]


def test_classes_keep_their_shares_unless_they_need_not(weather: str, tmp_path: Path) -> None:
    def classes(stratify: bool, target: str | None = None) -> set[tuple[int, ...]]:
        made = (
            split(weather, folds=3, seed=seed, stratify=stratify, target=target, output=str(tmp_path))
            for seed in range(6)
        )
        at = 0 if target == "outlook" else 2
        parts = (part for parts in made for part in parts[1::2])
        return {
            tuple(sorted(Counter(line.strip().split(",")[at] for line in lines(part)).values()))
            for part in parts
        }

    assert classes(True) == {(3, 3)}
    assert classes(True, "outlook") == {(2, 2, 2)}
    assert len(classes(False)) > 1


def test_names_of_files_say_which_part(weather: str, tmp_path: Path) -> None:
    out = io.StringIO()
    folder = tmp_path / "new" / "folder"
    assert present(split(weather, folds=2, output=str(folder)), out) == 0
    assert out.getvalue() == "".join(
        f"{folder}/weather.fold-{number}.{part}.csv: 9 rows\n"
        for number in (1, 2)
        for part in ("train", "test")
    )
    assert sorted(each.name for each in folder.iterdir()) == sorted(
        f"weather.fold-{number}.{part}.csv" for number in (1, 2) for part in ("train", "test")
    )
    names = [part.file.name for part in split(weather, share=0.5, output=str(folder))]
    assert names == ["weather.train.csv", "weather.test.csv"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give --folds K or --share R"),
        (["--folds", "3", "--share", "0.5"], "give --folds K or --share R"),
        (["--folds", "1"], "--folds 1: give a number from 2 on"),
        (["--share", "1"], "--share 1.0: give a share between 0 and 1"),
        (["--share", "nan"], "--share nan: give a share between 0 and 1"),
        (["--share", "0.5", "--seed", "-1"], "--seed -1: a number from 0 to 2^32 - 1"),
        (["--share", "0.5", "--target", "clas"], "--target clas"),
    ],
)
def test_usage_errors(
    words: list[str], says: str, weather: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "parts"
    assert cli.main(["split", weather, *words, "-o", str(folder)]) == 2
    assert says in capsys.readouterr().err
    assert not folder.exists()


def test_where_to_must_be_said(weather: str) -> None:
    with pytest.raises(UsageError, match="Give -o FOLDER"):
        split(weather, folds=3)


@pytest.mark.parametrize("how", [{"share": 0.5}, {"folds": 10}])
def test_too_few_rows_of_a_class_are_an_error_and_nothing_is_written(
    how: dict[str, float], tmp_path: Path
) -> None:
    path = tmp_path / "few.csv"
    path.write_text("a,class\n0,x\n1,x\n0,y\n")
    with pytest.raises(DataError, match=r"few\.csv: "):
        split(str(path), **how, output=str(tmp_path / "parts"))  # type: ignore[arg-type]
    assert not (tmp_path / "parts").exists()


def test_a_class_with_fewer_rows_than_folds_is_none(tmp_path: Path) -> None:
    """scikit-learn's warning of it is no error: some folds then have none of it."""
    path = tmp_path / "rare.csv"
    path.write_text("a,class\n" + "0,x\n" * 8 + "1,y\n")
    made = split(str(path), folds=3, output=str(tmp_path))
    assert sorted(part.rows for part in made[1::2]) == [3, 3, 3]
