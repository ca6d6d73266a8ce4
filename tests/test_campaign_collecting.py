"""From runs to results: what is judged and when, what becomes of damage, and the forms that results have."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wcnfgen
from tests.campaigns import RESULT, made
from tests.collecting import AT_THE_LIMIT, COSTLY, recorded, v, write_log
from tests.optional import needs
from wcnfgen import campaign, judged, reader, record
from wcnfgen.bundle import pool
from wcnfgen.campaign import collecting, exports, facts, planning, results, tables
from wcnfgen.campaign.collected import SHOWN, Collected, Tally, standing
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.campaign.results import Result
from wcnfgen.campaign.store import Run, Store
from wcnfgen.drivers import Limits
from wcnfgen.errors import FormatError, UsageError, WcnfgenError

GOOD = ((1.0, "o 8\n"), (2.0, "o 5\n"), (2.5, "s OPTIMUM FOUND\n" + v(5)))
LIE = ((1.0, "o 4\n"), (2.0, "s SATISFIABLE\n" + v(6)))
SETTINGS = """instances = ["*.wcnf"]
cores = 1
[limits]
wall = 10
memory = 4000
[[solver]]
solver = "rc2"
[[solver]]
solver = "lsu"
"""


class Runs:
    """A campaign with two solvers and three instances, whose runs are written by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Store(folder)

    @property
    def planned(self) -> list[PlannedRun]:
        return list(planning.runs(self.folder))

    def place(self, number: int) -> Run:
        return self.store.run(self.planned[number].key)

    def instance(self, number: int) -> Path:
        return self.folder / f"{self.planned[number].instance}.wcnf"

    def put(self, number: int, *printed: tuple[float, str], **how: Any) -> Run:
        """A run that is there."""
        place = self.place(number)
        place.path.mkdir(parents=True)
        write_log(place.log, printed)
        record.write(recorded(self.instance(number), printed, **how), place.record)
        return place

    def refuse(self, number: int, text: str) -> Run:
        place = self.place(number)
        place.path.mkdir(parents=True)
        place.refused.write_text(text)
        return place

    def collect(self, **options: Any) -> Collected:
        return collecting.collect(self.folder, **{"jobs": 1, **options})

    def results(self) -> list[Result]:
        return list(tables.read(self.folder / results.FILE, Result))


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    for number in range(3):
        (folder / f"i{number}.wcnf").write_text(f"c {number}\n{COSTLY}")
    (folder / "campaign.toml").write_text(SETTINGS)
    campaign.plan(str(folder))
    return folder


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
        file = runs.folder / "instances.csv"
        file.write_text(file.read_text().replace(",,\n", ",,3\n"))
        runs.put(0, *GOOD)
        found = runs.collect()
        assert found.exit_code == 1
        assert [kind for kind, _ in runs.results()[0].findings] == ["contradiction"]


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

        monkeypatch.setattr(pool, "each", each)
        found = runs.collect()
        assert (found.judged, found.exit_code, place.verdict.exists()) == (0, 1, False)
        assert "killed" in found.tally.faults.texts[0]

    def test_a_verdict_that_cannot_be_written(self, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise WcnfgenError("no space left")

        runs.put(0, *GOOD)
        monkeypatch.setattr(judged, "write", full)
        assert "no space left" in runs.collect().tally.faults.texts[0]


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


# ---------------------------------------------------------------------------- exports


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = made(tmp_path_factory.mktemp("many"), number=30)
    odd = replace(
        RESULT,
        seed=7,
        claimed=2**64,
        bound=None,
        cost=2**63 + 1,
        trace=((0.000001, 2**64), (3600.000001, 2**63 + 1)),
        findings=(("cores", 'a "quoted", text'), ("o-mismatch", "ü")),
        notes=("a, b", ""),
        late=True,
    )
    lines = [odd, *tables.read(folder / results.FILE, Result)]
    tables.write(lines, Result, folder / results.FILE)
    return folder / results.FILE


class TestExports:
    def test_json(self, many: Path, tmp_path: Path) -> None:
        exports.writer(tmp_path / "x.json")(many, tmp_path / "x.json")
        found = json.loads((tmp_path / "x.json").read_bytes())
        as_lists = [json.loads(json.dumps(asdict(each))) for each in tables.read(many, Result)]
        assert found == as_lists

    def test_parquet(self, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        needs(find_spec("pyarrow"), "pyarrow")
        from pyarrow import parquet

        monkeypatch.setattr(exports, "ROWS", 7)
        exports.writer(tmp_path / "x.parquet")(many, tmp_path / "x.parquet")
        table = parquet.read_table(tmp_path / "x.parquet")
        first, *rest = (_result(row) for row in table.to_pylist())
        odd, *others = tables.read(many, Result)
        assert rest == others
        assert first == replace(odd, claimed=None, trace=odd.trace[1:])  # 2^64 is beyond
        types = {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types, strict=True)}
        assert types["wall_s"] == "double"
        assert types["cost"] == "uint64"
        assert types["live"] == "bool"
        assert types["trace"].startswith("list<")

    def test_csv_is_the_file(self, many: Path, tmp_path: Path) -> None:
        exports.writer(tmp_path / "x.csv")(many, tmp_path / "x.csv")
        assert (tmp_path / "x.csv").read_bytes() == many.read_bytes()

    def test_of_nothing(self, tmp_path: Path) -> None:
        tables.write([], Result, tmp_path / "empty.csv")
        exports.to_json(tmp_path / "empty.csv", tmp_path / "x.json")
        assert json.loads((tmp_path / "x.json").read_bytes()) == []

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

    def test_without_pyarrow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(UsageError, match=r"wcnfgen\[parquet\]"):
            exports.writer(Path("x.parquet"))


def _result(row: dict[str, Any]) -> Result:
    row["trace"] = tuple((each["seconds"], each["cost"]) for each in row["trace"])
    row["findings"] = tuple((each["kind"], each["text"]) for each in row["findings"])
    return Result(**row)


# ---------------------------------------------------------------------------- facts

literals = st.integers(1, 9).flatmap(lambda x: st.sampled_from([x, -x]))
clauses = st.lists(literals, max_size=3)
weights = st.integers(1, 3) | st.integers(1, 2**63 - 1)
PACK: Mapping[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}
formulas = st.lists(st.tuples(st.just("h") | weights, clauses), min_size=1, max_size=12)


@given(formula=formulas, packed=st.sampled_from(["", ".gz", ".xz"]))
def test_facts_are_those_of_the_formula(
    tmp_path_factory: pytest.TempPathFactory, formula: list[tuple[Any, list[int]]], packed: str
) -> None:
    text = "".join(f"{weight} {' '.join(map(str, [*clause, 0]))}\n" for weight, clause in formula).encode()
    path = tmp_path_factory.mktemp("facts") / f"x.wcnf{packed}"
    path.write_bytes(PACK[packed](text))
    found, whole = facts.of(path), reader.read(path)
    soft = [weight for weight, _ in whole.softs]
    assert found == facts.Facts(
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        formula_sha256=hashlib.sha256(text).hexdigest(),
        format="wcnf",
        variables=whole.variables,
        hard=len(whole.hards),
        soft=len(soft),
        weight_sum=sum(soft),
        weighted=len(set(soft)) > 1,
    )


def test_facts_that_the_map_says(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,class\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    wcnfgen.encode(str(tmp_path / "x.csv"), ub=7).write(str(tmp_path / "size.out"))
    wcnfgen.encode(str(tmp_path / "x.csv"), encoding="exact", nodes=7).write(str(tmp_path / "exact.out"))
    size, exact = facts.of(tmp_path / "size.out"), facts.of(tmp_path / "exact.out")
    assert (size.encoding, size.data, size.known_cost) == ("size", "x", 2)
    assert size.least_cost is not None
    assert (exact.encoding, exact.format, exact.least_cost, exact.known_cost) == ("exact", "cnf", None, None)


def test_facts_of_a_file_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that differ from one piece to the next, and never within one."""
    monkeypatch.setattr(reader, "CHUNK", 12)
    (tmp_path / "x.wcnf").write_text("2 1 0\n" * 4 + "3 1 0\n" * 3)
    with reader.Reader(tmp_path / "x.wcnf") as pieces:
        assert [each.weights.tolist() for each in pieces.chunks()] == [[2, 2, 2, 2], [3, 3, 3]]
    found = facts.of(tmp_path / "x.wcnf")
    assert (found.soft, found.weight_sum, found.weighted) == (7, 17, True)


@pytest.mark.parametrize("text", ["nonsense\n", "h 1\n", "c map {\nh 1 0\n"])
def test_facts_of_what_is_no_instance(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.wcnf").write_text(text)
    with pytest.raises(FormatError, match=r"x\.wcnf"):
        facts.of(tmp_path / "x.wcnf")
