"""The doctor finds each fault of a solver that is known to have it."""

from __future__ import annotations

import dataclasses
import io
import re
import sys
from pathlib import Path

import pytest

from wcnfgen import cli, doctor, solvers
from wcnfgen.doctor import examine, probe
from wcnfgen.drivers import Limits
from wcnfgen.errors import SolverError, UsageError
from wcnfgen.examination import Examined
from wcnfgen.output import parse
from wcnfgen.solvers import Format, Solver, Trap
from wcnfgen.trials import READING, TRAPS, UNSAT, UNWEIGHTED, WEIGHTED, Case, attempt, judge, stubborn

SCRIPT = Path(__file__).parent / "scripts" / "faulty_solver.py"
SOUND = Solver(
    title="Faulty",
    url="",
    paper="",
    licence="",
    install="it comes with the tests",
    binary=sys.executable,
    values="bits",
)


def faulty(*faults: str, **fields: object) -> Solver:
    argv = ("{binary}", str(SCRIPT), ",".join(faults) or "none", "{instance}")
    return dataclasses.replace(SOUND, argv=argv, **fields)  # type: ignore[arg-type] # as given


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver of these tests starts fast, is done at once, and buffers if it is to."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    for name, seconds in (("FIRST_S", 3.0), ("SEARCH_S", 1.5), ("GRACE_S", 0.5)):
        monkeypatch.setattr(doctor, name, seconds)


def outcomes(examined: Examined, format: Format) -> dict[str, str]:
    return {trial.case.name: trial.outcome for trial in examined.trials if trial.format == format}


def test_a_sound_solver() -> None:
    examined = examine(faulty("gz", compressed=(".gz",)))
    assert examined.differences == () and examined.oddities == ()
    assert {trial.outcome for trial in examined.trials} == {"ok"}
    assert examined.live == "live" and examined.found.signals.startswith(
        "SIGTERM: best model, exit code 10; 20"
    )


def test_one_format_only_and_a_crash() -> None:
    examined = examine(faulty("old-only", "literals", "crash-empty", "silent"))
    assert {each.field: (each.should, each.harmful) for each in examined.differences} == {
        "formats": (("wcnf-old",), True),
        "values": ("literals", True),
        "fails_on": (("empty soft",), True),
        "anytime": (False, True),
    }
    assert outcomes(examined, "wcnf") == {
        **{case.name: "refused" for case in READING},
        "no hard clauses": "refused",
    }
    assert outcomes(examined, "wcnf-old")["an empty soft clause"] == "crash"
    assert [trial.outcome for trial in examined.repaired] == ["ok"]


@pytest.mark.parametrize("format", ["wcnf", "wcnf-old"])
def test_a_format_is_misread(format: Format) -> None:
    fault = {"wcnf": "misread-new", "wcnf-old": "misread-old"}[format]
    examined = examine(faulty(fault, "no-such-fault"))
    assert examined.found.misreads == (format,) and format not in examined.found.formats
    assert outcomes(examined, format)["unsatisfiable"] == "wrong"
    assert {each.field for each in examined.differences if each.harmful} == {"formats"}


def test_weights_and_wrong_costs() -> None:
    examined = examine(faulty("int32", "wrong-no-soft", "wrong-long"))
    assert examined.found.max_weight == 2**31 - 1
    assert examined.found.fails_on == (
        "no soft",
        "no hard",
        "long soft",
    )  # without hard ones, long ones it is
    assert outcomes(examined, "wcnf")["weights 3e9 to 9e9"] == "refused"
    careful = examine(faulty("int32", max_weight=2**31 - 1))
    assert "max_weight" not in {each.field for each in careful.differences}


def test_floating_point_costs_and_repeated_soft_clauses() -> None:
    examined = examine(faulty("double", "endless-repeated", "new-only", formats=("wcnf",)))
    assert 9 * 10**9 < examined.found.max_weight < 2**53
    assert examined.found.fails_on == ("repeated soft",)
    assert outcomes(examined, "wcnf")["weights 2^56 to 2^58"] == "wrong"
    assert outcomes(examined, "wcnf")["repeated soft clauses"] == "nothing"
    assert [trial.outcome for trial in examined.repaired] == ["ok", "ok"]


def test_an_endless_solver_that_buffers_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, cases in (("WEIGHTS", ()), ("TRAPS", TRAPS[1:3]), ("OTHERS", ())):
        monkeypatch.setattr(doctor, name, cases)
    examined = examine(faulty("endless", "buffered", "new-only", formats=("wcnf",), complete=False))
    assert {each.field: each.should for each in examined.differences} == {"line_buffer": "pty"}
    assert set(outcomes(examined, "wcnf").values()) == {"model", "nothing"}
    assert outcomes(examined, "wcnf")["unsatisfiable"] == "nothing"


def test_a_deaf_solver_has_to_be_killed() -> None:
    examined = examine(faulty("deaf"))
    assert examined.found.signals.startswith("SIGTERM: has to be killed")
    assert not examined.found.anytime and examined.stopped and examined.stopped.run.killed


def test_a_solver_without_models() -> None:
    examined = examine(faulty("no-model"))
    assert examined.found.formats == () and set(outcomes(examined, "wcnf").values()) == {"no model", "ok"}


