"""Every experiment of the papers, at the scale that needs no data but the package's."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from tests.optional import needs
from wcnfgen import commands, experiments, reproduce
from wcnfgen.experiments.findings import CLAIMS, Held
from wcnfgen.experiments.making import Made
from wcnfgen.experiments.work import Work

DATA = Path(__file__).parents[2].parent / "shared" / "data"
NAMES = experiments.names()


@dataclass(frozen=True)
class Run:
    made: Made
    files: dict[str, tuple[int, bytes]]  # when each was written, and what it holds


@pytest.fixture(scope="module", params=NAMES)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    name = request.param
    for module in experiments.get(name).EXPERIMENT.needs:
        needs(experiments.there(module), module)
    made = reproduce(name, scale="tiny", output=str(tmp_path_factory.mktemp(name) / "it"))
    assert isinstance(made, Made)
    return Run(made, _files(made.folder))


def _files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".reproduce.lock"
    }


def test_tables_are_whole_and_have_rows(run: Run) -> None:
    assert run.made.summary is not None and run.made.found is not None
    assert run.made.found.tables
    for table in run.made.summary.tables:
        assert table.rows, f"{table.name} is empty"
        assert re.fullmatch(r"[a-z0-9-]+", table.name)
        assert {len(row) for row in table.rows} == {len(table.columns)}
        headings = [column.heading for column in table.columns]
        assert len(set(headings)) == len(headings)


def test_claims_say_what_was_measured(run: Run) -> None:
    assert run.made.found is not None
    assert run.made.found.claims, "an experiment is there to judge claims"
    for claim in run.made.found.claims:
        assert claim.held in get_args(Held)
        assert claim.says.strip() and claim.measured.strip()


def test_what_is_written_is_what_is_printed(run: Run) -> None:
    folder, summary, found = run.made.folder, run.made.summary, run.made.found
    assert summary is not None and found is not None
    name = json.loads((folder / f"{_name(folder)}.json").read_text())
    assert [each["says"] for each in name["claims"]] == [each.says for each in found.claims]
    page = (folder / f"{_name(folder)}.md").read_text()
    assert all(each in page for each in (summary.title, f"reproduce {_name(folder)} --scale tiny"))
    for table in summary.tables:
        if table.name != CLAIMS:
            text = (folder / f"{_name(folder)}.{table.name}.csv").read_text()
            assert len(list(csv.reader(io.StringIO(text)))) == 1 + len(table.rows)


def _name(folder: Path) -> str:
    return next(name for name in NAMES if (folder / f"{name}.md").exists())


def test_again_there_is_nothing_to_do_and_the_same_is_said(run: Run) -> None:
    folder = run.made.folder
    again = reproduce(_name(folder), scale="tiny", output=str(folder))
    assert again == run.made
    assert _files(folder) == run.files, "a file was written again"


def test_its_lines_are_commands(run: Run) -> None:
    lines = (run.made.folder / "commands.txt").read_text().splitlines()
    assert lines
    for line in lines:
        program, command, *words = shlex.split(line)
        assert program == "wcnfgen" and command in commands.names() and command != "reproduce"
        assert words[-2] == ">" and (run.made.folder / words[-1]).is_file()
        assert str(run.made.folder) not in line, "the same line means the same in another folder"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", ["small", "paper"])
def test_other_scales_have_steps(name: str, scale: experiments.Scale, tmp_path: Path) -> None:
    if not DATA.exists():
        pytest.skip("no ../shared/data")
    recipe = experiments.get(name)
    for module in recipe.EXPERIMENT.needs:
        needs(experiments.there(module), module)
    work = Work(name, tmp_path, scale, (DATA,))
    first = next(iter(recipe.stages(work)))
    assert first and not work.missing
    assert len({step.output for step in first}) == len(first)
