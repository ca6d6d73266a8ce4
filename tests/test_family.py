"""A family as a folder: what is in it, what is left out of it, and that it can be made again."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import lzma
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen import boosting, cli, instances, verify
from wcnfgen.bundle import build, chains, lock, manifest, models, one
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.one import Settings
from wcnfgen.bundle.spread import spread
from wcnfgen.encodings import get
from wcnfgen.errors import DataError, FormatError, UsageError, WcnfgenError
from wcnfgen.instances import Chain, Data, Spec
from wcnfgen.making import prepare_for
from wcnfgen.tree import from_list
from wcnfgen.workers import functions

MONKS = Data("monks-1", "rule", "monks-1", {})
WEATHER = Data("weather", "rule", "weather", {})
PARITY = Data("parity4", "rule", "parity4", {})


def spec(data: Data, encoding: str = "size", name: str = "", **options: Any) -> Spec:
    own = "-".join(f"{key}{value}" for key, value in options.items())
    filled = name or f"t-{data.name}-{encoding}{own and '-'}{own}"
    return Spec(filled, data, encoding, options, {"data": data.name, "encoding": encoding})


SPECS = [
    spec(WEATHER, name="t-weather-ub{ub}"),
    spec(PARITY, name="t-parity4-ub{ub}"),
    spec(MONKS, "depth", depth=2, unit_weights=True),
    spec(WEATHER, "depth", depth=1, unit_weights=True),
]


def made(folder: Path, specs: Sequence[Spec] = SPECS, jobs: int = 1, **settings: Any) -> list[Row]:
    return build.build(specs, Settings(Folder(folder), "maxsat", **settings), [], jobs=jobs)


def everything(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("family")
    made(folder)
    return folder


def rows_of(folder: Path) -> dict[str, Row]:
    return {row.name: row for row in manifest.read(Folder(folder).manifest)}


def test_the_manifest_says_what_is_there(whole: Path) -> None:
    rows = rows_of(whole)
    assert list(rows) == ["t-weather-ub13", "t-parity4-ub31", "t-monks-1-depth-depth2-unit_weightsTrue"] + [
        "t-weather-depth-depth1-unit_weightsTrue"
    ]
    for row in rows.values():
        file = whole / row.file
        text = lzma.decompress(file.read_bytes())
        assert row.written and row.bytes == len(text)
        assert row.sha256 == hashlib.sha256(text).hexdigest()
        assert row.file_sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
        lines = [line.split() for line in text.decode().splitlines() if not line.startswith("c")]
        assert row.hard == sum(line[0] == "h" for line in lines) and row.hard + (row.soft or 0) == len(lines)
        assert row.literals == sum(len(line) - 2 for line in lines)
        weights = [int(line[0]) for line in lines if line[0] != "h"]
        assert (row.weight_min, row.weight_max, row.weight_sum) == (min(weights), max(weights), sum(weights))
        assert row.weight_distinct == len(set(weights))
        used = {abs(int(word)) for line in lines for word in line[1:-1]}
        assert used == set(range(1, (row.variables or 0) + 1))
        assert row.nonzero in ("bound", "solver") and row.identity and row.data_sha256
        assert row.command.startswith("wcnfgen encode ") and f"c command: {row.command}\n" in text.decode()


def test_each_model_is_a_model(whole: Path) -> None:
    for row in rows_of(whole).values():
        verdict = verify(str(whole / row.file), str(models.place(whole / "models", row.name))).verdict
        assert verdict.ok and verdict.cost == row.best_cost == row.witness_cost
        known = models.read(models.place(whole / "models", row.name))
        assert (known.by, known.sha256, known.cost) == ("wcnfgen", row.sha256, row.best_cost)
        assert known.proved is row.proved and (row.proved is (row.best_cost == row.least_cost))


def test_the_command_in_the_manifest_writes_the_same_text(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    own: dict[str, Any] = {"seed": 1, "sample": 0.5, "reach": False, "binarise": "binary"}  # in no order
    made(whole, [*SPECS[2:], spec(MONKS, name="x-ub{ub}", **own), *rounds(2)])
    for row in rows_of(whole).values():
        words = row.command.split()[1:]
        words[1] = str(whole / "data" / words[1])
        if "--weights" in words:
            place = words.index("--weights") + 1
            words[place] = str(whole / "chains" / words[place])
        again = tmp_path / "again.wcnf"
        assert cli.main([*words, "-o", str(again), "--quiet"]) == 0
        assert hashlib.sha256(again.read_bytes()).hexdigest() == row.sha256


def test_the_size_of_a_file_of_many_rows(tmp_path: Path) -> None:
    """Many equal rows are printed another way; what is counted is bytes all the same."""
    large = spec(Data("ttt", "rule", "tic-tac-toe", {}), "depth", depth=2, unit_weights=True)
    (row,) = made(tmp_path, [large], packing="none")
    size = (tmp_path / row.file).stat().st_size
    assert row.bytes == size
    (foretold,) = build.predict([large], Settings(Folder(tmp_path), "maxsat"), [], tmp_path / "d", jobs=1)
    assert foretold.bytes == pytest.approx(size, rel=0.05)
    assert not made(tmp_path, [large], max_mb=0.9 * size / one.MIB)[0].written


def test_weights_that_are_all_the_same_are_one(whole: Path) -> None:
    """The organisers' normaliser would make them 1, and then a cost would not mean what the header says."""
    for row in rows_of(whole).values():
        assert row.weight_distinct != 1 or row.weight_max == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_same_bytes_again(whole: Path, tmp_path: Path, jobs: int) -> None:
    made(tmp_path, jobs=jobs)
    assert everything(tmp_path) == everything(whole)


