"""The two profiles: `pytest` is quick, `pytest --full` runs the counts that closing notes report."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("quick", max_examples=40, deadline=None, derandomize=True)
settings.register_profile("full", max_examples=500, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="the full counts: many random sets, no fixed seed")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if config.getoption("--full") else "quick")
    for number in (signal.SIGINT, signal.SIGHUP):  # ignored in the background of a script: tests send them
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # so is this, and programs inherit it


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than there are cores: many tests wait, for limits of time that they test."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the full profile runs."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; tests that need it skip where it is absent."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("no ../shared with data files beside this checkout")
    return folder


@pytest.fixture(scope="module")
def few_samples() -> Iterator[None]:
    """For tests of reports that do not ask how wide intervals are."""
    from wcnfgen.report import statistics

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "DRAWN", 1000)
        patch.setattr(statistics, "FEWEST", 50)
        yield
