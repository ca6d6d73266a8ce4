"""What the experiments of Hu et al. 2020 share: rows to learn from and to test on, and shares in percent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from wcnfgen.experiments.findings import Held, judged
from wcnfgen.experiments.work import DataSet, Step, Work

CP4IM = (
    "anneal",
    "audiology",
    "australian-credit",
    "breast-wisconsin",
    "diabetes",
    "german-credit",
    "heart-cleveland",
    "hepatitis",
    "hypothyroid",
    "ionosphere",
    "kr-vs-kp",
    "lymph",
    "mushroom",
    "primary-tumor",
    "segment",
    "soybean",
    "splice-1",
    "tic-tac-toe",
    "vehicle",
    "vote",
    "yeast",
    "zoo-1",
)
CLOSE = 3.0  # points: what the paper marks as within reach of the best
ALMOST = 0.9  # of the cases: "almost all" of them
TABLES_MISSING = (
    "The text of the paper that we have lacks its tables and figures: the figures here are ours alone, "
    "and which of the CP4IM sets the paper used is not known to us."
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a data set to learn from, the others to test on, and the folder for what is made of them."""

    data: DataSet
    folder: str
    train: str
    test: str

    def step(self, name: str, *words: str) -> Step:
        """Learn by a command, and test; a limit may leave no tree."""
        line = (words[0], self.train, *self.data.options, *words[1:], "--test", self.test, "--as", "json")
        return Step(f"{self.folder}/{name}.json", line, (0, 1))


def held_out(data: DataSet, test: float, seed: int) -> tuple[Step, Rows]:
    """This share of the rows, each class in its share, is to test on."""
    folder = f"{data.name}/train-{100 * (1 - test):g}-seed-{seed}"
    words = ("--share", f"{test:g}", "--seed", str(seed), "-o", folder)
    stem = f"{folder}/{data.name}"
    rows = Rows(data, folder, f"{stem}.train.csv", f"{stem}.test.csv")
    return Step(f"{folder}/split.txt", ("split", data.file, *words)), rows


def folds(data: DataSet, number: int, seed: int) -> tuple[Step, list[Rows]]:
    """Stratified folds, each of which is once to test on."""
    folder = f"{data.name}/seed-{seed}"
    step = Step(
        f"{folder}/split.txt",
        ("split", data.file, "--folds", str(number), "--seed", str(seed), "-o", folder),
    )
    stems = [f"{folder}/{data.name}.fold-{each}" for each in range(1, number + 1)]
    each = enumerate(stems, 1)
    return step, [
        Rows(data, f"{folder}/fold-{at}", f"{stem}.train.csv", f"{stem}.test.csv") for at, stem in each
    ]


class Averaged(Protocol):
    """Means of a method on a data set within a depth; accuracies in percent."""

    @property
    def name(self) -> str: ...
    @property
    def depth(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def training(self) -> float: ...
    @property
    def test(self) -> float: ...


Cases = dict[tuple[str, int], dict[str, float]]  # by data set and depth: the accuracy of each method


def cases(found: Iterable[Averaged], what: str, having: str) -> Cases:
    """Accuracies, training or test, for each data set and depth that the method `having` has."""
    by_case: Cases = {}
    for each in found:
        accuracy = each.training if what == "training" else each.test
        by_case.setdefault((each.name, each.depth), {})[each.method] = accuracy
    return {case: methods for case, methods in by_case.items() if having in methods}


def shape(work: Work, data: DataSet) -> tuple[int, int]:
    """Rows and features of a data set as its file has them."""
    header, *lines = work.text(data.file).splitlines()
    return len(lines), header.count(",")


def percent(accuracy: dict[str, Any]) -> float:
    """The share of rows that are classified rightly.

    >>> percent({"right": 3, "rows": 4, "unseen": {}})
    75.0
    """
    return float(100 * accuracy["right"] / accuracy["rows"])


def verdict(good: int, of: int, almost: float = 1.0) -> Held:
    """Whether something holds that holds in so many cases of so many: partly in half of them and more.

    almost: the share that is enough

    >>> verdict(4, 4), verdict(3, 4), verdict(1, 4), verdict(0, 0), verdict(9, 10, 0.9)
    ('yes', 'partly', 'no', 'open', 'yes')
    """
    return judged(good, of, enough=almost, least=0.5)


def points(value: float) -> str:
    """A difference of percentages with its sign.

    >>> points(0.25), points(-3), points(-0.001)
    ('+0.25', '-3.00', '+0.00')
    """
    return f"{round(value, 2) + 0.0:+.2f}"
