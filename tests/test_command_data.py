"""``wcnfgen data``: the function, what it shows, and the file it writes."""

from __future__ import annotations

import io
import lzma
from pathlib import Path

import pytest

from wcnfgen.commands.data import data, present
from wcnfgen.errors import UsageError
from wcnfgen.instances.rules import get, names

WEATHER_HEAD = "outlook,temperature,humidity,windy,class\nsunny,hot,high,false,no\n"


def shown(rule: str = "", *, set: tuple[str, ...] = (), seed: int | None = None) -> str:
    out = io.StringIO()
    assert present(data(rule, set=set, seed=seed), out, set=set, seed=seed) == 0
    return out.getvalue()


def test_a_rule_is_written_as_csv() -> None:
    assert shown("weather").startswith(WEATHER_HEAD)
    assert shown("mux", set=("address=1",)) == shown("mux3")


def test_seed_is_short_for_set_seed() -> None:
    assert shown("led7", set=("rows=20",), seed=5) == shown("led7", set=("rows=20", "seed=5"))
    assert shown("led7", set=("rows=20",), seed=5) != shown("led7", set=("rows=20",), seed=6)


def test_without_a_rule_all_are_listed_with_every_option() -> None:
    listing = shown()
    for name in names():
        rule = get(name)
        assert f"{name}\n    {rule.summary}\n" in listing
        assert all(
            f"--set {option.name}=" in listing and option.meaning in listing for option in rule.options
        )


@pytest.mark.parametrize("ending", [".csv", ".csv.xz"])
def test_output_is_a_whole_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"w{ending}"
    out = io.StringIO()
    present(data("weather", output=str(path)), out, output=str(path))
    content = path.read_bytes()
    text = (lzma.decompress(content) if ending.endswith("xz") else content).decode()
    assert text == shown("weather")
    assert out.getvalue() == ""
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("rule", "set", "message"),
    [
        ("mux", ("address",), "--set address should be NAME=VALUE"),
        ("", ("address=2",), "which rule?"),
        ("muks6", (), "no rule is named 'muks6'; did you mean mux6"),
    ],
)
def test_usage_errors(rule: str, set: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as error:
        data(rule, set=set)
    assert str(error.value).startswith(message)


def test_a_seed_for_a_rule_without_chance_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="car has no option seed"):
        data("car", seed=1)
