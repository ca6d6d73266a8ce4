"""Which cores runs get, and what their progress looks like."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.optional import needs
from wcnfgen.campaign import progress
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.campaign.progress import Board, Lines, Tally
from wcnfgen.errors import SolverError, UsageError, WcnfgenError
from wcnfgen.workers import cores as choice
from wcnfgen.workers.failure import DISK_FULL, Failure


def machine(folder: Path, threads: int, physical: int) -> frozenset[int]:
    """A machine as the kernel numbers them: first one thread of each physical core, then the others."""
    for core in range(threads * physical):
        place = folder / f"cpu{core}/topology"
        place.mkdir(parents=True)
        siblings = range(core % physical, threads * physical, physical)
        (place / "thread_siblings_list").write_text(",".join(map(str, siblings)) + "\n")
    return frozenset(range(threads * physical))


@given(st.frozensets(st.integers(0, 99), min_size=1, max_size=12), st.integers(1, 5), st.data())
def test_slots_share_no_core(usable: frozenset[int], cores: int, data: st.DataObject) -> None:
    most = len(usable) // cores
    if most == 0:
        with pytest.raises(UsageError, match="each run is to have"):
            choice.slots(None, cores, among=usable)
        return
    jobs = data.draw(st.none() | st.integers(1, most))
    found = choice.slots(jobs, cores, among=usable)
    used = [core for slot in found.each for core in slot]
    assert len(used) == len(set(used)) and {*used, *found.spare} == usable
    assert all(len(slot) == cores for slot in found.each) and not found.spare & set(used)
    assert jobs is None or len(found.each) == jobs
    if jobs is None:
        assert len(found.spare) >= (len(usable) > 2 and most > 1)
        assert len(found.each) >= max(1, most - 1)
    for wrong in (0, most + 1):
        with pytest.raises(UsageError, match=f"--jobs {wrong}: .* give 1 to {most}"):
            choice.slots(wrong, cores, among=usable)


@pytest.mark.parametrize("threads", [1, 2])
def test_whole_physical_cores_first(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usable = machine(tmp_path, threads, 4)
    monkeypatch.setattr(choice, "TOPOLOGY", tmp_path)
    one = choice.slots(4, among=usable)
    assert {core % 4 for slot in one.each for core in slot} == {0, 1, 2, 3}
    two = choice.slots(None, 2, among=usable)
    if threads == 2:
        assert all(len({core % 4 for core in slot}) == 1 for slot in two.each), "they belong together"
    assert choice.slots(4 * threads, among=usable).spare == frozenset()


def test_cores_as_text() -> None:
    assert choice.parse(choice.said({3, 1, 7})) == {1, 3, 7}
    for wrong in ("", "a", "1-", "3-2", "1,,2"):
        with pytest.raises(UsageError):
            choice.parse(wrong)


def test_a_full_disk_is_known_whatever_it_is_wrapped_in() -> None:
    def failed(number: int) -> Failure:
        try:
            try:
                raise OSError(number, "so it is")
            except OSError as error:
                raise SolverError("cannot write") from error
        except WcnfgenError as error:
            return Failure.of(error)

    assert failed(28) == Failure(DISK_FULL, "cannot write") == failed(122)
    assert failed(13) == Failure("SolverError", "cannot write")
    assert Failure.of(MemoryError()).message == "not enough memory"


# ---------------------------------------------------------------------------- progress


def run(number: int, solver: str = "a") -> PlannedRun:
    return PlannedRun(key=f"{number:064x}", instance=f"i{number}", solver=solver, seed=None)


class Clock:
    """Time that goes by as told."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress, "time", found)
    return found


def made(tally: Tally, clock: Clock, seconds: Mapping[int, tuple[str, float]]) -> None:
    """Runs, one after the other."""
    for number, (solver, took) in seconds.items():
        tally.begin(run(number, solver), "core 0")
        clock.now += took
        tally.end(run(number, solver), "exit 0")


def test_what_is_left_is_estimated_for_each_solver(clock: Clock) -> None:
    tally = Tally(20, ("a", "b"), 65.0)
    assert tally.left_s() == 20 * 65
    made(tally, clock, {1: ("a", 10.0)})
    assert tally.left_s() == 19 * 10, "nothing is known of b yet but what a takes"
    made(tally, clock, {2: ("b", 60.0), 3: ("b", 50.0)})
    assert tally.left_s() == 9 * 10 + 8 * 55
    tally.begin(run(4), "core 0")
    tally.begin(run(5), "core 1")
    clock.now += 3
    assert tally.left_s() == (9 * 10 + 8 * 55 - 6) / 2, "two at a time"
    assert Tally(20, ("a",), None).left_s() is None


def test_a_line_every_half_minute(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    lines = Lines(Tally(10, ("a",), 60.0))
    with caplog.at_level(logging.INFO, "wcnfgen"):
        lines.there(run(0))
        for number in range(1, 8):
            lines.begun(run(number), "core 0")
            clock.now += 10
            lines.over(run(number), Failure("killed", "x") if number == 2 else "exit 0")
    assert [each.message for each in caplog.records] == [
        "3 of 10 runs, 1 attempts failed, about 2 min left",
        "6 of 10 runs, 1 attempts failed, about 40 s left",
    ]


def test_the_picture(clock: Clock) -> None:
    needs(find_spec("rich"), "rich")
    from rich.console import Console
    from rich.live import Live

    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=100)
    with Live(console=console, auto_refresh=False) as live:
        board = Board(Tally(10, ("a",), 65.0), live)
        board.begun(run(1), "core 0")
        clock.now += 12
        board.begun(run(2), "core 1")
        board.tick()
    shown = text.getvalue()
    assert "core 0" in shown and "i1" in shown and "12 of 65 s" in shown and "0 of 10 runs" in shown
