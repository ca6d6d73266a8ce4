"""What changed from one campaign to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparing import OPTIMUM, compared, comparisons, instance, run, solved
from wcnfgen.campaign.results import Result
from wcnfgen.errors import UsageError
from wcnfgen.report import diff
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.summary import Cell, Summary

pytestmark = pytest.mark.usefixtures("few_samples")


def side(name: str, runs: Sequence[Result]) -> Comparison:
    return compared(runs, folders=(Path(name),))


def rows(found: Summary, table: str) -> tuple[tuple[Cell, ...], ...]:
    there = found.table(table)
    return () if there is None else there.rows


BEFORE = side(
    "old",
    [
        solved("v", "s", 1, 8.0),  # solved in both, B takes a quarter of the time
        solved("w", "s", 2, 1.0),  # lost: the proof is late now
        run("x", "s", 9),  # newly solved at cost 4: 5/10 before, 1 now
        run("y", "s", 1),  # worse: 1 before, 2/4 now
        run("z", "s", 0),  # as it was
        run("u", "s", 3),  # better: 2/4 before, 1 now
    ],
)
AFTER = side(
    "new",
    [
        solved("v", "s", 1, 2.0),
        run("w", "s", 2),
        solved("x", "s", 4, 3.0),
        run("y", "s", 3),
        run("z", "s", 0),
        run("u", "s", 1),
    ],
)


def test_a_difference_by_hand() -> None:
    found = diff.of(BEFORE, AFTER)
    assert found.title == "A: old, B: new"
    (figures,) = rows(found, "changes")
    assert figures[:6] == ("s", 6, 2, 2, 1, 1)
    assert figures[6:8] == pytest.approx(((8 + 1 + 4 * 60) / 6, (2 + 60 + 3 + 3 * 60) / 6))
    assert figures[8] == pytest.approx(2 / 8)
    (scores,) = rows(found, "scores")
    assert scores[1:3] == pytest.approx(((1 + 1 + 5 / 10 + 1 + 1 + 2 / 4) / 6, (5 + 2 / 4) / 6))
    assert scores[3:6] == (2, 3, 1)
    assert scores[6] == pytest.approx((0.5 - 0.5 + 0.5) / 6)
    assert [row[1:3] for row in rows(found, "largest")] == [
        ("x", "newly solved"),
        ("w", "lost"),
        ("u", "better"),
        ("y", "worse"),
    ]
    assert rows(found, "largest")[0][3:] == ("cost 9, wall limit", "cost 4, solved in 3.0 s")


def test_the_other_way_round() -> None:
    found = diff.of(AFTER, BEFORE)
    (figures,) = rows(found, "changes")
    assert figures[4:6] == (1, 1) and figures[8] == pytest.approx(4)
    assert {row[1:3] for row in rows(found, "largest")} == {
        ("x", "lost"),
        ("w", "newly solved"),
        ("u", "worse"),
        ("y", "better"),
    }


def test_the_geometric_mean_leaves_out_what_takes_no_time() -> None:
    """Ratios 1/2 and 8: their geometric mean is 2; what both solve at once says nothing."""
    before = side("a", [solved("x", "s", 0, 4.0), solved("y", "s", 0, 1.0), solved("z", "s", 0, 0.01)])
    after = side("b", [solved("x", "s", 0, 2.0), solved("y", "s", 0, 8.0), solved("z", "s", 0, 0.09)])
    assert rows(diff.of(before, after), "changes")[0][8] == pytest.approx(2)
    nothing = diff.of(side("a", [run("x", "s", 1)]), side("b", [run("x", "s", 1)]))
    assert rows(nothing, "changes")[0][8] is None and not rows(nothing, "largest")


def test_a_proof_that_the_other_side_contradicts_is_lost() -> None:
    before = side("a", [solved("x", "s", 3, 1.0), solved("y", "s", 1, 1.0)])
    after = side("b", [run("x", "s", 2), solved("y", "s", 1, 1.0)])
    found = diff.of(before, after)
    assert [row[:3] for row in rows(found, "lies")] == [("x", "s (A)", "contradiction")]
    assert rows(found, "changes")[0][2:6] == (0, 1, 1, 0)


def test_two_solvers_of_one_campaign() -> None:
    both = side("c", [run("x", "old", 4), run("x", "new", 1), run("x", "third", 0)])
    (scores,) = rows(diff.of(both, both, "old", "new"), "scores")
    assert scores[:3] == ("old, new", 2 / 5, 1.0)


def test_only_solvers_of_both_are_compared_and_one_each_by_whatever_name() -> None:
    two, one = (
        side("a", [run("x", "s", 1), run("x", "t", 2)]),
        side("b", [run("x", "s", 3), run("x", "u", 0)]),
    )
    assert [row[0] for row in rows(diff.of(two, one), "changes")] == ["s"]
    names = diff.of(side("a", [run("x", "v1", 1)]), side("b", [run("x", "v2", 1)]))
    assert [row[0] for row in rows(names, "changes")] == ["v1, v2"]


def test_instances_are_the_same_by_their_formula() -> None:
    renamed = compared(
        [run("other", "s", 1)], [replace(instance("other"), formula_sha256=instance("x").formula_sha256)]
    )
    found = diff.of(side("a", [run("x", "s", 3)]), renamed)
    assert [row[1:3] for row in rows(found, "largest")] == [("x", "better")]
    assert dict(found.facts)["compared"] == "1 instances that all have run, of 1 in A and 1 in B"


@pytest.mark.parametrize(
    ("after", "solver", "text"),
    [
        ([run("y", "s", 1)], None, "nothing to compare"),
        ([run("x", "t", 1), run("x", "u", 1)], None, "name them, --solver A --against B"),
        ([run("x", "s", 1)], "q", "no solver 'q'; there are: s"),
    ],
)
def test_nothing_in_common(after: list[Result], solver: str | None, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        diff.of(side("a", [run("x", "s", 1)]), side("b", after), solver)


@given(comparisons())
def test_nothing_has_changed_from_a_campaign_to_itself(comparison: Comparison) -> None:
    try:
        found = diff.of(comparison, comparison)
    except UsageError:
        return
    assert not rows(found, "largest")
    for row in rows(found, "changes"):
        assert row[2] == row[3] and row[4:6] == (0, 0) and row[6] == row[7]
        assert row[8] is None or row[8] == pytest.approx(1)
    for row in rows(found, "scores"):
        assert row[1] == row[2] and row[3] == row[5] == row[6] == 0


@given(comparisons(), st.integers(0, 6))
def test_what_is_won_one_way_is_lost_the_other(comparison: Comparison, cost: int) -> None:
    """The other side is the same, but for the cost of every model."""
    changed = {
        at: [replace(each, cost=cost, claimed=cost, trace=((1.0, cost),), status=OPTIMUM) for each in runs]
        for at, runs in comparison.runs.items()
    }
    other = replace(comparison, runs=changed)
    try:
        there, back = diff.of(comparison, other), diff.of(other, comparison)
    except UsageError:
        return
    for one, two in zip(rows(there, "changes"), rows(back, "changes"), strict=True):
        assert (one[2], one[3], one[4], one[5]) == (two[3], two[2], two[5], two[4])
    for one, two in zip(rows(there, "scores"), rows(back, "scores"), strict=True):
        assert (one[3], one[4], one[5]) == (two[5], two[4], two[3])
    assert len(rows(there, "largest")) == len(rows(back, "largest"))
