"""Which costs count and when: examples by hand, and laws that hold whatever a solver prints."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.campaigns import AT_THE_LIMIT, WALL_S, Desk, v
from wcnfgen.campaign.crediting import ONLY_MODEL, Credit, credit, time_limit_s
from wcnfgen.drivers import Limits
from wcnfgen.judged import parse

CUT = "v 1 2 -3"  # the beginning of a model


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("desk"))


def counts(desk: Desk, *printed: tuple[float, str], **how: Any) -> Credit:
    return credit(*desk.run(*printed, **how))


class TestByHand:
    def test_a_model_for_each_improvement(self, desk: Desk) -> None:
        found = counts(desk, (1, "o 8\n" + v(8)), (2, "o 6\n" + v(6)), (3, "s SATISFIABLE\n"))
        assert found == Credit(trace=((1, 8), (2, 6)))

    def test_claims_first_and_the_model_in_the_grace(self, desk: Desk) -> None:
        """Claims count from when they came; the model shows that they were not too low."""
        found = counts(desk, (1, "o 8\n"), (4, "o 5\n"), (10.5, "s SATISFIABLE\n" + v(5)), **AT_THE_LIMIT)
        assert found == Credit(trace=((1, 8), (4, 5)), late=True)

    def test_nothing_but_a_model_in_the_grace(self, desk: Desk) -> None:
        """It counts for the limit, and for nothing before."""
        found = counts(desk, (10.5, "s SATISFIABLE\n" + v(5)), **AT_THE_LIMIT)
        assert found == Credit(trace=((10, 5),), late=True)

    def test_a_claim_in_the_grace(self, desk: Desk) -> None:
        found = counts(desk, (1, "o 8\n"), (10.2, "o 6\n"), (10.3, "o 5\n"), (10.4, v(5)), **AT_THE_LIMIT)
        assert found == Credit(trace=((1, 8), (10, 5)), late=True)

    def test_a_claim_whose_model_was_cut_off(self, desk: Desk) -> None:
        """It does not count, and nobody is accused."""
        found = counts(
            desk, (1, "o 8\n" + v(8)), (2, "o 6\n" + v(6)), (3, "o 5\n"), (3.1, CUT), **AT_THE_LIMIT
        )
        assert found == Credit(trace=((1, 8), (2, 6)))

    def test_a_claim_that_was_not_kept_to(self, desk: Desk) -> None:
        found = counts(desk, (1, "o 8\n"), (2, "o 3\n"), (3, "o 5\n"), (4, v(5)))
        ((kind, text),) = found.findings
        assert kind == "contradiction"
        assert "o 3" in text
        assert "costs 5" in text
        assert (found.trace, found.notes) == (((4, 5),), (ONLY_MODEL,))

    def test_a_claim_that_was_not_kept_to_before_one_that_was_cut_off(self, desk: Desk) -> None:
        printed = ((1, "o 3\n"), (2, "o 6\n" + v(6)), (3, "o 4\n"), (3.1, CUT))
        found = counts(desk, *printed, **AT_THE_LIMIT)
        assert found.trace == ((2, 6),)
        assert "o 3" in found.findings[0][1]

    def test_what_the_verdict_says_already_is_not_said_again(self, desk: Desk) -> None:
        record, judged = desk.run((1, "o 3\n"), (2, "o 5\n"), (3, "s OPTIMUM FOUND\n" + v(5)))
        assert [kind for kind, _ in judged.findings] == ["contradiction"]
        found = credit(record, judged)
        assert (found.trace, found.findings) == (((3, 5),), ())

    @pytest.mark.parametrize("claimed", [4, 7])
    def test_claims_that_are_costs_of_something_else(self, desk: Desk, claimed: int) -> None:
        record, judged = desk.run((1, "o 8\n"), (2, f"o {claimed}\n"), (3, v(5)))
        assert [kind for kind, _ in judged.findings] == ["o-mismatch"]
        assert credit(record, judged) == Credit(trace=((3, 5),), notes=(ONLY_MODEL,))

    @pytest.mark.parametrize("printed", [(), ((1, "o 5\n"),), ((1, "o 5\n" + CUT),), ((1, "o 0\n" + v(0)),)])
    def test_without_a_model_that_holds_nothing_counts(self, desk: Desk, printed: Any) -> None:
        assert counts(desk, *printed) == Credit()

    def test_costs_that_rise_for_a_while(self, desk: Desk) -> None:
        found = counts(desk, (1, "o 6\n"), (2, "o 7\n"), (3, "o 5\n"), (4, v(5)))
        assert found.trace == ((1, 6), (3, 5))

    def test_stamps_that_run_backwards(self, desk: Desk) -> None:
        """A line counts no sooner than the one before it."""
        found = counts(desk, (5, "1.0/4.00\to 8\n"), (5, "1.0/2.00\to 6\n"), (5, "o 5\n"), (6, v(5)))
        assert found.trace == ((4, 6), (5, 5))

    def test_the_end_of_cpu_time_is_when_the_run_was_told(self, desk: Desk) -> None:
        printed = ((1, "o 8\n"), (7.5, "o 5\n"), (7.6, v(5)))
        cpu = counts(desk, *printed, limits=Limits(cpu_s=7), limit="cpu", signalled_s=7.3)
        assert cpu == Credit(trace=((1, 8), (7.3, 5)), late=True)
        both = counts(desk, *printed, limits=Limits(cpu_s=7, wall_s=7.2), limit="cpu", signalled_s=7.3)
        assert both == Credit(trace=((1, 8), (7.2, 5)), late=True)

    @pytest.mark.parametrize("limit", ["memory", "output"])
    def test_other_limits_are_not_the_end_of_time(self, desk: Desk, limit: str) -> None:
        found = counts(desk, (1, "o 8\n"), (7.5, "o 5\n"), (7.6, v(5)), limit=limit, signalled_s=7.3)
        assert found == Credit(trace=((1, 8), (7.5, 5)))

    def test_at_the_limit_is_not_after_it(self, desk: Desk) -> None:
        assert counts(desk, (10.0, v(5))) == Credit(trace=((10, 5),))

    def test_without_a_limit(self, desk: Desk) -> None:
        found = counts(desk, (99, "o 5\n"), (100, v(5)), limits=Limits(), wall_s=101.0)
        assert found == Credit(trace=((99, 5),))


# ---------------------------------------------------------------------------- laws

ends = st.sampled_from([WALL_S, 5.0, None])
texts = st.integers(1, 8).flatmap(
    lambda cost: st.sampled_from([f"o {cost}\n", v(cost), f"o {cost}\n{v(cost)}", "c nothing\n"])
)
outputs = st.lists(st.tuples(st.integers(1, 30).map(lambda x: x / 2), texts), max_size=8)
endings = st.sampled_from(["", CUT, "s SATISFIABLE\n", "s OPTIMUM FOUND\n"])


def best(trace: Any, at: float) -> int | None:
    """The cost that a run has at a time."""
    return min((cost for seconds, cost in trace if seconds <= at), default=None)


@given(printed=outputs.map(sorted), ending=endings, end=ends)
def test_laws(desk: Desk, printed: list[tuple[float, str]], ending: str, end: float | None) -> None:
    """What counts at each time is what the rule says, counted in another way, from what was printed."""
    lines = [*printed, (15.5, ending)]
    record, judged = desk.run(*lines, limits=Limits(wall_s=end), wall_s=16.0)
    found = credit(record, judged)
    if judged.cost is None:
        assert found == Credit()
        return
    end_s = math.inf if end is None else end
    assert time_limit_s(record) == end_s
    times, costs = zip(*found.trace, strict=True)
    assert list(times) == sorted(set(times))
    assert list(costs) == sorted(set(costs), reverse=True)
    assert costs[-1] == judged.cost
    assert times[-1] <= end_s
    model_s = record.model_s
    assert model_s is not None
    assert any(seconds <= model_s and text.endswith(v(judged.cost)) for seconds, text in printed)
    assert found.late == (model_s > end_s)
    claims = [(at, int(text[2])) for at, text in printed if text.startswith("o")]
    accused = {kind for kind, _ in (*judged.findings, *found.findings)}
    if not {"o-mismatch", "contradiction"} & accused:
        assert parse(desk.log).superseded or all(cost >= judged.cost for _, cost in claims)
    elif not found.notes:
        assert "o-mismatch" not in accused
    counted = [(model_s, judged.cost)]
    counted += [] if found.notes else [each for each in claims if each[1] >= judged.cost]
    for at in (0.0, 0.5, 3.0, 4.9, 5.0, 9.9, 10.0, 15.0, 20.0):
        assert best(found.trace, at) == best(counted, at if at < end_s else math.inf), at
