"""What of a campaign is damaged is named and left out when it is collected."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.planned import GOOD, Runs, two_solvers
from wcnfgen import judged
from wcnfgen.campaign.store import Run
from wcnfgen.errors import WcnfgenError
from wcnfgen.workers import functions


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_solvers(tmp_path_factory.mktemp("campaign"))


@pytest.fixture
def runs(planned: Path, tmp_path: Path) -> Runs:
    return Runs(Path(shutil.copytree(planned, tmp_path / "c")))


Damage = Callable[[Runs, Run], Any]
DAMAGES: Mapping[str, tuple[Damage, str]] = {
    "an empty record": (lambda runs, run: run.record.write_text(""), "not a record"),
    "half a record": (
        lambda runs, run: run.record.write_bytes(run.record.read_bytes()[:200]),
        "not a record",
    ),
    "no record": (lambda runs, run: run.record.unlink(), "no record.json"),
    "a record of another instance": (
        lambda runs, run: run.record.write_text(run.record.read_text().replace('sha256": "', 'sha256": "0')),
        "another instance",
    ),
    "no log": (lambda runs, run: run.log.unlink(), "output.gz"),
    "no instance": (lambda runs, run: runs.instance(0).unlink(), "i"),
    "another instance": (
        lambda runs, run: runs.instance(0).write_text("1 1 0\n"),
        "not the file that was planned",
    ),
    "no formula": (lambda runs, run: runs.instance(0).write_text("nonsense\n"), "nonsense"),
}


class TestDamage:
    @pytest.mark.parametrize("name", DAMAGES)
    def test_is_named_and_left_out(self, runs: Runs, name: str) -> None:
        damage, says = DAMAGES[name]
        place = runs.put(0, *GOOD)
        sound = next(number for number in range(1, 6) if runs.instance(number) != runs.instance(0))
        runs.put(sound, *GOOD)
        damage(runs, place)
        found = runs.collect()
        assert [each.key for each in runs.results()] == [runs.planned[sound].key]
        assert (found.exit_code, found.tally.faults.number, found.tally.waiting) == (1, 1, 4)
        (text,) = found.tally.faults.texts
        assert says in text
        assert str(place.path) in text
        assert text in list(found.lines())

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"reason"'])
    def test_of_a_refusal(self, runs: Runs, text: str) -> None:
        runs.refuse(0, text)
        found = runs.collect()
        assert (runs.results(), found.exit_code) == ([], 1)
        assert "refused.json" in found.tally.faults.texts[0]

    def test_a_log_that_lost_its_end_is_judged_as_far_as_it_goes(self, runs: Runs) -> None:
        place = runs.put(0, *GOOD)
        place.log.write_bytes(place.log.read_bytes()[:-8])
        assert runs.collect().exit_code == 0
        assert runs.results()[0].cost == 5

    def test_a_worker_that_is_killed(self, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
        place = runs.put(0, *GOOD)

        def each(jobs: Any, do: Any, workers: int, *, killed: Any) -> Any:
            return [(job, killed(job)) for job in jobs]

        monkeypatch.setattr(functions, "each", each)
        found = runs.collect()
        assert (found.judged, found.exit_code, place.verdict.exists()) == (0, 1, False)
        assert "killed" in found.tally.faults.texts[0]

    def test_a_verdict_that_cannot_be_written(self, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise WcnfgenError("no space left")

        runs.put(0, *GOOD)
        monkeypatch.setattr(judged, "write", full)
        assert "no space left" in runs.collect().tally.faults.texts[0]
