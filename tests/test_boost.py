"""`wcnfgen boost` and `wcnfgen bag`: chains of instances, votes, and runs that end early."""

from __future__ import annotations

import inspect
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wcnfgen import bag, boost, boosting, cli, data, encode, verdict, voting
from wcnfgen.commands import _ensemble
from wcnfgen.commands._ensemble import Solving, Voted
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.instance import Instance
from wcnfgen.tree import depth, predict

SEARCH: dict[str, Any] = {"solver": "lms", "wall": 60.0}


@pytest.fixture(scope="module")
def monks(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Forty rows of a MONK's problem."""
    file = tmp_path_factory.mktemp("data") / "monks.csv"
    assert cli.main(["data", "monks", "-o", str(file)]) == 0
    header, *rows = file.read_text().splitlines()
    file.write_text("\n".join([header, *rows[::11]]) + "\n")
    return str(file)


@pytest.fixture(scope="module")
def chain(monks: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Voted, Path]:
    """Three rounds, kept."""
    folder = tmp_path_factory.mktemp("chain")
    return boost(monks, depth=2, rounds=3, keep=str(folder), **SEARCH), folder


@pytest.fixture
def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Greedy trees, as if the solver had been lazy: for tests of what is around it."""

    def learn(self: Solving, instance: Instance, file: Path) -> Any:
        from wcnfgen.commands.learn import summarise

        assert instance.witness is not None
        instance.write(file)
        return summarise(instance.prepared, instance.witness, None, True, False, None)

    monkeypatch.setattr(Solving, "learn", learn)


def clauses(file: Path) -> list[str]:
    """A file without its comments."""
    return [line for line in file.read_text().splitlines() if not line.startswith("c ")]


# ---------------------------------------------------------------------------- the chain


def test_each_round_leaves_instance_log_record_and_weights(chain: tuple[Voted, Path]) -> None:
    _, folder = chain
    endings = (".wcnf", ".wcnf.lms.log.gz", ".wcnf.lms.run.json", ".weights")
    assert {file.name for file in folder.iterdir()} == {
        f"monks.round-0{number}{ending}" for number in (1, 2, 3) for ending in endings
    }


def test_encode_writes_the_same_instances_from_the_weights(monks: str, chain: tuple[Voted, Path]) -> None:
    """All but the command's words, and the first round, whose file need not speak of weights."""
    _, folder = chain
    for number in (1, 2, 3):
        file = folder / f"monks.round-0{number}.wcnf"
        weights = str(folder / f"monks.round-0{number}.weights")
        again = folder.parent / f"again-{number}.wcnf"
        encode(monks, encoding="boost", depth=2, weights=weights, output=str(again))
        assert clauses(again) == clauses(file)
        if number > 1:
            one, other = (each.read_text().splitlines() for each in (again, file))
            assert [q for q, (a, b) in enumerate(zip(one, other, strict=True)) if a != b] in ([], [1])
            assert sorted(one[1].split()) == sorted(other[1].split())


@pytest.mark.usefixtures("no_solver")
@pytest.mark.parametrize(
    "options",
    [
        {"sample": 0.6, "seed": 5},
        {"sample": 0.6, "seed": 5, "fit_on": "train"},
        {"conflicts": "majority", "drop": ("a5",), "rounding": "real"},
        {"rounding": "real", "cap": 7},
        {"weights": [q % 4 for q in range(40)]},
        {"weights": [0.3 * q for q in range(40)], "sample": 0.7},
    ],
)
def test_so_it_does_whatever_the_options(monks: str, tmp_path: Path, options: dict[str, Any]) -> None:
    boost(monks, depth=1, rounds=4, keep=str(tmp_path), **options)
    own = {name: value for name, value in options.items() if name not in ("rounding", "cap", "weights")}
    files = sorted(tmp_path.glob("*.wcnf"))
    assert len(files) == 4 and len({tuple(clauses(file)) for file in files}) > 1
    for file in files:
        again = encode(monks, encoding="boost", depth=1, weights=str(file.with_suffix(".weights")), **own)
        out = io.BytesIO()
        again.write(out)
        (tmp_path / "again").write_bytes(out.getvalue())
        assert clauses(tmp_path / "again") == clauses(file)


def test_the_solver_found_the_best_tree_of_each_round(chain: tuple[Voted, Path]) -> None:
    """Optimal for its weights, and the weights are those that the trees before imply."""
    result, _ = chain
    assert result.optimal == 3 and result.by_solver and result.ended == "enough"
    chosen = iter([each.decoded.tree for each in result.made])
    rounds = list(boosting.boost(result.prepared.problem, lambda *_: next(chosen), rounds=3))
    for learned, each in zip(result.made, rounds, strict=True):
        assert learned.checked is not None and learned.checked.map is not None
        assert (learned.checked.map.encoding.problem.w == each.problem.w).all()
        assert learned.checked.map.encoding.cost(each.tree) == learned.checked.verdict.cost
    assert result.ensemble == boosting.ensemble(rounds)
    assert all(depth(tree) <= 2 for tree in result.ensemble.trees)


def test_accuracy_is_that_of_the_vote(monks: str, chain: tuple[Voted, Path]) -> None:
    result, _ = chain
    table = data.read(monks)
    X, _ = result.prepared.binarisation.apply(table)
    votes = np.zeros((table.rows, 2))
    for tree, alpha in zip(result.ensemble.trees, result.ensemble.alphas, strict=True):
        votes[np.arange(table.rows), predict(tree, X[:, list(result.prepared.kept)])] += alpha
    right = int((votes.argmax(axis=1) == table.target.codes).sum())
    assert (result.training.right, result.training.rows) == (right, table.rows)
    assert voting.accuracy(result.prepared.fitted, result.ensemble, table).right == right


def test_weights_of_rows_that_are_no_row_of_the_problem(monks: str) -> None:
    """Rows are found by what they say, and by their class."""
    prepared = encode(monks, encoding="depth", depth=1).prepared
    table = data.read(monks)
    found = voting.groups(prepared.fitted, prepared.problem, table)
    assert (found >= 0).all()
    assert (np.bincount(found) == prepared.problem.counts).all()
    strange = data.from_arrays([["9"] * 6], ["7"], [f"a{i}" for i in range(1, 7)])
    assert voting.groups(prepared.fitted, prepared.problem, strange).tolist() == [-1]
    assert verdict.truth(prepared.fitted, strange).tolist() == [-1]


def test_defaults_are_those_of_the_arithmetic() -> None:
    command, plan = (inspect.signature(f).parameters for f in (boost, boosting.boost))
    for name in ("rounding", "cap"):
        assert command[name].default == plan[name].default
    assert command["rounds"].default == 21


# ---------------------------------------------------------------------------- how runs end


def lines(result: Voted, as_: Any = "text", noun: str = "rounds") -> tuple[int, str]:
    """Exit code and text."""
    out = io.StringIO()
    return _ensemble.present(result, out, as_, noun), out.getvalue()


STOPS = [(KeyboardInterrupt, "interrupted", 130), (SolverError, "failed", 1)]


@pytest.mark.usefixtures("no_solver")
@pytest.mark.parametrize(("error", "ended", "code"), STOPS)
def test_what_was_learned_stays(
    monks: str, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], ended: str, code: int
) -> None:
    """The third round ends the run, not the result."""
    learn = Solving.learn

    def third_fails(self: Solving, instance: Instance, file: Path) -> Any:
        if "round-03" in file.name:
            raise error("gone")
        return learn(self, instance, file)

    monkeypatch.setattr(Solving, "learn", third_fails)
    result = boost(monks, depth=1, rounds=5, rounding="real")
    assert (len(result.made), result.ended) == (2, ended)
    found, text = lines(result)
    assert found == code and "rounds:    2 of 5" in text


