"""What every family must keep, whichever files the folder holds."""

from __future__ import annotations

import csv
import inspect
import io
import json
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from wcnfgen import encodings, instances, making, signatures
from wcnfgen.bundle.description import references
from wcnfgen.constraints.topology import layouts
from wcnfgen.errors import UsageError
from wcnfgen.instances import Family, Source, Spec, datasets, rules
from wcnfgen.instances._grid import BARE
from wcnfgen.prepare import prepare

PLANNED = re.compile(r"\{(\w+)\}")  # in a spec's name: known when the formula is planned
TEMPLATE = re.compile(r"[a-z0-9._-]*\{\w+\}[\w.{}-]*")
WORD = re.compile(r"[a-z0-9][a-z0-9._-]*[a-z0-9]")
DATA = Path(__file__).parents[2].parent / "shared" / "data"

# A family under options that make it another one; the default is the first.
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in instances.names()),
    ("mindt-subsamples", {"as_maxsat": True}),
    ("mpdt-samples", {"percents": (100,), "seeds": 2}),
    ("layouts", {"levels": (2, 4), "leaves": 2}),
]


class Made(NamedTuple):
    """A family, options, what it then says of itself, and its specs."""

    source: Source
    options: dict[str, Any]
    family: Family
    specs: list[Spec]


@pytest.fixture(params=VARIANTS, ids=lambda pair: " ".join([pair[0], *pair[1]]))
def made(request: pytest.FixtureRequest) -> Made:
    """A family with everything it yields."""
    name, options = request.param
    source = instances.get(name)
    return Made(source, options, source.described(**options), list(source.specs(**options)))


def test_it_says_what_a_submission_has_to_say(made: Made) -> None:
    family, specs = made.family, made.specs
    assert 10 <= len(family.title) <= 100
    assert not family.title.endswith(".")
    assert len(family.domain) >= 300
    assert family.domain.endswith(".")
    assert not set("\\$&#~^_%") & set(family.title + family.domain.replace("2^k", "").replace("2^(", ""))
    assert family.papers
    assert set(family.papers) <= set(references.known())
    for spec in specs:
        assert set(spec.parameters) <= set(family.parameters), spec.name
        assert next(iter(spec.parameters)) == "data"
    assert {key for spec in specs for key in spec.parameters} == set(family.parameters)


def test_specs_are_the_same_each_time(made: Made) -> None:
    assert list(made.source.specs(**made.options)) == made.specs


def test_names_are_unique_and_fit_for_the_evaluation(made: Made) -> None:
    specs = made.specs
    names = [PLANNED.sub("99", spec.name) for spec in specs]
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name) for name in names)
    assert len({PLANNED.sub("", spec.name) for spec in specs}) == len(specs), "before they are filled, too"
    assert max(map(len, names)) <= 60


def test_names_follow_the_convention_that_the_family_states(made: Made) -> None:
    """A template of the naming with the spec's own values in its braces is the name."""
    family, specs = made.family, made.specs
    templates = TEMPLATE.findall(family.naming)
    for spec in specs:
        values: dict[str, Any] = {"seed": seed_of(spec), **spec.parameters}
        planned = dict.fromkeys(PLANNED.findall(spec.name))
        filled = [fill(each, values | {key: f"{{{key}}}" for key in planned}) for each in templates]
        assert spec.name in filled, (spec.name, filled)


def seed_of(spec: Spec) -> object:
    return spec.options.get("seed", spec.data.options.get("seed", 0))


def fill(template: str, values: dict[str, Any]) -> str:
    return PLANNED.sub(lambda found: str(values.get(found[1], found[0])), template.rstrip(".,:"))


def test_every_parameter_is_in_the_name(made: Made) -> None:
    """What the braces of the naming stand for settles all parameters."""
    family, specs = made.family, made.specs
    named = set(PLANNED.findall(family.naming))
    settled: dict[tuple[str, ...], dict[str, Any]] = {}
    for spec in specs:
        shown = tuple(str(spec.parameters.get(key)) for key in sorted(named))
        assert settled.setdefault(shown, dict(spec.parameters)) == spec.parameters, spec.name


