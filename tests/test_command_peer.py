"""`wcnfgen peer`: other packages' trees become ours and say the same, within limits, judged by us."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.optional import needs
from wcnfgen import cli, peers
from wcnfgen.boosting import Ensemble
from wcnfgen.commands.peer import Peered, peer, present
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.peers import Answer, Method, Settings, growing
from wcnfgen.prepare import prepare
from wcnfgen.render import from_json
from wcnfgen.tree import Leaf, Node, depth, predict, size

Rows = tuple[NDArray[np.int32], NDArray[np.int32]]
METHODS: tuple[Method, ...] = ("cart", "dl8.5", "streed", "adaboost", "bagging")


@pytest.fixture(autouse=True)
def installed() -> None:
    needs(find_spec("sklearn"), "scikit-learn (extra: learn)")


@pytest.fixture(scope="session")
def both() -> None:
    needs(find_spec("pydl85") and find_spec("pystreed"), "a peer (extra: peers)")


@st.composite
def rows(draw: st.DrawFn) -> Rows:
    """Some rows of a few binary columns, with all of two or three classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    number, columns, classes = draw(st.integers(6, 40)), draw(st.integers(1, 6)), draw(st.integers(2, 3))
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, number - classes)])
    return rng.integers(0, 2, (number, columns)).astype(np.int32), y.astype(np.int32)


def every_row(columns: int) -> NDArray[np.uint8]:
    return (np.arange(2**columns)[:, None] >> np.arange(columns) & 1).astype(np.uint8)


def errors(grown: growing.Grown, X: NDArray[Any], y: NDArray[Any]) -> int:
    (tree,) = grown.trees
    return int((predict(tree, X.astype(np.uint8)) != y).sum())


# ---------------------------------------------------------------------------- their trees as ours


@given(rows(), st.integers(1, 4), st.integers(0, 9))
def test_a_tree_of_scikit_learn_says_the_same_on_every_row(data: Rows, deepest: int, seed: int) -> None:
    X, y = data
    y = y + 1  # as in a bag that lacks a class
    model = growing._learner(Settings(method="cart", depth=deepest, seed=seed)).fit(X, y)
    tree, everything = growing._of_sklearn(model), every_row(X.shape[1])
    assert (predict(tree, everything) == model.predict(everything)).all()
    assert (size(tree), depth(tree)) == (model.tree_.node_count, model.get_depth())


@given(rows(), st.integers(1, 3))
@settings(max_examples=20)
def test_trees_of_dl85_and_streed_say_the_same_on_every_row(both: None, data: Rows, deepest: int) -> None:
    from pydl85 import DL85Classifier
    from pystreed import STreeDClassifier

    X, y = data
    everything = every_row(X.shape[1])
    dl85 = DL85Classifier(max_depth=deepest, min_sup=1, depth_two_special_algo=False).fit(X, y)
    assert (predict(growing._of_dl85(dl85.tree_), everything) == dl85.predict(everything)).all()
    streed = STreeDClassifier("accuracy", max_depth=deepest).fit(X, y)
    tree = growing._of_streed(streed.tree_)
    assert (predict(tree, everything) == streed.predict(everything.astype(np.int32))).all()
    assert size(tree) == 2 * streed.get_n_leaves() - 1


@given(rows(), st.integers(1, 2))
@settings(max_examples=10)
def test_the_vote_of_adaboost_is_scikit_learns(data: Rows, deepest: int) -> None:
    from sklearn.ensemble import AdaBoostClassifier

    X, y = data
    asked = Settings(method="adaboost", depth=deepest, trees=5, seed=3)
    grown = growing._adaboost(X, y, asked)
    model = AdaBoostClassifier(growing._learner(asked), n_estimators=5, random_state=3).fit(X, y)
    ours = Ensemble(tuple(grown.trees), tuple(grown.alphas), 3).predict(X.astype(np.uint8))
    scores = model.decision_function(X).reshape(len(X), -1)
    clear = np.abs(np.diff(np.sort(scores))).min(axis=1) if scores.shape[1] > 1 else np.abs(scores[:, 0])
    assert (ours == model.predict(X))[clear > 1e-9].all()
    assert clear.size == len(X) and len(grown.trees) <= 5


