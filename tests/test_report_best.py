"""The store of best models: never worse, never a cost without its model, whatever happens meanwhile."""

from __future__ import annotations

import gzip
import hashlib
import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.campaigns import digest
from tests.comparing import OPTIMUM, instance, run
from wcnfgen import cli, judged
from wcnfgen.bundle import models
from wcnfgen.campaign import tables
from wcnfgen.campaign.instances import FILE as INSTANCES
from wcnfgen.campaign.instances import Instance
from wcnfgen.campaign.results import FILE as RESULTS
from wcnfgen.campaign.results import Result
from wcnfgen.campaign.store import Store
from wcnfgen.files import sha256
from wcnfgen.report import best, standings
from wcnfgen.report.best import Best
from wcnfgen.report.comparison import load

# Of two variables one has to be true: the costs are 3, 2 and 5.
FORMULA = "h 1 2 0\n3 -1 0\n2 -2 0\n"
BITS = {3: "10", 2: "01", 5: "11"}


def campaign(
    folder: Path, costs: Mapping[str, int], names: tuple[str, ...] = ("x",), status: str = "SATISFIABLE"
) -> Path:
    """Runs of solvers that printed a model of some cost, on formulas that differ in a comment; judged."""
    folder.mkdir()
    found: list[Instance] = []
    results: list[Result] = []
    for name in names:
        file = folder / f"{name}.wcnf"
        file.write_text(f"c {name}\n{FORMULA}")
        of_text = hashlib.sha256(file.read_bytes()).hexdigest()
        found.append(
            instance(
                name, path=file.name, sha256=of_text, formula_sha256=of_text, variables=2, hard=1, soft=2
            )
        )
        for solver, cost in costs.items():
            result = run(
                name, solver, cost, status=status, key=digest(f"{folder} {name} {solver}"), ended="exit 0"
            )
            there = Store(folder).run(result.key)
            there.path.mkdir(parents=True)
            there.log.write_bytes(gzip.compress(f"o {cost}\ns {status}\nv {BITS[cost]}\n".encode()))
            judged.write(judged.judge(file, there.log, "bits"), there.verdict)
            results.append(result)
    tables.write(found, Instance, folder / INSTANCES)
    tables.write(results, Result, folder / RESULTS)
    return folder


def lower(store: Path, folder: Path) -> list[Best]:
    comparison = load([folder])
    return best.lower(store, comparison, standings.of(comparison, best.read(store, comparison)))


def costs(store: Path, folder: Path) -> dict[str, int]:
    comparison = load([folder])
    found = best.read(store, comparison)
    return {
        each.name: found[each.formula_sha256] for each in comparison.instances if each.formula_sha256 in found
    }


def test_a_model_is_kept_and_replaced_by_a_better_one_only(tmp_path: Path) -> None:
    store = tmp_path / "best"
    middle, low, high = (
        campaign(tmp_path / name, {"a": cost}) for name, cost in [("m", 3), ("l", 2), ("h", 5)]
    )
    assert costs(store, middle) == {}
    assert [each.cost for each in lower(store, middle)] == [3]
    assert lower(store, middle) == lower(store, high) == []
    assert costs(store, high) == {"x": 3}
    assert [each.cost for each in lower(store, low)] == [2]
    assert costs(store, high) == costs(store, low) == {"x": 2}
    (line,) = tables.read(store / best.FILE, Best)
    assert (line.cost, line.by, line.instance, line.proved) == (2, "a python-sat 1.9", "x", False)


def test_the_model_is_the_runs_and_any_verifier_takes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3, "b": 2, "c": 5})
    assert cli.main(["report", str(folder), "--best", str(store), "--table", "scores"]) == 0
    assert "1 better model" in capsys.readouterr().err
    (model,) = (store / "models").iterdir()
    assert model.name == f"{sha256(folder / 'x.wcnf')}.sol"
    assert model.read_text().endswith("o 2\ns SATISFIABLE\nv 01\n")
    assert cli.main(["verify", str(folder / "x.wcnf"), str(model)]) == 0


def test_the_store_takes_part_in_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A campaign that found 3 scores 1, and 3/4 where 2 is known: (1+2)/(1+3)."""
    store = tmp_path / "best"
    first = campaign(tmp_path / "one", {"a": 3})
    words = ["report", str(first), "--best", str(store), "--format", "csv", "--times", "30"]
    assert cli.main(words) == 0
    assert "\nall 1,a,1.0," in capsys.readouterr().out
    lower(store, campaign(tmp_path / "two", {"a": 2}))
    assert cli.main(words) == 0
    assert "\nall 1,a,0.75," in capsys.readouterr().out


def test_a_proof_of_the_same_cost_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "best"
    lower(store, campaign(tmp_path / "one", {"a": 2}))
    proof = campaign(tmp_path / "two", {"b": 2}, status=OPTIMUM)
    assert [(each.cost, each.proved, each.by) for each in lower(store, proof)] == [
        (2, True, "b python-sat 1.9")
    ]
    assert lower(store, proof) == []


def test_a_report_that_has_not_read_the_store_makes_it_no_worse(tmp_path: Path) -> None:
    """Its solver has proved 3, as far as it knows."""
    store = tmp_path / "best"
    lower(store, campaign(tmp_path / "one", {"a": 2}))
    comparison = load([campaign(tmp_path / "two", {"b": 3}, status=OPTIMUM)])
    stand = standings.of(comparison)
    assert len(stand.solved) == 1 and best.lower(store, comparison, stand) == []
    assert costs(store, tmp_path / "two") == {"x": 2}


def test_a_model_that_no_score_follows_is_not_verified(tmp_path: Path) -> None:
    """It was when it was written, and the instance may be gone."""
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3})
    lower(store, folder)
    (folder / "x.wcnf").unlink()
    assert costs(store, folder) == {"x": 3}


def test_a_model_that_is_better_than_all_runs_is_verified(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody edits the store, and no solver is accused: cost 1 is that of no model."""
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3})
    lower(store, campaign(tmp_path / "two", {"a": 2}))
    assert costs(store, folder) == {"x": 2}
    (file,) = (store / "models").iterdir()
    file.write_text(file.read_text().replace("o 2", "o 1"))
    assert costs(store, folder) == {}
    assert "not verified" in caplog.text