def test_the_examples_of_the_naming_are_instances(made: Made, tmp_path: Path) -> None:
    """With the very bound, where the data are at hand."""
    family, specs = made.family, made.specs
    words = [word for word in WORD.findall(family.naming.partition("such as ")[2]) if "-" in word]
    patterns = {re.sub(r"\\{\w+\\}", r"[0-9]+", re.escape(spec.name)): spec for spec in specs}
    for word in words:
        named = [spec for pattern, spec in patterns.items() if re.fullmatch(pattern, word)]
        if not named and made.options:
            continue  # the example is one of the default instances
        (spec,) = named
        if data := file_of(spec, tmp_path):
            instance = making.make(str(data), spec.encoding, dict(spec.options))
            assert spec.name.format(**instance.encoding.options) == word
    assert words


def test_options_are_json_and_known_to_data_and_encoding(made: Made) -> None:
    specs = made.specs
    for spec in {json.dumps([s.encoding, dict(s.options)]): s for s in specs}.values():
        plan = encodings.get(spec.encoding).plan
        making.split(dict(spec.options), prepare, plan)
        given = {p.name for p in signatures.parameters(plan) if p.default is p.empty}
        assert given <= set(spec.options), spec.name
        kinds = {**signatures.types_of(prepare), **signatures.types_of(plan)}
        for key, value in spec.options.items():
            assert of_kind(value, kinds[key]), (spec.name, key, value)


def of_kind(value: Any, kind: Any) -> bool:
    parts = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return value in parts
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    if parts:
        return any(of_kind(value, part) for part in parts)
    return type(value) is kind


def test_data_are_known(made: Made) -> None:
    family, specs = made.family, made.specs
    sources = {spec.data.name: spec.data for spec in specs}
    assert all(spec.data == sources[spec.data.name] for spec in specs), "one name, one data set"
    for data in sources.values():
        if data.kind == "rule":
            assert rules.generate(data.of, **data.options).columns[-1] == "class"
        else:
            assert datasets.get(data.of).name == data.of
    assert family.crafted == all(data.kind == "rule" for data in sources.values())


def test_chains_are_of_one_kind(made: Made) -> None:
    specs = made.specs
    chains: dict[str, Spec] = {}
    for spec in (each for each in specs if each.chain):
        assert spec.chain
        first = chains.setdefault(spec.chain.name, spec)
        assert first.chain
        assert (first.data, dict(first.options)) == (spec.data, dict(spec.options))
        assert (first.chain.solver, first.chain.wall_s) == (spec.chain.solver, spec.chain.wall_s)
        assert spec.encoding == "boost"


def test_the_track_is_that_of_the_files(made: Made) -> None:
    family, specs = made.family, made.specs
    assert {spec.format for spec in specs} == {"cnf" if family.track == "sat" else "wcnf"}


@pytest.mark.parametrize("name", instances.names())
class TestEveryFamily:
    def test_options_have_a_default_a_plain_type_and_a_meaning(self, name: str) -> None:
        specs = instances.get(name).specs
        meanings = signatures.meanings(specs)
        parameters = list(inspect.signature(specs).parameters.values())
        assert list(meanings) == [p.name for p in parameters]
        for parameter in parameters:
            assert parameter.kind is parameter.KEYWORD_ONLY
            assert parameter.default is not parameter.empty
            json.dumps(parameter.default)

    def test_its_first_line_says_what_it_is(self, name: str) -> None:
        assert re.fullmatch(r".{20,115}\.", signatures.summary(instances.get(name).specs))

    def test_it_has_as_many_instances_as_a_submission(self, name: str) -> None:
        number = len(list(instances.get(name).specs()))
        assert number == 1140 if name == "mpdt-samples" else 60 <= number <= 400

    def test_no_number_is_out_of_range_unnoticed(self, name: str) -> None:
        with pytest.raises(UsageError, match="--seeds 0"):
            list(instances.get(name).specs(seeds=0))

    def test_one_of_its_instances_can_be_planned(self, name: str, tmp_path: Path) -> None:
        """One at hand without the data folder if there is one, else one of the folder."""
        if not (found := at_hand(name, tmp_path)):
            pytest.skip("its data sets are not in ../shared/data")
        spec, data = found
        instance = making.make(str(data), spec.encoding, dict(spec.options))
        known = {**instance.encoding.options, "nodes": 3}
        assert re.fullmatch(r"[a-z0-9._-]+", spec.name.format(**known))
        assert (instance.counts.soft == 0) == (spec.format == "cnf")


def at_hand(name: str, folder: Path) -> tuple[Spec, Path] | None:
    """The first instance whose data are here, and their file."""
    for spec in instances.get(name).specs():
        if path := file_of(spec, folder):
            return spec, path
    return None


