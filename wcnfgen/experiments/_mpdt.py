"""What the experiments of MPDT (Alòs et al. 2023, section 9) share: sets, rows and how trees are scored.

A set is prepared as a whole: numbers in eight bins, values as bits, rows that contradict the majority of
their like left out.  Two splits then leave 64 % of the rows to learn from, 16 % to select by and 20 % to
test on.  The paper draws the latter two fifty times and has one number of trees for each set, so we take it
that the rows to learn from stay: trees are found once, and all the rest is counting which of the other rows
each tree gets right.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

from wcnfgen.experiments._mpdt_printed import SHAPES
from wcnfgen.experiments.findings import Held
from wcnfgen.experiments.work import DataSet, Step, Work

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wcnfgen.tree import Tree

BITS = ("--binarise", "binary")
AS_PRINTED = ("--uniform-rule", "sklearn-1.0", "--conflicts", "majority")
SEED = 1  # of the splits
LARGE = 1000  # rows to learn from, above which the solver is given only those that matter
TINY = ("lenses",)
PARTS = "parts"


# ---------------------------------------------------------------------------- rows


def sets(work: Work) -> list[DataSet]:
    """Those of Table 4, or tiny ones that rules make."""
    if work.scale == "tiny":
        return [work.ruled(name) for name in TINY]
    return work.sets(list(SHAPES))


def names(work: Work) -> list[str]:
    """The sets that have been prepared."""
    known = TINY if work.scale == "tiny" else tuple(SHAPES)
    return [name for name in known if work.record(prepared(name))]


def prepared(name: str, form: str = "binary") -> str:
    """The file of a set as 0/1 columns."""
    return f"columns/{name}.csv" if form == "binary" else f"columns/{name}.{form}.csv"


def columns(data: DataSet, form: str = "binary") -> Step:
    """Prepare a set; as bits, or with a column for each value."""
    words = ("columns", *data.words, "--binarise", form, *AS_PRINTED)
    return Step(prepared(data.name, form), words)


def outer(data: DataSet) -> Step:
    """Put a fifth of the rows aside."""
    return _split(f"{PARTS}/{data.name}.outer.txt", prepared(data.name))


def inner(data: DataSet) -> Step:
    """Of the others another fifth."""
    return _split(f"{PARTS}/{data.name}.inner.txt", f"{PARTS}/{data.name}.train.csv")


def _split(output: str, file: str) -> Step:
    how = ("--share", "0.2", "--no-stratify", "--seed", str(SEED), "-o", PARTS)
    return Step(output, ("split", file, *how))


def dealt(data: Sequence[DataSet]) -> Iterator[list[Step]]:
    """The stages after which the parts of each set are there."""
    yield [columns(each) for each in data]
    yield [outer(each) for each in data]
    yield [inner(each) for each in data]


def parts(name: str) -> tuple[str, str, str]:
    """The files to learn from, to select by and to test on.

    >>> parts("zoo")[0]
    'parts/zoo.train.train.csv'
    """
    return f"{PARTS}/{name}.train.train.csv", f"{PARTS}/{name}.train.test.csv", f"{PARTS}/{name}.test.csv"


def cells(work: Work, file: str) -> list[list[str]]:
    """A CSV file, line by line."""
    return list(csv.reader(work.text(file).splitlines()))


def length(work: Work, file: str) -> int:
    """How many rows a CSV file has."""
    return len(cells(work, file)) - 1


# ---------------------------------------------------------------------------- trees


def limits(work: Work) -> tuple[int, float, int]:
    """Trees to look for, and seconds and MiB for that; the paper's trees end at 30000, after a day."""
    found: tuple[int, float, int] = work.pick((4, 60, 1000), (20, 15, 4000), (30000, 86400, 100_000))
    return found


def splits(work: Work) -> int:
    """So many are drawn of the rows that select and test."""
    found: int = work.pick(5, 50, 50)
    return found


def find(work: Work, data: DataSet, variant: str, trees: int, wall: float, memory: int, *more: str) -> Step:
    """The smallest trees of the rows to learn from, by one variant of the paper."""
    train = parts(data.name)[0]
    many = () if variant == "mpdt-1" else ("--trees", str(trees))
    lazy = ("--lazy",) if length(work, train) > LARGE else ()
    limits = ("--wall", f"{wall:g}", "--memory", str(memory))
    words = ("mpdt", train, "--split", "1", "--variant", variant, *many, *lazy, *limits, *more)
    return Step(f"{data.name}/{variant}.json", (*words, "--as", "json"), (0, 1))