def test_what_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path)
    before = everything(tmp_path)
    wrote: list[str] = []
    real = one.make

    def make(spec: Spec, *rest: Any) -> Row:
        wrote.append(spec.name)
        return real(spec, *rest)

    monkeypatch.setattr(one, "make", make)
    made(tmp_path)
    assert not wrote and everything(tmp_path) == before
    (tmp_path / "instances" / "t-weather-ub13.wcnf.xz").unlink()
    (tmp_path / "instances" / "t-parity4-ub31.wcnf.xz").write_bytes(b"other")
    models.place(tmp_path / "models", "t-weather-depth-depth1-unit_weightsTrue").unlink()
    made(tmp_path)
    assert wrote == [SPECS[0].name, SPECS[1].name, SPECS[3].name] and everything(tmp_path) == before
    made(tmp_path, max_mb=400)
    assert len(wrote) == 7, "other settings make all anew"


def test_a_full_disk_half_way(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = one._Measured.write
    left = [100_000]

    def write(self: Any, data: Any) -> int:
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return real(self, data)

    monkeypatch.setattr(one._Measured, "write", write)
    with pytest.raises(WcnfgenError, match="No space left"):
        made(tmp_path)
    there = everything(tmp_path)
    assert 0 < sum(name.startswith("instances/") for name in there) < len(SPECS)
    assert not any(name.endswith(".tmp") for name in there)
    assert all(there[name] == text for name, text in everything(whole).items() if name in there)
    monkeypatch.undo()
    made(tmp_path)
    assert everything(tmp_path) == everything(whole)


def test_ctrl_c_in_the_middle(whole: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wcnfgen", "family", "mux", "-o", str(tmp_path / "f"), "--jobs", "2"]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    state = tmp_path / "f" / ".state"
    deadline = time.monotonic() + 60
    while not (state.is_dir() and any(state.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.01)
    run.send_signal(signal.SIGTERM)
    err = run.communicate(timeout=30)[1]
    assert run.returncode == 130, err
    assert not list((tmp_path / "f").rglob("*.tmp"))
    deadline = time.monotonic() + 10
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < deadline:  # what tracks their pipes ends a moment after us
            os.killpg(run.pid, 0)
            time.sleep(0.05)


def half(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 8:
        raise WcnfgenError("eight")
    return number // 2


def test_a_worker_that_is_killed_costs_its_job_alone() -> None:
    done = dict(functions.each([1, 2, 3, 4, 5], half, 2, killed=lambda job: -job))
    assert done == {1: 0, 2: 1, 3: -3, 4: 2, 5: 2}
    assert dict(functions.each([3, 3], half, 2, killed=lambda job: -job)) == {3: -3}


def test_what_a_job_raises_is_raised_here_and_nobody_is_left() -> None:
    with pytest.raises(WcnfgenError, match="eight"):
        list(functions.each([1, 8, 2, 4], half, 2, killed=abs))
    assert not multiprocessing.active_children()


def deaf(number: int) -> int:
    """Loses the first interrupt, as a destructor does, or never ends a job for another."""
    if number:
        with suppress(KeyboardInterrupt):
            time.sleep(60)
        time.sleep(60)
    return number


def test_an_interrupt_that_gets_lost_is_sent_again() -> None:
    results = functions.each([0, 1], deaf, 2, killed=abs)
    assert next(results) == (0, 0)
    time.sleep(1)  # the other one has begun
    start = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 10 and not multiprocessing.active_children()


def test_an_instance_whose_worker_was_killed_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def each(jobs: Any, do: Any, workers: int, killed: Any) -> Any:
        return ((job, killed(job) if number == 1 else do(job)) for number, job in enumerate(jobs))

    monkeypatch.setattr(functions, "each", each)
    assert [row.written for row in made(tmp_path)] == [True, False, True, True]
    monkeypatch.undo()
    assert all(row.written for row in made(tmp_path))


@pytest.mark.parametrize("text", ["", "name,status\n", "name\nx\n", "\x00"])
def test_a_damaged_state_is_made_anew(tmp_path: Path, text: str) -> None:
    made(tmp_path, SPECS[:1])
    before = everything(tmp_path)
    next((tmp_path / ".state").iterdir()).write_text(text)
    made(tmp_path, SPECS[:1])
    assert everything(tmp_path) == before


def test_what_other_options_made_is_removed_only_if_asked(tmp_path: Path) -> None:
    made(tmp_path, SPECS[:2])
    before = everything(tmp_path)
    with pytest.raises(UsageError, match=r"holds 1 instances .*--prune"):
        made(tmp_path, SPECS[:1])
    assert everything(tmp_path) == before
    build.build(SPECS[:1], Settings(Folder(tmp_path), "maxsat"), [], jobs=1, prune=True)
    assert [path.name for path in (tmp_path / "instances").iterdir()] == ["t-weather-ub13.wcnf.xz"]
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["t-weather-ub13.sol"]


def test_another_packing_replaces_the_file(tmp_path: Path) -> None:
    made(tmp_path, SPECS[:1])
    made(tmp_path, SPECS[:1], packing="gz")
    assert [path.name for path in (tmp_path / "instances").iterdir()] == ["t-weather-ub13.wcnf.gz"]
    made(tmp_path, SPECS[:1], max_mb=0.001)
    assert not list((tmp_path / "instances").iterdir()) and not list((tmp_path / "models").iterdir())


def test_one_at_a_time_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    with lock.alone(Folder(folder)):
        assert run("mux", "-o", str(folder), "--limit", "1")[0] == 2
    assert "at work here" in capsys.readouterr().err
    assert not list(folder.iterdir())


# ---------------------------------------------------------------------------- what is left out


def why(tmp_path: Path, *specs: Spec, **settings: Any) -> list[str]:
    rows = made(tmp_path, specs, **settings)
    assert all(not row.written and not row.file for row in rows)
    assert not (tmp_path / "instances").exists() or not list((tmp_path / "instances").iterdir())
    return [row.why for row in rows]


def test_what_the_evaluation_would_not_take_is_left_out(tmp_path: Path) -> None:
    perfect = spec(WEATHER, "depth", depth=4)
    unknown = spec(WEATHER, "size", ub=7)
    assert "optimum is 0" in why(tmp_path, perfect)[0]
    assert "lower bound" in why(tmp_path, unknown)[0]
    assert "no soft" in why(tmp_path, spec(Data("x", "rule", "parity1", {})))[0]


def test_what_is_too_large_is_left_out(tmp_path: Path) -> None:
    assert "--max-mb 0.01" in why(tmp_path, spec(MONKS), max_mb=0.01)[0]


def test_a_file_that_was_foretold_smaller_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wcnfgen.writer.estimate", lambda *a, **k: 10)
    assert why(tmp_path, spec(MONKS), max_mb=0.01) == ["more than --max-mb 0.01"]


def test_twins_are_left_out(tmp_path: Path) -> None:
    twin = spec(replace(WEATHER, name="wetter"), name="t-wetter-ub{ub}")
    first, second = made(tmp_path, [SPECS[0], twin])
    assert first.written and not second.written and "equal to t-weather-ub13" in second.why
    assert [path.name for path in (tmp_path / "instances").iterdir()] == ["t-weather-ub13.wcnf.xz"]
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["t-weather-ub13.sol"]
    before = everything(tmp_path)
    assert made(tmp_path, [SPECS[0], twin]) == [first, second] and everything(tmp_path) == before
    (alone,) = made(tmp_path / "alone", [twin])
    assert alone.written, "it is a twin only beside the other"
    folder = Settings(Folder(tmp_path), "maxsat")
    assert [row.written for row in build.build([twin], folder, [], jobs=1, prune=True)] == [True]


def test_what_only_looks_like_a_twin_stays(tmp_path: Path) -> None:
    """Colour refinement does not tell these apart: rows whose class is 1 are the rotations of one word."""
    specs = []
    for word in ("000111", "001011"):
        ones = {word[k:] + word[:k] for k in range(6)}
        inputs = ("".join(map(str, bits)) for bits in itertools.product((0, 1), repeat=6))
        lines = [",".join([*each, str(int(each in ones))]) for each in inputs]
        (tmp_path / f"{word}.csv").write_text("\n".join(["a,b,c,d,e,f,class", *lines]) + "\n")
        specs.append(spec(Data(word, "file", str(tmp_path / f"{word}.csv")), "accuracy", ub=7))
    rows = made(tmp_path / "f", specs)
    assert rows[0].identity == rows[1].identity and all(row.written for row in rows)


def test_missing_data_are_a_line_in_the_manifest(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    zoo = spec(Data("zoo", "paper", "zoo", {}))
    rows = made(tmp_path, [SPECS[0], zoo])
    assert [row.status for row in rows] == ["written", "left out"]
    assert "zoo" in rows[1].why and "https://" in rows[1].why and "zoo" in caplog.text
    with pytest.raises(DataError, match="zoo"):
        build.build([zoo], Settings(Folder(tmp_path / "s"), "maxsat"), [], jobs=1, strict=True)


def test_names_that_collide(tmp_path: Path) -> None:
    a, b = (spec(WEATHER, name=name) for name in ("a b", "a_b"))
    with pytest.raises(UsageError, match="a_b"):
        made(tmp_path, [a, b])
    with pytest.raises(UsageError, match="two different data sets are called weather"):
        made(tmp_path, [spec(WEATHER), spec(replace(MONKS, name="weather"), name="other")])
    with pytest.raises(UsageError, match="no instances"):
        made(tmp_path, [])
    assert not everything(tmp_path)


# ---------------------------------------------------------------------------- chains


def rounds(*numbers: int, solver: str = "lms", depth: int = 1) -> list[Spec]:
    options = {"depth": depth, "unit_weights": True}
    return [
        Spec(
            f"c-r{n}",
            MONKS,
            "boost",
            options,
            {"data": "monks-1", "round": n},
            chain=Chain("c", n, solver, 20),
        )
        for n in numbers
    ]


def test_a_chain_is_made_again_from_its_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made(tmp_path / "a", rounds(2, 3))
    assert [row.written for row in rows] == [True, True]
    assert rows[0].sha256 != rows[1].sha256
    (tmp_path / "b" / "chains").mkdir(parents=True)
    trees = (tmp_path / "a" / "chains" / "c.json").read_bytes()
    (tmp_path / "b" / "chains" / "c.json").write_bytes(trees)
    monkeypatch.setattr(chains, "solved", lambda *a: pytest.fail("a solver was asked"))
    made(tmp_path / "b", rounds(2, 3))
    assert everything(tmp_path / "b") == everything(tmp_path / "a")


def test_the_weights_of_a_round_are_those_of_boosting(tmp_path: Path) -> None:
    (row,) = made(tmp_path, rounds(3))
    stored = chains.read(tmp_path / "chains" / "c.json")

    problem = prepare_for(get("boost"), str(tmp_path / "data" / "monks-1.csv"), {}, {"depth": 1}).problem
    seen: list[Any] = []

    def learn(number: int, problem: Any) -> Any:
        seen.append(problem)
        return from_list(stored[number - 1].tree)

    list(boosting.boost(problem, learn, rounds=3))
    assert row.weight_sum is not None and row.weight_sum <= seen[2].weight
    known = verify(str(tmp_path / row.file), str(models.place(tmp_path / "models", row.name))).verdict
    assert known.ok and known.cost == row.best_cost and row.best_by == "lms" and row.proved


def test_trees_of_other_data_are_noticed(tmp_path: Path) -> None:
    made(tmp_path / "a", rounds(2))
    target = tmp_path / "b" / "chains" / "c.json"
    target.parent.mkdir(parents=True)
    found = json.loads((tmp_path / "a" / "chains" / "c.json").read_text())
    found["trees"][0]["weights_sha256"] = "0" * 64
    target.write_text(json.dumps(found))
    with pytest.raises(FormatError, match="other weights"):
        made(tmp_path / "b", rounds(2))
    target.write_text("{}")
    with pytest.raises(FormatError, match="not a chain's trees"):
        made(tmp_path / "b", rounds(2))


def test_a_chain_that_ends_early_says_so(tmp_path: Path) -> None:
    rows = made(tmp_path, [replace(each, data=WEATHER) for each in rounds(1, 2, 9, depth=3)])
    assert "optimum is 0" in rows[0].why
    assert [row.why for row in rows[1:]] == ["round 1 makes no error"] * 2


def test_a_solver_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WcnfgenError):
        made(tmp_path, rounds(2, solver="nuwls-c"))
    assert not (tmp_path / "instances").exists()


# ---------------------------------------------------------------------------- manifest, spread


TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=12)
PLAIN = st.one_of(st.integers(-(2**70), 2**70), TEXT)
SECONDS = st.dictionaries(st.sampled_from(["rc2", "./a b"]), st.none() | st.floats(0, 1e6), max_size=2)
ROWS = st.builds(
    Row,
    name=TEXT,
    status=st.sampled_from(["written", "left out"]),
    why=TEXT,
    options=st.dictionaries(TEXT, PLAIN, max_size=2),
    parameters=st.dictionaries(TEXT, PLAIN, max_size=2),
    variables=st.none() | st.integers(0, 10**9),
    best_cost=st.none() | st.integers(0, 2**64),
    proved=st.none() | st.booleans(),
    difficulty=st.sampled_from([None, "trivial", "hard"]),
    gbd=st.dictionaries(st.sampled_from(["hash", "x y"]), st.text("abc,\"'", min_size=1, max_size=5)),
).flatmap(
    lambda row: st.dictionaries(
        st.sampled_from(["rc2", "./a b"]), st.none() | st.floats(0, 1e6), max_size=2
    ).map(lambda seconds: replace(row, seconds=seconds, ended=dict.fromkeys(seconds, "exit 30")))
)


@given(st.lists(ROWS, max_size=4))
def test_a_manifest_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    file = tmp_path_factory.mktemp("m") / "manifest.csv"
    manifest.write(rows, file)
    assert manifest.read(file) == rows


@pytest.mark.parametrize("text", ["name\na\n", "name,status\na,lost\n"])
def test_a_damaged_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(FormatError, match=r"m\.csv:2"):
        manifest.read(tmp_path / "m.csv")


@given(
    st.lists(st.fixed_dictionaries({"data": st.integers(0, 4), "d": st.integers(0, 3)}), max_size=30),
    st.data(),
)
def test_what_is_spread_takes_from_each_data_set(items: list[dict[str, Any]], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 35))
    chosen = spread(items, n)
    assert len(chosen) == len(set(chosen)) == min(n, len(items)) and chosen == sorted(chosen)
    taken = {key: sum(items[place]["data"] == key for place in chosen) for key in range(5)}
    there = {key: sum(item["data"] == key for item in items) for key in range(5)}
    for key in range(5):
        if taken[key] < there[key]:
            assert all(taken[other] <= taken[key] + 1 for other in range(5))


# ---------------------------------------------------------------------------- the command


def run(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    return cli.main(["family", *words], out), out.getvalue()


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run()
    assert code == 0 and "mpdt-samples" in text and "hidden-tree" in text
    assert "default submission" in next(line for line in text.splitlines() if line.startswith("mpdt-samples"))
    assert "default submission" not in next(
        line for line in text.splitlines() if line.startswith("hidden-tree")
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["mpdt-sample"], "did you mean mpdt-samples"),
        (["mux"], "-o FOLDER"),
        (["mux", "--dry-run", "--limit", "0"], "--limit 0"),
        (["mux", "--dry-run", "--max-mb", "nan"], "--max-mb nan"),
        (["mux", "--dry-run", "--max-mb", "-1"], "--max-mb -1"),
        (["mux", "--dry-run", "--jobs", "0"], "--jobs 0"),
        (["mux", "--dry-run", "--data", "/nowhere"], "/nowhere"),
        (["mux", "--config", "x.toml"], "not both"),
        (["mux", "--colour", "3"], "--colour"),
        (["-o", "x"], "which family"),
    ],
)
def test_wrong_options(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    assert run(*words)[0] == 2
    assert says in capsys.readouterr().err


def test_help_has_the_options_of_the_family() -> None:
    assert "--address" in run("mux", "--help")[1]
    assert "--address" not in run("--help")[1]


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    """New processes do not run the script again that asked for them."""
    script = tmp_path / "script.py"
    script.write_text("import wcnfgen\nprint('once')\nwcnfgen.family('mux', limit=2, jobs=2, output='mux')\n")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "once\n"), done.stderr
    assert len(list((tmp_path / "mux" / "instances").iterdir())) == 2


def test_a_killed_worker_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        functions, "each", lambda jobs, do, workers, killed: ((job, killed(job)) for job in jobs[:1])
    )
    monkeypatch.setattr("wcnfgen.bundle.finish.finish", lambda folder: None)
    code, text = run("mux", "-o", str(tmp_path / "f"), "--limit", "1", "--jobs", "1")
    assert code == 1 and "killed" in text


