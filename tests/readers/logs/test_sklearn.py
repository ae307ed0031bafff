"""Learning curves of scikit-learn."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import numpy as np
import pytest

from curvewise import CurvesError
from curvewise.readers.logs import histories
from curvewise.readers.walk import Wanted, walk
from tests.readers.logs.reading import homes, points, read_all, read_one

MODULE = "histories.sklearn"
SIZES = np.array([10, 20, 40])
SCORES = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, math.nan]])


def test_real_logs(logs: Path) -> None:
    folder = logs / "sklearn"
    runs = {}
    for path in folder.glob("learning_curve_*.npz"):
        (found,) = walk([path]).folders
        (claim,) = histories.sklearn_claims(found)
        for run in histories.sklearn_runs(claim.files[0], Wanted()):
            assert run.labels["run"] == run.labels["block"]
            runs[run.labels["algorithm"], run.labels["run"]] = run
    assert len(runs) == 20
    n_checked = 0
    with (folder / "truth.csv").open() as file:
        for row in csv.DictReader(file):
            scores = dict(points(runs[row["algorithm"], row["run"]], row["metric"]))
            assert scores[float(row["step"])] == float(row["score"])
            n_checked += 1
    assert n_checked == 320
    with pytest.raises(CurvesError, match="results of a search"):
        read_all(MODULE, folder)


def test_a_run_is_a_fold_and_folds_are_blocks(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "learning_curve_svm.npz",
        train_sizes=SIZES,
        train_scores=SCORES + 1,
        test_scores=SCORES,
        fit_times=SCORES * 2,
    )
    first, second = read_all(MODULE, tmp_path).values()
    assert first.labels == {"algorithm": "svm", "run": "0", "block": "0"}
    assert (first.x, points(first, "test_scores")) == (
        "train_sizes",
        [(10, 0.1), (20, 0.3), (40, 0.5)],
    )
    assert set(first.series) == {"train_scores", "test_scores", "fit_times"}
    assert math.isnan(second.series["test_scores"].scores[2])
    only = read_all(MODULE, tmp_path, wanted=Wanted(frozenset({"test_scores"})))
    assert all(list(run.series) == ["test_scores"] for run in only.values())


def test_several_models_in_one_file(tmp_path: Path) -> None:
    one = {"train_sizes": SIZES.tolist(), "test_scores": SCORES[:, :1].tolist()}
    (tmp_path / "curves.json").write_text(json.dumps({"tree": one, "nb": one}))
    np.savez(tmp_path / "two.npz", tree_train_sizes=SIZES, tree_test_scores=SCORES)
    runs = read_all(MODULE, tmp_path)
    assert {name: run.labels["algorithm"] for name, run in runs.items()} == {
        "curves.json#tree fold 0": "tree",
        "curves.json#nb fold 0": "nb",
        "two.npz#tree fold 0": "tree",
        "two.npz#tree fold 1": "tree",
    }


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [("results", None), ("learning_curve_nb_seed3", None), ("nb_learning_curve", "nb")],
)
def test_the_model_in_the_name(tmp_path: Path, name: str, algorithm: str | None) -> None:
    np.savez(tmp_path / f"{name}.npz", train_sizes_abs=SIZES, test_scores=SCORES[:, :1])
    assert read_one(MODULE, tmp_path).labels.get("algorithm") == algorithm


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (SCORES.mean(axis=1), "a mean over folds"),
        (SCORES[:2], r"has 3 training sizes, but 'test_scores' is 2 × 2"),
    ],
)
def test_scores_that_do_not_fit(tmp_path: Path, scores: np.ndarray, message: str) -> None:
    np.savez(tmp_path / "a.npz", train_sizes=SIZES, test_scores=scores)
    with pytest.raises(CurvesError, match=message):
        read_all(MODULE, tmp_path)


def test_folds_by_sizes_are_turned(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", train_sizes=SIZES, test_scores=SCORES.T)
    first, _ = read_all(MODULE, tmp_path).values()
    assert points(first, "test_scores") == [(10, 0.1), (20, 0.3), (40, 0.5)]


def test_objects_and_words_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", train_sizes=SIZES, test_scores=np.array([{}], dtype=object))
    with pytest.raises(CurvesError, match="could run code"):
        read_all(MODULE, tmp_path)
    (tmp_path / "a.npz").unlink()
    text = {"train_sizes": [1, 2], "test_scores": [["a"], ["b"]]}
    (tmp_path / "a.json").write_text(json.dumps(text))
    with pytest.raises(CurvesError, match="'test_scores' is not an array of numbers"):
        read_all(MODULE, tmp_path)


def test_results_of_a_search_are_refused_in_json_too(tmp_path: Path) -> None:
    results = {"mean_test_score": [0.5], "rank_test_score": [1], "split0_test_score": [0.5]}
    (tmp_path / "cv_results.json").write_text(json.dumps(results))
    with pytest.raises(CurvesError, match="there is no curve in it"):
        read_all(MODULE, tmp_path)


def test_other_archives_are_not_claimed(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", ppo=SCORES, steps=SIZES)
    (tmp_path / "b.npz").write_bytes(b"no archive")
    (tmp_path / "c.csv").write_text("step,score\n0,1\n")
    assert homes(MODULE, tmp_path) == {}


def test_validation_curves_are_over_a_parameter(tmp_path: Path) -> None:
    np.savez(tmp_path / "svm.npz", param_range=SIZES, test_scores=SCORES)
    first, _ = read_all(MODULE, tmp_path).values()
    assert (first.x, points(first, "test_scores")) == (
        "param_range",
        [(10, 0.1), (20, 0.3), (40, 0.5)],
    )
