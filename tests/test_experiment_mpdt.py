"""The experiments of MPDT: figures as printed, what is computed, and claims that turn with it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.optional import needs
from wcnfgen import cli, commands, experiments, options, reproduce
from wcnfgen.experiments import Scale, _mpdt, _mpdt_printed, mpdt_4, mpdt_5, mpdt_6, mpdt_dtmax
from wcnfgen.experiments._mpdt import Score
from wcnfgen.experiments._mpdt_printed import ACCURACIES, BEST_UB, DEPTHS, GAINS, MEANS, MEDIANS, SEEN, SHAPES
from wcnfgen.experiments.findings import Claim
from wcnfgen.experiments.making import Made
from wcnfgen.experiments.mpdt_5 import Best
from wcnfgen.experiments.work import DataSet, Work

SHARED = Path(__file__).parents[1].parent / "shared"
PAPER = SHARED / "seeds" / "mpdt.txt"


# ---------------------------------------------------------------------------- what is printed


def printed(heading: str, skip: int, lines: int) -> list[list[str]]:
    """The cells of a table of the paper's text, below the line that begins so."""
    if not PAPER.exists():
        pytest.skip("no ../shared/seeds")
    text = PAPER.read_text("utf-8").splitlines()
    first = next(at for at, line in enumerate(text) if line.startswith(heading)) + skip
    return [line.split("\t") for line in text[first : first + lines]]


def test_table_4_is_as_printed() -> None:
    lines = printed("\t#Columns", 2, len(SHAPES))
    assert {name: tuple(map(int, cells)) for name, *cells in lines} == SHAPES


def test_table_6_is_as_printed() -> None:
    lines = printed("dataset\tpsk", 2, len(ACCURACIES) + 2)
    *sets, means, medians = [[cells[0].replace("mush", "mushr"), *cells[1:]] for cells in lines]
    assert {name: tuple(map(float, cells)) for name, *cells in sets} == ACCURACIES
    assert list(map(float, filter(None, means[1:]))) == list(MEANS.values())
    assert list(map(float, filter(None, medians[1:]))) == list(MEDIANS.values())


def test_table_5_is_as_printed() -> None:
    lines = printed("Sample size\t", 1, 20)
    found = {(size, limit, solver): int(best) for size, limit, solver, _, best in lines}
    ours = {(f"{p}%", f"{h}h", solver): n for (p, h), each in BEST_UB.items() for solver, n in each.items()}
    assert found == ours and len(found) == 20


def test_what_the_text_says_is_in_the_text() -> None:
    if not PAPER.exists():
        pytest.skip("no ../shared/seeds")
    text = " ".join(PAPER.read_text("utf-8").split())
    assert "1.75%, 4.7% and 2.2% with respect to psk, lsk and ask" in text
    assert list(GAINS.items()) == [("psk", 1.75), ("lsk", 4.7), ("ask", 2.2)]
    assert "mpdt obtains an average of 91.31%, psk 89.31%, lsk 86.65% and ask 90.51%" in text
    assert SEEN == {"mpdt": 91.31, "psk": 89.31, "lsk": 86.65, "ask": 90.51}
    assert "7.86%, 4.37%, and 1.69% respect to DT(max) limited on depths 2, 3, and 4" in text
    assert DEPTHS == {2: 7.86, 3: 4.37, 4: 1.69}
    assert f"a total of {_mpdt_printed.INSTANCES} instances for each size" in text


@pytest.mark.parametrize("method", list(MEANS))
def test_the_papers_sets_have_the_papers_means(method: str) -> None:
    """But for lsk, of which our remark says so."""
    values = [each._asdict()[method] for each in ACCURACIES.values()]
    assert (abs(fmean(values) - MEANS[method]) < 0.006) == (method != "lsk")
    assert method != "lsk" or f"{fmean(values):.2f}" in mpdt_6.LSK
    assert median(values) == MEDIANS[method]


def test_gains_are_differences_of_means() -> None:
    for other, gain in GAINS.items():
        assert abs(MEANS["mpdt"] - MEANS[other] - gain) < 0.04


# ---------------------------------------------------------------------------- scores


Rights = NDArray[np.bool_]