def test_where_all_data_are_missing_there_is_nothing_to_submit(tmp_path: Path) -> None:
    code, text = run("dtmax", "--sets", "anneal", "-o", str(tmp_path / "f"))
    assert code == 1 and "published at https://" in text
    assert {path.name for path in (tmp_path / "f").iterdir()} == {"family.json", "manifest.csv"}
    assert run("dtmax", "--sets", "anneal", "-o", str(tmp_path / "g"), "--strict")[0] == 1
    assert run("dtmax", "--sets", "anneal", "--dry-run", "--strict")[0] == 1
    assert not (tmp_path / "g").exists()


def test_a_dry_run_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = run("mux", "--dry-run", "--limit", "3", "--jobs", "1")
    assert code == 0 and "instances: 3" in text and not list(tmp_path.iterdir())


def test_the_default_submission_is_all_families_of_real_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "predict", lambda specs, *rest, **jobs: [one.about(spec) for spec in specs])
    code, text = run("submission", "--dry-run", "--limit", "1")
    families = [line.split()[1] for line in text.splitlines() if line.startswith("family:")]
    assert code == 1 and families == instances.submission()
    assert not {"mux", "hidden-tree", "mindt-subsamples"} & set(families)
    assert run("submission", "--dry-run", "--wall", "3")[0] == 2


