"""The order of the steps from a file to rows, and what is left out on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wcnfgen
from tests import solving
from wcnfgen.encodings import get
from wcnfgen.errors import UsageError
from wcnfgen.making import prepare_for, split
from wcnfgen.output import parse
from wcnfgen.prepare import Prepared, prepare
from wcnfgen.verdict import accuracy, judge

ROWS = [(x / 4, "abc"[x % 3], x % 2, "yes" if x % 5 < 3 else "no") for x in range(40)]
TEXT = "x,letter,bit,class\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "d.csv"
    path.write_text(TEXT)
    return path


def test_a_sample_and_the_rest(file: Path) -> None:
    """Stratified, the same for the same seed, and the rest is held out."""
    whole, part = prepare(file), prepare(file, sample=0.4, seed=7)
    assert whole.held_out is None and whole.used == whole.read - whole.dropped
    assert part.held_out is not None
    assert part.used + part.held_out.rows == whole.used
    assert part.used == pytest.approx(0.4 * whole.used, abs=1)
    assert np.array_equal(part.problem.X, prepare(file, sample=0.4, seed=7).problem.X)
    seeds = {prepare(file, sample=0.4, seed=seed).problem.X.tobytes() for seed in range(5)}
    assert len(seeds) > 1


def test_fitted_on_all_rows_or_on_the_sample(file: Path) -> None:
    """On the sample alone, the other rows have no say in the columns."""
    everything = prepare(file, sample=0.3, seed=1)
    alone = prepare(file, sample=0.3, seed=1, fit_on="train")
    assert everything.binarisation == prepare(file).binarisation
    assert alone.binarisation != everything.binarisation
    assert alone.held_out is not None and alone.used + alone.dropped + alone.held_out.rows == 40
    tree = wcnfgen.learn(str(file), sample=0.3, seed=1, fit_on="train", wall=60).decoded.tree
    assert accuracy(alone.fitted, tree, alone.held_out).rows == alone.held_out.rows


def test_the_rows_of_a_problem_are_those_of_the_file(file: Path) -> None:
    """Weights are multiplicities and add up."""
    found = prepare(file)
    assert found.problem.weight == found.used == 40 - found.dropped
    assert found.problem.rows == len(np.unique(found.problem.X, axis=0))


@pytest.mark.parametrize("policy", ["majority", "first", "drop", "keep"])
def test_conflicts(file: Path, policy: str) -> None:
    file.write_text("a,class\n0,x\n0,x\n0,y\n1,y\n1,x\n2,x\n3,y\n")
    found = prepare(file, conflicts=policy)  # type: ignore[arg-type]
    kept = {"majority": 5, "first": 5, "drop": 2, "keep": 7}
    assert (found.used, found.conflicting_vectors) == (kept[policy], 2)


def test_what_an_encoding_wants_where_the_user_says_nothing(file: Path) -> None:
    """Pure encodings drop conflicting rows, the others keep them; exact sizes keep useless columns."""

    def made(name: str, **options: object) -> Prepared:
        kind = get(name)
        of_data, of_encoding = split(options, prepare, kind.plan)
        return prepare_for(kind, file, of_data, of_encoding)

    file.write_text("a,b,c,class\n0,0,0,x\n0,0,0,y\n1,1,0,y\n0,0,0,x\n1,1,1,y\n")
    assert made("size").used == 4 and made("accuracy", ub=3).used == 5
    assert made("accuracy", ub=3, conflicts="drop").used == 2
    assert len(made("size").kept) == len(made("accuracy", ub=3).kept) == 2
    assert len(made("exact").kept) == len(made("accuracy", nodes=3).kept) == 3
    assert len(made("exact", reduce=True).kept) == 2
    assert len(made("size", reduce=False).kept) == 3


def test_removed_columns_are_remembered(file: Path) -> None:
    file.write_text("a,b,c,class\n0,0,1,x\n1,1,0,y\n0,0,1,x\n")
    found = prepare(file)
    assert [(r.column, r.why, r.of) for r in found.removed] == [(1, "duplicate", 0), (2, "complement", 0)]
    assert found.fitted.names.questions == ("a = 1",)


def test_a_data_frame(file: Path) -> None:
    import pandas as pd

    frame = pd.read_csv(file)
    ours, theirs = prepare(file), prepare(frame)
    assert np.array_equal(ours.problem.X, theirs.problem.X)
    assert ours.fitted == theirs.fitted


@pytest.mark.parametrize("fraction", [0, -1, 1.5])
def test_fractions_that_are_none(file: Path, fraction: float) -> None:
    with pytest.raises(UsageError, match="--sample"):
        prepare(file, sample=fraction)


# ---------------------------------------------------------------------------- unit weights


TWICE = "a,b,c,class\n" + 2 * "0,0,0,x\n0,1,0,y\n1,0,0,y\n1,1,0,x\n1,1,1,x\n0,0,1,y\n"


def weights_of(instance: Any) -> list[int]:
    """The weights of the soft clauses."""
    return [weight for weight, block in instance.encoding.soft() for _ in range(len(block))]


def test_equal_weights_become_one(file: Path, tmp_path: Path) -> None:
    """Costs count pairs of rows, and say so; accuracies count rows."""
    file.write_text(TWICE)
    options: dict[str, Any] = {"encoding": "depth", "depth": 1}
    plain = wcnfgen.encode(str(file), **options)
    unit = wcnfgen.encode(str(file), unit_weights=True, **options)
    assert weights_of(plain) == [2] * 6 and weights_of(unit) == [1] * 6
    assert not any(line.startswith("unit") for line in plain.comments())
    assert "unit of errors: 2 rows, the greatest common divisor (--unit-weights)" in unit.comments()
    assert plain.encoding.problem.total == unit.encoding.problem.total == 12
    solved = {each: solving.solve(solving.through(each.encoding)) for each in (plain, unit)}
    (cost, _), (pairs, model) = (found for found in solved.values() if found)
    assert cost == 2 * pairs == 2 * unit.encoding.cost(unit.encoding.tree(model)) > 0


@pytest.mark.parametrize("embed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_a_verdict_over_unit_weights(file: Path, tmp_path: Path, embed: bool, weighted: bool) -> None:
    """The map knows weights and rows, with the rows inside or from the data file."""
    file.write_text(TWICE)
    weights = [3, 6, 6, 3, 0, 3] * 2 if weighted else None
    instance = wcnfgen.encode(
        str(file), encoding="depth", depth=1, unit_weights=True, weights=weights, embed_rows=embed
    )
    assert sorted(set(weights_of(instance))) == ([1, 2] if weighted else [1])
    unit = "a weight of 6" if weighted else "2 rows"
    assert sum(line.startswith(f"unit of errors: {unit},") for line in instance.comments()) == 1
    formula = tmp_path / "d.wcnf"
    instance.write(formula)
    tree = instance.witness
    assert tree is not None
    bits = "".join("01"[int(x)] for x in instance.encoding.model(tree)[1:])
    said = f"s SATISFIABLE\no {instance.encoding.cost(tree)}\nv {bits}\n".encode()
    checked = judge(formula, parse([said]), train=None if embed else str(file))
    assert checked.verdict.ok and checked.verdict.training is not None
    assert checked.verdict.training.rows == 12
    assert checked.map is not None
    assert np.array_equal(checked.map.encoding.problem.w, instance.encoding.problem.w)


def test_unit_weights_change_nothing_where_they_have_no_common_divisor(file: Path) -> None:
    ours, theirs = prepare(file), prepare(file, unit_weights=True)
    assert np.gcd.reduce(ours.problem.w) == 1 == theirs.divisor and theirs.problem.n is None
    file.write_text(TWICE)
    instance = wcnfgen.encode(str(file), unit_weights=True)  # pure: no row has a weight
    assert instance.prepared.divisor == 2
    assert not any(line.startswith("unit") for line in instance.comments())
