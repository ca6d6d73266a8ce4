"""`wcnfgen compare`: one line from instances to a report, and the commands of a campaign one by one."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import wcnfgen
from wcnfgen import cli
from wcnfgen.campaign import results, settings, tables
from wcnfgen.campaign.results import Result
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.report import comparison

SOLVERS = ("rc2", "lms")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two instances of the weather data, where we are."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["data", "weather", "-o", "weather.csv"]) == 0
    for nodes in (9, 11):
        wcnfgen.encode("weather.csv", ub=nodes).write(f"weather-{nodes}.wcnf")
    return tmp_path


def runs(folder: str) -> list[Result]:
    return sorted(tables.read(Path(folder) / results.FILE, Result), key=lambda each: each.key)


def stamps(folder: str) -> dict[str, int]:
    """When each file of each run was written."""
    return {str(path): path.stat().st_mtime_ns for path in Path(folder, "runs").rglob("*") if path.is_file()}


def test_from_instances_to_a_report(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "weather-9.wcnf", "weather-11.wcnf", "--wall", "20", "-o", "race"]
    line += [word for name in SOLVERS for word in ("--solver", name)]
    assert cli.main(line) == 0
    found = runs("race")
    assert {(each.instance, each.solver) for each in found} == {
        (name, solver) for name in ("weather-9", "weather-11") for solver in SOLVERS
    }
    assert {each.cost for each in found} == {3}
    printed = capsys.readouterr().out
    assert "score" in printed and all(name in printed for name in SOLVERS)
    assert (place / "race" / "report.html").exists() == bool(find_spec("plotly"))
    before = stamps("race")
    assert cli.main(line) == 0, "the same line again makes nothing again"
    assert stamps("race") == before and runs("race") == found


def test_reports_have_solvers_in_the_order_of_the_campaign(place: Path) -> None:
    for number, order in enumerate((["rc2", "lms", "lsu"], ["lsu", "lms", "rc2"])):
        wcnfgen.compare("weather-9.wcnf", solver=order, wall=20, output=f"race{number}")
        assert list(comparison.load([Path(f"race{number}")]).solvers) == order


def test_the_steps_say_the_same(place: Path) -> None:
    compared = wcnfgen.compare("weather-9.wcnf", solver=SOLVERS, wall=20, output="race")
    assert cli.main(["campaign", "plan", "race"]) == 0
    for action in ("run", "work", "status", "collect", "retry"):
        assert cli.main(["campaign", action, "race/campaign.toml", "--quiet"]) == 0
    assert wcnfgen.campaign.status("race").exit_code == 0
    assert [each.cost for each in runs("race")] == [3, 3]
    assert compared.folder == Path("race")


def test_paths_are_as_the_user_sees_them(place: Path) -> None:
    (place / "sub").mkdir()
    script = place / "my solver"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m pysat.examples.rc2 -vv "$1"\n')
    script.chmod(0o755)
    wcnfgen.compare("weather-9.wcnf", solver=["./my solver"], wall=20, output="sub/deep/race")
    found = settings.read(place / "sub" / "deep" / "race" / "campaign.toml")
    assert found.instances == ("../../../weather-9.wcnf",)
    assert [(each.name, each.solver) for each in found.solvers] == [("my_solver", "./../../../my solver")]
    assert [each.cost for each in runs("sub/deep/race")] == [3]


def test_another_campaign_is_not_overwritten(place: Path) -> None:
    wcnfgen.compare("weather-9.wcnf", solver=["rc2"], wall=20, output="race")
    text = (place / "race" / "campaign.toml").read_text()
    with pytest.raises(UsageError, match="says otherwise"):
        wcnfgen.compare("weather-9.wcnf", solver=["rc2"], wall=21, output="race")
    assert (place / "race" / "campaign.toml").read_text() == text
    first = runs("race")
    wcnfgen.compare("weather-9.wcnf", solver=["rc2"], wall=21, output="race", replace=True)
    second = runs("race")
    assert len(second) == 1 and first[0].key != second[0].key
    assert len(list((place / "race" / "runs").glob("*/*"))) == 2, "what was run stays"


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        (["weather-9.wcnf"], {"solver": ["rc2"]}, UsageError),
        (["weather-9.wcnf"], {"output": "race"}, UsageError),
        ([], {"solver": ["rc2"], "output": "race"}, UsageError),
        (["weather-9.wcnf"], {"solver": ["nosuch"], "output": "race"}, UsageError),
        (["weather-9.wcnf"], {"solver": ["./nosuch"], "output": "race"}, SolverError),
        (["nosuch-*.wcnf"], {"solver": ["rc2"], "output": "race"}, UsageError),
        (["weather-9.wcnf"], {"solver": ["rc2", "rc2"], "output": "race"}, UsageError),
        (["weather-9.wcnf"], {"solver": ["rc2"], "output": "race", "wall": 0.0}, UsageError),
        (["weather-9.wcnf"], {"solver": ["rc2"], "output": "race", "engine": "nosuch"}, UsageError),
        (["weather-9.wcnf"], {"solver": ["rc2"], "output": "race", "driver": "nosuch"}, UsageError),
    ],
)
def test_what_cannot_be_runs_nothing(
    place: Path, arguments: list[str], options: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        wcnfgen.compare(*arguments, **options)  # type: ignore[arg-type] # as given
    assert not list(place.glob("race/runs/*/*"))


def test_actions_are_told_apart(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["campaign", "nosuch", "race"]) == 2
    assert "plan, run, work, status, collect, submit, retry" in capsys.readouterr().err
    assert cli.main(["campaign", "run", "race"]) == 2
    assert "campaign.toml" in capsys.readouterr().err
    assert cli.main(["campaign", "work", "--help"]) == 0
    assert "--shard" in capsys.readouterr().out
    assert cli.main(["campaign", "plan", "race", "--shard", "1/2"]) == 2


def test_the_library_has_the_actions_and_starts_light() -> None:
    code = "import sys, wcnfgen.campaign as c; c.plan; print(sorted({'numpy', 'rich'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "[]\n"
    assert all(callable(getattr(wcnfgen.campaign, name)) for name in wcnfgen.campaign.__all__)


def test_trial_runs_of_a_program_have_its_options(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A program that says nothing without an option: `solve --option`, and options in a campaign."""
    script = place / "picky"
    run = f'exec {sys.executable} -m pysat.examples.rc2 -vv "$2"'
    script.write_text(f'#!/bin/sh\n[ "$1" = "--go={{7}}" ] || exit 3\n{run}\n')
    script.chmod(0o755)
    solved = wcnfgen.solve("weather-9.wcnf", solver="./picky", option=["--go={7}"], wall=20, log="x.log")
    assert wcnfgen.verify("weather-9.wcnf", "x.log").verdict.ok and solved.record.changes == ()
    (place / "race").mkdir()
    (place / "race" / "campaign.toml").write_text(
        'instances = ["../weather-9.wcnf"]\n[limits]\nwall = 20\n'
        '[[solver]]\nsolver = "../picky"\noptions = ["--go={7}"]\n'
    )
    for action in ("plan", "run", "collect"):
        assert getattr(wcnfgen.campaign, action)("race").exit_code == 0
    assert [each.cost for each in runs("race")] == [3]
    assert "gave no model" not in caplog.text


