"""What follows from runs: laws over anything that solvers may say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.bundle.manifest import Row
from wcnfgen.calibration.opinions import BOUND, Outcome, best, lies, proofs, settled
from wcnfgen.contradictions import Lie
from wcnfgen.judged import Judged

costs = st.none() | st.integers(1, 4)
statuses = st.sampled_from([None, "OPTIMUM FOUND", "SATISFIABLE", "UNSATISFIABLE", "UNKNOWN"])


def said(status: str | None, cost: int | None = None, **other: Any) -> Judged:
    settings: dict[str, Any] = {
        "wcnfgen": "",
        "instance_sha256": "",
        "log_sha256": "",
        "values": "bits",
        "status": status,
        "claimed": cost,
        "bound": None,
        "cost": cost,
        **dict.fromkeys(("size", "depth", "right", "rows")),
        "findings": (),
        "notes": (),
    }
    return Judged(**settings | other)


def outcome(solver: str, judged: Judged, wall_s: float = 3.0, ended: str = "exit 0") -> Outcome:
    return Outcome(solver=solver, wall_s=wall_s, limit_s=60.0, ended=ended, judged=judged)


outcomes = st.lists(
    st.builds(
        outcome,
        st.sampled_from("abcd"),
        st.builds(
            said,
            statuses,
            costs,
            claimed=costs,
            bound=costs,
            findings=st.just(()) | st.just((("o-mismatch", "x"),)),
        ),
        st.sampled_from([0.5, 3.0, 30.0, 59.0]),
        st.sampled_from(["exit 0", "SIGSEGV", "wall limit"]),
    ),
    max_size=4,
    unique_by=lambda each: each.solver,
)
rows = st.builds(
    lambda stored, above, least: Row(
        name="x",
        status="written",
        format="wcnf",
        best_cost=stored,
        witness_cost=None if stored is None else stored + above,
        least_cost=least,
        nonzero="open",
    ),
    costs,
    st.integers(0, 2),
    st.integers(0, 3),
)


@given(row=rows, outcomes=outcomes, distrusted=st.frozensets(st.sampled_from("abcd")))
def test_laws(row: Row, outcomes: list[Outcome], distrusted: frozenset[str]) -> None:
    known = row.best_cost is not None
    least = best(row, outcomes)
    there = [each.judged.cost for each in outcomes if each.judged.cost is not None]
    assert least == min([*there, *([row.best_cost] if row.best_cost else [])], default=None)
    told = list(lies(row, outcomes, known))
    liars = {each.solver for each in told}
    for each in proofs(row, outcomes, known, distrusted):
        assert each.solver not in distrusted | liars
        if each.judged.status == "UNSATISFIABLE":
            assert least is None and each.judged.cost is None
        else:
            assert each.judged.status == "OPTIMUM FOUND" and each.judged.cost == least
    now = settled(row, outcomes, known, distrusted)
    assert now == settled(row, outcomes[::-1], known, distrusted)
    assert now.best_cost == least and set(now.seconds) == set(now.ended) == {each.solver for each in outcomes}
    assert bool(now.proved) == bool(now.proved_by)
    working = [each for each in outcomes if each.solver not in distrusted | liars]
    working = [each for each in working if each.has_model or each.wall_s > 54 or each.ended == "wall limit"]
    assert (now.difficulty == "untouched") == (bool(working) and not now.proved and now.difficulty != "hard")
    assert (now.difficulty is None) == (not working and not now.proved and now.difficulty != "hard")
    for each in outcomes:
        kinds = {lie.kind for lie in told if lie.solver == each.solver}
        assert set(now.ended[each.solver].split(", ")) == {each.ended} | kinds
    if now.proved_by not in ("", BOUND):
        assert now.seconds[now.proved_by] == min(took for took in now.seconds.values() if took is not None)
    if now.difficulty == "hard":
        assert not now.proved and (row.witness_cost is None or (least or 0) < row.witness_cost)


@pytest.mark.parametrize(
    ("judged", "text"),
    [
        (said("OPTIMUM FOUND", 4), "it says OPTIMUM FOUND with a cost of 4, but a model of cost 3 is known"),
        (said("OPTIMUM FOUND", None, claimed=5), "OPTIMUM FOUND with a cost of 5"),
        (said("UNKNOWN", None, bound=4), "it says that no cost is below 4, but a model of cost 3 is known"),
        (said("UNSATISFIABLE"), "it says UNSATISFIABLE, but a model is known"),
    ],
)
@pytest.mark.parametrize("by", ["the stored model", "another solver"])
def test_claims_that_what_somebody_else_found_excludes(judged: Judged, text: str, by: str) -> None:
    stored = 3 if by == "the stored model" else None
    row = Row(name="x", status="written", format="wcnf", best_cost=stored)
    other = [] if stored else [outcome("finder", said("SATISFIABLE", 3))]
    (found,) = lies(row, [outcome("liar", judged), *other], stored is not None)
    assert (found.solver, found.kind) == ("liar", "contradiction") and text in str(found)


@pytest.mark.parametrize(
    "judged",
    [said("OPTIMUM FOUND", 3), said("OPTIMUM FOUND", None, claimed=2), said("SATISFIABLE", 9, bound=3)],
)
def test_claims_that_may_be_so(judged: Judged) -> None:
    row = Row(name="x", status="written", format="wcnf", best_cost=3)
    assert not list(lies(row, [outcome("a", judged)], True))


def low(cost: int, bound: int) -> str:
    return f"it says that there is a cost of {cost}, but none is below the proved bound {bound}"


@pytest.mark.parametrize("status", ["OPTIMUM FOUND", "SATISFIABLE", None])
@pytest.mark.parametrize("stored", [None, 2, 3])
def test_a_cost_below_a_proved_bound_is_a_lie(status: str | None, stored: int | None) -> None:
    row = Row(name="x", status="written", format="wcnf", best_cost=stored, least_cost=2)
    runs = [outcome("liar", said(status, None, claimed=0))]
    (lie,) = lies(row, runs, stored is not None)
    assert lie == Lie("x", "liar", "contradiction", low(0, 2))
    assert settled(row, runs, stored is not None).ended == {"liar": "exit 0, contradiction"}
    assert not list(lies(row, [outcome("a", said(status, None, claimed=2))], stored is not None))


def test_a_bound_that_a_model_is_below_accuses_nobody() -> None:
    row = Row(name="x", status="written", format="wcnf", least_cost=2)
    assert not list(lies(row, [outcome("a", said("OPTIMUM FOUND", 1))], False))


def test_an_optimum_without_a_model_is_no_proof() -> None:
    row = Row(name="x", status="written", format="wcnf", best_cost=3, witness_cost=3)
    now = settled(row, [outcome("a", said("OPTIMUM FOUND", None, claimed=3))], True)
    assert (now.proved, now.difficulty, now.seconds) == (False, None, {"a": None})


def test_how_it_ended_says_what_others_found_out() -> None:
    row = Row(name="x", status="written", format="wcnf", best_cost=3)
    no = outcome("no", said("UNSATISFIABLE"), ended="exit 20")
    above = outcome("above", said("OPTIMUM FOUND", None, claimed=4))
    odd = outcome("odd", said("SATISFIABLE", 3, findings=(("o-mismatch", "x"),)))
    assert settled(row, [no, above, odd], True).ended == {
        "above": "exit 0, contradiction",
        "no": "exit 20, contradiction",
        "odd": "exit 0, o-mismatch",
    }


@pytest.mark.parametrize(
    ("run", "difficulty"),
    [
        (outcome("a", said(None), ended="SIGSEGV"), None),
        (outcome("a", said("UNKNOWN")), None),
        (outcome("a", said(None), ended="memory limit"), None),
        (outcome("a", said("UNSATISFIABLE")), None),
        (outcome("a", said(None, None, bound=4), 60.0, "wall limit"), None),
        (outcome("a", said(None), 60.0, "wall limit"), "untouched"),
        (outcome("a", said(None), 58.0), "untouched"),
        (outcome("a", said(None), 3.0, "cpu limit"), "untouched"),
        (outcome("a", said("SATISFIABLE", 3)), "untouched"),
        (outcome("a", said("SATISFIABLE", 3), ended="SIGSEGV"), "untouched"),
        (outcome("a", said("SATISFIABLE", 2), ended="SIGSEGV"), "hard"),
    ],
)
def test_untouched_is_what_somebody_worked_on(run: Outcome, difficulty: str | None) -> None:
    row = Row(name="x", status="written", format="wcnf", best_cost=3, witness_cost=3)
    assert settled(row, [run], True).difficulty == difficulty
    worked = outcome("b", said(None), 60.0, "wall limit")
    assert settled(row, [run, worked], True).difficulty == (difficulty or "untouched")


def test_who_is_found_out_elsewhere_has_not_worked() -> None:
    """He stops at the witness and calls it the best."""
    row = Row(name="x", status="written", format="wcnf", best_cost=3, witness_cost=3)
    run = outcome("liar", said("OPTIMUM FOUND", 3))
    assert settled(row, [run], True, frozenset({"liar"})).difficulty is None


def test_a_decision_is_solved_by_a_model_or_by_a_claim_that_there_is_none() -> None:
    row = Row(name="x", status="written", format="cnf")
    yes, no = outcome("yes", said("SATISFIABLE", 0), 7.0), outcome("no", said("UNSATISFIABLE"))
    unknown = outcome("unknown", said("UNKNOWN"), 60.0, "wall limit")
    assert (settled(row, [yes], False).proved, settled(row, [yes], False).difficulty) == (True, "medium")
    assert settled(row, [no], False).proved_by == "no" and settled(row, [no], False).difficulty == "easy"
    assert settled(row, [yes, no], False).proved_by == "yes"
    assert [each.solver for each in lies(row, [yes, no], False)] == ["no"]
    assert (settled(row, [no], True).proved, settled(row, [unknown], True).difficulty) == (None, "untouched")
    assert settled(row, [no], True).difficulty is None


def test_the_answer_of_a_decision() -> None:
    row = Row(name="x", status="written", format="cnf")
    yes, no = outcome("yes", said("SATISFIABLE", 0)), outcome("no", said("UNSATISFIABLE"))
    unknown = outcome("unknown", said("UNKNOWN"))
    for runs, known, answer in (
        ([], False, ""),
        ([], True, "SAT"),
        ([yes], False, "SAT"),
        ([no], False, "UNSAT"),
        ([no], True, "SAT"),
        ([yes, no], False, "SAT"),
        ([unknown], False, ""),
    ):
        assert settled(row, runs, known).answer == answer
    assert settled(settled(row, [no], False), [], False).answer == "UNSAT", "the run is gone"
    assert settled(settled(row, [no], False), [outcome("no", said("UNKNOWN"))], False).answer == ""
    assert settled(settled(row, [yes], True), [], False).answer == "", "its model is gone"
    assert settled(row, [no], False, frozenset({"no"})).answer == ""
    assert settled(replace(row, format="wcnf"), [no], False).answer == ""


def test_a_proof_whose_run_is_gone_stays_unless_its_solver_says_otherwise() -> None:
    row = Row(
        name="x", status="written", format="wcnf", best_cost=3, witness_cost=5, proved=True, proved_by="old"
    )
    unknown = said("UNKNOWN")
    assert settled(row, [outcome("new", unknown)], True).proved_by == "old"
    assert not settled(row, [outcome("old", unknown)], True).proved
    assert not settled(row, [], True, frozenset({"old"})).proved
    assert not settled(row, [outcome("new", said("SATISFIABLE", 2))], True).proved


def test_a_proof_whose_run_is_gone_keeps_its_class() -> None:
    """It is proved, so it is neither hard nor untouched; how fast is what was known before."""
    row = Row(name="x", status="written", format="wcnf", best_cost=3, proved=True, proved_by="old")
    for before, now in (("easy", "easy"), ("trivial", "trivial"), (None, "medium"), ("untouched", "medium")):
        was = replace(row, difficulty=before)  # type: ignore[arg-type]
        for runs in ([], [outcome("new", said("UNKNOWN"))]):
            after = settled(was, runs, True)
            assert (after.proved_by, after.difficulty) == ("old", now)
            assert settled(after, runs, True).difficulty == now
    assert settled(replace(row, proved=False, proved_by="", difficulty="easy"), [], True).difficulty is None


def test_why_it_did_not_run_stays_until_it_does() -> None:
    row = Row(name="x", status="written", format="wcnf")
    row = settled(row, [], False, refused={"lsu": "weights"})
    assert row.ended == {"lsu": "not run: weights"} == settled(row, [], False).ended
    assert settled(row, [outcome("lsu", said(None))], False).ended == {"lsu": "exit 0"}