def file_of(spec: Spec, folder: Path) -> Path | None:
    """The data of an instance, generated if a rule makes them; None if they are not here."""
    if spec.data.kind == "paper":
        return datasets.locate(spec.data.of, [DATA])
    out = io.StringIO()
    rules.write_csv(out, rules.generate(spec.data.of, **spec.data.options))
    (folder / "data.csv").write_text(out.getvalue())
    return folder / "data.csv"


def test_the_default_submission_is_real_data_for_maxsat() -> None:
    assert instances.submission() == ["dtboost", "dtmax", "infer-depth", "layouts", "mixed", "mpdt-samples"]


def test_families_of_the_papers_are_those_of_the_papers() -> None:
    specs = list(instances.get("mpdt-samples").specs())
    kinds = {(spec.data.name, spec.options["sample"]) for spec in specs}
    assert len(kinds) == 19 * 3
    assert {spec.options["seed"] for spec in specs} == set(range(1, 21))
    assert {spec.options["binarise"] for spec in specs} == {"binary"}
    depths = {spec.options["depth"] for spec in instances.get("dtmax").specs()}
    assert depths == {2, 3, 4, 5, 6}
    found = {(spec.data.name, spec.options["sample"]) for spec in instances.get("mindt-subsamples").specs()}
    assert len(found) == 16
    rounds = [spec.chain.round for spec in instances.get("dtboost").specs() if spec.chain]
    assert set(rounds) == {2, 3, 4, 5, 6}


def test_options_say_what_names_say() -> None:
    for spec in instances.get("dtmax").specs():
        assert spec.options["exact"] == ("-exact" in spec.name)
        assert f"{spec.parameters['mode']}{spec.options['depth']}-p80-s1" in spec.name
        assert spec.options["sample"] == 0.8
        assert spec.options["unit_weights"]
    for spec in instances.get("mpdt-samples").specs():
        assert spec.options["sample"] == spec.parameters["percent"] / 100  # type: ignore[operator]
    for spec in instances.get("mixed").specs():
        costs = (spec.options[f"{each}_weight"] for each in ("error", "size", "depth"))
        assert spec.parameters["weights"] == ".".join(map(str, costs))
    for spec in instances.get("hidden-tree").specs():
        noise, nodes = spec.data.options["noise"], spec.data.options["nodes"]
        assert (noise, nodes) == (spec.parameters["noise"] / 100, spec.parameters["nodes"])  # type: ignore[operator]
        assert spec.options.get("ub") == (nodes if noise else None)
    for spec in instances.get("infer-depth").specs(sets=["spect"], deeper=(0, 2)):
        least = {20: 6, 50: 7, 100: 8}[int(spec.parameters["percent"])]
        assert spec.options["depth"] in (least, least + 2)


def test_layouts_are_complete_but_for_a_leaf() -> None:
    numbers = [spec.options["layout"] for spec in instances.get("layouts").specs(sets=["iris"], seeds=1)]
    assert [layouts(3)[number - 1] for number in numbers] == [
        "1110111",
        "1111011",
        "1111101",
        "1111110",
        "1111111",
    ]


def published(file: str) -> list[dict[str, str]]:
    path = DATA / file
    return list(csv.DictReader(path.read_text().splitlines())) if path.is_file() else []


@pytest.mark.parametrize("row", published("expected_mpdt_table4.csv"), ids=lambda row: row["name"])
def test_mpdt_prepares_its_data_as_the_paper_does(row: dict[str, str]) -> None:
    """Rows, columns (with the class) and classes of Table 4, for all rows of a set."""
    (spec,) = instances.get("mpdt-samples").specs(sets=[row["name"]], percents=[100])
    (of_data,) = making.split({k: v for k, v in spec.options.items() if k not in BARE}, prepare)
    found = prepare(str(datasets.locate(row["name"], [DATA])), **of_data)
    columns = len(found.binarisation.tests)
    assert (found.used, columns + 1, len(found.classes)) == tuple(
        int(row[key]) for key in ("rows", "columns_binary", "labels")
    )


