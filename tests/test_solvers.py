"""Finding solvers and making their command lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wcnfgen import solvers
from wcnfgen.drivers import Limits
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.solvers import Solver


def plain(
    binary: str = "true", argv: tuple[str, ...] = ("{binary}", "{instance}"), module: str = ""
) -> Solver:
    return Solver(
        title="S", url="", paper="", licence="", install="get it", binary=binary, argv=argv, module=module
    )


def test_names_are_those_of_the_command_line() -> None:
    assert "rc2" in solvers.names()
    assert not any("_" in name for name in solvers.names())
    assert solvers.get("rc2").title == "RC2"


def test_an_unknown_name_shows_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no-such.*rc2.*\./no-such"):
        solvers.get("no-such")


@pytest.mark.parametrize("name", ["./my solver", "../bin/x", "/opt/x"])
def test_a_path_is_a_solver(name: str) -> None:
    assert solvers.get(name).binary == name


def test_a_binary_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "my-{solver}"
    own.write_text("#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SolverError, match=r"my-\{solver\} may not be executed: chmod"):
        solvers.get(f"./{own.name}").command(Path("x.wcnf"))
    own.chmod(0o755)
    assert solvers.get(f"./{own.name}").command(Path("a {b}.wcnf")) == (
        str(own),
        str(tmp_path / "a {b}.wcnf"),
    )


def test_a_link_keeps_its_name(tmp_path: Path) -> None:
    link = tmp_path / "my-true"
    link.symlink_to("/bin/true")
    assert plain().command(Path("x"), binary=str(link))[0] == str(link)


def test_what_is_not_installed() -> None:
    for solver in (plain("no-such-program"), plain(module="no_such_module"), plain(module="no_such.module")):
        assert solver.find() is None
        with pytest.raises(SolverError, match=r"S: no.such.* not installed; get it"):
            solver.command(Path("x"))


def test_a_module_takes_no_binary() -> None:
    with pytest.raises(UsageError, match="takes no binary"):
        solvers.get("rc2").command(Path("x"), binary="/bin/true")


def test_find() -> None:
    assert plain("true").find() in ("/bin/true", "/usr/bin/true")
    assert plain(module="json.tool").find() == sys.modules["json"].__file__.replace("__init__", "tool")  # type: ignore[union-attr] # it has a file


def test_limits_on_the_command_line() -> None:
    solver = plain(argv=("{binary}", "{instance}", "{wall_s}", "-mem={memory_mib}"))
    command = solver.command(Path("/x"), Limits(wall_s=59.5, memory_mib=4000))
    assert command[1:] == ("/x", "60", "-mem=4000")
    with pytest.raises(UsageError, match="S needs the limit memory_mib"):
        solver.command(Path("/x"), Limits(wall_s=60))


def test_options_come_before_the_instance_with_the_seed_filled_in() -> None:
    solver = solvers.get("rc2")
    own = solver.command(Path("x.wcnf"))
    found = solver.command(Path("x.wcnf"), options=("--seed={seed}", "{odd}"), seed=7)
    assert found == (*own[:-1], "--seed=7", "{odd}", own[-1])
    with pytest.raises(UsageError, match="needs a seed"):
        solver.command(Path("x.wcnf"), options=("--seed={seed}",))


def test_importing_the_package_stays_light() -> None:
    code = "import sys, wcnfgen.solvers; sys.exit('numpy' in sys.modules or 'ctypes' in sys.modules)"
    root = str(Path(__file__).parents[1])
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": root}).returncode == 0