def test_a_model_that_makes_a_liar_of_a_solver_is_verified(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody edits the store: cost 0 would contradict a proof of 2, and no model has it."""
    store, proof = tmp_path / "best", campaign(tmp_path / "one", {"b": 2}, status=OPTIMUM)
    lower(store, proof)
    (file,) = (store / "models").iterdir()
    file.write_text(file.read_text().replace("o 2", "o 0"))
    assert costs(store, proof) == {}
    assert "not verified" in caplog.text
    wrong = campaign(tmp_path / "two", {"b": 3}, status=OPTIMUM)
    file.write_text(file.read_text().replace("o 0", "o 2"))
    assert costs(store, wrong) == {"x": 2}
    (wrong / "x.wcnf").unlink()  # it cannot be verified any more
    assert costs(store, wrong) == {}


@pytest.mark.parametrize(
    "text", ["", "nonsense", "c found by a\nc formula sha256 " + "0" * 64 + "\no 1\nv 10\n"]
)
def test_a_damaged_file_does_not_count_and_is_replaced(text: str, tmp_path: Path) -> None:
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3})
    lower(store, folder)
    (file,) = (store / "models").iterdir()
    file.write_text(text)
    assert costs(store, folder) == {}
    assert [each.cost for each in lower(store, folder)] == [3]
    assert costs(store, folder) == {"x": 3}


def test_a_run_that_is_gone_or_is_another_gives_no_model(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3})
    (log,) = folder.glob("runs/*/*/output.gz")
    log.write_bytes(gzip.compress(b"o 2\ns SATISFIABLE\nv 01\n"))
    assert lower(store, folder) == []
    shutil.rmtree(folder / "runs")
    assert lower(store, folder) == [] and costs(store, folder) == {}
    assert caplog.text.count("is not there") == 2


def test_a_store_that_cannot_be_written_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3})
    store.write_text("a file")
    assert cli.main(["report", str(folder), "--best", str(store)]) == 0
    assert "it stays as it was" in capsys.readouterr().err


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([2, 3, 5]), min_size=1, max_size=4))
def test_it_is_never_worse_than_before(tmp_path: Path, each: list[int]) -> None:
    store = tmp_path / "best"
    shutil.rmtree(store, ignore_errors=True)
    known: list[int] = []
    for cost in each:
        folder = tmp_path / f"c{cost}"
        if not folder.exists():
            campaign(folder, {"a": cost})
        lower(store, folder)
        known.append(costs(store, folder)["x"])
    assert known == [min(each[: number + 1]) for number in range(len(each))]


def test_a_list_that_lags_behind_is_mended(tmp_path: Path) -> None:
    """A report may be killed when the model is there and best.csv does not say so yet."""
    store, folder = tmp_path / "best", campaign(tmp_path / "c", {"a": 3})
    lower(store, folder)
    listed = (store / best.FILE).read_bytes()
    (store / best.FILE).unlink()
    assert lower(store, folder) == []
    assert (store / best.FILE).read_bytes() == listed


def test_formulas_of_other_campaigns_stay(tmp_path: Path) -> None:
    store = tmp_path / "best"
    for name in ("x", "y"):
        lower(store, campaign(tmp_path / f"c{name}", {"a": 3}, (name,)))
    assert sorted(line.instance for line in tables.read(store / best.FILE, Best)) == ["x", "y"]


def _many_times(store: Path, folder: Path, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        lower(store, folder)


def test_reports_at_the_same_time(tmp_path: Path, full: bool) -> None:
    """Some lower the same store, one of them is killed on the way: each cost is there with its model."""
    store, names = tmp_path / "best", tuple(f"x{number}" for number in range(8))
    folders = [campaign(tmp_path / f"c{cost}", {"a": cost}, names) for cost in (5, 3, 2)]
    context = multiprocessing.get_context("forkserver")  # numpy has threads, which do not go with fork
    for round_ in range(20 if full else 3):
        shutil.rmtree(store, ignore_errors=True)
        workers = [
            context.Process(target=_many_times, args=(store, each, 0.2)) for each in (*folders, folders[2])
        ]
        for worker in workers:
            worker.start()
        time.sleep(0.02 * round_)
        os.kill(workers[-1].pid or 0, signal.SIGKILL)
        for worker in workers:
            worker.join()
        assert [worker.exitcode for worker in workers[:-1]] == [0, 0, 0]
        assert costs(store, folders[0]) == dict.fromkeys(names, 2)
        for name in names:
            file = best.place(store, sha256(folders[0] / f"{name}.wcnf"))
            assert models.read(file).cost == 2 and file.read_text().endswith("v 01\n")
        listed = {line.instance: line.cost for line in tables.read(store / best.FILE, Best)}
        assert listed == dict.fromkeys(names, 2)
