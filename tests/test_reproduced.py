"""What the README says of the papers' claims is what the tables of `instances/reproduced` found.

`python -m tests.test_reproduced FOLDER ...` takes over what `wcnfgen reproduce` left in folders, and writes
the README's part anew.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from wcnfgen import experiments

ROOT = Path(__file__).parents[1]
HERE = ROOT / "instances" / "reproduced"
BEGIN, END = "<!-- claims -->\n", "<!-- end of claims -->\n"
KEYS = ("says", "held", "here")
HELD = ("yes", "partly", "no", "open")
PATHS = re.compile(r"/(tmp|home|root|work|usr|opt|mnt)/")


def found(name: str) -> dict[str, Any]:
    """A table as JSON."""
    document: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    return document


def part() -> str:
    """The README's part on what was found."""
    names = experiments.names()
    documents = {name: found(name) for name in names}
    counts = [
        "| table | source | held | partly | did not | open |",
        "|---|---|--:|--:|--:|--:|",
        *(
            f"| [{name}](instances/reproduced/{name}.md) | {each['facts']['source']} | "
            + " | ".join(str(sum(claim["held"] == held for claim in each["claims"]) or "") for held in HELD)
            + " |"
            for name, each in documents.items()
        ),
    ]
    claims = [
        "| table | the paper says | held | here |",
        "|---|---|---|---|",
        *(
            f"| {name} | " + " | ".join(str(claim[key]).replace("|", "\\|") for key in KEYS) + " |"
            for name, each in documents.items()
            for claim in each["claims"]
        ),
    ]
    details = ["<details>", "<summary>Each claim, and by how much</summary>", "", *claims, "", "</details>"]
    return "\n".join([*counts, "", *details, ""])


def shown() -> str:
    """What the README has."""
    return (ROOT / "README.md").read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def test_the_readme_says_what_was_found() -> None:
    assert shown() == part()


@pytest.mark.parametrize("name", experiments.names())
def test_each_table_is_there_with_its_command(name: str) -> None:
    document, page = found(name), (HERE / f"{name}.md").read_text("utf-8")
    assert document["facts"]["command"] == f"wcnfgen reproduce {name} --scale small --data DATA -o FOLDER"
    assert f"- command: {document['facts']['command']}\n" in page
    assert document["claims"] and all(claim["held"] in HELD for claim in document["claims"])
    for file in HERE.glob(f"{name}.*"):
        assert not PATHS.search(file.read_text("utf-8"))
    tables = list(HERE.glob(f"{name}.*.csv"))
    assert tables
    for path in tables:
        with path.open(newline="", encoding="utf-8") as file_:
            heading, *rows = csv.reader(file_)
        assert rows and all(len(row) == len(heading) for row in rows)


def test_nothing_else_is_there() -> None:
    assert {path.name.partition(".")[0] for path in HERE.iterdir()} == set(experiments.names())


def _take_over(folders: list[str]) -> None:
    HERE.mkdir(exist_ok=True)
    for folder in map(Path, folders):
        (name,) = [path.stem for path in folder.glob("*.md")]
        for old in HERE.glob(f"{name}.*"):
            old.unlink()
        for file in folder.glob(f"{name}.*"):
            (HERE / file.name).write_bytes(file.read_bytes())
    readme = ROOT / "README.md"
    readme.write_text(readme.read_text("utf-8").replace(BEGIN + shown() + END, BEGIN + part() + END), "utf-8")


if __name__ == "__main__":
    _take_over(sys.argv[1:])
