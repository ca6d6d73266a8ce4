"""How runs are cut into tasks and arrays, and what a user may say of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.campaign.engines._sbatch import MANY, TASK_S, WIDE, Shape, shaped
from wcnfgen.campaign.engines._submission import Options
from wcnfgen.drivers import Limits
from wcnfgen.errors import UsageError

COUNTS = st.integers(1, 200_000)


@given(COUNTS, st.integers(1, 50), st.integers(1, 1000))
def test_arrays_hold_each_task_once_and_tasks_each_run(runs: int, chunk: int, largest: int) -> None:
    shape = Shape(runs, chunk, largest)
    tasks = [start + index for start, number in shape.arrays for index in range(1, number + 1)]
    assert tasks == list(range(1, shape.tasks + 1))
    assert all(1 <= number <= largest for _, number in shape.arrays)
    assert (shape.tasks - 1) * chunk < runs <= shape.tasks * chunk


@given(COUNTS, st.floats(0.1, 10_000), st.floats(0, 60))
def test_tasks_last_minutes_unless_there_are_few_runs_or_very_many(
    runs: int, wall: float, grace: float
) -> None:
    shape = shaped(runs, Limits(wall_s=wall, grace_s=grace), Options(), 1000)
    longest = shape.chunk * (wall + grace)
    assert shape.chunk == 1 or longest <= TASK_S or shape.tasks <= MANY
    assert shape.tasks <= MANY
    assert shape.tasks >= min(runs, WIDE) / 2 or longest * 2 > TASK_S


@pytest.mark.parametrize(
    "options",
    [
        {"chunk": 0},
        {"at_most": 0},
        {"partition": "a b"},
        {"account": "x\n#SBATCH --uid=0"},
        {"extra": ("--qos=long\nrm -r x",)},
        {"extra": ("long",)},
    ],
)
def test_options_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Options(**options)