def test_each_bag_may_lack_a_class_and_names_the_others_rightly() -> None:
    X = np.eye(8, dtype=np.int32)
    y = np.array([0, 1, 2, 2, 2, 2, 2, 2], np.int32)
    grown = growing._bagging(X, y, Settings(method="bagging", trees=9, seed=1))
    assert len(grown.trees) == 9 and grown.alphas == [1.0] * 9
    votes = Ensemble(tuple(grown.trees), tuple(grown.alphas), 3).votes(X.astype(np.uint8))
    assert (votes.argmax(axis=1)[2:] == 2).all()
    assert votes[0, 0] and votes[1, 1], "a class that is rare is in some bags"


# ---------------------------------------------------------------------------- what is asked for


@given(rows(), st.integers(1, 3))
@settings(max_examples=15)
def test_optima_agree_and_cart_is_no_better(both: None, data: Rows, deepest: int) -> None:
    X, y = data
    found = {
        method: growing.GROW[method](X, y, Settings(method=method, depth=deepest))
        for method in ("dl8.5", "streed", "cart")
    }
    wrong = {method: errors(grown, X, y) for method, grown in found.items()}
    assert wrong["dl8.5"] == wrong["streed"] <= wrong["cart"]
    assert found["dl8.5"].proved and found["streed"].proved and not found["cart"].proved
    assert all(depth(grown.trees[0]) <= deepest for grown in found.values())


@given(rows(), st.sampled_from([3, 5, 7]))
@settings(max_examples=15)
def test_nodes_are_a_limit(both: None, data: Rows, most: int) -> None:
    X, y = data
    cart, streed = (
        growing.GROW[method](X, y, Settings(method=method, nodes=most)) for method in ("cart", "streed")
    )
    assert size(cart.trees[0]) <= most and size(streed.trees[0]) <= most
    assert errors(streed, X, y) <= errors(cart, X, y)
    if most == 3:
        stump = growing.GROW["dl8.5"](X, y, Settings(method="dl8.5", depth=1))
        assert errors(streed, X, y) == errors(stump, X, y)


@given(rows(), st.integers(1, 3), st.integers(0, 5), st.sampled_from([None, 3, 7]))
def test_each_seed_and_size_has_the_tree_that_it_has_alone(
    data: Rows, seeds: int, seed: int, nodes: int | None
) -> None:
    X, y = data
    many = Settings(method="cart", nodes=nodes, seed=seed, seeds=seeds, all_sizes=nodes is not None)
    sizes = [None] if nodes is None else range(3, nodes + 1, 2)
    alone = [
        growing._cart(X, y, Settings(method="cart", nodes=size, seed=seed + at)).trees[0]
        for size in sizes
        for at in range(seeds)
    ]
    assert growing._cart(X, y, many) == growing.Grown(alone, [1.0] * len(alone))


@given(rows())
def test_without_a_limit_cart_is_as_pure_as_can_be(data: Rows) -> None:
    X, y = data
    lines = [tuple(row) for row in X.tolist()]
    best = {
        line: np.bincount([k for each, k in zip(lines, y, strict=True) if each == line]) for line in lines
    }
    unavoidable = sum(int(counts.sum() - counts.max()) for counts in best.values())
    assert errors(growing._cart(X, y, Settings(method="cart")), X, y) == unavoidable


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": "c4.5"}, "choose one of cart"),
        ({"method": "dl8.5"}, "needs --depth"),
        ({"method": "adaboost"}, "needs --depth"),
        ({"method": "streed"}, "--depth or --nodes"),
        ({"method": "streed", "depth": 21}, "up to 20"),
        ({"method": "streed", "nodes": 43}, "up to 20"),
        ({"method": "dl8.5", "depth": 2, "nodes": 5}, "no --nodes"),
        ({"depth": 0}, "from 1 on"),
        ({"nodes": 4}, "odd"),
        ({"nodes": 1}, "from 3 on"),
        ({"trees": 0}, "from 1 on"),
        ({"seeds": 0}, "from 1 on"),
        ({"all_sizes": True}, "--nodes"),
        ({"method": "streed", "nodes": 5, "all_sizes": True}, "--method cart"),
        ({"method": "streed", "depth": 2, "seeds": 2}, "--method cart"),
        ({"seed": -1}, "--seed -1"),
        ({"wall": 0.0}, "--wall"),
        ({"as_": "html"}, "choose one of text"),
        ({"weights": "w"}, "no option weights"),
        ({"test": "no-such-file.csv"}, "no-such-file.csv"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(
    both: None, monks: str, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], says: str
) -> None:
    monkeypatch.setattr(peers, "run", _never)
    with pytest.raises((WcnfgenError, FileNotFoundError), match=says):
        peer(monks, **options)


