"""The verdict against solvers that lie, and files that lack something."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wcnfgen
from tests import solving
from wcnfgen import bounds, output, verdict
from wcnfgen.bounds import Floats
from wcnfgen.errors import DataError, FormatError
from wcnfgen.instance import Instance
from wcnfgen.tree import Tree, size
from wcnfgen.verdict import Checked

DATA = "colour,size,round,class\n" + "".join(
    f"{colour},{size},{round_},{'buy' if (colour == 'red') != (size == 'L' and round_ == '1') else 'leave'}\n"
    for colour in ("red", "blue")
    for size in ("S", "M", "L")
    for round_ in "01"
)


class Case:
    """An instance on disk, and the logs of solvers of many kinds for it."""

    def __init__(self, folder: Path, **options: Any):
        self.source = folder / "toys.csv"
        self.source.write_text(DATA)
        self.file = folder / "x.wcnf"
        self.instance: Instance = wcnfgen.encode(
            str(self.source), **{"ub": 41, "output": str(self.file), **options}
        )
        self.encoding = self.instance.encoding
        found = solving.solve(solving.through(self.encoding))
        assert found is not None
        self.optimum, self.model = found

    def log(self, status: str | None, cost: int | None, model: NDArray[np.bool_] | None) -> bytes:
        """What a solver of the new kind prints."""
        lines = [] if cost is None else [f"o {cost}"]
        lines += [] if status is None else [f"s {status}"]
        lines += [] if model is None else ["v " + "".join("01"[int(x)] for x in model[1:])]
        return "\n".join(lines).encode() + b"\n"

    def check(self, log: bytes, **options: Any) -> Checked:
        return verdict.judge(self.file, output.parse(io.BytesIO(log)), **options)

    def worse_tree(self) -> Tree:
        """An allowed tree that is not the smallest: grown by the worst tests."""
        tree = bounds.grow(self.encoding.problem, lambda no, yes: _proper(no, yes, -bounds.gini(no, yes)))
        assert self.encoding.allows(tree) and self.encoding.cost(tree) > self.optimum
        return tree


def _proper(no: Floats, yes: Floats, score: Floats) -> Floats:
    return np.where((no.sum(axis=1) > 0) & (yes.sum(axis=1) > 0), score, -np.inf)


@pytest.fixture(params=["core", "paper"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    return Case(tmp_path, form=request.param)  # type: ignore[return-value]


def test_an_honest_solver(case: Case) -> None:
    found = case.check(case.log("OPTIMUM FOUND", case.optimum, case.model)).verdict
    assert found.ok and found.findings == ()
    assert found.cost == case.optimum and found.falsified == 0
    assert found.size == 2 * case.optimum + (3 if "cost + 3" in case.encoding.meaning_of_cost else -1)
    assert found.training is not None and found.training.right == found.training.rows == 12
    assert found.optimality in ("claimed", "proved")


def test_literals_instead_of_bits(case: Case) -> None:
    literals = [x if case.model[x] else -x for x in range(1, len(case.model))]
    for text in (" ".join(map(str, literals)) + " 0", " ".join(map(str, reversed(literals)))):
        assert case.check(f"s OPTIMUM FOUND\no {case.optimum}\nv {text}\n".encode()).verdict.ok
    wrapped = "".join(f"v {x}\n" for x in literals)
    assert case.check(f"{wrapped}o {case.optimum}\n".encode()).verdict.ok


def test_a_model_that_is_not_the_smallest_is_true_but_not_proved(case: Case) -> None:
    model = case.encoding.model(case.worse_tree())
    found = case.check(case.log("SATISFIABLE", case.encoding.cost(case.worse_tree()), model)).verdict
    assert found.ok and found.optimality == "open"


def test_unknown_with_a_good_model_is_a_solution(case: Case) -> None:
    assert case.check(case.log("UNKNOWN", case.optimum, case.model)).verdict.ok
    assert case.check(case.log(None, None, case.model)).verdict.ok


@pytest.mark.parametrize(
    ("status", "off", "says"),
    [
        ("OPTIMUM FOUND", -1, "its model costs"),
        ("SATISFIABLE", 7, "its model costs"),
        ("UNSATISFIABLE", 0, "a model of the hard clauses is known"),
    ],
)
def test_claims_that_do_not_hold(case: Case, status: str, off: int, says: str) -> None:
    found = case.check(case.log(status, case.optimum + off, case.model)).verdict
    assert not found.ok
    assert any(says in finding and "solver's error" in finding for finding in map(str, found.findings))
    assert found.cost == case.optimum


def test_an_optimum_that_is_beaten_by_the_witness(case: Case) -> None:
    worse, witness = case.worse_tree(), case.instance.witness
    if witness is None or size(witness) >= size(worse):
        pytest.skip("the greedy tree of this form is no better")
    found = case.check(
        case.log("OPTIMUM FOUND", case.encoding.cost(worse), case.encoding.model(worse))
    ).verdict
    assert not found.ok and found.optimality == "open"
    assert any("OPTIMUM FOUND, but a model of cost" in finding for finding in map(str, found.findings))


def test_unsatisfiable_although_a_model_is_known(case: Case) -> None:
    if case.instance.witness is None:
        pytest.skip("no witness")
    found = case.check(b"s UNSATISFIABLE\n").verdict
    assert any("a model of the hard clauses is known" in finding for finding in map(str, found.findings))


@pytest.mark.parametrize("seed", range(10))
def test_a_model_with_flipped_variables_is_caught(case: Case, seed: int) -> None:
    """Flipping a variable of a model falsifies a hard clause, or changes the cost that is recomputed."""
    rng = np.random.default_rng(seed)
    model = case.model.copy()
    flipped = rng.integers(1, len(model), 3)
    model[flipped] = ~model[flipped]
    if (model == case.model).all():
        pytest.skip("flipped back")
    found = case.check(case.log("OPTIMUM FOUND", case.optimum, model)).verdict
    falsified, cost = solving.falsified(solving.through(case.encoding), model)
    assert (found.falsified, found.cost) == (falsified, cost)
    assert found.ok == (falsified == 0 and cost == case.optimum)


@pytest.mark.parametrize("log", [b"", b"c nothing\n", b"s UNKNOWN\n", b"o 3\n", b"\xff\xfe\x00rubbish"])
def test_no_model(case: Case, log: bytes) -> None:
    found = case.check(log).verdict
    assert not found.ok and found.tree is None
    assert found.model == "none" and "the log holds no model" in verdict.why_none(found)


def test_all_false_is_a_model_of_nothing(case: Case) -> None:
    found = case.check(case.log("OPTIMUM FOUND", 0, np.zeros_like(case.model))).verdict
    assert not found.ok and found.falsified and found.tree is None


def test_rows_that_the_file_does_not_hold(tmp_path: Path) -> None:
    """Never ok until the rows are supplied, and only by the very file."""
    case = Case(tmp_path, embed_rows=False)
    log = case.log("OPTIMUM FOUND", case.optimum, case.model)
    found = case.check(log).verdict
    assert found.rows == "not checked" and not found.ok and found.findings == ()
    assert case.check(log, train=str(case.source)).verdict.ok
    case.source.write_text(DATA.replace("leave", "Leave"))
    with pytest.raises(DataError, match="SHA-256"):
        case.check(log, train=str(case.source))


def test_a_file_that_lost_its_comments(tmp_path: Path) -> None:
    """Clauses can be checked without a map; with the map in a file of its own, everything can."""
    case = Case(tmp_path, map=str(tmp_path / "map.json"))
    bare = [line for line in case.file.read_bytes().splitlines(keepends=True) if not line.startswith(b"c")]
    case.file.write_bytes(b"".join(bare))
    log = case.log("OPTIMUM FOUND", case.optimum, case.model)
    found = case.check(log)
    assert found.map is None and found.verdict.claims_hold and found.verdict.tree is None
    assert not found.verdict.ok  # rows not checked: never ok
    assert not case.check(case.log("OPTIMUM FOUND", case.optimum - 1, case.model)).verdict.claims_hold
    assert case.check(log, map_file=tmp_path / "map.json").verdict.tree is not None
    with pytest.raises(FormatError, match="--map"):
        verdict.require_tree(found, case.file)


def test_a_file_whose_clauses_were_changed(tmp_path: Path) -> None:
    """A wrong label smuggled into the clauses shows when the rows are classified: our error, it says."""
    case = Case(tmp_path)
    lines = case.file.read_text().splitlines(keepends=True)
    tree = case.worse_tree()
    kept = [line for line in lines if line.startswith("c")]
    case.file.write_text("".join(kept) + f"h -{case.encoding.variables} {case.encoding.variables} 0\n")
    from wcnfgen.tree import from_list, to_list

    swapped = from_list([-1 - (1 - (-1 - x)) if x < 0 else x for x in to_list(tree)])
    model = np.zeros_like(case.model)
    case.encoding.assign(swapped, model)
    found = case.check(case.log("SATISFIABLE", 0, model)).verdict
    assert not found.ok
    assert any("misclassifies" in finding and "our error" in finding for finding in map(str, found.findings))


def test_variables_that_the_map_does_not_know(tmp_path: Path) -> None:
    case = Case(tmp_path)
    with case.file.open("a") as out:
        out.write(f"h {case.encoding.variables + 5} 0\n")
    with pytest.raises(FormatError, match="but the map has"):
        case.check(case.log("OPTIMUM FOUND", case.optimum, case.model))


def test_other_rows(tmp_path: Path) -> None:
    """Columns by name in any order, further ones ignored, unseen values counted."""
    case = Case(tmp_path)
    checked = case.check(case.log("OPTIMUM FOUND", case.optimum, case.model))
    found, tree = verdict.require_tree(checked, case.file)
    other = tmp_path / "other.csv"
    other.write_text(
        "extra,class,round,size,colour\n9,buy,0,S,red\n9,leave,1,L,red\n9,leave,0,S,green\n9,rent,0,S,red\n"
    )
    accuracy = verdict.accuracy(found.fitted, tree, verdict.table_for(found.fitted, other))
    assert (accuracy.rows, accuracy.right, accuracy.unseen) == (4, 3, {"colour": 1})
    other.write_text("class,round,size\nbuy,0,S\n")
    with pytest.raises(DataError, match="colour"):
        verdict.accuracy(found.fitted, tree, verdict.table_for(found.fitted, other))


def test_a_file_that_was_cut_short(tmp_path: Path) -> None:
    """Fewer clauses than the header says: never ok, in any format."""
    for format in ("wcnf", "wcnf-old", "cnf"):
        case = Case(tmp_path, format=format)
        log = case.log("OPTIMUM FOUND", case.optimum, case.model)
        assert case.check(log).verdict.ok, format
        lines = case.file.read_bytes().splitlines(keepends=True)
        case.file.write_bytes(b"".join(lines[:-5]))
        if format == "wcnf":
            assert any(
                "cut short or was changed" in each for each in map(str, case.check(log).verdict.findings)
            )
        else:
            with pytest.raises(FormatError, match="cut short or damaged"):
                case.check(log)


def test_a_bound_and_statuses_that_contradict_the_model(case: Case) -> None:
    good = case.log("OPTIMUM FOUND", case.optimum, case.model)
    assert not case.check(b"c LB %d\n" % (case.optimum + 1) + good).verdict.ok
    assert case.check(b"c LB %d\n" % case.optimum + good).verdict.ok
    assert not case.check(b"s UNSATISFIABLE\n" + good).verdict.ok
    assert case.check(b"s SATISFIABLE\n" + good).verdict.ok


def test_a_solver_killed_while_it_prints_is_not_blamed(case: Case) -> None:
    """The model before the last is judged by its own cost; a model that is cut short is none."""
    worse = case.worse_tree()
    first = case.log(None, case.encoding.cost(worse), case.encoding.model(worse))
    second = case.log(None, case.optimum, case.model)
    found = case.check(first + second[: -len(case.model) // 2]).verdict
    assert found.ok and found.cost == case.encoding.cost(worse) and found.notes
    alone = case.check(second[: -len(case.model) // 2]).verdict
    assert alone.model == "cut short" and alone.cost is None and alone.findings == ()


def test_a_bound_of_the_users_proves_nothing(tmp_path: Path) -> None:
    """An optimum under --lb that nothing proves is none of the data."""
    least = 2 * Case(tmp_path).optimum + 3
    case = Case(tmp_path, lb=least + 2)
    found = case.check(case.log("OPTIMUM FOUND", case.optimum, case.model)).verdict
    assert found.ok and found.size == least + 2 and found.optimality == "assumed"
    learned = wcnfgen.learn(str(case.source), lb=least + 2, ub=41)
    assert not learned.optimal


def test_a_cost_below_the_proved_bound_is_our_error(tmp_path: Path) -> None:
    case = Case(tmp_path)
    text = case.file.read_text()
    least = case.instance.plan.least_cost
    case.file.write_text(text.replace(f'"least_cost":{least}', f'"least_cost":{case.optimum + 1}'))
    found = case.check(case.log("OPTIMUM FOUND", case.optimum, case.model)).verdict
    assert any("less than the proved bound" in finding for finding in map(str, found.findings))


def test_classes_that_are_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("a,class\n0,0\n1,1\n")
    learned = wcnfgen.learn(str(tmp_path / "n.csv"))
    (tmp_path / "m.csv").write_text("a,class\n0,0.0\n1,1.0\n1,01\n0,x\n")
    fitted = learned.prepared.fitted
    accuracy = verdict.accuracy(fitted, learned.decoded.tree, verdict.table_for(fitted, tmp_path / "m.csv"))
    assert (accuracy.rows, accuracy.right) == (4, 3)


def test_the_delimiter_goes_with_the_map(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a~b~class\n0~0~n\n0~1~n\n1~0~n\n1~1~y\n")
    source = str(tmp_path / "t.csv")
    learned = wcnfgen.learn(source, delimiter="~", test=source)
    assert learned.test is not None and learned.test.right == 4


def test_where_nothing_is_optimised_nothing_is_claimed_optimal(tmp_path: Path) -> None:
    """A CNF file, or an encoding without objective: there is such a tree, and no more."""
    case = Case(tmp_path, format="cnf")
    found = case.check(case.log("OPTIMUM FOUND", 0, case.model)).verdict
    assert found.ok and found.decision and found.optimality == "none"
    learned = wcnfgen.learn(str(case.source), encoding="exact")
    assert learned.by_solver and not learned.optimal
    assert learned.checked is not None and learned.checked.verdict.optimality == "none"
