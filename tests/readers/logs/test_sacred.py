from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import assert_as_recorded, homes, points, read_all, read_one

if TYPE_CHECKING:
    from pathlib import Path

START = "2026-03-01T10:00:00.000000"
METRICS = {
    "return": {
        "steps": [0, 100],
        "timestamps": ["2026-03-01T10:00:02.000000", "2026-03-01T10:00:12.500000"],
        "values": [1.5, math.nan],
    }
}


def write_run(folder: Path, metrics: Any = METRICS, *, status: str = "COMPLETED") -> None:
    """A run as Sacred's FileStorageObserver writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    run = {
        "artifacts": [],
        "command": "main",
        "experiment": {"base_dir": "/x", "name": "cartpole"},
        "heartbeat": START,
        "start_time": START,
        "status": status,
    }
    documents = {
        "run.json": run,
        "config.json": {"agent": {"name": "ppo"}, "seed": 3},
        "metrics.json": metrics,
    }
    for name, document in documents.items():
        if document is not None:
            text = json.dumps(document, sort_keys=True, indent=2)
            (folder / name).write_text(text)
    (folder / "cout.txt").write_text("hello\n")


def test_real_logs_are_read_as_recorded(logs: Path) -> None:
    runs = read_all("run_folders.sacred", logs / "sacred")
    assert_as_recorded(logs / "sacred", runs)
    assert [place for place, run in runs.items() if run.status] == ["my_runs/7"]
    assert runs["my_runs/7"].status == "failed"


def test_a_run_with_its_configuration(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "12", status="INTERRUPTED")
    runs = read_all("run_folders.sacred", tmp_path)
    run = runs["runs/12"]
    assert run.config == {"experiment": "cartpole", "agent": {"name": "ppo"}, "seed": 3}
    assert run.status == "killed"
    series = run.series["return"]
    assert series.steps.tolist() == [0, 100]
    assert series.scores[0] == 1.5
    assert math.isnan(series.scores[1])
    assert (run.x, run.other_x, run.notes) == ("step", ("time",), [])


def test_time_is_in_seconds_since_the_run_began(tmp_path: Path) -> None:
    write_run(tmp_path)
    run = read_one("run_folders.sacred", tmp_path, Wanted(x="time"))
    assert run.series["return"].steps.tolist() == [2, 12.5]


def test_without_run_json_time_counts_from_the_first_record(tmp_path: Path) -> None:
    write_run(tmp_path)
    (tmp_path / "run.json").unlink()
    run = read_one("run_folders.sacred", tmp_path, Wanted(x="time"))
    assert run.series["return"].steps.tolist() == [0, 10.5]


def test_what_is_no_number_is_no_record(tmp_path: Path) -> None:
    lists = {"steps": [0, 1, 2], "timestamps": [START] * 3, "values": [None, "x", 4]}
    write_run(tmp_path, {"a": lists})
    assert points(read_one("run_folders.sacred", tmp_path), "a") == [(2, 4)]


@pytest.mark.parametrize("metrics", [None, {}])
def test_a_run_without_a_point_is_listed(tmp_path: Path, metrics: Any) -> None:
    write_run(tmp_path, metrics, status="RUNNING")
    run = read_one("run_folders.sacred", tmp_path, Wanted(x="time"))
    assert (run.series, run.status) == ({}, "running")


@pytest.mark.parametrize("length", [0, 60, 200])
def test_a_run_with_cut_metrics_is_known_and_unreadable(tmp_path: Path, length: int) -> None:
    write_run(tmp_path)
    text = (tmp_path / "metrics.json").read_text()
    assert len(text) > 200
    whole = read_one("run_folders.sacred", tmp_path)
    (tmp_path / "metrics.json").write_text(text[:length])
    run = read_one("run_folders.sacred", tmp_path)
    assert (run.series, run.status, run.config) == ({}, "unreadable", whole.config)
    assert "metrics.json is damaged" in run.notes[0]


def test_lists_of_unequal_length_are_not_read(tmp_path: Path) -> None:
    write_run(tmp_path, {"a": {"steps": [0, 1], "timestamps": [START], "values": [2.0]}})
    run = read_one("run_folders.sacred", tmp_path)
    assert (run.series, run.status) == ({}, "unreadable")


def test_a_damaged_configuration_is_said(tmp_path: Path) -> None:
    write_run(tmp_path)
    (tmp_path / "config.json").write_text('{"seed": ')
    run = read_one("run_folders.sacred", tmp_path)
    assert run.config == {"experiment": "cartpole"}
    assert run.notes == ["config.json is damaged and was left out"]
    assert "return" in run.series


@pytest.mark.parametrize(
    "text", ['{"loss": 0.5, "step": 3}\n{"loss": 0.25, "step": 4}\n', '{"val": {"loss": 1.0}}']
)
def test_metrics_of_other_tools_are_not_claimed(tmp_path: Path, text: str) -> None:
    (tmp_path / "metrics.json").write_text(text)
    (tmp_path / "run.json").write_text('{"name": "x"}')
    assert homes("run_folders.sacred", tmp_path) == {}


def test_sources_and_resources_are_passed_over(tmp_path: Path) -> None:
    write_run(tmp_path / "1")
    for name in ("_sources", "_resources"):
        write_run(tmp_path / name / "copy")
    assert list(read_all("run_folders.sacred", tmp_path)) == ["1"]
