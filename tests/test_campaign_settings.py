"""campaign.toml: what is written is read, and what is not understood is refused by name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.campaign import settings
from wcnfgen.campaign.settings import FILE, Entrant, Settings
from wcnfgen.drivers import Limits
from wcnfgen.errors import UsageError
from wcnfgen.files import safe

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", fullmatch=True)
TEXTS = st.text(min_size=1).filter(lambda text: "\0" not in text)
AMOUNTS = st.none() | st.floats(min_value=1e-9, max_value=1e12)
ENTRANTS = st.builds(
    Entrant,
    name=NAMES,
    solver=TEXTS,
    binary=st.none() | TEXTS,
    options=st.lists(TEXTS).map(tuple),
    files=st.lists(TEXTS).map(tuple),
    line_buffer=st.sampled_from([None, "none", "stdbuf", "pty"]),
)
LIMITS = st.builds(
    Limits,
    wall_s=AMOUNTS,
    cpu_s=AMOUNTS,
    memory_mib=AMOUNTS,
    memory_hard_mib=st.none() | st.just(1e12),
    output_mib=AMOUNTS,
    grace_s=st.floats(min_value=0, max_value=1e6),
)
SETTINGS = st.builds(
    Settings,
    name=NAMES,
    instances=st.lists(TEXTS, min_size=1).map(tuple),
    solvers=st.lists(ENTRANTS, min_size=1, max_size=4, unique_by=lambda each: each.name).map(tuple),
    limits=LIMITS,
    selected=st.booleans(),
    seeds=st.lists(st.integers(min_value=0), unique=True).map(tuple),
    cores=st.integers(min_value=1),
    driver=st.sampled_from(["local", "cgroup", "runexec"]),
    order=st.integers(min_value=0),
    attempts=st.integers(min_value=1),
)
SMALL = 'instances = ["x.wcnf"]\n[[solver]]\nsolver = "rc2"\n'
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        (tmp_path / FILE).write_text(text)
        return tmp_path / FILE

    return write


@given(made=SETTINGS)
def test_what_is_written_is_read(made: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / FILE
    settings.write(made, path)
    assert settings.read(path) == made


@given(made=SETTINGS)
def test_fields_are_those_of_the_file(made: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / FILE
    settings.write(made, path)
    assert tomllib.loads(path.read_bytes().decode()) == settings.to_fields(made)


def test_small(write: Write) -> None:
    found = settings.read(write(SMALL))
    assert found.solvers == (Entrant(name="rc2", solver="rc2"),)
    assert found.limits == Limits(output_mib=1024.0)
    assert (found.seeds, found.cores, found.driver, found.order, found.attempts) == ((), 1, "local", 0, 3)
    assert found.name == safe(found.name)


def test_whole(write: Write) -> None:
    path = write(
        """
