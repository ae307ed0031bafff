"""Histories of training: a list per metric."""

from __future__ import annotations

import csv
import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from shutil import copy

import pytest

from curvewise import CurvesError
from tests.readers.logs.reading import homes, points, read_all, read_one, rows_of

MODULE = "histories.keras"
HISTORY = {"loss": [2.0, 1.0, 0.5], "val_loss": [2.5, 1.5, 1.0], "lr": [0.1, 0.1, None]}


def test_real_histories_repeat_their_tables(logs: Path, tmp_path: Path) -> None:
    folder = logs / "keras-csv"
    n_runs = len(rows_of(folder / "runs.csv"))
    assert len(homes(MODULE, folder)) == n_runs
    assert read_all(MODULE, folder) == {}
    for path in folder.glob("*_history.json"):
        copy(path, tmp_path)
    runs = read_all(MODULE, tmp_path)
    assert len(runs) == n_runs
    n_checked = 0
    with (folder / "truth.csv").open() as file:
        for row in csv.DictReader(file):
            name = f"{row['algorithm']}_{row['run']}"
            if name == "sgd_1":  # its history has the second call of fit() only
                continue
            run = runs[f"{name}_history.json"]
            assert points(run, row["metric"])[int(row["step"])] == (
                float(row["step"]),
                float(row["score"]),
            )
            n_checked += 1
    assert n_checked == 32 * (n_runs - 1)


def test_an_epoch_is_a_place_in_the_lists(tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text(json.dumps(HISTORY))
    run = read_one(MODULE, tmp_path)
    assert (run.x, points(run, "val_loss")) == ("epoch", [(0, 2.5), (1, 1.5), (2, 1.0)])
    assert points(run, "lr") == [(0, 0.1), (1, 0.1)]


def test_lists_of_steps_and_frames_of_pandas(tmp_path: Path) -> None:
    stepped = {"step": [10, 20], "loss": [1.0, 0.5], "time": [1.0, 2.0]}
    (tmp_path / "a.json").write_text(json.dumps(stepped))
    framed = {"loss": {"0": 1.0, "10": 0.25, "2": 0.5}}
    (tmp_path / "b.json").write_text(json.dumps(framed))
    runs = read_all(MODULE, tmp_path)
    assert {name: points(run, "loss") for name, run in runs.items()} == {
        "a.json": [(10, 1.0), (20, 0.5)],
        "b.json": [(0, 1.0), (1, 0.5), (2, 0.25)],
    }
    assert set(runs["a.json"].series) == {"loss"}


def test_shorter_lists_are_left_out_and_said(tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text(json.dumps(HISTORY | {"val_acc": [0.5]}))
    run = read_one(MODULE, tmp_path)
    assert "val_acc" not in run.series
    assert run.notes[0].startswith("val_acc left out: shorter than the other metrics")


def test_a_history_beside_the_table_of_its_run_is_not_read(tmp_path: Path) -> None:
    for name in ("same/history.json", "named/a_history.json", "other/history.json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(HISTORY))
    header = "epoch,loss,lr,val_loss\n0,2,0.1,2.5\n"
    (tmp_path / "same" / "training.log").write_text(header)
    (tmp_path / "named" / "a.csv").write_text(header)
    (tmp_path / "named" / "b.csv").write_text(header)
    (tmp_path / "other" / "table.csv").write_text("epoch,reward\n0,2\n")
    assert set(read_all(MODULE, tmp_path)) == {"other"}
    assert len(homes(MODULE, tmp_path)) == 3


def test_what_is_no_history_is_not_claimed(tmp_path: Path) -> None:
    documents = {
        "algorithms": {"ppo": [1.0, 2.0], "dqn": [1.0]},
        "config": {"loss": "mse", "layers": [1, 2]},
        "last": {"loss": 0.5},
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    assert homes(MODULE, tmp_path) == {}


def test_a_cut_history_is_refused(tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text(json.dumps(HISTORY)[:30])
    with pytest.raises(CurvesError, match="damaged: it ends in the middle"):
        read_one(MODULE, tmp_path)


def test_settings_beside_the_lists(tmp_path: Path) -> None:
    settings = {"algo": "ppo", "seed": 3, "net": {"hidden": [64, 64], "tags": ["a"]}}
    documents = {
        "flat": settings | {"episode": [5, 10], "returns": [1.0, 2.0]},
        "inner": settings | {"history": {"episode": [5, 10], "returns": [1.0, 2.0]}},
        "records": settings
        | {"log": [{"episode": 5, "returns": 1.0}, {"episode": 10, "returns": 2.0}]},
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    for run in read_all(MODULE, tmp_path).values():
        assert (run.x, points(run, "returns")) == ("episode", [(5, 1.0), (10, 2.0)])
        assert set(run.series) == {"returns"}
        assert run.config == settings


def test_lists_that_are_neither_curves_nor_settings(tmp_path: Path) -> None:
    documents = {
        "splits": {"loss": [2.0, 1.0], "val": {"loss": [2.5, 1.5]}, "seed": 1},
        "rows": {"loss": [2.0, 1.0], "scores": [[1.0], [2.0]]},
        "algorithms": {"ppo": {"loss": [1.0]}, "dqn": {"loss": [2.0]}, "seed": 1},
        "one": {"ppo": {"loss": [1.0]}},
        "runs": {"a": 1, "runs": [{"seed": 1, "epoch": 0, "loss": 2.0}]},
        "results": {"a": 1, "results": [{"lr": 1, "loss": 2.0}, {"lr": 2, "loss": 3.0}]},
    }
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    assert homes(MODULE, tmp_path) == {}