@st.composite
def rights(draw: st.DrawFn) -> Rights:
    """Which rows some trees get right."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.random((draw(st.integers(1, 6)), draw(st.integers(2, 30)))) < 0.7


def score(right: Rights, sizes: Sequence[int] | None = None, splits: int = 7) -> Score:
    return _mpdt.score(right, sizes or [3] * len(right), max(1, right.shape[1] // 2), splits)


@given(rights())
def test_no_selection_is_better_than_the_best(right: Rights) -> None:
    found = score(right)
    assert 0 <= found.accuracy <= found.seen + 1e-9 <= 100 + 1e-9
    assert found.trees == len(right)


@given(rights())
def test_one_tree_is_selected_and_seen(right: Rights) -> None:
    found = score(right[:1], [5])
    assert found.accuracy == found.seen and found.size == 5


@given(rights(), st.randoms())
def test_the_order_of_trees_does_not_matter_and_equal_ones_add_nothing(right: Rights, random: Any) -> None:
    shuffled = list(range(len(right)))
    random.shuffle(shuffled)
    found, other, twice = score(right), score(right[shuffled]), score(np.vstack([right, right]))
    assert other.accuracy == pytest.approx(found.accuracy) == twice.accuracy
    assert other.seen == pytest.approx(found.seen) == twice.seen


@given(rights(), st.integers(0, 5))
def test_a_perfect_tree_is_selected_where_it_alone_is(right: Rights, at: int) -> None:
    """All others are wrong somewhere in each selection: everywhere."""
    trees = np.zeros_like(right)
    place = at % len(trees)
    trees[place] = True
    sizes = [2 * each + 3 for each in range(len(trees))]
    assert score(trees, sizes) == Score(100.0, 100.0, sizes[place], len(trees))


def test_rows_that_select_and_rows_that_test_are_others() -> None:
    """One row is right: where it tests the tree has it all, where it selects it has nothing; half of each."""
    found = _mpdt.score(np.array([[True, False]]), [3], 1, 2000)
    assert 45 < found.accuracy < 55
    both = _mpdt.score(np.array([[True, False], [False, True]]), [3, 5], 1, 2000)
    assert (both.accuracy, both.seen) == (0.0, 100.0), "who is right on the one is wrong on the other"


def test_the_size_is_that_of_the_smallest_that_is_selected() -> None:
    right = np.array([[True] * 6, [True] * 6, [False] * 6])
    assert score(right, [9, 7, 3]).size == 7


# ---------------------------------------------------------------------------- trees on rows


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Work:
    """The lenses as an experiment splits them, and trees of them."""
    needs(experiments.there("sklearn"), "scikit-learn")
    made = reproduce("mpdt-6", scale="tiny", output=str(tmp_path_factory.mktemp("it") / "it"))
    assert isinstance(made, Made)
    return Work("mpdt-6", made.folder, "tiny")


@pytest.mark.parametrize("file", ["mpdt.json", "lsk.json"])
def test_trees_get_right_what_the_commands_say(halves: Work, file: str, capsys: Any) -> None:
    """Each tree again, judged by its command on the rows that test."""
    rows = _mpdt.others(halves, "lenses")
    train, _, test = (str(halves.folder / each) for each in _mpdt.parts("lenses"))
    done = halves.record(f"lenses/{file}")
    assert done is not None and rows.test == _mpdt.length(halves, test)
    words = [train if word == _mpdt.parts("lenses")[0] else word for word in done.words]
    assert cli.main([*words, "--test", test, "--quiet"]) == 0
    said = json.loads(capsys.readouterr().out)
    documents = [each.get("tree", each) for each in said["trees"]]
    right = rows.right(documents)
    assert right.shape == (len(documents), len(rows.truth))
    ours = right[:, -rows.test :].sum(axis=1).tolist()
    if file == "mpdt.json":
        assert ours == [each["test"]["right"] for each in said["trees"]] and len(set(ours)) > 1
    else:  # trees of different seeds vote; here they agree
        assert len({json.dumps(each["root"]) for each in documents}) == 1
        assert set(ours) == {said["test"]["right"]}


def test_trees_of_all_seeds_and_sizes_are_scored(halves: Work) -> None:
    most = max(each["size"] for each in _mpdt.documents(halves, "lenses/psk.json"))
    sizes = range(3, most + 1, 2)
    row = mpdt_6._row(halves, "lenses")
    seeds = len(_mpdt.documents(halves, "lenses/psk.json"))
    assert seeds == max(row.scores[each].trees for each in ("one", "mpdt"))
    assert row.scores["ask"].trees == seeds * len(sizes)
    assert row.nodes == 9 and row.proved


# ---------------------------------------------------------------------------- claims


def held(claims: Sequence[Claim]) -> list[str]:
    return [each.held for each in claims]


def row_of(name: str, change: Callable[[str, float], float] = lambda method, value: value) -> mpdt_6.Row:
    """The paper's own line, as if it were ours."""
    paper = ACCURACIES[name]._asdict()
    scores = {
        method: Score(change(method, paper[method]), change(method, SEEN.get(method, 90.0)), 0.0, 1)
        for method in mpdt_6.METHODS
    }
    scores["psk"] = replace(scores["psk"], size=paper["psk_size"])
    return mpdt_6.Row(SHAPES[name].train, paper["opt"], True, scores)


