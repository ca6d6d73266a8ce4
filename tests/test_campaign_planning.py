"""Plans: keys are what changes a run and nothing else; names, order and what is there before."""

from __future__ import annotations

import json
import logging
import lzma
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import bundles
from wcnfgen import campaign, launch, solvers
from wcnfgen.bundle import manifest, selection
from wcnfgen.campaign import facts, finding, instances, keys, planning, settings, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.planned import Planned
from wcnfgen.campaign.planning import PlannedRun
from wcnfgen.campaign.settings import FILE, Entrant, Settings
from wcnfgen.campaign.store import PLAN, PLANNED, Store
from wcnfgen.drivers import Limits
from wcnfgen.errors import FormatError, SolverError, UsageError
from wcnfgen.solvers import Solver

BASE = Settings(
    name="test",
    instances=("*.wcnf",),
    solvers=(Entrant(name="rc2", solver="rc2"), Entrant(name="lsu", solver="lsu")),
    limits=Limits(wall_s=60, output_mib=100),
)
MINE = Entrant(name="mine", solver="./bin/mine", files=("bin/core",), options=("--seed={seed}",))


def text(number: int) -> str:
    return f"h 1 2 0\n{number} -1 0\n1 -2 0\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three instances, and a program."""
    for number in (1, 2, 3):
        (tmp_path / f"x{number}.wcnf").write_text(text(number))
    (tmp_path / "bin").mkdir()
    for name in ("mine", "core"):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho {name} 1.0\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No trials: programs are taken to read the old format only; which would have been tried."""
    found: list[str] = []

    def known(name: str, binary: str | None = None) -> Solver:
        found.append(name)
        return replace(solvers.get(name), formats=("wcnf-old",), values="bits")

    monkeypatch.setattr(launch, "known", known)
    return found


def plan(folder: Path, made: Settings = BASE, **changes: Any) -> Planned:
    settings.write(replace(made, **changes), folder / FILE)
    return campaign.plan(os.fspath(folder))


def lines(folder: Path) -> list[PlannedRun]:
    return list(planning.runs(folder))


def by_name(folder: Path) -> dict[tuple[str, str, int | None], str]:
    return {(run.instance, run.solver, run.seed): run.key for run in lines(folder)}


def make(folder: Path) -> int:
    """What is planned is there, as far as planning looks."""
    common, store = planning.read(folder), Store(folder)
    for run in planning.runs(folder):
        if not store.has(run.key):
            store.run(run.key).path.mkdir(parents=True)
            store.run(run.key).key.write_text(common.text(run))
    return common.number


# ---------------------------------------------------------------------------- keys


def ready(entrant: Entrant, descriptor: Solver, folder: Path) -> keys.Identity:
    files = [folder / name for name in entrant.files]
    return keys.identity(entrant, descriptor, "1.0", folder / "program", files)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program").write_text("p")
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    return tmp_path


def test_identity_is_what_changes_a_run(program: Path) -> None:
    one, solver = Entrant(name="n", solver="./program"), solvers.get("./program")
    base = ready(one, solver, program)
    assert base == ready(replace(one, name="other", solver="x/../program"), solver, program)
    assert base == ready(one, replace(solver, title="T", quirks="q", tried="t", values="bits"), program)
    others = [
        ready(replace(one, options=("-x",)), solver, program),
        ready(replace(one, options=("-y",)), solver, program),
        ready(replace(one, options=("-x", "-y")), solver, program),
        ready(replace(one, options=("-y", "-x")), solver, program),
        ready(replace(one, files=("a",)), solver, program),
        ready(replace(one, files=("b",)), solver, program),
        ready(replace(one, line_buffer="pty"), solver, program),
        ready(one, replace(solver, argv=("{binary}", "-q", "{instance}")), program),
        ready(one, replace(solver, argv=("{python}", "-m", "wcnfgen.shims.x")), program),
        ready(one, replace(solver, formats=("wcnf-old",)), program),
        ready(one, replace(solver, misreads=("wcnf",)), program),
        ready(one, replace(solver, compressed=(".gz",)), program),
        ready(one, replace(solver, fails_on=("no hard",)), program),
        ready(one, replace(solver, max_weight=7), program),
        keys.identity(one, solver, "1.1", program / "program", []),
        keys.identity(one, solver, "1.0", program / "a", []),
    ]
    texts = {keys.canonical(each) for each in [base, *others]}
    assert len(texts) == 1 + len(others)
    assert ready(replace(one, files=("a", "b")), solver, program) == ready(
        replace(one, files=("b", "a")), solver, program
    )
    assert ready(replace(one, line_buffer="stdbuf"), solver, program) == ready(
        one, replace(solver, line_buffer="stdbuf"), program
    )


def test_identity_of_our_own_has_our_version(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(name: str) -> keys.Identity:
        return ready(Entrant(name="n", solver=name), solvers.get(name), program)

    before = [of(name) for name in ("lms", "toulbar2", "rc2")]
    monkeypatch.setattr(keys, "__version__", "99")
    assert [of(name) == old for name, old in zip(("lms", "toulbar2", "rc2"), before, strict=True)] == [
        False,
        False,
        True,
    ]


def test_a_missing_file_of_a_solver(program: Path) -> None:
    with pytest.raises(SolverError, match="missing: a file of a solver is not there"):
        ready(Entrant(name="n", solver="./p", files=("missing",)), solvers.get("./p"), program)


LIMITS = Limits(wall_s=60, cpu_s=50, memory_mib=1000, memory_hard_mib=2000, output_mib=10, grace_s=1)


def test_each_limit_is_in_the_key() -> None:
    changed = [
        replace(LIMITS, wall_s=61),
        replace(LIMITS, cpu_s=None),
        replace(LIMITS, memory_mib=1001),
        replace(LIMITS, memory_hard_mib=2001),
        replace(LIMITS, output_mib=11),
        replace(LIMITS, grace_s=2),
    ]
    shared = [keys.common(each, 1, "local") for each in [LIMITS, *changed]]
    shared += [keys.common(LIMITS, 2, "local"), keys.common(LIMITS, 1, "cgroup")]
    texts = [keys.text(each, {}, "ab", None) for each in shared]
    texts += [keys.text(shared[0], {}, "cd", None), keys.text(shared[0], {}, "ab", 0)]
    texts += [keys.text(shared[0], {}, "ab", 1), keys.text(shared[0], {"version": "2"}, "ab", None)]
    assert len({keys.of(each) for each in texts}) == len(texts)


def test_equal_settings_are_equal_however_they_are_written() -> None:
    assert keys.common(Limits(wall_s=60), 1, "local") == keys.common(Limits(wall_s=60.0), 1, "local")
    assert keys.canonical(keys.common(Limits(wall_s=60), 1, "local")) == keys.canonical(
        keys.common(Limits(wall_s=60.0), 1, "local")
    )
    said = Limits(memory_mib=1000, memory_hard_mib=Limits(memory_mib=1000).hard_mib)
    assert keys.common(said, 1, "local") == keys.common(Limits(memory_mib=1000), 1, "local")
    pinned = Limits(wall_s=60, cores=frozenset({3}))
    assert keys.common(pinned, 1, "local") == keys.common(Limits(wall_s=60), 1, "local")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(value=JSON, seed=st.randoms(use_true_random=False))
def test_canonical_does_not_depend_on_the_order_of_keys(value: Any, seed: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(each) for each in value]
        if not isinstance(value, dict):
            return value
        items = [(key, shuffled(each)) for key, each in value.items()]
        seed.shuffle(items)
        return dict(items)

    assert keys.canonical(value) == keys.canonical(shuffled(value))
    assert json.loads(keys.canonical(value)) == value
    assert keys.canonical(value).isascii()


# ---------------------------------------------------------------------------- plans


def test_a_plan_has_each_run_once(place: Path, tried: list[str]) -> None:
    made = plan(place, solvers=(*BASE.solvers, MINE), seeds=(5, 6))
    expected = {(f"x{i}", s, seed) for i in (1, 2, 3) for s in ("rc2", "lsu", "mine") for seed in (5, 6)}
    assert set(by_name(place)) == expected
    assert len(set(by_name(place).values())) == len(lines(place)) == made.total == 18
    assert (made.instances, made.solvers, made.seeds, made.there) == (3, ("rc2", "lsu", "mine"), 2, 0)
    assert next(made.lines()) == "18 runs: 3 instances x 3 solvers x 2 seeds"
    assert made.exit_code == 0


def test_texts_hash_to_keys(place: Path, tried: list[str]) -> None:
    plan(place, solvers=(*BASE.solvers, MINE), seeds=(5,))
    common = planning.read(place)
    for run in lines(place):
        text = common.text(run)
        assert keys.of(text) == run.key
        assert json.loads(text)["seed"] == 5
        assert json.loads(text)["instance"] == common.instances[run.instance].sha256
        assert os.fspath(place) not in text


def test_what_is_read_is_what_was_planned(place: Path, tried: list[str]) -> None:
    plan(place, solvers=(MINE,), seeds=(5,), cores=2, driver="cgroup")
    common = planning.read(place)
    assert common.settings == settings.read(place / FILE)
    mine = common.solvers["mine"]
    assert (mine.entrant, mine.version, mine.binary) == (MINE, "", None)
    assert mine.called == mine.descriptor.binary == os.fspath(place / "bin" / "mine")
    assert mine.descriptor.formats == ("wcnf-old",)
    assert mine.files == (place / "bin" / "core",)
    assert common.file("x1") == place / "x1.wcnf"
    assert common.limits(frozenset({1})) == Limits(wall_s=60, output_mib=100, cores=frozenset({1}))


def test_equal_plans_are_equal_bytes(place: Path) -> None:
    """Whatever the hashes of texts, the language and the folder one stands in."""
    plan(place)
    code = "import sys, wcnfgen.campaign as c; c.plan(sys.argv[1])"
    before = {path.name: path.read_bytes() for path in place.iterdir() if path.suffix in (".csv", ".json")}
    assert set(before) == {PLAN, PLANNED, instances.FILE, finding.FACTS}
    env = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONUTF8": "0"}
    env["PYTHONPATH"] = os.fspath(Path(__file__).parents[1])
    subprocess.run([sys.executable, "-c", code, place.name], cwd=place.parent, env=env, check=True)
    for name, old in before.items():
        assert (place / name).read_bytes() == old, name


def test_names_places_order_and_attempts_do_not_change_keys(
    place: Path, tmp_path: Path, tried: list[str]
) -> None:
    plan(place, solvers=(MINE,), seeds=(1,))
    before = {run.key for run in lines(place)}
    plan(place, solvers=(replace(MINE, name="other"),), seeds=(1,), name="n", order=3, attempts=9)
    assert {run.key for run in lines(place)} == before
    (place / "bin").rename(place / "elsewhere")
    for number in (1, 2, 3):
        (place / f"x{number}.wcnf").rename(place / f"y{number}.wcnf")
    plan(place, solvers=(replace(MINE, solver="./elsewhere/mine", files=("elsewhere/core",)),), seeds=(1,))
    assert {run.key for run in lines(place)} == before


@pytest.mark.parametrize(
    "changes",
    [
        {"limits": Limits(wall_s=61, output_mib=100)},
        {"seeds": (2,)},
        {"cores": 2},
        {"driver": "cgroup"},
        {"solvers": (replace(MINE, options=("-s{seed}",)),)},
        {"solvers": (replace(MINE, files=()),)},
        {"solvers": (replace(MINE, line_buffer="pty"),)},
    ],
)
def test_settings_that_matter_change_keys(place: Path, tried: list[str], changes: Mapping[str, Any]) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    plan(place, made)
    before = {run.key for run in lines(place)}
    plan(place, made, **changes)
    assert not before & {run.key for run in lines(place)}


@pytest.mark.parametrize("name", ["bin/mine", "bin/core", "x1.wcnf"])
def test_bytes_change_keys(place: Path, tried: list[str], name: str) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    plan(place, made)
    before = by_name(place)
    with (place / name).open("a") as out:
        out.write("c x\n" if name.startswith("x") else "# x\n")
    plan(place, made)
    same = {run for run, key in by_name(place).items() if before[run] == key}
    assert same == ({run for run in before if run[0] != "x1"} if name == "x1.wcnf" else set())


def test_order(place: Path) -> None:
    for number in range(4, 30):
        (place / f"x{number}.wcnf").write_text(text(number))
    plan(place)
    first = lines(place)
    plan(place, order=1)
    second = lines(place)
    assert set(first) == set(second) and first != second
    assert [run.instance for run in first] != sorted(run.instance for run in first)
    plan(place, limits=Limits(wall_s=1))
    assert [(run.instance, run.solver) for run in lines(place)] == [(r.instance, r.solver) for r in first]
    (place / "x9.wcnf").unlink()
    plan(place)
    assert lines(place) == [run for run in first if run.instance != "x9"]


def test_shards_are_a_partition(place: Path) -> None:
    plan(place)
    for number in (1, 2, 3, 4, 7):
        shards = [list(planning.runs(place, (i, number))) for i in range(1, number + 1)]
        parts = [run.key for shard in shards for run in shard]
        assert sorted(parts) == sorted(run.key for run in lines(place))
        assert max(map(len, shards)) - min(map(len, shards)) <= 1
    for wrong in ((0, 2), (3, 2), (1, 0)):
        with pytest.raises(UsageError, match="shard"):
            next(planning.runs(place, wrong))


# ---------------------------------------------------------------------------- solvers


def test_programs_are_tried_once(place: Path, tried: list[str]) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    for _ in range(2):
        plan(place, made)
        assert planning.read(place).solvers["mine"].descriptor.formats == ("wcnf-old",)
    assert tried == [os.fspath(place / "bin" / "mine")]
    (place / "bin" / "core").write_text("new")
    plan(place, made)
    assert len(tried) == 2


@pytest.mark.parametrize("name", ["mine", "core"])
def test_a_program_that_is_built_anew_is_noticed(place: Path, tried: list[str], name: str) -> None:
    plan(place, solvers=(MINE,), seeds=(1,))
    planning.must_be_unchanged(planning.read(place))
    (place / "bin" / name).write_text("#!/bin/sh\n")
    with pytest.raises(UsageError, match="mine is not the program that was planned with"):
        planning.must_be_unchanged(planning.read(place))
    (place / "bin" / name).unlink()
    with pytest.raises(SolverError):
        planning.must_be_unchanged(planning.read(place))


def test_another_version_of_a_module_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(place)
    planning.must_be_unchanged(planning.read(place))
    monkeypatch.setattr(Solver, "version", lambda solver, binary: "python-sat 99")
    with pytest.raises(UsageError, match="rc2, lsu is not the program that was planned with"):
        planning.must_be_unchanged(planning.read(place))


@pytest.mark.parametrize(
    ("entrants", "error", "says"),
    [
        ([Entrant(name="a", solver="./bin/none")], SolverError, "not installed"),
        ([Entrant(name="a", solver="loandra", binary="./bin/none")], SolverError, "not installed"),
        ([Entrant(name="a", solver="nonsense")], UsageError, "no solver 'nonsense'"),
        ([Entrant(name="a", solver="rc2", binary="./bin/mine")], UsageError, "takes no binary"),
        (
            [Entrant(name="a", solver="rc2"), Entrant(name="b", solver="rc2")],
            UsageError,
            "a and b are the same",
        ),
        ([Entrant(name="a", solver="./bin/mine", files=("bin/x",))], SolverError, "bin/x"),
        ([Entrant(name="a", solver="rc2", options=("{seed}",))], UsageError, "needs a seed"),
    ],
)
def test_solvers_that_cannot_be(
    place: Path, tried: list[str], entrants: list[Entrant], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        plan(place, solvers=tuple(entrants))
    assert not list(place.glob("*.csv")) + list(place.glob("*.json"))


def test_equal_programs_are_different_solvers_with_other_options(place: Path, tried: list[str]) -> None:
    two = (Entrant(name="a", solver="./bin/mine"), Entrant(name="b", solver="./bin/mine", options=("-x",)))
    assert plan(place, solvers=two).total == 6


def test_repetitions_are_said(place: Path, tried: list[str], caplog: pytest.LogCaptureFixture) -> None:
    plan(place, solvers=(*BASE.solvers, MINE), seeds=(1, 2))
    assert "rc2, lsu: no {seed} in the options, so the runs for 2 seeds are repetitions" in caplog.text
    assert "mine" not in caplog.text


# ---------------------------------------------------------------------------- instances


def named(folder: Path) -> dict[str, Instance]:
    return {each.name: each for each in tables.read(folder / instances.FILE, Instance)}


def test_facts_of_files(place: Path) -> None:
    plan(place, instances=("x3.wcnf",))
    (found,) = named(place).values()
    assert (found.name, found.path, found.family) == ("x3", "x3.wcnf", place.name)
    assert (found.variables, found.hard, found.soft, found.weight_sum, found.weighted) == (2, 1, 2, 4, True)
    assert (found.format, found.least_cost, found.known_cost) == ("wcnf", None, None)


def test_patterns(place: Path) -> None:
    (place / "sub" / "deep").mkdir(parents=True)
    (place / "sub" / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    (place / "sub" / "deep" / "b.wcnf.xz").write_bytes(lzma.compress(text(9).encode()))
    (place / "sub" / "notes.txt").write_text("no instance")
    (place / "odd.name").write_text(text(8))
    for patterns, found in (
        (("x1.wcnf", "x1.wcnf", "./x1.wcnf"), ["x1"]),
        (("x[23].wcnf", "x*.wcnf"), ["x2", "x3", "x1"]),
        (("sub",), ["a"]),
        (("sub/**",), ["a", "b"]),
        (("sub/deep",), ["b"]),
        (("odd.name",), ["odd.name"]),
        ((os.fspath(place / "sub" / "deep" / "b.wcnf.xz"),), ["b"]),
    ):
        plan(place, instances=patterns)
        assert list(named(place)) == found, patterns
    for missing in ("y*.wcnf", "none.wcnf", "bin", "sub/*.txt"):
        with pytest.raises(UsageError, match="no instances at"):
            plan(place, instances=("x1.wcnf", missing))


def test_what_is_no_instance(place: Path) -> None:
    (place / "x4.wcnf").write_text("h 1 2\n")
    with pytest.raises(FormatError, match=r"x4\.wcnf"):
        plan(place)
    assert not (place / PLAN).exists()


def test_equal_names_get_their_folder(place: Path) -> None:
    for name, number in (("a", 1), ("b", 2)):
        (place / name).mkdir()
        (place / name / "x.wcnf").write_text(text(number + 10))
    plan(place, instances=("a", "b", "x1.wcnf"))
    assert list(named(place)) == ["a-x", "b-x", "x1"]
    (place / "a" / "x.cnf").write_text("p cnf 1 1\n1 0\n")
    with pytest.raises(UsageError, match="two instances would be called a-x: rename one of a/x"):
        plan(place, instances=("a", "b"))


def test_equal_bytes_run_once(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "wcnfgen")
    (place / "copy.wcnf").write_text(text(1))
    plan(place)
    assert list(named(place)) == ["copy", "x2", "x3"]
    assert "1 file with the bytes of another one" in caplog.text


def test_a_link_is_its_file(place: Path) -> None:
    (place / "link.wcnf").symlink_to("x1.wcnf")
    plan(place)
    assert set(named(place)) == {"link", "x2", "x3"}


def test_a_family(place: Path, tmp_path: Path) -> None:
    folder = bundles.small(place / "fam")
    rows = {row.name: row for row in manifest.read(folder.manifest)}
    plan(place, instances=("fam",))
    found = named(place)
    assert list(found) == [row.name for row in rows.values() if row.written]
    for name, each in found.items():
        row = rows[name]
        assert each.path == os.path.join("fam", row.file)  # noqa: PTH118 - a text
        assert (each.family, each.parameters, each.data) == ("small", row.parameters, row.data)
        assert (each.sha256, each.formula_sha256) == (row.file_sha256, row.sha256)
        assert (each.variables, each.hard, each.soft) == (row.variables, row.hard, row.soft)
        assert (each.least_cost, each.known_cost) == (row.least_cost, row.best_cost or row.witness_cost)
    plan(place, instances=("fam/instances/weather*",))
    assert next(iter(named(place).values())) == found["weather-ub15"]


def test_best_models_of_a_family_count(place: Path) -> None:
    folder = bundles.small(place / "fam")
    plan(place, instances=("fam",))
    rows = [replace(row, best_cost=2) if row.written else row for row in manifest.read(folder.manifest)]
    manifest.write(rows, folder.manifest)
    plan(place, instances=("fam",))
    assert {each.known_cost for each in named(place).values()} == {2}


def test_the_selection_of_a_family(place: Path) -> None:
    folder = bundles.small(place / "fam")
    with pytest.raises(UsageError, match=r"no selection\.csv"):
        plan(place, instances=("fam",), selected=True)
    names = [row.name for row in manifest.read(folder.manifest) if row.written]
    choices = [selection.Choice(name, name == names[1], "easy", "spread") for name in names]
    selection.write(choices, folder.selection)
    plan(place, instances=("fam",), selected=True)
    assert list(named(place)) == [names[1]]
    plan(place, instances=("fam",))
    assert list(named(place)) == names


def test_a_family_whose_file_is_another(place: Path) -> None:
    folder = bundles.small(place / "fam")
    file = next(folder.instances.iterdir())
    file.write_bytes(lzma.compress(text(1).encode()))
    with pytest.raises(FormatError, match=r"not the file that manifest\.csv lists"):
        plan(place, instances=("fam",))
    file.unlink()
    with pytest.raises(FormatError, match="No such file"):
        plan(place, instances=("fam",))


def test_files_are_read_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = facts.of

    def of(path: Path) -> facts.Facts:
        read.append(path.name)
        return whole(path)

    monkeypatch.setattr(facts, "of", of)
    plan(place)
    plan(place)
    assert sorted(read) == ["x1.wcnf", "x2.wcnf", "x3.wcnf"]
    old = (place / "x2.wcnf").stat()
    (place / "x2.wcnf").write_text(text(2).replace("2", "4"))
    os.utime(place / "x2.wcnf", ns=(old.st_atime_ns, old.st_mtime_ns))  # the same size and the same time
    plan(place)
    assert read[3:] == ["x2.wcnf"]
    (place / finding.FACTS).write_text("nonsense")
    plan(place)
    assert len(read) == 7


# ---------------------------------------------------------------------------- planned again


def test_runs_that_are_there_count(place: Path) -> None:
    plan(place)
    make(place)
    assert plan(place).there == 6
    (place / "x4.wcnf").write_text(text(4))
    made = plan(place)
    assert (made.total, made.there, made.others) == (8, 6, {})
    assert "6 of them are there; 2 to make" in list(made.lines())


def said(folder: Path, made: Settings, **changes: Any) -> Mapping[str, int]:
    """What planning says of the runs of a plan when something has changed."""
    plan(folder, made)
    make(folder)
    return plan(folder, made, **changes).others


@pytest.mark.parametrize(
    ("changes", "others"),
    [
        ({"limits": Limits(wall_s=30, output_mib=100)}, {"wall 60 s, now 30 s": 6}),
        (
            {"limits": Limits(cpu_s=5, wall_s=60, output_mib=100, grace_s=1)},
            {"cpu none, now 5 s, grace 5 s, now 1 s": 6},
        ),
        ({"cores": 2}, {"cores 1, now 2": 6}),
        ({"driver": "cgroup"}, {"driver local, now cgroup": 6}),
        ({"instances": ("x1.wcnf",)}, {"an instance that is not in the plan": 4}),
        ({"solvers": BASE.solvers[:1]}, {"a solver that is not in the plan": 3}),
        ({"seeds": (2,)}, {"seed 1": 6}),
        ({"seeds": ()}, {"seed 1": 6}),
        (
            {"solvers": (replace(BASE.solvers[0], options=("-x", "-y")), BASE.solvers[1])},
            {"options none, now -x -y (rc2)": 3},
        ),
        (
            {"solvers": BASE.solvers[:1], "cores": 2},
            {"cores 1, now 2": 3, "cores 1, now 2, a solver that is not in the plan": 3},
        ),
    ],
)
def test_what_differs_is_said(place: Path, changes: Mapping[str, Any], others: Mapping[str, int]) -> None:
    made = replace(BASE, seeds=(1,)) if "seeds" in changes else BASE
    assert said(place, made, **changes) == others


def test_another_program_and_version_are_said(place: Path, tried: list[str]) -> None:
    made = replace(BASE, solvers=(MINE,), seeds=(1,))
    plan(place, made)
    make(place)
    (place / "bin" / "mine").write_text("#!/bin/sh\necho 2\n")
    others = plan(place, made)
    assert others.others == {"other bytes of its program (mine)": 3}
    assert "3 runs made with other bytes of its program (mine): they stay and do not count" in others.lines()


def test_a_run_that_nobody_knows(place: Path) -> None:
    plan(place)
    Store(place).run("ab" * 32).path.mkdir(parents=True)
    (place / "runs" / ".ab.host.1.2.tmp").mkdir()
    assert plan(place).others == {"unknown settings": 1}


def test_many_kinds_of_others_are_counted(place: Path) -> None:
    for wall in range(1, 16):
        plan(place, limits=Limits(wall_s=wall))
        make(place)
    found = list(plan(place, limits=Limits(wall_s=99)).lines())
    assert found[-2] == "30 runs made with other settings still: they stay and do not count"


def test_time_is_foretold(place: Path) -> None:
    assert list(plan(place).lines())[-1] == "at most 7 min if made one after the other"
    assert list(plan(place, limits=Limits()).lines())[-1] == "no limit on time: a run may never end"
    make(place)
    assert list(plan(place, limits=Limits(cpu_s=5)).lines())[-1] == "no limit on time: a run may never end"
    plan(place)
    make(place)
    assert len(list(plan(place).lines())) == 3


# ---------------------------------------------------------------------------- without a plan


def test_no_plan(place: Path) -> None:
    with pytest.raises(UsageError, match="no plan: `wcnfgen campaign plan"):
        planning.read(place)


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"settings": 1}', "settings", "solvers"])
def test_a_damaged_plan(place: Path, damage: str) -> None:
    plan(place)
    found = json.loads((place / PLAN).read_text())
    if damage in found:
        found[damage] = {}
        damage = json.dumps(found)
    (place / PLAN).write_text(damage)
    with pytest.raises(UsageError, match=PLAN):
        planning.read(place)
    assert plan(place).total == 6


def test_a_plan_of_another_version(place: Path) -> None:
    plan(place)
    found = json.loads((place / PLAN).read_text())
    found["solvers"]["rc2"]["descriptor"]["colour"] = "red"
    (place / PLAN).write_text(json.dumps(found))
    with pytest.raises(UsageError, match="not a plan of this version"):
        planning.read(place)


def test_a_plan_that_cannot_be_made_leaves_the_old_one(place: Path) -> None:
    plan(place)
    before = {path.name: path.read_bytes() for path in place.glob("plan.*")}
    with pytest.raises(UsageError):
        plan(place, instances=("none",))
    assert {path.name: path.read_bytes() for path in place.glob("plan.*")} == before
