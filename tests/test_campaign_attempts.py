"""Beginnings of runs: who writes what, and what counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.campaign.store import HopelessError, Store


@given(steps=st.lists(st.sampled_from(["begun", "taken_back", "failed", "over"]), max_size=12))
def test_attempts_are_beginnings_that_were_not_taken_back(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store, key = Store(tmp_path_factory.getbasetemp() / "attempts-law"), "ab" * 32
    store.over(key)
    number, why, is_open = 0, "", False
    for place, step in enumerate(steps):
        if step == "begun":
            store.begun(key)
            number, is_open = number + 1, True
        elif step == "taken_back":
            store.taken_back(key)
            number, is_open = max(0, number - 1), False
        elif step == "failed":
            why, is_open = f"reason {place}", False
            store.failed(key, f"reason\n{place}")
        else:
            store.over(key)
            number, why, is_open = 0, "", False
        found = store.beginnings(key)
        assert (found.number, found.why, bool(found.open)) == (number, why, is_open)
        assert store.tried(key) == found.number
    assert list(store.unfinished()) == ([key] if steps and steps[-1] != "over" else [])


def test_who_began(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.begun("k")
    assert store.beginnings("k").open.startswith(f"process {os.getpid()} on ")
    store.begun("k", "me.1.2")
    assert store.beginnings("k").open == "me.1.2"
    assert (store.over("k"), store.over("k")) == (True, False)


def test_many_write_at_a_time(tmp_path: Path, full: bool) -> None:
    """Each beginning is one line, whoever else writes."""
    number = 400 if full else 100
    code = f"""if True:
        import sys
        from pathlib import Path
        from wcnfgen.campaign.store import Store
        for _ in range({number}):
            Store(Path(sys.argv[1])).begun("k")
    """
    writers = [subprocess.Popen([sys.executable, "-c", code, tmp_path]) for _ in range(4)]
    assert [each.wait() for each in writers] == [0] * 4
    assert Store(tmp_path).tried("k") == 4 * number


def test_attempts_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "attempts").write_text("in the way")
    with pytest.raises(HopelessError, match="attempts/k: cannot write"):
        Store(tmp_path).begun("k")


def test_nobody_takes_back_what_another_began(tmp_path: Path) -> None:
    """One that was stopped just before it could write that it began."""
    store = Store(tmp_path)
    store.begun("k", "one")
    store.taken_back("k", "two")
    assert store.tried("k") == 1