def _never(*_: object) -> Answer:
    raise AssertionError("it runs")


@pytest.mark.parametrize("method", METHODS)
def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, method: Method) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda module: None)
    extra = "peers" if method in peers.OPTIMAL else "learn"
    with pytest.raises(UsageError, match=rf"{peers.PACKAGES[method].name} is not .*wcnfgen\[{extra}\]"):
        Settings(method=method, depth=2).check()


# ---------------------------------------------------------------------------- from a file to a document


@pytest.fixture(scope="module")
def monks(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A MONK's problem; some rows are there twice."""
    file = tmp_path_factory.mktemp("data") / "monks.csv"
    assert cli.main(["data", "monks", "-o", str(file)]) == 0
    text = file.read_text()
    file.write_text(text + "".join(line + "\n" for line in text.splitlines()[1:20]))
    return str(file)


def document(result: Peered) -> dict[str, Any]:
    out = io.StringIO()
    assert present(result, out, as_="json") == 0
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_a_tree_is_judged_by_us(monks: str, tmp_path: Path) -> None:
    test = tmp_path / "test.csv"
    test.write_text("\n".join(Path(monks).read_text().splitlines()[:100]) + "\n")
    result = peer(monks, depth=3, test=str(test), seed=5)
    said = document(result)
    tree = from_json(json.dumps(said))
    (ours,) = result.trees
    assert tree == ours.tree and (said["size"], said["depth"]) == (size(tree), depth(tree))
    assert said["method"] == "cart" and said["package"].startswith("scikit-learn ")
    assert (said["ended"], said["optimal"], said["held_out"]) == ("done", None, None)
    assert said["training"]["rows"] == 432 + 19 and said["test"]["rows"] == 99
    assert said["training"]["right"] == sum(row[each] for row, each in _labelled(said["root"]))
    assert 0 <= said["seconds"] < 60 and said["peak_mib"] > 10


def _labelled(node: dict[str, Any]) -> list[tuple[list[int], int]]:
    """The counts of each leaf, and its class."""
    if "label" in node:
        return [(node["counts"], node["label"])]
    return _labelled(node["yes"]) + _labelled(node["no"])


def test_the_command_line_prints_trees_and_votes(monks: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["peer", monks, "--method", "adaboost", "--depth", "1", "--trees", "3", "--sample", "0.5"])
        == 0
    )
    text = capsys.readouterr().out
    assert "tree 3 of 3, alpha " in text and "size:      9 nodes in 3 trees, depth 1" in text
    assert "found by:  scikit-learn " in text and "held out: " in text and "optimal" not in text


def test_trees_of_several_seeds_and_sizes_vote(monks: str) -> None:
    said = document(peer(monks, nodes=7, all_sizes=True, seeds=2))
    assert [each["alpha"] for each in said["trees"]] == [1.0] * 6 and said["made"] == 6
    assert [each["size"] for each in said["trees"]] == [3, 3, 5, 5, 7, 7]


def test_a_vote_has_its_alphas(monks: str) -> None:
    said = document(peer(monks, method="bagging", trees=3, depth=2))
    assert [each["alpha"] for each in said["trees"]] == [1.0, 1.0, 1.0] and said["made"] == 3
    assert all(each["depth"] <= 2 for each in said["trees"]) and "root" not in said