def test_a_sat_family_as_maxsat(tmp_path: Path, shared: Path) -> None:
    words = ["mindt-subsamples", "--sets", "colic", "--limit", "1", "--data", str(shared / "data")]
    words += ["--author", "A. Uthor; Where; a@example.org", "--jobs", "1"]
    for own, ending, name in (([], ".cnf.xz", "-sat.tar.gz"), (["--as-maxsat"], ".wcnf.xz", "les.tar.gz")):
        folder = tmp_path / ending
        assert run(*words, *own, "-o", str(folder))[0] == 0
        assert [path.name.endswith(ending) for path in (folder / "instances").iterdir()] == [True]
        assert [path.name.endswith(name) for path in folder.glob("*.tar.gz")] == [True]
        assert cli.main(["lint", str(folder)]) == 0


def test_a_folder_of_something_else_is_not_touched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    assert run("mux", "-o", str(tmp_path), "--limit", "1")[0] == 2
    assert "holds no family" in capsys.readouterr().err and len(list(tmp_path.iterdir())) == 1


def test_a_whole_family_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["mux", "-o", str(tmp_path / "f"), "--limit", "3", "--author", "A. Uthor; Where; a@example.org"]
    code, text = run(*words)
    assert code == 0 and "instances: 3" in text
    names = {path.name for path in (tmp_path / "f").iterdir()}
    assert {"family.json", "manifest.csv", "instances", "models", "description.tex", "REPRODUCE.md"} <= names
    assert any(name.endswith(".tar.gz") for name in names)
    assert run("parity", "-o", str(tmp_path / "f"), "--limit", "1")[0] == 2
    assert "holds the family mux" in capsys.readouterr().err
