"""``wcnfgen report`` as a user gives it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaigns import made
from wcnfgen import cli
from wcnfgen.campaign import instances, tables
from wcnfgen.campaign.instances import Instance
from wcnfgen.commands.report import report
from wcnfgen.report import comparison

pytestmark = pytest.mark.usefixtures("few_samples")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(made(tmp_path / "c", number=6))
    assert cli.main(["report", folder, "--by", "percent", "--times", "2,30"]) == 0
    out = capsys.readouterr().out
    assert "score at 2 s" in out and "By percent" in out
    assert cli.main(["report", folder, "--format", "csv", "--table", "solved"]) == 0
    assert capsys.readouterr().out.startswith("instances,solver,solved,")
    assert cli.main(["report", folder, "-o", str(tmp_path / "r.md")]) == 0
    printed = capsys.readouterr()
    assert printed.out == "" and "r.md" in printed.err
    assert (tmp_path / "r.md").read_text().startswith("# c\n")


def test_only_some_families(tmp_path: Path) -> None:
    folder = str(made(tmp_path / "c", number=6))
    found = report(folder, family=["dtmax"]).summary
    assert dict(found.facts)["families"] == "3 dtmax" and dict(found.facts)["runs"] == "9"


def test_two_campaigns_are_one_comparison(tmp_path: Path) -> None:
    one = str(made(tmp_path / "one", number=6, solvers=("a", "b")))
    two = str(made(tmp_path / "two", number=6, solvers=("c",)))
    together = dict(report(one, two).summary.facts)
    assert together["runs"] == "18" and together["solvers"] == "a (a 1.0), b (b 1.0), c (c 1.0)"
    assert dict(report(one, one).summary.facts)["runs"] == "12"


def test_what_either_campaign_knows_of_an_instance_is_known(tmp_path: Path) -> None:
    """Also where the other comes first."""
    one, two = (made(tmp_path / name, number=4, solvers=(name,)) for name in ("one", "two"))
    better = [replace(each, known_cost=0) for each in tables.read(two / instances.FILE, Instance)]
    tables.write(better, Instance, two / instances.FILE)
    for folders in ([one, two], [two, one]):
        assert {each.known_cost for each in comparison.load(folders).instances} == {0}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "no campaign"),
        (["{}", "--times", "60,x"], "give seconds"),
        (["{}", "--times", "-1"], "give seconds"),
        (["{}", "--times", "nan"], "give seconds"),
        (["{}", "--by", "colour"], "there are: percent, sample"),
        (["{}", "--family", "x"], "there are: dtmax, mpdt-samples"),
        (["{}", "--table", "x"], "there are: scores, solved"),
        (["{}", "--format", "parquet"], "give -o FILE"),
        (["{}/nowhere"], "campaign collect"),
        (["{}", "--solver", "a"], "unrecognized"),
        (["diff"], "compares two campaigns"),
        (["diff", "{}"], "two solvers of one"),
        (["diff", "{}", "{}", "{}"], "compares two campaigns"),
        (["diff", "{}", "{}", "--html", "x.html"], "not for `wcnfgen report diff`"),
        (["diff", "{}", "{}", "--solver", "x"], "no solver 'x'; there are: exact, anytime, weak"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(
    words: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(made(tmp_path / "c", number=4))
    assert cli.main(["report", *(word.format(folder) for word in words)]) == 2
    assert text in capsys.readouterr().err


def test_other_settings_are_not_another_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = made(tmp_path / "one", number=4, solvers=("a",))
    two = made(tmp_path / "two", number=4, solvers=("a",))
    results = two / "results.csv"
    results.write_text(re.sub(r"^[0-9a-f]{64}", lambda key: key[0][::-1], results.read_text(), flags=re.M))
    assert cli.main(["report", str(one), str(two)]) == 2
    assert "wcnfgen report diff" in capsys.readouterr().err
    assert cli.main(["report", "diff", str(one), str(two)]) == 0
