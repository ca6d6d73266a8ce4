"""`wcnfgen reproduce`: steps that are made once, wherever it was stopped, and on other machines."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import slurm
from tests.campaigning import until
from tests.optional import needs
from tests.slurm import Played
from wcnfgen import experiments, reproduce
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.experiments import Experiment, making, stepping, work
from wcnfgen.experiments.findings import Claim, Findings
from wcnfgen.experiments.work import Step, Work
from wcnfgen.report.summary import Column, Table

played = pytest.fixture(slurm.played)
FIRST = Step("weather.csv", ("data", "weather"))
SECOND = Step("size.wcnf", ("encode", "weather.csv", "--ub", "9"))
OTHER = Step("deep/lenses.csv", ("data", "lenses"))
FOUND = Findings(
    (Table("sizes", "Sizes", (Column("set"), Column("bytes")), (("weather", 1),)),),
    (Claim("it works", "yes", "it did"),),
    ("There is none.",),
)


ABOUT = Experiment("A test", "nobody 2020")


@dataclass
class Recipe:
    """An experiment of a test."""

    made_of: Sequence[Sequence[Step]]
    EXPERIMENT: Experiment = ABOUT

    def stages(self, work: Work) -> Iterator[Sequence[Step]]:
        yield from self.made_of

    def findings(self, work: Work) -> Findings:
        return FOUND


def make(folder: Path, *stages: Sequence[Step], **how: object) -> making.Made:
    made = replace(Work("test", folder, "tiny", jobs=2), **how)  # type: ignore[arg-type]
    making.lock(made)
    return making.make(Recipe(stages), made)


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.step")}


def test_outputs_are_what_the_command_prints(tmp_path: Path) -> None:
    made = make(tmp_path, [FIRST, OTHER], [SECOND])
    assert made.found is FOUND and (tmp_path / "test.sizes.csv").read_text() == "set,bytes\nweather,1\n"
    assert (tmp_path / "size.wcnf").read_text().startswith("c wcnfgen")
    assert (tmp_path / "commands.txt").read_text().splitlines() == [
        "wcnfgen data weather > weather.csv",
        "wcnfgen data lenses > deep/lenses.csv",
        "wcnfgen encode weather.csv --ub 9 > size.wcnf",
    ]
    assert "left to others" not in "\n".join(made.lines())
    done = Work("test", tmp_path).record("size.wcnf")
    assert done is not None and done.code == 0 and done.seconds > 0 and list(done.inputs) == ["weather.csv"]


def test_what_is_there_stays_and_what_depends_on_a_change_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    plain = stepping.make

    def noted(work: Work, step: Step, *run: Any) -> None:
        done.append(step.output)
        plain(work, step, *run)

    def again() -> set[str]:
        done.clear()
        make(tmp_path, [FIRST, OTHER], [SECOND])
        return set(done)

    monkeypatch.setattr(stepping, "make", noted)
    assert again() == {FIRST.output, OTHER.output, SECOND.output}
    assert again() == set()
    (tmp_path / "weather.csv").write_text((tmp_path / "weather.csv").read_text().replace("sunny", "cloudy"))
    assert again() == {"size.wcnf"}
    (tmp_path / "weather.csv").unlink()
    assert again() == {"weather.csv", "size.wcnf"}
    assert "sunny" in (tmp_path / "size.wcnf").read_text()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"words": 3}', "null"])
def test_a_record_that_is_none_counts_as_missing(tmp_path: Path, damage: str) -> None:
    make(tmp_path, [FIRST])
    (tmp_path / "weather.csv.step").write_text(damage)
    make(tmp_path, [FIRST])
    assert json.loads((tmp_path / "weather.csv.step").read_text())["words"] == ["data", "weather"]


def test_other_words_or_another_version_are_another_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, [FIRST])
    make(tmp_path, [replace(FIRST, words=("data", "iris"))])
    assert "petal" in (tmp_path / "weather.csv").read_text()
    before = times(tmp_path)
    monkeypatch.setattr(work, "__version__", "9.9")
    make(tmp_path, [replace(FIRST, words=("data", "iris"))])
    assert times(tmp_path) != before


def test_where_a_step_is_made_is_no_part_of_it(tmp_path: Path) -> None:
    make(tmp_path, [FIRST])
    before = times(tmp_path)
    make(tmp_path, [replace(FIRST, where=("--quiet",))])
    assert times(tmp_path) == before


def test_a_step_that_fails_is_named_and_leaves_the_others(tmp_path: Path) -> None:
    wrong = Step("x.wcnf", ("encode", "nothing here.csv"))
    with pytest.raises(WcnfgenError, match=r"`wcnfgen encode 'nothing here.csv'` .* exit code 1: .*nothing"):
        make(tmp_path, [FIRST, wrong], jobs=1)
    assert (tmp_path / "weather.csv.step").exists()
    assert not (tmp_path / "x.wcnf").exists() and not list(tmp_path.glob("*.part"))
    assert make(tmp_path, [replace(wrong, codes=(0, 1))]).found is FOUND
    assert Work("test", tmp_path).json("x.wcnf") is None


def test_shards_share_the_steps_and_wait_for_each_other(tmp_path: Path) -> None:
    steps = [replace(FIRST, output=f"{number}.csv") for number in range(5)]
    made = make(tmp_path, steps, [OTHER], shard=(1, 2))
    assert made.found is None and "2 steps left to others" in "".join(made.lines())
    assert {path.name for path in tmp_path.glob("*.csv")} == {"0.csv", "2.csv", "4.csv"}
    assert make(tmp_path, steps, [OTHER], shard=(2, 2)).found is None  # the first makes what is left
    assert make(tmp_path, steps, [OTHER], shard=(1, 2)).found is FOUND


def test_a_stage_to_stop_after(tmp_path: Path) -> None:
    made = reproduce("narodytska-4", scale="tiny", stage=1, output=str(tmp_path))
    assert isinstance(made, making.Made) and made.found is None
    assert not (tmp_path / "narodytska-4.md").exists()


LONG = ("search", "hard.csv", "--method", "descent", "--wall", "300")


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Two steps that do not end, in a process of their own."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tests import test_reproduce as t; "
        "from pathlib import Path; from wcnfgen import cli, experiments; "
        "r = t.Recipe([[t.Step('a', t.LONG), t.Step('b', t.LONG)]]); "
        "experiments.get = lambda name: r; sys.exit(cli.main(['reproduce', 'test', '-o', sys.argv[2]]))"
    )
    root = str(Path(__file__).parents[1])
    (folder / "hard.csv").write_bytes(hard())
    return subprocess.Popen([sys.executable, "-c", code, root, str(folder)], stderr=subprocess.DEVNULL)


def hard() -> bytes:
    """Rows whose smallest tree takes long to find."""
    from io import StringIO

    from wcnfgen.instances.rules import get, write_csv

    text = StringIO()
    write_csv(text, get("hidden-tree").generate(rows=300, nodes=41, seed=1))
    return text.getvalue().encode()


def below(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_is_stopped_nothing_is_left(tmp_path: Path, number: signal.Signals) -> None:
    process = start(tmp_path)
    until(lambda: sum("hard.csv" in " ".join(_words(each)) for each in below(process)) >= 2, 60)
    time.sleep(0.3)
    left = below(process)
    process.send_signal(number)
    code = process.wait(30)
    until(lambda: not any(_is_alive(each) for each in left), 20)
    if number != signal.SIGKILL:
        assert code == 130
        assert not list(tmp_path.glob("*.part"))
    assert not list(tmp_path.glob("*.step"))


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def test_two_at_a_time_are_refused_and_shards_are_not(tmp_path: Path) -> None:
    from wcnfgen import lock

    with lock.held(tmp_path / making.LOCK, "another"), pytest.raises(UsageError, match="another"):
        reproduce("narodytska-4", scale="tiny", output=str(tmp_path))
    with lock.held(tmp_path / making.LOCK, "another", shared=True):
        reproduce("narodytska-4", scale="tiny", shard="2/2", output=str(tmp_path))


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: reproduce("narodytska-9", output=str(tmp_path)), "no experiment.*narodytska-4"),
        (lambda: reproduce("narodytska-4"), "where to"),
        (lambda: reproduce("narodytska-4", data=["/nowhere"], output=str(tmp_path)), "/nowhere"),
        (lambda: reproduce("narodytska-4", shard="3/2", output=str(tmp_path)), "3/2"),
        (lambda: reproduce("narodytska-4", scale="huge", output=str(tmp_path)), "huge"),  # type: ignore[arg-type]
        (lambda: reproduce("narodytska-4", engine="cloud", output=str(tmp_path / "x")), "cloud"),
    ]
    for call, message in wrong:
        with pytest.raises(UsageError, match=message):
            call()


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe([[FIRST]], Experiment("A test", "nobody", ("no_such_module",)))
    with pytest.raises(UsageError, match="no_such_module: not installed"):
        making.make(recipe, Work("test", tmp_path))
    work = Work("test", tmp_path)
    assert work.sets(["zoo", "weather"])[0].name == "weather"
    assert "zoo" in work.missing and "published at" in work.missing["zoo"]


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    from wcnfgen import cli

    assert cli.main(["reproduce"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in experiments.names())


# ---------------------------------------------------------------------------- other machines


def test_slurm_gets_an_array_once(tmp_path: Path, played: Played) -> None:
    (tmp_path / "it").mkdir()
    how = {"scale": "tiny", "engine": "slurm", "output": str(tmp_path / "it")}
    first = reproduce("narodytska-4", **how)  # type: ignore[arg-type]
    assert isinstance(first, making.Made) and "given to Slurm as job 70" in first.waiting
    steps = len((tmp_path / "it" / "commands.txt").read_text().splitlines())
    assert played.calls[0][1:] == ["--parsable", f"--array=1-{min(steps, 2)}", "stage-1/array.sbatch"]
    played.queue(70)
    again = reproduce("narodytska-4", **how)  # type: ignore[arg-type]
    assert isinstance(again, making.Made) and "in the queue" in again.waiting
    assert len(played.calls) == 1
    played.queue()
    played.make(played.calls[0])
    last = reproduce("narodytska-4", **how)  # type: ignore[arg-type]
    assert isinstance(last, making.Made) and last.found is not None


def test_dask_makes_steps(tmp_path: Path) -> None:
    needs(experiments.there("distributed") and experiments.there("dask_jobqueue"), "distributed")
    steps = [replace(FIRST, output=f"{number}.csv") for number in range(3)]
    assert make(tmp_path, [FIRST, *steps], [SECOND], engine="dask", jobs=1).found is FOUND
    assert len(times(tmp_path)) == 5
    assert "sunny" in (tmp_path / "size.wcnf").read_text()