@pytest.mark.parametrize("error", [KeyboardInterrupt, SolverError])
def test_nothing_learned_is_no_result(
    monks: str, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def fails(*_: Any) -> Any:
        raise error("gone")

    monkeypatch.setattr(Solving, "learn", fails)
    for command in (boost, bag):
        with pytest.raises(error):
            command(monks, depth=1)


def test_a_perfect_tree_ends_it(tmp_path: Path) -> None:
    (tmp_path / "and.csv").write_text("a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    result = boost(str(tmp_path / "and.csv"), depth=2, **SEARCH)
    assert result.ended == "perfect" and result.ensemble.alphas == (1.0,)
    assert "1 of 21, the last one makes no error" in lines(result)[1]


@pytest.mark.usefixtures("no_solver")
def test_a_useless_tree_ends_it(tmp_path: Path) -> None:
    (tmp_path / "xor.csv").write_text("a,b,class\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    result = boost(str(tmp_path / "xor.csv"), depth=1)
    assert result.ended == "useless" and len(result.trees) == 1
    assert result.training.right == 2


@pytest.mark.usefixtures("no_solver")
def test_rounding_can_get_stuck(monks: str) -> None:
    """A weak tree moves so little weight that all of it is rounded away; `real` gathers it up."""
    stuck, real = (boost(monks, depth=1, rounds=6, rounding=each, drop=("a5",)) for each in ("paper", "real"))
    assert (len(stuck.made), stuck.ended) == (1, "stuck")
    assert (len(real.made), real.ended) == (6, "enough")
    assert "--rounding real goes on" in lines(stuck)[1]


def test_one_class(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,class\n0,x\n1,x\n")
    for command in (boost, bag):
        code, text = lines(command(str(tmp_path / "one.csv"), depth=1))
        assert code == 0 and "2 of 2 rows right" in text


def test_a_solver_that_finds_nothing_leaves_greedy_trees(monks: str, tmp_path: Path) -> None:
    program = tmp_path / "idle"
    program.write_text("#!/bin/sh\necho 's UNKNOWN'\n")
    program.chmod(0o755)
    result = boost(monks, depth=1, rounds=2, solver=str(program))
    code, text = lines(result)
    assert code == 1 and not result.by_solver and "some are greedy" in text


BAD = [
    ["boost", "--rounds", "0"],
    ["boost", "--cap", "0"],
    ["boost", "--rounding", "up"],
    ["boost", "--exact"],
    ["boost", "--round", "2"],
    ["boost", "--depth", "0"],
    ["boost", "--nodes", "4"],
    ["bag", "--depth", "0"],
    ["bag", "--nodes", "4"],
    ["bag", "--bags", "0"],
    ["bag", "--seed", "-1"],
    ["bag", "--encoding", "nonsense"],
    ["boost", "--weights", "negative"],
    ["bag", "--weights", "negative"],
    ["boost", "--weights", "huge"],
]


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_bad_options_write_nothing(
    monks: str, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "negative").write_text("1\n" * 39 + "-1\n")
    (tmp_path / "huge").write_text(f"{2**62}\n" * 40)
    name, *options = [str(tmp_path / word) if (tmp_path / word).is_file() else word for word in words]
    keep = tmp_path / "kept"
    assert cli.main([name, monks, "--depth", "1", "--wall", "1", "--keep", str(keep), *options]) == 2
    assert not keep.exists()
    found = capsys.readouterr()
    assert found.out == "" and found.err.count("\n") == 1


def test_no_number_in_the_weights(monks: str, tmp_path: Path) -> None:
    (tmp_path / "w").write_text("1\n" * 39 + "nan\n")
    keep = tmp_path / "kept"
    words = ["boost", monks, "--depth", "1", "--weights", str(tmp_path / "w"), "--keep", str(keep)]
    assert cli.main(words) in (1, 2)
    assert not keep.exists()


# ---------------------------------------------------------------------------- what is printed


@pytest.mark.parametrize("style", ["text", "rules", "dot", "svg", "json"])
def test_every_style(chain: tuple[Voted, Path], style: Any) -> None:
    result, _ = chain
    code, text = lines(result, style)
    assert code == 0
    if style == "json":
        trees = json.loads(text)["trees"]
        assert [tree["alpha"] for tree in trees] == list(result.ensemble.alphas)
    else:
        assert text.count("alpha") == len(result.trees)
    assert ("training:" in text) == (style == "text")


def test_the_command_line(monks: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["boost", monks, "--depth", "1", "--rounds", "2", "--sample", "0.8", "--test", monks]
    assert cli.main([*words, "--solver", "lms"]) == 0
    found = capsys.readouterr()
    assert "tree 1 of 2, alpha" in found.out and "held out:" in found.out and "test:" in found.out
    assert "round 2 of 2: error" in found.err and "optimal" in found.err


# ---------------------------------------------------------------------------- bagging


@pytest.mark.usefixtures("no_solver")
def test_bags_are_settled_by_the_seed(monks: str) -> None:
    one, same, other = (bag(monks, depth=1, bags=5, seed=seed) for seed in (3, 3, 4))
    assert one.ensemble == same.ensemble != other.ensemble
    assert one.ensemble.alphas == (1.0,) * 5


@pytest.mark.usefixtures("no_solver")
def test_a_class_that_a_bag_lacks(tmp_path: Path) -> None:
    """The first class has one row: a third of the bags do without, and name the others rightly."""
    rows = ["0,0,rare", *["0,1,some"] * 4, *["1,1,usual"] * 4]
    (tmp_path / "rare.csv").write_text("\n".join(["a,b,class", *rows]) + "\n")
    result = bag(str(tmp_path / "rare.csv"), depth=2, bags=12, conflicts="keep")
    assert {len(each.prepared.classes) for each in result.made} >= {2, 3}
    assert result.training.right >= 8


def test_a_pure_tree_of_each_bag(monks: str, tmp_path: Path) -> None:
    """Any encoding will do; the smallest pure tree is right on all rows that were drawn."""
    result = bag(monks, encoding="size", bags=2, keep=str(tmp_path), **SEARCH)
    for tree, learned in zip(result.ensemble.trees, result.made, strict=True):
        problem = learned.prepared.problem
        assert (predict(tree, problem.X) == problem.y).all()
        assert problem.total == result.prepared.problem.total
    assert len(list(tmp_path.glob("monks.bag-0?.wcnf"))) == 2


def test_refused_before_anything_is_read() -> None:
    with pytest.raises(UsageError, match=r"--rounds 0"):
        boost("there is no such file", depth=1, rounds=0)