name = "mine"
instances = ["../family", "*.wcnf"]
selected = true
seeds = [3, 1]
cores = 2
driver = "cgroup"
order = 7
attempts = 1
[limits]
wall = 60
cpu = 1.5
memory = 4000
memory_hard = 5000
output = inf
grace = 0
[[solver]]
solver = "./bin/mine"
files = ["bin/core"]
options = ["--seed={seed}"]
line_buffer = "pty"
[[solver]]
name = "loandra"
solver = "loandra"
binary = "./loandra"
"""
    )
    assert settings.read(path) == Settings(
        name="mine",
        instances=("../family", "*.wcnf"),
        selected=True,
        seeds=(3, 1),
        cores=2,
        driver="cgroup",
        order=7,
        attempts=1,
        limits=Limits(
            wall_s=60, cpu_s=1.5, memory_mib=4000, memory_hard_mib=5000, output_mib=None, grace_s=0
        ),
        solvers=(
            Entrant(
                name="mine",
                solver="./bin/mine",
                files=("bin/core",),
                options=("--seed={seed}",),
                line_buffer="pty",
            ),
            Entrant(name="loandra", solver="loandra", binary="./loandra"),
        ),
    )
    assert [each.seeded for each in settings.read(path).solvers] == [True, False]


def test_it_is_for_people(tmp_path: Path) -> None:
    made = Settings(
        name="c",
        instances=("fam",),
        solvers=(Entrant(name="rc2", solver="rc2"),),
        limits=Limits(wall_s=60.0, output_mib=1024.0),
    )
    settings.write(made, tmp_path / FILE)
    lines = (tmp_path / FILE).read_text().splitlines()
    assert lines[0].startswith("# ")
    assert 'instances = ["fam"] # files, patterns, folders of families or of files' in "\n".join(lines)
    assert "wall = 60 # seconds" in lines
    assert not any(line.startswith(("selected", "seeds", "memory", "cpu")) for line in lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("instances = [", "no TOML"),
        ('instance = ["x"]\n' + SMALL, "unknown key 'instance'; did you mean instances?"),
        ("[[solver]]\nsolver = 'rc2'", "instances is missing: give a list"),
        ("instances = []\n[[solver]]\nsolver = 'rc2'", "instances is empty"),
        ("instances = 'x'\n[[solver]]\nsolver = 'rc2'", "instances = 'x': give a list"),
        ("instances = ['']\n[[solver]]\nsolver = 'rc2'", "instances = ['']"),
        ("instances = [1]\n[[solver]]\nsolver = 'rc2'", "give a list of texts"),
        ("instances = ['x']", "no solver: add a table [[solver]]"),
        ("instances = ['x']\nsolver = ['rc2']", "give tables [[solver]]"),
        ("instances = ['x']\n[[solver]]\nname = 'a'", "solver is missing"),
        (SMALL + "option = ['x']", "[[solver]] unknown key 'option'; did you mean options?"),
        (SMALL + "options = '-x'", "[[solver]] options = '-x': give a list"),
        (SMALL + "name = 'a b'", "[[solver]] name = 'a b'"),
        (SMALL + "name = '..'", "[[solver]] name = '..'"),
        (SMALL + "line_buffer = 'tty'", "line_buffer: unknown key 'tty'; did you mean pty?"),
        (SMALL + "[[solver]]\nsolver = './rc2'", "name = 'rc2': there are two"),
        ("name = 'é'\n" + SMALL, "name = 'é': files are called so"),
        ("seeds = []\n" + SMALL, "seeds = []"),
        ("seeds = [1, true]\n" + SMALL, "seeds = [1, True]"),
        ("seeds = [-1]\n" + SMALL, "seeds = [-1]"),
        ("seeds = [1, 1]\n" + SMALL, "a number is there twice"),
        ("cores = 0\n" + SMALL, "cores = 0: give 1 or more"),
        ("cores = true\n" + SMALL, "cores = True: give a whole number"),
        ("attempts = 0\n" + SMALL, "attempts = 0: give 1 or more"),
        ("order = -1\n" + SMALL, "order = -1: give 0 or more"),
        ("driver = 'docker'\n" + SMALL, "driver: unknown key 'docker'"),
        (SMALL + "[limits]\nwal = 1", "[limits] unknown key 'wal'; did you mean wall?"),
        (SMALL + "[limits]\nwall = '60'", "[limits] wall = '60': give a number"),
        (SMALL + "[limits]\nwall = true", "[limits] wall = True: give a number"),
        (SMALL + "[limits]\nwall = nan", "[limits] wall = nan"),
        (SMALL + "[limits]\nwall = 0", "[limits] the limit wall_s is 0"),
        (SMALL + "[limits]\nwall = -inf", "[limits] the limit wall_s is -inf"),
        (SMALL + "[limits]\ngrace = inf", "[limits] grace = inf"),
        (SMALL + "[limits]\nmemory = 10\nmemory_hard = 5", "memory_hard_mib is 5"),
    ],
)
def test_what_is_wrong_is_named(write: Write, text: str, says: str) -> None:
    path = write(text)
    with pytest.raises(UsageError) as error:
        settings.read(path)
    assert str(error.value).startswith(f"{path}: ")
    assert says in str(error.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"name = '\xff'")
    with pytest.raises(UsageError, match="no TOML"):
        settings.read(tmp_path / FILE)
    with pytest.raises(UsageError, match="No such file"):
        settings.read(tmp_path / "other.toml")


def test_folder(write: Write, tmp_path: Path) -> None:
    path = write(SMALL)
    assert settings.folder(tmp_path) == settings.folder(str(path)) == tmp_path
    with pytest.raises(UsageError, match=r"no campaign\.toml: write one"):
        settings.folder(tmp_path / "elsewhere")