def documents(work: Work, file: str) -> list[dict[str, Any]]:
    """The trees that a step has printed, as JSON: one, or those under "trees"."""
    said = work.json(file) or {}
    if "root" in said:
        return [said]
    return [each.get("tree", each) for each in said.get("trees", ())]


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """The rows that are not learned from, in the columns that trees ask for.

    X has shape (rows, K), column r answers `questions`[r], truth holds the classes; so many rows test.
    """

    X: NDArray[np.uint8]
    questions: dict[str, int]
    classes: tuple[str, ...]
    truth: NDArray[np.int32]
    test: int

    def tree(self, root: dict[str, Any]) -> Tree:
        """A tree from its JSON form, on these columns and classes."""
        from wcnfgen.tree import Leaf, Node

        if "test" not in root:
            return Leaf(self.classes.index(root["class"]))
        return Node(self.questions[root["test"]], self.tree(root["no"]), self.tree(root["yes"]))

    def right(self, trees: Iterable[dict[str, Any]]) -> NDArray[np.bool_]:
        """Which rows each tree gets right, shape (trees, rows)."""
        import numpy as np

        from wcnfgen.tree import predict

        found = [predict(self.tree(each["root"]), self.X) == self.truth for each in trees]
        return np.array(found).reshape(len(found), len(self.truth))


def others(work: Work, name: str) -> Others:
    """The rows of a set to select by and to test on."""
    import numpy as np

    from wcnfgen import data
    from wcnfgen.binarise import Binarisation

    train, *rest = (data.read(str(work.folder / file)) for file in parts(name))
    columns = Binarisation.fit(train)
    texts = [text for table in rest for text in table.target.cells()]
    classes = sorted({*map(str, texts), *map(str, train.target.values)})
    X = np.concatenate([columns.apply(table)[0] for table in rest])
    questions = {columns.question(r): r for r in range(X.shape[1])}
    truth = np.array([classes.index(str(text)) for text in texts], np.int32)
    return Others(X, questions, tuple(classes), truth, rest[-1].rows)


# ---------------------------------------------------------------------------- scores


@dataclass(frozen=True, slots=True)
class Score:
    """How a method does on a set: means over the splits, of test rows that are right, in per cent.

    accuracy  of the tree that does best on the selecting rows; where several do, of all of these
    seen      of the tree that does best on the test rows: what a perfect selection would have
    size      the median, over the splits, of the nodes of the tree that is selected; the smallest of several
    trees     so many are selected from
    """

    accuracy: float
    seen: float
    size: float
    trees: int


def score(right: NDArray[np.bool_], sizes: Sequence[int], test: int, splits: int) -> Score:
    """Select by some rows and test on the others, for so many random splits.

    right has shape (trees, rows), sizes has the nodes of each tree, `test` rows test.
    """
    import numpy as np

    rng = np.random.default_rng(SEED)
    nodes = np.asarray(sizes)
    accuracies, seen, picked = [], [], []
    for _ in range(splits):
        order = rng.permutation(right.shape[1])
        tested = right[:, order[:test]].mean(axis=1)
        selected = right[:, order[test:]].sum(axis=1)
        best = selected == selected.max()
        accuracies.append(100 * tested[best].mean())
        seen.append(100 * tested.max())
        picked.append(int(nodes[best].min()))
    return Score(float(fmean(accuracies)), float(fmean(seen)), float(median(picked)), len(sizes))


def scored(work: Work, rows: Others, file: str, splits: int) -> Score | None:
    """How the trees of a file do together; None where there are none."""
    trees = documents(work, file)
    if not trees:
        return None
    return score(rows.right(trees), [each["size"] for each in trees], rows.test, splits)


# ---------------------------------------------------------------------------- words


def middle(values: Iterable[float | None]) -> float | None:
    """The median of what there is.

    >>> middle([1, None, 2, 9]), middle([])
    (2, None)
    """
    found = [each for each in values if each is not None]
    return median(found) if found else None


def against(ours: float | None, paper: float) -> Held:
    """Whether a difference that the paper has is there: yes from half of it on, partly above nothing.

    >>> against(1.0, 1.75), against(0.1, 1.75), against(0.0, 1.75), against(None, 1.75)
    ('yes', 'partly', 'no', 'open')
    """
    if ours is None:
        return "open"
    return "yes" if ours >= paper / 2 else "partly" if ours > 0 else "no"


def compared(gains: Sequence[float]) -> str:
    """Differences of percentages, one for each set, in words, with the standard error of their mean.

    >>> compared([1.5, -0.5, 0.5])
    '+0.50 points (standard error 0.58); better on 2 of 3 sets, worse on 1'
    """
    if not gains:
        return "no set of the paper is here"
    better, worse = sum(each > 0 for each in gains), sum(each < 0 for each in gains)
    spread = f" (standard error {stdev(gains) / len(gains) ** 0.5:.2f})" if len(gains) > 1 else ""
    return f"{fmean(gains):+.2f} points{spread}; better on {better} of {len(gains)} sets, worse on {worse}"
