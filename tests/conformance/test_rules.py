"""What every rule must keep, whichever files the folder holds."""

from __future__ import annotations

import inspect
import io
import re

import pytest

from wcnfgen.instances.rules import generate, get, names, write_csv

# printed names beside the rules' own; templates are tried in tests/test_instances.py
LITERATURE = [
    printed
    for name in names()
    for printed in get(name).names
    if "{" not in printed and printed not in ("mux20", "mux37", "mux70")  # large: tests/test_instances.py
]


def _options(name: str) -> list[str]:
    return [option.name for option in get(name).options]


def text(name: str, **options: object) -> str:
    out = io.StringIO()
    write_csv(out, generate(name, **options))
    return out.getvalue()


@pytest.mark.parametrize("name", names() + LITERATURE)
class TestEveryRule:
    def test_same_options_give_the_same_bytes(self, name: str) -> None:
        assert text(name) == text(name)

    def test_rows_are_as_long_as_the_header_and_class_is_last(self, name: str) -> None:
        columns, rows = generate(name)
        table = list(rows)
        assert columns[-1] == "class"
        assert len(set(columns)) == len(columns) >= 2
        assert {len(row) for row in table} == {len(columns)}
        assert len({row[-1] for row in table}) >= 2

    def test_values_need_no_quotes(self, name: str) -> None:
        columns, rows = generate(name)
        assert all(re.fullmatch(r"[\w.?+#-]+", value) for row in (columns, *rows) for value in row)
        assert '"' not in text(name)

    def test_the_default_makes_sense_as_an_option(self, name: str) -> None:
        options = {option.name: option.default for option in get(name).options}
        assert text(name, **options) == text(name)
        plain = {name: str(value) for name, value in options.items() if not isinstance(value, tuple)}
        assert text(name, **plain) == text(name)


@pytest.mark.parametrize("name", names())
class TestEveryDocstring:
    def test_first_line_says_what_the_class_is(self, name: str) -> None:
        assert re.fullmatch(r".{10,100}\.", get(name).summary)

    def test_each_option_has_one_line_and_each_line_an_option(self, name: str) -> None:
        rule = get(name)
        lines = re.findall(r"^([a-z]\w*): ", inspect.getdoc(rule.function) or "", re.MULTILINE)
        assert lines == _options(name)
        assert all(option.meaning for option in rule.options)

    def test_options_are_keyword_only_with_a_default_of_a_plain_type(self, name: str) -> None:
        for parameter in inspect.signature(get(name).function).parameters.values():
            assert parameter.kind is parameter.KEYWORD_ONLY
            assert isinstance(parameter.default, int | float | str | tuple)


@pytest.mark.parametrize("name", [name for name in names() if "seed" in _options(name)])
def test_a_seed_changes_rows_but_not_the_header(name: str) -> None:
    few: dict[str, object] = {"rows": 16} if "rows" in _options(name) else {}
    tables = [text(name, seed=seed, **few) for seed in range(3)]
    assert len(set(tables)) > 1
    assert len({table.partition("\n")[0] for table in tables}) == 1
