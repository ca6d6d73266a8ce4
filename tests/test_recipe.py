"""A family of one's own data: what a recipe yields, and what it is refused for."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import pytest

from wcnfgen import making
from wcnfgen.errors import UsageError
from wcnfgen.instances import Source, recipe

ROWS = "id,a,b,c,class\n" + "".join(
    f"{q},{q % 2},{q // 2 % 2},{q // 4 % 2},{'yes' if q % 3 else 'no'}\n" for q in range(16)
)
LEAST = {
    "name": '"mine"',
    "title": '"Trees of mine"',
    "domain": '"Find a tree."',
    "encoding": '"depth"',
    "data": '["north.csv"]',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with data files."""
    for name in ("north.csv", "south.csv", "customers 2019.csv"):
        (tmp_path / name).write_text(ROWS)
    return tmp_path


def made(folder: Path, options: str = "depth = 2", **keys: str) -> Source:
    """The family of a recipe: what each needs, changed or added to; an empty text leaves a key out."""
    lines = [f"{key} = {value}" for key, value in {**LEAST, **keys}.items() if value]
    (folder / "recipe.toml").write_text("\n".join([*lines, "[options]", options, ""]))
    return recipe.read(folder / "recipe.toml")


def example() -> str:
    """The recipe in the docstring, with its table."""
    parts = re.findall(r"::\n\n((?:    .*\n|\n)+)", inspect.getdoc(recipe) or "")
    first, table = (textwrap.dedent(part) for part in parts)
    return f"{first}\n# {table}"


def test_the_example_of_the_documentation(folder: Path) -> None:
    (folder / "credit.toml").write_text(example().partition("# ")[0])
    source = recipe.read(folder / "credit.toml")
    assert source.name == "credit"
    assert source.family.domain.startswith("Given applications")
    assert source.family.domain.count("\n\n") == 1
    specs = list(source.specs())
    assert [spec.name for spec in specs] == [
        f"credit-{data}-depth{depth}-p{percent}-s{seed}"
        for data in ("north", "south")
        for depth in (2, 3)
        for percent in (40, 80)
        for seed in (1, 2)
    ]
    assert specs[0].options == {"depth": 2, "sample": 0.4, "unit_weights": True, "seed": 1}
    assert specs[0].parameters == {"data": "north", "depth": 2, "sample": 0.4}
    assert source.family.naming == (
        "credit-{data}-depth{depth}-p{percent}-s{seed}, such as credit-north-depth2-p40-s1"
    )
    assert set(source.family.parameters) == {"data", "depth", "sample"}
    assert source.family.parameters["depth"] == "largest number of tests on a path"


def test_the_table_of_the_documentation(folder: Path) -> None:
    text = example().partition("# ")[2]
    (folder / "r.toml").write_text('name = "n"\ntitle = "t"\ndomain = "d"\nencoding = "size"\n' + text)
    (spec,) = recipe.read(folder / "r.toml").specs()
    assert spec.name == "n-customers-ub{ub}"
    assert spec.data.of == str(folder / "customers 2019.csv")
    assert spec.options == {"drop": ["id"]}


def test_what_is_made_can_be_planned(folder: Path) -> None:
    for spec in made(folder, "depth = [1, 2]\ndrop = ['id']\nsample = 0.5").specs():
        instance = making.make(spec.data.of, spec.encoding, dict(spec.options))
        assert instance.counts.soft > 0


def names(source: Source) -> list[str]:
    return [spec.name for spec in source.specs()]


def test_lists_are_crossed_and_single_values_are_not_named(folder: Path) -> None:
    found = made(folder, 'depth = [2, 3]\nexact = [true, false]\nform = "core"')
    assert names(found) == [
        f"mine-north-depth{depth}-exact-{exact}" for depth in (2, 3) for exact in ("true", "false")
    ]
    assert [spec.parameters["exact"] for spec in found.specs()] == ["true", "false"] * 2
    assert {spec.options["form"] for spec in found.specs()} == {"core"}


def test_a_sample_is_always_named(folder: Path) -> None:
    assert names(made(folder, "depth = 2\nsample = 0.125")) == ["mine-north-p12.5-s1"]


def test_an_option_that_is_a_list_is_taken_as_it_is(folder: Path) -> None:
    (spec,) = made(folder, 'depth = 2\ndrop = ["id", "a"]').specs()
    assert spec.options["drop"] == ["id", "a"]
    found = made(folder, 'depth = 2\ndrop = [["id"], ["id", "a"]]')
    assert [spec.options["drop"] for spec in found.specs()] == [["id"], ["id", "a"]]
    assert names(found) == ["mine-north-drop-id", "mine-north-drop-id_a"]


@pytest.mark.parametrize(
    ("encoding", "options", "name"),
    [
        ("size", "lb = 3", "mine-north-ub{ub}"),
        ("size", "ub = 7", "mine-north"),
        ("size", "ub = [7, 9]", "mine-north-ub7"),
        ("mixed", "depth_weight = 1", "mine-north-ub{ub}"),
        ("exact", "soft_rows = true", "mine-north-n{nodes}"),
        ("accuracy", "nodes = [5, 7]", "mine-north-nodes5"),
    ],
)
def test_a_bound_that_only_the_plan_knows_is_in_the_name(
    encoding: str, options: str, name: str, folder: Path
) -> None:
    assert names(made(folder, options, encoding=f'"{encoding}"'))[0] == name


def test_the_track(folder: Path) -> None:
    source = made(folder, "nodes = 5", encoding='"exact"', track='"sat"')
    assert source.family.track == "sat"
    assert [spec.format for spec in source.specs()] == ["cnf"]
    assert made(folder).family.track == "maxsat"


