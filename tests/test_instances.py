"""The contract of rules: names, options, errors."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from wcnfgen.errors import UsageError
from wcnfgen.instances.rules import Option, generate, get, names, write_csv


def table(name: str, **options: object) -> list[str]:
    return [",".join(row) for row in generate(name, **options).rows]


def test_csv_has_header_class_last_and_lf() -> None:
    out = io.StringIO()
    write_csv(out, generate("parity2"))
    assert out.getvalue() == "x1,x2,class\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"


@pytest.mark.parametrize(
    ("printed", "rule", "options"),
    [
        ("mux3", "mux", {"address": 1}),
        ("mux11", "mux", {"address": 3}),
        ("monks-2", "monks", {"problem": 2}),
        ("parity7", "parity", {"relevant": 7}),
        ("parity3+4", "parity", {"relevant": 3, "irrelevant": 4}),
        ("parity5+5", "parity", {"relevant": 5, "irrelevant": 5, "bits": (2, 3, 4, 6, 8)}),
        ("mofn-2-4-6", "m-of-n", {"m": 2, "relevant": 4, "features": 6}),
        ("threeOf9", "three-of-9", {}),
        ("led7", "led", {}),
        ("led24", "led", {"irrelevant": 17}),
    ],
)
def test_a_name_of_the_literature_stands_for_options(
    printed: str, rule: str, options: dict[str, object]
) -> None:
    assert table(printed) == table(rule, **options)


def test_texts_and_values_are_the_same_options() -> None:
    assert table("parity", relevant="2", irrelevant="1", bits="1,3") == table(
        "parity", relevant=2, irrelevant=1, bits=(1, 3)
    )
    assert table("led", noise="0.25", rows="9") == table("led", noise=0.25, rows=9)


def test_a_text_option_stays_text() -> None:
    assert Option("word", "", "").convert("2") == "2"


def test_mux20_streams_and_is_complete(full: bool) -> None:
    rows = generate("mux20").rows
    assert next(rows) == ["0"] * 21
    assert not full or sum(1 for _ in rows) == 2**20 - 1


def test_drawn_rows_are_distinct_rows_of_the_whole() -> None:
    drawn = table("mux11", rows=500, seed=3)
    assert len(set(drawn)) == 500
    assert set(drawn) < set(table("mux11"))
    assert drawn != table("mux11", rows=500, seed=4)
    assert set(table("mux6", rows=64)) == set(table("mux6"))


def test_more_bits_than_can_be_listed_are_drawn() -> None:
    columns, rows = generate("mux37", rows=50)
    drawn = [[int(value) for value in row] for row in rows]
    assert len(columns) == 38
    assert len(drawn) == 50
    for *x, label in drawn:
        assert label == x[5 + int("".join(map(str, x[:5])), 2)]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("mxu6", {}, "no rule is named 'mxu6'; did you mean mux6"),
        ("", {}, "no rule is named ''; `wcnfgen data` lists them"),
        ("_tables", {}, "no rule is named '_tables'"),
        ("../mux", {}, "no rule is named"),
        ("mux6", {"address": 3}, "mux6 has no option address: its name fixes it to 2"),
        ("mux", {"adress": 3}, "mux has no option adress: it has address, rows, seed"),
        ("car", {"seed": 1}, "car has no option seed: it has none"),
        ("mux", {"address": "two"}, "address must be an integer, not 'two'"),
        ("mux", {"address": 0}, "address must be from 1 to 10, not 0"),
        ("mux6", {"rows": 65}, "rows must be from 0 to 64, not 65"),
        ("mux6", {"rows": 5, "seed": -1}, "seed must be from 0"),
        ("mux37", {}, "37 bits have 2^37 inputs: draw some"),
        ("led7", {"noise": "nan"}, "noise must be from 0 to 1, not nan"),
        ("led7", {"noise": "much"}, "noise must be a number, not 'much'"),
        ("parity", {"bits": "a"}, "bits must be integers like 2,3, not 'a'"),
        ("parity2+1", {"bits": "1,4"}, "bits must be from 1 to 3, not 4"),
        ("parity2+1", {"bits": "1,1"}, "bits must name relevant=2 different bits, not 1,1"),
        ("monks-4", {}, "problem must be from 1 to 3, not 4"),
        ("mofn-3-2-5", {}, "m must be from 1 to 2, not 3"),
        ("random-dnf", {"features": 2, "length": 2, "terms": 5}, "terms=5: 2 features have fewer terms"),
        ("hidden-tree", {"nodes": 4}, "nodes must be odd, not 4"),
        ("hidden-tree", {"nodes": 9, "features": 2}, "nodes must be from 3 to 7, not 9"),
        ("hidden-tree", {"nodes": 5, "classes": 4}, "classes must be from 2 to 3, not 4"),
        ("hidden-tree", {"nodes": 5, "rows": 2}, "rows must be from 3"),
        ("hidden-tree", {"noise": 1.5}, "noise must be from 0 to 1, not 1.5"),
    ],
)
def test_bad_names_and_options_are_usage_errors(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as error:
        generate(name, **options)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_the_folder_is_the_registry() -> None:
    assert names() == sorted(set(names()))
    assert {"mux", "monks", "m-of-n", "random-dnf", "hidden-tree", "iris", "weather"} <= set(names())
    assert get("mux").summary.startswith("Multiplexer")


def test_importing_and_naming_rules_does_not_load_numpy() -> None:
    program = "import sys, wcnfgen.instances.rules as i; i.generate('car'); assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