COLUMNS = {  # Narodytska et al. 2018, Table 5, #f
    "car": 21,
    "cancer": 89,
    "shuttle": 691,
    "colic": 415,
    "appendicitis": 530,
    "australian": 1163,
    "backache": 475,
    "cleve": 395,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_mindt_prepares_its_data_as_the_paper_does(name: str) -> None:
    spec = next(iter(instances.get("mindt-subsamples").specs(sets=[name])))
    if (path := datasets.locate(name, [DATA])) is None:
        pytest.skip("its data set is not in ../shared/data")
    (of_data,) = making.split({k: v for k, v in spec.options.items() if k not in {*BARE, "nodes"}}, prepare)
    assert len(prepare(str(path), **of_data).binarisation.tests) == COLUMNS[name]


def test_depths_that_leave_no_error_are_left_out() -> None:
    for name in ("dtmax", "dtboost"):
        asked = {"depths": (2, 3, 4), "sets": ("mushroom", "segment", "zoo-1")}
        specs = instances.get(name).specs(**asked)
        assert {(s.data.name, s.options["depth"]) for s in specs} == {
            ("mushroom", 2),
            ("mushroom", 3),
            ("segment", 2),
        }


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("mpdt-samples", {"sets": ("zo",)}, "'zo'; did you mean zoo"),
        ("mpdt-samples", {"percents": (0,)}, "--percents 0"),
        ("mpdt-samples", {"percents": (101,)}, "--percents 101"),
        ("dtmax", {"depths": (0,)}, "--depths 0"),
        ("dtboost", {"wall": 0.0}, "--wall 0"),
        ("dtboost", {"rounds": (0,)}, "--rounds 0"),
        ("mixed", {"weights": ("0.1.1",)}, "--weights 0.1.1"),
        ("mixed", {"weights": ("1:1:1",)}, "--weights 1:1:1"),
        ("layouts", {"levels": (5,)}, "--levels 5"),
        ("mux", {"address": (11,)}, "--address 11"),
        ("mux", {"rows": (1,)}, "--rows 1"),
        ("hidden-tree", {"noise": (51,)}, "--noise 51"),
    ],
)
def test_a_number_out_of_range_is_named(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        list(instances.get(name).specs(**options))


def test_all_inputs_are_listed_once() -> None:
    names = [spec.name for spec in instances.get("mux").specs(address=[2], rows=[60, 64, 99], seeds=2)]
    assert names == [f"mux-a2-{tag}-ub{{ub}}" for tag in ("rows60-s1", "rows60-s2", "rows64-s0")]
    (listed,) = instances.get("mux").specs(address=[2], rows=[64])
    assert sum(1 for _ in rules.generate(listed.data.of, **listed.data.options).rows) == 64


def test_concepts_that_make_no_sense_are_left_out() -> None:
    specs = instances.get("mofn").specs(m=[2, 6], n=[5, 9], features=[8, 9], rows=[40], seeds=1)
    assert {spec.parameters["data"] for spec in specs} == {
        "mofn-2-5-8",
        "mofn-2-5-9",
        "mofn-2-9-9",
        "mofn-6-9-9",
    }


def test_a_sample_of_all_rows_is_one() -> None:
    names = [spec.name for spec in instances.get("mpdt-samples").specs(sets=["zoo"], percents=[100])]
    assert names == ["mpdt-zoo-p100-s0-ub{ub}"]


def test_sizes_of_mindt_are_odd_and_around_those_of_the_paper() -> None:
    specs = instances.get("mindt-subsamples").specs(sets=["car", "colic"], around=(-2, 0, 3), seeds=1)
    found = [(s.parameters["data"], s.parameters["percent"], s.options["nodes"]) for s in specs]
    assert found == [
        *(("car", 5, n) for n in (17, 19, 21)),
        *(("car", 10, n) for n in (21, 23, 25)),
        *(("colic", 5, n) for n in (5, 7, 9)),
        *(("colic", 10, n) for n in (7, 9, 11)),
    ]


def test_an_unknown_family_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="'mpdt-sample'; did you mean mpdt-samples"):
        instances.get("mpdt-sample")
    with pytest.raises(UsageError, match="there are: dtboost, dtmax"):
        instances.get("xyz")


def test_listing_families_imports_no_numpy() -> None:
    code = (
        "import sys; from wcnfgen import instances; "
        "[instances.get(name) for name in instances.names()]; print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_reference_has_an_author_a_title_and_a_year() -> None:
    for key, entry in references.known().items():
        assert all(
            re.search(rf"^  {field} += {{", entry, re.MULTILINE) for field in ("author", "title", "year")
        )
        assert entry.isascii(), key
        assert re.fullmatch(r"[a-z]+\d{4}", key)


def test_every_paper_and_data_set_is_cited_with_a_reference() -> None:
    keys = {key for name in datasets.names() for key in datasets.get(name).cite}
    keys |= {key for name in instances.names() for key in instances.get(name).family.papers}
    assert keys == set(references.known())
    with (Path(instances.__file__).parent / "data" / "datasets.csv").open(newline="") as lines:
        assert len(list(csv.DictReader(lines))) == len(datasets.names())