def test_what_is_optional(folder: Path) -> None:
    source = made(folder, papers='["hu2020"]', crafted="true", random='"drawn"')
    assert (source.family.papers, source.family.crafted, source.family.random) == (("hu2020",), True, "drawn")


def test_files_are_beside_the_recipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    (spec,) = made(folder).specs()
    assert spec.data.of == str(folder / "north.csv")
    assert spec.data.kind == "file"


@pytest.mark.parametrize(
    ("keys", "options", "message"),
    [
        ({"titel": '"x"'}, "depth = 2", "unknown key 'titel'; did you mean title?"),
        ({"name": '"%%%"'}, "depth = 2", "has to begin with a letter or a digit"),
        ({"name": '".."'}, "depth = 2", "has to begin with a letter or a digit"),
        ({"qqq": "1"}, "depth = 2", "unknown key 'qqq'; there are: name, title"),
        ({}, "dpeth = 2", "[options]: unknown key 'dpeth'; did you mean depth?"),
        ({"encoding": '"size"'}, "depth = 2", "[options]: unknown key 'depth'"),
        ({"encoding": '"dept"'}, "", "encoding: unknown key 'dept'; did you mean depth?"),
        ({}, "exact = true", "the encoding depth needs depth"),
        ({}, 'depth = "2"', "depth = '2': give a whole number"),
        ({}, "depth = 2.5", "depth = 2.5: give a whole number"),
        ({}, "depth = true", "depth = True: give a whole number"),
        ({}, "depth = [2, 'x']", "depth = 'x': give a whole number"),
        ({}, "depth = []", "depth has no value"),
        ({}, "depth = [2, 2]", "depth has a value twice"),
        ({}, "depth = 2\nsample = 'x'", "sample = 'x': give a number"),
        ({}, "depth = 2\nform = 'cor'", "form = 'cor': give one of core, paper"),
        ({}, "depth = 2\nexact = 1", "exact = 1: give true or false"),
        ({}, "depth = 2\ndrop = [1]", "drop = 1: give a list of texts"),
        ({}, "depth = 2\nseed = 1", "seeds = 5 instead"),
        ({}, "depth = 2\nweights = 'w'", "weights of rows cannot be given"),
        ({"seeds": "2"}, "depth = 2", "seeds count samples: give sample"),
        ({"seeds": "0"}, "depth = 2\nsample = 0.5", "seeds = 0: give 1 or more"),
        ({"seeds": '"2"'}, "depth = 2", "seeds: give a whole number"),
        ({"data": "[]"}, "depth = 2", "data is empty"),
        ({"data": ""}, "depth = 2", "data is missing"),
        ({"data": '"north.csv"'}, "depth = 2", "data: give a list"),
        ({"data": "[1]"}, "depth = 2", "data: give names of files"),
        ({"data": '["nowhere.csv"]'}, "depth = 2", "nowhere.csv: file names are relative to the recipe's"),
        ({"data": '[{file = "north.csv", dorp = ["id"]}]'}, "depth = 2", "'dorp'; did you mean drop?"),
        ({"data": '[{file = "north.csv", depth = 3}]'}, "depth = 2", "data: unknown key 'depth'"),
        ({"data": '[{file = "north.csv", drop = "id"}]'}, "depth = 2", "drop = 'id': give a list of texts"),
        ({"data": '[{file = "north.csv", name = 1}]'}, "depth = 2", "the name of north.csv is no text"),
        ({"data": '[{name = "north.csv"}]'}, "depth = 2", "tables [[data]] with file"),
        (
            {"data": '[{file = "north.csv", sample = 0.5}]'},
            "depth = 2\nsample = [0.4, 0.8]",
            "sample varies under [options], and north.csv has one of its own",
        ),
        ({"title": '""'}, "depth = 2", "title is empty"),
        ({"domain": ""}, "depth = 2", "domain is missing"),
        ({"name": "1"}, "depth = 2", "name: give a text"),
        ({"track": '"cnf"'}, "depth = 2", "track: give maxsat or sat"),
        ({"papers": '["hu2021"]'}, "depth = 2", "papers: unknown key 'hu2021'; did you mean hu2020?"),
        ({"papers": "[1]"}, "depth = 2", "papers: give a list of texts"),
    ],
)
def test_what_is_wrong_is_named(keys: dict[str, str], options: str, message: str, folder: Path) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as raised:
        made(folder, options, **keys)
    assert str(folder / "recipe.toml") in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("first", "second"), [("a b.csv", "a_b.csv"), ("A.csv", "a.csv"), ("x.csv", "x.txt")]
)
def test_names_that_collide_are_both_named(first: str, second: str, folder: Path) -> None:
    for name in (first, second):
        (folder / name).write_text(ROWS)
    with pytest.raises(UsageError, match="would be called") as raised:
        made(folder, data=f'["{first}", "{second}"]')
    assert repr(first) in str(raised.value)
    assert repr(second) in str(raised.value)
    (folder / "other.csv").write_text(ROWS)
    assert len(names(made(folder, data=f'["{first}", {{file = "{second}", name = "c"}}]'))) == 2


def test_a_file_that_is_no_recipe(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing.toml: No such file .*: give a recipe in TOML"):
        recipe.read(tmp_path / "nothing.toml")
    (tmp_path / "bad.toml").write_text("name = \n")
    with pytest.raises(UsageError, match=r"bad.toml: no TOML: .*line 1"):
        recipe.read(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"bad.toml: no TOML"):
        recipe.read(tmp_path / "bad.toml")
    with pytest.raises(UsageError, match=r"give a recipe in TOML"):
        recipe.read(tmp_path)
