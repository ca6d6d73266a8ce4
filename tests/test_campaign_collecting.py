"""From runs to results: what is judged and when, and what is said."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wcnfgen
from tests.campaigns import AT_THE_LIMIT, RESULT, v
from tests.planned import GOOD, SETTINGS, Runs, two_solvers
from wcnfgen import campaign, judged
from wcnfgen.campaign import results
from wcnfgen.campaign.collected import SHOWN, Collected, Tally, standing
from wcnfgen.campaign.results import Result
from wcnfgen.drivers import Limits
from wcnfgen.errors import UsageError

LIE = ((1.0, "o 4\n"), (2.0, "s SATISFIABLE\n" + v(6)))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_solvers(tmp_path_factory.mktemp("campaign"))


@pytest.fixture
def runs(planned: Path, tmp_path: Path) -> Runs:
    return Runs(Path(shutil.copytree(planned, tmp_path / "c")))


class TestWhatIsThere:
    def test_becomes_a_line(self, runs: Runs) -> None:
        how = {**AT_THE_LIMIT, "threads": 3, "cpu_s": 10.5}
        runs.put(4, (1.0, "o 8\nc LB 2\n"), (10.5, "s SATISFIABLE\no 5\n" + v(5)), **how)
        found = runs.collect()
        assert (found.number, found.judged, found.tally.waiting, found.exit_code) == (1, 1, 5, 0)
        assert runs.results() == [
            Result(
                key=runs.planned[4].key,
                instance=runs.planned[4].instance,
                solver=runs.planned[4].solver,
                version="solver 1.0",
                seed=None,
                ended="wall limit",
                wall_s=11.0,
                cpu_s=10.5,
                peak_mib=12.5,
                threads=3,
                cores=1,
                wall_limit_s=10.0,
                cpu_limit_s=None,
                memory_limit_mib=4000.0,
                status="SATISFIABLE",
                claimed=5,
                bound=2,
                cost=5,
                model_s=10.5,
                late=True,
                trace=((1.0, 8), (10.0, 5)),
                live=True,
                size=None,
                depth=None,
                right=None,
                rows=None,
                findings=(),
                notes=("3 threads on 1 core",),
            )
        ]

    def test_in_the_order_of_the_plan(self, runs: Runs) -> None:
        for number in (3, 0, 5):
            runs.put(number, *GOOD)
        runs.collect()
        assert [each.key for each in runs.results()] == [runs.planned[number].key for number in (0, 3, 5)]

    def test_a_tree_is_described(self, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_text("a,b,class\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
        wcnfgen.encode(str(tmp_path / "x.csv"), ub=7).write(str(tmp_path / "x.wcnf"))
        (tmp_path / "campaign.toml").write_text(SETTINGS)
        campaign.plan(str(tmp_path))
        runs = Runs(tmp_path)
        log = tmp_path / "x.log"
        wcnfgen.solve(str(tmp_path / "x.wcnf"), solver="rc2", log=str(log), record=str(tmp_path / "x.json"))
        runs.put(0, (1.0, log.read_text()))
        runs.collect()
        (found,) = runs.results()
        assert (found.cost, found.size, found.depth, found.right, found.rows) == (2, 7, 2, 4, 4)

    def test_refused_runs_are_lines_too(self, runs: Runs) -> None:
        runs.refuse(1, json.dumps({"reason": "it holds no such weights"}))
        found = runs.collect()
        (line,) = runs.results()
        assert (line.ended, line.notes, line.cost, line.wall_limit_s) == (
            "refused",
            ("it holds no such weights",),
            None,
            10.0,
        )
        assert (found.number, found.tally.waiting, found.exit_code) == (1, 5, 0)

    def test_nothing(self, runs: Runs) -> None:
        found = runs.collect()
        assert (found.number, found.tally.waiting, runs.results()) == (0, 6, [])

    @pytest.mark.parametrize("jobs", [0, -1])
    def test_by_nobody(self, runs: Runs, jobs: int) -> None:
        with pytest.raises(UsageError, match="--jobs"):
            runs.collect(jobs=jobs)

    def test_without_a_plan(self, tmp_path: Path) -> None:
        (tmp_path / "campaign.toml").write_text(SETTINGS)
        with pytest.raises(UsageError, match="plan"):
            campaign.collect(str(tmp_path))

    def test_a_trace_that_is_not_live_is_marked(self, runs: Runs) -> None:
        runs.put(0, (9.0, "o 8\n"), (9.0, "o 5\n" + v(5)))
        runs.collect()
        (line,) = runs.results()
        assert (line.live, line.trace) == (False, ((9.0, 5),))

    def test_a_model_that_is_none(self, runs: Runs) -> None:
        runs.put(0, (1.0, "o 0\n" + v(0)))
        assert runs.collect().exit_code == 1
        (line,) = runs.results()
        assert (line.claimed, line.cost, line.model_s, line.trace) == (0, None, None, ())
        assert [kind for kind, _ in line.findings] == ["hard-falsified"]

    def test_a_claim_that_was_not_kept_to(self, runs: Runs) -> None:
        runs.put(0, (1.0, "o 3\n"), (2.0, "o 5\n"), (3.0, v(5)))
        assert runs.collect().exit_code == 1
        (line,) = runs.results()
        assert (line.trace, [kind for kind, _ in line.findings]) == (((3.0, 5),), ["contradiction"])

    def test_a_long_trace(self, runs: Runs) -> None:
        claims = [(place / 1e4, f"o {90_000 - place}\n") for place in range(20_000)]
        runs.put(0, *claims, (8.0, "o 5\n" + v(5)))
        runs.collect()
        (line,) = runs.results()
        assert len(line.trace) == 20_001
        assert line.trace[1] == (0.0001, 89_999)

    @pytest.mark.parametrize(("cpu_s", "says"), [(9.9, []), (10.1, ["cores"])])
    def test_more_cpu_time_than_its_cores_have(self, runs: Runs, cpu_s: float, says: list[str]) -> None:
        """Nine seconds, a twentieth and half a second more."""
        runs.put(0, *GOOD, cpu_s=cpu_s)
        runs.collect()
        assert [kind for kind, _ in runs.results()[0].findings] == says

    def test_cores_are_those_that_it_was_pinned_to(self, runs: Runs) -> None:
        limits = Limits(wall_s=10, cores=frozenset({0, 3}))
        runs.put(0, *GOOD, limits=limits, cpu_s=17.0, threads=2)
        runs.collect()
        assert (runs.results()[0].cores, runs.results()[0].findings, runs.results()[0].notes) == (2, (), ())


class TestVerdictsAreKept:
    def test_and_not_made_again(self, runs: Runs) -> None:
        places = [runs.put(number, *GOOD) for number in range(3)]
        assert runs.collect().judged == 3
        before = [each.verdict.stat().st_mtime_ns for each in places], runs.results()
        found = runs.collect()
        assert found.judged == 0
        assert ([each.verdict.stat().st_mtime_ns for each in places], runs.results()) == before

    def test_again_is_anew(self, runs: Runs) -> None:
        place = runs.put(0, *GOOD)
        runs.collect()
        text = place.verdict.read_text()
        place.verdict.write_text(text.replace('"cost": 5', '"cost": 6'))
        assert runs.collect(again=True).judged == 1
        assert place.verdict.read_text() == text

    def test_also_without_the_instance(self, runs: Runs) -> None:
        runs.put(0, *GOOD)
        runs.collect()
        runs.instance(0).unlink()
        found = runs.collect()
        assert (found.number, found.exit_code) == (1, 0)

    def test_but_not_those_of_another_version(self, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
        runs.put(0, *GOOD)
        runs.collect()
        monkeypatch.setattr(judged, "__version__", "next")
        assert runs.collect().judged == 1
        assert runs.collect().judged == 0

    @pytest.mark.parametrize("text", ["", "{}", '{"wcnfgen": 1'])
    def test_nor_damaged_ones(self, runs: Runs, text: str) -> None:
        place = runs.put(0, *GOOD)
        runs.collect()
        before = runs.results()
        place.verdict.write_text(text)
        assert runs.collect().judged == 1
        assert runs.results() == before

    def test_nor_one_that_is_damaged_behind_its_first_lines(self, runs: Runs) -> None:
        place = runs.put(0, *GOOD)
        runs.collect()
        text = place.verdict.read_text()
        place.verdict.write_text(text[: len(text) // 2])
        found = runs.collect()
        assert (found.judged, found.number, found.exit_code) == (0, 0, 1)
        assert "verdict.json is damaged" in found.tally.faults.texts[0]
        assert runs.collect(again=True).exit_code == 0 and place.verdict.read_text() == text

    def test_by_what_they_begin_with(self, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
        place = runs.put(0, *GOOD)
        sha256 = judged.digest(runs.instance(0))
        assert not judged.is_of(place.verdict, sha256)
        runs.collect()
        assert judged.is_of(place.verdict, sha256) and not judged.is_of(place.verdict, sha256[:-1])
        monkeypatch.setattr(judged, "__version__", "next")
        assert not judged.is_of(place.verdict, sha256)

    def test_by_several_processes(self, runs: Runs) -> None:
        for number in range(4):
            runs.put(number, *GOOD)
        found = runs.collect(jobs=2)
        assert (found.judged, found.number) == (4, 4)
        before = runs.results()
        runs.collect(again=True)
        assert runs.results() == before

    def test_a_better_model_that_is_known_counts(self, runs: Runs) -> None:
        """As that of the family does: an optimum above it is none."""
        runs.put(0, *GOOD)
        assert runs.collect().exit_code == 0
        file = runs.folder / "instances.csv"
        file.write_text(file.read_text().replace(",,\n", ",,3\n"))
        found = runs.collect()
        assert (found.exit_code, found.judged) == (1, 0), "also if it is found after the run was judged"
        assert [kind for kind, _ in runs.results()[0].findings] == ["contradiction"]


class TestWhatIsSaid:
    def test_counts_and_what_is_not_so(self, runs: Runs) -> None:
        runs.put(0, *GOOD)
        runs.put(1, *LIE)
        runs.put(2)
        found = runs.collect()
        assert found.exit_code == 1
        assert sum(found.tally.standings.values(), start=Counter()) == {"proved": 1, "wrong": 1, "nothing": 1}
        text = "\n".join(found.lines())
        assert f"{runs.planned[1].instance}: {runs.planned[1].solver}: the solver says o 4" in text
        assert "3 runs, 3 of them judged now" in text
        assert "3 runs of the plan to come" in text

    def test_the_first_findings_and_a_number(self) -> None:
        tally = Tally()
        for number in range(SHOWN + 5):
            tally.add(replace(RESULT, instance=f"x{number}", findings=(("o-mismatch", "no"),)))
        lines = list(Collected(files=(Path("results.csv"),), tally=tally, judged=0).lines())
        assert sum("(o-mismatch)" in line for line in lines) == SHOWN
        assert "and 5 more, see results.csv" in lines

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({}, "proved"),
            ({"status": "UNSATISFIABLE", "cost": None}, "proved"),
            ({"status": "SATISFIABLE"}, "model"),
            ({"status": "SATISFIABLE", "cost": None}, "nothing"),
            ({"status": "OPTIMUM FOUND", "cost": None}, "nothing"),
            ({"status": "SATISFIABLE", "cost": 0}, "proved"),
            ({"findings": (("o-mismatch", ""),)}, "wrong"),
            ({"findings": (("cores", ""), ("our-error", ""))}, "proved"),
            ({"ended": "refused", "status": "", "cost": None}, "refused"),
        ],
    )
    def test_standings(self, change: dict[str, Any], says: str) -> None:
        assert standing(replace(RESULT, **change)) == says


class TestExports:
    def test_with_collect(self, runs: Runs, tmp_path: Path) -> None:
        runs.put(0, *GOOD)
        target = tmp_path / "out.json"
        found = campaign.collect(str(runs.folder), jobs=1, output=[str(target)])
        assert found.files == (runs.folder / results.FILE, target)
        assert len(json.loads(target.read_bytes())) == 1

    def test_another_ending_is_refused_before_anything_is_done(self, runs: Runs) -> None:
        place = runs.put(0, *GOOD)
        with pytest.raises(UsageError, match=r"x\.xls.*\.parquet"):
            runs.collect(exports=["x.xls"])
        assert not place.verdict.exists()