def test_the_papers_own_figures_hold() -> None:
    found = {name: row_of(name) for name in ACCURACIES}
    claims = list(mpdt_6.claims(found))
    assert held(claims) == ["yes"] * 7
    for claim, gain in zip(claims, GAINS.values(), strict=False):
        assert str(gain) in claim.says
        assert abs(float(claim.measured.split()[0]) - gain) < (0.41 if gain == GAINS["lsk"] else 0.04)
    means = mpdt_6.accuracies(found).rows[-2]
    assert means[1::2] == pytest.approx(means[2::2], abs=0.38)


@pytest.mark.parametrize(
    ("method", "broken"),
    [("psk", [0, 6]), ("lsk", [1, 6]), ("ask", [2, 6]), ("mpdt", [0, 1, 2, 3, 6]), ("one", [3]), ("nd", [3])],
)
def test_a_claim_turns_with_its_figures(method: str, broken: list[int]) -> None:
    """Another method does better, or mpdt worse, by ten points."""
    by = -10 if method == "mpdt" else 10
    found = {name: row_of(name, lambda m, x: x + by * (m == method)) for name in ACCURACIES}
    assert [at for at, each in enumerate(held(list(mpdt_6.claims(found)))) if each != "yes"] == broken


def test_sizes_are_compared_where_they_are_proved() -> None:
    found = {name: row_of(name) for name in ACCURACIES}
    found["zoo"] = replace(found["zoo"], nodes=19)
    opt, smaller = list(mpdt_6.claims(found))[4:6]
    assert (opt.held, smaller.held) == ("partly", "partly") and "zoo +2" in opt.measured
    found["zoo"] = replace(found["zoo"], proved=False)
    assert list(mpdt_6.claims(found))[4].held == "yes"


def test_nothing_is_known_of_no_set() -> None:
    assert set(held(list(mpdt_6.claims({})))) == {"open"}
    assert set(held(list(mpdt_dtmax.claims({})))) == {"open"}
    assert set(held(list(mpdt_5.claims({})))) == {"open"}


@pytest.mark.parametrize(("change", "expected"), [(0.0, "yes"), (-5.0, "partly"), (-8.0, "no")])
def test_depths_are_compared_with_mpdt(change: float, expected: str) -> None:
    best = {depth: Score(80.0 - gain, 0, 3, 1) for depth, gain in DEPTHS.items()}
    found = {"zoo": mpdt_dtmax.Row(Score(80.0 + change, 0, 3, 1), best, frozenset({2}))}
    claims = list(mpdt_dtmax.claims(found))
    assert claims[0].held == expected and claims[0].measured.startswith(f"{7.86 + change:+.2f}")
    assert mpdt_dtmax.table(found).rows[-1][2:4] == (80.0 + change, 80.0 - DEPTHS[2])


# ---------------------------------------------------------------------------- solvers


def line(solver: str, cost: int | None, *, percent: int = 40, name: str = "zoo") -> dict[str, str]:
    shown = "" if cost is None else str(cost)
    status = "OPTIMUM FOUND" if cost == 3 else ""
    return {
        "instance": f"mpdt-{name}-p{percent}-s1-ub13",
        "solver": solver,
        "cost": shown,
        "status": status,
    }


def test_all_who_have_the_least_cost_share_it() -> None:
    lines = [
        *(line("lms", 4), line("descent", 5) | {"status": "OPTIMUM FOUND"}, line("rc2", 4)),
        *(line("lms", 3, name="back"), line("descent", 3, name="back"), line("rc2", None, name="back")),
        *(line("lms", None, percent=60), line("descent", None, percent=60)),
    ]
    found = mpdt_5.counted(lines)
    assert found[40] == {"lms": Best(2, 2, 1), "descent": Best(1, 2, 1), "rc2": Best(1, 2, 0)}
    assert found[60]["lms"] == Best(0, 1, 0) and found[60]["rc2"] == Best(0, 1, 0)


def papers() -> dict[tuple[int, int], dict[str, Best]]:
    """The paper's own table, as if it were ours."""
    return {
        kind: {ours: Best(solvers[theirs], 580, 0) for ours, theirs in mpdt_5.PRINTED.items()}
        for kind, solvers in BEST_UB.items()
    }


