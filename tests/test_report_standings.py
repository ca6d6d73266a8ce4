"""What counts: contradicted claims, proofs in time, the store's costs; the cost at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.comparing import OPTIMUM, UNSAT, compared, instance, run, solved
from wcnfgen.contradictions import BLAMELESS
from wcnfgen.report import standings
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.standings import cost_at


def liar(cost: int | None = None, **other: Any) -> Callable[[], Comparison]:
    """A solver that claims something of x, and proves y; an honest one has a model of cost 3 of both."""
    liars = [run("x", "liar", cost, **other), solved("y", "liar", 3, 2.0)]
    honest = [run("x", "honest", 3), run("y", "honest", 3)]
    return lambda: compared(liars + honest, [instance("x", least_cost=2), instance("y")])


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (liar(cost=5, status=OPTIMUM), "OPTIMUM FOUND with a cost of 5, but a model of cost 3 is known"),
        (liar(status=UNSAT), "UNSATISFIABLE, but a model is known"),
        (liar(bound=4), "no cost is below 4, but a model of cost 3 is known"),
        (liar(claimed=1), "a cost of 1, but none is below the proved bound 2"),
        (liar(cost=4, findings=(("contradiction", "its own words"),)), "its own words"),
    ],
)
def test_who_is_contradicted_proves_nothing(made: Callable[[], Comparison], text: str) -> None:
    stand = standings.of(made())
    assert [(lie.name, lie.solver) for lie in stand.lies] == [("x", "liar")]
    assert text in stand.lies[0].text
    assert stand.distrusted == {"liar"} and not stand.solved


@pytest.mark.parametrize(
    "made",
    [
        liar(cost=3, status=OPTIMUM),
        liar(bound=3),
        liar(claimed=2),
        liar(status="UNKNOWN"),
    ],
)
def test_what_may_be_so_is_no_lie(made: Callable[[], Comparison]) -> None:
    """A bound that the best model meets, a cost that the proved bound allows."""
    stand = standings.of(made())
    assert not stand.lies and len(stand.solved) == 1


def test_another_fault_costs_the_proof_of_that_instance_only() -> None:
    fault = (("o-mismatch", "it says o 2"),)
    runs = [solved("x", "a", 3, 2.0, findings=fault), solved("y", "a", 3, 2.0)]
    stand = standings.of(compared(runs))
    assert not stand.distrusted and stand.solved == {runs[1].key}


def test_a_fault_with_one_seed_costs_no_proof_with_another() -> None:
    fault = (("o-mismatch", "it says o 2"),)
    runs = [solved("x", "a", 3, 2.0, seed=1, findings=fault), solved("x", "a", 3, 2.0, seed=2)]
    assert standings.of(compared(runs)).solved == {runs[1].key}


@pytest.mark.parametrize("kind", sorted(BLAMELESS))
def test_what_is_not_the_solvers_fault_is_listed_and_costs_nothing(kind: str) -> None:
    one = solved("x", "a", 3, 2.0, findings=((kind, "so it is"),))
    stand = standings.of(compared([one]))
    assert [lie.text for lie in stand.lies] == ["so it is"]
    assert stand.solved == {one.key} and not stand.distrusted


@pytest.mark.parametrize("ended", ["wall limit", "cpu limit"])
def test_what_is_said_in_the_grace_is_not_solved(ended: str) -> None:
    said = solved("x", "a", 3, 30.2, ended=ended)
    assert not standings.of(compared([said])).solved
    assert standings.of(compared([replace(said, ended="exit 30")])).solved == {said.key}


@pytest.mark.parametrize("best", [2, 3])
def test_the_store_takes_part(best: int) -> None:
    here = instance("x")
    comparison = compared([solved("x", "a", 3, 1.0)], [here])
    stand = standings.of(comparison, {here.formula_sha256: best})
    assert stand.best["x"] == best and bool(stand.solved) == (best == 3)
    assert stand.distrusted == ({"a"} if best == 2 else set())


# ---------------------------------------------------------------------------- the cost at a time


@pytest.mark.parametrize(
    ("seconds", "cost"),
    [(0.0, None), (0.99, None), (1.0, 8), (4.9, 8), (5.0, 6), (29.9, 6), (30.0, 5), (1e9, 5)],
)
def test_a_cost_counts_from_its_time_on_and_a_late_model_at_the_limit(
    seconds: float, cost: int | None
) -> None:
    late = run("x", "a", 5, trace=((1.0, 8), (5.0, 6), (30.4, 5)), late=True)
    assert cost_at(late, seconds) == cost


def test_a_run_that_ended_has_its_cost_from_then_on() -> None:
    early = solved("x", "a", 5, 2.0)
    assert [cost_at(early, at) for at in (1.9, 2.0, 10.0, 99.0)] == [None, 5, 5, 5]