def test_rc2_and_clingo_for_real(full: bool) -> None:
    if not full:
        pytest.skip("a quarter of a minute: --full does it")
    out = io.StringIO()
    assert cli.main(["solvers", "--check", "rc2", "--quiet"], out) == 0
    text = out.getvalue()
    assert 'fails_on=("empty soft",),\n' in text and "WRONG" not in text
    assert "an empty soft clause   crash" in text
    pytest.importorskip("clingo")
    found = examine(solvers.get("clingo")).found
    assert found.formats == ("wcnf-old",) and found.max_weight == 2**31 - 1 and found.values == "literals"


def test_exit_code_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "mine"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {SCRIPT} old-only $1\n")
    script.chmod(0o755)
    out = io.StringIO()
    assert cli.main(["solvers", "--check", str(script)], out) == 1  # the plain descriptor claims both formats
    assert '    formats=("wcnf-old",),  # WRONG: it says ("wcnf", "wcnf-old")\n' in out.getvalue()
    assert "note: unweighted, wcnf: refused" in capsys.readouterr().err


def test_solvers_of_one_encoding_are_not_tried() -> None:
    with pytest.raises(UsageError, match="encoding size only"):
        examine(faulty(encoding="size"))


# ---------------------------------------------------------------------------- the probe


@pytest.mark.parametrize(
    ("faults", "format", "values"),
    [
        ((), "wcnf", "bits"),
        (("literals",), "wcnf", "literals"),
        (("old-only",), "wcnf-old", "bits"),
        (("misread-new",), "wcnf-old", "bits"),
        (("misread-old", "literals"), "wcnf", "literals"),
        (("endless", "old-only"), "wcnf-old", "bits"),
    ],
)
def test_probe(faults: tuple[str, ...], format: Format, values: str) -> None:
    probed = probe(faulty(*faults))
    assert probed.settled and probed.solver.formats == (format,) and probed.solver.values == values
    assert probed.reason.startswith(f"reads {format} (")


def test_probe_says_what_it_saw() -> None:
    probed = probe(faulty("no-model"))
    assert not probed.settled and probed.solver.formats == ("wcnf", "wcnf-old")
    assert re.search(r"s OPTIMUM FOUND, o 12, but no model.*-print-model\?", probed.reason)
    probed = probe(faulty("old-only", "new-only"))
    assert not probed.settled and probed.solver.formats == ("wcnf", "wcnf-old")
    assert re.search(r"wcnf: exit code 1: parse error.*wcnf-old: exit code 1", probed.reason)
    with pytest.raises(SolverError, match="not installed"):
        probe(solvers.get("./no-such-program"))


@pytest.mark.parametrize(
    ("faults", "format"),
    [(("no-model", "old-only"), "wcnf-old"), (("no-model", "misread-old"), "wcnf")],
)
def test_without_any_model_the_format_may_still_show(faults: tuple[str, ...], format: Format) -> None:
    probed = probe(faulty(*faults))
    assert not probed.settled and probed.solver.formats == (format,)


# ---------------------------------------------------------------------------- judging


@pytest.mark.parametrize("case", [*READING, *TRAPS], ids=lambda case: case.name)
def test_cases_are_what_they_are_for(case: Case) -> None:
    """No case has a trap of another; hard clauses cannot be skipped without being noticed."""
    softs = [c for w, c in case.clauses if w >= 0]
    units = [abs(c[0]) for c in softs if len(c) == 1]
    there: dict[Trap, bool] = {
        "empty soft": () in softs,
        "no soft": not softs,
        "no hard": len(softs) == len(case.clauses),
        "repeated soft": len(set(units)) < len(units),
        "long soft": any(len(c) > 1 for c in softs),
        "optimum 0": case.optimum == 0,
    }
    found = {trap for trap, is_there in there.items() if is_there}
    implied = {"no hard": {"long soft"}, "no soft": {"optimum 0"}}
    assert found == {case.trap, *implied.get(case.trap or "", ())} - {None}
    if case in (UNWEIGHTED, WEIGHTED):
        for bits in ("0" * 8, "1" * 8, "11011011"):
            assert judge(case, parse([f"v {bits}\n".encode()]))[0] == "wrong"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("o 12\ns OPTIMUM FOUND\nv 10001001\n", "wrong"),
        ("s UNSATISFIABLE\n", "wrong"),
        ("o 11\n", "wrong"),
        ("o 12\ns OPTIMUM FOUND\n", "no model"),
        ("o 13\n", "refused"),
        ("", "refused"),
        ("s UNKNOWN\n", "refused"),
        ("v 1 x\n", "refused"),
    ],
)
def test_judging(text: str, outcome: str) -> None:
    assert judge(WEIGHTED, parse([text.encode()]))[0] == outcome


def test_judging_what_has_no_model() -> None:
    assert judge(UNSAT, parse([b"s UNSATISFIABLE\n"]))[0] == "ok"
    assert judge(UNSAT, parse([b"o 3\ns OPTIMUM FOUND\nv 111\n"]))[0] == "wrong"
    assert judge(UNSAT, parse([b"s SATISFIABLE\n"]))[0] == "wrong"


def test_the_large_formula_is_always_the_same_and_has_a_model() -> None:
    text = stubborn(weighted=True).text("wcnf")
    assert text == stubborn(weighted=True).text("wcnf") and text.count(b"h ") == 900
    limits = Limits(wall_s=0.8, grace_s=1)
    trial = attempt(faulty(), stubborn(weighted=False), "wcnf-old", limits)
    assert trial.outcome == "model" and trial.run.limit == "wall"