def test_an_optimum_of_both_from_a_file(both: None, monks: str) -> None:
    found = {method: peer(monks, method=method, depth=2, trees=1) for method in peers.OPTIMAL}
    right = {result.training.right for result in found.values() if result.training}
    assert len(right) == 1 and all(result.optimal for result in found.values())
    out = io.StringIO()
    present(found["dl8.5"], out)
    assert "optimal:   yes, says the package" in out.getvalue()


def test_one_class_needs_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "run", _never)
    file = tmp_path / "one.csv"
    file.write_text("a,class\n0,x\n1,x\n")
    said = document(peer(str(file)))
    assert (said["size"], said["optimal"], said["package"]) == (1, True, None)
    assert said["training"] == {"rows": 2, "right": 2, "unseen": {}}


def test_rows_that_disagree_stay_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stump = Answer((Node(0, Leaf(0), Leaf(1)),), (1.0,), False, "done", 0.1, 1.0)
    monkeypatch.setattr(peers, "run", lambda *_: stump)
    file = tmp_path / "disagree.csv"
    file.write_text("a,class\n0,x\n0,x\n0,y\n1,y\n")
    whole, rest = document(peer(str(file))), document(peer(str(file), conflicts="majority"))
    assert whole["training"] == {"rows": 4, "right": 3, "unseen": {}} and rest["training"]["rows"] == 3


# ---------------------------------------------------------------------------- limits and failures


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Noise, which takes dynamic programming minutes and gigabytes."""
    rng = np.random.default_rng(1)
    cells = np.column_stack([rng.integers(0, 2, (600, 60)), rng.integers(0, 2, 600)])
    file = tmp_path_factory.mktemp("hard") / "noise.csv"
    header = ",".join([*(f"x{i}" for i in range(60)), "class"])
    np.savetxt(file, cells, "%d", ",", header=header, comments="")
    return str(file)


@pytest.mark.parametrize("method", peers.OPTIMAL)
def test_at_the_wall_limit_there_is_the_best_tree_so_far(both: None, hard: str, method: Method) -> None:
    problem = prepare(hard).problem
    grown = growing.GROW[method](
        problem.X.astype(np.int32), problem.y, Settings(method=method, depth=6, wall_s=0.5)
    )
    assert grown.late and not grown.proved
    assert depth(grown.trees[0]) <= 6 and errors(grown, problem.X, problem.y) < 300


def test_a_tree_at_the_wall_limit_is_a_result(both: None, hard: str) -> None:
    said = document(peer(hard, method="dl8.5", depth=6, wall=0.5))
    assert (said["ended"], said["optimal"]) == ("wall", False) and said["training"]["right"] > 300


@pytest.mark.parametrize(
    ("limit", "given"), [("wall", {"wall": 0.01}), ("memory", {"memory": 60, "wall": None})]
)
def test_a_limit_may_leave_nothing(
    both: None, hard: str, monkeypatch: pytest.MonkeyPatch, limit: str, given: dict[str, Any]
) -> None:
    monkeypatch.setattr(peers, "START_S", 0.05)
    result = peer(hard, method="dl8.5", depth=6, test=hard, **given)
    out, text = io.StringIO(), io.StringIO()
    assert present(result, out, as_="json") == present(result, text) == 1
    said = json.loads(out.getvalue())
    assert (said["ended"], said["training"], said["test"]) == (limit, None, None) and "root" not in said
    assert f"stopped at the {limit} limit" in text.getvalue()


def test_what_goes_wrong_in_a_package_is_one_line(monks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "_request", lambda problem, settings: {"counts": "nonsense"})
    with pytest.raises(WcnfgenError, match=r"^scikit-learn [0-9.]+: [^\n]*Error[^\n]*$"):
        peer(monks)


def test_ctrl_c_is_passed_on(monks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: Callable[..., Answer] = lambda *_: Answer((), (), False, "interrupt", 0.1, 1.0)  # noqa: E731
    monkeypatch.setattr(peers, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        peer(monks)
