"""Keys are what changes a run and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen import solvers
from wcnfgen.campaign import keys
from wcnfgen.campaign.settings import Entrant
from wcnfgen.drivers import Limits
from wcnfgen.errors import SolverError
from wcnfgen.solvers import Solver


def ready(entrant: Entrant, descriptor: Solver, folder: Path) -> keys.Identity:
    files = [folder / name for name in entrant.files]
    return keys.identity(entrant, descriptor, "1.0", folder / "program", files)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program").write_text("p")
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    return tmp_path


def test_identity_is_what_changes_a_run(program: Path) -> None:
    one, solver = Entrant(name="n", solver="./program"), solvers.get("./program")
    base = ready(one, solver, program)
    assert base == ready(replace(one, name="other", solver="x/../program"), solver, program)
    assert base == ready(one, replace(solver, title="T", quirks="q", tried="t", values="bits"), program)
    others = [
        ready(replace(one, options=("-x",)), solver, program),
        ready(replace(one, options=("-y",)), solver, program),
        ready(replace(one, options=("-x", "-y")), solver, program),
        ready(replace(one, options=("-y", "-x")), solver, program),
        ready(replace(one, files=("a",)), solver, program),
        ready(replace(one, files=("b",)), solver, program),
        ready(replace(one, line_buffer="pty"), solver, program),
        ready(one, replace(solver, argv=("{binary}", "-q", "{instance}")), program),
        ready(one, replace(solver, argv=("{python}", "-m", "wcnfgen.shims.x")), program),
        ready(one, replace(solver, formats=("wcnf-old",)), program),
        ready(one, replace(solver, misreads=("wcnf",)), program),
        ready(one, replace(solver, compressed=(".gz",)), program),
        ready(one, replace(solver, fails_on=("no hard",)), program),
        ready(one, replace(solver, max_weight=7), program),
        keys.identity(one, solver, "1.1", program / "program", []),
        keys.identity(one, solver, "1.0", program / "a", []),
    ]
    texts = {keys.canonical(each) for each in [base, *others]}
    assert len(texts) == 1 + len(others)
    assert ready(replace(one, files=("a", "b")), solver, program) == ready(
        replace(one, files=("b", "a")), solver, program
    )
    assert ready(replace(one, line_buffer="stdbuf"), solver, program) == ready(
        one, replace(solver, line_buffer="stdbuf"), program
    )


def test_identity_of_our_own_has_our_version(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of(name: str) -> keys.Identity:
        return ready(Entrant(name="n", solver=name), solvers.get(name), program)

    before = [of(name) for name in ("lms", "toulbar2", "rc2")]
    monkeypatch.setattr(keys, "__version__", "99")
    assert [of(name) == old for name, old in zip(("lms", "toulbar2", "rc2"), before, strict=True)] == [
        False,
        False,
        True,
    ]


def test_a_missing_file_of_a_solver(program: Path) -> None:
    with pytest.raises(SolverError, match="missing: a file of a solver is not there"):
        ready(Entrant(name="n", solver="./p", files=("missing",)), solvers.get("./p"), program)


LIMITS = Limits(wall_s=60, cpu_s=50, memory_mib=1000, memory_hard_mib=2000, output_mib=10, grace_s=1)


def test_each_limit_is_in_the_key() -> None:
    changed = [
        replace(LIMITS, wall_s=61),
        replace(LIMITS, cpu_s=None),
        replace(LIMITS, memory_mib=1001),
        replace(LIMITS, memory_hard_mib=2001),
        replace(LIMITS, output_mib=11),
        replace(LIMITS, grace_s=2),
    ]
    shared = [keys.common(each, 1, "local") for each in [LIMITS, *changed]]
    shared += [keys.common(LIMITS, 2, "local"), keys.common(LIMITS, 1, "cgroup")]
    texts = [keys.text(each, {}, "ab", None) for each in shared]
    texts += [keys.text(shared[0], {}, "cd", None), keys.text(shared[0], {}, "ab", 0)]
    texts += [keys.text(shared[0], {}, "ab", 1), keys.text(shared[0], {"version": "2"}, "ab", None)]
    assert len({keys.of(each) for each in texts}) == len(texts)


def test_equal_settings_are_equal_however_they_are_written() -> None:
    assert keys.common(Limits(wall_s=60), 1, "local") == keys.common(Limits(wall_s=60.0), 1, "local")
    assert keys.canonical(keys.common(Limits(wall_s=60), 1, "local")) == keys.canonical(
        keys.common(Limits(wall_s=60.0), 1, "local")
    )
    said = Limits(memory_mib=1000, memory_hard_mib=Limits(memory_mib=1000).hard_mib)
    assert keys.common(said, 1, "local") == keys.common(Limits(memory_mib=1000), 1, "local")
    pinned = Limits(wall_s=60, cores=frozenset({3}))
    assert keys.common(pinned, 1, "local") == keys.common(Limits(wall_s=60), 1, "local")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(value=JSON, seed=st.randoms(use_true_random=False))
def test_canonical_does_not_depend_on_the_order_of_keys(value: Any, seed: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(each) for each in value]
        if not isinstance(value, dict):
            return value
        items = [(key, shuffled(each)) for key, each in value.items()]
        seed.shuffle(items)
        return dict(items)

    assert keys.canonical(value) == keys.canonical(shuffled(value))
    assert json.loads(keys.canonical(value)) == value
    assert keys.canonical(value).isascii()
