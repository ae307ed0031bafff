"""Evaluations of XGBoost and LightGBM."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import pytest

from curvewise import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

MODULE = "histories.boosting"
EVALUATION = {
    "validation_0": {"rmse": [3.0, 2.0, 1.5], "mae": [1.0, None, 0.5]},
    "validation_1": {"rmse": [3.5, float("nan"), 2.5]},
}


@pytest.mark.parametrize("name", ["xgboost", "lightgbm"])
def test_real_logs(logs: Path, name: str) -> None:
    assert_as_recorded(logs / name, read_all(MODULE, logs / name))


def test_values_by_data_set_and_metric(tmp_path: Path) -> None:
    (tmp_path / "evals_result.json").write_text(json.dumps(EVALUATION))
    run = read_one(MODULE, tmp_path)
    assert (run.x, set(run.series)) == (
        "round",
        {"validation_0-rmse", "validation_0-mae", "validation_1-rmse"},
    )
    assert points(run, "validation_0-mae") == [(0, 1.0), (2, 0.5)]
    run = read_one(MODULE, tmp_path, Wanted(frozenset({"validation_0-rmse"})))
    assert list(run.series) == ["validation_0-rmse"]
    with pytest.raises(CurvesError, match="'round'"):
        read_one(MODULE, tmp_path, Wanted(x="epoch"))


def test_long_files_are_recognised_by_their_beginning(tmp_path: Path) -> None:
    values = {"training": {"l2": [1 / (k + 1) for k in range(3_000)]}, "valid_1": {"l2": [1.0]}}
    (tmp_path / "lgbm.json").write_text(json.dumps(values))
    run = read_one(MODULE, tmp_path)
    assert points(run, "training-l2")[-1] == (2_999, 1 / 3_000)


def test_what_is_no_evaluation_is_not_claimed(tmp_path: Path) -> None:
    documents = {
        "runs": {"test_agent": {"1": [0.0, 1.0], "2": [0.0, 1.0]}},
        "algorithms": {"ppo": {"return": [1.0]}, "dqn": {"return": [1.0]}},
        "config": {"train": {"lr": 0.1}, "test": {"batch": [3]}},
        "list": [1, 2],
        "empty": {},
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    assert homes(MODULE, tmp_path) == {}


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(EVALUATION)[:-20])
    with pytest.raises(CurvesError, match=r"^a.json is damaged: it ends in the middle.$"):
        read_one(MODULE, tmp_path)


def test_a_list_that_holds_words_is_refused(tmp_path: Path) -> None:
    text = json.dumps({"train": {"auc": [0.5] * 2_000, "rmse": [1.0, "bad"]}})
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(CurvesError, match="'train-rmse' is not a list of numbers"):
        read_one(MODULE, tmp_path)


def test_means_over_folds_are_refused(tmp_path: Path) -> None:
    table = {"test-rmse-mean": [2.0, 1.0], "test-rmse-std": [0.2, 0.1]}
    (tmp_path / "cv.json").write_text(json.dumps(table))
    with pytest.raises(CurvesError, match="means over the folds"):
        read_one(MODULE, tmp_path)


@pytest.mark.parametrize(
    "document",
    [
        {"heldout": {"return": [1.0]}},
        {"night shift": {"l2": [1.0], "rmse": [1.0]}},
        {"a": {"multi_logloss": [1.0]}, "b": {"multi_logloss": [1.0], "ndcg@5": [0.5]}},
    ],
)
def test_data_sets_of_any_name(tmp_path: Path, document: dict[str, dict[str, list[float]]]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    names = {f"{key}-{metric}" for key, metrics in document.items() for metric in metrics}
    assert set(read_one(MODULE, tmp_path).series) == names
