"""The export of tensorboardX."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)

import pytest

from curvewise import CurvesError
from curvewise.readers.walk import Wanted
from tests.readers.logs.reading import homes, points, read_all, read_one, rows_of

MODULE = "tensorboard.export"
EXPORT = {
    "runs/a/train/loss": [[1.7e9, 0, 2.0], [1.7e9 + 5, 10, 1.0]],
    "runs/a/accuracy": [[1.7e9 + 1, 0, 0.5]],
}


def test_an_export_without_event_files_is_read(tmp_path: Path) -> None:
    (tmp_path / "all_scalars.json").write_text(json.dumps(EXPORT))
    run = read_one(MODULE, tmp_path)
    assert {name: points(run, name) for name in run.series} == {
        "train/loss": [(0, 2.0), (10, 1.0)],
        "accuracy": [(0, 0.5)],
    }
    run = read_one(MODULE, tmp_path, Wanted(x="time"))
    assert points(run, "train/loss") == [(0, 2.0), (5, 1.0)]


def test_beside_event_files_it_is_the_same_run_again(tmp_path: Path) -> None:
    (tmp_path / "all_scalars.json").write_text(json.dumps(EXPORT))
    (tmp_path / "events.out.tfevents.1.a").write_bytes(b"")
    assert list(homes(MODULE, tmp_path)) == [tmp_path]
    assert read_all(MODULE, tmp_path) == {}


def test_real_logs(logs: Path) -> None:
    n_runs = len(rows_of(logs / "tensorboardx/runs.csv"))
    assert len(homes(MODULE, logs / "tensorboardx")) == n_runs
    assert read_all(MODULE, logs / "tensorboardx") == {}


def test_other_documents_are_not_claimed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"ppo": [[1, 2, 3], [4, 5, 6]]}))
    (tmp_path / "b.json").write_text(json.dumps({"ppo": [1, 2, 3]}))
    (tmp_path / "c.json").write_text("{}")
    assert homes(MODULE, tmp_path) == {}


@pytest.mark.parametrize("text", ["0", "[1]", '{"a": 3}', '{"a": [[1.7e9, 0, 2.0], [1]]}'])
def test_an_export_that_holds_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "all_scalars.json").write_text(text)
    with pytest.raises(CurvesError, match="is damaged: it holds more than times"):
        read_all(MODULE, tmp_path)


def test_an_empty_export_is_a_run_without_a_point(tmp_path: Path) -> None:
    (tmp_path / "all_scalars.json").write_text("{}")
    assert read_one(MODULE, tmp_path).series == {}
