"""CatBoost's tables of errors."""

from __future__ import annotations

import csv
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np

from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import homes, points, read_all, read_one

MODULE = "known_tables.catboost"


def write(folder: Path, **tables: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in tables.items():
        (folder / f"{name}.tsv").write_text(text)


def test_real_logs(logs: Path) -> None:
    folder = logs / "catboost"
    runs = read_all(MODULE, folder)
    with (folder / "runs.csv").open() as file:
        places = {(row["algorithm"], row["run"]): row["path"] for row in csv.DictReader(file)}
    n_found = 0
    with (folder / "truth.csv").open() as file:
        for row in csv.DictReader(file):
            series = runs[places[row["algorithm"], row["run"]]].series[row["metric"]]
            place = series.steps.tolist().index(float(row["step"]))
            # The table has ten digits.
            np.testing.assert_allclose(series.scores[place], float(row["score"]), rtol=1e-6)
            n_found += 1
    assert n_found == sum(len(one.steps) for run in runs.values() for one in run.series.values())


def test_metrics_holes_and_cut_lines(tmp_path: Path) -> None:
    write(
        tmp_path / "catboost_info",
        learn_error="iter\tRMSE\tR2\n0\t1.5\t\n1\t1.25\t0.5\n",
        test_error="iter\tRMSE\tR2\n0\t1.75\t0.25\n1\t1.",
        time_left="iter\tPassed\tRemaining\n0\t1\t2\n",
    )
    (tmp_path / "catboost_info" / "catboost_training.json").write_text("{}")
    run = read_one(MODULE, tmp_path)
    assert {name: points(run, name) for name in run.series} == {
        "learn-RMSE": [(0, 1.5), (1, 1.25)],
        "learn-R2": [(1, 0.5)],
        "validation-RMSE": [(0, 1.75)],
        "validation-R2": [(0, 0.25)],
    }
    assert run.notes == ["the last line of test_error.tsv is cut and was left out"]
    (claims,) = homes(MODULE, tmp_path).values()
    assert len(claims[0].files) == 4
    run = read_one(MODULE, tmp_path, Wanted(frozenset({"learn-R2"})))
    assert list(run.series) == ["learn-R2"]


def test_several_test_sets_are_numbered(tmp_path: Path) -> None:
    write(
        tmp_path,
        learn_error="iter\tNDCG:top=3\tAUC\n0\t0.5\t0.5\n",
        # As CatBoost 1.2 writes three test sets: the last has no number.
        test_error="iter\tNDCG:top=3:0\tAUC:0\tNDCG:top=3:1\tAUC:1\tNDCG:top=3\tAUC\n"
        "0\t1\t2\t3\t4\t5\t6\n",
    )
    run = read_one(MODULE, tmp_path)
    assert {name: float(one.scores[0]) for name, one in run.series.items()} == {
        "learn-NDCG:top=3": 0.5,
        "learn-AUC": 0.5,
        "validation_0-NDCG:top=3": 1,
        "validation_0-AUC": 2,
        "validation_1-NDCG:top=3": 3,
        "validation_1-AUC": 4,
        "validation_2-NDCG:top=3": 5,
        "validation_2-AUC": 6,
    }


def test_tables_of_other_content_are_not_claimed(tmp_path: Path) -> None:
    write(tmp_path, learn_error="step\tloss\n0\t1\n", time_left="iter\tPassed\n0\t1\n")
    assert homes(MODULE, tmp_path) == {}
