"""The MaxSAT Evaluation's own tables of results, computed again from what it published of each instance."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.comparing import compared, instance, run, solved
from wcnfgen.report import scores, standings
from wcnfgen.report.comparison import Comparison
from wcnfgen.report.scores import Scores

GOLDEN = Path(__file__).parent / "golden"


def scored(comparison: Comparison, *times: float) -> Scores:
    return scores.of(comparison, standings.of(comparison), times)


# MaxSAT Evaluation 2024, anytime tracks: https://maxsat-evaluations.github.io/2024/rankings.html.  The file
# has what its tables say of each instance, all costs and the best one known then; these are the mean scores
# that it published.  Where it knew no best cost it counted 0 for all, also for one that had a model in 300 s.
ANYTIME_2024 = {
    ("unweighted", 60): """
        VBS 0.909 SPB_MaxSAT_c_Band 0.827 NuWLS_c_IBR 0.826 SPB_MaxSAT_c 0.824 tt_open_wbo_inc_glucose 0.817
        SPB_MaxSAT_c_FPS 0.812 tt_open_wbo_inc_intelsat 0.804 Loandra 0.751 noSAT_MaxSAT_c 0.719
        noSAT_MaxSAT 0.665 Exact 0.478""",
    ("unweighted", 300): """
        VBS 0.967 SPB_MaxSAT_c_Band 0.898 SPB_MaxSAT_c 0.898 NuWLS_c_IBR 0.895 tt_open_wbo_inc_glucose 0.887
        SPB_MaxSAT_c_FPS 0.878 tt_open_wbo_inc_intelsat 0.873 Loandra 0.860 noSAT_MaxSAT_c 0.781
        noSAT_MaxSAT 0.706 Exact 0.666""",
    ("weighted", 60): """
        VBS 0.915 SPB_MaxSAT_c_FPS 0.876 SPB_MaxSAT_c 0.872 SPB_MaxSAT_c_Band 0.869
        tt_open_wbo_inc_glucose 0.866 NuWLS_c_IBR 0.861 tt_open_wbo_inc_intelsat 0.860 Loandra 0.822
        noSAT_MaxSAT_c 0.734 noSAT_MaxSAT 0.671 Exact 0.623""",
    ("weighted", 300): """
        VBS 0.982 SPB_MaxSAT_c_FPS 0.926 tt_open_wbo_inc_glucose 0.925 SPB_MaxSAT_c_Band 0.924
        NuWLS_c_IBR 0.920 SPB_MaxSAT_c 0.919 tt_open_wbo_inc_intelsat 0.917 Loandra 0.912
        noSAT_MaxSAT_c 0.782 noSAT_MaxSAT 0.748 Exact 0.708""",
}


def lines(name: str) -> list[dict[str, str]]:
    with (GOLDEN / name).open(newline="") as stream:
        return list(csv.DictReader(stream))


def of_2024(track: str, limit: int) -> Comparison:
    """The results of a track and a limit: a cost for each instance and solver, or none."""
    here = [line for line in lines("mse2024-anytime.csv") if line["track"] == track]
    solvers = [name.removesuffix(f"@{limit}") for name in here[0] if name.endswith(f"@{limit}")]
    known = [line for line in here if line["best"]]
    best = [instance(line["instance"], known_cost=int(line["best"])) for line in known]
    rest = [instance(line["instance"]) for line in here if not line["best"]]
    runs = [
        run(line["instance"], solver, int(cost) if cost else None, wall_limit_s=float(limit))
        for line in known
        for solver in solvers
        for cost in [line[f"{solver}@{limit}"]]
    ]
    return compared(runs, best + rest)


@pytest.mark.parametrize(("track", "limit"), ANYTIME_2024)
def test_the_anytime_scores_of_the_evaluation_of_2024(track: str, limit: int) -> None:
    comparison = of_2024(track, limit)
    found = scored(comparison, limit)
    assert len(comparison.instances) == {"unweighted": 216, "weighted": 229}[track]
    ours = dict(zip(comparison.solvers, found.anytime[0].mean(axis=0), strict=True))
    ours["VBS"] = scores.virtual(found.anytime[0], "high").mean()
    words = ANYTIME_2024[track, limit].split()
    published = dict(zip(words[::2], words[1::2], strict=True))
    assert {name: f"{value:.3f}" for name, value in ours.items()} == published


# https://maxsat-evaluations.github.io/2024/results/exact/unweighted.html: of the file's solvers, how many
# each solved, mean seconds, PAR-2, how many it alone solved, and how many it solved the fastest.
EXACT_2024 = (
    [421, 419, 415, 412, 411, 404, 404, 404, 404, 402, 401, 400, 352, 346, 334],
    """368.97 218.75 223.63 422.74 207.90 452.06 461.49 583.56 320.42 643.35 557.67 614.23 155.79 173.50
    167.97""",
    """1999.53 1910.41 1964.57 2150.75 2003.34 2270.22 2277.11 2366.29 2174.05 2433.68 2383.41 2436.33
    2716.16 2803.67 2952.81""",
    [0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [27, 35, 109, 3, 114, 1, 1, 14, 13, 14, 15, 6, 69, 24, 27],
)


def test_the_exact_track_of_the_evaluation_of_2024() -> None:
    here = lines("mse2024-exact-unweighted.csv")
    solvers = [name for name in here[0] if name != "instance"]
    comparison = compared(
        [
            replace(found, wall_limit_s=3600.0)
            for line in here
            for name in solvers
            for at in [line["instance"]]
            for found in [solved(at, name, 0, float(line[name])) if line[name] else run(at, name)]
        ]
    )
    found = scored(comparison)
    assert found.solved.shape == (553, 15)
    count, seconds, par, alone, fastest = EXACT_2024
    assert found.solved.sum(axis=0).tolist() == count
    assert [f"{scores.mean(each):.2f}" for each in found.seconds.T] == seconds.split()
    assert [f"{each:.2f}" for each in found.wall.mean(axis=0)] == par.split()
    assert scores.unique(found.solved).tolist() == alone
    assert scores.fastest(found.seconds).tolist() == fastest
    best = scores.virtual(found.wall, "low")
    assert scores.virtual(found.solved, "high").sum() == 464
    assert f"{best[best < 7200].mean():.2f} {best.mean():.2f}" == "147.80 1282.78"
