"""A single file: a table of all runs, or the log of one or of several."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import Any

import numpy as np
import polars as pl
import pytest

from curvewise import Curves, CurvesError, read, read_tasks
from curvewise.readers import Request
from curvewise.readers.tables import is_single_table
from tests.data.tables import long_frame, wide_frame, write
from tests.readers.trees import a_table, jsonl, progress
from tests.simulation import some_curves

CURVES = some_curves(0, (3, 2), 4)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz"])
def test_a_file_that_says_whose_its_runs_are_is_a_table(tmp_path: Path, name: str) -> None:
    for frame in (long_frame(CURVES), wide_frame(CURVES)):
        path = write(frame, tmp_path / name)
        assert is_single_table(path, Request())
        assert read(path) == CURVES
        assert "runs (" not in read(path).source


def test_digits_are_those_of_the_table(tmp_path: Path) -> None:
    path = write(long_frame(CURVES), tmp_path / "a.csv")
    frame = pl.read_csv(path)
    expected = Curves.from_frame(frame, algorithm="agent", run="seed", step="epoch", score="return")
    np.testing.assert_array_equal(read(path).scores, expected.scores)
    assert read(path).preparation is None


def test_an_archive_of_arrays_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, A=CURVES.scores[:3], B=CURVES.scores[3:])
    assert is_single_table(path, Request())
    assert read(path).n_runs == 5


def test_logs_of_one_run_are_none(tmp_path: Path) -> None:
    table = progress(tmp_path, step=[0, 1, 2], reward=[1, 2, 3])
    lines = jsonl(tmp_path / "m.jsonl", ({"step": i, "loss": -i} for i in range(5)))
    for path in (table, lines, tmp_path, tmp_path / "*.csv", tmp_path / "m.txt"):
        assert not is_single_table(path, Request())


def long_over_metrics(path: Path) -> Path:
    """A long table with a metric column: loss, and reward at every other step."""
    rows = [
        (name, run, metric, step, sign * (10 * run + step + place))
        for place, name in enumerate("AB")
        for run in range(2)
        for metric, steps, sign in (("loss", (0, 1, 2, 3), -1), ("reward", (0, 2), 1))
        for step in steps
    ]
    names = ("algorithm", "run", "metric", "step", "value")
    return a_table(path, dict(zip(names, zip(*rows, strict=True), strict=True)))


def test_a_long_table_with_a_metric_column(tmp_path: Path) -> None:
    path = long_over_metrics(tmp_path / "all.csv")
    assert not is_single_table(path, Request())
    losses = read(path, metric="loss")
    np.testing.assert_array_equal(losses.steps, [0, 1, 2, 3])
    np.testing.assert_array_equal(losses.scores[0], [0, -1, -2, -3])
    assert not losses.higher_is_better
    rewards = read(path, metric="reward")
    np.testing.assert_array_equal(rewards.steps, [0, 2])
    assert rewards.algorithms == ("A", "B")


def test_holes_of_a_metric_are_no_missing_scores(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {
        "algorithm": list("AAAABBBB"),
        "run": [0, 0, 1, 1, 0, 0, 1, 1],
        "step": [0, 1] * 4,
        "train_loss": [4, 3, 2, 1, 4, 3, 2, 1],
        "val_acc": [None, 1] * 4,
    }
    path = a_table(tmp_path / "all.csv", columns)
    curves = read(path, metric="val_acc")
    assert curves.scores.tolist() == [[1.0]] * 4
    assert read(path, metric="train_loss").n_steps == 2


def test_the_table_of_a_single_run_is_read_as_a_log(tmp_path: Path) -> None:
    path = progress(tmp_path / "dqn/seed0", step=[0, 1, 2], reward=[1, 2, 3])
    curves = read(path)
    np.testing.assert_array_equal(curves.scores, [[1, 2, 3]])
    assert "1 run (tables)" in curves.source


def test_an_export_of_weights_and_biases(tmp_path: Path) -> None:
    header = ["Step"]
    for run in ("adam-0", "adam-1", "sgd-0", "sgd-1"):
        header += [f"{run} - acc", f"{run} - acc__MIN", f"{run} - acc__MAX"]
    rows = [
        [step, *(score for run in range(4) for score in [run + step / 10] * 3)] for step in range(5)
    ]
    lines = [",".join(f'"{name}"' for name in header)]
    lines += [",".join(f'"{cell}"' for cell in row) for row in rows]
    path = tmp_path / "export.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    curves = read(path)
    assert curves.algorithms == ("adam", "sgd")
    np.testing.assert_allclose(curves.scores[3], 3 + np.arange(5) / 10)


def test_columns_that_are_named_make_a_table(tmp_path: Path) -> None:
    frame = long_frame(CURVES).rename({"agent": "who"})
    path = write(frame, tmp_path / "a.csv")
    assert read(path, algorithm="who") == CURVES
    assert read(path, group_by="who") == CURVES


def test_a_misspelt_block_is_looked_for_among_the_columns(tmp_path: Path) -> None:
    path = write(long_frame(CURVES), tmp_path / "a.csv")
    with pytest.raises(CurvesError, match=r"No column is called 'sede'; there are 'agent'"):
        read(path, block="sede")


def test_lower_is_better_is_told_by_the_name_of_the_score(tmp_path: Path) -> None:
    path = write(long_frame(CURVES).rename({"return": "loss"}), tmp_path / "a.csv")
    assert not read(path).higher_is_better
    assert read(path, higher_is_better=True).higher_is_better
    assert read(write(long_frame(CURVES), path)).higher_is_better


def test_runs_with_different_steps_are_aligned(tmp_path: Path) -> None:
    whole = long_frame(CURVES)
    run = (pl.col("agent") == "B") & (pl.col("seed") == CURVES.runs[-1])
    holes = whole.filter(~(run & (pl.col("epoch") == 1)))
    curves = read(write(holes, tmp_path / "a.csv"))
    assert curves.n_steps == CURVES.n_steps
    assert curves.preparation is not None
    assert curves.source.endswith(
        "; aligned (linear, 4 steps, 0 to 3; 1 of 20 scores interpolated)"
    )


def test_one_task_of_a_table(tmp_path: Path) -> None:
    frames = [
        long_frame(CURVES).with_columns(pl.lit(name).alias("game"), pl.col("return") + add)
        for name, add in (("pong", 0), ("qbert", 100))
    ]
    path = write(pl.concat(frames), tmp_path / "a.csv")
    with pytest.raises(CurvesError, match=r"There are 2 tasks: pong and qbert\. Choose one"):
        read(path)
    assert read(path, task="pong") == CURVES
    assert list(read_tasks(path)) == ["pong", "qbert"]
    np.testing.assert_allclose(read(path, task="qbert").scores, CURVES.scores + 100)
    with pytest.raises(CurvesError, match=r"No task or column is called 'pang'; .*'pong'\?"):
        read(path, task="pang")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CurvesError, match=r"There is no file .*none\.csv"):
        read(tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(CurvesError, match="is empty"):
        read(tmp_path / "empty.csv")
    a_table(tmp_path / "odd.csv", {"colour": ["red"], "shape": ["round"]})
    with pytest.raises(CurvesError, match=r"Which column is the algorithm\?.* 'colour', 'shape'"):
        read(tmp_path / "odd.csv")