def test_solvers_of_one_name_are_called_by_their_folders(place: Path) -> None:
    """And one may be anywhere: as two builds of a program are."""
    for name in ("old", "new"):
        (place / name).mkdir()
        script = place / name / "mine"
        script.write_text(f'#!/bin/sh\n# {name}\nexec {sys.executable} -m pysat.examples.rc2 -vv "$1"\n')
        script.chmod(0o755)
    absolute = os.fspath(place / "new" / "mine")
    wcnfgen.compare("weather-9.wcnf", solver=["./old/mine", absolute], wall=20, output="race")
    found = settings.read(place / "race" / "campaign.toml").solvers
    assert [(each.name, each.solver) for each in found] == [
        ("old-mine", "./../old/mine"),
        ("new-mine", absolute),
    ]
    assert [each.cost for each in runs("race")] == [3, 3]


def test_a_folder_elsewhere_and_patterns(place: Path) -> None:
    (place / "far" / "away").mkdir(parents=True)
    (place / "race").symlink_to("far/away")
    odd = place / "a[1]"
    odd.mkdir()
    (place / "weather-9.wcnf").rename(odd / "weather-9.wcnf")
    os.chdir(odd)
    wcnfgen.compare("weather-?.wcnf", "../weather-11.wcnf", solver=["rc2"], wall=20, output="../race")
    assert [each.cost for each in runs("../race")] == [3, 3]