def test_the_papers_own_counts_hold() -> None:
    found = papers()
    assert held(list(mpdt_5.claims(found))) == ["yes"] * 3
    shown = mpdt_5.table(found)
    assert len(shown.rows) == 20 and all(row[4] == row[6] and row[5] == row[7] for row in shown.rows)
    assert {row[3] for row in shown.rows if row[2] == "descent"} == {"SAT"}
    assert all(row[4] is None for row in mpdt_5.table(found, beside=False).rows)


def test_counts_turn_the_claims() -> None:
    found = papers()
    found[40, 1]["descent"] = Best(529, 580, 0)
    assert held(list(mpdt_5.claims(found))) == ["partly"] * 3
    without = {kind: {n: each for n, each in s.items() if n != "satlike-ck"} for kind, s in papers().items()}
    assert held(list(mpdt_5.claims(without))) == ["open", "yes", "yes"]


# ---------------------------------------------------------------------------- lines and data


def parsed(words: tuple[str, ...]) -> dict[str, Any]:
    module, function = commands.get(words[0])
    rest = list(words[1:])
    return vars(options.parser(words[0], function, options.forwarded(module, rest)).parse_args(rest))


@pytest.mark.parametrize("scale", ["tiny", "small", "paper"])
@pytest.mark.parametrize("name", ["mpdt-4", "mpdt-5", "mpdt-6", "mpdt-dtmax"])
def test_commands_understand_all_lines(
    name: str, scale: Scale, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the data sets and without running."""
    monkeypatch.setattr(
        Work, "sets", lambda self, names: [DataSet(each, f"data/{each}.csv", ()) for each in names[:2]]
    )
    monkeypatch.setattr(_mpdt, "length", lambda work, file: 2000 if "audio" in file else 20)
    monkeypatch.setattr(_mpdt, "documents", lambda work, file: [{"size": 7}] * 3)
    monkeypatch.setattr(mpdt_5, "_placed", lambda work, names: list(names))
    lines = [
        step.words for steps in experiments.get(name).stages(Work(name, tmp_path, scale)) for step in steps
    ]
    known = [parsed(words) for words in lines]
    assert known
    if name == "mpdt-5" and scale == "paper":
        assert {(each["wall"], each["memory"]) for each in known[1:]} == {(3600, 20000), (36000, 20000)}
        assert known[0]["seeds"] == 20 and len(known[0]["sets"]) == 19
    if name == "mpdt-6" and scale == "paper":
        assert {each["wall"] for words, each in zip(lines, known, strict=True) if words[0] == "mpdt"} == {
            86400
        }
        assert [words[1].split("/")[-1] for words in lines if "--lazy" in words] == [
            "audio.train.train.csv"
        ] * 5
        assert {each["seeds"] for words, each in zip(lines, known, strict=True) if words[0] == "peer"} == {3}


def test_solvers_are_those_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work("mpdt-5", tmp_path, "small")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert {"lms", "descent"} <= set(mpdt_5.entrants(work)) and "satlike-ck" not in mpdt_5.entrants(work)
    (tmp_path / "satlike-ck").write_text("#!/bin/sh\n")
    (tmp_path / "satlike-ck").chmod(0o755)
    assert mpdt_5.entrants(work)[0] == "satlike-ck"


def test_sets_have_the_figures_of_table_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    if not (SHARED / "data").exists():
        pytest.skip("no ../shared/data")
    needs(experiments.there("sklearn"), "scikit-learn")
    with (SHARED / "data" / "expected_mpdt_table4.csv").open() as lines:
        expected = {line["name"]: tuple(map(int, list(line.values())[4:])) for line in csv.DictReader(lines)}
    assert expected == SHAPES
    if not full:
        monkeypatch.setattr(_mpdt, "SHAPES", {"haber": SHAPES["haber"]})
    made = reproduce("mpdt-4", scale="small", data=[str(SHARED / "data")], output=str(tmp_path / "it"))
    assert isinstance(made, Made) and made.found is not None
    assert set(held(made.found.claims)) == {"yes"}
    assert len(made.found.tables[0].rows) == (len(SHAPES) if full else 1)


def test_a_figure_that_differs_is_named() -> None:
    ours = dict(SHAPES) | {"zoo": SHAPES["zoo"]._replace(total=100)}
    claims = list(mpdt_4._claims(ours))
    assert [each.held for each in claims] == ["yes", "yes", "yes", "partly", "yes", "yes", "yes"]
    assert claims[3].measured == "18 of 19 equal: zoo: 100, not 101"
